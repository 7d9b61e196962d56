"""Two sessions at work in one tree: what the other one alone wrote is told, and holds only the other one."""

import json
import uuid

import pytest

from untilgreen.core.verdict import neighbours
from untilgreen.core.verdict.neighbours import ShellRun, Trail
from world import Answer, World

A_RED, B_RED = "import json\n\n", "import os\n\n"
FINE = "X = 1\n"
PROJECT = {
    ".gitignore": "__pycache__/\n.pytest_cache/\n.ruff_cache/\n",
    "pyproject.toml": '[tool.ruff]\nsrc = ["."]\n\n[tool.pytest.ini_options]\npythonpath = ["."]\n',
    "a.py": FINE,
    "b.py": FINE,
    "test_all.py": "import a\nimport b\n\n\n"
    "def test_a():\n    assert a.X == 1\n\n\ndef test_b():\n    assert b.X == 1\n",
}


class Other:
    """Another session in the world's project."""

    def __init__(self, world: World) -> None:
        self.world, self.session = world, str(uuid.uuid4())

    def __enter__(self) -> World:
        self.session, self.world.session = self.world.session, self.session
        return self.world

    def __exit__(self, *_: object) -> None:
        self.session, self.world.session = self.world.session, self.session


@pytest.fixture
def other(world: World) -> Other:
    """The world's session has a loop; another one lives beside it."""
    world.write(PROJECT)
    world.commit()
    world.init()
    world.event("SessionStart", source="startup")
    answer = world.run("start-loop", "mend it", "--session", world.session)
    assert answer.code == 0, answer
    world.edit("a.py", "X = 1\nY = 2\n")
    another = Other(world)
    with another:
        world.event("SessionStart", source="startup")
    return another


def shell(world: World, command: str, **fields: object) -> Answer:
    """A command of the session's shell is over."""
    payload = {
        "session_id": world.session,
        "cwd": str(world.project),
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": command},
        "tool_response": {"stdout": "", "stderr": "", "interrupted": False},
        "tool_use_id": "toolu_2",
        "duration_ms": 20,
    } | fields
    env = {"CLAUDE_CODE_SESSION_ID": world.session, "CLAUDE_PROJECT_DIR": str(world.project)}
    return world.run("post-tool-bash", stdin=json.dumps(payload), env=env)


def released(world: World, answer: Answer) -> tuple[int, str, bool | None, list[str]]:
    """How the loop ended, and what was told beside that."""
    _, *below = answer.notice.split("\n")
    return answer.code, world.state["completion_reason"], world.state["verified"], below


def short(other: Other) -> str:
    return other.session[:8]


def test_what_another_session_broke_does_not_hold(world: World, other: Other) -> None:
    with other:
        world.edit("b.py", B_RED + FINE)
    answer = world.stop()
    told = f"b.py is session {short(other)}'s: 1 left there"
    assert released(world, answer) == (0, "Green, but b.py is red (another session)", False, [told])
    assert [(one["error_count"], one["failing_by_check"]) for one in world.state["snapshots"]] == [
        (0, {"ruff": 0, "pytest": 0})
    ]


def test_only_ones_own_is_left_and_the_others_is_told(world: World, other: Other) -> None:
    with other:
        world.edit("b.py", B_RED + FINE)
    world.edit("a.py", A_RED + FINE)
    held = world.stop()
    assert (held.code, held.stderr.split("\n")[0]) == (2, "Not green yet: 1 left after round 1 of 10 · ruff 1")
    assert f"b.py is session {short(other)}'s: 1 left there" in held.stderr.split("\n")
    assert "b.py:1" not in held.stderr
    assert " 1 left: ruff 1 " in world.run("untilgreen", "status").stdout
    with other:  # its own stop is judged by what it wrote
        assert "b.py:1" in world.run("untilgreen", "check").stdout


def test_under_strict_the_others_does_not_hold_either(world: World, other: Other) -> None:
    world.run("cancel-loop")
    assert world.prompt("/untilgreen:loop --strict mend it").code == 0
    world.edit("a.py", "X = 1\nY = 3\n")
    with other:
        world.edit("b.py", B_RED + FINE)
    assert released(world, world.stop())[:2] == (0, "Green, but b.py is red (another session)")


@pytest.mark.parametrize("text", ["X = 2\n", "X = (\n"])
def test_a_test_that_fails_by_what_the_other_wrote_is_the_others(world: World, other: Other, text: str) -> None:
    with other:
        world.edit("b.py", text)
    answer = world.stop()
    assert released(world, answer)[:3] == (0, "Green, but b.py is red (another session)", False), answer
    assert f"b.py is session {short(other)}'s: " in answer.notice


def test_what_the_other_silenced_does_not_stand_against_the_green(world: World, other: Other) -> None:
    with other:
        world.edit("b.py", f"import os  # noqa: F401\n\n{FINE}")
        world.edit("test_c.py", "import pytest\n\n\n@pytest.mark.skip\ndef test_c():\n    pass\n")
    assert released(world, world.stop()) == (0, "All conditions satisfied", True, [])


