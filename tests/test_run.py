"""`untilgreen run`: a process of the agent for each round, judged like the stops of a loop; with a scripted agent.

Seed 001's list of tests is here by name, and seed 000's of the service that starts the agent.
"""

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pytest

import near
import tables
from eventually import eventually, gone, lives
from in_terminal import terminal
from untilgreen import hosts
from untilgreen.core.model.outcome import Output
from untilgreen.loops.run.agent import read_answer
from world import Answer, World

AGENT = tables.text("run", "agent")
MENDED = "printf 'VALUE = 1\\n' >app.py"
SLEEPS = 'echo $$ >"$turns/pid"; exec sleep 600'


class Agent:
    """A program that plays its turns, each in `sh`, and keeps what it was told."""

    def __init__(self, world: World, *turns: str) -> None:
        self.world, self.folder = world, world.tmp / "turns"
        self.folder.mkdir()
        self.program = world.tmp / "agent"
        self.program.write_text(AGENT)
        self.program.chmod(0o755)
        self.plays(*turns)

    def plays(self, *turns: str) -> None:
        """These turns come next."""
        for number, turn in enumerate(turns, len(self.prompts) + 1):
            (self.folder / str(number)).write_text(f"{turn}\n")

    @property
    def prompts(self) -> list[str]:
        """What it was told, process by process."""
        return [path.read_text() for path in sorted(self.folder.glob("*.prompt"), key=lambda one: int(one.stem))]

    def words(self, *words: str) -> tuple[str, ...]:
        """The command that starts the run."""
        return ("untilgreen", "run", *words, "--command", str(self.program), "--json")

    def run(self, *words: str, **rest: Any) -> tuple[int, dict[str, Any], str]:
        """A run with it, to its end: the exit code, what stdout tells, and the lines on stderr."""
        return ended(self.world.run(*self.words(*words), **rest))


def ended(answer: Answer) -> tuple[int, dict[str, Any], str]:
    return answer.code, json.loads(answer.stdout) if answer.stdout else {}, answer.stderr


def told(found: dict[str, Any]) -> list[Any]:
    return [found[name] for name in ("success", "stop_reason", "iterations", "final_text")]


def loop_of(world: World, found: Mapping[str, Any]) -> dict[str, Any]:
    path = world.project / ".untilgreen" / "sessions" / found["session_id"] / "loop_state.json"
    loaded: dict[str, Any] = json.loads(path.read_text())
    return loaded


def test_stops_when_completion_marker_appears(red: World) -> None:
    agent = Agent(red, f"{MENDED}; echo 'It is green.'", "echo '<ralph>COMPLETE</ralph>'")
    code, found, _ = agent.run("Mend it", "--preset", "talkcody")
    assert (code, told(found)) == (0, [True, "complete", 2, "<ralph>COMPLETE</ralph>"])
    assert "- When the task is fully done, output exactly: <ralph>COMPLETE</ralph>" in agent.prompts[0]


def test_stops_when_blocked_marker_appears(red: World) -> None:
    code, found, lines = Agent(red, "echo '<ralph>BLOCKED: no key</ralph>'").run("Mend it")
    assert (code, told(found)) == (4, [False, "blocked", 1, "<ralph>BLOCKED: no key</ralph>"])
    assert "blocked: no key" in lines


def test_writes_iteration_artifacts(red: World) -> None:
    agent = Agent(red, "echo 'import os' >more.py; echo One", "exit 3", "echo Two")
    code, found, lines = agent.run("Mend it")
    assert (code, told(found)) == (5, [False, "error", 2, "One"])
    assert "agent: exit code 3; go on with: untilgreen run --resume --session " in lines
    folder = red.project / ".untilgreen" / "sessions" / found["session_id"]
    files = {name: (folder / name).read_text() for name in ("ralph-summary.md", "ralph-feedback.md")}
    assert json.loads((folder / "ralph-iteration.json").read_text())["iteration"] == 1
    assert "## Iteration 1\n" in files["ralph-summary.md"]
    assert files["ralph-feedback.md"].startswith("Not green yet: 2 left after round 1 of 10 · ruff 2\n")
    # what failed counted for nothing
    assert (loop_of(red, found)["iteration"], len(loop_of(red, found)["snapshots"])) == (2, 1)


