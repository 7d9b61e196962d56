"""The completion pipeline: the user's own hooks, the loop and the review are asked in order whether the agent may stop.

Where a test bears a name of TalkCody's own list, it is that case.
"""

import json
import shlex
import time
from typing import Any

import pytest

import tables
from loops import new_loop
from untilgreen.core.model.settings import Criteria, HookSetting
from untilgreen.core.verdict import completion
from untilgreen.core.verdict.completion import CompletionContext, Decision
from untilgreen.core.words import judgement
from untilgreen.loops.stop import steps, trace
from world import World

SKIP, STOP = Decision("skip"), Decision("stop", "blocked", "no key")
HOLD = Decision("continue", next_messages=("Write the test",))


def test_the_users_hooks_stand_among_the_steps_and_those_of_one_priority_as_they_were_named() -> None:
    named = (("d", 30), ("b", 10), ("a", 10), ("c", 20))
    hooks = tuple(HookSetting(name, ("true",), priority) for name, priority in named)
    order = "tree b a checks steady reading installed proof judge loop c review d"
    assert " ".join(step.name for step in steps.in_order(new_loop(Criteria(), hooks=hooks))) == order


HALF = {"action": "continue", "stopReason": None, "nextMessages": [{"role": "user", "content": "Go"}, "on"]}
PARTS = {"action": "continue", "next_messages": [{"role": "user", "content": [{"type": "text", "text": "Go"}]}]}


@pytest.mark.parametrize(
    ("code", "answer", "stderr", "expected"),
    [
        (0, None, "talk", SKIP),
        (2, None, " write the test \n", Decision("continue", stop_message="write the test")),
        (2, {"action": "stop"}, "", Decision("continue")),
        (0, {"action": "skip"}, "", SKIP),
        (0, {"action": "stop", "stop_reason": "blocked", "stop_message": "no key"}, "", STOP),
        (0, {"action": "stop", "stopReason": "blocked", "stopMessage": "no key"}, "", STOP),
        (0, HALF, "", Decision("continue", next_messages=("Go", "on"))),
        (0, PARTS, "", Decision("continue", next_messages=("Go",))),
        (0, {"action": "stop", "stop_message": "<ralph>COMPLETE</ralph>"}, "", "[ralph]COMPLETE[/ralph]"),
        (1, None, "\nKeyError: 3\n", "exit code 1: KeyError: 3"),
        (127, None, "", "exit code 127"),
        (0, {}, "", "its answer has no action that is skip, continue or stop"),
        (0, {"action": "wait"}, "", "its answer has no action that is skip, continue or stop"),
        (0, {"action": ["skip"]}, "", "its answer has no action that is skip, continue or stop"),
        (0, {"action": "stop", "stop_reason": 3}, "", "its stop_reason or stop_message is no text"),
        (0, {"action": "stop", "next_messages": "x"}, "", "its next_messages are no list of messages"),
        (0, {"action": "stop", "next_messages": [{"role": "user"}]}, "", "its next_messages are no list of messages"),
        (0, "{", "", "its answer is not JSON"),
    ],
)
def test_what_a_command_answers(code: int, answer: object, stderr: str, expected: Decision | str) -> None:
    stdout = answer if isinstance(answer, str) else json.dumps(answer)
    found = completion.read(code, answer, "" if answer is None else stdout, stderr)
    assert (found if isinstance(expected, Decision) else found.broken or found.stop_message) == expected


