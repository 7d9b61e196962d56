"""What edit hooks keep of their findings: replaced and never added, for the session's loop and without one."""

import json
import time
import uuid
from typing import Any

import pytest

from world import Answer, World

pytestmark = pytest.mark.tools("mypy", "ast-grep", "bandit")

CLEAN = "VALUE = 1\n"
UNUSED = "import os\n\nVALUE = 1\n"
SILENT = Answer(0, "", "")


def counts(world: World) -> tuple[int, int, int, int]:
    """Errors, warnings, infos and security findings of `current`."""
    now = world.state["current"]
    return now["error_count"], now["warning_count"], now["info_count"], now["security_issues"]


def details(world: World) -> dict[str, dict[str, dict[str, int]]]:
    """File to check to severity to number, as `current` has it; the sums of each file must fit."""
    found = {}
    for file in world.state["current"]["file_details"]:
        for field, severity in (
            ("error_count", "error"),
            ("warning_count", "warning"),
            ("security_issues", "security"),
        ):
            assert file[field] == sum(one.get(severity, 0) for one in file["by_check"].values())
        found[file["path"]] = file["by_check"]
    return found


def running(world: World) -> None:
    world.start("x", "--completion-promise", "YES")


def without(world: World) -> None:
    """Nobody began a loop."""


@pytest.mark.parametrize("begin", [running, without])
def test_findings_of_a_file_replace_those_that_were_kept_of_it(watched: World, begin: Any) -> None:
    begin(watched)
    texts = [UNUSED, "import os\nimport re\n\nVALUE = 1\n", "import re\n\nVALUE = 1\n", "VALUE = undefined\n", CLEAN]
    seen = []
    for text in texts:
        watched.edit("new.py", text)
        seen.append((counts(watched), details(watched)))
    one: Any = {"new.py": {"ruff": {"error": 1}}}
    two: Any = {"new.py": {"ruff": {"error": 2}}}
    assert seen == [((1, 0, 0, 0), one), ((2, 0, 0, 0), two), ((1, 0, 0, 0), one), ((1, 0, 0, 0), one), ((0,) * 4, {})]
    assert watched.state["current"]["outcomes"] == {"ruff": "clean"}
    assert (watched.edits["written"], watched.edits["unjudged"]) == (["new.py"], ["new.py"])


def test_each_tool_and_each_file_counts_for_itself(watched: World) -> None:
    watched.write({"mypy.ini": "[mypy]\n"})
    assert watched.run("untilgreen", "trust").code == 0
    wrong = 'import os\n\nVALUE: int = "1"\n'
    watched.edit("new.py", wrong)
    watched.edit("new.py", wrong, hook="post-tool-lsp")
    watched.edit("other.py", UNUSED)
    both: dict[str, Any] = {"ruff": {"error": 1}, "mypy": {"error": 1}}
    assert (counts(watched), details(watched)) == ((3, 0, 0, 0), {"new.py": both, "other.py": {"ruff": {"error": 1}}})
    watched.edit("new.py", UNUSED, hook="post-tool-lsp")
    del both["mypy"]
    assert (counts(watched), details(watched)) == ((2, 0, 0, 0), {"new.py": both, "other.py": {"ruff": {"error": 1}}})
    assert watched.state["current"]["outcomes"] == {"ruff": "found", "mypy": "clean"}


def test_what_a_type_checker_finds_elsewhere_is_kept_but_not_told(watched: World) -> None:
    watched.write(
        {"mypy.ini": "[mypy]\n", "uses.py": "from new import NAME\n\nCOUNT: int = NAME\n", "new.py": "NAME = 1\n"}
    )
    assert watched.run("untilgreen", "trust").code == 0
    assert watched.edit("new.py", 'NAME = "1"\n', hook="post-tool-lsp") == SILENT
    assert details(watched) == {"uses.py": {"mypy": {"error": 1}}}
    assert watched.edit("new.py", "NAME = 1\n", hook="post-tool-lsp") == SILENT
    assert (counts(watched), details(watched)) == ((0, 0, 0, 0), {})


