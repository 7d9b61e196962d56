"""Sessions that end well: a loop is parked, goes on, is opened again, given away, or comes along with its project."""

import json
import shutil
import signal
import subprocess
import time
import uuid
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from untilgreen.loops.rest import resets
from untilgreen.state import clock
from world import Answer, World

SILENT = Answer(0, "", "")
RED = "--no-zero-errors --check a=false"
ON = "untilgreen: loop goes on, round 2 of 10 · it was parked: the session ended"


def failed(world: World, text: str, error: str = "rate_limit") -> Answer:
    return world.event("StopFailure", error=error, last_assistant_message=text)


def rest(world: World) -> tuple[str, str, bool]:
    """Where the loop stands."""
    return world.state["status"], world.state["parked"], world.state["parked_until"] != ""


def gone() -> str:
    """The number of a process that has ended."""
    with subprocess.Popen(["true"]) as process:
        process.wait()
    return str(process.pid)


def another(world: World) -> str:
    """The world is in another session then; the one before."""
    before, world.session = world.session, str(uuid.uuid4())
    return before


@pytest.fixture
def looping(quick: World) -> World:
    """A session of a host that runs, in the second round of its loop."""
    quick.init()
    quick.event("SessionStart", source="startup")
    assert quick.prompt(f"/untilgreen:loop {RED} mend it", prompt_id="p1").code == 0
    assert quick.stop(prompt_id="p1").held
    return quick


@pytest.mark.parametrize("reason", ["logout", "prompt_input_exit", "other", "resume"])
def test_a_session_that_ends_parks_its_loop_and_its_next_prompt_goes_on_with_it(looping: World, reason: str) -> None:
    assert looping.event("SessionEnd", reason=reason) == SILENT
    assert (rest(looping), looping.state["round_started"]) == (("paused", "the session ended", False), 0.0)
    answer = looping.prompt("where were we?", prompt_id="p2")
    assert "is gone" not in looping.run("untilgreen", "status").stdout  # be its start noted or not
    assert (answer.notice, answer.context) == (ON, "untilgreen: loop still running, round 2 of 10: mend it")
    assert rest(looping) == ("running", "", False)
    looping.write({"a.txt": "changed"})
    assert looping.stop(prompt_id="p2").held
    assert looping.state["iteration"] == 3
    assert [one["event"] for one in looping.journal] == ["start", "continue", "park", "resume", "continue"]


def test_a_parked_loop_goes_on_at_a_stop_whose_prompt_nobody_noted_and_the_time_between_is_free(looping: World) -> None:
    spent = looping.state["elapsed_seconds"]
    looping.event("SessionEnd", reason="other")
    assert looping.stop(prompt_id="p1").held
    assert (rest(looping), looping.state["iteration"]) == (("running", "", False), 3)
    assert looping.state["elapsed_seconds"] == spent


def test_a_limit_parks_the_loop_until_the_host_says_it_is_over(looping: World) -> None:
    later = datetime.now().astimezone().replace(second=0, microsecond=0) + timedelta(hours=2)
    text = f"You've hit your limit · resets {later:%b} {later.day}, {later:%I:%M%p}\x1b[31m"
    assert failed(looping, text) == SILENT
    shown = text.removesuffix("\x1b[31m")
    assert rest(looping) == ("paused", f"rate limit: {shown}", True)
    assert looping.state["parked_until"] == clock.iso(later.timestamp())
    until = clock.local(looping.state["parked_until"])
    looping.event("SessionEnd", reason="other")
    assert rest(looping)[1:] == (f"rate limit: {shown}", True)  # the end of the session says less
    line = looping.run("untilgreen", "statusline", stdin=json.dumps(looping.payload()))
    assert f"round 2 of 10 · parked until {until}" in line.stdout
    status = looping.run("untilgreen", "status").stdout
    assert f"round 2 of 10 · parked until {until}: rate limit: {shown} · 1 left" in status
    assert f" · to go on: claude --resume {looping.session}" in status
    assert f"parked until {until}: rate limit" in looping.run("untilgreen", "show").stdout
    answer = looping.prompt("go on", prompt_id="p2")
    assert (
        answer.notice == f"untilgreen: loop goes on, round 2 of 10 · it was parked until {until}: rate limit: {shown}"
    )


