"""`untilgreen doctor` starts what is registered, asks the tools and runs the checks; what it finds can be cured."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tables
from doctors import LOCAL, Change, Trouble, both, gone, host, one, program, troubles, written
from in_process import untilgreen
from untilgreen.cli.installing import command_forms
from untilgreen.core.findings import Finding
from untilgreen.project.files import templates_folder
from world import BIN, World

pytestmark = pytest.mark.tools("all")

STOP = str(Path(command_forms.PACKAGE) / "stop_loop.py")
TEMPLATES = Path(templates_folder())
# the one that the console scripts are started with; a virtual environment has several names for it
PYTHON = (BIN / "untilgreen").read_text(encoding="utf-8").partition("\n")[0].removeprefix("#!")


def examined(world: World, *words: str) -> list[Finding]:
    """What `untilgreen doctor` says; its exit code must fit."""
    answer = world.run("untilgreen", "doctor", "--json", *words)
    assert answer.stderr == "", answer
    said = json.loads(answer.stdout)
    assert list(said) == ["version", "project", "findings", "broken"]
    found = [Finding(**one) for one in said["findings"]]
    assert (answer.code, said["broken"]) == ((1, True) if any(one.level == "broken" for one in found) else (0, False))
    return found


def aside(world: World) -> None:
    """The host where its own installer puts it, which is not on PATH."""
    folder = world.home / ".local" / "bin"
    folder.mkdir()
    (world.tmp.parent / "bin/claude").rename(folder / "claude")


def nowhere(world: World) -> None:
    """No tools on PATH but the system's."""
    world.env["PATH"] = f"{world.tmp.parent / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin"


def installed(*names: str, folder: str = ".venv/bin") -> Change:
    """The real tools (of Node: any) in an environment of the project's own."""

    def change(world: World) -> None:
        (world.project / folder).mkdir(parents=True)
        for name in names:
            (world.project / folder / name).symlink_to(BIN / name if (BIN / name).exists() else "/bin/true")

    return change


RUN = ()
CHANGES: dict[str, tuple[Any, ...]] = {
    "no host": (lambda world: (world.tmp.parent / "bin/claude").unlink(), host("2.1.330")),
    "a host off PATH": (
        aside,
        lambda world: world.env.update(PATH=f"{world.home}/.local/bin:{world.env['PATH']}"),
        RUN,
    ),
    "a host that fails": (lambda world: program(world, "claude", "echo broken >&2; exit 3"), host("2.1.330"), RUN),
    "an old host": (host("2.0.9"), host("2.1.330"), RUN),
    "a host without ids of prompts": (host("2.1.195"), host("2.1.330"), RUN),
    "a host without the context style": (
        both(host("2.1.200"), written("untilgreen.toml", 'hold_style = "context"\n')),
        host("2.1.330"),
        RUN,
    ),
    "a check without its tool": (both(written("mypy.ini", "[mypy]\n"), nowhere), installed("mypy", "ruff")),
    "a linter of Node without its tool": (
        both(written("web/eslint.config.js", "export default []\n"), written("web/index.js", "")),
        installed("eslint", folder="web/node_modules/.bin"),
    ),
    "a broken check": (
        written("ruff.toml", "line-length = 'long'\n"),
        written("untilgreen.toml", "[checks.ruff]\nenabled = false\n[checks.none]\ncommand = 'true'\n"),
        RUN,
    ),
    # what is quick may take a second on a busy machine
    "a slow check": (
        written("untilgreen.toml", "[checks.docs]\ncommand = 'sleep 30'\n"),
        written("untilgreen.toml", "[checks.docs]\ncommand = 'sleep 0'\n"),
        ("--deadline", "1"),
        RUN,
    ),
    "no check": (gone("app.py"), written("untilgreen.toml", '[checks.test]\ncommand = "make test"\n')),
    "a project that nobody trusts": (
        both(written("mypy.ini", "[mypy]\n"), lambda world: (world.home / ".local/state/untilgreen/trusted").unlink()),
    ),
}
SAID = tables.text("doctor-started", "said")


