"""What a hook call imports, path by path: start-up is the product, and modules do not depend on the machine.

The ratios that follow from it are printed by `make bench`.
"""

import json
import subprocess
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path

import pytest

import tables
import untilgreen
from untilgreen import checkers
from untilgreen.cli.installing import command_forms
from untilgreen.core import languages
from world import World

FOLDER = Path(untilgreen.__file__).parent
PARSED = ("json", "re", "fcntl", "collections.abc", "contextlib", "errno", "pwd", "gc", "types", "os", "sys")
CHECKED = (*PARSED, "subprocess", "hashlib", "selectors", "signal", "stat", "importlib", "_blake2", "_sha1", "zlib")
NEVER = {
    *("tomllib", "dataclasses", "pathlib", "logging", "asyncio", "tempfile", "shutil", "inspect", "random", "argparse"),
    *("click", "pydantic", "orjson", "untilgreen.cli"),
}
OTHER = "0" * 36
# what a call costs that is nobody's business: who called, and where
BARE = {
    "untilgreen",
    *(
        f"untilgreen.{name}"
        for name in (
            *("entry", "hosts", "state", "state.call_marks", "state.place"),
            *("project", "project.files", "project.toplevel", "project.trust"),
        )
    ),
}


def said_by(stderr: str) -> frozenset[str]:
    """The modules that `-X importtime` names."""
    lines = [line for line in stderr.splitlines() if line.startswith("import time:") and "[us]" not in line]
    return frozenset(line.rpartition("|")[2].strip() for line in lines)


def modules(*words: str, stdin: str = "", env: Mapping[str, str] | None = None) -> frozenset[str]:
    """The modules that `python -I` imports on its way through these words."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "importtime", *words],
        input=stdin.encode(),
        env=env,
        capture_output=True,
        timeout=60,
        check=False,
    )
    return said_by(done.stderr.decode("utf-8", "replace"))


@cache
def allowed(names: tuple[str, ...]) -> frozenset[str]:
    """These modules and what they load, beside what the bare interpreter does."""
    return modules("-c", "".join(f"import {name}\n" for name in names))


def hook(name: str, payload: object, env: Mapping[str, str]) -> tuple[set[str], set[str]]:
    """Our own modules and all others that a hook imports, run as it is registered, beyond the bare interpreter's."""
    text = payload if isinstance(payload, str) else json.dumps(payload, separators=(",", ":"))
    loaded = modules("-c", command_forms.code(name, str(FOLDER.parent)), stdin=text, env=env) - allowed(())
    own = {module for module in loaded if module.partition(".")[0] == "untilgreen"}
    return own, set(loaded - own)


def known(world: World, session: str = "") -> dict[str, str]:
    """The environment in which Claude Code runs a hook."""
    session = session or world.session
    return world.env | {"CLAUDE_PROJECT_DIR": str(world.project), "CLAUDE_CODE_SESSION_ID": session}


def event(world: World, name: str, **fields: object) -> dict[str, object]:
    """A payload of another event than Stop."""
    return {"session_id": world.session, "cwd": str(world.project), "hook_event_name": name} | fields


@pytest.mark.parametrize("name", ["stop-loop", "session-loop", "post-tool-bash"])
def test_a_hook_that_is_switched_off_imports_nothing(red: World, name: str) -> None:
    red.start("x", "--completion-promise", "DONE")
    own, others = hook(name, red.payload(), known(red) | {"UNTILGREEN_DISABLE": "1"})
    assert (own, others) == (BARE, set())


HELLO = {"hook_event_name": "UserPromptSubmit", "prompt": "hello"}


@pytest.mark.parametrize(
    ("name", "payload", "there"),
    [
        ("stop-loop", {"hook_event_name": "Stop"}, False),
        ("post-tool-bash", {"hook_event_name": "PostToolUse", "tool_name": "Bash"}, False),
        ("session-loop", {"hook_event_name": "SessionStart", "source": "startup"}, False),
        ("session-loop", {"hook_event_name": "SessionEnd", "reason": "other"}, False),
        ("session-loop", HELLO, False),
        ("stop-loop", {"hook_event_name": "Stop"}, True),
        ("post-tool-bash", {"hook_event_name": "PostToolUseFailure", "tool_name": "Bash"}, True),
        ("session-loop", HELLO, True),
    ],
)
def test_where_there_is_no_state_folder_or_another_sessions_loop_a_hook_imports_nothing(
    red: World, name: str, payload: dict[str, object], there: bool
) -> None:
    if there:
        red.start("x", "--completion-promise", "DONE")
    own, others = hook(name, event(red, "", session_id=OTHER) | payload, known(red, OTHER))
    assert (own, others) == (BARE, set())


def check_parsed(own: set[str], others: set[str]) -> None:
    assert others - allowed(PARSED) == set()
    assert not (own | others) & NEVER
    assert not own & {
        f"untilgreen.{name}"
        for name in (
            "checks.run.checking",
            "checks.run.processes",
            "project.tree.worktree",
            "loops.begin.starting",
            "project.fakes.text",
            "core.verdict.markers",
        )
    }


def check_checked(name: str, payload: object, env: Mapping[str, str], *, loads: str = "", spares: str = "") -> None:
    """That a call loads nothing cold, and of ours what it `loads`, and nothing that it `spares`."""
    own, others = hook(name, payload, env)
    assert others - allowed(CHECKED) == set()
    assert not (own | others) & NEVER
    assert own >= {f"untilgreen.{module}" for module in loads.split()}
    assert not own & {f"untilgreen.{module}" for module in spares.split()}


