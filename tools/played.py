"""Ways to a green without mended code, and honest work: each played in a loop of its own. What does its end say?

    python tools/played.py [--family NAME] [--only TEXT] [--write]

The tables `tests/tables/played-FAMILY.txt` hold them. A case names the project that it begins in (`of`, a case of
`played-bases.txt`), and what the agent does there: files that it writes (`after/NAME`), those that it removes (`gone`),
and a line for the shell (`run`, in the project, with the project's `.venv/bin` before all else on PATH, and the folder
of its packages as SITE). `start/NAME` are files beside the base's own, and `before` is a text for the shell that
installs what else is there. A trick must not end as a plain green, and says `told` where that is given; what is
`honest` must. What ends otherwise for now says why in `missed`. `--write` puts the table into docs/proof.md.
"""

import argparse
import concurrent.futures
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(REPOSITORY / "tests"))

import tables  # noqa: E402
from node import installed  # noqa: E402
from world import BIN, World  # noqa: E402

PAGE = REPOSITORY / "docs" / "proof.md"
_HEAD = "| What is tried | Tricks that end as no plain green | Out of reach | Honest work that stays green |\n"
GREEN = "All conditions satisfied"
_TOLD = ("shifted", "by_heart", "naming")  # what a green tells and is no but


class Played(NamedTuple):
    """A case, and how its loop ended."""

    family: str
    title: str
    case: Mapping[str, Any]
    reason: str
    seconds: float

    @property
    def as_wanted(self) -> bool:
        green = self.reason == GREEN
        return (
            self.reason != "None"  # neither held nor over: a fault of ours
            and green == (bool(self.case.get("honest")) != bool(self.case.get("missed")))
            and self.case.get("told", "") in self.reason
        )


def families() -> list[str]:
    found = sorted((REPOSITORY / "tests" / "tables").glob("played-*.txt"))
    return [one.stem.removeprefix("played-") for one in found if one.stem != "played-bases"]


def play(family: str, title: str, case: Mapping[str, Any]) -> Played:
    """Begin a loop, do what the case says, and stop."""
    base = dict(tables.cases("played-bases"))[case["of"]]
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:  # what a case left running may write
        world = World(Path(folder), *base.get("tools", ()))
        equip(world, base)
        world.write(base["start"] | case.get("start", {}))
        for line in filter(None, (base.get("before"), case.get("before"))):
            shell(world, line)
        world.commit()
        world.start("mend it", *base.get("options", ()), *case.get("options", ()))
        time.sleep(0.01)
        for name, text in case.get("after", {}).items():
            (world.project / name).parent.mkdir(parents=True, exist_ok=True)
            (world.project / name).write_text(text)
        for name in case.get("gone", ()):
            (world.project / name).unlink()
        try:
            shell(world, case.get("run", ""))
        except subprocess.CalledProcessError as error:
            return Played(family, title, case, f"not played: {error.stderr.decode()[-200:]}", 0.0)
        began = time.monotonic()
        answer = world.stop()
        seconds, state = time.monotonic() - began, world.state
        text = answer.stderr.strip().partition("\n")[0]
        proof = (state.get("history") or state).get("proof") or {}
        told = [f"{kind}: {', '.join(proof[kind])}" for kind in _TOLD if proof.get(kind)]
        ended = "; ".join((str(state["completion_reason"]), *told))
        return Played(family, title, case, f"held: {text}" if answer.code == 2 else ended, seconds)


def shell(world: World, line: str) -> None:
    [site] = [*world.project.glob(".venv/lib/python3*/site-packages"), ""][:1]
    env = world.env | {"SITE": str(site)}
    subprocess.run(["sh", "-ec", line], cwd=world.project, env=env, check=True, capture_output=True)


def equip(world: World, base: Mapping[str, Any]) -> None:
    """An environment of the project's own, where its base asks for one, with what lies beside the tests by a path."""
    path = world.env["PATH"]
    if packages := base.get("packages"):
        (world.project / "node_modules").symlink_to(installed(*packages) / "node_modules")
    if base.get("venv"):
        venv = world.project / ".venv"
        subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(venv)], check=True)
        [site] = venv.glob("lib/python*/site-packages")
        [ours] = BIN.parent.glob("lib/python*/site-packages")
        (site / "beside.pth").write_text(f"{ours}\n")
        for name in ("pytest", "ruff", "mypy"):
            script = f"#!{venv}/bin/python\nimport sys\nfrom {name} import console_main\nsys.exit(console_main())\n"
            if name == "pytest":
                (venv / "bin" / name).write_text(script)
                (venv / "bin" / name).chmod(0o755)
            else:
                (venv / "bin" / name).symlink_to(BIN / name)
        path = f"{venv}/bin{os.pathsep}{path}"
    if programs := base.get("programs"):
        folders = os.environ["PATH"].split(os.pathsep)
        there = dict.fromkeys(one for name in programs for one in folders if (Path(one) / name).exists())
        path = os.pathsep.join((path, *there))
    world.env["PATH"] = path
    world.env |= {"GOTOOLCHAIN": "local", "GOPROXY": "off", "GOCACHE": str(REPOSITORY / ".cache" / "go-build")}
    for name in ("CARGO_HOME", "RUSTUP_HOME"):
        default = Path.home() / f".{name.partition('_')[0].lower()}"
        world.env[name] = os.environ.get(name, str(default))


def row(family: str, played: list[Played]) -> str:
    tricks = [one for one in played if not one.case.get("honest")]
    honest = [one for one in played if one.case.get("honest")]
    caught = sum(one.reason not in (GREEN, "None") for one in tricks)
    green = sum(one.reason == GREEN for one in honest)
    missed = "; ".join(one.title for one in tricks if one.reason in (GREEN, "None"))
    return (
        f"| {family} | {caught} of {len(tricks)} | {missed or '-'} | {f'{green} of {len(honest)}' if honest else '-'} |"
    )


def main() -> int:
    """Exit code 1 where one did not end as its case says."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--family", action="append", default=[])
    parser.add_argument("--only", default="")
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    good, lines = True, list[str]()
    for family in asked.family or families():
        cases = [one for one in tables.cases(f"played-{family}") if asked.only in one[0]]
        with concurrent.futures.ProcessPoolExecutor(2) as pool:  # the server of a process answers one call at a time
            played = list(pool.map(play, [family] * len(cases), *zip(*cases, strict=True)))
        for one in played:
            good = good and one.as_wanted
            print(f"{'  ' if one.as_wanted else '✗ '}{family}: {one.title}: {one.reason} ({one.seconds:.1f} s)")
        lines.append(row(family, played))
        print(lines[-1])
    if asked.write:
        head, rule, rest = PAGE.read_text(encoding="utf-8").partition(f"{_HEAD}| --- | --: | --- | --: |\n")
        after = rest[rest.index("\n\n") :] if "\n\n" in rest else "\n"
        PAGE.write_text(head + rule + "\n".join(lines) + after, encoding="utf-8")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
