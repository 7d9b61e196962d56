"""What edit hooks say of a file that was just written, to whoever wrote it; and when they say nothing."""

import json
from pathlib import Path
from typing import Any

import pytest

import tables
from untilgreen.project import trust
from world import THEN, Answer, World, told

pytestmark = pytest.mark.tools("mypy", "ast-grep", "bandit")

SILENT = Answer(0, "", "")
CLEAN = "VALUE = 1\n"
UNUSED = "import os\n\nVALUE = 1\n"
ONE_NEW = "untilgreen: 1 new finding in new.py\nnew.py:1:8: F401 `os` imported but unused"
HOOKS = ["post-tool-lint", "post-tool-lsp", "post-tool-ast-grep"]


def sent(world: World, payload: object, hook: str = "post-tool-lint", **env: str) -> Answer:
    """What the hook answers to a payload that is not one of `world.edit`."""
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return world.run(hook, stdin=text, env=env)


def test_a_finding_of_a_new_file_is_told_with_its_line_and_rule(watched: World) -> None:
    assert watched.edit("new.py", UNUSED) == told(ONE_NEW)


OLD = "".join(f"import mod_{number:02}\n" for number in range(20)) + "\nVALUE = 1\n"
NEW_IN_OLD = "untilgreen: 1 new finding in old.py\nold.py:23:9: F821 Undefined name `undefined`"


def test_of_an_old_file_with_twenty_findings_the_one_that_the_edit_added_is_told_alone(watched: World) -> None:
    watched.write({"old.py": OLD})
    assert watched.edit("old.py", f"{OLD}OTHER = undefined\n") == told(NEW_IN_OLD)
    assert watched.edit("old.py", f"# moved\n{OLD}OTHER = undefined\n") == SILENT, "the same list is not told twice"
    assert watched.edit("old.py", f"{OLD}OTHER = 1\n") == SILENT
    assert watched.edit("old.py", f"{OLD}OTHER = undefined\n") == told(NEW_IN_OLD), "it came back"


def test_an_edit_of_an_old_file_that_adds_nothing_is_met_with_silence(watched: World) -> None:
    watched.write({"old.py": OLD})
    assert watched.edit("old.py", f"# a comment\n{OLD}") == SILENT
    assert watched.state["current"]["error_count"] == 20


def test_in_a_loop_that_counts_old_findings_an_edit_tells_the_new_one_alone(watched: World) -> None:
    watched.write({"old.py": OLD})
    watched.start("x")
    assert watched.edit("old.py", f"{OLD}OTHER = undefined\n") == told(NEW_IN_OLD)


def test_a_type_error_that_was_there_is_not_told_when_another_is_added(watched: World) -> None:
    watched.write({"mypy.ini": "[mypy]\n", "old.py": 'ONE: int = "1"\n'})
    watched.trust()
    wrong = 'Incompatible types in assignment (expression has type "str", variable has type "int")'
    assert watched.edit("old.py", 'ONE: int = "1"\nTWO: int = "2"\n', hook="post-tool-lsp") == told(
        f"untilgreen: 1 new finding in old.py\nold.py:2:12: assignment {wrong}"
    )


def test_errors_come_before_warnings(watched: World) -> None:
    watched.write({"ruff.toml": 'lint.select = ["F", "W"]\n'})
    text = "VALUE = 1  \nOTHER = undefined\n"
    assert watched.edit("new.py", text) == told(
        "untilgreen: 2 new findings in new.py\n"
        "new.py:2:9: F821 Undefined name `undefined`\n"
        "new.py:1:10: W291 Trailing whitespace"
    )


def test_of_many_findings_twenty_are_listed_and_the_others_counted(watched: World) -> None:
    names = [f"name_{number:03}" for number in range(120)]
    answer = watched.edit("many.py", "\n".join(names) + "\n")
    head, *listed, last = answer.context.split("\n")
    assert head == "untilgreen: 240 new findings in many.py"
    assert len(listed) == 20
    assert last == "... and 220 more"
    assert answer == told(answer.context)


