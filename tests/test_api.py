"""Programs call untilgreen: typed for their type checker, like the commands when they run, free for who does not."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import tables
import untilgreen
from world import BIN, REPOSITORY, World

PAGE = (REPOSITORY / "docs" / "api.md").read_text("utf-8")
[EXAMPLE] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
# what a user would write to use each result as what it is, and the mistakes that a type checker must see
USER = tables.text("api", "user")
MISTAKES = tables.text("api", "mistakes")


def test_a_type_checker_knows_what_it_takes_and_gives(tmp_path: Path) -> None:
    names = {"example.py": EXAMPLE, "user.py": USER, "mistakes.py": MISTAKES}
    for name, text in names.items():
        (tmp_path / name).write_text(text)
    kept = str(REPOSITORY / ".cache" / "mypy-user")
    words = [str(BIN / "mypy"), "--strict", "--no-error-summary", "--cache-dir", kept]
    done = subprocess.run([*words, *names], cwd=tmp_path, capture_output=True, text=True, check=False)
    found = re.findall(r"^(\w+\.py):(\d+): error: .*\[([\w-]+)\]$", done.stdout, re.MULTILINE)
    assert found == [
        ("mistakes.py", str(line), code)
        for line, code in enumerate(("call-arg", "arg-type", "arg-type", "union-attr", "assignment", "attr-defined"), 4)
    ], done.stdout


def program(world: World, text: str, *, code: int = 0) -> str:
    """What a program prints in the world's project."""
    done = world.process(sys.executable, "-c", text)
    assert done.code == code, done.stderr
    return done.stdout if code == 0 else done.stderr


def test_the_example_of_the_page_runs(world: World) -> None:
    world.write({"ruff.toml": "", "app.py": "import os\n"})
    told = program(world, EXAMPLE).splitlines()
    assert told[0] == "red ('app.py:1: F401 `os` imported but unused',)"
    assert re.fullmatch(r"loop-\d+ waiting True", told[1])
    assert len(told) == 2


def test_it_begins_looks_and_cancels_as_the_commands_do(world: World) -> None:
    world.write({"ruff.toml": "", "app.py": "import os\n"})
    printed = program(
        world,
        f"""
import json, threading, untilgreen
session = {world.session!r}
found = [untilgreen.status(), untilgreen.status(session), untilgreen.is_active(session), untilgreen.cancel(session)]
loops = []
thread = threading.Thread(target=lambda: loops.append(untilgreen.start(
    "mend it", session=session, max_iterations=3, max_minutes=0.5, completion_promise="DONE", criteria=["test_pass"],
    checks={{"unit": ["sh", "-c", "exit 0"], "docs": "true"}}, only=["lint"], description="a try", allow_absent=True,
)))
thread.start(); thread.join()
[loop] = loops
known = untilgreen.status(session)
try:
    untilgreen.start("again", session=session)
except untilgreen.UserError as error:
    refused = str(error)
print(json.dumps([found, loop.loop_id == known.loop_id, untilgreen.is_active(session), refused]))
""",
    )
    assert json.loads(printed) == [
        [None, None, False, None],
        True,
        True,
        "a loop is running in this session (round 1 of 3). Fix: end it with cancel-loop, or start with --replace",
    ]
    state = world.state
    every = f"import untilgreen as u; l = u.status(); print([n for n in {[*state]} if not hasattr(l, n)])"
    assert program(world, every) == "[]\n"
    limits = "print(l.max_iterations, l.completion_promise, l.marker)"
    assert program(world, f"import untilgreen as u; l = u.status(); {limits}") == "3 DONE verify\n"
    asked = state["completion_criteria"]
    assert {name for name, on in asked.items() if on is True} == {"green", "custom", "tests_pass"}
    assert (asked["only"], state["description"], state["settings"]["max_minutes"]) == (["lint"], "a try", 0.5)
    assert state["settings"]["checks"]["unit"]["command"] == ["sh", "-c", "exit 0"]
    held = world.stop()
    assert held.code == 2
    assert "`os` imported but unused" in held.stderr
    ended = program(
        world,
        f"import untilgreen as u; s = {world.session!r}; l = u.cancel(s)\n"
        "again = u.status(s).end.stop_reason, u.status().loop_id == l.loop_id\n"
        "print(l.stop_reason, u.is_active(s), *again, u.cancel(s))",
    )
    assert ended == "cancelled False cancelled True None\n"


@pytest.mark.parametrize(("call", "message"), tables.literal("api", "what cannot be is told as the commands"))
def test_what_cannot_be_is_told_as_the_commands_tell_it(
    world: World, monkeypatch: pytest.MonkeyPatch, call: str, message: str
) -> None:
    monkeypatch.chdir(world.project)
    monkeypatch.setenv("HOME", str(world.home))
    with pytest.raises(untilgreen.UserError) as refused:
        eval(f"untilgreen.{call}")
    assert str(refused.value).startswith(message)
    assert not (world.project / ".untilgreen").exists()


def test_whoever_does_not_ask_for_it_loads_nothing() -> None:
    listed = "import sys; before = set(sys.modules); import untilgreen; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-I", "-c", listed], capture_output=True, text=True, check=True)
    assert done.stdout == "['untilgreen']\n"
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        untilgreen.nothing  # type: ignore[attr-defined] # noqa: B018
