"""Checks of another tree of the project: it is that tree which is tested, and the work tree stays as it is."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import time
import venv
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

import installs
import node
import tables
import trees
from rust import with_cargo
from test_green_runners import DJANGO
from test_real_npm_test import JEST, VITEST
from untilgreen.checks.elsewhere import materialise, private_place, rerun
from untilgreen.checks.elsewhere.materialise import KeptTree
from untilgreen.checks.plan import planning
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import processes
from untilgreen.checks.run.checking import Watch
from untilgreen.core.model.outcome import Broken, Clean, Found, Outcome
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.core.trees import Entry
from untilgreen.project.tree import worktree
from world import BIN, REPOSITORY, World

Files = Mapping[str, str | bytes]
LINK = "-> "  # what a link says stands behind it


TESTS_PASS, SETTINGS = Criteria(test_pass=True), Settings()


class Kept:
    """A tree of these files, and what its objects hold."""

    def __init__(self, files: Files) -> None:
        self.objects: dict[str, bytes] = {}
        self.tree = {path: self._entry(path, text) for path, text in files.items()}

    def _entry(self, path: str, text: str | bytes) -> Entry:
        data = text.encode() if isinstance(text, str) else text
        mode = "120000" if data.startswith(LINK.encode()) else "100755" if path.startswith("bin/") else "100644"
        data = data.removeprefix(LINK.encode())
        name = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        self.objects[name] = data
        return Entry(mode, name)

    def read(self, entry: Entry) -> bytes:
        return self.objects[entry.name]


def at(world: World, files: Files, criteria: Criteria = TESTS_PASS, settings: Settings = SETTINGS, **more: Any) -> str:
    """What the tests of the project as it is say of these files."""
    begins = more.pop("begins", True)
    scope = CheckScope(str(world.project), settings, criteria, world.env, trusted=True, begins=begins)
    planned = [
        one
        for one in planning.plan(scope, worktree.files(scope.root))
        if one.stage == "tests" or one.checker == "custom"
    ]
    kept = Kept(files)
    until = more.pop("until", time.monotonic() + 240)
    ran = rerun.run(scope, planned, Watch(until, **more), at=KeptTree(kept.tree, kept.read))
    return " · ".join(said(outcome) for _, outcome in ran.results)


def left(world: World) -> list[str]:
    """Folders of ours that are still there."""
    state = world.home / ".local/state/untilgreen"
    return [path.name for folder in (world.tmp, state) for path in folder.glob("untilgreen-*")]


def as_it_is(world: World) -> dict[str, tuple[tuple[str, bytes], int]]:
    """All of the project, with its times, but what git keeps."""
    found = trees.tree(world.project, (".git",))
    return {name: (entry, (world.project / name).lstat().st_mtime_ns) for name, entry in found.items()}


def said(outcome: Outcome) -> str:
    """An outcome as one line: how many tests ran, and which failed."""
    if isinstance(outcome, Broken):
        return f"broken: {outcome.reason}"
    assert isinstance(outcome, Clean | Found), outcome
    failing = [f"{one.file} {one.rule}" for one in outcome.diagnostics] if isinstance(outcome, Found) else []
    return ", ".join([f"{outcome.tests.run if outcome.tests else 0} ran", *failing])


SHOP = {"shop.py": "def total(prices):\n    return sum(prices)\n"}
TESTS = {"test_shop.py": "import shop\n\n\ndef test_total():\n    assert shop.total([1, 2]) == 3\n"}
WRONG = {"shop.py": "def total(prices):\n    return 0\n"}


def test_another_tree_is_tested_and_the_work_tree_is_untouched(world: World) -> None:
    world.write(SHOP | TESTS)
    world.commit()
    before = as_it_is(world)
    assert at(world, WRONG | TESTS) == "1 ran, test_shop.py test_total"
    assert at(world, SHOP | TESTS | {"test_more.py": "def test_more():\n    pass\n"}) == "2 ran"
    assert (as_it_is(world), left(world)) == (before, [])


def test_a_copy_lies_where_only_its_user_writes_and_in_no_repository(world: World) -> None:
    for name, mode in (("open", 0o777), ("repository/.git", 0o755), ("private", 0o755), ("private/.dot", 0o755)):
        (world.tmp / name).mkdir(parents=True)
        (world.tmp / name).chmod(mode)
    (world.tmp / "link").symlink_to(world.tmp / "open")
    (world.tmp / "own").symlink_to(world.tmp / "private")
    (world.home / ".git").mkdir()
    (world.project / "tmp").mkdir()
    named = ("open", "link", "repository", "private/.dot", "gone", "../project/tmp", "private", "own")
    places = {
        name: private_place.places(str(world.project), world.env | {"TMPDIR": str(world.tmp / name)}) for name in named
    }
    own, private = str(world.home / ".local/state/untilgreen"), str(world.tmp / "private")
    assert {name for name, found in places.items() if found[0] == private} == {"private", "own"}
    wrong = {own, str(world.home), *(os.path.realpath(world.tmp / name) for name in named[:6])}
    assert all(found[-1] == own and wrong.isdisjoint(found[:-1]) for found in places.values())
    assert {found[-2] for found in places.values()} == {str(world.project.parent)}


# --- Python --------------------------------------------------------------


PROJECT = '[build-system]\nrequires = ["setuptools"]\nbuild-backend = "setuptools.build_meta"\n'
PROJECT += '[project]\nname = "shop"\nversion = "1"\n'
UNITTEST = "import unittest\n\nimport shop\n\n\nclass TestShop(unittest.TestCase):\n    def test_total(self):\n"
UNITTEST += "        self.assertEqual(shop.total([1, 2]), 3)\n"
# a Python that was told to look at nothing, and a program of the project by its path
STARTED = "import subprocess, sys\n\n\ndef test_total():\n    code = 'import shop; print(shop.total([1, 2]))'\n"
STARTED += "    words = [sys.executable, '-I', '-c', code]\n"
STARTED += "    assert subprocess.check_output(words, env={}, text=True) == '3\\n'\n"
FAILING = "1 ran, tests/test_shop.py test_total"


def environment(world: World, folder: Path | None = None) -> Path:
    """A virtual environment, in the project, that has the tests' own packages; where packages are in it."""
    folder = folder or world.project / ".venv"
    venv.create(folder, symlinks=True)
    [packages] = folder.glob("lib/*/site-packages")
    (packages / "tools.pth").write_text(sysconfig.get_path("purelib") + "\n")
    script = (BIN / "pytest").read_text().partition("\n")[2]
    (folder / "bin" / "pytest").write_text(f"#!{folder}/bin/python\n{script}")
    (folder / "bin" / "pytest").chmod(0o755)
    return packages


