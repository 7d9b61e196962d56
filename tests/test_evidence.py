"""What the agent ran itself: how it is kept, when it is worth something, and what failed and was not made good."""

import json
import time
from typing import Any

import pytest

import tables
from near import Call
from test_classify import LABELS
from test_observations import SECRET, ran, run
from untilgreen.checkers import summaries
from untilgreen.core.model.groups import AgentRun, Counts
from untilgreen.core.shell import classify, runners, suspected
from untilgreen.core.shell.programs import TOOLS
from untilgreen.state import locks
from world import Answer, World

SILENT = Answer(0, "", "")
GREEN, RED = "2 passed in 0.01s", "1 failed, 1 passed in 0.02s"


def shell(world: World, command: str, out: str = "", code: int = 0, **fields: Any) -> None:
    """A command of the agent's shell is over."""
    failed = {"hook_event_name": "PostToolUseFailure", "error": f"Exit code {code}\n{out}", "is_interrupt": False}
    response = {"tool_response": {"stdout": out, "stderr": "", "interrupted": False}}
    assert run(world, command, **((failed if code else response) | fields)) == SILENT


def begin(world: World, *options: str) -> None:
    """A loop that asks for what the project chose."""
    assert world.run("start-loop", "mend it", "--session", world.session, *options).code == 0


def fails(world: World, tool: str, error: str, **given: str) -> None:
    """A call of another tool failed."""
    failed = {"hook_event_name": "PostToolUseFailure", "error": error, "is_interrupt": False}
    stdin = json.dumps(ran(world, "", **failed, tool_name=tool, tool_input=given))
    assert world.run("post-tool-bash", stdin=stdin) == SILENT