def test_in_a_loop_a_linter_looks_for_security_where_it_was_asked_to(watched: World) -> None:
    unsafe = "def read(text: str) -> object:\n    return eval(text)\n"
    watched.start("x")
    assert watched.edit("new.py", unsafe) == SILENT
    watched.start("x", "--zero-security", "--allow-absent", "--replace")
    assert "S307" in watched.edit("more.py", unsafe).context


def test_a_file_without_findings_is_met_with_silence(watched: World) -> None:
    assert watched.edit("new.py", CLEAN) == SILENT


def test_what_was_mended_is_not_told_again(watched: World) -> None:
    assert watched.edit("new.py", UNUSED) == told(ONE_NEW)
    assert watched.edit("new.py", CLEAN) == SILENT


@pytest.mark.parametrize("hook", HOOKS)
def test_a_text_that_no_checker_reads_is_met_with_silence(watched: World, hook: str) -> None:
    assert watched.edit("notes.md", "import os\n", hook=hook) == SILENT
    assert not watched.folder.exists()


@pytest.mark.parametrize("hook", HOOKS)
def test_without_a_state_folder_nothing_is_looked_at(green: World, hook: str) -> None:
    assert green.edit("new.py", UNUSED, hook=hook) == SILENT
    assert not (green.project / ".untilgreen").exists()


def test_where_the_host_does_not_tell_the_text_from_before_nothing_is_called_new(watched: World) -> None:
    watched.write({"new.py": UNUSED})
    payload = watched.edited("new.py", UNUSED, CLEAN)
    del payload["tool_response"]["originalFile"]
    assert sent(watched, payload) == told("untilgreen: 1 finding in new.py\nnew.py:1:8: F401 `os` imported but unused")


@pytest.mark.parametrize("response", [None, [], "done", 1, {}, {"originalFile": 1}])
def test_a_response_of_another_shape_is_no_obstacle(watched: World, response: Any) -> None:
    watched.write({"new.py": UNUSED})
    payload = watched.edited("new.py", UNUSED, None) | {"tool_response": response}
    assert sent(watched, payload) == told("untilgreen: 1 finding in new.py\nnew.py:1:8: F401 `os` imported but unused")


def test_several_edits_in_one_are_one_edit(watched: World) -> None:
    watched.write({"new.py": UNUSED})
    payload = watched.edited("new.py", UNUSED, CLEAN) | {"tool_name": "MultiEdit"}
    payload["tool_input"] = {"file_path": payload["tool_input"]["file_path"], "edits": [{"old_string": "", "n": 1}]}
    assert sent(watched, payload) == told(ONE_NEW)


def test_a_cell_of_a_notebook_is_looked_at(watched: World) -> None:
    def notebook(source: str) -> str:
        code: dict[str, Any] = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
        cells = [{"cell_type": "markdown", "metadata": {}, "source": ["# A title"]}, code | {"source": [source]}]
        return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5})

    before, after = notebook("VALUE = 1"), notebook("import os")
    watched.write({"work.ipynb": after})
    path = str(watched.project / "work.ipynb")
    payload = watched.edited("work.ipynb", after, before) | {
        "tool_name": "NotebookEdit",
        "tool_input": {"notebook_path": path, "cell_id": "cell-1", "new_source": "import os"},
        "tool_response": {"new_source": "import os", "cell_type": "code", "language": "python", "edit_mode": "replace"}
        | {"notebook_path": path, "original_file": before, "updated_file": after},
    }
    assert sent(watched, payload) == told(
        "untilgreen: 1 new finding in work.ipynb\nwork.ipynb: F401 cell 2: `os` imported but unused"
    )
    assert watched.stop().stderr.split("\n")[1:3] == [
        "work.ipynb ruff F401: cell 2: `os` imported but unused (ruff check --fix)",
        THEN,
    ]


