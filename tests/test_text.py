"""The project's text: suppressions, test definitions, configuration; and what became weaker."""

import os
import subprocess
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from loops import in_english
from untilgreen.core import document
from untilgreen.core.model.snapshot import Text
from untilgreen.core.verdict import baseline
from untilgreen.project.fakes import text
from untilgreen.project.tree import toml_sections


def read(root: Path, contents: dict[str, str | bytes]) -> Text:
    """Write these files and read them as a project's."""
    for name, content in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return text.read(str(root), tuple(contents), time.monotonic() + 60)


def counted(suppressions: dict[str, int], tests: int = 0) -> Text:
    """What is counted in a project without configuration."""
    return Text(suppressions, tests, {}, complete=True, version=text.VERSION)


def config(root: Path, name: str, content: str) -> dict[str, str]:
    return read(root, {name: content}).config


# --- suppressions ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("line", "kinds"), tables.literal("text", "a suppression is counted by its kind"))
def test_a_suppression_is_counted_by_its_kind(tmp_path: Path, line: str, kinds: dict[str, int]) -> None:
    assert read(tmp_path, {"a.py": f"first = 1\n{line}\n"}) == counted(kinds)


def test_suppressions_add_up_over_python_files_only(tmp_path: Path) -> None:
    line = "x = 1  # noqa\n"
    found = read(tmp_path, {"a.py": line * 2, "b/c.pyi": line, "README.md": line, "d.pyc": line})
    assert found == counted({"noqa": 3})


def test_test_definitions_are_counted_in_test_files(tmp_path: Path) -> None:
    tests = "def test_a(): a()\nasync def test_b(): b()\nclass TestC:\n    def test_c(self): c()\ndef helper(): ...\n"
    found = read(tmp_path, {"test_a.py": tests, "sub/b_test.py": tests, "other.py": tests, "# def test_x.py": tests})
    assert found == counted({}, 6)


def test_files_that_cannot_be_read_as_text_are_counted_all_the_same(tmp_path: Path) -> None:
    bad = b"\xff\xfe\x00 def\n" + b"x = 1  # noqa \xe9\n"
    large = b"x = '" + b"a" * 5_000_000 + b"'\n" + b"y = 1  # noqa\n"
    assert read(tmp_path, {"bad.py": bad, "large.py": large, "empty.py": b""}).suppressions == {"noqa": 2}


def test_nothing_outside_of_the_project_is_read(tmp_path: Path) -> None:
    root = tmp_path / "project"
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a.py").write_text("x = 1  # noqa\n")
    read(root, {"b.py": "x = 1  # noqa\n"})
    (root / "a.py").symlink_to(tmp_path / "out" / "a.py")
    (root / "folder").symlink_to(tmp_path / "out")
    (root / "lost.py").symlink_to(tmp_path / "nowhere")
    (root / "dir.py").mkdir()
    os.mkfifo(root / "pipe.py")
    files = ("a.py", "b.py", "folder/a.py", "lost.py", "dir.py", "pipe.py", "gone.py", "../out/a.py")
    assert text.read(str(root), files, time.monotonic() + 60) == counted({"noqa": 1})


def test_a_configuration_that_leads_outside_is_new_all_the_same(tmp_path: Path) -> None:
    (tmp_path / "loose.ini").write_text("[mypy]\nignore_errors = true\n")
    root = tmp_path / "project"
    root.mkdir()
    (root / "mypy.ini").symlink_to(tmp_path / "loose.ini")
    assert list(text.read(str(root), (), time.monotonic() + 60).config) == ["mypy.ini"]


