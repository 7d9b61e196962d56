"""What runs in a cache, as uvx, pipx run and the npm package do, is copied by init: the hooks outlive the cache."""

import json
import shutil
import sys
import venv
from pathlib import Path

import pytest

from untilgreen.cli.installing import command_forms
from world import Answer, World

MAIN = "import sys; from untilgreen.entry import untilgreen as main; sys.exit(main())"


class Cached:
    """untilgreen in an environment below a folder that says that it is a cache."""

    def __init__(self, world: World) -> None:
        self.world, self.cache = world, world.home / ".cache" / "uv"
        self.environment = self.cache / "archive" / "1f"
        venv.create(self.environment, symlinks=True)
        (self.cache / "CACHEDIR.TAG").write_text("Signature: 8a477f597d28d172789f06886806bc55\n", encoding="utf-8")
        site = next((self.environment / "lib").glob("python*/site-packages"))
        known = [path for path in sys.path if path.endswith(("-packages", "hooks"))]
        (site / "here.pth").write_text("\n".join(known), encoding="utf-8")
        (self.environment / "bin" / "untilgreen").write_text("#!/old/python\n", encoding="utf-8")
        self.copies = world.home / ".local/state/untilgreen/copies"

    def run(self, *words: str) -> Answer:
        return self.world.process(str(self.environment / "bin/python"), "-c", MAIN, *words)


@pytest.fixture
def cached(red: World) -> Cached:
    return Cached(red)


def test_the_hooks_hold_when_the_cache_is_gone_and_uninstall_takes_the_copy_with_the_last_of_them(
    cached: Cached,
) -> None:
    world = cached.world
    said = cached.run("init")
    [copy] = cached.copies.iterdir()
    assert said.stdout.splitlines()[0] == f"copied to {copy}, for {cached.environment} lies in a cache"
    assert not (copy / "bin" / "untilgreen").exists(), "it would name the interpreter of the cache"

    settings = json.loads((world.project / ".claude/settings.local.json").read_text(encoding="utf-8"))
    [stop] = settings["hooks"]["Stop"][0]["hooks"]
    named = command_forms.read(stop["command"])
    assert named
    assert Path(named.interpreter).parent == copy / "bin"
    assert world.run("start-loop", "mend it", "--session", world.session).code == 0
    assert cached.run("init").stdout.startswith("registered already"), "what runs is the copy from now on"
    shutil.rmtree(cached.cache)
    done = world.process(stop["command"], *stop["args"], stdin=json.dumps(world.payload()))
    assert (done.code, done.stderr.partition(" ·")[0]) == (2, "Not green yet: 1 left after round 1 of 10")

    gone = world.process(str(copy / "bin/python"), "-c", MAIN, "uninstall")
    assert (gone.code, gone.stderr) == (0, "")
    assert not cached.copies.exists()


def test_where_there_is_no_room_for_the_copy_nothing_is_registered(cached: Cached) -> None:
    cached.copies.parent.mkdir(parents=True)
    cached.copies.write_text("", encoding="utf-8")
    said = cached.run("init")
    assert (said.code, said.stdout) == (64, "")
    assert f"{cached.environment} lies in a cache, and cannot be copied to {cached.copies}/" in said.stderr
    assert said.stderr.endswith("Fix: make room there, or install untilgreen by uv tool install\n")
    assert not (cached.world.project / ".claude").exists()
