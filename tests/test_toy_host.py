"""A host is one folder, a line in two tables and one payload: a toy plays a whole loop, is registered and taken out.

These are the steps of docs/adding-a-host.md, in a copy of the package.
"""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

import toy
import trees
from untilgreen.core.model.event import Event
from world import REPOSITORY, Answer, World

TOY = Path(toy.__file__).parent
LINE = '    "toy": ("toy", "", "", ()),\n'
TABLE = 'ADAPTERS: "dict[str, Row]" = {\n'
KNOWN = '  "toy": {"title": "Toy", "cap": {"holds": 2, "spans_tools": true}},\n'
KEYS = "_KEYS = {\n"
FIELD = '    "conversation": "toy",\n'
RECORDED = json.loads((TOY / "stop.json").read_text())


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source root of an untilgreen that knows the toy host."""
    source = tmp_path_factory.mktemp("checkout") / "hooks"
    shutil.copytree(REPOSITORY / "hooks", source, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(REPOSITORY / "templates", source.parent / "templates")
    shutil.copytree(TOY, source / "untilgreen" / "hosts" / "toy", ignore=shutil.ignore_patterns("__pycache__"))
    table = source / "untilgreen" / "hosts" / "__init__.py"
    before, found, after = table.read_text().partition(TABLE)
    assert found
    table.write_text(before + TABLE + LINE + after)
    facts = source.parent / "templates" / "hosts.json"
    facts.write_text(facts.read_text().replace("{\n", "{\n" + KNOWN, 1))
    guess = source / "untilgreen" / "hosts" / "guess.py"
    guess.write_text(guess.read_text().replace(KEYS, KEYS + FIELD))
    return source


class Toy:
    """The toy host in a world: it calls our executables as they are registered, with its own payloads."""

    def __init__(self, world: World, package: Path) -> None:
        self.world = world
        self.package = package
        self.project = world.project

    def run(self, name: str, *words: str, stdin: str = "") -> Answer:
        start = f"from untilgreen import entry; raise SystemExit(entry.{name.replace('-', '_')}())"
        words, env = (sys.executable, "-c", start, *words), {"PYTHONPATH": str(self.package)}
        return self.world.process(*words, stdin=stdin, env=env, cwd=self.project)

    def call(self, name: str, what: str, **fields: Any) -> dict[str, Any]:
        """What a hook says to a payload; {} for silence."""
        payload = {"what": what, "conversation": self.world.session, "folder": str(self.project)} | fields
        answer = self.run(name, "--host", "toy", stdin=json.dumps(payload))
        assert (answer.code, answer.stderr) == (0, "")
        reply: dict[str, Any] = json.loads(answer.stdout or "{}")
        return reply


@pytest.fixture
def host(red: World, package: Path) -> Toy:
    return Toy(red, package)


def test_its_recorded_payload_is_read() -> None:
    payload = json.loads(RECORDED["stdin"])
    session = "0b5c3f4e-4f0e-4c41-9d5e-0c5d7f0a9f11"
    expected = Event("stop", "toy", session=session, cwd="/tmp/project", message="I am done.", most_holds=2)
    assert toy.read(payload, RECORDED["env"], "other") == expected


def test_a_loop_goes_from_the_typed_command_over_a_held_stop_to_green(host: Toy) -> None:
    started = host.call("session-loop", "user_said", text="!loop mend it")
    assert started["go_on"], started
    assert started["tell_model"].startswith("untilgreen: loop started ")
    held = host.call("stop-loop", "turn_done", text="I am done.")
    assert (held["go_on"], "app.py:1:8 ruff F401: `os` imported but unused" in held["tell_model"]) == (True, True), held
    assert "round 1 of 10" in held["tell_user"], held
    (host.project / "app.py").write_text("VALUE = 1\n")
    released = host.call("stop-loop", "turn_done", text="I am done.")
    assert (released["go_on"], "tell_model" in released) == (False, False)
    assert "✓ green" in released["tell_user"]
    assert host.call("stop-loop", "turn_done", text="I am done.") == {}
    assert [path.name for path in (host.project / ".untilgreen" / "called").iterdir()] == ["stop-loop@toy"]


def test_its_cap_is_said_at_the_start_and_a_hold_beyond_it_is_no_round(host: Toy) -> None:
    begun = host.call("session-loop", "user_said", text="!loop mend it")["tell_user"]
    assert 'Toy ends a turn after 2 holds; say "go on" then' in begun
    for again in (False, True):
        assert host.call("stop-loop", "turn_done", text="Done.", again=again)["go_on"]
    assert host.call("stop-loop", "turn_done", text="Done.", again=True) == {
        "go_on": False,
        "tell_user": "untilgreen: Toy lets no more than 2 stops of a turn be held;"
        ' loop paused in round 3 of 10: say "go on"',
    }
    host.call("session-loop", "user_said", text="go on")
    assert "round 3 of 10" in host.call("stop-loop", "turn_done", text="Done.")["tell_model"]
    (host.project / "app.py").write_text("VALUE = 1\n")
    assert "✓ green" in host.call("stop-loop", "turn_done", text="Done.", again=True)["tell_user"]


def test_a_loop_of_no_more_rounds_than_the_cap_allows_says_nothing_of_it(host: Toy) -> None:
    assert "ends a turn" not in host.call("session-loop", "user_said", text="!loop mend it -m 3")["tell_user"]


def test_our_own_words_that_come_back_as_a_prompt_are_no_words_of_the_user(host: Toy) -> None:
    host.call("session-loop", "user_said", text="!loop mend it")
    said = host.call("stop-loop", "turn_done", text="Done.")["tell_model"]
    assert host.call("session-loop", "user_said", text=f"{said}\n") == {}
    assert "round 2 of 10" in host.call("stop-loop", "turn_done", text="Done.", again=True)["tell_model"]
    host.call("session-loop", "user_said", text=f"{said} What is that?")
    assert 'say "go on"' in host.call("stop-loop", "turn_done", text="Done.", again=True)["tell_user"]


def test_a_call_by_another_hosts_registration_is_answered_unless_its_own_calls_us_too(host: Toy) -> None:
    payload = {"what": "turn_done", "conversation": host.world.session, "folder": str(host.project), "text": "Done."}

    def by_claude_codes_registration() -> str:
        return host.run("stop-loop", "--host", "claude-code", stdin=json.dumps(payload)).stdout

    host.call("session-loop", "user_said", text="!loop mend it")
    assert json.loads(by_claude_codes_registration())["go_on"]
    assert host.run("untilgreen", "init", "--host", "toy").code == 0
    assert by_claude_codes_registration() == ""
    assert host.call("stop-loop", "turn_done", text="Done.")["go_on"]


def test_one_call_of_its_edit_tool_names_several_files_and_gets_one_answer(host: Toy) -> None:
    host.call("session-loop", "user_said", text="!loop mend it")
    host.world.write({"two.py": "import sys\n", "three.py": "VALUE = 3\n", "notes.md": "words\n"})
    files = [{"path": name, "was": ""} for name in ("two.py", "three.py", "notes.md", "app.py")]
    told = host.call("post-tool-lint", "wrote", files=files)["tell_model"]
    assert told.splitlines()[0] == ("untilgreen: 2 new findings in two.py, three.py, app.py")
    state = json.loads(next(host.project.glob(".untilgreen/sessions/*/loop_state.json")).read_text())
    assert [detail["path"] for detail in state["current"]["file_details"]] == ["app.py", "two.py"]


def test_the_host_that_is_named_is_believed_whatever_its_payload_looks_like(host: Toy) -> None:
    host.call("session-loop", "user_said", text="!loop mend it", hook_event_name="BeforeAgent")
    assert host.call("stop-loop", "turn_done", turn_id="7", cursor_version="3.1")["go_on"]


def test_what_is_no_payload_is_said_in_its_own_words(host: Toy) -> None:
    answer = host.run("stop-loop", "--host", "toy", stdin="[]")
    expected = {
        "go_on": False,
        "tell_user": "untilgreen: the payload is not a JSON object but list; nothing was judged",
    }
    assert (answer.code, json.loads(answer.stdout)) == (0, expected)


def test_an_unknown_option_stops_the_prompt(host: Toy) -> None:
    refused = host.call("session-loop", "user_said", text="!loop --bogus")
    assert not refused["go_on"]
    assert "--bogus" in refused["tell_user"]


def test_init_registers_it_its_hooks_play_a_loop_and_uninstall_leaves_the_project_as_it_was(host: Toy) -> None:
    theirs = {"hooks": {"turn_done": [{"run": ["make", "tea"]}]}, "colour": "red"}
    host.world.write({".toy/hooks.json": json.dumps(theirs)})
    answer = host.run("untilgreen", "init", "--host", "toy")
    assert (answer.code, answer.stderr) == (0, "")
    settings = json.loads((host.project / ".toy" / "hooks.json").read_text())
    assert settings["colour"] == "red"
    assert {event: len(ours) for event, ours in settings["hooks"].items()} == {
        "turn_done": 2,
        "wrote": 3,
        "user_said": 1,
        "hello": 1,
        "bye": 1,
    }
    assert settings["hooks"]["turn_done"][0] == {"run": ["make", "tea"]}

    def calls(what: str, text: str) -> dict[str, Any]:
        words = settings["hooks"][what][-1]["run"]
        payload = json.dumps({"what": what, "conversation": host.world.session, "text": text})
        done = host.world.process(*words, stdin=payload, cwd=host.project)
        assert (done.code, done.stderr) == (0, "")
        reply: dict[str, Any] = json.loads(done.stdout)
        return reply

    assert calls("user_said", "!loop mend it")["go_on"]
    assert calls("turn_done", "I am done.")["go_on"]
    answer = host.run("untilgreen", "uninstall", "--host", "toy")
    assert (answer.code, answer.stderr) == (0, "")
    assert sorted(path.name for path in host.project.iterdir()) == [".git", ".toy", "app.py", "ruff.toml"]
    assert (host.project / ".toy" / "hooks.json").read_text() == json.dumps(theirs)


def test_the_doctor_names_the_host_whose_registration_is_incomplete(host: Toy) -> None:
    assert host.run("untilgreen", "init", "--host", "toy").code == 0
    path = host.project / ".toy" / "hooks.json"
    settings = json.loads(path.read_text())
    del settings["hooks"]["turn_done"]
    path.write_text(json.dumps(settings))
    found = json.loads(host.run("untilgreen", "doctor", "--json", "--no-run").stdout)["findings"]
    assert [(one["what"], one["cure"]) for one in found if one["what"].startswith("not registered")] == [
        ("not registered: stop-loop on turn_done", "run: untilgreen init --host toy")
    ]
    assert host.run("untilgreen", "init", "--host", "toy").code == 0
    assert "turn_done" in json.loads(path.read_text())["hooks"]


@pytest.mark.parametrize("first", ["toy", "claude-code"])
def test_of_two_hosts_in_a_project_each_takes_its_own_along_and_the_last_one_the_state(host: Toy, first: str) -> None:
    last = "toy" if first == "claude-code" else "claude-code"
    file = {"toy": ".toy/hooks.json", "claude-code": ".claude/settings.local.json"}
    exclude = host.project / ".git/info/exclude"
    exclude.write_text("*.log")

    def everything() -> dict[str, tuple[str, bytes]]:
        found = trees.of_world(host.world) | {"exclude": ("", exclude.read_bytes())}
        return {path: entry for path, entry in found.items() if "/installed/" not in path}

    before = everything()
    assert host.run("untilgreen", "init", "--host", last).code == 0
    alone = everything()
    assert host.run("untilgreen", "init", "--host", first).code == 0
    theirs = exclude.read_bytes()
    exclude.write_bytes(theirs + b"*.tmp\n")  # somebody else's line
    said = host.run("untilgreen", "uninstall", "--host", first).stdout
    assert said.startswith(f"removed: {file[first]}\n")
    assert "restored: .git/info/exclude\n" in said
    assert said.endswith(f"kept the project's state and trust: {host.project / file[last]} serves it too\n")
    added = {"exclude": ("", alone["exclude"][1] + b"*.tmp\n")}
    assert everything() == alone | added
    assert host.run("untilgreen", "uninstall").code == 0
    assert everything() == before | {"exclude": ("", b"*.log\n*.tmp\n")}


def test_the_page_on_adding_a_host_says_what_the_toy_is_made_of() -> None:
    page = (REPOSITORY / "docs" / "adding-a-host.md").read_text()
    told = [LINE.rstrip("\n"), *((TOY / name).read_text().rstrip() for name in ("__init__.py", "stop.json"))]
    assert [text for text in told if f"\n{text}\n```" not in page] == []