def test_a_deadline_that_passed_leaves_the_text_incomplete(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("x = 1  # noqa\n")
    assert text.read(str(tmp_path), ("a.py",), time.monotonic()) == Text(version=text.VERSION)


# --- configuration ----------------------------------------------------------------------------------


def test_configuration_is_known_by_file_and_section(tmp_path: Path) -> None:
    ini = "[mypy]\nstrict = true\n[mypy-foo.*]\nx = 1\n[tool:pytest]\n[pytest]\n[flake8]\n[metadata]\nname = x\n"
    toml = "[project]\nname = 'x'\n[tool.ruff]\n[tool.ruff.lint]\nx = []\n[tool.ruffian]\n[[tool.mypy.overrides]]\n"
    toml += "[tool.pytest.ini_options]\n[tool.untilgreen]\n[tool.black]\n[tool.hatch]\n"
    whole = ["ruff.toml", "b/.ruff.toml", "mypy.ini", ".mypy.ini", "pytest.ini", "b/.pytest.ini", "untilgreen.toml"]
    found = read(tmp_path, {"pyproject.toml": toml, "b/setup.cfg": ini, "tox.ini": ini, **dict.fromkeys(whole, "")})
    expected = [
        *whole,
        *(f"b/setup.cfg [{name}]" for name in ("mypy", "mypy-foo.*", "tool:pytest", "pytest", "flake8")),
        *(f"tox.ini [{name}]" for name in ("mypy", "mypy-foo.*", "tool:pytest", "pytest", "flake8")),
        *(f"pyproject.toml [tool.{name}]" for name in ("ruff", "ruff.lint", "mypy.overrides", "pytest.ini_options")),
        *(f"pyproject.toml [tool.{name}]" for name in ("untilgreen", "black")),
    ]
    assert sorted(found.config) == sorted(expected)
    ignored = text.read(str(tmp_path), (), time.monotonic() + 60)  # at the root it counts when git ignores it
    assert sorted(ignored.config) == sorted(name for name in expected if not name.startswith("b/"))


TOML = "[tool.ruff]\nline-length = 100\n[tool.ruff.lint]\nselect = ['E', 'F']\nper = { 'a.py' = ['E1'] }\n"
INI = "[mypy]\nstrict = true\nfiles =\n  a.py,\n  b.py\n"


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("pyproject.toml", TOML, TOML.replace("\n", "\r\n")),
        ("pyproject.toml", TOML, "\ufeff# note\n\n" + TOML.replace("100", "100  # wide = ']'") + "# [tool.mypy]\n"),
        ("pyproject.toml", TOML, TOML.replace("['E', 'F']", "[\n  'E', # one\n\n  'F'\n]")),
        ("pyproject.toml", TOML, "[project]\nname = 'x'\n[ tool . 'ruff' ]\n" + TOML.partition("\n")[2]),
        ("pyproject.toml", TOML, "[tool]\nruff.line-length = 100\n" + TOML.partition("100\n")[2]),
        (
            "pyproject.toml",
            TOML,
            "tool = {ruff = {line-length = 100, lint = {select = ['E', 'F'], per = {'a.py' = ['E1']}}}}",
        ),
        ("ruff.toml", TOML, "# note\n" + TOML),
        ("mypy.ini", INI, "; note\n\n" + INI.replace("  a.py", "# one\n\ta.py")),
        ("setup.cfg", INI, "[metadata]\nname = x\n" + INI),
    ],
)
def test_comments_and_layout_make_no_difference(tmp_path: Path, name: str, one: str, two: str) -> None:
    assert config(tmp_path, name, one) == config(tmp_path, name, two) != {}