RUNS: list[tuple[str, str, int, dict[str, Any], list[object] | None]] = [
    ("pytest -q", GREEN, 0, {}, ["test", "whole", True, 0, [2, 0], ""]),
    ("pytest -q", RED, 1, {}, ["test", "whole", False, 1, [2, 1], f"Exit code 1 {RED}"]),
    ("pytest -q", "no tests ran in 0.01s", 0, {}, ["test", "whole", None, 0, [0, 0], ""]),
    ("pytest tests/test_a.py", GREEN, 0, {}, ["test", "narrowed", True, 0, [2, 0], ""]),
    ("pytest -q || true", RED, 0, {}, ["test", "whole", False, 0, [2, 1], ""]),
    ("pytest -q | tail -3", GREEN, 0, {}, ["test", "whole", True, 0, [2, 0], ""]),
    ("pytest -q; echo done", "done", 0, {}, ["test", "whole", None, 0, None, ""]),
    ("cargo test | grep ok", "test result: ok. 3 passed; 0 failed", 0, {}, ["test", "whole", None, 0, [3, 0], ""]),
    ("make check; false", GREEN, 1, {}, ["test", "whole", None, 1, [2, 0], f"Exit code 1 {GREEN}"]),
    (
        "mypy",
        "Found 3 errors in 1 file (checked 2 source files)",
        1,
        {},
        ["types", "whole", False, 1, [2, 3], "Exit code 1 Found 3 errors in 1 file (checked 2 source files)"],
    ),
    ("ruff check", "All checks passed!", 0, {}, ["lint", "whole", True, 0, None, ""]),
    ("npm run build", "", 0, {}, ["build", "whole", True, 0, None, ""]),
    ("ls -la", GREEN, 0, {}, None),
    ("grep -r pytest .", GREEN, 0, {}, None),
    (
        "pytest -q",
        "",
        0,
        {"tool_response": {"stdout": GREEN, "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}},
        ["test", "whole", None, None, [2, 0], ""],
    ),
    ("pytest -q", "", 0, {"tool_response": "text"}, ["test", "whole", None, None, None, ""]),
    ("pytest -q", GREEN, 7, {"is_interrupt": True}, ["test", "whole", None, None, [2, 0], f"Exit code 7 {GREEN}"]),
    (
        f"pytest --token={SECRET}",
        f"{SECRET} \x1b[31m<promise>DONE</promise>",
        1,
        {},
        ["test", "whole", False, 1, None, "Exit code 1 ghp_…(masked) [promise]DONE[/promise]"],
    ),
]


def test_a_run_is_kept_by_what_is_surely_known_of_it(red: World) -> None:
    red.start("mend it", "--completion-promise", "DONE")
    for command, out, code, fields, _ in RUNS:
        shell(red, command, out, code, **fields)
    kept = [[one[name] for name in ("kind", "scope", "success", "exit_code", "counts", "error")] for one in known(red)]
    told = [[*one[:4], one[4] and [*one[4].values()], one[5]] for one in kept]
    assert told == [expected for *_, expected in RUNS if expected]
    assert SECRET not in (red.folder / "loop_state.json").read_text()


def known(world: World) -> list[dict[str, Any]]:
    """The agent's runs, as the loop keeps them."""
    found: list[dict[str, Any]] = world.state["evidence"]
    return found


def test_a_run_has_every_field_and_of_many_the_newest_are_kept(red: World) -> None:
    red.start("mend it", "--completion-promise", "DONE")
    shell(red, "cd app && pytest -q && ruff check", agent_id="a1")
    test, lint = known(red)
    assert [*test] == list(AgentRun._fields)
    assert (test["kind"], lint["kind"]) == ("test", "lint")
    assert {name: test[name] for name in ("command", "cwd", "tool_name", "tool_use_id", "agent_id", "iteration")} == {
        "command": "cd app && pytest -q && ruff check",
        "cwd": "",  # there is no such folder: whether the host tells where it began or where it ended is not known
        "tool_name": "Bash",
        "tool_use_id": "toolu_7",
        "agent_id": "a1",
        "iteration": 1,
    }
    assert (test["stale"], test["words"], lint["words"]) == (False, ["pytest", "-q"], ["ruff", "check"])
    for number in range(60):
        shell(red, f"pytest -q --maxfail={number}")
    assert [one["words"][2] for one in known(red)] == [f"--maxfail={number}" for number in range(10, 60)]


STANDING: dict[str, dict[str, Any]] = {
    "ruff check": {},
    "ruff check -q .": {},
    "uv run ruff check": {},
    "ruff check 2>&1 | tail -1; echo $?": {"out": "All checks passed!"},
}
NOT_STANDING: dict[str, dict[str, Any]] = tables.literal("evidence", "not standing")


def test_a_green_run_stands_for_a_check_only_if_it_was_of_all_and_surely_the_same(red: World) -> None:
    (red.project / "sub").mkdir()
    begin(red, "--require-lint", "--no-tests", "--max-iterations", "99", "--stagnation-limit", "0")
    assert red.state["settings"]["evidence"] == "accept"
    red.write({"app.py": "import os\nimport sys\n"})
    for command, fields in NOT_STANDING.items():
        out = fields.pop("out", "")
        shell(red, "ruff check")  # the last run counts
        shell(red, command, out, **fields)
        answer = red.stop()
        assert (command, answer.held, "Your own run" in answer.stderr) == (command, True, True)
    shell(red, "ruff check")
    red.write({"app.py": "import os\nimport sys\nimport re\n"})
    assert "Your own runs: `ruff check` passed, but files changed after it.\n" in red.stop().stderr
    assert {one["stale"] for one in known(red)} == {True}


@pytest.mark.parametrize("command", STANDING)
def test_such_a_green_has_a_but_and_strict_does_not_take_it(red: World, command: str) -> None:
    begin(red, "--require-lint", "--no-tests", *(["--strict"] if "-q" in command else []))
    red.write({"app.py": "import os\nimport sys\n"})
    shell(red, command, **STANDING[command])
    answer = red.stop()
    assert answer.held == ("-q" in command)
    if not answer.held:
        state = red.state
        assert (state["completion_reason"], state["verified"]) == ("Green, but ruff by the agent's own run", False)


def test_by_default_the_agents_run_saves_nothing_and_is_told(red: World) -> None:
    begin(red)
    red.write({"app.py": "import os\nimport sys\n"})
    shell(red, "ruff check")
    shell(red, f"pytest {SECRET} -k x", RED, 1)
    told = red.stop().stderr
    assert "Your own runs: `ruff check` passed; `pytest ghp_…(masked) -k x` failed, on a part of it all.\n" in told
    explained = red.run("untilgreen", "show", "--why").stdout
    assert "\nYour own runs: `ruff check` passed; `pytest ghp_…(masked) -k x` failed" in explained
    assert "own runs" not in red.stop().stderr  # of the round before


def test_a_failed_call_holds_until_the_same_tool_does_its_work_on_the_same(green: World) -> None:
    begin(green, "--require-no-errors", "--max-iterations", "99", "--stagnation-limit", "0")
    green.write({"app.py": "VALUE = 2\n"})
    path = str(green.project / "app.py")
    shell(green, "npm install x", "npm ERR!", 1)
    shell(green, "cat gone.txt", f"no {SECRET}\x1b[2J", 1)
    shell(green, "pytest -q", RED, 1)
    shell(green, "sleep 9", "", 1, is_interrupt=True)
    fails(green, "Edit", "String to replace not found", file_path=path, old_string="x")
    fails(green, "Edit", "The user doesn't want to proceed with this tool use.", file_path=path)
    fails(green, "WebFetch", "404", url="https://localhost/x")
    held = green.stop().stderr.splitlines()
    assert held[:6] == [
        "Not green yet: 5 left after round 1 of 99 · tool calls 5",
        "tool calls Bash: `npm install x`: Exit code 1 npm ERR!",
        "tool calls Bash: `cat gone.txt`: Exit code 1 no ghp_…(masked)",
        "tool calls Bash: `pytest -q`: Exit code 1 1 failed, 1 passed in 0.02s",
        "app.py tool calls Edit: String to replace not found",
        "tool calls WebFetch: `https://localhost/x`: 404",
    ]
    # another program, another file, a part of the tests; what nobody tells the success of counted in its round
    shell(green, "npm run dev && cat gone.txt || true")
    green.edit("other.py", "VALUE = 1\n")
    shell(green, "pytest tests/test_a.py", GREEN)
    assert green.stop().stderr.startswith("Not green yet: 4 left after round 2 of 99 · tool calls 4\n")
    shell(green, "cd app; npm install x --force")
    shell(green, "cat README.md")
    shell(green, "pytest", GREEN)
    assert green.stop().stderr.startswith(
        "Not green yet: 1 left after round 3 of 99 · tool calls 1\napp.py tool calls Edit: "
    )
    green.edit("app.py", "VALUE = 3\n")
    assert (green.stop().held, green.state["completion_reason"]) == (False, "All conditions satisfied")
    assert [one["resolved"] for one in green.state["tool_errors"]] == [True, True, True, True, False]
    assert SECRET not in (green.folder / "loop_state.json").read_text()


def test_a_failed_check_is_made_good_by_ours_of_its_kind(red: World) -> None:
    begin(red, "--require-no-errors", "--stagnation-limit", "0")
    shell(red, "ruff check", "Found 1 error.", 1)
    assert "2 left" in red.stop().stderr
    red.write({"app.py": "VALUE = 2\n"})
    assert (red.stop().held, red.state["stop_reason"]) == (False, "complete")


def test_two_calls_at_once_lose_nothing_and_a_state_that_is_held_costs_two_seconds(red: World) -> None:
    begin(red, "--completion-promise", "DONE")
    calls = [Call(("post-tool-bash",), json.dumps(ran(red, f"pytest --maxfail={n}")).encode()) for n in range(12)]
    assert red.at_once(*calls) == [SILENT] * 12
    assert len(known(red)) == 12
    with locks.locked(str(red.folder / "state.lock"), 1):
        began = time.monotonic()
        shell(red, "pytest -q")
        assert time.monotonic() - began < 20, "two, and a busy machine"
    assert len(known(red)) == 12
    assert "what the agent ran was not kept" in (red.project / ".untilgreen" / "untilgreen.log").read_text()


def test_a_record_that_is_changed_by_hand_is_no_proof(red: World) -> None:
    begin(red, "--require-lint", "--no-tests")
    red.write({"app.py": "import os\nimport sys\n"})
    shell(red, "ruff check", "Found 1 error.", 1)
    path = red.folder / "loop_state.json"
    forged = json.loads(path.read_text())
    forged["evidence"][0]["success"] = True
    path.write_text(json.dumps(forged))
    red.stop()
    assert "evidence" in red.state["completion_reason"]


def test_what_the_recogniser_knows_is_suspected_first() -> None:
    named = (*TOOLS, *runners.RUNNERS, *runners.SCRIPTS)
    lines = [*LABELS, *(f"{one}{more}" for one in named for more in ("", " test", " run test"))]
    assert [line for line in lines if classify.of(line).kinds and not suspected.may_check(line)] == []
    quick = ("ls -la", "grep -rn pytest .", "sed -n 1,9p tests/test_a.py", "git status && git diff", "python app.py")
    assert [line for line in quick if suspected.may_check(line)] == []


SAID: dict[tuple[str, str], Any] = tables.literal("evidence", "said")


def test_a_summary_says_what_its_tool_means_by_it() -> None:
    read = {case: summaries.read(*case, "make") for case in SAID}
    expected = {case: (says, Counts(*counts) if counts else None) for case, (says, counts) in SAID.items()}
    assert read == expected
    assert summaries.read("test", "ok  \tx/y\t0.01s", "go test ./... | grep ok").says == ""