@pytest.mark.parametrize(
    ("error", "text", "parked"),
    [
        ("unknown", "API Error: 400 scripted 400", "API Error: 400 scripted 400"),
        ("overloaded", "", "overloaded"),
        ("authentication_failed", "Please run /login", "not logged in: Please run /login"),
        ("some_new_kind", "\x07bell" + "x" * 5_000, "some new kind: bell" + "x" * 155 + "…"),
    ],
)
def test_a_failed_turn_is_no_interrupt_of_the_users(looping: World, error: str, text: str, parked: str) -> None:
    failed(looping, text, error)
    assert rest(looping) == ("paused", parked, False)
    looping.prompt("then do the other thing", prompt_id="p9")
    assert (looping.state["paused"], rest(looping)) == ("", ("running", "", False))


def test_a_failure_counts_the_time_of_its_turn_and_only_a_running_loop_is_parked(looping: World) -> None:
    spent = looping.state["elapsed_seconds"]
    failed(looping, "429")
    assert looping.state["elapsed_seconds"] > spent
    looping.run("cancel-loop")
    over = looping.state
    assert (failed(looping, "429"), looping.event("SessionEnd", reason="other")) == (SILENT, SILENT)
    assert looping.state == over


def test_a_pause_of_the_users_stays_one_when_the_session_ends(looping: World) -> None:
    looping.prompt("stop", prompt_id="p1")
    looping.event("SessionEnd", reason="other")
    looping.event("SessionStart", source="resume")
    assert looping.prompt("hello", prompt_id="p2") == SILENT
    assert (looping.stop(prompt_id="p2"), looping.state["paused"]) == (SILENT, "by you")


NOW = datetime(2026, 11, 24, 13, 30).timestamp()
MIDDAY = datetime(2026, 11, 24)


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("5-hour limit reached ∙ resets 3pm", MIDDAY.replace(hour=15)),
        ("5-hour limit reached ∙ resets 2am", MIDDAY.replace(day=25, hour=2)),
        ("You've hit your session limit · resets 14:10", MIDDAY.replace(hour=14, minute=10)),
        ("Weekly limit reached ∙ resets Nov 27 at 5pm", MIDDAY.replace(day=27, hour=17)),
        ("You've hit your limit · resets Dec 1, 7:30am", datetime(2026, 12, 1, 7, 30)),
        ("Claude usage limit reached. Your limit will reset at 4pm.", MIDDAY.replace(hour=16)),
        ("limit · resets Thu 9am", MIDDAY.replace(day=26, hour=9)),
        ("limit · resets 1:25pm", MIDDAY.replace(hour=13, minute=30, second=1)),  # hosts round: it is over by now
        ("Rate limited: try again in 12 minutes", MIDDAY.replace(hour=13, minute=42)),
        ("Try again in 1 hour and 5 min.", MIDDAY.replace(hour=14, minute=35)),
        ("usage limit. Please try again in about 2h5m", MIDDAY.replace(hour=15, minute=35)),
        ('429 {"retry-after": "90"}', MIDDAY.replace(hour=13, minute=31, second=30)),
        ("resets at 2026-11-24T18:00:00", MIDDAY.replace(hour=18)),
    ],
)
def test_when_a_limit_is_over_is_read_as_hosts_say_it(text: str, at: datetime) -> None:
    assert resets.moment(text, NOW) == at.timestamp()


@pytest.mark.parametrize(
    ("text", "after"),
    [
        (f"Claude AI usage limit reached|{int(NOW) + 3600}", 3600.0),
        ("resets 7pm (Asia/Shanghai)", datetime.fromisoformat("2026-11-24T11:00:00+00:00").timestamp()),
        ("resets at 2026-11-25T00:00:00Z", datetime.fromisoformat("2026-11-25T00:00:00+00:00").timestamp()),
        *(
            (text, None)
            for text in ("", "API Error: 429", "resets soon", "resets 3pm (No/Where)", "try again in 99 weeks")
        ),
        *((text, None) for text in ("limit reached|1112470620", "resets Feb 31, 3pm", "retry-after", "resets 27:99")),
        ("x" * 100_000 + " resets 3pm", None),
    ],
)
def test_zones_are_kept_and_what_names_no_time_is_none(text: str, after: float | None) -> None:
    now = datetime.fromisoformat("2026-11-24T09:00:00+00:00").timestamp() if "(" in text or "Z" in text else NOW
    found = resets.moment(text, now)
    assert found == (NOW + after if after == 3600.0 else after)


