"""What a hook answers before it reads its payload: silence where nothing is to do, and only there."""

import hashlib
import json
import sys

import pytest

import tables
from untilgreen import entry
from world import BIN, Answer, World

SILENT = Answer(0, "", "")


@pytest.fixture
def looping(quick: World) -> World:
    """A session whose loop runs, in a project with one error."""
    quick.write({"app.py": "import os\n"})
    return quick


ODD = ("abcdefg", "Session-of-a-host", "..", "a/../b-b-b-b-b", "0" * 7, "0" * 65)
PLAIN = ("0" * 8, "f" * 64, "0123456789abcdef-")


@pytest.mark.parametrize("session", [*ODD, *PLAIN])
def test_a_loop_holds_whatever_its_sessions_id_and_a_plain_one_alone_names_its_folder(
    looping: World, session: str
) -> None:
    looping.session = session
    looping.start()
    assert looping.stop(env=looping.hosted).held
    [folder] = (looping.project / ".untilgreen/sessions").iterdir()
    digest = f"x-{hashlib.sha256(session.encode()).hexdigest()[:32]}"
    assert folder.name == (session if session in PLAIN else digest)
    assert json.loads((folder / "loop_state.json").read_text())["session_id"] == session


@pytest.mark.parametrize("by_environment", [False, True])
def test_a_loop_holds_where_the_state_was_moved(looping: World, by_environment: bool) -> None:
    if by_environment:
        looping.env["UNTILGREEN_STATE_DIR"] = "kept"
    else:
        looping.write({"untilgreen.toml": 'state_dir = "kept"\n'})
    looping.start()
    assert looping.stop(env=looping.hosted).held
    assert (looping.project / "kept" / "sessions" / looping.session / "loop_state.json").exists()
    ours, kept = looping.project / ".untilgreen", looping.project / "kept" / "config.json"
    assert (ours.exists(), kept.exists()) == (not by_environment, by_environment)


@pytest.mark.parametrize(
    "less", [{"CLAUDE_CODE_SESSION_ID": "0" * 36}, {"CLAUDE_CODE_SESSION_ID": ""}, {"CLAUDE_PROJECT_DIR": ""}]
)
def test_a_loop_holds_where_the_host_says_less_or_another_session(looping: World, less: dict[str, str]) -> None:
    looping.start()
    assert looping.stop(env={key: value for key, value in (looping.hosted | less).items() if value}).held


def test_an_edit_is_looked_at_although_no_loop_runs(quick: World) -> None:
    quick.init()
    assert quick.edit("app.py", "import os\n", env=quick.hosted).context.startswith("untilgreen: 1 new finding")


def test_a_stop_with_nothing_to_do_is_silent_and_leaves_its_mark(quick: World) -> None:
    assert quick.stop(env=quick.hosted) == SILENT
    assert not (quick.project / ".untilgreen").exists()
    quick.init()
    assert quick.stop(env=quick.hosted) == SILENT
    mark = (quick.project / ".untilgreen/called/stop-loop").read_text()
    assert mark == f"7 {quick.session} nobody began a loop, and no file is known that the session wrote\n"


def test_a_prompt_where_nothing_was_ever_begun_is_met_with_silence(quick: World) -> None:
    assert quick.prompt("hello", env=quick.hosted) == SILENT
    assert not (quick.project / ".untilgreen").exists()


@pytest.mark.parametrize("there", [False, True], ids=["without a folder", "with one"])
def test_a_prompt_that_is_typed_as_the_host_writes_it_begins_a_loop(quick: World, there: bool) -> None:
    if there:
        quick.init()
    assert quick.compact("UserPromptSubmit", prompt="/untilgreen:loop mend it").context.startswith(
        "untilgreen: loop started ("
    )
    assert quick.state["task_description"] == "mend it"


