"""A headless agent on the real host: held while the checks are red, let go when they are green, or when it must be."""

import json
import re
from pathlib import Path

import pytest

import tables
from untilgreen.cli.installing import command_forms
from world import BIN, MARKER, THEN

from .install import PINNED
from .model import Tool
from .scenes import CLEAN, FOUND, NEW_ONLY, UNUSED, NewScene, edits, runs, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

RUNNING = 'untilgreen: loop paused in round 1 of 10; say "go on", or /untilgreen:cancel'
TOLD = f"broken.py:1:8 ruff F401: {FOUND}"
RED = f"{TOLD} (ruff check --fix)"  # the cure is for the agent
SHELLS = tables.text("e2e-held", "shells")
AGENTS = "Agent,Task,Bash,Edit,Write,Read"


def line(round_: str, left: int = 1) -> str:
    """The first line of a hold's feedback."""
    number, most = round_.split("/")
    return f"Not green yet: {left} left after round {number} of {most} · ruff {left}"


def round_notice(round_: str) -> str:
    """What the user sees of a hold for one error."""
    number, most = round_.split("/")
    if number == "1":
        return f"✗ round 1 of {most} · 1 left · N s · /untilgreen:cancel ends it"
    return f"✗ round {number} of {most} · 1 → 1 left · N s"


def test_the_agent_is_held_with_the_findings_and_released_when_it_has_mended_them(new_scene: NewScene) -> None:
    scene = new_scene(
        [writes("broken.py", UNUSED), "Done.", edits("broken.py", UNUSED, CLEAN), "Mended.", "It was an import."]
    )

    run = scene.ask("/untilgreen:loop Add a module")

    assert run.result["result"] == "Mended."
    assert scene.feedback == [f"{line('1/10')}\n{RED}\nTask: Add a module\n{THEN}"]
    assert scene.feedback[0] in scene.model.told(2)
    loop = scene.loop()
    assert (loop["session_id"], loop["stop_reason"], loop["verified"]) == (run.session_id, "complete", True)
    assert [loop["iteration"], loop["active"], loop["status"]] == [2, False, "success"]
    assert scene.shown(run) == scene.visible(round_notice("1/10"), "✓ green after 2 rounds, N s · ruff ✓ · left 1 ▁ 0")
    begun = "untilgreen: loop on until ruff is green · at most 10 rounds · /untilgreen:cancel ends it"
    assert scene.begun(run) == [begun][: len(scene.visible(begun))]

    scene.host.write({"broken.py": UNUSED})
    later = scene.ask("What was wrong?", "--resume", run.session_id)

    assert (later.result["result"], len(scene.model.main), scene.shown(later)) == ("It was an import.", 5, [])
    assert scene.loop() == loop


CI = """[checks.ci]
command = ["sh", "-c", "read code rest <.git/ci; echo $rest >.git/ci; exit ${code:-0}"]
pending = [8]
"""


@pytest.mark.wide
@NEW_ONLY
def test_a_stop_is_let_go_while_a_check_is_pending_and_the_next_one_is_green(new_scene: NewScene) -> None:
    scene = new_scene([writes("module.py", CLEAN), "Done.", "It goes on.", "It went well."])
    scene.host.write({"untilgreen.toml": CI, ".git/ci": "8 8 0\n"})

    first = scene.ask("/untilgreen:loop Add a module")

    waiting = "untilgreen: waiting for ci, 0 min; loop still running, round 1 of 10"
    assert (first.result["result"], scene.feedback, scene.shown(first)) == ("Done.", [], scene.visible(waiting))
    assert [scene.loop()[name] for name in ("active", "iteration", "snapshots")] == [True, 1, []]

    second = scene.ask("go on", "--resume", first.session_id)

    assert (scene.shown(second), scene.loop()["active"]) == (scene.visible(waiting), True)

    third = scene.ask("go on", "--resume", first.session_id)

    assert scene.shown(third) == scene.visible("✓ green after 1 round, N s · ruff ✓ ci ✓ · left 0")
    assert [scene.loop()[name] for name in ("stop_reason", "verified", "pending")] == ["complete", True, {}]