def test_a_host_that_was_killed_in_mid_loop_is_resumed_and_the_loop_goes_on(looping: World) -> None:
    looping.event("SessionStart", source="resume")
    looping.prompt("now go on with the tests", prompt_id="p3")
    assert (looping.state["paused"], looping.state["status"]) == ("", "running")
    looping.write({"a.txt": "changed"})
    assert looping.stop(prompt_id="p3").held


def test_state_persists_across_session_restarts(looping: World) -> None:
    for number in (2, 3):
        looping.event("SessionEnd", reason="other")
        looping.event("SessionStart", source="resume")
        looping.prompt("go on", prompt_id=f"p{number}")
        assert looping.stop(prompt_id=f"p{number}").held
        assert (looping.state["iteration"], looping.state["task_description"]) == (number + 1, "mend it")


def test_should_skip_during_recovery_as_a_failed_turn_is_never_judged(looping: World) -> None:
    assert failed(looping, "overloaded", "overloaded") == SILENT
    assert looping.state["iteration"] == 2


def test_user_abort_cancels_a_loop_of_supercode(quick: World) -> None:
    quick.init()
    quick.prompt('/untilgreen:loop --preset supercode "mend it"', prompt_id="p1")
    assert quick.stop(prompt_id="p1").held
    quick.prompt("go on", prompt_id="p2")  # Esc: no stop ends this turn
    answer = quick.prompt("do that other thing", prompt_id="p3")
    assert answer.notice == "Ralph Loop Cancelled · Stopped at iteration 2"
    assert quick.state["final_status"] == "CANCELLED"


def test_session_deleted_clears_a_loop_that_nobody_came_back_to(looping: World) -> None:
    looping.event("SessionEnd", reason="other")
    aged(looping)
    old = another(looping)
    assert (
        "was closed, its session did not come back for 14 days"
        in looping.event("SessionStart", source="startup").notice
    )
    assert looping.event("SessionStart", source="startup") == SILENT
    looping.session = old
    assert [looping.state[name] for name in ("active", "stop_reason", "final_status")] == [False, "error", "FAILED"]
    assert "was closed, its session did not come back" in looping.prompt("hello", prompt_id="p7").notice
    assert looping.run("untilgreen", "resume").code == 0
    assert (looping.state["active"], looping.state["iteration"], looping.state["max_iterations"]) == (True, 2, 11)


def aged(world: World) -> None:
    """Nothing was written of the loop for three weeks."""
    world.change(updated_at=clock.iso(time.time() - 21 * 86_400))


def test_a_loop_whose_host_was_killed_is_parked_and_said_once_to_the_next_session_and_given_to_nobody(
    looping: World,
) -> None:
    dead = gone()
    looping.event("SessionStart", dead, source="resume")
    state = looping.state
    told = looping.run("untilgreen", "status").stdout
    assert (
        "round 2 of 10 · its session is gone · " in told,
        f" · to go on: claude --resume {looping.session}" in told,
    ) == (
        True,
        True,
    )
    old = another(looping)
    answer = looping.event("SessionStart", source="startup")
    assert answer.notice.startswith(f"untilgreen: {state['loop_id']} (round 2 of 10, 1 left) mend it was")
    assert answer.notice.endswith(f"untilgreen resume {state['loop_id']} --here")
    assert looping.event("SessionStart", source="startup") == SILENT
    assert looping.prompt("/untilgreen:loop --no-zero-errors --check b=false x", prompt_id="q").code == 0  # in no way
    looping.session = old
    assert rest(looping) == ("paused", "its host is gone", False)