def test_a_test_that_fails_by_both_is_ones_own(world: World, other: Other) -> None:
    with other:
        world.edit("b.py", "X = 2\n")
    world.edit("a.py", "X = 3\n")
    held = world.stop()
    assert (held.code, held.stderr.split("\n")[0]) == (
        2,
        "Not green yet: 1 left after round 1 of 10 · pytest 1 failed of 2",
    )
    assert "test_a" in held.stderr
    assert "test_b" not in held.stderr
    world.edit("a.py", FINE + "Y = 4\n")
    assert released(world, world.stop())[:2] == (0, "Green, but b.py is red (another session)")


@pytest.mark.parametrize("begun", [False, True])
def test_what_the_others_shell_wrote_is_the_others(world: World, other: Other, begun: bool) -> None:
    with other:
        if begun:
            assert world.run("start-loop", "break it", "--session", world.session).code == 0
        else:
            world.edit("c.py", FINE)  # without anything that it did a shell's hook looks no further
        world.write({"b.py": B_RED + FINE})
        shell(world, "sed -i '1i import os' ./b.py")
    assert released(world, world.stop())[:2] == (0, "Green, but b.py is red (another session)")


@pytest.mark.parametrize("how", ["edit", "shell", "nobody"])
def test_what_both_or_nobody_wrote_is_ones_own(world: World, other: Other, how: str) -> None:
    if how == "edit":
        world.edit("b.py", FINE + "Y = 2\n")
    if how == "shell":
        world.write({"b.py": FINE + "Y = 2\n"})
        shell(world, "echo 'Y = 2' >> b.py")
    if how == "nobody":
        world.write({"b.py": B_RED + FINE})
    else:
        with other:
            world.edit("b.py", B_RED + FINE)
    held = world.stop()
    assert (held.code, "b.py:1" in held.stderr) == (2, True)


@pytest.mark.parametrize("how", ["ended", "gone", "parked"])
def test_a_session_that_is_over_wrote_what_is_ones_own(world: World, other: Other, how: str) -> None:
    with other:
        if how == "parked":
            assert world.run("start-loop", "break it", "--session", world.session).code == 0
        world.edit("b.py", B_RED + FINE)
        if how == "ended":
            world.event("SessionEnd", reason="other")
        elif how == "gone":
            world.change("session.json", client="4194999")
        else:
            world.event("StopFailure", error="rate_limit", last_assistant_message="429")
    held = world.stop()
    assert (held.code, "b.py:1" in held.stderr) == (2, True)


def test_what_a_session_wrote_that_had_the_loop_before_is_the_loops(world: World, other: Other) -> None:
    world.edit("b.py", B_RED + FINE)
    world.event("SessionEnd", reason="other")
    adopted = world.run("untilgreen", "resume", world.state["loop_id"], "--here", "--session", other.session)
    assert adopted.code == 0, adopted
    world.event("SessionStart", source="resume")
    with other:
        held = world.stop()
        assert (held.code, "b.py:1" in held.stderr, world.state["sessions"]) == (2, True, [other.session])


def test_the_stops_of_two_sessions_at_once_each_judge_their_own(world: World, other: Other) -> None:
    with other:
        assert world.run("start-loop", "mend b", "--session", world.session).code == 0
        world.edit("b.py", "import os\n\nX = 2\n")
        theirs = world.begin("stop-loop", stdin=json.dumps(world.payload()))
    mine = world.begin("stop-loop", stdin=json.dumps(world.payload()))
    assert released(world, world.end(mine))[:2] == (0, "Green, but b.py is red (another session)")
    held = world.end(theirs)
    assert (held.code, held.stderr.split("\n")[0]) == (
        2,
        "Not green yet: 2 left after round 1 of 10 · pytest 1 failed of 2 · ruff 1",
    )
    with other:
        assert world.state["iteration"] == 2


OWN, NOBODY = Trail("own"), ""
EDITED = Trail("b", {"pkg/b.py": 100.0})


def ran(command: str, began: float = 50.0, ended: float = 60.0, session: str = "b") -> Trail:
    return Trail(session, {}, [ShellRun(began, ended, command)])


@pytest.mark.parametrize(
    ("own", "others", "expected"),
    [
        (OWN, [], NOBODY),
        (OWN, [EDITED], "b"),
        (OWN, [EDITED, EDITED._replace(session="c")], NOBODY),
        (Trail("own", {"pkg/b.py": 0.0}), [EDITED], NOBODY),
        (ran("python gen.py", 99.0, 100.5, "own"), [EDITED], "b"),  # its edit is what was written last
        (ran("python gen.py", 99.0, 100.5, "own"), [Trail("b", {"pkg/b.py": 0.0})], NOBODY),
        (ran("sed -i s/a/b/ pkg/b.py", session="own"), [EDITED], NOBODY),
        (ran("cat pkg/b.py; pytest -k b.py", session="own"), [EDITED], "b"),
        (OWN, [ran("python gen.py", 98.0, 99.8)], "b"),
        (OWN, [ran("python gen.py", 10.0, 20.0)], NOBODY),
        (OWN, [ran("echo x > pkg/b.py")], "b"),
        (OWN, [ran("cd pkg && git checkout b.py")], "b"),
        (OWN, [ran("echo x > lib.py; cat b.py > c.py")], NOBODY),
        (OWN, [ran("echo x > pkg/b.pyc")], NOBODY),
    ],
)
def test_a_file_is_of_who_alone_wrote_it(own: Trail, others: list[Trail], expected: str) -> None:
    assert neighbours.owner("pkg/b.py", 99.5, own, others) == expected