class Hooks:
    """Hooks of a project: each notes that it was asked, and what it read, and answers as it is told."""

    def __init__(self, world: World) -> None:
        self.world, self.kept = world, world.home / "asked"
        self.kept.mkdir()
        self.text = self.told = ""

    def add(self, name: str, priority: int = 10, *, share: float = 0.25, does: str = "") -> None:
        """`does`: what its shell does; where not given, what `says` said last."""
        body = does or f'. "{self.kept}/{name}.sh"'
        script = f'n=$(ls "{self.kept}" | wc -l); cat > "{self.kept}/$n-{name}.json"; {body}'
        self.text += f"[[hooks]]\nname = {name!r}\npriority = {priority}\nshare = {share}\n"
        self.text += f"command = ['sh', '-c', {json.dumps(script)}]\n"
        self.says(name)

    def says(self, name: str, answer: object = None, *, code: int = 0, stderr: str = "") -> None:
        told = "" if answer is None else f"printf %s {shlex.quote(json.dumps(answer))}; "
        (self.kept / f"{name}.sh").write_text(f"{told}printf %s {shlex.quote(stderr)} >&2; exit {code}\n")

    def begin(self, *options: str, config: str = "") -> str:
        self.world.write({"untilgreen.toml": f"{config}\n{self.text}"})
        return self.world.run("start-loop", "mend it", "--session", self.world.session, *options).stdout

    @property
    def asked(self) -> list[str]:
        """Which were asked, in their order."""
        numbered = (path.stem.partition("-") for path in self.kept.glob("*-*.json"))
        return [name for _, _, name in sorted(numbered, key=lambda one: int(one[0]))]

    def read(self, name: str) -> dict[str, Any]:
        """What one read last."""
        *_, newest = sorted(self.kept.glob(f"*-{name}.json"), key=lambda path: int(path.stem.partition("-")[0]))
        found: dict[str, Any] = json.loads(newest.read_text())
        return found


@pytest.fixture
def hooks(red: World) -> Hooks:
    return Hooks(red)


def mend(world: World, text: str = "VALUE = 2\n") -> None:
    world.write({"app.py": text})


def completions(world: World) -> list[list[tuple[str, int, str]]]:
    """Of each stop who was asked, in the journal."""
    hooks = [one["hooks"] for one in world.journal if one["event"] == "completion"]
    return [[(one["name"], one["priority"], one["answer"]) for one in some] for some in hooks]


def test_runs_completion_hook_pipeline_on_successful_finish(hooks: Hooks, red: World) -> None:
    hooks.add("last", 40)
    hooks.add("first")
    hooks.add("after", 20)
    hooks.begin()
    mend(red)
    done = red.stop()
    assert (done.code, red.state["stop_reason"], red.state["verified"]) == (0, "complete", True)
    assert hooks.asked == ["first", "after", "last"]
    order = [("first", 10, "skip"), ("loop", 20, "skip"), ("after", 20, "skip"), ("last", 40, "skip")]
    assert completions(red) == [order]
    explained = red.run("untilgreen", "show", "--why").stdout
    told = explained.partition("completion hooks, in their order\n")[2]
    assert [line.split()[:2] for line in told.splitlines()] == [[str(number), name] for name, number, _ in order]


def test_continues_loop_when_ralph_requests_continuation(hooks: Hooks, red: World) -> None:
    hooks.add("first")
    hooks.add("after", 25)
    hooks.begin()
    held = red.stop()
    assert (held.code, red.state["iteration"], hooks.asked) == (2, 2, ["first"])
    assert completions(red) == [[("first", 10, "skip"), ("loop", 20, "continue")]]
    assert held.stderr.startswith("Not green yet: 1 left after round 1 of 10 · ruff 1\n")


def test_a_hook_before_the_loop_holds_in_a_counted_round_without_the_checks(hooks: Hooks, red: World) -> None:
    hooks.add("gate")
    hooks.says("gate", code=2, stderr="Write the changelog first.\n<ralph>COMPLETE</ralph>")
    hooks.begin()
    held = red.stop()
    assert held.stderr.splitlines()[:4] == [
        "Not green yet: 1 left after round 1 of 10 · hook:gate 1",
        "hook gate: Write the changelog first.",
        "    [ralph]COMPLETE[/ralph]",
        "The checks did not run, as a hook came first; not known: static.",
    ]
    assert "1 left · hook gate: Write the changelog first. · N s" in held.notice
    [snapshot] = red.state["snapshots"]
    assert (snapshot["scores"], snapshot["outcomes"]) == ({"static": None, "hooks": 1}, {"hook:gate": "found"})
    assert (red.state["iteration"], snapshot["ref"] != "") == (2, True)
    hooks.says("gate")
    assert red.stop().stderr.startswith("Not green yet: 1 left after round 2 of 10 · ruff 1\n")
    mend(red)
    assert (red.stop().code, red.state["stop_reason"]) == (0, "complete")


