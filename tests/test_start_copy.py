"""The copy of a loop's start that stays: whatever was done to it, or to what it was made of, it is as a fresh one."""

import os
import random
import shutil
import time
import venv
from pathlib import Path

import pytest

from test_start_tree import LINK, Kept
from untilgreen.checks.elsewhere import rerun
from untilgreen.checks.elsewhere.laid import StartTree
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.outcome import Found
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.project.tree import worktree
from world import World

FILES = {
    ".gitignore": ".venv\nnode_modules\nlocal\n",
    "shop.py": "def total(prices):\n    return sum(prices)\n",
    "pkg/__init__.py": "",
    "pkg/inner/data.txt": "1\n",
    "pkg/inner/deep/m.py": "VALUE = 1\n",
    "bin/run": "#!/bin/sh\n",
    "link": f"{LINK}pkg/inner",
    "tests/test_shop.py": "import shop\n",
}
#: prints a digest of all that lies in the copy, beside it and in its environments
LISTING = r"""
import hashlib, os, stat, sys
root = os.getcwd()
above, lines = os.path.dirname(root), []
for folder, names, files in os.walk(above):
    if folder.endswith("/.git"):
        names[:] = [name for name in names if name in ("refs", "hooks")]
        files = [name for name in files if name in ("HEAD", "config")]
    for name in names + files:
        path = os.path.join(folder, name)
        found = os.lstat(path)
        line = [path, oct(found.st_mode)]
        if stat.S_ISLNK(found.st_mode):
            line.append(os.readlink(path))
        elif stat.S_ISREG(found.st_mode):
            line.append(open(path, "rb").read().decode("latin-1"))
            line.append(str(found.st_mtime_ns) if path.endswith(".py") and folder.startswith(root + "/pkg") else "")
        if name != ".laid":
            lines.append(repr([one.replace(above, "@") for one in line]))
text = "\n".join(sorted(lines))
open(sys.argv[1], "w").write(text)
sys.exit(print(hashlib.sha256(text.encode()).hexdigest()) or 1)
"""


class Copies:
    """A project, and the trees that are asked for in copies of it."""

    def __init__(self, world: World, seed: int) -> None:
        self.world, self.any = world, random.Random(seed)
        world.write({name: text for name, text in FILES.items() if name != "link"})
        (world.project / "link").symlink_to("pkg/inner")
        (world.project / "bin/run").chmod(0o755)
        world.commit()
        venv.create(world.project / ".venv", symlinks=True)
        world.write({"node_modules/one/index.js": "", "node_modules/.bin/one": "#!/bin/sh\n", "local/a.db": "1"})
        [self.packages] = world.project.glob(".venv/lib/*/site-packages")
        (self.packages / "shop.pth").write_text(f"{world.project}\n")
        (world.home / "listing.py").write_text(LISTING)
        self.start, self.held, self.did = Kept(FILES), 0.0, list[str]()

    def said(self, kept: Kept, *, fresh: bool) -> str:
        name = "fresh" if fresh else "stays"
        words = ("python3", "-I", "-S", "-B", str(self.world.home / "listing.py"), str(self.world.home / name))
        settings = Settings(checks={"own": CheckSetting(words)})
        scope = CheckScope(
            str(self.world.project), settings, Criteria(custom=True), self.world.env, trusted=True, begins=True
        )
        planned = [one for one in planning.plan(scope, worktree.files(scope.root)) if one.checker == "custom"]
        objects = self.start.objects | kept.objects
        start = None if fresh else StartTree(self.start.tree, "start", self.held)
        at = KeptTree(kept.tree, lambda entry: objects[entry.name], start)
        [(_, outcome)] = rerun.run(scope, planned, Watch(time.monotonic() + 60), at=at).results
        assert isinstance(outcome, Found), outcome
        return outcome.diagnostics[0].message

    def tree(self) -> Kept:
        """The start, or another one."""
        files = dict(FILES)
        for _ in range(self.any.choice([0, 0, 1, 3])):
            name = self.any.choice([*files, "new.py", "pkg/new/x.txt"])
            files[name] = f"VALUE = {self.any.randrange(9)}\n"
        if self.any.random() < 0.3:
            del files[self.any.choice([name for name in files if name != ".gitignore"])]
        if self.any.random() < 0.2:  # a file where a folder was
            files = {name: text for name, text in files.items() if not name.startswith("pkg/inner/")}
            files["pkg/inner"] = "a file\n"
        return Kept(files)

    def harm(self) -> None:
        """Do something to the copy, or to what it is made of."""
        stays = next(self.world.tmp.glob("untilgreen-start-*"), None)
        tops = [self.world.project, self.world.project / ".venv", *([stays, stays, stays] if stays else [])]
        top = self.any.choice(tops)
        inner = [path for path in top.rglob("*") if ".git/objects" not in str(path)]
        inner = [path for path in inner if path.name not in (".gitignore", ".git", ".laid") and path != stays]
        for path in inner and [self.any.choice(inner)]:
            self.did.append(f"{top}: {path.relative_to(top)}")
            self.change(path)

    def change(self, path: Path) -> None:
        kind, found = self.any.randrange(8), path.lstat()
        self.did[-1] += f": {kind}"
        if path.is_symlink() or kind == 0:
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path)
            else:
                path.unlink()
        elif path.is_dir():
            if kind == 1:  # a folder behind a link
                path.rename(self.world.home / f"moved-{len(self.did)}")
                path.symlink_to(self.world.home / f"moved-{len(self.did)}")
            else:
                (path / self.any.choice(["conftest.py", "evil.pth", "sitecustomize.py", "x.pyc"])).write_text("1\n")
        elif kind in (1, 2, 3):  # its size and time do not tell
            data = path.read_bytes()
            path.write_bytes(bytes(len(data)) if kind == 1 else data[::-1])
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))
        elif kind == 4:
            path.chmod(found.st_mode ^ 0o110)
        elif kind == 5:
            other = path.with_name("other")
            other.write_bytes(path.read_bytes() + b"#\n")
            os.utime(other, ns=(found.st_atime_ns, found.st_mtime_ns))
            other.rename(path)
        else:
            with path.open("ab") as file:
                file.write(b"# more\n")