def test_respects_max_iteration_limit(red: World) -> None:
    agent = Agent(red)
    code, found, lines = agent.run("Mend it", "--max-iterations", "2")
    assert (code, told(found), len(agent.prompts)) == (5, [False, "max-iterations", 2, "Nothing more to do."], 2)
    assert "■ stopped: 2 rounds used up · 1 left: ruff 1 · left 1 1\n" in lines, lines


def test_calls_llmservice_runagentloop_without_ralph_branching(red: World) -> None:
    """Every round starts the agent by the same words; the rounds are in what it is told alone."""
    agent = Agent(red, "echo One", f"{MENDED}; echo Two")
    words = ("untilgreen", "run", "Mend it", "--command", f"{agent.program} --quiet {{prompt}}", "--", "--model", "x y")
    answer = red.run(*words)
    assert answer.code == 0, answer
    args = [(agent.folder / f"{number}.args").read_text() for number in (1, 2)]
    assert agent.prompts == ["", ""]
    for number, line in enumerate(args, 1):
        assert line.startswith("--quiet ## Task\nMend it\n\n## Stop Rules\nRound "), line
        assert (f"\nRound {number} of 10." in line, line.endswith(" --model x y\n")) == (True, True)
    assert "\nround 1 of 10 · agent\n✗ round 1 of 10 · 1 left · " in answer.stdout
    assert answer.stdout.splitlines()[-1].startswith("✓ green after 2 rounds, ")


def test_handles_ralph_continuation_correctly(red: World) -> None:
    """A continuation is a new process, which is told the summary, the feedback and as many messages as asked for."""
    red.write({"untilgreen.toml": "context.include_last_n_messages = 2\n"})
    agent = Agent(red, "echo One", "printf '\\033[1mTwo\\033[0m\\007\\n'", "echo Three", f"{MENDED}; echo Four")
    code, found, _ = agent.run("Mend it", "--context", "bugfix", "--stagnation-limit", "0")
    assert (code, told(found)) == (0, [True, "complete", 4, "Four"])
    first, _, _, last = agent.prompts
    assert [part for part in last.split("\n") if part.startswith("## ") and "Iteration" not in part] == [
        *("## Task", "## Stop Rules", "## Ralph Summary", "## Files Changed", "## Tool Results", "## Errors"),
        *("## Last Output (truncated)", "## Previous Summary", "## Ralph Feedback", "## Recent Messages"),
    ]
    assert last.endswith("## Recent Messages\nTwo\n\n---\n\nThree\n")
    assert "## Ralph" not in first
    assert "app.py:1:8 ruff F401" in last.partition("## Ralph Feedback")[2]


def test_an_agent_that_keeps_the_chat_is_told_what_is_left_and_all_of_it_where_the_chat_is_gone(red: World) -> None:
    agent = Agent(red, 'echo One | tee -a "$5"', 'rm "$5"; echo Two', f"{MENDED}; echo Three")
    shutil.copy(agent.program, red.tmp / "aider")
    path = f"{red.tmp}:{red.env['PATH']}"
    code, found, lines = ended(red.run("untilgreen", "run", "Mend it", "--host", "aider", "--json", env={"PATH": path}))
    assert (code, told(found)) == (0, [True, "complete", 3, "Three"]), lines
    parts = [[line for line in prompt.split("\n") if line.startswith("## ")] for prompt in agent.prompts]
    whole = ["## Task", "## Stop Rules"]
    assert (parts[0], parts[1], parts[2][:2]) == (whole, ["## Ralph Feedback"], whole)
    assert agent.prompts[1].startswith("## Ralph Feedback\nNot green yet: 1 left after round 1 of 10 · ruff 1\n")
    assert "\nRound 3 of 10. All rounds are one chat; " in agent.prompts[2]


def test_each_round_is_told_once_and_in_the_spelling_that_counts_how_it_ends(red: World) -> None:
    agent = Agent(red, "echo One", "echo '<ralph>COMPLETE</ralph>'")
    code, found, _ = agent.run("Mend it", "--preset", "talkcody", "--stagnation-limit", "0")
    assert (code, told(found)[:3]) == (0, [True, "complete", 2])
    for prompt in agent.prompts:
        assert (prompt.count("COMPLETE"), "output exactly: <ralph>COMPLETE</ralph>\n" in prompt) == (1, True)