@pytest.mark.parametrize("recorded", ["a00-smoke.03-PostToolUse-Edit.json", "a00-smoke.04-PostToolUse-Write.json"])
def test_a_recorded_edit_is_understood(watched: World, recorded: str) -> None:
    path = Path(__file__).parent / "payloads" / "claude-code" / "2.1.330" / recorded
    call = json.loads(path.read_text())
    project = str(watched.project)
    stdin = call["stdin"].replace("/tmp/project", project).replace("notes.txt", "notes.py")
    name = json.loads(stdin)["tool_response"]["filePath"].removeprefix(project + "/")
    watched.write({name: UNUSED})
    assert sent(watched, stdin, **call["env"] | {"CLAUDE_PROJECT_DIR": project}) == told(
        ONE_NEW.replace("new.py", name)
    )


def test_a_sub_agents_edit_is_told_to_it_and_kept_for_its_session(watched: World) -> None:
    assert watched.edit("new.py", UNUSED, agent_id="a1", agent_type="general-purpose") == told(ONE_NEW)
    assert (watched.edits["written"], watched.edits["unjudged"]) == (["new.py"], ["new.py"])
    assert watched.stop().held


def test_without_a_session_it_is_told_and_nothing_stored(watched: World) -> None:
    watched.write({"new.py": UNUSED})
    payload = watched.edited("new.py", UNUSED, None)
    del payload["session_id"]
    assert [sent(watched, payload) for _ in range(2)] == [told(ONE_NEW)] * 2
    assert not (watched.project / ".untilgreen" / "sessions").exists()


@pytest.mark.parametrize("fields", tables.literal("edits", "what is no edit of this host is met"))
@pytest.mark.parametrize("hook", HOOKS)
def test_what_is_no_edit_of_this_host_is_met_with_silence(watched: World, fields: dict[str, Any], hook: str) -> None:
    watched.write({"new.py": UNUSED})
    assert sent(watched, watched.edited("new.py", UNUSED, None) | fields, hook) == SILENT
    assert not watched.folder.exists()


@pytest.mark.parametrize("hook", HOOKS)
@pytest.mark.parametrize(
    ("payload", "why"),
    [
        ("", "the payload is empty"),
        ("[]", "the payload is not a JSON object but list"),
        ('{"session_id": 5}', "the payload has no usable session_id"),
        ('{"session_id": ""}', "the payload has no usable session_id"),
        ("[" * 100_000, "the payload is nested too deeply"),
    ],
)
def test_a_payload_that_is_none_is_said(watched: World, payload: str, why: str, hook: str) -> None:
    answer = sent(watched, payload, hook)
    assert (answer.code, answer.stderr, answer.notice) == (0, "", f"untilgreen: {why}; no file was looked at")


@pytest.mark.parametrize(
    ("hook", "variable"),
    [
        *((hook, "UNTILGREEN_DISABLE") for hook in HOOKS),
        ("post-tool-lint", "JIKIME_DISABLE_LOOP_CONTROLLER"),
        ("post-tool-lsp", "JIKIME_DISABLE_LSP_DIAGNOSTIC"),
        ("post-tool-ast-grep", "JIKIME_DISABLE_AST_GREP_SCAN"),
    ],
)
def test_a_variable_switches_a_hook_off(watched: World, hook: str, variable: str) -> None:
    watched.write({"mypy.ini": "[mypy]\n", ".bandit": "[bandit]\n"})
    assert watched.run("untilgreen", "trust").code == 0
    wrong = 'import os\n\nVALUE: int = "1"\nexec("1")\n'
    assert watched.edit("new.py", wrong, hook=hook, env={variable: "1"}) == SILENT
    assert not watched.folder.exists()
    assert watched.edit("more.py", wrong, hook=hook, env={variable: "0"}).context.startswith("untilgreen: ")


