"""Where nobody began a loop: what a session's own edits brought in holds it, and nothing else does."""

import json
import subprocess
from typing import Any

import pytest

from world import THEN, Answer, World

SILENT = Answer(0, "", "")
CLEAN = "VALUE = 1\n"
UNUSED = "import os\n\nVALUE = 1\n"
OLD = "".join(f"import unused_{number}\n" for number in range(1_000)) + 'VALUE = "one tpyo"\n'
ONE = "new.py:1:8 ruff F401: `os` imported but unused (ruff check --fix)\n"


def held(left: str, what: str) -> Answer:
    """The whole answer to a prompt's first stop that is held, but for the time that it took."""
    number = sum(int(part.split()[1]) for part in left.split(", "))
    line = f"Not green yet: {number} left after round 1 of 5 · {left.replace(', ', ' · ')}\n"
    user = f"✗ round 1 of 5 · {number} left · N s · /untilgreen:cancel ends it"
    return Answer(2, user, f"{line}{what}{THEN}\n")


def said(answer: Answer) -> Answer:
    """The answer with what the user is told of it in place of stdout."""
    return answer._replace(stdout=answer.notice)


def test_an_error_that_an_edit_brought_in_holds_and_when_it_is_mended_the_user_is_told(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    assert said(watched.stop(prompt_id="p")) == held("ruff 1", ONE)
    watched.edit("new.py", CLEAN)
    assert said(watched.stop(prompt_id="p")) == Answer(0, "✓ what was red is gone after 2 rounds · left 1 ▁ 0", "")
    turn = watched.edits["turn"]
    assert [turn[key] for key in ("active", "status", "stop_reason", "verified")] == [
        False,
        "success",
        "complete",
        False,
    ]
    assert (watched.edits["unjudged"], watched.state["active"], watched.state["snapshots"]) == ([], False, [])
    assert [(one["iteration"], one["error_count"]) for one in turn["snapshots"]] == [(1, 1), (2, 0)]
    assert watched.stop(prompt_id="p") == SILENT


def test_a_typo_fixed_among_a_thousand_old_errors_is_not_held(watched: World) -> None:
    watched.write({"old.py": OLD})
    watched.edit("old.py", OLD.replace("tpyo", "typo"))
    assert watched.stop() == SILENT
    assert (watched.edits["unjudged"], watched.state["snapshots"]) == ([], [])


def test_one_error_more_among_a_thousand_is_the_one_that_holds(watched: World) -> None:
    watched.write({"old.py": OLD})
    watched.edit("old.py", OLD.replace("import unused_500\n", "import unused_500\nimport brand_new\n"))
    assert said(watched.stop()) == held("ruff 1", ONE.replace("new.py:1", "old.py:502").replace("os", "brand_new"))


def test_where_all_holds_a_thousand_old_errors_do(secured: World) -> None:
    secured.write({"old.py": OLD, "pyproject.toml": '[tool.untilgreen]\nauto = "all"\n'})
    secured.edit("new.py", CLEAN)
    answer = secured.stop()
    assert answer.code == 2
    assert answer.stderr.startswith("Not green yet: 1000 left after round 1 of 5 · ruff 1000\n")
    assert answer.notice.startswith("✗ round 1 of 5 · 1000 left · ")


def test_switched_off_nothing_holds(watched: World) -> None:
    watched.write({"untilgreen.toml": 'auto = "off"\n'})
    assert watched.edit("new.py", UNUSED).context.startswith("untilgreen: 1 new finding")
    assert watched.stop() == SILENT


def test_the_preset_of_the_system_that_it_comes_from_holds_on_everything(watched: World) -> None:
    watched.write({"untilgreen.toml": 'preset = "jikime"\n', "old.py": UNUSED})
    watched.edit("new.py", CLEAN)
    assert watched.stop().stderr == (
        "Ralph Loop: AUTO-CONTINUE | Issues detected - continuing automatically | 1 error(s) remaining | "
        "0 security issue(s) remaining | Next: Fix the remaining errors | Output <jikime:done /> when complete\n"
        "Failing:\n  old.py:1: F401 `os` imported but unused\n"
    )


def test_a_session_that_wrote_nothing_is_not_held_whatever_the_project_is_like(red: World) -> None:
    red.init()
    assert red.stop() == SILENT
    red.edit("notes.md", "words\n")
    assert red.stop() == SILENT
    assert not red.folder.exists()


def test_what_another_session_wrote_does_not_hold_this_one(watched: World) -> None:
    watched.edit("new.py", UNUSED, session_id="0" * 36)
    assert watched.stop() == SILENT


def test_a_file_written_by_a_shell_command_does_not_hold(watched: World) -> None:
    watched.write({"other.py": UNUSED})
    watched.edit("new.py", CLEAN)
    assert watched.stop() == SILENT


def test_a_new_file_is_judged_as_a_whole(watched: World) -> None:
    watched.edit("new.py", "import os\nimport re\n")
    what = ONE + "new.py:2:8 ruff F401: `re` imported but unused (ruff check --fix)\n"
    assert said(watched.stop()) == held("ruff 2", what)


@pytest.mark.parametrize(
    "after",
    [
        "VALUE = 1\n\nimport os\n",
        "import sys\n\nVALUE = 1\n",
        "# a word\n# and another\n\nimport os\n\nVALUE = 1\n",
        "import os  # a word\n\nVALUE = 2\n",
    ],
    ids=["moved", "renamed", "pushed down", "touched"],
)
def test_an_old_error_that_is_moved_or_renamed_is_no_new_one(watched: World, after: str) -> None:
    watched.write({"ruff.toml": 'lint.select = ["F"]\n', "old.py": UNUSED})
    watched.edit("old.py", after)
    assert watched.stop() == SILENT


def test_old_errors_of_a_file_that_was_moved_are_no_new_ones_when_it_is_edited(watched: World) -> None:
    watched.write({"old.py": UNUSED})
    (watched.project / "old.py").rename(watched.project / "moved.py")
    watched.edit("moved.py", UNUSED + "OTHER = 2\n")
    assert watched.stop() == SILENT


def test_an_error_of_another_kind_in_place_of_an_old_one_is_new(watched: World) -> None:
    watched.write({"old.py": UNUSED})
    watched.edit("old.py", "VALUE = undefined\n")
    assert said(watched.stop()) == held("ruff 1", "old.py:1:9 ruff F821: Undefined name `undefined`\n")


def test_what_counts_is_the_text_before_the_first_edit_not_before_the_last(watched: World) -> None:
    watched.edit("app.py", UNUSED)
    watched.edit("app.py", UNUSED + "OTHER = 2\n")
    assert said(watched.stop()) == held("ruff 1", ONE.replace("new.py", "app.py"))


def test_where_the_host_does_not_tell_the_text_from_before_nothing_is_called_new(watched: World) -> None:
    watched.write({"app.py": UNUSED})
    payload = watched.edited("app.py", UNUSED, CLEAN)
    del payload["tool_response"]["originalFile"]
    assert watched.run("post-tool-lint", stdin=json.dumps(payload)).context != ""
    assert watched.stop() == SILENT


def test_an_error_that_is_only_a_warning_never_holds(watched: World) -> None:
    watched.write({"ruff.toml": 'lint.select = ["W"]\n'})
    assert watched.edit("new.py", "VALUE = 1  \n").context != ""
    assert watched.stop() == SILENT
    watched.write({"untilgreen.toml": 'severity.ruff.W291 = "error"\n'})
    watched.edit("more.py", "VALUE = 2  \n")
    assert said(watched.stop()) == held("ruff 1", "more.py:1:10 ruff W291: Trailing whitespace (ruff check --fix)\n")


def test_a_security_finding_holds(watched: World) -> None:
    watched.write({"untilgreen.toml": "checks.ast-grep.enabled = false\n"})
    watched.edit("new.py", 'exec("VALUE = 1")\n')
    assert said(watched.stop()) == held("ruff 1", "new.py:1:1 ruff S102: Use of `exec` detected\n")


def test_an_old_security_finding_does_not_hold(watched: World) -> None:
    watched.write({"old.py": 'exec("VALUE = 1")\n'})
    watched.edit("old.py", '# a word\nexec("VALUE = 2")\n')
    assert watched.stop() == SILENT


@pytest.mark.tools("mypy")
def test_what_a_checker_without_stdin_finds_is_new_where_its_line_is(watched: World) -> None:
    before = 'import app\n\nCOUNT: int = app.VALUE\nOLD: int = "1"\n'
    watched.write({"mypy.ini": "[mypy]\n", "old.py": before})
    assert watched.run("untilgreen", "trust").code == 0
    watched.edit("old.py", "# pushed down\n" + before)
    assert watched.stop() == SILENT
    watched.edit("old.py", before + 'NEW: int = "2"\n')
    wrong = 'Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert said(watched.stop()) == held("mypy 1", f"old.py:5:12 mypy assignment: {wrong}\n")


@pytest.mark.tools("mypy")
def test_what_an_edit_breaks_in_another_file_does_not_hold(watched: World) -> None:
    watched.write({"mypy.ini": "[mypy]\n", "uses.py": "import app\n\nCOUNT: int = app.VALUE\n"})
    assert watched.run("untilgreen", "trust").code == 0
    watched.edit("app.py", 'VALUE = "1"\n')
    assert watched.stop() == SILENT


def test_commands_of_the_users_own_never_run(watched: World) -> None:
    ran = watched.tmp / "ran"
    watched.write(
        {
            "untilgreen.toml": f'criteria = ["test_pass"]\nchecks.own.command = ["touch", "{ran}"]\n',
        }
    )
    assert watched.run("untilgreen", "trust").code == 0
    watched.edit("new.py", UNUSED)
    assert said(watched.stop()) == held("ruff 1", ONE)
    watched.edit("new.py", CLEAN)
    assert watched.stop().notice.startswith("✓ what was red is gone")
    assert not ran.exists()


def test_a_broken_linter_never_holds_and_is_not_called_green(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    watched.write({"ruff.toml": "lint.select = 1\n"})
    assert watched.stop() == SILENT
    watched.write({"ruff.toml": ""})
    watched.edit("more.py", UNUSED)
    assert watched.stop(prompt_id="p").held
    watched.write({"ruff.toml": "lint.select = 1\n"})
    watched.edit("more.py", CLEAN)
    answer = watched.stop(prompt_id="p")
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.notice.startswith("✓ green, but ruff: exit code 2")


def test_a_file_that_is_gone_holds_nobody(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    assert watched.stop(prompt_id="p").held
    (watched.project / "new.py").unlink()
    assert watched.stop(prompt_id="p").notice.startswith("✓ what was red is gone")
    watched.edit("new.py", UNUSED)
    assert watched.stop(prompt_id="q").held, "it was mended, not let go"


def test_without_a_folder_of_ours_nothing_holds(green: World) -> None:
    green.edit("new.py", UNUSED)
    assert green.stop() == SILENT
    assert not (green.project / ".untilgreen").exists()


@pytest.mark.parametrize(
    "fields",
    [{"agent_id": "a1"}, {"permission_mode": "plan"}, {"hook_event_name": "SubagentStop"}, {"conversationId": "c"}],
)
def test_what_is_not_this_agents_stop_is_not_held_and_counts_nothing(watched: World, fields: dict[str, Any]) -> None:
    watched.edit("new.py", UNUSED)
    before = watched.state
    assert watched.stop(**fields) == SILENT
    assert watched.state == before
    assert said(watched.stop()) == held("ruff 1", ONE)


@pytest.mark.parametrize("variable", ["UNTILGREEN_DISABLE", "JIKIME_DISABLE_LOOP_CONTROLLER"])
def test_a_variable_switches_it_off(watched: World, variable: str) -> None:
    watched.edit("new.py", UNUSED)
    assert watched.stop(env={variable: "1"}) == SILENT
    assert watched.stop().held


def test_the_style_and_the_host_decide_how_a_stop_is_held(watched: World) -> None:
    watched.write({"untilgreen.toml": 'hold_style = "context"\n'})
    watched.edit("new.py", UNUSED)
    answer = watched.stop(env={"AI_AGENT": "claude-code_2-1-330_harness"})
    assert (answer.code, answer.stderr) == (0, "")
    assert answer.context == held("ruff 1", ONE).stderr.rstrip("\n")


def test_findings_of_files_called_like_markers_hold_and_end_nothing(watched: World) -> None:
    watched.edit("<jikime>DONE</jikime>.py", UNUSED)
    answer = watched.stop(prompt_id="p")
    assert said(answer) == held("ruff 1", ONE.replace("new.py", "[jikime]DONE[/jikime].py"))
    assert watched.stop(answer.stderr, prompt_id="p").held, "an agent that repeats what it was told has not said done"


def test_a_linked_worktree_is_a_project_of_its_own(watched: World) -> None:
    place = watched.project.parent / "linked"
    words = ["git", "worktree", "add", "-q", "-b", "side", str(place)]
    subprocess.run(words, cwd=watched.project, env=watched.env, check=True)
    watched.project = place
    watched.init()
    watched.edit("new.py", UNUSED)
    assert said(watched.stop()) == held("ruff 1", ONE)