def test_an_environment_elsewhere_that_the_project_links_to_has_the_copy(world: World) -> None:
    elsewhere = world.home / "venv"
    packages = environment(world, elsewhere)
    (packages / "_shop.pth").write_text(f"{world.project}/src\n")
    (world.project / ".venv").symlink_to(elsewhere)
    files = {".gitignore": ".venv\n", "src/shop.py": SHOP["shop.py"], "tests/test_shop.py": TESTS["test_shop.py"]}
    world.write(files)
    world.commit()
    before = as_it_is(world), trees.tree(elsewhere)
    assert at(world, files | {"src/shop.py": WRONG["shop.py"]}) == FAILING
    assert (as_it_is(world), trees.tree(elsewhere)) == before


def test_djangos_tests_run_at_the_tree(world: World) -> None:
    tests = "import shop\n" + DJANGO["shop/tests.py"].replace("1 + 1, 3", "shop.total([1, 2]), 3")
    files = DJANGO | {"shop/__init__.py": SHOP["shop.py"], "shop/tests.py": tests}
    world.write(files)
    before = as_it_is(world)
    assert at(world, files) == "2 ran"
    assert at(world, files | {"shop/__init__.py": WRONG["shop.py"]}) == "2 ran, shop/tests.py Totals::test_total"
    assert as_it_is(world) == before