@pytest.mark.parametrize("payload", ["", "{", "[]", '{"session_id": ""}'])
def test_a_payload_that_is_none_is_read_without_what_checks_need(red: World, payload: str) -> None:
    red.start("x", "--completion-promise", "DONE")
    check_parsed(*hook("stop-loop", payload, red.env))


def test_a_stop_without_a_running_loop_is_answered_without_what_checks_need(red: World) -> None:
    red.start("x", "--completion-promise", "DONE")
    check_parsed(*hook("stop-loop", red.payload(session_id=OTHER), red.env))
    red.run("cancel-loop", "--session", red.session)
    check_parsed(*hook("stop-loop", red.payload(), known(red)))


@pytest.mark.parametrize(("name", "fields"), tables.literal("cold-start", "a session without a loop is noted"))
def test_a_session_without_a_loop_is_noted_without_what_checks_need(
    red: World, name: str, fields: dict[str, object]
) -> None:
    red.start("x", "--completion-promise", "DONE")
    check_parsed(*hook("session-loop", event(red, name, session_id=OTHER, **fields), red.env))


@pytest.mark.parametrize("message", ["I am done.", "<ralph>BLOCKED: no network</ralph>"])
@pytest.mark.parametrize("options", [("--completion-promise", "DONE"), ("--no-zero-errors", "--check", "a=false"), ()])
def test_a_stop_with_a_loop_imports_nothing_cold(red: World, options: tuple[str, ...], message: str) -> None:
    red.start("x", *options)
    unasked = "loops.stop.completing loops.stop.judge core.verdict.completion core.words.review"
    payload = red.payload(last_assistant_message=message)
    check_checked("stop-loop", payload, known(red), loads="loops.stop.road", spares=unasked)


def test_a_prompt_while_a_loop_runs_imports_nothing_cold(red: World) -> None:
    red.start("x", "--completion-promise", "DONE")
    check_checked("session-loop", event(red, "UserPromptSubmit", prompt="hello"), known(red))


def test_a_session_that_has_forgotten_its_loop_is_told_of_it_with_nothing_cold(red: World) -> None:
    red.start("x", "--completion-promise", "DONE")
    assert red.stop().held
    check_checked("session-loop", event(red, "SessionStart", source="compact"), known(red))


def test_the_guard_sees_what_is_imported(tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text("import os, dataclasses\nos._exit(0)\n")
    assert "dataclasses" in modules(str(script)) - allowed(PARSED)


EDITS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_that_is_nobodys_business_imports_nothing(red: World, name: str) -> None:
    payload = red.edited("app.py", "", "")
    own, others = hook(name, payload, known(red))
    assert (own, others) == (BARE, set())
    own, others = hook(name, payload, known(red) | {"UNTILGREEN_DISABLE": "1"})
    assert (own, others) == (BARE, set())


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_a_text_that_no_checker_reads_is_answered_without_what_checks_need(red: World, name: str) -> None:
    red.start("x", "--completion-promise", "DONE")
    red.write({"notes.md": "words"})
    for path in ("notes.md", "Makefile", "deep/README"):
        own, others = hook(name, red.edited(path, "", ""), known(red))
        check_parsed(own, others)
        assert not {module for module in own if module.startswith("untilgreen.checkers")}
        assert not own & {
            "untilgreen.loops.unasked.edit",
            "untilgreen.project.tree.git",
            "untilgreen.state.originals",
            "untilgreen.settings.effective",
            "untilgreen.checks.plan.planning",
        }


def test_a_command_while_a_loop_runs_is_noted_without_what_checks_need(red: World) -> None:
    red.start("x", "--completion-promise", "DONE")
    used = event(red, "PostToolUse", tool_name="Bash", tool_input={"command": "ls"})
    own, others = hook("post-tool-bash", used, known(red))
    check_parsed(own, others)
    assert not {module for module in own if module.startswith(("untilgreen.checkers", "untilgreen.settings"))}
    assert b'"command": "ls"' in (red.folder / "journal.jsonl").read_bytes()


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_of_a_source_file_imports_nothing_cold(watched: World, name: str) -> None:
    watched.write({"app.py": "import os\n"})
    payload = watched.edited("app.py", "", "")
    hook(name, payload, known(watched))  # the first one reads the configuration
    others = "loops.stop.road loops.unasked.without_loop loops.begin.starting project.tree.worktree project.fakes.text"
    check_checked(name, payload, known(watched), loads="loops.unasked.edit", spares=others)


def test_a_stop_without_a_loop_after_edits_imports_nothing_cold(watched: World) -> None:
    watched.edit("app.py", "import os\n")
    check_checked("stop-loop", watched.payload(), known(watched), loads="loops.unasked.without_loop")


@pytest.mark.parametrize("name", EDITS)
def test_each_edit_hook_knows_the_files_of_all_checkers_of_its_kind(name: str) -> None:
    kind, patterns = languages.HOOKS[name]
    theirs = [checker for checker in map(checkers.get, checkers.NAMES) if checker.files.edit == kind]
    assert theirs
    wanted = {pattern for checker in theirs for pattern in checker.files.patterns}
    assert set(patterns) <= wanted
    assert all(languages.fits(pattern.replace("*", "file"), patterns) for pattern in wanted)


@pytest.mark.parametrize(
    ("path", "patterns", "expected"), tables.literal("cold-start", "a pattern fits a suffix a name")
)
def test_a_pattern_fits_a_suffix_a_name_or_a_path(path: str, patterns: tuple[str, ...], expected: bool) -> None:
    assert languages.fits(path, patterns) is expected