@pytest.mark.parametrize(
    ("name", "one", "two"),
    [
        ("pyproject.toml", "[tool.ruff]\na = 'x # y'\n", "[tool.ruff]\na = 'x # z'\n"),
        ("pyproject.toml", "[tool.ruff]\na = 'x'\n", "[tool.ruff]\na = ' x'\n"),
        ("pyproject.toml", '[tool.ruff]\na = """\n[b]\n# c"""\n', '[tool.ruff]\na = """\n[b]\n# d"""\n'),
        ("pyproject.toml", "[tool.ruff]\na = '''\n[b]\n'''\nc = 1\n", "[tool.ruff]\na = '''\n[b]\n'''\nc = 2\n"),
        ("pyproject.toml", "[tool.ruff]\na = [\n['b']\n]\nc = 1\n", "[tool.ruff]\na = [\n['b']\n]\nc = 2\n"),
        ("pyproject.toml", "tool.ruff.a = 1\n", "tool.ruff.a = 2\n"),
        ("pyproject.toml", "[tool]\nruff = {a = 1}\n", "[tool]\nruff = {a = 2}\n"),
        ("pyproject.toml", "[[tool.mypy.overrides]]\na = 1\nb = 1\n", "[[tool.mypy.overrides]]\na = 1\n" * 2),
        ("mypy.ini", "[mypy]\n[a]\nx = 1\n", "[mypy]\nx = 1\n[a]\n"),
        ("mypy.ini", "[mypy]\nx = 1 # 2\n", "[mypy]\nx = 1\n"),
    ],
)
def test_what_the_tools_read_makes_a_difference(tmp_path: Path, name: str, one: str, two: str) -> None:
    assert config(tmp_path, name, one) != config(tmp_path, name, two)


# --- configuration that is taken in from elsewhere ------------------------------------------------------------------

OTHER = {"toml": "line-length = 99\n", "json": '{"a": 99}', "yml": "a: 99\n"}


@pytest.mark.parametrize(("path", "content", "taken"), tables.rows("taken-in", "path", "content", "taken"))
def test_what_a_configuration_takes_in_is_configuration(tmp_path: Path, path: str, content: str, taken: str) -> None:
    others = ["x.json", "x.js", "b.json", "vitest.shared.mts", "src/settings.ts", "node_modules/x/tsconfig.json"]
    contents: dict[str, str | bytes] = dict.fromkeys(others, "{}")
    contents |= {path: content, "shared.ts": "", **({taken: "{}"} if taken else {})}
    then = read(tmp_path, contents)
    now = read(tmp_path, {**contents, (taken or "x.json"): OTHER.get(taken.rpartition(".")[2], "x(99)")})
    assert in_english(baseline.compare(then, now, 0, 0))[0] == ((f"changed {taken}",) if taken else ())


def test_what_is_taken_in_takes_in_more_and_a_circle_ends(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        {
            "eslint.config.js": "import './a/b.js'\nimport './package.json'\n",
            "a/b.js": "import './b.js'\nimport '../eslint.config.js'\nimport '../c.js'\n",
            "c.js": "require('./a/b'); require('./d'); require('../project/out.js'); require('./gone')\n",
            "d.js": "require('.'); require('./'); require('..'); require('./e')\n",
            "e/index.js": b"\xff require('./')",
            "package.json": '{"name": "x"}',
        },
    )
    assert sorted(found.config) == ["a/b.js", "c.js", "d.js", "e/index.js", "eslint.config.js"]


def test_only_so_many_files_so_far_away_are_taken_in(tmp_path: Path) -> None:
    chain = {f"{n}.js": f"require('./{n + 1}')\n" for n in range(9)}
    found = read(tmp_path / "deep", {"eslint.config.js": "require('./0')\n", **chain})
    assert sorted(found.config) == [*(f"{n}.js" for n in range(5)), "eslint.config.js"]
    wide = "".join(f"require('./w{n}')\n" for n in range(99))
    found = read(tmp_path / "wide", {"jest.config.js": wide, **{f"w{n}.js": "" for n in range(99)}})
    assert len(found.config) == 51


def test_what_git_ignores_or_a_link_leads_to_is_not_taken_in(tmp_path: Path) -> None:
    root = tmp_path / "project"
    read(root, {"tsconfig.json": '{"extends": ["./.nuxt/base.json", "./link.json"]}', ".nuxt/base.json": "{}"})
    (tmp_path / "out.json").write_text("{}")
    (root / "link.json").symlink_to(tmp_path / "out.json")
    one = text.read(str(root), ("tsconfig.json", "link.json"), time.monotonic() + 60)
    (tmp_path / "out.json").write_text('{"strict": false}')
    (root / ".nuxt" / "base.json").write_text('{"strict": false}')
    two = text.read(str(root), ("tsconfig.json", "link.json"), time.monotonic() + 60)
    assert (sorted(one.config), one) == (["link.json", "tsconfig.json"], two)