@pytest.mark.parametrize(
    ("folder", "test", "failing"),
    [
        pytest.param("src/shop/__init__.py", TESTS["test_shop.py"], FAILING, id="src"),
        pytest.param("shop/__init__.py", TESTS["test_shop.py"], FAILING, id="flat, a finder", marks=pytest.mark.wide),
        pytest.param("src/shop/__init__.py", STARTED, FAILING, id="another process"),
        pytest.param("src/shop/__init__.py", UNITTEST, "1 ran, tests/test_shop.py TestShop::test_total", id="unittest"),
    ],
)
def test_a_project_that_is_installed_for_editing_is_tested_as_the_tree_has_it(
    world: World, folder: str, test: str, failing: str
) -> None:
    files = {
        "pyproject.toml": PROJECT,
        ".gitignore": ".venv\n*.egg-info\n__pycache__\nbuild\n",
        "tests/test_shop.py": test,
    }
    world.write(files | {folder: SHOP["shop.py"]})
    packages = environment(world)
    if folder.startswith("src/"):  # as hatch, poetry, pdm, uv, flit and setuptools have it
        (packages / "_shop.pth").write_text(f"{world.project}/src\n")
    else:
        words = ("-m", "pip", "--python", str(world.project / ".venv/bin/python"), "install", "-q", "-e", ".")
        kept = {**os.environ, "HOME": installs.HOME}
        subprocess.run((sys.executable, *words), cwd=world.project, env=kept, check=True, capture_output=True)
    world.commit()
    before = as_it_is(world)
    assert at(world, files | {folder: SHOP["shop.py"]}) == "1 ran"
    assert at(world, files | {folder: WRONG["shop.py"]}) == failing
    assert (as_it_is(world), left(world)) == (before, [])


def test_a_path_moves_as_a_whole_wherever_it_is_named() -> None:
    move = materialise.Move((("/venv", "/copy/venv"), ("/app", "/copy/app")))
    said = {
        "/app/src:/usr/bin:/app": "/copy/app/src:/usr/bin:/copy/app",
        "file:///app/x": "file:///copy/app/x",
        "-I/app": "-I/copy/app",
        "['/venv/bin/python', \"/app.\"]": "['/copy/venv/bin/python', \"/copy/app.\"]",
        "src/app /apple /app-1 /app.py ./app ~/app": "src/app /apple /app-1 /app.py ./app ~/app",
    }
    assert {text: move.word(text) for text in said} == said


def test_a_project_among_the_packages_of_a_python_without_an_environment_is_the_copy(world: World) -> None:
    python = Path(sys.base_prefix, "bin")
    packages = world.home / f"lib/python{sys.version_info[0]}.{sys.version_info[1]}/site-packages"
    packages.mkdir(parents=True)
    (packages / "_shop.pth").write_text(f"{world.project}/src\n")
    world.env |= {"PATH": f"{python}{os.pathsep}{world.env['PATH']}", "PYTHONUSERBASE": str(world.home)}
    files = {"tests/test_shop.py": UNITTEST}
    world.write(files | {"src/shop.py": SHOP["shop.py"]})
    before = as_it_is(world)
    assert at(world, files | {"src/shop.py": SHOP["shop.py"]}) == "1 ran"
    assert at(world, files | {"src/shop.py": WRONG["shop.py"]}) == "1 ran, tests/test_shop.py TestShop::test_total"
    assert as_it_is(world) == before


def test_of_a_project_that_is_installed_as_a_copy_of_itself_nothing_is_concluded(world: World) -> None:
    packages = environment(world)
    origin = {"url": f"file://{world.project}", "dir_info": {}}
    files = {"shop.py": SHOP["shop.py"], "shop-1.dist-info/RECORD": "shop.py,,\nshop-1.dist-info/RECORD,,\n"}
    for name, text in (files | {"shop-1.dist-info/direct_url.json": json.dumps(origin)}).items():
        (packages / name).parent.mkdir(exist_ok=True)
        (packages / name).write_text(text)
    tree = {"src/shop.py": SHOP["shop.py"], "tests/test_shop.py": TESTS["test_shop.py"]}
    world.write(tree)
    why = "shop.py was imported as it is installed: nothing is concluded"
    assert at(world, tree | {"src/shop.py": WRONG["shop.py"]}) == f"broken: {why}"


def test_a_command_of_ones_own_runs_at_the_tree(world: World) -> None:
    world.write(SHOP | TESTS)
    settings = Settings(checks={"own": CheckSetting(("pytest", "-q", str(world.project / "test_shop.py")))})
    assert at(world, SHOP | TESTS, Criteria(custom=True), settings) == "1 ran"
    assert at(world, WRONG | TESTS, Criteria(custom=True), settings).startswith("1 ran, ")


