"""A test that is green without mended code is no verified green, whichever way it came to that; honest work is."""

import json
import os
import shutil
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from loops import in_english
from node import installed
from rust import with_cargo
from tricks import Trick, honest, numbered, placed, runs, start, tricks
from tricks.runs import Run
from untilgreen.core.model.snapshot import Text
from untilgreen.core.verdict import baseline
from untilgreen.project.fakes import text
from world import REPOSITORY, World

JEST, TYPESCRIPT = "jest@30.5.2", "typescript@5.9.3"


class Group(NamedTuple):
    """What is done all at once, in one loop."""

    tricks: Sequence[Trick]
    #: the files of each folder, and of the project
    start: Mapping[str, str]
    project: Mapping[str, str] = {}
    #: how its runner calls the test that fails at the start
    test: str = ""
    options: Sequence[str] = ("--tests-pass",)
    tools: Sequence[str] = ()
    packages: Sequence[str] = ()


def package(script: str, kind: str = "module") -> dict[str, str]:
    """A project whose tests this script runs."""
    said = json.dumps({"name": "p", "private": True, "type": kind, "scripts": {"test": script}})
    return {"package.json": said, ".gitignore": "node_modules\n"}


def crate(tricks: Sequence[Trick]) -> dict[str, str]:
    """The project in which each trick is a module, with its tests beside the code."""
    return {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[features]\nslow = []\n',
        "src/lib.rs": "".join(f"pub mod t{number};\n" for number, _ in numbered(tricks)),
        ".gitignore": "target\nCargo.lock\n",
    }


def group(name: str, project: Mapping[str, str] = {}, **fields: Any) -> Group:
    """The tricks of a table."""
    return Group(tricks(name), start(name), {**project, **start(name, "project")}, **fields)


TYPE_CHECK = ("--criteria", "type_check")
TRICKS = {
    "pytest": group("pytest", test="test_total_NN"),
    "node": group("node", package("node --test"), test="total NN"),
    "jest": group("jest", package("jest", "commonjs"), test="total NN", packages=(JEST,)),
    "go": group("go", test="TestTotalNN"),
    "cargo": group("cargo", crate(tricks("cargo")), test="total_NN"),
    "mypy": group("mypy", options=TYPE_CHECK, tools=("mypy",)),
    "tsc": group("tsc", options=TYPE_CHECK, packages=(TYPESCRIPT,)),
}
PROJECTS = {
    "pytest": {"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = []\n'},
    "node": package("node --test"),
    "go": start("go", "project"),
    "cargo": crate(honest("cargo")),
}
HONEST = {name: Group(honest(name), start(name), project, test="NN") for name, project in PROJECTS.items()}
# what is told where a file was red at the start, and by no reading alone: `played-other-door.txt`
MISSED = frozenset({("mypy", "annotations are dropped"), ("tsc", "annotated as any")})
# what is read is in test_reading_alone, and what its tests prove in test_real_red_first and test_blame
WIDE = ("jest", "go")
TRICKED = (*WIDE, "node", "tsc")
NEEDS = {"node": ("npm",), "jest": ("npm",), "tsc": ("npm",), "go": ("go",), "cargo": ("cargo",)}


def write(folder: Path, files: Mapping[str, str | None]) -> None:
    for name, content in files.items():
        path = folder / name
        if content is None:
            path.unlink(missing_ok=True)
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)


def equipped(world: World, packages: Sequence[str]) -> World:
    """A world in which the tools of every language work."""
    programs = (shutil.which(name) for name in ("npm", "go"))
    world.env["PATH"] += "".join(os.pathsep + os.path.dirname(path) for path in programs if path)
    world.env |= {"GOCACHE": str(REPOSITORY / ".cache" / "go-build"), "GOTOOLCHAIN": "local", "GOPROXY": "off"}
    if packages:
        (world.project / "node_modules").symlink_to(installed(*packages) / "node_modules")
    return with_cargo(world)