def test_the_number_of_a_process_of_another_boot_is_no_host(looping: World) -> None:
    looping.change("session.json", client_since="2001-01-01T00:00:00.000000Z")
    another(looping)
    if clock.booted():
        assert "was left behind" in looping.event("SessionStart", source="startup").notice


@pytest.mark.parametrize("to", ["session", "next"])
def test_a_loop_that_was_left_behind_is_adopted_in_its_round(looping: World, to: str) -> None:
    state = looping.state
    refused = looping.run("untilgreen", "resume", state["loop_id"], "--here", "--session", str(uuid.uuid4()))
    assert (refused.code, "may still be at work on" in refused.stderr) == (64, True)
    looping.event("SessionEnd", reason="other")
    old = another(looping)
    looping.event("SessionStart", source="startup")
    asked = looping.session if to == "session" else "next"
    remembered = (looping.folder.with_name(old) / "ralph-summary.md").read_text()
    answer = looping.run("untilgreen", "resume", state["loop_id"], "--here", "--session", asked)
    where = (
        f"goes on in session {looping.session}" if to == "session" else "waits for the next session that prompts here"
    )
    assert answer == (0, f"untilgreen: {state['loop_id']} {where}, round 2 of 10\n", "")
    assert not (looping.folder.with_name(old) / "loop_state.json").exists()
    said = looping.prompt("hello", prompt_id="n1")
    assert said.context == "untilgreen: loop still running, round 2 of 10: mend it"
    assert said.notice.startswith("untilgreen: loop goes on, round 2 of 10")
    assert (looping.folder / "ralph-summary.md").read_text() == remembered
    assert looping.stop(prompt_id="n1").held
    assert (looping.state["loop_id"], looping.state["iteration"]) == (state["loop_id"], 3)
    assert "changed by hand" not in looping.prompt("and?", prompt_id="n2").notice


def test_nothing_is_adopted_that_is_over_or_not_there(looping: World) -> None:
    loop_id = looping.state["loop_id"]
    looping.run("cancel-loop")
    over = looping.run("untilgreen", "resume", loop_id, "--here", "--session", "next")
    assert over == (64, "", f"untilgreen failed: {loop_id} is over: cancelled. Fix: untilgreen start TASK\n")
    assert looping.run("untilgreen", "resume", "loop-1", "--here", "--session", "next").code == 64


def ended(world: World, reason: str) -> None:
    """The loop ends so."""
    if reason == "blocked":
        world.stop("<ralph>BLOCKED: no key</ralph>", prompt_id="p1")
    elif reason == "complete":
        world.stop("<promise>DONE</promise>", prompt_id="p1")
    elif reason == "cancelled":
        world.run("cancel-loop")
    else:
        while world.state["active"]:
            world.stop(prompt_id="p1")
    assert world.state["stop_reason"] == reason


@pytest.mark.parametrize("how", ["shell", "typed"])
@pytest.mark.parametrize(
    ("reason", "options", "round_"),
    [
        ("blocked", RED, "1 of 10"),
        ("stagnant", RED + " --stagnation-limit 1", "3 of 12"),
        ("max-iterations", RED + " --max-iterations 1", "2 of 2"),
    ],
)
def test_a_loop_that_is_over_is_opened_again_with_its_limits_once_more(
    quick: World, reason: str, options: str, round_: str, how: str
) -> None:
    quick.init()
    quick.prompt(f"/untilgreen:loop {options} mend it", prompt_id="p1")
    ended(quick, reason)
    before = quick.state
    word = {"stagnant": "stuck", "max-iterations": "out of rounds"}.get(reason, reason)
    line = f"untilgreen: loop opened again, it had ended as {word}, round {round_} ({before['loop_id']})"
    if how == "shell":
        assert quick.run("untilgreen", "resume") == (0, line + "\n", "")
        assert "was opened again in a shell" in quick.prompt("go on", prompt_id="p2").notice
    else:
        answer = quick.prompt("/untilgreen:resume", prompt_id="p2")
        assert (answer.notice, answer.context) == (line, f"untilgreen: loop still running, round {round_}: mend it")
    fresh = {"active": True, "status": "running", "stop_reason": None, "no_progress_count": 0, "ended_at": None}
    assert quick.state | fresh == quick.state
    assert quick.state["snapshots"] == before["snapshots"]
    number, most = map(int, round_.split(" of "))
    assert quick.stop(prompt_id="p2").held == (number < most)
    assert quick.state["snapshots"][-1]["iteration"] == number