def test_a_broken_check_leaves_what_was_known(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    watched.write({"ruff.toml": "lint.select = 1\n"})
    watched.edit("new.py", CLEAN)
    assert (counts(watched), details(watched)) == ((1, 0, 0, 0), {"new.py": {"ruff": {"error": 1}}})
    assert watched.state["current"]["outcomes"] == {"ruff": "broken"}


def test_an_edit_after_a_stop_refreshes_what_the_stop_saw(watched: World) -> None:
    watched.write({"app.py": UNUSED, "old.py": UNUSED})
    watched.start("mend it")
    assert watched.stop().held
    assert counts(watched) == (2, 0, 0, 0)
    watched.edit("app.py", CLEAN)
    assert (counts(watched), details(watched)) == ((1, 0, 0, 0), {"old.py": {"ruff": {"error": 1}}})
    assert [one["error_count"] for one in watched.state["snapshots"]] == [2], "what a stop saw stays as it was"
    watched.edit("old.py", CLEAN)
    assert (counts(watched), details(watched)) == ((0, 0, 0, 0), {})
    assert watched.stop().notice.startswith("Ralph Loop: COMPLETE - All conditions satisfied")


def test_a_stop_without_a_loop_refreshes_what_edits_saw(secured: World) -> None:
    secured.edit("new.py", UNUSED)
    secured.write({"new.py": CLEAN})  # by a shell command: no hook is called
    assert secured.stop() == SILENT
    assert (counts(secured), details(secured)) == ((0, 0, 0, 0), {})
    assert secured.state["current"]["outcomes"] == {"ruff": "clean", "ast-grep": "clean"}


def test_a_file_counts_once_although_an_edit_knows_less_of_the_project_than_a_stop(watched: World) -> None:
    watched.write({"backend/pyproject.toml": "", "scripts/x.py": CLEAN})
    watched.edit("backend/new.py", UNUSED)
    assert watched.stop().held
    assert (counts(watched), details(watched)) == ((1, 0, 0, 0), {"backend/new.py": {"ruff": {"error": 1}}})
    watched.edit("backend/new.py", UNUSED + "# more\n")
    assert counts(watched) == (1, 0, 0, 0)


def test_a_running_loop_decides_where_a_checker_runs_and_what_it_looks_for(watched: World) -> None:
    watched.write({"backend/pyproject.toml": ""})
    watched.start("x", "--zero-security")
    watched.edit("backend/new.py", 'exec("1")\n')
    assert details(watched)["backend/new.py"].keys() == {"ruff"}
    assert counts(watched)[3] == 1


def test_what_edits_know_goes_on_from_one_loop_of_a_session_to_the_next(watched: World) -> None:
    watched.edit("one.py", CLEAN)
    running(watched)
    watched.edit("two.py", CLEAN)
    watched.start("y", "--completion-promise", "YES", "--replace")
    watched.edit("three.py", CLEAN)
    assert (watched.state["active"], watched.edits["written"]) == (True, ["one.py", "two.py", "three.py"])


def test_two_sessions_keep_their_edits_apart(watched: World) -> None:
    other = str(uuid.uuid4())
    watched.edit("one.py", UNUSED)
    watched.edit("two.py", UNUSED, session_id=other)
    theirs = json.loads((watched.folder.parent / other / "edits.json").read_text())
    assert (watched.edits["written"], theirs["written"]) == (["one.py"], ["two.py"])


def test_two_hooks_at_once_lose_nothing_of_each_other(watched: World) -> None:
    watched.write({"mypy.ini": "[mypy]\n", "new.py": 'import os\n\nVALUE: int = "1"\n'})
    assert watched.run("untilgreen", "trust").code == 0
    payload = json.dumps(watched.edited("new.py", "", None))
    hooks = [watched.begin(name, stdin=payload) for name in ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")]
    assert [watched.end(hook).code for hook in hooks] == [0, 0, 0]
    assert details(watched) == {"new.py": {"ruff": {"error": 1}, "mypy": {"error": 1}}}
    assert [path.read_text() for path in (watched.folder / "originals").iterdir()] == [""]


def test_state_of_a_session_without_a_loop_has_the_shape_of_a_loops(watched: World) -> None:
    watched.edit("new.py", UNUSED)
    state = watched.state
    assert [state[key] for key in ("schema_version", "active", "status", "iteration", "max_iterations")] == [
        *(2, False, "waiting", 1, 10)
    ]
    assert (state["session_id"], state["project"]) == (watched.session, str(watched.project))
    assert (state["snapshots"], state["stop_reason"]) == ([], None)
    assert watched.edits == {
        "schema_version": 2,
        "session_id": watched.session,
        "project": str(watched.project),
        "written": ["new.py"],
        "unjudged": ["new.py"],
        "let_go": [],
        "tested": {},
        "told": {"post-tool-lint new.py": "e8fa37254d0e7efc"},
        "off": False,
        "turn": None,
    }
    assert watched.run("untilgreen", "status").stdout.startswith("untilgreen: no loops here yet")


def test_the_configuration_is_validated_once_and_then_read(watched: World) -> None:
    watched.write({"untilgreen.toml": "stagnation_limit = 2\n"})
    watched.edit("new.py", CLEAN)
    resolved = watched.project / ".untilgreen" / "config.json"
    assert json.loads(resolved.read_text())["settings"] == {"stagnation_limit": 2}
    before = resolved.stat().st_mtime_ns
    watched.edit("new.py", UNUSED)
    assert resolved.stat().st_mtime_ns == before
    time.sleep(0.01)
    watched.write({"untilgreen.toml": "stagnation_limit = 12\n"})
    watched.edit("new.py", CLEAN)
    assert json.loads(resolved.read_text())["settings"] == {"stagnation_limit": 12}