# --- files that git tracks and ignores -------------------------------------------------------------------------------


def git(root: Path, *words: str) -> None:
    subprocess.run(["git", *words], cwd=root, check=True, capture_output=True)


@pytest.fixture
def tracked(tmp_path: Path) -> Path:
    """A repository with tracked files in two folders."""
    read(tmp_path, {"a.py": "import os\n", "s/b.py": "", "s/ä c.py": "", "build/d.js": "", ".gitignore": "*.log\n"})
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    return tmp_path


def again(root: Path) -> dict[str, int]:
    return text.read(str(root), (), time.monotonic() + 60).suppressions


@pytest.mark.parametrize(("path", "content", "count"), tables.literal("text", "tracked files that git ignores are"))
def test_tracked_files_that_git_ignores_are_counted(tracked: Path, path: str, content: str, count: int) -> None:
    assert again(tracked) == {}
    (tracked / path).write_text(content)
    assert again(tracked) == ({"tracked file ignored": count} if count else {})


def test_of_a_removed_folder_and_without_git_no_ignored_file_is_counted(tracked: Path) -> None:
    (tracked / "build" / "d.js").unlink()
    (tracked / ".gitignore").write_text("build/\n")
    assert again(tracked) == {}
    (tracked / ".gitignore").write_text("*.py\n")
    (tracked / ".git" / "HEAD").write_text("broken\n")
    assert again(tracked) == {}
    (tracked / ".git").rename(tracked / "git")
    assert again(tracked) == {}


def test_where_git_does_not_answer_in_time_the_text_is_incomplete(tracked: Path) -> None:
    assert text.read(str(tracked), (), time.monotonic()) == Text(version=text.VERSION)


# --- reading sections ----------------------------------------------------------------------------------

keys = st.text("abc.-_1 '\"#=[", min_size=1, max_size=5)
scalars = st.booleans() | st.integers(0, 99) | st.text("ab\"'#[]{}=,\\\n", max_size=6)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=3), max_leaves=6
)


def quoted(value: str) -> str:
    escapes = {'"': '\\"', "\\": "\\\\", "\n": "\\n"}
    return '"' + "".join(escapes.get(letter, letter) for letter in value) + '"'