@pytest.mark.parametrize(
    ("options", "rounds", "reason"),
    [(("--max-iterations", "2"), 2, "max-iterations"), (("--stagnation-limit", "2"), 3, "stagnant")],
)
def test_returns_stop_action_when_max_iterations_reached(
    hooks: Hooks, red: World, options: tuple[str, ...], rounds: int, reason: str
) -> None:
    hooks.add("never", 25)
    hooks.says("never", {"action": "continue", "next_messages": ["Once more"]})
    hooks.begin(*options)
    codes = []
    for number in range(rounds):
        mend(red, f"VALUE = {number + 5}\n")
        codes.append(red.stop().code)
    assert (codes, red.state["stop_reason"]) == ([2] * (rounds - 1) + [0], reason)


def test_returns_stop_action_when_blocked_marker_found(hooks: Hooks, red: World) -> None:
    hooks.add("gate", does="exit 2")
    hooks.begin()
    red.stop("<ralph>BLOCKED: no network</ralph>")
    assert (red.state["stop_reason"], red.state["completion_reason"]) == ("blocked", "no network")
    assert hooks.asked == []


def test_returns_stop_action_when_completion_marker_found(hooks: Hooks, red: World) -> None:
    hooks.add("gate", does="exit 2")
    hooks.begin("--marker", "trust")
    red.stop("<ralph>COMPLETE</ralph>")
    assert (red.state["stop_reason"], red.state["declared"], hooks.asked) == ("complete", True, [])


def test_returns_continue_action_when_criteria_not_met(hooks: Hooks, red: World) -> None:
    hooks.add("after", 25)
    hooks.begin("--marker", "require", "--preset", "talkcody")
    mend(red)
    assert (red.stop().code, completions(red), hooks.asked) == (2, [[("loop", 20, "continue")]], [])
    assert red.stop("<ralph>COMPLETE</ralph>").code == 0
    assert (red.state["stop_reason"], hooks.asked) == ("complete", ["after"])


def test_a_promise_ends_nothing_while_a_hook_objects(hooks: Hooks, red: World) -> None:
    hooks.add("after", 25)
    hooks.says("after", code=2, stderr="no")
    hooks.begin("--completion-promise", "FIXED")
    held = red.stop("<promise>FIXED</promise>")
    assert held.stderr.splitlines()[:2] == [
        "Not green yet: 1 left after round 1 of 10 · hook:after 1",
        "hook after: no",
    ]
    hooks.says("after", code=3)
    done = red.stop("<promise>FIXED</promise>")
    assert done.notice.startswith("■ ended unchecked: the agent gave its promise · after 2 rounds")
    assert done.notice.splitlines()[1:] == ["hook after did not do its work: exit code 3"]