@pytest.mark.parametrize("trouble", troubles(CHANGES, SAID))
def test_what_does_not_work_is_said_and_gone_when_its_advice_was_followed(well: World, trouble: Trouble) -> None:
    trouble.produce(well)

    found = examined(well, *trouble.words)
    [finding] = one(found, trouble.found)
    assert re.fullmatch(trouble.cure, finding.cure)
    if trouble.follow:
        trouble.follow(well)
    else:
        assert untilgreen(well, *shlex.split(finding.cure.removeprefix("run: untilgreen "))) == 0
    after = examined(well, *(trouble.words if trouble.later is None else trouble.later))
    assert one(after, trouble.found) == []
    assert {it for it in after if it.level in ("broken", "warning")} == set()


WELL = tables.text("doctor-started", "well")


def test_where_all_is_well_every_subject_has_a_line(well: World) -> None:
    answer = well.run("untilgreen", "doctor", "--all")
    said = re.sub(r"\b\d+\.\d+\.\d+\b", "V", re.sub(r"\d+ ms", "T", answer.stdout))
    expected = WELL.format(
        platform=sys.platform,
        python=re.sub(r"\b\d+\.\d+\.\d+\b", "V", PYTHON),
        claude=well.tmp.parent / "bin" / "claude",
        project=well.project,
        bin=BIN,
        commands=", ".join(sorted(f"/untilgreen:{file.stem}" for file in (TEMPLATES / "commands").iterdir())),
    )
    assert said.splitlines() == expected.splitlines()
    assert (answer.code, answer.stderr) == (0, "")


# as long as the doctor is in order, `init` is no cure: these are faults of the installation itself
FAULTS = tables.literal("doctor-started", "faults")


@pytest.mark.parametrize("name", FAULTS)
def test_an_installation_that_is_damaged_is_said_by_its_own_doctor(green: World, name: str) -> None:
    place, text, what, cure = FAULTS[name]
    python, packages = installation(green.tmp / "own")
    launcher = green.tmp / "stop-loop"
    launcher.write_bytes(command_forms.launcher("stop-loop", python, str(packages)))
    launcher.chmod(0o755)
    entry = {"type": "command", "command": str(launcher), "args": ["--host", "claude-code"], "timeout": 600}
    green.write({LOCAL: json.dumps({"hooks": {"Stop": [{"hooks": [entry]}]}})})
    well = ["stop-loop (local) starts in T", "stop-loop (local) held a test stop in T"]
    assert starts(green, python) == [("ok", one, "") for one in well]
    (packages / place).write_text(text)
    assert starts(green, python) == [("broken", what, cure.format(python=python))]


def installation(folder: Path) -> tuple[str, Path]:
    """Another interpreter with a copy of the package and all that it needs: its path, and where the copy lies."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder], check=True)
    [packages] = folder.glob("lib/python*/site-packages")
    (packages / "others.pth").write_text(f"{BIN.parent / 'lib' / packages.parent.name / 'site-packages'}\n")
    package = Path(command_forms.PACKAGE)
    shutil.copytree(package, packages / "untilgreen", ignore=shutil.ignore_patterns("__pycache__"))
    if not (package / "templates").exists():
        (packages / "untilgreen" / "templates").symlink_to(TEMPLATES)
    return str(folder / "bin" / "python"), packages


def starts(world: World, python: str) -> list[tuple[str, str, str]]:
    code = "import sys; from untilgreen.cli import errors, root; sys.exit(errors.run(root.group, sys.argv[1:]))"
    done = world.process(python, "-I", "-c", code, "doctor", "--json")
    found = [Finding(**one) for one in json.loads(done.stdout)["findings"]]
    return [(one.level, re.sub(r"\d+ ms", "T", one.what), one.cure) for one in found if one.subject == "start"]