def test_a_prompt_without_a_loop_takes_the_one_that_waits_and_only_that_one(quick: World) -> None:
    quick.init()
    assert quick.compact("UserPromptSubmit", prompt="hello") == SILENT
    assert not quick.folder.exists()
    quick.run("start-loop", "mend it", "--session", "next")
    assert quick.compact("UserPromptSubmit", prompt="hello").context.startswith("untilgreen: loop started (")
    assert quick.state["task_description"] == "mend it"


def test_a_prompt_beside_a_running_loop_is_counted(looping: World) -> None:
    looping.start()
    looping.compact("UserPromptSubmit", prompt="hello")
    assert looping.known["prompts"] == 1


def test_a_session_of_a_project_with_our_folder_is_noted(quick: World) -> None:
    quick.init()
    quick.compact("SessionStart", source="startup")
    assert quick.known["project"] == str(quick.project)


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", ">&- 2>&-"])
def test_a_stop_is_answered_by_its_code_whatever_streams_the_host_closed(looping: World, closed: str) -> None:
    looping.start()
    payload = looping.tmp / "payload.json"
    payload.write_text(json.dumps(looping.payload()))
    code = 0 if "<" in closed else 2  # without a payload nothing was judged
    script = f'exec "{BIN}/stop-loop" <"{payload}" {closed}'
    answer = looping.run("/bin/sh", "-c", script)
    assert (answer.code, answer.stdout != "", answer.stderr != "") == (
        code,
        " >&-" not in f" {closed}",
        code == 2 and "2>&-" not in closed,
    )


def test_a_stop_whose_host_has_gone_is_judged_all_the_same(looping: World) -> None:
    looping.start()
    process = looping.begin("stop-loop", stdin=None)
    assert process.stdout
    assert process.stderr
    process.stdout.close()
    process.stderr.close()
    assert process.stdin
    process.stdin.write(json.dumps(looping.payload()).encode())
    process.stdin.close()
    assert (process.wait(120), looping.state["iteration"]) == (2, 2)


@pytest.mark.parametrize("words", [("--host", "claude-code"), ("--host=claude-code", "--deadline=300")])
def test_a_hook_has_switches_of_its_own_in_both_forms(looping: World, words: tuple[str, ...]) -> None:
    looping.start()
    assert looping.run("stop-loop", *words, stdin=json.dumps(looping.payload())).held


@pytest.mark.parametrize("form", ["--project {}", "--project={}"])
def test_a_project_that_is_given_goes_before_the_folder(looping: World, form: str) -> None:
    looping.start()
    payload = json.dumps(looping.payload(cwd=str(looping.home)))
    assert looping.run("stop-loop", *form.format(looping.project).split(), stdin=payload, cwd=looping.home).held
    answer = looping.run("stop-loop", stdin=payload, cwd=looping.home)
    told = f"untilgreen: the loop of this session holds nobody, its project is {looping.project}, and this is "
    assert (answer.code, answer.notice) == (0, f"{told}{looping.home}")


@pytest.mark.parametrize("words", [("--deadline", "0.5"), ("--deadline=soon",), ("--host",), ("--other=1",), ("word",)])
def test_what_is_no_switch_is_refused_before_anything_is_judged(looping: World, words: tuple[str, ...]) -> None:
    looping.start()
    answer = looping.run("stop-loop", *words, stdin=json.dumps(looping.payload()))
    assert (answer.code, answer.stdout, looping.state["iteration"]) == (64, "", 1)
    assert answer.stderr.startswith("stop-loop: ")


def test_a_fault_inside_lets_the_agent_go_and_says_where_it_is_told(looping: World) -> None:
    looping.start()
    payload = json.dumps(looping.payload())
    log = looping.project / ".untilgreen/untilgreen.log"
    faulty = (
        "from untilgreen import entry; from untilgreen.loops.stop import dispatch; dispatch.answer = 0; "
        "entry.stop_loop()"
    )
    answer = looping.process(sys.executable, "-c", faulty, stdin=payload)
    what = "a bug in untilgreen: TypeError: 'int' object is not callable; the agent was let go unjudged"
    told = f"stop-loop failed: {what}. Fix: report it with the traceback that is in {log}"
    assert answer == Answer(0, json.dumps({"systemMessage": f"untilgreen: {told}"}) + "\n", "")
    lines = log.read_text().splitlines()
    assert lines[0].endswith(f", payload of {len(payload)} bytes")
    assert (lines[1], lines[-1]) == ("Traceback (most recent call last):", "TypeError: 'int' object is not callable")


