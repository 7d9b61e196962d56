"""What ends a loop, or switches it off, behind its user's back is said once, at the next event of its session."""

import fcntl
import json
import os
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tables
from world import Answer, World

SILENT = Answer(0, "", "")
RED = "import os\n"
AGENT = {"CLAUDECODE": "1"}


@pytest.fixture
def looping(project: World) -> World:
    """A session whose loop is in its second round."""
    begin(project)
    assert project.stop().held
    return project


def begin(world: World, *words: str, env: dict[str, str] | None = None) -> Answer:
    """Begin a loop from a shell, for the session of this world."""
    answer = world.run("start-loop", "mend it", *words, "--session", world.session, env=env)
    assert answer.code == 0, answer
    return answer


def hello(world: World) -> Answer:
    """The user says something; what reaches them."""
    return world.compact("UserPromptSubmit", prompt="hello")


def sealed(world: World) -> list[Path]:
    """What is kept of loops outside of the project."""
    return sorted((world.home / ".local/state/untilgreen").glob("sealed*/**/*"))


def cancelled(world: World) -> None:
    assert world.run("cancel-loop", "--session", world.session).code == 0


def without_state(world: World) -> None:
    shutil.rmtree(world.project / ".untilgreen")


TRUSTED = ".local/state/untilgreen/trusted"
OVER = {"status": "success", "stop_reason": "complete", "final_status": "COMPLETE", "verified": True}


@pytest.mark.parametrize("event", [lambda world: world.stop(env=world.hosted), hello], ids=["stop", "prompt"])
@pytest.mark.parametrize(
    ("end", "told"),
    [
        (cancelled, "was cancelled from a shell: {}"),
        (without_state, "is gone, its state was removed: {}"),
        (lambda world: shutil.rmtree(world.folder), "is gone, its state was removed: {}"),
        (lambda world: world.change(active=False), "was ended by hand, in its state: {}"),
        (lambda world: world.change(active=False, **OVER), "was ended by hand, in its state: {}"),
        (lambda world: (world.home / TRUSTED).unlink(), "is over, its project is not trusted any more: {}"),
    ],
)
def test_an_end_behind_the_users_back_is_said_once(
    looping: World, end: Callable[[World], None], told: str, event: Callable[[World], Answer]
) -> None:
    name = f"{looping.state['loop_id']} (round 2 of 10, 1 left)"
    end(looping)
    assert event(looping).notice == f"untilgreen: the loop of this session {told.format(name)}"
    assert (looping.stop(env=looping.hosted), hello(looping), sealed(looping)) == (SILENT, SILENT, [])


def test_an_end_that_the_user_saw_is_not_said_again(looping: World) -> None:
    looping.prompt("/untilgreen:cancel")
    assert (looping.stop(), hello(looping), sealed(looping)) == (SILENT, SILENT, [])
    begin(looping)
    looping.write({"app.py": "VALUE = 1\n"})
    assert looping.stop().notice.startswith("✓ green")
    assert (looping.stop(), hello(looping), sealed(looping)) == (SILENT, SILENT, [])


@pytest.mark.parametrize("where", ["home/.local/state/untilgreen", "project/.untilgreen", "session"])
def test_an_off_file_is_said_once_while_a_loop_runs(looping: World, where: str) -> None:
    folder = looping.folder if where == "session" else looping.home.parent / where
    (folder / "off").touch()
    told = f"untilgreen: the loop of this session holds nobody, switched off by the file {folder / 'off'}"
    assert looping.stop().notice == told
    assert (looping.stop(), hello(looping)) == (SILENT, SILENT)
    (folder / "off").unlink()
    looping.write({"more.py": RED})
    assert looping.stop().held
    (folder / "off").touch()
    assert hello(looping).notice == told


def test_an_off_file_without_a_loop_is_met_with_silence(project: World) -> None:
    project.init()
    (project.project / ".untilgreen/off").touch()
    assert (project.stop(), hello(project)) == (SILENT, SILENT)


def another_repository(world: World) -> None:
    (world.project / ".git").mkdir()
    (world.project / ".git" / "HEAD").write_text("ref: refs/heads/main\n")


def no_repository(world: World) -> None:
    (world.project.parent / ".git" / "HEAD").unlink()


def a_link_to_another_folder(world: World) -> None:
    world.project.parent.rename(world.home.parent / "moved")
    world.project.parent.symlink_to(world.home.parent / "moved")