@NEW_ONLY
def test_init_registers_every_hook_without_a_shell_and_none_for_sub_agents(new_scene: NewScene) -> None:
    settings = json.loads((new_scene().project / ".claude" / "settings.local.json").read_text(encoding="utf-8"))

    tools, team = ["PostToolUse", "PostToolUseFailure"], ["TaskCompleted", "TeammateIdle"]
    session = ["SessionEnd", "SessionStart", "Stop", "StopFailure"]
    assert sorted(settings["hooks"]) == [*tools, *session, *team, "UserPromptSubmit"]
    for hook in (hook for groups in settings["hooks"].values() for group in groups for hook in group["hooks"]):
        edits = ["--with", "lsp,ast-grep"] if hook["command"].endswith("post-tool-lint") else []
        assert (hook["type"], hook["args"]) == ("command", ["--host", "claude-code", *edits])
        launcher = command_forms.read(hook["command"])
        assert launcher is not None
        assert (Path(launcher.interpreter).parent, launcher.ours) == (BIN, True)


@pytest.mark.wide
@NEW_ONLY
def test_a_task_full_of_shell_syntax_is_kept_verbatim_and_nothing_of_it_runs(new_scene: NewScene) -> None:
    scene = new_scene(["Which parser?"])

    scene.ask(f"/untilgreen:loop --max-iterations 7 {SHELLS}")

    loop = scene.loop()
    assert (loop["task_description"], loop["max_iterations"]) == (SHELLS, 7)
    assert list(scene.host.home.parent.rglob("PWNED")) == []
    assert f"untilgreen: loop started ({loop['loop_id']}), round 1 of 7\n" in scene.model.told(0)
    told = scene.model.told(0)
    assert ("criteria: green\nchecks: ruff\n" in told, f"\ntask:\n{SHELLS}" in told) == (True, True)
    assert "A loop of untilgreen begins with this prompt." in scene.model.told(0)


@pytest.mark.wide
def test_a_question_at_the_start_of_a_loop_in_a_green_project_does_not_end_it(new_scene: NewScene) -> None:
    scene = new_scene(
        ["Which one?", "Sure?", writes("broken.py", UNUSED), "Done.", edits("broken.py", UNUSED, CLEAN), "Mended."]
    )

    first = scene.ask("/untilgreen:loop Add the module")

    assert first.result["result"] == "Which one?"
    assert [scene.loop()[name] for name in ("active", "iteration", "snapshots")] == [True, 1, []]
    assert scene.shown(first) == scene.visible(RUNNING)

    second = scene.ask("The left one", "--resume", first.session_id)

    assert (second.result["result"], scene.feedback) == ("Sure?", [])
    assert scene.shown(second) == scene.visible(RUNNING)

    third = scene.ask("Yes", "--resume", first.session_id)

    assert third.result["result"] == "Mended."
    assert scene.feedback == [f"{line('1/10')}\n{RED}\nTask: Add the module\n{THEN}"]
    assert [scene.loop()[name] for name in ("stop_reason", "iteration", "verified")] == ["complete", 2, True]


@pytest.mark.wide
def test_after_a_cancel_nothing_is_held(new_scene: NewScene) -> None:
    scene = new_scene(["Which one?"])
    old = PINNED in scene.host.binary.parts
    scene.model.turns += [*(["It is over."] if old else []), writes("broken.py", UNUSED), "As you like it."]
    session = scene.ask("/untilgreen:loop Add the module").session_id

    run = scene.ask("/untilgreen:cancel", "--resume", session)

    loop = scene.loop()
    assert (loop["final_status"], loop["status"]) == ("CANCELLED", "stopped")
    told = f"untilgreen: loop cancelled in round 1 of 10 ({loop['loop_id']})"
    if old:  # it shows nobody what a hook answers when it is headless
        assert told in scene.model.told(1)
    else:
        assert (run.result["result"], len(scene.model.main)) == (f"Operation stopped by hook: {told}", 1)

    scene.ask("Then break it", "--resume", session)

    assert (len(scene.model.main), scene.feedback) == (3 + old, [])
    later = scene.loop()
    assert (later["loop_id"], later["final_status"], scene.edits()["written"]) == (
        loop["loop_id"],
        "CANCELLED",
        ["broken.py"],
    )


@NEW_ONLY
def test_an_agent_that_is_trusted_declares_itself_done_though_the_checks_are_red(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), "Done.", "I think it is fine.\n\n<untilgreen>DONE</untilgreen>"])

    run = scene.ask("/untilgreen:loop --marker trust Mend it")

    marker = MARKER.replace("jikime", "untilgreen")
    assert scene.feedback == [f"{line('1/10')}\n{RED}\n{marker}\nTask: Mend it\n{THEN}"]
    loop = scene.loop()
    wanted = ("complete", "COMPLETE", "stopped", "Declared done", False)
    assert wanted == tuple(loop[n] for n in ("stop_reason", "final_status", "status", "completion_reason", "verified"))
    assert scene.shown(run) == scene.visible(
        round_notice("1/10"), "■ ended unchecked: the agent said it was done · 1 left in round 1: ruff 1"
    )


