"""The pages of docs/ say what the code says, their examples do what they show, and the site built of them works."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
import urllib.parse
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import examples
import node
import pages
import pictures
import tables
from untilgreen import checkers
from untilgreen.checkers import formats
from untilgreen.checkers.checker import outcome
from untilgreen.cli import root, start
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import CheckSetting, Settings
from untilgreen.loops.begin import options
from untilgreen.settings import load, values
from untilgreen.settings.keys import PRESETS, SETTINGS
from untilgreen.state import catalogue
from world import BIN, REPOSITORY, World

DOCS = {path.name: path.read_text(encoding="utf-8") for path in pages.PAGES}
ALL = "\n".join(DOCS.values())
TEXTS = (
    *(f"docs/{name}" for name in DOCS),
    *("README.md", "CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md"),
    *sorted(str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "templates").rglob("*.md")),
)
# names of executables that end in -loop
SCRIPTS = {"stop-loop", "session-loop", "start-loop", "cancel-loop"}
SCENES = [(name, number) for name, text in DOCS.items() for number, _ in enumerate(examples.scenes(text))]
HARNESS = tables.text("docs", "harness")


class Page(HTMLParser):
    """What a built page links to, what it loads, and the names in it that links may end at."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.navigation: list[str] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {key: value or "" for key, value in attrs}
        self.names.update(found[key] for key in ("id", "name") if key in found)
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
            if "reference internal" in found.get("class", ""):
                self.navigation.append(found["href"])
        elif "src" in found or tag == "link":
            self.loads.append(found.get("src") or found.get("href", ""))


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` builds it."""
    folder = tmp_path_factory.mktemp("docs")
    words = ("--quiet", "--fail-on-warning", "--keep-going", "--builder", "html", "--doctree-dir")
    built = subprocess.run(
        [sys.executable, "-m", "sphinx", *words, folder / "trees", REPOSITORY / "docs", folder / "site"],
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return folder / "site"


def built_pages(site: Path) -> dict[str, Page]:
    return {path.name: Page(path.read_text(encoding="utf-8")) for path in site.glob("*.html")}


@pytest.mark.parametrize("name", DOCS)
def test_the_generated_parts_of_a_page_are_what_the_code_says(name: str) -> None:
    # when this fails: make docs
    assert DOCS[name] == pages.rendered(DOCS[name])


def test_the_pictures_show_the_imports_as_they_are(tmp_path: Path) -> None:
    # when this fails: make docs
    shutil.copytree(REPOSITORY / "hooks" / "untilgreen", tmp_path / "hooks" / "untilgreen")
    (tmp_path / "docs" / "_static").mkdir(parents=True)
    for name in ("draw.py", "real-projects.md"):
        shutil.copy(REPOSITORY / "docs" / name, tmp_path / "docs")
    subprocess.run([sys.executable, tmp_path / "docs" / "draw.py"], check=True)
    drawn = {path.name: path.read_text() for path in (tmp_path / "docs" / "_static").glob("*.svg")}
    assert drawn.keys() == {"house.svg", "projects.svg", "stop.svg"}
    kept = {path.name: path.read_text() for path in (REPOSITORY / "docs" / "_static").glob("*.svg")}
    assert drawn | pictures.pictures() == kept


def test_every_golden_screen_can_be_drawn_and_a_picture_holds_nothing_but_its_text() -> None:
    screens = {path.stem: path.read_text(encoding="utf-8") for path in pictures.SCREENS.glob("*.txt")}
    for name, screen in {**screens, "hostile": "</text><script>\"&'\n漢字\n⎿ x", "empty": ""}.items():
        drawn = ET.fromstring(pictures.picture(screen, name))
        assert {element.tag.rpartition("}")[2] for element in drawn.iter()} <= {
            *("svg", "title", "style", "rect", "text", "path")
        }, name
        words = "".join("".join(element.itertext()) for element in drawn.iter() if element.tag.endswith("text"))
        assert "".join(words.split()) == "".join(screen.replace("N s", "1.2 s").replace("⎿", "").split()), name


@pytest.mark.tools("all")
@pytest.mark.parametrize(("name", "number"), SCENES, ids=[f"{name}-{number}" for name, number in SCENES])
def test_every_example_of_a_page_prints_what_it_shows(name: str, number: int, world: World) -> None:
    shown, printed = examples.play(examples.scenes(DOCS[name])[number], world)
    assert printed == shown


@pytest.mark.parametrize("part", pages.PARTS)
def test_every_generated_part_is_on_a_page(part: str) -> None:
    assert f"<!-- generated: {part} -->" in ALL


@pytest.mark.parametrize(
    "word",
    [
        *sorted(SCRIPTS),
        *(f"untilgreen {name}" for name in root.COMMANDS),
        *(option.flag for option in options.OPTIONS),
        *values.CRITERIA,
        *SETTINGS.keys["marker"].choices,
        *PRESETS,
        *(name for name in SETTINGS.keys if name not in ("severity", "checks")),
        *(f"checks.NAME.{name}" for name in CheckSetting._fields),
        "severity.TOOL",
        *checkers.NAMES,
        *formats.NAMES,
    ],
)
def test_every_word_that_people_may_write_is_in_the_docs(word: str) -> None:
    code = rf"`[^`\n]*(?<![\w-]){re.escape(word)}(?![\w-])[^`\n]*`"
    assert re.search(rf"{code}|^#+ {re.escape(word)}$", ALL, re.MULTILINE)


@pytest.mark.parametrize(
    "variable",
    sorted(
        set(
            re.findall(
                r"\b(?:UNTILGREEN|JIKIME)_[A-Z_]+[A-Z]\b",
                "\n".join(path.read_text(encoding="utf-8") for path in pages.PACKAGE.rglob("*.py")),
            )
        )
    ),
)
def test_every_variable_that_the_code_reads_is_in_the_docs(variable: str) -> None:
    assert f"`{variable}" in ALL