@pytest.mark.parametrize(
    "turned", [another_repository, no_repository, a_link_to_another_folder], ids=lambda one: one.__name__
)
def test_a_project_whose_folder_is_another_by_now_is_said_once(project: World, turned: Callable[[World], None]) -> None:
    root = project.project
    another_repository(project)
    project.project = root / "sub"  # where the host runs
    project.write({"app.py": RED})
    begin(project, env=project.hosted)
    turned(project)
    here = (root if turned is a_link_to_another_folder else project.project).resolve()
    told = f"untilgreen: the loop of this session holds nobody, its project is {root}, and this is {here}"
    assert project.stop(env=project.hosted).notice == told
    assert (project.stop(env=project.hosted), hello(project)) == (SILENT, SILENT)


def test_a_lock_that_somebody_else_holds_is_said_and_a_stop_that_is_being_judged_is_not(looping: World) -> None:
    lock = looping.folder / "stop.lock"
    with lock.open() as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        told = f"untilgreen: another process holds {lock}; the stop was not judged"
        assert looping.stop().notice == told
    assert looping.stop().held


def test_a_switch_in_the_environment_is_said_once_while_a_loop_runs(looping: World) -> None:
    off = looping.hosted | {"JIKIME_DISABLE_LOOP_CONTROLLER": "1"}
    told = "untilgreen: the loop of this session holds nobody, switched off by JIKIME_DISABLE_LOOP_CONTROLLER=1"
    assert (looping.stop(env=off).notice, looping.stop(env=off)) == (told, SILENT)


@pytest.mark.parametrize(("env", "told"), [(AGENT, True), ({}, False)], ids=["agent", "person"])
def test_an_uninstall_by_the_agent_is_said_by_what_is_left_of_the_hooks(
    project: World, env: dict[str, str], told: bool
) -> None:
    assert project.run("untilgreen", "init").code == 0
    begin(project)
    assert project.run("untilgreen", "uninstall", env=env).code == 0
    assert ("was cancelled from a shell" in hello(project).notice, sealed(project)) == (told, [])


@pytest.mark.parametrize(("fields", "part"), tables.literal("ends", "what a loop asks for changed by hand"))
def test_what_a_loop_asks_for_changed_by_hand_is_told_once_and_stands_against_its_green(
    looping: World, fields: dict[str, Any], part: str
) -> None:
    looping.change(**fields)
    told = f"the loop's {part} {'was' if part in ('plan', 'baseline') else 'were'} changed by hand"
    assert hello(looping).notice == f"untilgreen: {told}"
    assert hello(looping) == SILENT
    looping.write({"app.py": "VALUE = 1\n"})
    assert looping.stop().notice.startswith(f"✓ green, but {told}")
    assert looping.state["verified"] is False


def test_under_strict_a_green_loop_that_was_changed_by_hand_goes_on(project: World) -> None:
    begin(project, "--strict")
    project.change(completion_criteria={"zero_warnings": True})
    assert hello(project).notice == "untilgreen: the loop's criteria were changed by hand"
    project.write({"app.py": "VALUE = 1\n"})
    assert project.stop().held


def test_what_stops_and_edits_and_prompts_write_is_no_change_by_hand(looping: World) -> None:
    looping.write({"test_app.py": "def test_a():\n    assert 0\n"})
    looping.edit("app.py", RED + RED)
    hello(looping)
    for _ in range(2):
        assert "by hand" not in looping.stop().notice
    looping.write({"app.py": "VALUE = 1\n", "test_app.py": "def test_a():\n    pass\n"})
    assert "by hand" not in looping.stop().notice


def test_a_clock_that_went_back_switches_nothing_off(looping: World) -> None:
    looping.change(last_iteration_at="2999-01-01T00:00:00.000000Z")
    assert looping.stop().held


def test_a_stop_that_was_told_to_end_is_said_once(project: World) -> None:
    begin(project, "--check", f"slow=sh -c ': > {project.tmp}/began; exec /bin/sleep 60'")
    stop = project.begin("stop-loop", stdin=json.dumps(project.payload()))
    while not (project.tmp / "began").exists():
        assert stop.poll() is None
        time.sleep(0.01)
    assert project.stop() == SILENT, "it is being judged"
    os.kill(stop.pid, signal.SIGTERM)
    assert project.end(stop).code == 0
    assert hello(project).notice == "untilgreen: the last stop was broken off before it was judged"
    assert hello(project) == SILENT


def test_after_clear_the_seal_is_that_of_the_new_session(looping: World) -> None:
    looping.event("SessionEnd", reason="clear")
    looping.session = "0" * 36
    assert looping.event("SessionStart", source="clear").code == 0
    assert [path.stem for path in sealed(looping)] == [looping.session]
    assert looping.stop().held
    without_state(looping)
    assert "is gone" in hello(looping).notice