def inline(value: object) -> str:
    """A value as TOML."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quoted(key)} = {inline(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return quoted(value) if isinstance(value, str) else str(value).lower()


@given(table=st.dictionaries(keys, values, max_size=4), after=values)
def test_no_value_hides_the_sections_after_it(table: dict[str, object], after: object) -> None:
    body = "".join(f"{quoted(key)} = {inline(value)} # note\n" for key, value in table.items())
    source = f"[tool.ruff]\n{body}[tool.mypy]\nx = {inline(after)}\n"
    assert tomllib.loads(source)["tool"]["mypy"] == {"x": after}
    assert toml_sections.toml(source) == toml_sections.toml(f"[tool.ruff]\n{body}") | toml_sections.toml(
        f"[tool.mypy]\nx={inline(after)}"
    )


@given(st.text())
def test_any_text_gives_sections(source: str) -> None:
    for found in (toml_sections.toml(source), toml_sections.ini(source)):
        assert all(isinstance(name, str) and isinstance(body, str) for name, body in found.items())


def test_values_without_an_end_are_read() -> None:
    deep = "a = " + "{a = " * 5000 + "1" + "}" * 5000
    found = toml_sections.toml(f"{deep}\n[tool.mypy]\n")
    assert found["tool.mypy"] == ""
    assert "tool.mypy" not in toml_sections.toml("a = [\n[tool.mypy]\n")
    assert toml_sections.toml("a = 'b\n[tool.mypy]\n") == {"": "a='b", "tool.mypy": ""}
    assert toml_sections.toml("[tool.ruff\nx = 1\n[tool.mypy]\n") == {"tool.ruff": "x=1", "tool.mypy": ""}


@pytest.mark.parametrize("piece", ['\\"', '"""\\', '"\n', "'''", "[", "{a=", "#", " ", '"', "a={b=1},"])
def test_no_text_takes_long_to_read(piece: str) -> None:
    began = time.process_time()
    toml_sections.toml(f'a="{piece * 30_000}')
    toml_sections.toml(f'a="""{piece * 30_000}')
    toml_sections.toml(f"a={piece * 30_000}")
    assert time.process_time() - began < 3


# --- what became weaker ---------------------------------------------------------------------------------


UNREAD = "files not read in time"


def texts(suppressions: dict[str, int], tests: int = 0, config: dict[str, str] | None = None) -> Text:
    return Text(suppressions, tests, config or {}, complete=True)


@pytest.mark.parametrize(
    ("then", "now", "first_run", "run", "expected"),
    [
        pytest.param(texts({"noqa": 1}, 3), texts({"noqa": 1}, 3), 3, 3, ((), 0, 0), id="nothing"),
        pytest.param(
            texts({"noqa": 5, "skip": 1}),
            texts({"noqa": 1, "skip": 2, "type: ignore": 41}),
            0,
            0,
            (("41 new type: ignore", "1 new skip"), 42, 0),
            id="kinds stand alone",
        ),
        pytest.param(
            texts({}, 0, {"a": "1", "b": "1", "c": "1"}),
            texts({}, 0, {"b": "2", "c": "1", "d": "1"}),
            0,
            0,
            (("removed a", "changed b", "new d"), 0, 0),
            id="configuration",
        ),
        pytest.param(texts({}, 5), texts({}, 2), 0, 0, (("3 tests fewer",), 0, 3), id="definitions"),
        pytest.param(texts({}, 5), texts({}, 2), 5, 4, (("3 tests fewer",), 0, 3), id="the larger loss"),
        pytest.param(texts({}, 5), texts({}, 1)._replace(folded=1), 5, 5, ((), 0, 0), id="parametrised"),
        pytest.param(texts({}, 5), texts({}, 4), 0, 9, (("1 test fewer",), 0, 1), id="gone beside many parameters"),
        pytest.param(texts({}, 5), texts({}, 1), 9, 5, (("4 tests fewer",), 0, 4), id="parameters lost"),
        pytest.param(texts({}, 5), texts({}, 5), 9, 8, (("1 test fewer",), 0, 1), id="one run less"),
        pytest.param(texts({}, 5), texts({}, 5), 9, 0, ((), 0, 0), id="runs not known now"),
        pytest.param(texts({}, 5), texts({}, 9), 0, 9, ((), 0, 0), id="tests added"),
        pytest.param(Text({}, 5), texts({"noqa": 1}, 1), 0, 0, ((), 0, 0), id="incomplete then"),
        pytest.param(texts({}, 5), Text({"noqa": 1}, 1), 0, 0, ((UNREAD,), 0, 0), id="incomplete now"),
        pytest.param(
            texts({}, 5, {"a": "1"}),
            texts({"noqa": 1}, 1)._replace(version=2),
            0,
            0,
            ((), 0, 0),
            id="counted by other rules",
        ),
        pytest.param(Text(), texts({"noqa": 1}), 9, 7, (("2 tests fewer",), 0, 2), id="runs stand alone"),
    ],
)
def test_what_became_weaker_is_named_and_counted(
    then: Text, now: Text, first_run: int, run: int, expected: tuple[tuple[str, ...], int, int]
) -> None:
    assert in_english(baseline.compare(then, now, first_run, run)) == expected


def test_a_text_that_an_older_release_stored_is_read_and_not_compared(tmp_path: Path) -> None:
    stored = {"suppressions": {"noqa": 1}, "tests": 2, "config": {"mypy.ini": "1"}, "complete": True}
    then, now = document.load(Text, stored), read(tmp_path, {"a.py": "x = 1\n"})
    assert then == Text({"noqa": 1}, 2, {"mypy.ini": "1"}, complete=True, version=1)
    assert (baseline.comparable(then, now), baseline.comparable(now, now)) == (False, True)
    assert document.load(Text, document.dump(now)) == now