@pytest.mark.wide
@NEW_ONLY
def test_a_blocked_agent_is_let_go_with_its_reason(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), "I cannot.\n<ralph>BLOCKED: which key,\nand whose?</ralph>"])

    run = scene.ask("/untilgreen:loop Mend it")

    loop = scene.loop()
    assert (len(scene.model.main), loop["final_status"], loop["status"]) == (2, "BLOCKED", "stopped")
    assert " ".join(loop["completion_reason"].split()) == "which key, and whose?"
    told = [re.sub(r"loop-\d+", "loop-N", text) for text in scene.shown(run)]
    assert [re.sub(r"[0-9a-f]{40}", "REF", text) for text in told] == scene.visible(
        "■ blocked: which key, and whose?\n"
        "Rollback: untilgreen rollback --to start --session loop-N · or type /untilgreen:rollback start\n"
        "Manual: git --git-dir=.untilgreen/git --work-tree=. checkout REF -- ."
    )


@pytest.mark.wide
@NEW_ONLY
def test_an_agent_that_changes_nothing_is_let_go_at_its_fourth_stop(new_scene: NewScene) -> None:
    scene = new_scene(after="It is done.", files={"broken.py": UNUSED})
    assert scene.shell("start-loop", "Mend it").code == 0

    run = scene.ask("Go")

    end = f"without improvement; the loop ends at 3.\nTask: Mend it\n{THEN}"
    assert scene.feedback == [
        f"{line('1/10')}\n{RED}\nTask: Mend it\n{THEN}",
        f"{line('2/10')}\n{RED}\n1 round {end}",
        f"{line('3/10')}\n{RED}\n2 rounds {end}",
    ]
    loop = scene.loop()
    assert (loop["session_id"], loop["stop_reason"], loop["status"]) == (run.session_id, "stagnant", "failed")
    assert "untilgreen: loop started" in scene.model.told(0)
    assert scene.shown(run) == scene.visible(
        *(round_notice(f"{number}/10") for number in (1, 2, 3)),
        f"■ stuck: no improvement in 3 rounds · 1 left: ruff 1 · left 1 1 1 1\n{TOLD}",
    )


def test_an_agent_that_works_between_its_stops_is_held_in_one_turn_until_its_rounds_are_over(
    new_scene: NewScene,
) -> None:
    modules = {f"part{number:02}.py": UNUSED for number in range(1, 14)}
    turns = [step for name in modules for step in (runs(f"echo 'VALUE = 1' > {name}"), "One more is done.")]
    scene = new_scene(turns, files=modules)

    run = scene.ask("/untilgreen:loop --max-iterations 12 Mend the parts")

    assert [text.splitlines()[0] for text in scene.feedback] == [
        line(f"{number}/12", 13 - number) for number in range(1, 12)
    ]
    loop = scene.loop()
    assert (loop["iteration"], loop["stop_reason"], len(scene.model.main)) == (12, "max-iterations", 24)
    assert loop["completion_reason"] == "Max iterations reached (12)"
    assert run.result["result"] == "One more is done."


@pytest.mark.wide
@NEW_ONLY
def test_another_session_in_the_same_folder_is_never_held(new_scene: NewScene) -> None:
    session = "6f1c2a34-0000-4000-8000-00000000beef"
    scene = new_scene(["Just looking.", "All done.", runs("rm broken.py"), "Mended."], files={"broken.py": UNUSED})
    assert scene.shell("start-loop", "Mend it", "--session", session).code == 0

    other = scene.ask("Look around")

    assert (other.result["result"], scene.feedback, scene.shown(other)) == ("Just looking.", [], [])
    assert [scene.loop()[name] for name in ("active", "iteration", "session_id")] == [True, 1, session]

    assert scene.ask("Begin", "--session-id", session).result["result"] == "Mended."
    assert scene.feedback == [f"{line('1/10')}\n{RED}\nTask: Mend it\n{THEN}"]
    assert scene.loop()["stop_reason"] == "complete"