@pytest.mark.parametrize("place", ["user", "project", "session"])
def test_an_off_file_switches_the_hooks_off(watched: World, place: str) -> None:
    folders = {
        "user": watched.home / ".local" / "state" / "untilgreen",
        "project": watched.project / ".untilgreen",
        "session": watched.folder,
    }
    folders[place].mkdir(parents=True, exist_ok=True)
    (folders[place] / "off").touch()
    assert watched.edit("new.py", UNUSED) == SILENT
    (folders[place] / "off").unlink()
    assert watched.edit("more.py", UNUSED).context != ""


def test_where_nobody_trusted_the_project_none_of_its_own_code_runs(secured: World) -> None:
    trust.revoke(str(secured.project), secured.env)
    secured.env["UNTILGREEN_STATE_DIR"] = ".untilgreen"  # the user's own word: the state is ours all the same
    ran = secured.tmp / "ran"
    own = f"#!/bin/sh\ntouch {ran}\n"
    secured.write({"mypy.ini": "[mypy]\n", ".bandit": "[bandit]\n", ".venv/bin/mypy": own, ".venv/bin/ruff": own})
    for name in ("mypy", "ruff"):
        (secured.project / ".venv" / "bin" / name).chmod(0o755)
    wrong = 'import os\n\nVALUE: int = "1"\n'
    assert secured.edit("new.py", wrong) == told(ONE_NEW)
    assert secured.edit("new.py", wrong, hook="post-tool-lsp") == SILENT
    risky = secured.edit("new.py", 'exec(input("what? "))\n', hook="post-tool-ast-grep")
    assert risky.context.startswith("untilgreen: 1 new finding in new.py\nnew.py:1:1: ")
    assert not ran.exists()


def test_a_linter_that_does_not_work_is_said_once_and_again_when_it_broke_anew(watched: World) -> None:
    broken = {"ruff.toml": "lint.select = 1\n"}
    watched.write(broken)
    said = watched.edit("new.py", UNUSED)
    assert said.context.startswith("untilgreen: ruff did not do its work on new.py: exit code 2")
    assert said == told(said.context)
    assert watched.edit("new.py", UNUSED + "# more\n") == SILENT
    watched.write({"ruff.toml": ""})
    assert watched.edit("new.py", UNUSED).context != ""
    watched.write(broken)
    assert watched.edit("new.py", UNUSED) == said


def test_what_one_checker_finds_and_what_another_could_not_do_are_told_in_lines_of_their_own(watched: World) -> None:
    found = "new.py:1: error: Bad  [misc]\\nFound 1 error in 1 file (checked 1 source file)\\n"
    for name, script in (("mypy", f"printf '{found}'; exit 1"), ("pyright", "echo no; exit 3")):
        (watched.programs / name).unlink(missing_ok=True)  # a link to the real one
        (watched.programs / name).write_text(f"#!/bin/sh\n{script}\n")
        (watched.programs / name).chmod(0o755)
    watched.write({"mypy.ini": "[mypy]\n", "pyrightconfig.json": "{}\n"})
    assert watched.run("untilgreen", "trust").code == 0
    lines = watched.edit("new.py", CLEAN, hook="post-tool-lsp").context.splitlines()
    assert (len(lines), lines[1]) == (3, "new.py:1: misc Bad")
    assert lines[2].startswith("untilgreen: pyright did not do its work on new.py: ")