def test_a_hook_that_does_not_do_its_work_is_skipped_and_named(hooks: Hooks, red: World) -> None:
    ways = {
        "crash": "echo oops >&2; exit 1",
        "killed": "kill -9 $$",
        "odd": "echo '{\"action\": 1}'",
        "hang": "sleep 60",
    }
    for name, does in ways.items():
        hooks.add(name, does=does, share=0.002)
    hooks.text += "[[hooks]]\nname = 'gone'\ncommand = './nothing'\npriority = 40\n"
    hooks.begin()
    held = red.stop()
    whys = (
        *("crash did not do its work: exit code 1: oops", "killed did not do its work: ended by signal 9"),
        "odd did not do its work: its answer has no action that is skip, continue or stop",
        "hang did not do its work: timed out after 1 s",
        "gone did not do its work: could not start ./nothing: [Errno 2] No such file or directory: './nothing'",
    )
    assert held.code == 2
    for text in (held.stderr, held.notice):
        assert [why for why in whys[:4] if f"hook {why}" not in text] == []
    mend(red)
    done = red.stop()
    assert (done.code, red.state["verified"], red.state["stop_reason"]) == (0, False, "complete")
    assert red.state["completion_reason"] == "Green, but " + ", ".join(f"hook {why}" for why in whys)
    assert [answer for name, _, answer in completions(red)[1] if name != "loop"] == ["broken"] * 5


ENDS = tables.literal("completing", "ends")


def test_evaluates_stop_criteria_correctly(hooks: Hooks, red: World) -> None:
    hooks.add("gate")
    for reason, (known, line) in ENDS.items():
        hooks.says("gate", {"action": "stop", "stop_reason": reason, "stop_message": "no key"})
        hooks.begin("--replace")
        done = red.stop()
        state = red.state
        assert (done.code, state["stop_reason"], state["ended_by"], state["verified"] is True) == (
            0,
            known,
            "gate",
            False,
        )
        assert done.notice.startswith(line), done
    hooks.says("gate", {"action": "stop"})
    hooks.begin("--replace")
    assert red.stop().notice.startswith("■ blocked: hook gate let it go")


def test_a_hook_behind_a_green_loop_that_lets_go_leaves_it_green_with_a_but(hooks: Hooks, red: World) -> None:
    hooks.add("gate", 25)
    hooks.add("unasked", 26)
    hooks.says("gate", {"action": "stop", "stop_reason": "complete"})
    hooks.begin()
    mend(red)
    assert red.stop().notice.startswith("✓ green, but hook gate let it go · ")
    assert (hooks.asked, red.state["verified"]) == (["gate"], False)


def test_captures_structured_tool_results(hooks: Hooks, red: World) -> None:
    hooks.add("gate", does=f'env > "{hooks.kept}/env"')
    hooks.begin()
    token = "ghp_" + "a1B2" * 9
    payload: dict[str, Any] = {
        "session_id": red.session,
        "cwd": str(red.project),
        "hook_event_name": "PostToolUseFailure",
    }
    payload |= {"tool_name": "Bash", "tool_input": {"command": "pytest -q"}, "tool_use_id": "toolu_9"}
    red.run("post-tool-bash", stdin=json.dumps(payload | {"error": "Exit code 1"}))
    red.stop(f"The key is {token}. " + "x" * 70_000)
    told = hooks.read("gate")
    assert list(told) == list(CompletionContext._fields)
    assert told["tool_summaries"] == [
        {
            "tool_name": "Bash",
            "tool_call_id": "toolu_9",
            "command": "pytest -q",
            "success": False,
            "output": "",
            "error": "Exit code 1",
        }
    ]
    loop = {**red.state, "iteration": 1}
    assert (told["task_id"], told["iteration"], told["start_time"]) == (loop["loop_id"], 1, loop["started_at"])
    assert (len(told["full_text"]), told["loop_state"]["task_description"]) == (completion.LAST, "mend it")
    red.stop(f"The key is {token} now.")
    assert hooks.read("gate")["full_text"] == "The key is ghp_…(masked) now."
    assert "UNTILGREEN_DISABLE=1" in (hooks.kept / "env").read_text().splitlines()


def test_a_user_who_speaks_while_a_hook_runs_goes_first(hooks: Hooks, red: World) -> None:
    hooks.add("gate", does="sleep 60")
    hooks.add("after", 15)
    hooks.begin()
    red.prompt("mend it", prompt_id="p1")
    stopping = red.begin("stop-loop", stdin=json.dumps(red.payload(prompt_id="p1")))
    while hooks.asked != ["gate"]:
        assert stopping.poll() is None
        time.sleep(0.02)
    red.prompt("what is it?", prompt_id="p1")
    done = red.end(stopping)
    assert (done.code, red.state["active"], red.state["iteration"], hooks.asked) == (0, True, 1, ["gate"])
    assert json.loads((red.folder / trace.FILE).read_text())["reason"] == "the user has spoken"


