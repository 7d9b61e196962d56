"""Many small texts in one file, as people can read and diff them: what a version of a tool printed, or its samples.

    -- found/stdout --
    app.py:1: E999

begins the part `found/stdout`, which ends where the next one begins. Behind the name stands what a text does not show:
`(no newline at end)`, `(executable)`, and `(latin-1)` for bytes that are no UTF-8.
"""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import NamedTuple

OUTPUTS = Path(__file__).parent / "outputs"
SAMPLES = "samples"
_HEAD = re.compile(r"-- (?P<name>.+?)(?: \((?P<marks>[a-z0-9, -]+)\))? --")
_OPEN, _RUNS, _LATIN = "no newline at end", "executable", "latin-1"


class Part(NamedTuple):
    """A file of an archive."""

    content: bytes
    executable: bool = False


@cache
def parts(path: Path) -> dict[str, Part]:
    """The parts of an archive by name, in its order."""
    return parsed(path.read_bytes().decode())


def parsed(archive: str) -> dict[str, Part]:
    """The same of an archive's text; what stands before the first part is none."""
    found: dict[str, Part] = {}
    name, marks, lines = "", [""], list[str]()

    def end() -> None:
        text = "".join(f"{line}\n" for line in lines)
        text = text.removesuffix("\n") if _OPEN in marks else text
        if name:
            found[name] = Part(text.encode("latin-1" if _LATIN in marks else "utf-8"), _RUNS in marks)

    for line in archive.removesuffix("\n").split("\n"):
        if head := _HEAD.fullmatch(line):
            end()
            name, marks, lines = head["name"], (head["marks"] or "").split(", "), []
        else:
            lines.append(line)
    end()
    return found


def write(path: Path, files: Mapping[str, Part]) -> None:
    """Write an archive; its folder is made."""
    texts = []
    for name, (content, executable) in files.items():
        try:
            text, marks = content.decode(), list[str]()
        except UnicodeDecodeError:
            text, marks = content.decode("latin-1"), [_LATIN]
        if text and not text.endswith("\n"):
            text, marks = f"{text}\n", [*marks, _OPEN]
        marks = [*marks, *([_RUNS] if executable else [])]
        assert not any(map(_HEAD.fullmatch, text.split("\n"))), name
        behind = f" ({', '.join(marks)})" if marks else ""
        texts.append(f"-- {name}{behind} --\n{text}")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes("".join(texts).encode())
    parts.cache_clear()


def unpack(path: Path, below: str, folder: Path) -> None:
    """Write the parts whose names begin with `below`/ into a folder, without that beginning."""
    for name, part in parts(path).items():
        if name.startswith(f"{below}/"):
            file = folder / name.removeprefix(f"{below}/")
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(part.content)
            file.chmod(0o755 if part.executable else 0o644)


def names(path: Path) -> list[str]:
    """What the parts of an archive are about: the first folder of their names."""
    return sorted({name.partition("/")[0] for name in parts(path)})


# --- recorded outputs: `ruff/0.17.6.txt` has a part `found/stdout`, and `ruff/samples.txt` one `found/app.py` ---


def versions(tool: str) -> list[str]:
    """The recorded versions of a tool, or the formats below "formats"."""
    return sorted(path.stem for path in (OUTPUTS / tool).glob("*.txt") if path.stem != SAMPLES)


def samples(tool: str) -> list[str]:
    """The samples of a tool."""
    path = OUTPUTS / tool / f"{SAMPLES}.txt"
    return names(path) if path.exists() else []


def cases(tool: str) -> list[str]:
    """Every recorded case of a tool, as "0.17.6/found"."""
    return [f"{version}/{case}" for version in versions(tool) for case in names(OUTPUTS / tool / f"{version}.txt")]


def text(case: str, part: str) -> str:
    """A part of a case like "ruff/0.17.6/found"; a tool that printed nothing has no such part."""
    tool, version, name = case.split("/")
    found = parts(OUTPUTS / tool / f"{version}.txt").get(f"{name}/{part}")
    return found.content.decode() if found else ""


def record(case: str, texts: Mapping[str, str]) -> None:
    """Put the texts of a case in the place of those that were recorded before."""
    tool, version, name = case.split("/")
    path = OUTPUTS / tool / f"{version}.txt"
    kept = {key: one for key, one in (parts(path) if path.exists() else {}).items() if not key.startswith(f"{name}/")}
    new = {f"{name}/{part}": Part(body.encode()) for part, body in texts.items() if body}
    write(path, dict(sorted({**kept, **new}.items())))