def test_an_agent_that_cannot_work_is_waited_for_or_the_run_rests(red: World) -> None:
    limited = "echo 'Usage limit reached. Try again in 1 second.' >&2; exit 1"
    agent = Agent(
        red, "echo One", limited, "echo 'API Error: 529 Overloaded'; exit 1", f"{MENDED}; echo Four", "exit 3"
    )
    code, found, lines = agent.run("Mend it")
    assert (code, told(found), len(agent.prompts)) == (0, [True, "complete", 2, "Four"], 4)
    assert (
        "\nuntilgreen: rate limit: exit code 1: Usage limit reached. Try again in 1 second.\nuntilgreen: waits" in lines
    )
    assert "\nuntilgreen: overloaded: exit code 1: API Error: 529 Overloaded\nuntilgreen: waits until " in lines
    assert [line for line in lines.splitlines() if line.endswith("· agent")] == [
        "round 1 of 10 · agent",
        *["round 2 of 10 · agent"] * 3,
    ]
    red.write({"app.py": "import os\n"})
    agent.plays(limited, f"{MENDED}; echo Six")
    code, found, _ = agent.run("Mend it again", "--no-wait-limits")
    assert (code, told(found)) == (5, [False, "limit", 1, ""])
    assert loop_of(red, found)["parked"].startswith("rate limit: ")
    refused = red.run("untilgreen", "resume")
    fix = f"untilgreen run --resume --session {found['session_id']}"
    assert refused == Answer(64, "", f"untilgreen failed: that loop is a run's. Fix: {fix}\n")
    code, found, lines = ended(red.run("untilgreen", "run", "--resume", "--json"))
    assert (code, told(found)) == (0, [True, "complete", 1, "Six"]), lines


def test_a_process_that_takes_too_long_is_ended_and_what_it_left_is_judged(red: World) -> None:
    red.write({"untilgreen.toml": "iteration_minutes = 0.1\n"})
    code, found, lines = Agent(red, f"{MENDED}; {SLEEPS}").run("Mend it")
    assert code == 0, lines
    assert told(found) == [True, "complete", 1, ""]


def test_what_is_pending_is_waited_for_without_another_process(red: World) -> None:
    ci = '[checks.ci]\ncommand = ["sh", "ci.sh"]\npending = [8]\n'
    red.write({"untilgreen.toml": ci, "ci.sh": "[ -e asked ] || { echo >asked; exit 8; }\n"})
    agent = Agent(red, f"{MENDED}; echo One")
    code, found, lines = agent.run("Mend it")
    assert (code, told(found), len(agent.prompts)) == (0, [True, "complete", 1, "One"], 1), lines


RESULT = {"type": "result", "subtype": "success", "is_error": False, "result": "Done.\x1b[2J"}
FAILED = RESULT | {"is_error": True, "result": "limit reached, 503"}


@pytest.mark.parametrize(
    ("code", "stdout", "kind"),
    [
        (0, RESULT, None),
        (0, [{"type": "system"}, RESULT], None),
        (1, RESULT | {"subtype": "error_max_turns", "is_error": True}, None),
        (0, "no document", "agent"),
        (1, RESULT, "agent"),
        (1, FAILED, "rate_limit"),
        (1, FAILED | {"api_error_status": 429}, "rate_limit"),
        (1, FAILED | {"api_error_status": 400}, "agent"),
        (1, FAILED | {"api_error_status": 401}, "authentication_failed"),
        (1, FAILED | {"api_error_status": 529}, "overloaded"),
        (1, FAILED | {"api_error_status": "no"}, "rate_limit"),
        (1, FAILED | {"result": "Context limit reached"}, "agent"),
        (1, FAILED | {"result": "Disk quota exceeded"}, "agent"),
        (1, FAILED | {"result": None}, "agent"),
        (-9, "", "agent"),
    ],
)
def test_what_a_host_says_at_its_end_is_an_answer_or_a_failure(code: int, stdout: object, kind: str | None) -> None:
    printed = stdout if isinstance(stdout, str) else f"a warning\n{json.dumps(stdout)}\n"
    said = read_answer(Output(code, printed, ""), hosts.get(hosts.DEFAULT).closing)
    assert (said.failure.kind if said.failure else None) == kind
    assert said.text in (("Done.",) if kind is None else (said.text,))