@pytest.mark.parametrize("words", ["plain", *catalogue.WORDS])
def test_every_line_that_it_says_is_in_the_docs(words: str) -> None:
    forms = {form for line in catalogue.words(Settings(words=words)).values() for form in line.split("||")}
    longest = {max(re.split(r"\{[^}]+\}", form), key=len).strip(" :;,()") for form in forms}
    assert [words for words in longest if words not in ALL.replace("\\|", "|")] == []


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_names_a_command_that_is_not_there(name: str) -> None:
    text = written(name)
    code = "\n".join((*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^\$ (.+)$", text, re.MULTILINE)))
    assert set(re.findall(r"(?<![\w/.-])untilgreen (?!untilgreen|of)([a-z]+)", code)) <= set(root.COMMANDS)
    assert set(re.findall(r"(?<!\$)\b([a-z]+-loop)\b", code)) <= SCRIPTS
    commands = {path.stem for path in (REPOSITORY / "templates" / "commands").glob("*.md")}
    assert set(re.findall(r"/untilgreen:([a-z]+)", text)) <= commands


def written(name: str) -> str:
    """A text without the parts that come from the code."""
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    return re.sub(r"<!-- generated: .*?<!-- end -->", "", text, flags=re.DOTALL)


@pytest.mark.parametrize("name", TEXTS)
def test_no_text_gives_a_command_an_option_that_it_does_not_have(name: str) -> None:
    text = written(name)
    lines = [*re.findall(r"`([^`\n]+)`", text), *re.findall(r"^\$ (.+)$", text, re.MULTILINE)]
    unknown = [line for line in lines for flag in given(line) if flag not in known(line)]
    assert unknown == []


def given(line: str) -> list[str]:
    """The options in a line that calls one of our commands."""
    own = line.partition(" -- ")[0]  # what follows is another program's
    return re.findall(r"(?<!\S)(--[a-z][a-z-]*)", own) if known(line) else []


def known(line: str) -> set[str]:
    """The options of the command that a line calls, none where it calls none of ours."""
    called = re.match(r"(?:untilgreen ([a-z]+)|(start-loop|/untilgreen:loop|cancel-loop)|untilgreen)(?!\S)", line)
    if not called:
        return set()
    if called[1]:
        return (
            {flag for one in root.loaded(called[1]).params for flag in one.opts} | {"--help"}
            if called[1] in root.COMMANDS
            else set()
        )
    if called[2] == "cancel-loop":
        return {flag for one in start.cancel.params for flag in one.opts}
    if called[2]:
        return {one.flag for one in options.OPTIONS} | {"--help", "--version"}
    return {"--help", "--version", "--all"}


@pytest.mark.parametrize("name", DOCS)
def test_every_configuration_on_a_page_is_a_valid_one(name: str, world: World) -> None:
    for block in re.findall(r"^```toml\n(.*?)^```", DOCS[name], re.MULTILINE | re.DOTALL):
        tables = tomllib.loads(block)
        if "tool" not in tables:
            world.write({"untilgreen.toml": block, "pyproject.toml": ""})
        else:
            (world.project / "untilgreen.toml").unlink(missing_ok=True)
            world.write({"pyproject.toml": block})
        own = tables["tool"].get("untilgreen", {}) if "tool" in tables else tables
        read = load.load(world.project)
        plain = {key: value for key, value in own.items() if not isinstance(value, dict | list)}
        assert {key: getattr(read, key, value) for key, value in plain.items()} == plain
        assert own.get("severity", {}) == read.severity
        assert own.get("checks", {}).keys() == read.checks.keys()


@pytest.mark.parametrize("name", TEXTS)
def test_every_target_of_make_that_a_text_names_is_there(name: str) -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (REPOSITORY / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    named = set(re.findall(r"(?:`|^\$ )make ([a-z0-9-]+)", text, re.MULTILINE))
    assert named - {"test"} <= targets  # a user's own Makefile has a target of that name in the examples


@pytest.mark.parametrize("name", [name for name in TEXTS if not name.startswith("templates/")])
def test_every_file_that_a_text_names_is_there(name: str) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    named = set(re.findall(r"`((?:hooks|tests|templates|docs)/[\w./-]*[\w-]|[A-Z]+\.md|[\w.]+\.example\.json)`", text))
    placeholders = re.compile(r"\b(?:TOOL|NAME|HOST|VERSION)\b")
    assert [path for path in sorted(named) if not placeholders.search(path) and not (REPOSITORY / path).exists()] == []


@pytest.mark.parametrize("name", [name for name in TEXTS if name.endswith(".md") and "/" not in name])
def test_every_link_from_the_repository_into_the_docs_leads_somewhere(name: str, site: Path) -> None:
    text = (REPOSITORY / name).read_text(encoding="utf-8")
    built = built_pages(site)
    for target in re.findall(r"\]\((?!https?:)([^)#]*)(?:#[^)]*)?\)", text):
        assert (REPOSITORY / target).exists(), target
    for page, anchor in re.findall(r"\]\(docs/([\w-]+)\.md#([^)]+)\)", text):
        assert anchor in built[f"{page}.html"].names, (page, anchor)


def test_every_link_of_the_site_leads_to_a_page_and_a_place_on_it(site: Path) -> None:
    built = built_pages(site)
    lost = [
        (name, link)
        for name, page in built.items()
        for link in page.links
        if not urllib.parse.urlsplit(link).scheme and not leads(built, name, link)
    ]
    assert lost == []


def leads(built: dict[str, Page], name: str, link: str) -> bool:
    to = urllib.parse.urlsplit(link)
    target = built.get(to.path or name)
    return target is not None and (not to.fragment or urllib.parse.unquote(to.fragment) in target.names)


def test_the_site_loads_nothing_from_elsewhere(site: Path) -> None:
    for name, page in built_pages(site).items():
        for what in filter(None, page.loads):
            path = urllib.parse.urlsplit(what)
            assert (path.scheme, path.netloc) == ("", ""), (name, what)
            assert what.startswith("#") or (site / path.path).exists(), (name, what)
    styles = [path.read_text(encoding="utf-8") for path in site.rglob("*.css")]
    assert [found for style in styles for found in re.findall(r"url\(['\"]?https?:[^)]*\)|@import[^;]*", style)] == []


def test_links_out_of_the_site_are_few_and_safe(site: Path) -> None:
    links = [link for page in built_pages(site).values() for link in page.links]
    assert {urllib.parse.urlsplit(link).scheme for link in links} <= {"", "https"}


def test_every_page_is_in_the_navigation(site: Path) -> None:
    linked = {urllib.parse.urlsplit(link).path for link in built_pages(site)["search.html"].navigation}
    assert {name.replace(".md", ".html") for name in DOCS} - {"index.html"} <= linked


@pytest.mark.needs("chromium", "npm")
def test_the_site_works_in_a_browser_from_plain_files(site: Path, tmp_path: Path) -> None:
    names = [name.replace(".md", ".html") for name in DOCS]
    search = "search.html?q=suppression"
    given = json.dumps([f"file://{site}/", [*names, search], node.axe(), node.fonts()])
    (tmp_path / "harness.html").write_text(HARNESS % given, encoding="utf-8")
    seen, errors = browsed(tmp_path)
    assert seen.get("error") is None
    headings = {name: heading(name) for name in DOCS}
    for name, title in headings.items():
        page = seen[name.replace(".md", ".html")]
        assert (page["heading"], page["title"].startswith(title)) == (title, True), name
        for one in (page, seen["narrow " + name.replace(".md", ".html")]):
            # what is wider than the screen scrolls in a box of its own
            assert (one["fits"], one["lost"], one["torn"]) == (True, 0, []), name
        # a phone has no room for three columns: a block for each row, whose cells name their columns
        assert seen["narrow " + name.replace(".md", ".html")]["aside"] == [], name
    assert seen["narrow real-projects.html"]["headings"][:3] == [
        *("Project", "Checks, and where their calls are from", "As published")
    ]
    assert (seen["axe recipes.html"], seen["axe questions.html"]) == ([], [])
    assert seen["copied"] == ["untilgreen init"]
    assert seen["a click"]["heading"] == "Checkers"
    assert "How a stop is judged" in seen[search]["found"]
    assert errors == ["the harness speaks"]


def heading(name: str) -> str:
    text = DOCS[name]
    for include in re.findall(r"^```\{include\} \.\./(.+)$", text, re.MULTILINE):
        text += (REPOSITORY / include).read_text(encoding="utf-8")
    return str(re.findall(r"^# (.+)$", text, re.MULTILINE)[0])


def browsed(folder: Path, *more: str) -> tuple[Any, list[str]]:
    """What the harness saw, and what the pages said on the browser's console. `more`: switches of chromium."""
    # the harness looks into pages that lie beside it: by a browser's own rules every file is a site of its own
    switches = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-web-security", "--enable-logging=stderr")
    done = subprocess.run(
        [
            *("chromium", *switches, *more, f"--user-data-dir={folder / 'profile'}"),
            *("--virtual-time-budget=60000", "--dump-dom", f"file://{folder / 'harness.html'}"),
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        env={"PATH": f"{BIN}:/usr/bin:/bin", "HOME": str(folder)},
        check=False,
    )
    [result] = re.findall(r'<pre id="result">(.*?)</pre>', done.stdout, re.DOTALL)
    return json.loads(result.replace("&amp;", "&").replace("&lt;", "<").replace("&gt;", ">")), list(
        console(done.stderr)
    )


def console(log: str) -> Iterator[str]:
    for line in log.splitlines():
        said = re.search(r"CONSOLE[:(]\d+\)?\] \"(.*)\", source", line)
        if said:
            yield said[1]


def test_the_checker_of_the_example_reads_what_its_tool_says() -> None:
    [source] = re.findall(r'^```python\n(""".*?)^```', DOCS["adding-a-checker.md"], re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(compile(source, "doc8.py", "exec"), names)
    checker, setting = names["CHECKER"], Setting(tool="doc8", root="/project")

    def says(*lines: str, files: int = 1, code: int = 0, stderr: str = "") -> Outcome:
        counts = (f"Total files scanned = {files}", f"Total accumulated errors = {len(lines)}") if not stderr else ()
        said = Output(code, "\n".join(("Scanning...", *lines, "========", *counts)), stderr)
        return outcome(checker, said, setting)

    assert says() == Clean()
    assert reason(says(files=0)) == "0 files: nothing was looked at"
    unreadable = "Traceback (most recent call last):\nValueError: invalid literal for int() with base 10: 'forty'"
    assert reason(says(code=1, stderr=unreadable)) == f"exit code 1: {unreadable.splitlines()[1]}"
    assert says("./a.rst:4: D001 Line too long", "./b.rst:?: D000 No target.", code=1) == Found(
        (
            Diagnostic("doc8", "a.rst", 4, "D001", "warning", "Line too long"),
            Diagnostic("doc8", "b.rst", 0, "D000", "error", "No target."),
        )
    )


def reason(result: Outcome) -> str:
    """Why it is Broken, "" where it is not."""
    return result.reason if isinstance(result, Broken) else ""