@pytest.mark.parametrize("reason", ["complete", "cancelled"])
def test_what_is_complete_or_cancelled_stays_so(quick: World, reason: str) -> None:
    quick.init()
    quick.prompt("/untilgreen:loop --completion-promise DONE x", prompt_id="p1")
    ended(quick, reason)
    loop_id = quick.state["loop_id"]
    why = f"{loop_id} is over: {reason}. Fix: untilgreen start TASK"
    assert quick.run("untilgreen", "resume", "--session", quick.session) == (64, "", f"untilgreen failed: {why}\n")
    typed = quick.prompt("/untilgreen:resume", prompt_id="p2")
    assert (typed.code, typed.stderr) == (2, f"untilgreen failed: {why}\n")
    none = quick.run("untilgreen", "resume")
    assert (none.code, "no loop is paused here, and none can be opened again" in none.stderr) == (64, True)


def test_a_paused_loop_goes_on_and_a_running_one_is_said(looping: World) -> None:
    loop_id = looping.state["loop_id"]
    running = looping.run("untilgreen", "resume", "--session", looping.session)
    assert running.stderr == f"untilgreen failed: {loop_id} is running (round 2 of 10). Fix: untilgreen status --all\n"
    looping.prompt("stop", prompt_id="p1")
    assert "paused by you · 1 left" in looping.run("untilgreen", "status").stdout
    assert looping.run("untilgreen", "resume").stdout == f"untilgreen: loop goes on, round 2 of 10 ({loop_id})\n"
    assert (looping.state["paused"], rest(looping)) == ("", ("running", "", False))
    said = looping.prompt("stop", prompt_id="p1").notice
    assert said.startswith("untilgreen: the loop of this session goes on, by untilgreen resume in a shell")
    typed = looping.prompt("/untilgreen:resume", prompt_id="p2")
    assert typed.notice == f"untilgreen: loop goes on, round 2 of 10 ({loop_id})"
    assert looping.stop(prompt_id="p2").held


def test_of_several_loops_that_rest_one_is_to_be_named(looping: World) -> None:
    first = another(looping)
    looping.prompt(f"/untilgreen:loop {RED} second", prompt_id="p1")
    for session in (first, looping.session):
        looping.session = session
        looping.event("SessionEnd", reason="other")
    answer = looping.run("untilgreen", "resume")
    assert (answer.code, answer.stderr.startswith("untilgreen failed: several loops could go on: ")) == (64, True)
    assert looping.run("untilgreen", "resume", "--session", first).code == 0


HOST = """#!/bin/sh
# a host that meets its limit, and has an answer at its second start
echo "$PWD $*" >> "{log}"
event() {{ printf '{{"session_id": "%s", "hook_event_name": "%s", %s}}' {session} "$@" | session-loop > /dev/null; }}
event UserPromptSubmit '"prompt": "go on", "prompt_id": "h1"'
if [ "$(wc -l < "{log}")" = 1 ]; then
    event StopFailure '"error": "rate_limit", "last_assistant_message": "try again in 1 s"'
    exit 1
fi
event SessionEnd '"reason": "other"'
exit 7
"""


def test_a_loop_goes_on_by_itself_when_its_limit_is_over(looping: World) -> None:
    failed(looping, "try again in 1 s")
    log = looping.tmp / "log"
    host = looping.tmp / "programs" / "claude"
    missing = looping.run("untilgreen", "resume", "--when-possible")
    assert (missing.code, missing.stderr.startswith("untilgreen failed: claude is not on the PATH")) == (64, True)
    host.write_text(HOST.format(log=log, session=looping.session))
    host.chmod(0o755)
    for name in ("session-loop", "wc"):
        (host.parent / name).symlink_to(shutil.which(name, path=f"{looping.programs}:/usr/bin:/bin") or name)
    answer = looping.run("untilgreen", "resume", "--when-possible", "--", "--permission-mode", "plan")
    words = f"--resume {looping.session} -p go on --permission-mode plan"
    assert answer.code == 7
    assert log.read_text() == f"{looping.project} {words}\n" * 2
    assert answer.stderr.count(f"untilgreen: {host} {words} (in {looping.project})") == 2
    assert rest(looping) == ("paused", "the session ended", False)