def test_of_a_project_that_looks_for_itself_nothing_is_concluded(world: World) -> None:
    packages = environment(world)
    loader = f"class MesonpyMetaFinder:\n    build = {str(world.project)!r}\n"  # as meson-python has it
    (packages / "_shop_editable_loader.py").write_text(loader)
    world.write(SHOP | TESTS)
    why = "_shop_editable_loader.py imports the project from its work tree (MesonpyMetaFinder)"
    assert at(world, SHOP | TESTS) == f"broken: its tree could not be had: {why}: nothing is concluded"


# --- JavaScript, Go, Rust --------------------------------------------------------------


MODULE = "export const total = (prices) => prices.reduce((sum, price) => sum + price, 0);\n"


class Layout(NamedTuple):
    """A project: its files; in which of them what its tests test is, and what is wrong in it once; with what it
    is begun, and which test then fails."""

    needs: str
    files: dict[str, str]
    source: str
    right: str
    wrong: str
    failing: str
    commands: tuple[tuple[str, ...], ...] = ()


LAYOUTS = {name: Layout(**case) for name, case in tables.cases("layouts")}
PACKAGES = {"jest": (JEST,), "vitest": (VITEST,)}
MORE = ("jest", "a crate", "a workspace of Go")  # like vitest, a workspace of crates and a module of Go


@pytest.mark.parametrize(
    ("name", "layout"),
    [
        pytest.param(
            name, one, id=name, marks=[pytest.mark.needs(one.needs), *([pytest.mark.wide] if name in MORE else [])]
        )
        for name, one in LAYOUTS.items()
    ],
)
def test_what_is_tested_is_the_tree_and_nothing_of_the_work_tree_is_written(
    world: World, name: str, layout: Layout
) -> None:
    begin(world, layout, *PACKAGES.get(name, ()))
    before = as_it_is(world)
    assert at(world, layout.files) == "1 ran"
    wrong = layout.files[layout.source].replace(layout.right, layout.wrong)
    assert at(world, layout.files | {layout.source: wrong}) == layout.failing
    assert (as_it_is(world), left(world)) == (before, [])


def begin(world: World, layout: Layout, *packages: str) -> None:
    """The project as it is now: installed, built, committed."""
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which(layout.needs) or "")
    if layout.needs == "cargo":
        with_cargo(world)
    world.env |= {"GOCACHE": str(REPOSITORY / ".cache" / "go-build"), "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    if packages:
        (world.project / "node_modules").symlink_to(node.installed(*packages) / "node_modules")
    world.write(layout.files | {".gitignore": "node_modules\ntarget\nCargo.lock\npackage-lock.json\n"})
    for words in layout.commands:
        subprocess.run(words, cwd=world.project, env=world.env, check=True, capture_output=True)
    world.commit()


# --- nothing is concluded, and nobody is harmed --------------------------------------------------------------


@pytest.mark.parametrize(("here", "there", "why"), tables.rows("trees-not-had", "here", "there", "why"))
def test_where_a_tree_cannot_be_had_nothing_is_concluded(
    world: World, here: dict[str, str], there: dict[str, str], why: str
) -> None:
    here, there = (
        {name: text.replace("{root}", str(world.project)) for name, text in one.items()} for one in (here, there)
    )
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("npm") or "")
    world.env["PYTHONDONTWRITEBYTECODE"] = "1"  # of what is imported from the work tree
    world.write(here | {".gitignore": "dist\n*.so\n", "fast.so": "", "dist/shop.mjs": MODULE})
    world.commit()
    before = as_it_is(world)
    assert at(world, here | there) == f"broken: {why}: nothing is concluded"
    assert as_it_is(world) == before


def test_what_git_ignores_is_there_and_tests_may_write_into_it(world: World) -> None:
    files = SHOP | {".gitignore": "*.db\nlocal/\n", "test_shop.py": "from pathlib import Path\n\n\ndef test_both():\n"}
    files["test_shop.py"] += '    assert Path("a.db").read_text() == Path("local/settings").read_text() == "1"\n'
    files["test_shop.py"] += '    Path("a.db").write_text("2")\n    Path("local/settings").write_text("2")\n'
    world.write(files | {"a.db": "1", "local/settings": "1"})
    world.commit()
    before = as_it_is(world)
    assert at(world, files) == "1 ran"
    assert as_it_is(world) == before


