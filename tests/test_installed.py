"""What an installer writes, and what somebody writes by hand; what is written while the checks ran."""

import base64
import hashlib
import json
import os
import py_compile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from untilgreen.loops.stop import steady
from untilgreen.project.installed import node, python
from world import World


def record(site: Path, info: str, *names: str) -> None:
    """Write the RECORD of a package with these files."""
    lines = [f"{info}/RECORD,,"]
    for name in (*names, f"{info}/METADATA", f"{info}/WHEEL"):
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).touch()
        content = (site / name).read_bytes()
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    (site / info / "RECORD").write_text("\n".join(lines) + "\n")


@pytest.fixture
def venv(tmp_path: Path) -> Path:
    site = tmp_path / ".venv/lib/python3.11/site-packages"
    (site / "taxlib").mkdir(parents=True)
    (site / "taxlib/__init__.py").write_text("RATE = 20\n")
    record(site, "taxlib-1.dist-info", "taxlib/__init__.py", "taxlib/py.typed", "../../../bin/taxer")
    (tmp_path / ".venv/bin/taxer").chmod(0o755)
    (tmp_path / ".venv/pyvenv.cfg").write_text("home = /nowhere\n")
    return tmp_path / ".venv"


def edited(venv: Path, act: Callable[[Path], object]) -> Iterator[str]:
    time.sleep(0.01)
    moment = time.time()
    time.sleep(0.01)
    act(venv / "lib/python3.11/site-packages")
    for path in python.written_by_hand(str(venv), moment, str(venv.parent), 1.0):
        yield Path(path).name


def put_back(site: Path) -> None:
    """Edit a file, and give it its times again."""
    info = os.stat(site / "taxlib/__init__.py")
    (site / "taxlib/__init__.py").write_text("RATE = 18\n")
    os.utime(site / "taxlib/__init__.py", ns=(info.st_atime_ns, info.st_mtime_ns))


def forge(site: Path) -> None:
    """Edit a file, and say so in RECORD."""
    (site / "taxlib/__init__.py").write_text("RATE = 18\n")
    text = (site / "taxlib-1.dist-info/RECORD").read_text()
    (site / "taxlib-1.dist-info/RECORD").write_text(text.replace("taxlib/__init__.py,", "taxlib/other.py,"))


@pytest.mark.parametrize(
    ("act", "named"),
    [
        (put_back, ["__init__.py"]),
        (forge, ["RECORD", "__init__.py"]),
        (lambda site: (site / "z.pth").write_text("import os\n"), ["z.pth"]),
        (lambda site: (site / "taxlib/py.typed").unlink(), ["py.typed"]),
        (lambda site: (site / "../../../bin/taxer").write_text("#!/bin/sh\n"), ["taxer"]),
        (lambda site: (site / "easy-install.pth").write_text("/tmp/elsewhere\n"), ["easy-install.pth"]),
    ],
)
def test_what_is_written_by_hand_in_an_environment_is_found(
    venv: Path, act: Callable[[Path], object], named: list[str]
) -> None:
    assert sorted(edited(venv, act)) == named


def install(site: Path) -> None:
    (site / "more.py").write_text("")
    record(site, "more-1.dist-info", "more.py", "taxlib/data.json")


@pytest.mark.parametrize(
    "act",
    [
        install,
        lambda site: os.link(site / "taxlib/__init__.py", site.parents[3] / "linked"),
        lambda site: (site / "taxlib/__pycache__").mkdir(),
        lambda site: (site / "easy-install.pth").write_text(f"./a.egg\n{site.parents[3]}\n"),
        lambda site: (site / "../../../bin/activate").write_text("#!/bin/sh\n"),
    ],
)
def test_what_an_installer_writes_is_not(venv: Path, act: Callable[[Path], object]) -> None:
    assert list(edited(venv, act)) == []


def test_what_is_loaded_in_the_place_of_a_module_is_found(tmp_path: Path) -> None:
    for name in ("a.py", "b.py", "c/__init__.py", "c.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("RATE = 20\n")
    listed = [path.relative_to(tmp_path).as_posix() for path in tmp_path.rglob("*.py")]
    moment = time.time()
    time.sleep(0.01)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/__init__.py").write_text("")
    for name, mode in (("a", "UNCHECKED_HASH"), ("b", "CHECKED_HASH"), ("c", "TIMESTAMP")):
        py_compile.compile(str(tmp_path / f"{name}.py"), invalidation_mode=py_compile.PycInvalidationMode[mode])
    found = python.instead_of_sources(str(tmp_path), listed, moment)
    assert [os.path.relpath(path, tmp_path).partition(".cpython")[0] for path in found] == [
        "b/__init__.py",
        "__pycache__/a",
    ]


def test_of_nodes_packages_the_edited_file_is_found_and_an_installation_is_not(tmp_path: Path) -> None:
    modules = tmp_path / "node_modules"

    def install(name: str) -> None:
        (modules / name).mkdir(parents=True)
        (modules / name / "package.json").write_text("{}")
        (modules / name / "index.js").write_text("")
        names: dict[str, object] = {
            f"node_modules/{one.name}": {} for one in modules.iterdir() if one.name != ".package-lock.json"
        }
        (modules / ".package-lock.json").write_text(json.dumps({"packages": names}))

    install("a")
    time.sleep(0.01)
    moment = time.time()
    time.sleep(0.01)
    install("b")
    (modules / ".cache").mkdir()
    (modules / ".cache/c.js").write_text("")

    def found() -> list[str]:
        paths = node.written_by_hand(str(modules), moment, str(tmp_path), str(tmp_path), 1.0)
        return sorted(os.path.relpath(path, modules) for path in paths)

    assert found() == []
    (modules / "a/index.js").write_text("exports.rate = 18")
    (modules / "c").mkdir()
    (modules / "c/index.js").write_text("")
    assert found() == ["a/index.js", "c/index.js"]


@pytest.mark.parametrize(
    ("held", "swapped"),
    [
        (["bad", "good", "bad"], True),
        (["old", "formatted"], False),
        (["whole text", "", "whole", "whole text"], False),
        (["report 1", "report 2", "report 3"], False),
    ],
)
def test_what_comes_back_was_swapped(held: list[str], *, swapped: bool) -> None:
    contents = [one.encode() for one in held]
    assert steady._is_swapped("a.txt", contents, contents[-1]) == swapped


def test_a_product_that_is_swapped_for_the_checks_is_not_green(world: World) -> None:
    world.write({"shop.py": "bad = 1\n", "good.txt": "good = 1\n", "bad.txt": "bad = 1\n"})
    world.commit()
    check = "swaps=sh -c 'cp good.txt shop.py; sleep 0.2; cp bad.txt shop.py'"
    world.start("mend it", "--check", check, "--no-tests")
    world.write({"note.txt": ""})
    world.stop()
    told = "could not be judged: shop.py was written while the checks ran"
    assert told in world.state["completion_reason"]


def test_a_report_that_is_never_twice_the_same_is_no_product(world: World) -> None:
    world.write({"shop.py": "good = 1\n"})
    world.commit()
    world.write({"reports/all.json": "1\n"})
    check = "covers=sh -c 'test $(cat reports/all.json) = 1; echo $? >reports/all.json'"
    world.start("mend it", "--check", check, "--no-tests")
    world.write({"note.txt": ""})
    world.stop()
    assert world.state["completion_reason"] == "All conditions satisfied"
