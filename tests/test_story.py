"""A loop to look at: `untilgreen show`, `untilgreen show --markdown`, `untilgreen show --watch`.

What they print of one loop is compared as a whole with tests/stories; UPDATE_GOLDENS=1 writes it anew.
"""

import json
import os
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pexpect  # type: ignore[import-untyped]
import pytest
from markdown_it import MarkdownIt

import node
import tables
from in_terminal import terminal
from test_docs import browsed
from transcripts import Written
from world import Answer, World

STORIES = Path(__file__).parent / "stories"
TOKEN = "ghp_" + "a" * 36
TEST = "from app import one\n\n\ndef test_one() -> None:\n    assert one() == 1\n"
FILES = {
    "app.py": "import os\n\n\ndef one() -> int:\n    return 2\n",
    "test_app.py": TEST,
    "pyproject.toml": '[tool.ruff]\n\n[tool.pytest.ini_options]\naddopts = "-p no:cacheprovider"\n',
}
TRAP = '"><img src=x onerror=alert(1)><script>alert(1)</script>|`**x**` @you #1 ![a](b) </pre>'
HARNESS = tables.text("story", "harness")


def begin(world: World, *words: str) -> None:
    done = world.run("start-loop", *words, "--session", world.session)
    assert done.code == 0, done


def did(world: World, message: str, *blocks: dict[str, Any], agent: str = "", role: str = "assistant") -> None:
    """A message of the agent, or of a sub-agent, in the transcript of the host: a line for each of its blocks."""
    name = f"transcript/subagents/agent-{agent}.jsonl" if agent else "transcript.jsonl"
    (world.home / name).parent.mkdir(parents=True, exist_ok=True)
    at = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with (world.home / name).open("a") as file:
        for n, block in enumerate(blocks, 1):
            usage = {"input_tokens": 1_000, "cache_read_input_tokens": 30_000, "output_tokens": 20 * n}
            said = {"role": role, "content": [block], "id": message, "usage": usage}
            line = {"type": role, "isSidechain": bool(agent), "timestamp": at, "message": said}
            file.write(json.dumps(line) + "\n")
        for odd in (5, "text", [5], [{"type": "tool_use", "input": []}]):
            file.write(json.dumps({"type": role, "timestamp": 5, "message": {"content": odd, "usage": 5}}) + "\n")
        file.write('{"type": "assistant", "message": {"content": "cut\n')


def call(name: str, **given: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"{name} {given}", "name": name, "input": given}