@pytest.mark.parametrize(
    ("answer", "told"),
    tables.literal("early-exits", "what the system refuses is no bug"),
    ids=["full", "memory", "gone"],
)
def test_what_the_system_refuses_is_no_bug(looping: World, answer: str, told: str) -> None:
    refused = (
        "import os; from untilgreen import entry; from untilgreen.loops.stop import dispatch; "
        f"dispatch.answer = lambda *_: {answer}; entry.stop_loop()"
    )
    looping.start()
    said = looping.process(sys.executable, "-c", refused, stdin=json.dumps(looping.payload()))
    assert (said.code, said.notice) == (
        0,
        f"untilgreen: stop-loop failed: {told.format('the agent was let go unjudged')}",
    )


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_what_a_person_asks_a_hook_is_answered_and_no_fault(quick: World, word: str) -> None:
    answer = quick.run("stop-loop", word)
    assert (answer.code, answer.stderr, answer.stdout[:4]) == (0, "", {"--help": "Usag", "--version": "stop"}[word])


@pytest.mark.parametrize("name", ["stop-loop", "session-loop", "post-tool-lint"])
def test_switched_off_nothing_is_answered_and_the_mark_says_so(looping: World, name: str) -> None:
    looping.start()
    before = looping.state
    payload = looping.edited("app.py", "import os\n", None) if name == "post-tool-lint" else looping.payload()
    assert looping.run(name, stdin=json.dumps(payload), env={"UNTILGREEN_DISABLE": "1"}) == SILENT
    assert looping.state == before
    mark = f"1 {looping.session} UNTILGREEN_DISABLE=1\n" if name == "stop-loop" else ""
    assert (looping.project / ".untilgreen/called" / name).read_text() == mark


@pytest.mark.parametrize("value", ["", "0", "yes"])
def test_only_a_one_switches_off(looping: World, value: str) -> None:
    looping.start()
    assert looping.stop(env={"UNTILGREEN_DISABLE": value}).held


def test_by_hand_a_red_project_is_held_unless_the_host_has_no_adapter_or_we_are_switched_off(looping: World) -> None:
    assert looping.run("stop-loop", stdin="{}").held
    assert looping.run("stop-loop", "--host", "generic", stdin="{}") == SILENT
    assert looping.run("stop-loop", stdin='{"hook_event_name": "SessionEnd"}') == SILENT
    assert looping.run("stop-loop", stdin="{}", env={"JIKIME_DISABLE_LOOP_CONTROLLER": "1"}) == SILENT
    looping.init()
    (looping.project / ".untilgreen/off").touch()
    assert looping.run("stop-loop", stdin="{}") == SILENT


def test_an_edits_payload_that_is_no_object_is_told_in_one_line(quick: World) -> None:
    notice = "untilgreen: the payload is not a JSON object but list; no file was looked at"
    assert quick.run("post-tool-lint", stdin="[]") == Answer(0, json.dumps({"systemMessage": notice}) + "\n", "")


def test_what_is_said_where_nothing_can_be_imported_is_json() -> None:
    text = 'a "bug" in C:\\x: \x1b[31m line\n\ttwo \N{CHECK MARK}'
    said = json.loads(entry._notice(text))["systemMessage"]
    assert said == 'untilgreen: a "bug" in C:\\x: ?[31m line two \N{CHECK MARK}'


def test_a_module_that_cannot_be_loaded_is_no_traceback(world: World) -> None:
    (world.home / "click.py").write_text("raise RuntimeError('broken')")
    answer = world.process("untilgreen", "status", env={"PYTHONPATH": str(world.home)})
    assert (answer.code, answer.stderr) == (3, "untilgreen failed: RuntimeError: broken\n")