def test_one_call_does_the_work_of_three_and_answers_once(secured: World) -> None:
    secured.write({"mypy.ini": "[mypy]\n", "ruff.toml": 'lint.select = ["F", "S"]\n'})
    assert secured.run("untilgreen", "trust").code == 0
    wrong = 'import os\n\nVALUE: int = "1"\nexec(input())\nOTHER = undefined\n'
    secured.write({"new.py": wrong})
    payload = secured.edited("new.py", wrong, None)
    answer = secured.run("post-tool-lint", "--with", "lsp,ast-grep", stdin=json.dumps(payload))
    head, *found = answer.context.split("\n")
    assert (head, [line.split(" ")[1] for line in found]) == (
        "untilgreen: 4 new findings in new.py",
        ["F401", "assignment", "S102", "F821"],
    ), "the risk and the name that several checks know are told once"
    assert {*secured.state["current"]["outcomes"].values()} == {"found"}
    assert {name for one in secured.state["current"]["file_details"] for name in one["by_check"]} == {
        *("ruff", "mypy", "ast-grep")
    }
    assert secured.run("post-tool-lint", "--with", "lsp,ast-grep", stdin=json.dumps(payload)) == SILENT
    for hook in HOOKS:
        assert sent(secured, payload, hook) == SILENT, "what was told is told by none of them alone"


def test_of_what_one_call_does_a_variable_switches_a_part_off(watched: World) -> None:
    watched.write({"mypy.ini": "[mypy]\n"})
    assert watched.run("untilgreen", "trust").code == 0
    wrong = 'import os\n\nVALUE: int = "1"\n'
    watched.write({"new.py": wrong})
    payload = json.dumps(watched.edited("new.py", wrong, None))
    off = {"JIKIME_DISABLE_LSP_DIAGNOSTIC": "1"}
    assert watched.run("post-tool-lint", "--with", "lsp,ast-grep", stdin=payload, env=off) == told(ONE_NEW)


def test_a_file_that_the_linters_own_configuration_leaves_out_is_left_alone(watched: World) -> None:
    watched.write({"ruff.toml": 'extend-exclude = ["skipped"]\n'})
    assert watched.edit("skipped/new.py", UNUSED) == SILENT
    assert watched.stop() == SILENT


def test_a_broken_configuration_is_told_at_the_stop_and_not_at_each_edit(watched: World) -> None:
    watched.write({"untilgreen.toml": 'auto = "sometimes"\n'})
    assert [watched.edit("new.py", UNUSED + "#\n" * number) for number in range(2)] == [SILENT] * 2
    stopped = watched.stop()
    assert (stopped.code, stopped.stderr) == (0, "")
    assert stopped.notice == (
        'untilgreen: the stop was not judged: untilgreen.toml:1: auto is "sometimes". Fix: give one of new, all, off'
    )
    watched.write({"untilgreen.toml": ""})
    assert watched.stop().held, "what was written meanwhile is not forgotten"


def test_a_checker_that_the_configuration_switches_off_is_silent(watched: World) -> None:
    watched.write({"untilgreen.toml": "checks.ruff.enabled = false\n"})
    assert watched.edit("new.py", UNUSED) == SILENT
    assert watched.stop() == SILENT


def test_the_configuration_decides_how_bad_a_rule_is(watched: World) -> None:
    watched.write({"untilgreen.toml": 'severity.ruff.F401 = "info"\n'})
    assert watched.edit("new.py", UNUSED) == SILENT
    assert watched.state["current"]["info_count"] == 1


def test_unreadable_state_is_said_and_put_aside(watched: World) -> None:
    watched.folder.mkdir(parents=True)
    (watched.folder / "loop_state.json").write_text("{")
    answer = watched.edit("new.py", UNUSED)
    assert (answer.code, answer.stderr) == (0, "")
    kept = f"it is kept as loop_state.json.corrupt-1; {watched.project / 'new.py'} was not looked at"
    assert answer.notice.endswith(kept)
    assert watched.edit("more.py", UNUSED).context != ""


def test_state_that_cannot_be_written_keeps_nobody_from_being_told(watched: World) -> None:
    watched.folder.parent.mkdir()
    watched.folder.touch()
    assert watched.edit("new.py", UNUSED) == told(ONE_NEW)
    assert "the edit of new.py was not recorded" in (watched.project / ".untilgreen" / "untilgreen.log").read_text()