@pytest.mark.parametrize("seed", range(int(os.environ.get("SEEDS", "1"))))
def test_whatever_is_done_to_the_copy_or_its_sources_it_is_as_a_fresh_one(world: World, seed: int) -> None:
    copies = Copies(world, seed)
    for number in range(int(os.environ.get("STEPS", "8"))):
        for _ in range(copies.any.choice([0, 1, 1, 3])):
            copies.harm()
        tree = copies.tree()
        stays, fresh = copies.said(tree, fresh=False), copies.said(tree, fresh=True)
        assert len(stays) == len(fresh) == 64, (stays, fresh)
        texts = [(world.home / name).read_text().split("\n") for name in ("stays", "fresh")]
        assert {*texts[0]} ^ {*texts[1]} == set(), (number, copies.did)
        assert stays == fresh


def test_nothing_is_taken_away_through_a_link_in_the_place_of_the_copy(world: World) -> None:
    copies, users = Copies(world, 0), world.home / "mine"
    users.mkdir()
    (users / "diary.txt").write_text("mine\n")
    first = copies.said(copies.start, fresh=False)
    [stays] = world.tmp.glob("untilgreen-start-*")
    for name, target in (("project", users), (".laid", users / "diary.txt"), ("told", users)):
        path = stays / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        path.symlink_to(target)
        assert copies.said(copies.start, fresh=False) == first
        assert [(one.name, one.read_text()) for one in users.iterdir()] == [("diary.txt", "mine\n")]


def test_what_was_changed_in_the_copy_between_two_stops_tells_nothing_and_the_copy_goes_with_its_loop(
    world: World,
) -> None:
    test = "from shop import total\n\n\ndef test_total():\n    assert total([1, 2]) == 3\n"
    world.write({"shop.py": "def total(prices):\n    return 0\n", "tests/test_shop.py": test, "conftest.py": ""})
    world.commit()
    assert world.run("start-loop", "mend it", "--session", world.session, "--tests-pass").code == 0
    assert world.stop().held
    assert [*world.state["blame"].values()] == ["old"]
    [stays] = world.tmp.glob("untilgreen-start-*")
    copy = stays / "project"
    # whoever passes there once more would be told to be the agent's
    (copy / "shop.py").write_text("def total(prices):\n    return 3\n")
    (copy / "conftest.py").write_text("import builtins\nbuiltins.sum = max\n")
    (stays / ".laid").write_text((stays / ".laid").read_text())
    more = "\n\ndef test_more():\n    assert total([]) == 1\n"
    world.write({"tests/test_shop.py": test + more, "conftest.py": "# edited\n"})
    assert world.stop().held
    verdicts = {key.rpartition("::")[2]: verdict for key, verdict in world.state["blame"].items()}
    assert verdicts == {"test_total": "old", "test_more": "yours"}
    world.write({"shop.py": "def total(prices):\n    return sum(prices)\n", "tests/test_shop.py": test})
    assert not world.stop().held
    assert [*world.tmp.glob("untilgreen-*")] == []