def ended(world: World, group: Group) -> dict[str, Any]:
    """The state of a loop at whose only stop all that is in a group was done."""
    world = equipped(world, group.packages)
    write(world.project, {**group.project})
    for number, trick in numbered(group.tricks):
        write(world.project, placed(number, {**group.start, **trick.start}))
    world.commit()
    world.start("mend it", "--no-zero-errors", *group.options)
    for number, trick in numbered(group.tricks):
        write(world.project, placed(number, trick.after))
    answer = world.stop()
    assert (answer.code, answer.stderr) == (0, ""), answer.stderr
    return world.state


def proved(state: Mapping[str, Any], name: str) -> bool:
    """Whether the proof names a test against the green."""
    against = ((state["proof"] or {}).get(kind, ()) for kind in ("failing", "propped", "skipped", "gone"))
    return any(name in one for names in against for one in names)


def each(groups: Mapping[str, Group], wide: Sequence[str]) -> list[Any]:
    return [
        pytest.param(
            runner,
            id=runner,
            marks=[
                *map(pytest.mark.needs, NEEDS.get(runner, ())),
                pytest.mark.tools(*group.tools),
                *([pytest.mark.wide] if runner in wide else []),
            ],
        )
        for runner, group in groups.items()
    ]


@pytest.mark.parametrize("runner", each(TRICKS, TRICKED))
def test_no_trick_is_a_verified_green(world: World, runner: str) -> None:
    group = TRICKS[runner]
    state = ended(world, group)
    reason = state["completion_reason"]
    assert (state["stop_reason"], state["verified"], reason[:11]) == ("complete", False, "Green, but ")
    proof = {
        trick.name: proved(state, group.test.replace("NN", number)) if group.test else False
        for number, trick in numbered(group.tricks)
    }
    assert proof == {trick.name: trick.proof for trick in group.tricks}
    # tests that are lost are told by their names there
    kinds = {one.replace("NN", number) for number, trick in numbered(group.tricks) for one in trick.read}
    assert {kind for kind in kinds if "fewer" not in kind and kind.removeprefix("1 ") not in reason} == set()
    assert {(runner, one.name) for one in group.tricks if not (one.proof or one.read)} == {
        one for one in MISSED if one[0] == runner
    }


@pytest.mark.parametrize("runner", each(HONEST, WIDE))
def test_honest_work_stays_verified(world: World, runner: str) -> None:
    state = ended(world, HONEST[runner])
    assert (state["completion_reason"], state["verified"]) == ("All conditions satisfied", True), state["proof"]


def table(groups: Mapping[str, Group]) -> list[Any]:
    """Group, number and trick, for every one."""
    return [
        pytest.param(group, number, trick, id=f"{runner}: {trick.name}")
        for runner, group in groups.items()
        for number, trick in numbered(group.tricks)
    ]


@pytest.mark.parametrize(("group", "number", "trick"), table(TRICKS))
def test_reading_alone_tells_a_trick_by_its_shape(tmp_path: Path, group: Group, number: str, trick: Trick) -> None:
    assert reads(tmp_path, group, number, trick) == tuple(one.replace("NN", number) for one in trick.read)


@pytest.mark.parametrize(("group", "number", "trick"), table(HONEST))
def test_reading_tells_nothing_of_honest_work(tmp_path: Path, group: Group, number: str, trick: Trick) -> None:
    assert reads(tmp_path, group, number, trick, ran=9) == ()


def reads(folder: Path, group: Group, number: str, trick: Trick, ran: int = 0) -> tuple[str, ...]:
    """What reading tells of a trick alone, where so many tests ran."""
    write(folder, {**group.project, **placed(number, {**group.start, **trick.start})})
    then = read(folder)
    write(folder, placed(number, trick.after))
    return in_english(baseline.compare(then, read(folder), ran, ran))[0]


def read(folder: Path, *commands: Sequence[str]) -> Text:
    files = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    return text.read(str(folder), files, time.monotonic() + 60, [tuple(one) for one in commands])


# --- what a check of one's own runs ----------------------------------------------------------------------------------