def test_green_where_nothing_has_changed_is_tried_once_more_and_then_rests(world: World) -> None:
    world.write({"app.py": "VALUE = 1\n", "ruff.toml": ""})
    world.commit()
    agent = Agent(world, "echo 'Which value?'")
    code, found, _ = agent.run("Think of another value")
    assert (code, told(found)) == (5, [False, "stopped", 1, "Nothing more to do."])
    feedback = "## Ralph Feedback\nGreen, but nothing has changed since the start. "
    assert [feedback in prompt for prompt in agent.prompts] == [False, True]
    agent.plays("echo 'VALUE = 2' >app.py; echo Two")
    assert ended(world.run("untilgreen", "run", "--resume", "--json"))[1]["success"] is True


def begun(world: World, agent: Agent, *words: str) -> "subprocess.Popen[bytes]":
    """A run whose agent sleeps: it has written its process id."""
    (agent.folder / "pid").unlink(missing_ok=True)
    process = world.begin(*words)
    eventually(lambda: (agent.folder / "pid").exists() and (agent.folder / "pid").read_text().endswith("\n"))
    return process


@pytest.mark.needs("locks")
def test_a_run_that_is_stopped_goes_on_in_its_round_however_it_was_stopped(red: World) -> None:
    agent = Agent(red, "echo One", SLEEPS, SLEEPS, SLEEPS, f"{MENDED}; echo Five")
    words = agent.words("Mend it")
    resume = ("untilgreen", "run", "--resume", "--json")
    for number, code in ((signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -signal.SIGKILL)):
        process = begun(red, agent, *words)
        pid, words = int((agent.folder / "pid").read_text()), resume
        if number == signal.SIGKILL:
            refused = red.run(*resume)
            assert (refused.code, " is going on. Fix: end that first" in refused.stderr) == (64, True), refused
        process.send_signal(number)
        answer = red.end(process)
        assert answer.code == code, answer
        assert lives(pid) if number == signal.SIGKILL else gone(pid)
        if number != signal.SIGKILL:
            found = json.loads(answer.stdout)
            assert told(found) == [False, "interrupted", 2, "One" if number == signal.SIGINT else ""]
            assert loop_of(red, found)["status"] == "paused"
    code, found, lines = ended(red.run(*resume))
    assert (code, told(found), gone(pid)) == (0, [True, "complete", 2, "Five"], True), lines
    assert "untilgreen: the agent of the runner that was killed was still at work; it was ended\n" in lines
    refused = red.run(*resume)
    assert (refused.code, refused.stderr) == (
        64,
        "untilgreen failed: no run here can go on. Fix: untilgreen run TASK\n",
    )


def test_a_run_that_is_cancelled_elsewhere_ends_its_agent(red: World) -> None:
    agent = Agent(red, SLEEPS)
    process = begun(red, agent, *agent.words("Mend it"))
    assert red.run("untilgreen", "cancel").code == 0
    answer = red.end(process)
    assert (answer.code, told(json.loads(answer.stdout))) == (130, [False, "cancelled", 1, ""])
    assert gone(int((agent.folder / "pid").read_text()))


PLAN = tables.text("run", "plan")


def test_each_step_of_a_plan_is_a_loop_and_its_box_is_checked_when_that_is_green(red: World) -> None:
    red.write({"PLAN.md": PLAN})
    (red.project / "PLAN.md").chmod(0o640)
    ticks = "sed -i 's/\\[ \\] add more/[x] add more/' PLAN.md"
    agent = Agent(red, "echo One", f"{MENDED}; echo Two", f"{ticks}; echo A=1 >more.py; echo Three", "exit 1")
    code, found, lines = agent.run("--task-file", "PLAN.md", "--each-step")
    assert (code, told(found)) == (5, [False, "error", 1, ""]), lines
    assert (red.project / "PLAN.md").read_text() == PLAN.replace("[ ] mend", "[x] mend").replace("[ ] add", "[x] add")
    tasks = [prompt.partition("\n\n## Plan\n# Shop\n\nMake it work.\n")[0] for prompt in agent.prompts]
    assert tasks == [*["## Task\nmend app\nall of it"] * 2, "## Task\nadd more", "## Task\nlast"]
    assert (red.project / "PLAN.md").stat().st_mode & 0o777 == 0o640
    agent.plays("echo B=1 >last.py; echo Five")
    code, found, lines = ended(red.run("untilgreen", "run", "--resume", "--json"))
    assert (code, told(found)) == (0, [True, "complete", 1, "Five"])
    assert "[ ]" not in (red.project / "PLAN.md").read_text().replace("- [ ] no step", "")


