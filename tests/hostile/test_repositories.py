"""A repository that nobody trusted: no call of a hook runs, writes or tells anything of it."""

import json
import os
import time
from pathlib import Path

import pytest

from untilgreen.checks.run import processes
from untilgreen.project import pipes
from world import World

from .harness import events, hostile, lay, violations
from .repositories import TRAPS


@pytest.mark.parametrize("trap", TRAPS)
def test_a_repository_that_nobody_trusted_does_nothing_by_a_hook(world: World, trap: str) -> None:
    lay(hostile(world), TRAPS[trap])
    calls = {what: (name, json.dumps(payload).encode()) for what, (name, payload) in events(world).items()}
    assert list(violations(world, calls)) == []
    # a host that tells the session in the payload alone: the same code from there on
    some = {what: calls[what] for what in ("edit", "stop")}
    assert list(violations(world, some, known=False)) == []


def test_there_are_enough_of_them() -> None:
    assert len(TRAPS) >= 100


def test_what_a_tool_quotes_of_a_file_elsewhere_is_not_shown(world: World) -> None:
    secret = "swordfish_has_no_shape"
    world.write({"ruff.toml": "", "b.py": ""})
    (world.home / "credentials").write_text(f"[default]\npassword = {secret}\n")
    (world.home / "a.py").write_text(f"{secret} = = 1\n")
    (world.project / "a.py").symlink_to(world.home / "credentials")
    world.trust()
    said = world.run("untilgreen", "check")
    assert ("a.py:2:12 ruff F821: what it says is not shown" in said.stdout, secret in said.stdout) == (True, False)
    world.start("mend it", "--preset", "strict")
    assert secret not in world.stop().stderr
    assert secret not in (world.folder / "loop_state.json").read_text()
    (world.project / "a.py").unlink()
    world.write({"ruff.toml": f'extend = "{world.home}/credentials"\n'})
    assert secret not in str(world.run("untilgreen", "check"))
    world.write({"ruff.toml": "", "tests/test_a.py": "def test_a(): pass\n"})
    world.trust()
    (world.home / "credentials").write_text(f"{secret}\n")
    world.write({"conftest.py": f"at = '{world.home}/credentials'\nexec(compile(open(at).read(), at, 'exec'))\n"})
    answer = world.run("untilgreen", "check", "-v").stdout
    assert ("NameError: name '…' is not defined" in answer, secret in answer) == (True, False), answer
    (world.project / "conftest.py").unlink()
    (world.project / "conftest.py").symlink_to(world.home / "credentials")
    answer = world.run("untilgreen", "check", "-v").stdout
    assert ("NameError: name '…' is not defined" in answer, secret in answer) == (True, False), answer


@pytest.mark.parametrize("name", ["a.py", ".gitignore", ".git/HEAD"])
def test_a_pipe_in_the_place_of_a_file_costs_little_time_and_is_named(world: World, name: str) -> None:
    world.write({"ruff.toml": "", "b.py": "import os\n"})
    world.commit()
    world.trust()
    (world.project / name).unlink(missing_ok=True)
    os.mkfifo(world.project / name)
    began = time.monotonic()
    said = world.run("untilgreen", "check").stdout
    assert time.monotonic() - began < 20  # of a busy machine; without a cure it is a minute
    if name == "a.py":
        assert "ruff: could not be judged, a.py is a pipe, and nobody writes to it" in said
    assert f"{name} is a pipe: git and checks" in world.run("untilgreen", "doctor", "--no-run").stdout


def test_a_check_that_fills_the_memory_from_what_has_no_end_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "null.py").symlink_to("/dev/null")
    job = processes.Job("a", ("sleep", "600"), str(tmp_path), 600)
    monkeypatch.setattr(pipes, "memory", lambda _: 2_000_000_000)
    monkeypatch.setattr(pipes, "SECONDS", 0.1)
    assert processes.run((job,), dict(os.environ), time.monotonic() + 0.5)["a"].late  # an honest one may have all of it
    (tmp_path / "nowhere.py").symlink_to("nowhere")
    (tmp_path / "a.py").symlink_to("/dev/zero")
    output = processes.run((job,), dict(os.environ), time.monotonic() + 600)["a"]
    assert (output.code, output.why) == (None, f"{tmp_path}/a.py has no end")


def test_a_configuration_of_git_that_has_no_end_is_none(world: World) -> None:
    world.write({"ruff.toml": "", "b.py": "import os\n"})
    world.commit()
    world.env["GIT_CONFIG_GLOBAL"] = "/dev/zero"
    world.start("mend it", "--preset", "strict")
    assert "b.py:1:8 ruff F401" in world.stop().stderr


@pytest.mark.parametrize("home", ["fake", "", None, "/no/such/home"])
def test_a_home_that_is_no_folder_gives_no_trust_and_lets_nobody_go_in_silence(world: World, home: str | None) -> None:
    world.write({"ruff.toml": "", "b.py": "import os\n", "fake/.local/state/untilgreen/trusted": f"{world.project}\n"})
    world.start("mend it", "--preset", "strict")
    env = {name: value for name, value in world.env.items() if name != "HOME"} | (
        {} if home is None else {"HOME": home}
    )
    world.env = env
    assert "cannot be read: HOME names no folder" in world.stop().notice