def test_an_interrupt_while_it_waits_ends_with_130(looping: World) -> None:
    failed(looping, "try again in 2 hours")
    host = looping.tmp / "programs" / "claude"
    host.write_text("#!/bin/sh\nexit 0\n")
    host.chmod(0o755)
    process = looping.begin("untilgreen", "resume", "--when-possible")
    assert process.stderr is not None
    assert process.stderr.readline().startswith(b"untilgreen: loop goes on")
    assert process.stderr.readline().startswith(b"untilgreen: waits until ")
    process.send_signal(signal.SIGINT)
    assert looping.end(process).code == 130
    assert looping.state["parked"] != ""


def test_a_renamed_folder_takes_its_loop_along_once_it_is_trusted_where_it_is(looping: World) -> None:
    old, new = looping.project, looping.project.with_name("renamed")
    looping.project = old.rename(new)
    said = looping.prompt("hello", prompt_id="p2")
    assert f"its project was renamed from {old}, and is not trusted yet: untilgreen trust" in said.notice
    assert looping.stop(prompt_id="p2") == SILENT
    trusted = looping.run("untilgreen", "trust").stdout
    assert (
        f"untilgreen: what was {old} is this folder now: its loops came along (see untilgreen status --all)" in trusted
    )
    came = looping.prompt("go on", prompt_id="p3").notice
    assert came.startswith(f"untilgreen: the loop of this session came along with its project, which was {old}: ")
    looping.write({"a.txt": "changed"})
    assert looping.stop(prompt_id="p3").held
    assert (looping.state["iteration"], looping.state["project"]) == (3, str(new))
    assert str(old) + "/" not in (looping.folder / "loop_state.json").read_text()
    assert "changed by hand" not in looping.prompt("go on", prompt_id="p4").notice
    looping.project = new.rename(old)  # where it is trusted already
    looping.write({"a.txt": "changed again"})
    back = looping.stop(prompt_id="p4")
    assert (back.held, looping.state["project"]) == (True, str(old))


def test_a_copied_folder_gets_no_loop(looping: World) -> None:
    copy = looping.project.with_name("copy")
    shutil.copytree(looping.project, copy)
    assert looping.run("untilgreen", "trust", cwd=copy).code == 0
    assert looping.run("untilgreen", "resume", cwd=copy).code == 64
    assert looping.stop(prompt_id="p1", cwd=str(copy)).held is False
    assert looping.stop(prompt_id="p1").held


def test_a_loop_survives_a_compaction_a_cd_and_a_clear(looping: World) -> None:
    below = Path(looping.project / "below")
    below.mkdir()
    assert "loop still running, round 2 of 10" in looping.event("SessionStart", source="compact").stdout
    env = {"CLAUDE_PROJECT_DIR": str(looping.project)}
    looping.write({"a.txt": "changed"})
    assert looping.stop(prompt_id="p1", cwd=str(below), env=env).held
    looping.event("SessionEnd", reason="clear")
    another(looping)
    assert "loop still running, round 3 of 10" in looping.event("SessionStart", source="clear").stdout
    assert rest(looping) == ("running", "", False)


def test_two_sessions_of_one_folder_have_a_loop_each(looping: World) -> None:
    first = another(looping)
    looping.event("SessionStart", source="startup")
    looping.prompt(f"/untilgreen:loop {RED} second", prompt_id="p1")
    assert looping.stop(prompt_id="p1").held
    looping.event("SessionEnd", reason="other")
    second, looping.session = looping.session, first
    assert looping.stop(prompt_id="p1").held
    assert (rest(looping)[0], looping.state["iteration"]) == ("running", 3)
    looping.session = second
    assert (rest(looping)[0], looping.state["task_description"]) == ("paused", "second")