def test_a_sub_agent_is_never_held(new_scene: NewScene) -> None:
    call = {"description": "break", "prompt": "Break it", "subagent_type": "general-purpose"}
    scene = new_scene(
        [Tool("Agent", {**call, "run_in_background": False}), "It did.", runs("rm broken.py"), "Mended."],
        subagent=[writes("broken.py", UNUSED), "I broke it."],
    )

    scene.ask("/untilgreen:loop Send someone", tools=AGENTS)

    kinds = [request.kind for request in scene.model.requests if request.kind != "side"]
    assert kinds == ["main", "subagent", "subagent", "main", "main", "main"]
    assert scene.feedback == [f"{line('1/10')}\n{RED}\nTask: Send someone\n{THEN}"]
    assert [scene.loop()[name] for name in ("stop_reason", "iteration")] == ["complete", 2]
    told = json.loads(scene.shell("untilgreen", "show", "--json").out)["rounds"]
    tokens = [{"read": 100 * answers, "cached": 0, "written": 10 * answers} for answers in (4, 2)]
    done = [({"broken.py": 1}, {}), ({}, {"rm broken.py": 1})]
    assert [tuple(one["work"].values()) for one in told] == [(*d, t) for d, t in zip(done, tokens, strict=True)]


def test_a_stop_while_a_sub_agent_works_in_the_background_is_not_counted(new_scene: NewScene) -> None:
    call = {"description": "look", "prompt": "Look", "subagent_type": "general-purpose", "run_in_background": True}
    until_waited_for = 'until grep -q \'"waited": *{"\' .untilgreen/sessions/*/loop_state.json; do sleep 0.05; done'
    scene = new_scene(
        [Tool("Agent", call), "I wait for it.", "It came back.", "And I am done."],
        subagent=[runs(until_waited_for), "I have looked."],
        files={"broken.py": UNUSED},
    )

    run = scene.ask("/untilgreen:loop --max-iterations 2 Send someone", tools=AGENTS)

    assert len(scene.model.main) == 4
    assert scene.feedback == [f"{line('1/2')}\n{RED}\nTask: Send someone\n{THEN}"]
    loop = scene.loop()
    assert [*loop["waited"].values(), loop["iteration"], loop["stop_reason"]] == [1, 2, "max-iterations"]
    assert scene.shown(run)[:2] == scene.visible(RUNNING.replace("1 of 10", "1 of 2"), round_notice("1/2"))


@pytest.mark.wide
@NEW_ONLY
def test_a_server_in_the_background_is_no_reason_to_let_go(new_scene: NewScene) -> None:
    serve = "#!/bin/sh\nwhile ! [ -e closed ]; do sleep 0.05; done\n"
    scene = new_scene(
        [runs("./serve.sh", run_in_background=True), "It serves.", runs("rm broken.py; touch closed"), "Mended."],
        files={"serve.sh": serve, "broken.py": UNUSED},
    )

    scene.ask("/untilgreen:loop Mend it")

    assert scene.feedback == [f"{line('1/10')}\n{RED}\nTask: Mend it\n{THEN}"]
    assert scene.loop()["stop_reason"] == "complete"


def test_a_line_that_cannot_be_understood_is_refused_before_the_model_sees_it(new_scene: NewScene) -> None:
    scene = new_scene()

    run = scene.ask("/untilgreen:loop fix it --bogus")

    assert (scene.model.main, scene.loops()) == ([], [])
    said = scene.shown(run)
    assert len(said) == len(scene.visible("the reason"))
    for text in (*said, run.result["result"]) if said else ():
        assert (
            "untilgreen failed: no such option --bogus. Fix: if it belongs to the task, put the task in quotes: "
        ) in text


@pytest.mark.wide
@NEW_ONLY
def test_findings_that_read_like_a_missing_hook_hold_all_the_same(new_scene: NewScene) -> None:
    # the host takes exit code 2 with "no such file" on stderr for a hook that is not there, if stdout is empty
    words = "python: can't open file '/x/stop_loop.py': [Errno 2] No such file or directory"
    script = f"import sys\nprint({words!r})\nsys.exit(1)\n"
    scene = new_scene(["Done.", "Done again."], files={"noise.py": script, "app.py": CLEAN})

    scene.ask("/untilgreen:loop --max-iterations 2 --check 'noise=python3 noise.py' Mend the noise")

    assert len(scene.feedback) == 1
    assert f"noise exit-1: {words}" in scene.feedback[0].split("\n")
    assert scene.loop()["stop_reason"] == "max-iterations"