def runs_at_once(world: World, rows: Sequence[Run]) -> dict[str, Any]:
    """The state of a loop whose checks are all of these, when all of them were changed."""
    named = [(f"{number:02}", row) for number, row in enumerate(rows, start=1)]
    for number, row in named:
        write(world.project, in_folder(number, row.start))
    world.commit()
    checks = (("--check", f"c{number}={row.command.replace('NN', number)}") for number, row in named)
    world.start("mend it", "--no-zero-errors", *(word for words in checks for word in words))
    for number, row in named:
        write(world.project, in_folder(number, row.after))
    answer = world.stop()
    assert (answer.code, answer.stderr) == (0, ""), answer.stderr
    return world.state


def in_folder(number: str, files: Mapping[str, str]) -> dict[str, str]:
    return {
        name[1:] if name[0] == "/" else f"{number}/{name}": content.replace("NN", number)
        for name, content in files.items()
    }


def test_what_a_check_of_ones_own_runs_is_configuration(world: World) -> None:
    state = runs_at_once(world, runs.TRICKS)
    told = {row.told.replace("NN", f"{number:02}") for number, row in enumerate(runs.TRICKS, start=1)}
    reason = state["completion_reason"].removeprefix("Green, but ")
    assert (set(reason.split(", ")), state["verified"]) == (told, False)


def test_honest_work_beside_a_check_of_ones_own_stays_verified(world: World) -> None:
    state = runs_at_once(world, runs.HONEST)
    assert (state["completion_reason"], state["verified"]) == ("All conditions satisfied", True)


@pytest.mark.parametrize("row", runs.READ, ids=lambda row: row.name)
def test_what_task_runners_read_is_configuration(tmp_path: Path, row: Run) -> None:
    command = (".", *row.command.split())
    write(tmp_path, in_folder("01", row.start))
    then = read(tmp_path, command)
    write(tmp_path, in_folder("01", row.after))
    assert in_english(baseline.compare(then, read(tmp_path, command), 0, 0))[0] == ((row.told,) if row.told else ())


# --- a tool that moved into the project ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tool", "place", "files", "options"),
    [
        ("ruff", ".venv/bin", {"app.py": "import os\n"}, ()),
        ("pytest", "venv/bin", {"test_app.py": "def test_it():\n    assert not 1\n"}, ("--tests-pass",)),
        pytest.param(
            *("npm", "node_modules/.bin"),
            package("node --test") | start("node"),
            ("--tests-pass",),
            marks=[pytest.mark.needs("npm"), pytest.mark.wide],
        ),
        pytest.param(
            "go",
            ".venv/bin",
            start("go", "project") | {f"a/{name}": text for name, text in start("go").items()},
            ("--tests-pass",),
            marks=[pytest.mark.needs("go"), pytest.mark.wide],
        ),
        pytest.param(
            "cargo",
            ".venv/bin",
            crate(()) | {"src/lib.rs": start("cargo")["/src/tNN.rs"]},
            ("--tests-pass",),
            marks=[pytest.mark.needs("cargo"), pytest.mark.wide],
        ),
        ("make", ".venv/bin", {"Makefile": "check:\n\tfalse\n"}, ("--no-zero-errors", "--check", "x=make check")),
    ],
)
def test_a_tool_that_is_another_one_in_the_project_is_told(
    world: World, tool: str, place: str, files: Mapping[str, str], options: Sequence[str]
) -> None:
    world = equipped(world, ())
    world.write({"pyproject.toml": "", ".gitignore": ".venv\nvenv\nnode_modules\ntarget\n", **files})
    world.commit()
    world.start("mend it", *options)
    real = shutil.which(tool, path=world.env["PATH"])
    says = {"ruff": "echo '[]'", "make": "exit 0"}.get(tool, f'exec "{real}" "$@"')
    world.write({f"{place}/{tool}": f"#!/bin/sh\n{says}\n", "notes.txt": "done\n"})
    (world.project / place / tool).chmod(0o755)
    mended = {name: content.replace("not 1", "1").replace("1);", "0);") for name, content in files.items()}
    world.write({name: one.replace("sum := 1", "sum := 0").replace(" + 1", "") for name, one in mended.items()})
    answer = world.stop()
    assert (answer.code, world.state["verified"]) == (0, False), answer.stderr
    assert f"{tool} is another program than at the start" in world.state["completion_reason"]
