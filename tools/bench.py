"""What hook calls cost: `make bench` prints one table. `docs/performance.md` explains its rows.

A row says the instructions of our own processes (valgrind; a busy machine does not move them), the processor time of
the whole tree of processes as a ratio to that of a bare interpreter, and how many processes began and how many of them
were git (strace). Where valgrind or strace is not here, these columns are empty. `--record NAME` puts the figures into
`tests/values/bench.json` and the table of the page; `--hooks FOLDER` measures other code, as that of an older commit.
"""

import argparse
import json
import os
import re
import resource
import shutil
import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

from bench_rows import HOOKS, SECTIONS, Call, Row, rows
from world import REPOSITORY

RECORDED = REPOSITORY / "tests" / "values" / "bench.json"
PAGE = REPOSITORY / "docs" / "performance.md"
BEGIN, END = "<!-- the table: tools/bench.py -->\n", "<!-- its end -->\n"
# the programs that are not ours, by path and by argument
_SKIPPED = "--trace-children-skip=*/git,*/git-*,*/ruff,*/mypy,*/pytest,*/tsc,*/node,*/ast-grep,*/cat,*/sh"
_SKIPPED_BY_ARGUMENT = "--trace-children-skip-by-arg=*pytest*,*mypy*"
_LONG = 1.0  # seconds: valgrind takes fifty times as long
Figures = dict[str, float]


def seconds(row: Row) -> float:
    """The processor time of one run, with all that it starts."""
    row.before()
    began = resource.getrusage(resource.RUSAGE_CHILDREN)
    codes = [call.made().returncode for call in row.calls]
    over = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert max(codes) == row.code, (row.name, codes)
    return over.ru_utime + over.ru_stime - began.ru_utime - began.ru_stime


def started(row: Row) -> Figures:
    """The processes that a run starts beside its first ones, and how many of them are git; nothing without strace."""
    if not shutil.which("strace"):
        return {}
    row.before()
    found: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for number, call in enumerate(row.calls):
            path = Path(folder) / str(number)
            call.made("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(path))
            found += re.findall(r'execve\("([^"]+)".* = 0$', path.read_text(), re.MULTILINE)
    return {"processes": len(found), "git": sum(os.path.basename(one) == "git" for one in found)}


def instructions(row: Row) -> Figures:
    """Those of our processes in a run, in millions; nothing without valgrind."""
    if not shutil.which("valgrind"):
        return {}
    row.before()
    with tempfile.TemporaryDirectory() as folder:
        words = ("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", f"--log-file={folder}/%p")
        for call in row.calls:
            call.made(*words, "--trace-children=yes", _SKIPPED, _SKIPPED_BY_ARGUMENT)
        told = "".join(path.read_text(errors="replace") for path in Path(folder).iterdir())
    return {"instructions": round(sum(map(int, re.findall(r"Collected : (\d+)", told))) / 1e6, 1)}


def measured(row: Row, bare: float, runs: int) -> Figures:
    """The figures of a row; `bare`: the seconds of a bare interpreter just before."""
    counted = started(row)
    took = statistics.median(seconds(row) for _ in range(runs))
    ours = instructions(row) if took < _LONG and not row.name.startswith("git ") and "by hand" not in row.name else {}
    return {"ms": round(took * 1000), "cpu": round(took / (bare or took), 2), **counted, **ours}


def table(found: dict[str, dict[str, Figures]]) -> Iterator[str]:
    """The lines of the table: for each row the figures of each time that was recorded."""
    times = list(dict.fromkeys(name for one in found.values() for name in one))
    names = ("M instructions", "CPU ÷ bare", "processes", "git")
    yield f"| row | {' | '.join(f'{what}, {time}' for what in names for time in times)} |"
    yield f"|---|{'---:|' * (len(names) * len(times))}"
    for row, of in found.items():
        cells = [
            "" if (value := of.get(time, {}).get(key)) is None else f"{value:g}"
            for key in ("instructions", "cpu", "processes", "git")
            for time in times
        ]
        yield f"| {row} | {' | '.join(cells)} |"


def recorded() -> dict[str, dict[str, Figures]]:
    found: dict[str, dict[str, Figures]] = json.loads(RECORDED.read_text())["rows"] if RECORDED.exists() else {}
    return found


def record(name: str, found: dict[str, Figures]) -> None:
    """Keep the figures under a name, and write the table of the page."""
    before = recorded()
    kept = {row: before.get(row, {}) | ({name: found[row]} if row in found else {}) for row in {**before, **found}}
    document = {"python": "{}.{}".format(*sys.version_info), "rows": kept}
    RECORDED.write_text(json.dumps(document, indent=1) + "\n")
    if PAGE.exists():
        head, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
        lines = "".join(f"{line}\n" for line in table(kept))
        PAGE.write_text(f"{head}{BEGIN}{lines}{END}{rest.partition(END)[2]}", encoding="utf-8")


def main(words: Sequence[str] | None = None) -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="What hook calls cost.")
    parser.add_argument("--hooks", type=Path, default=HOOKS, help="the code that is measured")
    parser.add_argument("--only", default="", help=f"sections, commas between: {', '.join(SECTIONS)}")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--record", default="", help="keep the figures under this name")
    given = parser.parse_args(words)
    for tool, what in (("valgrind", "instructions are"), ("strace", "processes are")):
        if not shutil.which(tool):
            print(f"{tool} is not here: {what} not counted")
    found: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as folder:
        bare = Row("", (Call((sys.executable, "-I", "-c", "pass"), "", dict(os.environ), Path(folder)),))
        for row in rows(Path(folder), given.hooks.resolve(), given.only.split(",") if given.only else ()):
            ours = statistics.median(seconds(bare) for _ in range(5))
            found[row.name] = measured(row, ours, given.runs)
            print(f"{row.name:<44}", *(f"{key} {value:<9g}" for key, value in found[row.name].items()), flush=True)
    if given.record:
        record(given.record, found)


if __name__ == "__main__":
    main()