def test_a_seal_is_private_and_an_old_one_goes_with_the_next_start(looping: World) -> None:
    [seal] = sealed(looping)
    assert (seal.stat().st_mode & 0o777, seal.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert seal.stat().st_size < 1_000
    old = [seal.with_name(f"{str(number) * 36}.json") for number in range(8)]
    kept = [seal.with_name(f"folder-{number}") for number in range(8)]  # which no sweep can unlink
    for path in old:
        path.write_text("{}")
    for path in kept:
        path.mkdir()
    for path in (*old, *kept):
        os.utime(path, (0, 0))
    begin(looping, "--replace")
    assert sealed(looping) == sorted([seal, *kept])


def test_where_no_seal_can_be_written_the_loop_runs_and_doctor_says_so(project: World) -> None:
    assert project.run("untilgreen", "trust").code == 0
    (project.home / ".local/state/untilgreen/sealed").write_text("in the way")
    begin(project)
    assert project.stop().held
    told = project.run("untilgreen", "doctor").stdout
    assert "runs without a seal" in told
    without_state(project)
    assert project.stop() == SILENT


@pytest.mark.parametrize(
    ("words", "env"),
    [((), AGENT), ((), {}), (("--only", "lint"), {})],
    ids=["agent", "whoever", "weaker"],
)
def test_a_loop_that_replaces_a_running_one_says_so_and_counts_it_where_nobody_typed_it(
    looping: World, words: tuple[str, ...], env: dict[str, str]
) -> None:
    replaced = f"replaced {looping.state['loop_id']} (round 2 of 10, 1 left)"
    assert replaced in begin(looping, *words, "--replace", env=env).stdout
    told = f"was replaced from a shell by {looping.state['loop_id']}: {replaced.removeprefix('replaced ')}"
    assert hello(looping).notice == f"untilgreen: the loop of this session {told}"
    looping.write({"app.py": "VALUE = 1\n"})
    assert looping.stop().notice.startswith(f"✓ green, but {replaced}")


def test_a_loop_that_replaces_another_gives_back_no_trust_that_was_taken(looping: World) -> None:
    assert looping.run("untilgreen", "trust", "--no").code == 0
    why = "the project is not trusted any more, and its user was not told yet how its loop ended"
    answer = looping.run("start-loop", "mend it", "--session", looping.session, "--replace", env=AGENT)
    assert answer == Answer(64, "", f"start-loop failed: {why}. Fix: run untilgreen trust\n")
    assert "was cancelled from a shell" in hello(looping).notice


def test_a_loop_that_was_changed_by_hand_while_it_waited_says_so(project: World) -> None:
    assert project.run("start-loop", "mend it", "--session", "next").code == 0
    [path] = (project.project / ".untilgreen/next").glob("*.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"completion_criteria": {"zero_warnings": True}}))
    told = "the loop's criteria were changed by hand"
    assert hello(project).notice.startswith("untilgreen: loop on until ")
    project.write({"app.py": "VALUE = 1\n"})
    assert hello(project).notice == f"untilgreen: {told}"
    assert project.stop(stop_hook_active=True).notice.startswith(f"✓ green, but {told} · after 1 round")
    assert sealed(project) == []


@pytest.mark.parametrize("rounds", [0, 1])
def test_a_loop_whose_seal_is_gone_says_so(looping: World, rounds: int) -> None:
    for path in sealed(looping):
        path.unlink()
    for _ in range(rounds):
        assert looping.stop().held  # which seals it again
    looping.write({"app.py": "VALUE = 1\n"})
    told = "the loop's seal was changed by hand" if rounds else "the loop's seal is missing"
    assert looping.stop().notice.startswith(f"✓ green, but {told}")


def test_a_loop_typed_by_its_user_says_what_it_replaced_and_counts_nothing_against_it(looping: World) -> None:
    replaced = f"replaced {looping.state['loop_id']} (round 2 of 10, 1 left)"
    typed = looping.prompt("/untilgreen:loop --only lint --replace mend it", env=AGENT)
    assert (replaced in typed.context, replaced in typed.notice) == (True, True)
    looping.write({"app.py": "VALUE = 1\n"})
    assert looping.stop().notice.startswith("✓ green after")


def test_a_loop_that_replaces_another_keeps_its_baseline(looping: World) -> None:
    looping.write({"app.py": "import os  # noqa: F401\n"})
    begin(looping, "--replace")
    looping.write({"more.py": "MORE = 1\n"})
    assert "✓ green, but 1 new noqa" in looping.stop().notice


@pytest.mark.parametrize("end", [cancelled, without_state])
def test_a_loop_begun_after_an_end_that_nobody_was_told_of_replaces_it(
    looping: World, end: Callable[[World], None]
) -> None:
    replaced = f"replaced {looping.state['loop_id']} (round 2 of 10, 1 left)"
    end(looping)
    begin(looping, env=AGENT)
    looping.write({"app.py": "VALUE = 1\n"})
    assert looping.stop().notice.splitlines()[-1].startswith(f"✓ green, but {replaced}")