@pytest.fixture(scope="module")
def ended(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A loop of three rounds: the last one is green with a suppression that was not there."""
    world = World(tmp_path_factory.mktemp("ended"))
    world.write(FILES)
    world.commit()
    begin(world, f"Make one() say 1 | for real\nwith {TOKEN}", "--max-iterations", "5")
    assert world.stop().held
    world.write({"app.py": FILES["app.py"].replace("import os", "import sys")})
    app, lost = (call("Edit", file_path=str(world.project / name)) for name in ("app.py", "lost.py"))
    text = {"type": "text", "text": "I use sys."}
    did(world, "one", text, app, lost, call("Bash", command="pytest -q"), call("Bash", command=f"echo {TOKEN}\ndate"))
    did(world, "", {"type": "tool_result", "tool_use_id": lost["id"], "is_error": True}, role="user")
    did(world, "two", call("Write", file_path="/etc/motd"), {**app, "id": "again"}, call("Read", file_path="app.py"))
    did(world, "three", {**call("Bash", command="pytest -q"), "id": "theirs"}, agent="1")
    assert world.stop().held
    did(world, "four", *(call("Bash", command=f"echo {n} {'x' * 300 * (n == 6)}") for n in range(8)))
    world.write({"app.py": f"import sys  # noqa: F401\n\n\ndef one() -> int:\n    return 1  # {TOKEN}\n"})
    assert not world.stop().held
    return world


@pytest.fixture(scope="module")
def trapped(tmp_path_factory: pytest.TempPathFactory) -> World:
    """A loop whose task, findings, file and end want to be more than text."""
    world = World(tmp_path_factory.mktemp("trapped"))
    world.write({"app.py": "VALUE = 1\n", "ruff.toml": "", f"a{TRAP.replace('/', '_')}\n.py": "import os\n"})
    world.write({"said.txt": f"{TRAP}\x1b[31m\x07 {TRAP}\n"})
    world.commit()
    begin(world, f"{TRAP}\x1b[2J\n| {TRAP}", "--check", 'own=sh -c "cat said.txt; exit 1"')
    assert world.stop().held
    assert not world.stop(f"<ralph>BLOCKED: {TRAP}</ralph>").held
    return world


def told(world: World, *words: str) -> str:
    """What a command prints of a loop, without what differs from run to run."""
    answer = world.run("untilgreen", *words)
    assert (answer.code, answer.stderr) == (0, ""), answer
    return plain(answer.stdout)


def plain(text: str) -> str:
    text = re.sub(r"loop-\d+", "loop-N", text)
    text = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:[\d.]+Z| [A-Z\d+-]+)?", "DAY", text)
    text = re.sub(r"\d\d:\d\d:\d\d [A-Z\d+-]+", "TIME", text)
    # what checks said in the two seconds of a start, if they had an answer by then
    text = re.sub(r"^.*(?:at the start: |older than the loop ).*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r'("seconds": |flex-grow:)[\d.]+', r"\1N", text)
    return re.sub(r"\b[\d.]+ s\b", "N s", text)


def golden(name: str, text: str) -> None:
    path = STORIES / name
    if os.environ.get("UPDATE_GOLDENS"):
        path.write_text(text)
    assert text == path.read_text()


def test_show_tells_a_loop_round_by_round(ended: World) -> None:
    golden("show.txt", told(ended, "show"))


def test_show_says_the_same_as_data(ended: World) -> None:
    said = json.loads(ended.run("untilgreen", "show", "--json").stdout)
    said |= {"project": "PROJECT", "session_id": "SESSION", "asked": said["asked"][:2]}
    golden("show.json", plain(json.dumps(said, indent=1, ensure_ascii=False) + "\n"))


def test_a_report_is_markdown_for_a_pull_request(ended: World) -> None:
    golden("report.md", told(ended, "show", "--markdown"))


def test_a_report_is_one_page_of_html(ended: World) -> None:
    page = ended.tmp / "report.html"
    done = ended.run("untilgreen", "show", ended.state["loop_id"], "--html", str(page))
    assert done == Answer(0, "", f"untilgreen: {page} written\n")
    golden("report.html", plain(page.read_text()))


def test_the_page_says_whose_the_time_was_where_all_of_it_was_written_down(ended: World, red: World) -> None:
    page = ended.tmp / "time.html"
    ended.run("untilgreen", "show", "--html", str(page))
    parts = re.findall(r"</i> (\w+) ([\d.]+) s<", page.read_text())
    begun, over = (datetime.fromisoformat(ended.state[key]) for key in ("started_at", "ended_at"))
    assert [name for name, _ in parts] == ["agent", "checks", "pauses"]
    assert abs(sum(float(seconds) for _, seconds in parts) - (over - begun).total_seconds()) < 0.2
    begin(red, "mend it")
    assert red.stop().held
    (red.folder / "journal.jsonl").unlink()
    red.run("untilgreen", "show", "--html", str(page))
    assert (">rounds<" in page.read_text(), "<figure>" in page.read_text()) == (True, False)


def test_times_are_those_of_the_clock_on_the_wall(ended: World) -> None:
    there = {"TZ": "Asia/Seoul"}
    shown = ended.process("untilgreen", "show", env=there).stdout
    begun = datetime.fromisoformat(ended.state["started_at"]).astimezone(ZoneInfo("Asia/Seoul"))
    assert f"begun {begun:%Y-%m-%d %H:%M} KST" in shown
    assert len(re.findall(r"^round \d .*\d\d:\d\d:\d\d KST", shown, re.MULTILINE)) == 3
    assert f"{begun:%Y-%m-%d %H:%M} KST" in ended.process("untilgreen", "history", env=there).stdout


@pytest.mark.needs("chromium", "npm")
@pytest.mark.parametrize("dark", [pytest.param(False, marks=pytest.mark.wide), True])
def test_a_page_fits_and_can_be_read_and_nothing_of_the_project_is_more_than_text(
    ended: World, trapped: World, tmp_path: Path, dark: bool
) -> None:
    axe = node.axe()
    names = [f"{world.home.parent.name}-{command}" for world in (ended, trapped) for command in ("show", "history")]
    for world, name in zip((ended, ended, trapped, trapped), names, strict=True):
        page = tmp_path / f"{name}.html"
        Written("claude-code", world.home, cwd="/<script>").user().did("edit").says("Fixed in `<script>`.")
        assert world.run("untilgreen", name.rpartition("-")[2], "--html", str(page)).code == 0
        # the page's own policy lets no script run
        opened = re.sub(r"<meta http-equiv.*\n", f'<script src="{axe}"></script>\n', page.read_text())
        page.with_suffix(".axe.html").write_text(opened)
    (tmp_path / "harness.html").write_text(HARNESS % json.dumps(names))
    seen, errors = browsed(tmp_path, f"--blink-settings=preferredColorScheme={0 if dark else 1}")
    fine = {"fits": True, "alien": [], "dark": dark, "found": []}
    assert seen == [{"name": name, "width": width} | fine for name in names for width in (375, 1280)]
    assert errors == ["the harness speaks"]


def test_in_markdown_and_on_a_terminal_it_is_text_too(trapped: World) -> None:
    markdown, shown = (trapped.run("untilgreen", "show", *form).stdout for form in (("--markdown",), ()))
    assert re.findall(r"[^\n -\U0010ffff]|[\x7f-\x9f]", markdown + shown) == []
    tokens = MarkdownIt("commonmark").enable("table").parse(markdown)
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert kinds == {"text"}
    assert [token.type for token in tokens if token.type in ("html_block", "fence", "table_open")] == [
        *("fence", "table_open", "fence")
    ]
    [outcome] = [token.children for token, after in zip(tokens[1:], tokens, strict=False) if after.tag == "h2"][:1]
    assert "".join(child.content for child in outcome or ()).replace("\u200b", "") == shown.partition("\n")[0]


def test_it_is_coloured_where_it_is_asked_for(ended: World) -> None:
    bare = ended.run("untilgreen", "show").stdout
    forced = ended.run("untilgreen", "show", env={"FORCE_COLOR": "1"}).stdout
    assert (re.sub(r"\x1b\[\d+m", "", forced), "\x1b[31m  ✗ ruff " in forced) == (bare, True)
    assert ended.run("untilgreen", "show", env={"FORCE_COLOR": "1", "NO_COLOR": "1"}).stdout == bare


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_on_a_terminal_it_is_as_wide_as_that_and_nothing_is_cut(ended: World) -> None:
    with terminal(ended, "show", size=(40, 24)) as child:
        child.expect(pexpect.EOF)
        lines = re.sub(r"\x1b\[\d+m", "", child.before).splitlines()
    assert max(map(len, lines)) <= 40
    whole = ended.run("untilgreen", "show").stdout
    assert "".join("".join(lines).split()) == "".join(whole.split())


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
@pytest.mark.parametrize(("leave", "code"), [("q", 0), ("\x03", 130), ("", 0)])
def test_watch_draws_each_round_until_it_is_left_or_the_loop_is_over(red: World, leave: str, code: int) -> None:
    begin(red, "mend it")
    with terminal(red, "show", "--watch", size=(100, 12)) as child:
        child.expect("round 1 of 10 · 1 left: ruff 1")
        assert red.stop().held
        child.expect("round 2 of 10 · 1 left: ruff 1.*round 1 · 1 left.*q leaves")
        child.send(leave)
        if not leave:
            red.run("cancel-loop", "--session", red.session)
            child.expect("■ cancelled in round 2 of 10")
        child.expect(pexpect.EOF)
        child.wait()
        assert (child.exitstatus, "Traceback" in child.before) == (code, False)


def test_watch_without_a_terminal_shows_it_once(ended: World) -> None:
    shown = ended.run("untilgreen", "show").stdout
    assert ended.run("untilgreen", "show", "--watch") == Answer(
        0, shown, "untilgreen: shown once: --watch needs a terminal\n"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("show", "loop-9"), "no loop loop-9 is known here. Fix: untilgreen status --all"),
        (("show", "--why", "--html", "why.html"), "--why has no page. Fix: leave --html or --why out"),
        (("show", "--markdown"), 'no loop is known here. Fix: begin one: untilgreen start "the task"'),
    ],
)
def test_a_loop_that_nobody_knows_or_a_page_that_is_none_is_an_error(
    green: World, words: tuple[str, ...], said: str
) -> None:
    assert green.run("untilgreen", *words) == Answer(64, "", f"untilgreen failed: {said}\n")


def test_what_was_not_written_down_is_not_told(red: World) -> None:
    begin(red, "mend it")
    for name in ("json", "re", "sys"):
        assert red.stop().held
        red.write({"app.py": f"import {name}\n"})
    journal = red.folder / "journal.jsonl"
    first, _, *rest = journal.read_text().splitlines(keepends=True)
    loop = red.state["loop_id"]
    journal.write_text(f'{first}{{"loop_id": "{loop}", \n')
    other = red.folder.with_name("11111111-1111-4111-8111-111111111111")  # the session from which `/clear` took it
    other.mkdir()
    (other / "journal.jsonl").write_text("".join(rest))
    answer = red.run("untilgreen", "show")
    assert answer.stderr == (
        f"untilgreen: a line of {journal} is not readable: Expecting property name enclosed in double quotes: "
        "line 2 column 1 (char 32)\n"
    )
    assert plain(answer.stdout).split("\n\n")[1:3] == [
        "round 1 · 1 left · TIME\n  ✗ ruff  1\n  (what was left then is not kept)",
        "round 2 · 1 left · TIME\n  ✗ ruff  1  N s",
    ]


def test_the_rounds_of_a_prompt_that_is_held_without_a_loop_are_told(secured: World) -> None:
    for prompt in ("p", "q"):
        secured.edit(f"{prompt}.py", "import os\n")
        secured.prompt("go on", prompt_id=prompt)
        assert secured.stop(prompt_id=prompt).held
    assert told(secured, "show") == (
        "round 2 of 5 · 2 left: ruff 2\n"
        "loop-N · begun DAY\n"
        "no loop: what the session itself wrote is held\n"
        "left 2 ▂\n"
        "\n"
        "round 1 · 2 left · TIME\n"
        "  ✗ ruff      2  N s\n"
        "  ✓ ast-grep     N s\n"
        "    p.py:1:8 ruff F401: `os` imported but unused\n"
        "    q.py:1:8 ruff F401: `os` imported but unused\n"
    )


def test_a_loop_that_lost_its_rounds_says_how_it_ended(red: World) -> None:
    begin(red, "mend it", "--stagnation-limit", "1")
    assert [red.stop().held, red.stop().held] == [True, False]
    red.change(snapshots=[])
    (red.folder / "journal.jsonl").unlink()
    shown = red.run("untilgreen", "show").stdout.partition("\n")[0]
    assert shown == "■ stuck: no improvement in 1 round · 1 left at the start: ruff 1"


def test_history_tells_every_loop_that_is_over_and_writes_a_page(ended: World) -> None:
    loop, page = ended.state["loop_id"], ended.tmp / "loops.html"
    head, row, total = plain(ended.run("untilgreen", "history").stdout).splitlines()[-3:]
    assert head.split() == ["when", "loop", "end", "rounds", "work", "task"]
    assert "green, but  3" in row
    assert total.startswith("untilgreen: 1 loop · 1 green, but · 3 rounds · ")
    done = ended.run("untilgreen", "history", "--html", str(page))
    assert done == Answer(0, "", f"untilgreen: {page} written\n")
    written = page.read_text()
    assert f'<td class="">{loop}</td><td class="but">green, but</td><td class="">3</td>' in written
    assert re.findall(r'<dt>(.+)</dt><dd class="\w*">(\d+)</dd>', written) == [
        *(("green", "0"), ("green, but", "1"), ("stuck", "0"), ("rounds", "3"))
    ]
    assert [one["loop_id"] for one in json.loads(ended.run("untilgreen", "history", "--json").stdout)["loops"]] == [
        loop
    ]


def test_a_command_that_is_gone_is_told_with_the_one_that_does_it_now(green: World) -> None:
    told = "untilgreen: no such command explain. Did you mean show --why? Fix: run untilgreen --help\n"
    assert green.run("untilgreen", "explain") == Answer(64, "", told)
    shown = green.run("untilgreen", "--help").stdout.splitlines()
    assert (len(shown), shown[-2:]) == (
        20,
        [
            "  on, off, trust, uninstall, config, mcp, completion",
            "More: untilgreen COMMAND --help · untilgreen --help --all",
        ],
    )
    assert "  verify      Tell who signed a receipt, and whether this is the tree that was proved." in (
        green.run("untilgreen", "--help", "--all").stdout.splitlines()
    )
