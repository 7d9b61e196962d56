"""Examples of the README and of docs/, run: what a page shows is what the commands print.

`python tools/examples.py` writes what they print now into the pages; read the diff before you commit it.

A `console` block holds commands behind `$ ` and what they print; a line of three dots stands for any lines. Comments,
which no reader sees, set the scene for the blocks below them:

    <!-- world: shop -->        a project to begin with, of PROJECTS; a page begins with that of its caller
    <!-- file: untilgreen.toml -->    the next block becomes that file of the project
    <!-- run: git add -A -->    a command that no reader needs to see; it must succeed
    <!-- untested: why -->      the next block is not run

The commands of one world run in their order, in its project, by `sh -c`.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import demo
import near
from world import BIN, REPOSITORY, World

PROJECTS: Mapping[str, Mapping[str, str]] = {
    "shop": demo.PROJECT,
    "green": demo.PROJECT | {"shop.py": demo.IMPORTED.replace("str(sum(prices))", "sum(prices)")},
    "empty": {},
}
_STEP = re.compile(
    r"^<!-- (?P<what>world|file|run|untested): (?P<about>.*?) -->\n|^```(?P<kind>\w*)\n(?P<text>.*?)^```",
    re.MULTILINE | re.DOTALL,
)
_SECONDS = 120


class Step(NamedTuple):
    """`kind`: "file" (its path and its text), "run" (a command that is not shown) or "console" (what a block shows)."""

    kind: str
    about: str
    text: str = ""


class Scene(NamedTuple):
    """A project, by its name in PROJECTS, and what is done there."""

    project: str
    steps: tuple[Step, ...]


def scenes(page: str, project: str = "shop") -> list[Scene]:
    """The worlds of a page that run anything, in its order."""
    found: list[tuple[str, list[Step]]] = [(project, [])]
    pending = ("", "")
    for step in _STEP.finditer(page):
        if step["what"] == "world":
            found.append((step["about"], []))
        elif step["what"] == "run":
            found[-1][1].append(Step("run", step["about"]))
        elif step["what"]:
            pending = (step["what"], step["about"])
        else:
            if pending[0] == "file":
                found[-1][1].append(Step("file", pending[1], step["text"]))
            elif pending[0] != "untested" and step["kind"] == "console":
                found[-1][1].append(Step("console", "", step["text"]))
            pending = ("", "")
    return [Scene(name, tuple(steps)) for name, steps in found if any(step.kind == "console" for step in steps)]


def play(scene: Scene, world: World) -> tuple[str, str]:
    """(what the page shows, what is printed), both without what differs from run to run."""
    shown, printed = [], []
    for command, output, said in _played(scene, world):
        expected, answer = plain(output), plain(said)
        shown.append(f"$ {command}\n{expected}")
        printed.append(f"$ {command}\n{expected if _fits(expected, answer) else answer}")
    return "".join(shown), "".join(printed)


def updated(page: str, project: str = "shop") -> str:
    """The page with what its commands print now, where that differs from what it shows."""
    position = 0
    for scene in scenes(page, project):
        with tempfile.TemporaryDirectory() as folder:
            for command, output, said in _played(scene, World(Path(folder), "all")):
                answer = output if _fits(plain(output), plain(said)) else said
                shown = f"$ {command}\n"
                begin = page.index(shown + output, position) + len(shown)
                page = page[:begin] + answer + page[begin + len(output) :]
                position = begin + len(answer)
    return page


def plain(text: str) -> str:
    """Without what differs from run to run: loops named after a second, times, dates, versions of tools, and what
    checks said in the two seconds of a start, if they had an answer by then."""
    text = re.sub(r"loop-\d+", "loop-N", text)
    text = re.sub(r"^at the start: .*$", "at the start: ...", text, flags=re.MULTILINE)
    text = re.sub(r"^\d.* older than the loop .*\n", "", text, flags=re.MULTILINE)
    text = re.sub(r"\b\d+(\.\d+)? (ms|s|times)\b", r"N \2", text)
    text = re.sub(r"\b\d+\.\d+\.\d+\b", "V", text)
    text = re.sub(r"(?<![\w.:])\d+:\d\d(?![\w:])", "M:SS", text)
    return re.sub(r"\d{8}-\d{6}", "YYYYMMDD-HHMMSS", text)


def _played(scene: Scene, world: World) -> list[tuple[str, str, str]]:
    """Each command that is shown, with what the page says that it prints, and what it prints in a reader's folders."""
    world.write(PROJECTS[scene.project])
    world.commit()
    played = []
    for step in scene.steps:
        if step.kind == "file":
            world.write({step.about: step.text})
        elif step.kind == "run":
            done = _run(step.about, world)
            assert done.returncode == 0, (step.about, done.stdout)
        else:
            for command, output in _commands(step.text):
                said = re.sub(r"loop-\d+", "loop-1795302843", _said(command, world))
                for folder, name in _reader(world):
                    said = said.replace(folder, name)
                played.append((command, output, said))
    return played


def _reader(world: World) -> tuple[tuple[str, str], ...]:
    """The world's own folders as those of a reader."""
    return ((str(world.project), "/home/you/shop"), (str(world.home), "/home/you"), (str(BIN), "/home/you/.venv/bin"))


def _commands(block: str) -> list[tuple[str, str]]:
    parts = (part.partition("\n") for part in re.split(r"^\$ ", block, flags=re.MULTILINE) if part)
    return [(command, output) for command, _, output in parts]


def _fits(expected: str, said: str) -> bool:
    pattern = "(?:.*\n)*?".join(re.escape(part) for part in re.split(r"^\.\.\.\n", expected, flags=re.MULTILINE))
    return re.fullmatch(pattern, said) is not None


def _said(command: str, world: World) -> str:
    """What a command prints; one of ours, with nothing for a shell to do, without the start of an interpreter."""
    words = shlex.split(command, comments=True)
    if words[0] not in near.names() or re.search(r"[|;&<>$`~*]", command):
        return _run(command, world).stdout
    answer = world.run(*words)
    return answer.stdout + answer.stderr


def _run(command: str, world: World) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        ["sh", "-c", command],
        cwd=world.project,
        env=world.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        timeout=_SECONDS,
        check=False,
    )


if __name__ == "__main__":
    for path in (REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").glob("*.md"))):
        before = path.read_text(encoding="utf-8")
        after = updated(before)
        if after != before:
            path.write_text(after, encoding="utf-8")
            print(path.relative_to(REPOSITORY))
