"""The harness itself: what it says about the host must be what the host did."""

import time

import pytest

from .host import NewHost
from .model import Answer, Body, Tool
from .records import Recorder
from .scenes import NEW_ONLY

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm"), pytest.mark.wide, NEW_ONLY]


def test_a_stop_hook_that_exits_2_once_is_heard_by_the_model_in_its_next_request(
    new_host: NewHost, recorder: Recorder
) -> None:
    host = new_host(["Done.", "Done again."], settings=recorder.settings("--hold", "1", "Two tests are red."))

    run = host.run("Fix add()")

    assert (run.code, run.result["result"], run.stderr) == (0, "Done again.", "")
    assert len(host.model.main) == 2
    assert "Fix add()" in host.model.told(0)
    assert "Two tests are red." in host.model.told(1)
    assert "Fix add()" not in host.model.told(1)
    assert [stop["payload"]["stop_hook_active"] for stop in recorder.records("Stop")] == [False, True]


def test_a_tool_call_of_the_script_changes_the_project_and_its_result_comes_back(new_host: NewHost) -> None:
    def finish(body: Body) -> str:
        assert body["messages"][-1]["role"] in {"user", "system"}
        return "Fixed."

    host = new_host([["Now.", Tool("Bash", {"command": "echo seen > proof && echo from-the-shell"})], finish])

    assert host.run("Make proof").result["result"] == "Fixed."
    assert (host.project / "proof").read_text() == "seen\n"
    assert "from-the-shell" in host.model.told(1)


def test_a_session_is_resumed_under_its_own_id(new_host: NewHost, recorder: Recorder) -> None:
    host = new_host(["One.", "Two."], local=recorder.settings(events=("SessionStart",)))

    first = host.run("begin")
    second = host.run("go on", "--resume", first.session_id)

    assert second.session_id == first.session_id
    assert [start["payload"]["source"] for start in recorder.records()] == ["startup", "resume"]
    assert "One." in str(host.model.main[1].body["messages"])


def test_a_command_of_the_project_reaches_the_model_as_its_text(new_host: NewHost) -> None:
    host = new_host(["Hello."], files={".claude/commands/greet.md": "Say hello to $ARGUMENTS.\n"})

    assert host.run("/greet everyone").code == 0
    assert "Say hello to everyone." in host.model.told(0)


def test_a_subagent_takes_its_answers_from_its_own_script(new_host: NewHost) -> None:
    call = Tool(
        "Agent",
        {
            "description": "look",
            "prompt": "Look around",
            "subagent_type": "general-purpose",
            "run_in_background": False,
        },
    )
    host = new_host([call, "The subagent has looked."], subagent=["I have looked."])

    assert host.run("Send someone", tools="Agent,Task,Bash").result["result"] == "The subagent has looked."
    assert [request.kind for request in host.model.requests if request.kind != "side"] == ["main", "subagent", "main"]
    assert "I have looked." in host.model.told(1)


def test_a_run_that_takes_too_long_is_killed(new_host: NewHost) -> None:
    host = new_host([Answer(["Too late."], delay=60)])
    began = time.monotonic()

    with pytest.raises(TimeoutError):
        host.run("Take your time", timeout=3)

    assert time.monotonic() - began < 15


def test_a_prompt_typed_in_the_terminal_is_answered_there(new_host: NewHost, recorder: Recorder) -> None:
    host = new_host(["The answer is blue."], settings=recorder.settings())

    with host.terminal() as terminal:
        terminal.say("Which colour is it?")
        terminal.wait_for("The answer is blue")

    assert "Which colour is it?" in host.model.told(0)
    assert recorder.records("UserPromptSubmit")[0]["payload"]["prompt"] == "Which colour is it?"


def test_escape_in_the_terminal_interrupts_the_model(new_host: NewHost) -> None:
    look = Tool("Read", {"file_path": "README.md"})
    host = new_host([look, Answer(["Too late."], delay=60), "Here I am."])

    with host.terminal() as terminal:
        terminal.say("Take your time")
        host.model.wait_for(2)
        terminal.key("esc")
        terminal.wait_for("Interrupted")
        terminal.say("Are you there?")
        terminal.wait_for("Here I am")

    assert "Are you there?" in host.model.told(2)


def test_a_typed_command_of_the_project_is_run_from_the_terminal(new_host: NewHost, recorder: Recorder) -> None:
    commands = {".claude/commands/demo/greet.md": "Say hello to $ARGUMENTS.\n"}
    host = new_host(["Hello.", "Bye."], files=commands, settings=recorder.settings())
    words = "everyone who is here and also " + "everyone " * 12 + "who is not"  # more than fits one line

    with host.terminal() as terminal:
        terminal.say(f"/demo:greet {words}")
        recorder.wait_for("Stop")
        terminal.say("/clear")
        recorder.wait_for("SessionStart", 2)
        terminal.wait_until_gone("Hello")
        terminal.say("Goodbye")
        terminal.wait_for("Bye")

    assert f"Say hello to {words}." in host.model.told(0)
    assert [start["payload"]["source"] for start in recorder.records("SessionStart")] == ["startup", "clear"]


def test_nothing_that_was_started_in_the_terminal_outlives_it(new_host: NewHost) -> None:
    forever = "while :; do echo . >> beats; sleep 0.1; done"
    host = new_host([Tool("Bash", {"command": forever, "run_in_background": True}), "It beats."])
    beats = host.project / "beats"

    with host.terminal() as terminal:
        terminal.say("Go on for ever")
        terminal.wait_for("It beats")
        assert beats.exists()

    size = beats.stat().st_size
    time.sleep(0.5)
    assert beats.stat().st_size == size


def test_a_command_of_the_host_can_be_run_by_itself(new_host: NewHost) -> None:
    assert "Claude Code" in new_host().command("--version").out


def test_a_script_that_fails_fails_the_test(new_host: NewHost) -> None:
    def wrong(body: Body) -> str:
        raise LookupError("not what was asked")

    host = new_host([wrong])

    host.run("go")

    with pytest.raises(LookupError, match="not what was asked"):
        host.model.close()
    host.model.faults.clear()