def test_under_strict_a_hook_that_broke_is_told_once(hooks: Hooks, red: World) -> None:
    hooks.add("gate", does="exit 1")
    hooks.begin("--strict")
    mend(red)
    held = red.stop()
    assert (held.code, held.stderr.count("hook gate did not do its work: exit code 1")) == (2, 1)


def test_an_agent_that_changes_the_script_of_a_hook_gets_no_verified_green(hooks: Hooks, red: World) -> None:
    red.write({"gate.sh": "exit 2\n"})
    hooks.text = "[[hooks]]\nname = 'gate'\ncommand = 'sh gate.sh'\n"
    hooks.begin()
    assert red.stop().held
    red.write({"gate.sh": "exit 0\n", "app.py": "VALUE = 2\n"})
    assert red.stop().notice.startswith("✓ green, but changed gate.sh · ")


def test_handles_ralph_continuation_correctly_and_persists_iteration_artifacts(hooks: Hooks, red: World) -> None:
    hooks.add("gate", 25)
    hooks.says("gate", {"action": "continue", "nextMessages": [{"role": "user", "content": "Write a test, too"}]})
    hooks.begin()
    files = ("ralph-summary.md", "ralph-feedback.md", "ralph-iteration.json")
    codes = [red.stop().code]
    mend(red)
    codes.append(red.stop("It is mended.").code)
    summary, feedback, position = ((red.folder / name).read_text() for name in files)
    assert "hook gate: Write a test, too" in feedback
    assert "- hook gate: Write a test, too" in summary.partition("## Errors")[2]
    assert json.loads(position)["iteration"] == 2
    hooks.says("gate")
    mend(red, "VALUE = 3\n")
    codes.append(red.stop().code)
    assert (codes, red.state["iteration"], red.state["stop_reason"]) == ([2, 2, 0], 3, "complete")
    assert json.loads((red.folder / files[2]).read_text())["stopReason"] == "complete"


def test_a_stop_of_a_loop_without_hooks_asks_nobody(red: World) -> None:
    red.start("mend it")
    red.stop()
    assert json.loads((red.folder / trace.FILE).read_text())["hooks"] == []
    assert completions(red) == []


def test_without_a_loop_no_hook_is_asked(hooks: Hooks, watched: World) -> None:
    hooks.add("gate", does="exit 2")
    watched.write({"untilgreen.toml": hooks.text})
    watched.edit("new.py", "import os\n")
    assert (watched.stop(prompt_id="p").code, hooks.asked) == (2, [])


# --- review -----------------------------------------------------------------------------------------------------

ONE = {"ok": False, "findings": [{"file": "app.py", "line": 1, "message": "VALUE is never read"}, "No test"]}


def reviewed(hooks: Hooks, answer: object = None, *, code: int = 0, text: str = "", more: str = "") -> None:
    """A review that keeps its prompt, and answers this."""
    printed = text if answer is None else json.dumps(answer)
    (hooks.kept / "review.sh").write_text(f"printf %s {shlex.quote(printed)}; exit {code}\n")
    script = f'cat > "{hooks.kept}/prompt"; env > "{hooks.kept}/env"; . "{hooks.kept}/review.sh"'
    if not hooks.world.folder.exists():
        hooks.told = hooks.begin(config=f"[review]\ncommand = ['sh', '-c', {json.dumps(script)}]\n{more}")