def test_a_work_tree_of_its_own_leaves_the_project_as_it_is(red: World) -> None:
    code, found, lines = Agent(red, f"{MENDED}; echo One").run("Mend it", "--worktree")
    branch = f"untilgreen/{found['session_id'][:8]}"
    tree = red.project.parent / f"project.{branch.replace('/', '-')}"
    assert (code, (red.project / "app.py").read_text(), (tree / "app.py").read_text()) == (
        *(0, "import os\n\nVALUE = 1\n"),
        "VALUE = 1\n",
    )
    assert f"\nwork tree: {tree}, branch {branch}\n" in lines
    assert lines.splitlines()[-1] == (
        f"to drop it: git -C {red.project} worktree remove --force {tree} && git -C {red.project} branch -D {branch}"
    )


def test_hooks_below_a_run_record_into_it_and_hold_nobody(red: World) -> None:
    red.start("fix it", "--stagnation-limit", "0")
    inner, env = "11111111-2222-3333-4444-555555555555", {"UNTILGREEN_LOOP": red.session}
    own = env | {"CLAUDE_CODE_SESSION_ID": inner, "CLAUDE_PROJECT_DIR": str(red.project)}
    silent = Answer(0, "", "")
    for known, name in ((env, "more.py"), (own, "most.py")):
        assert red.stop(session_id=inner, env=known) == silent
        assert red.prompt("/untilgreen:loop Another", session_id=inner, env=known) == silent
        told = red.edit(name, "import sys\n", env=known, session_id=inner)
        assert f"{name}:1:8: F401 `sys`" in told.context, told
    shell = red.edited("x", "", None) | {
        "tool_name": "Bash",
        "tool_input": {"command": "pytest -q"},
        "session_id": inner,
    }
    assert red.run("post-tool-bash", stdin=json.dumps(shell), env=own) == silent
    assert os.listdir(red.folder.parent) == [red.session]
    assert [one["event"] for one in red.journal] == ["start", "edit", "edit", "shell"]
    assert red.state["current"]["error_count"] == 3
    # no session of a run: as if it were not there
    for value in ("", "../..", inner, "X" * 20, f"{red.session}0"):
        assert red.stop(session_id=red.session, env={"UNTILGREEN_LOOP": value}).held, value


REFUSED = tables.literal("run", "refused")


def test_what_a_run_refuses_begins_nothing(red: World) -> None:
    answers = red.at_once(*(near.Call(("untilgreen", "run", *words)) for words, _ in REFUSED))
    for (words, reason), answer in zip(REFUSED, answers, strict=True):
        assert (answer.code, answer.stdout, reason in answer.stderr) == (64, "", True), (words, answer)
    assert not (red.project / ".untilgreen").exists()


def test_on_a_terminal_a_line_says_what_runs_and_ctrl_c_twice_ends_it_at_once(red: World) -> None:
    agent = Agent(red, f"trap '' TERM; {SLEEPS}")
    with terminal(red, "run", "Mend it", "--command", str(agent.program)) as shown:
        shown.expect(r"round 1 of 10 · agent\r\n")
        shown.expect(r"\r\x1b\[K. round 1 of 10 · agent · [\d.]+ s · Ctrl-C stops")
        eventually(lambda: (agent.folder / "pid").exists() and (agent.folder / "pid").read_text().endswith("\n"))
        shown.sendintr()
        shown.sendintr()
        shown.expect(r"untilgreen: interrupted; go on with: untilgreen run --resume --session [0-9a-f-]{36}\r\n")
        shown.expect(pexpect.EOF)
    assert (shown.exitstatus, gone(int((agent.folder / "pid").read_text()))) == (130, True)