def test_what_was_made_of_other_sources_is_made_anew(world: World) -> None:
    made = {"Makefile": "test: made\n\tgrep -q right made\nmade: source\n\tcp source made\n", "source": "right\n"}
    world.write(made | {".gitignore": "made\n", "made": "right\n"})
    world.commit()
    settings = Settings(checks={"own": CheckSetting(("make", "-s", "test"))})
    assert at(world, made, Criteria(custom=True), settings) == "0 ran"
    assert at(world, made | {"source": "wrong\n"}, Criteria(custom=True), settings) == "0 ran,  exit-2"


def test_git_answers_in_the_copy_and_what_is_committed_there_stays_there(world: World) -> None:
    test = "import subprocess\n\n\ndef test_git():\n    words = ['git', 'ls-files', 'shop.py']\n"
    test += "    assert subprocess.check_output(words, text=True) == 'shop.py\\n'\n"
    test += "    subprocess.run(['git', 'commit', '-qam', 'more'], check=True)\n"
    world.write(SHOP | {"test_git.py": test})
    world.commit()
    before = trees.tree(world.project)
    assert at(world, WRONG | {"test_git.py": test}) == "1 ran"
    assert trees.tree(world.project, (".pytest_cache",)) == before


@pytest.mark.parametrize(
    ("tree", "why"),
    [
        ({"../x.py": ""}, "a path of it leads elsewhere: '../x.py'"),
        ({"/x.py": ""}, "a path of it leads elsewhere: '/x.py'"),
        ({".GIT/hooks/x": ""}, "a path of it leads elsewhere: '.GIT/hooks/x'"),
        (
            {"big": "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"},
            "big is not kept here as it is in a work tree",
        ),
    ],
)
def test_a_tree_that_leads_out_of_its_folder_is_not_written(world: World, tree: dict[str, str], why: str) -> None:
    world.write(SHOP | TESTS)
    assert at(world, tree) == f"broken: its tree could not be had: {why}: nothing is concluded"
    assert left(world) == []


def test_nothing_is_written_through_a_link_of_the_tree(world: World) -> None:
    world.write(SHOP | TESTS)
    outside = world.home / "outside"
    outside.mkdir()
    said = at(world, SHOP | TESTS | {"a": f"{LINK}{outside}", "a/x.py": ""})
    assert (said.startswith("broken: its tree could not be had: "), os.listdir(outside)) == (True, [])


def test_a_file_that_grew_beyond_all_bounds_is_not_taken_for_the_empty_one_of_the_tree(world: World) -> None:
    world.write({"app.py": "VALUE = 1\n", "data.bin": ""})
    with (world.project / "data.bin").open("wb") as file:
        file.truncate(256 * 1024 * 1024 + 1)
    kept, folder = Kept({"app.py": "VALUE = 1\n", "data.bin": ""}), world.tmp / "copy"
    folder.mkdir()
    differing = materialise.write(kept.tree, kept.read, str(world.project), str(folder), lambda: False)
    assert (differing, (folder / "data.bin").read_bytes()) == (("data.bin",), b"")


def test_links_and_modes_are_those_of_the_tree(world: World) -> None:
    world.write(SHOP | TESTS)
    test = "import os\n\n\ndef test_all():\n    assert os.readlink('link') == 'shop.py'\n"
    test += "    assert os.path.realpath('absolute') == os.path.realpath('shop.py')\n"
    test += "    assert [os.access(one, os.X_OK) for one in ('bin/run', 'shop.py')] == [True, False]\n"
    links = {"link": f"{LINK}shop.py", "absolute": f"{LINK}{world.project}/shop.py", "bin/run": "#!/bin/sh\n"}
    assert at(world, SHOP | links | {"test_all.py": test}) == "1 ran"


def test_without_time_or_trust_nothing_is_concluded(world: World) -> None:
    world.write(SHOP | TESTS)
    late = "broken: there was no time for its tree: nothing is concluded"
    assert at(world, SHOP | TESTS, until=time.monotonic()) == late
    assert at(world, SHOP | TESTS, idle=lambda: True) == late
    assert at(world, SHOP | TESTS, begins=False) == "broken: not trusted any more (`untilgreen trust`)"


def test_a_signal_ends_the_checks_and_leaves_nothing(world: World) -> None:
    test = "import os\nimport signal\nimport time\n\n\ndef test_long():\n    os.kill(os.getppid(), signal.SIGTERM)\n"
    files = {"test_long.py": test + "    time.sleep(60)\n"}
    world.write(files)
    with pytest.raises(processes.Interrupted):
        at(world, files)
    assert left(world) == []