def test_findings_of_a_review_hold_and_what_mends_them_releases(hooks: Hooks, red: World) -> None:
    hooks.add("last", 40)
    reviewed(hooks, ONE)
    assert "asked at each stop, too: review (30), last (40)\n" in hooks.told
    assert "ruff 1" in red.stop().stderr
    assert not (hooks.kept / "prompt").exists()  # something is red: nobody reviews
    mend(red)
    held = red.stop("I set it.")
    assert held.stderr.splitlines()[:3] == [
        "Not green yet: 2 left after round 2 of 10 · review 2",
        "app.py:1 review: VALUE is never read",
        "review: No test",
    ]
    assert completions(red)[1] == [("loop", 20, "skip"), ("review", 30, "continue")]
    prompt = (hooks.kept / "prompt").read_text()
    assert "UNTILGREEN_DISABLE=1\n" in (hooks.kept / "env").read_text()
    for part in ("+VALUE = 2", "-import os", "ruff: clean", "I set it.", "mend it", '"findings"'):
        assert part in prompt, part
    reviewed(hooks, {"ok": True, "findings": []})
    mend(red, "VALUE = 3\n")
    done = red.stop()
    assert (done.code, red.state["verified"], hooks.asked) == (0, True, ["last"])
    assert "ruff ✓ review ✓" in done.notice
    assert "  + app.py:1 review: VALUE is never read\n" in red.run("untilgreen", "show").stdout


def test_findings_hold_as_often_as_it_may_be_and_are_told_after_that(hooks: Hooks, red: World) -> None:
    reviewed(hooks, {"ok": False, "findings": ["No test"]})
    held = []
    for number in range(3):
        mend(red, f"VALUE = {number + 2}\n")
        held.append(red.stop().code)
    assert (held, red.state["reviews"], red.state["verified"]) == ([2, 2, 0], 2, False)
    assert red.state["completion_reason"] == "Green, but review: 1 finding"


@pytest.mark.parametrize(("code", "found", "said", "expected"), tables.literal("completing", "what a review answers"))
def test_what_a_review_answers(code: int, found: object, said: str, expected: object) -> None:
    assert judgement.read_review(code, found, said, by_code=True) == expected


def test_the_hosts_own_must_answer_in_json() -> None:
    assert judgement.read_review(0, None, "Looks good!", by_code=False) == "answered without a JSON object"


def test_the_hosts_own_program_reviews_as_it_judges(hooks: Hooks, red: World) -> None:
    program = red.programs / "claude"
    program.write_text(
        f'#!/bin/sh\npwd > "{hooks.kept}/cwd"\nprintf "%s\\n" "$@" > "{hooks.kept}/argv"\ncat > "{hooks.kept}/prompt"\n'
        f"printf %s {shlex.quote(json.dumps({'type': 'result', 'structured_output': ONE}))}\n"
    )
    program.chmod(0o755)
    hooks.begin(config="[review]\nagent = true\n")
    mend(red)
    assert red.stop().stderr.startswith("Not green yet: 2 left after round 1 of 10 · review 2\n")
    assert judgement.SCHEMA["ok"] in (hooks.kept / "argv").read_text().splitlines()
    assert (hooks.kept / "cwd").read_text() == f"{red.home}/.local/state/untilgreen\n"
    program.unlink()
    mend(red, "VALUE = 3\n")
    red.stop()
    assert red.state["completion_reason"] == "Green, but review did not do its work: claude is not installed"


def test_nothing_is_reviewed_where_no_file_changed(hooks: Hooks, red: World) -> None:
    mend(red)
    hooks.begin("--completion-promise", "DONE", config="[review]\ncommand = 'false'\n")
    assert red.stop("<promise>DONE</promise>").code == 0
    assert completions(red) == [[("loop", 20, "skip"), ("review", 30, "skip")]]


def test_a_review_that_does_not_do_its_work_is_a_but(hooks: Hooks, red: World) -> None:
    reviewed(hooks, text="no money left", code=9)
    mend(red)
    assert red.stop().code == 0
    assert red.state["completion_reason"] == "Green, but review did not do its work: exit code 9: no money left"
