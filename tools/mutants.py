"""Would a test notice? A sample of small faults, one at a time, in a copy of the package: `make mutants`.

A mutant is tried with the quick tests of its area, in a copy of the repository with an environment of its own: the
checkout is never touched. One that no test kills is printed with its place. Write the test; or, where nobody could tell
the difference, say so at the end of the line: `# same`.
"""

import argparse
import ast
import os
import random
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = "hooks/untilgreen"
# area: its modules, and the tests that are asked; the quickest that see much of them
AREAS = {
    "stops": (
        ("loops/stop/road.py", "loops/*/*_loop.py", "loops/unasked/new_findings.py", "loops/stop/dispatch.py"),
        ("stops", "stops_after_edits"),
    ),
    "edits": (("loops/unasked/edit.py", "state/originals.py"), ("edits", "written", "stops_after_edits")),
    "sessions": (
        ("loops/heard/session.py", "loops/heard/typed.py", "loops/begin/ownership.py"),
        ("clear", "turns", "sessions", "stops"),
    ),
    "loops": (
        ("loops/begin/*.py", "loops/rest/*.py", "loops/heard/*.py"),
        ("words", "options", "status", "waiting", "handover", "ends", "cli", "stops_kept"),
    ),
    "state": (
        ("state/store.py", "state/place.py", "state/seal.py", "core/model/loop.py", "core/model/event.py"),
        ("early_exits", "stops_kept", "places", "nobody_gets_in"),
    ),
    "entry": (("entry.py",), ("early_exits", "plugin")),
    "proof": (("loops/stop/proof.py", "core/verdict/proof.py", "checks/elsewhere/*.py"), ("proof", "start_tree")),
    "blame": (("loops/stop/blame.py", "core/verdict/blame.py"), ("blame",)),
    "calls": (
        ("project/calls/*.py", "core/shell/*.py"),
        ("calls", "classify", "scripts", "tools"),
    ),
    "evidence": (
        ("loops/stop/evidence.py", "loops/observed/*.py", "core/verdict/evidence.py", "core/verdict/measure.py"),
        ("evidence", "observations", "known_failures", "red_first"),
    ),
    "snapshots": (("state/snapshots.py", "state/trees*.py", "loops/back.py"), ("snapshots", "rollback")),
    "wire": (("hosts/*/__init__.py", "hosts/reading.py", "hosts/adapter.py"), ("hosts", "host_settings")),
    "text": (("core/words/*.py",), ("text", "feedback", "story", "by_document")),
    "settings": (("settings/*.py",), ("configuration", "new_key", "contexts")),
}
# module: tests that are about it, and asked first
OWN = {
    "in_loop": ("stops_kept",), "without_loop": ("automatic", "automatic_rounds"),
    "new_findings": ("automatic", "automatic_rounds", "automatic_tests"), "edit": ("edits_kept", "edits_types"),
    "dispatch": ("early_exits", "edits", "team", "inputs"), "typed": ("aliases",),
    "session": ("early_exits",), "ownership": ("clear", "turns"), "words": ("aliases",), "options": ("options",),
    "listing": ("status",), "own_commands": ("notified", "memory"), "status_line": ("statusline",),
    "parking": ("wishes", "sessions"), "going_on": ("sessions", "handover"), "orphans": ("sessions",),
    "unsaid": ("ends",), "back": ("rollback",), "memory": ("memory",),
    "judgement": ("judge", "completing"),
    "spending": ("budgets",), "measure": ("progress",), "presets": ("jikime", "supercode", "talkcody"),
}  # fmt: skip
OTHER: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
# what is logged or traced for those who look for a fault, types, and how durably a file is kept: no verdict of ours
QUIET = ("log.write(", "trace.", "stop.trace.", "gc.", "memory.", "TYPE_CHECKING")
SAME = (b"# same", b"# seconds", b"durable=")


class Mutant(NamedTuple):
    """A part of a module, by bytes, and what is put in its place."""

    path: Path
    line: int
    start: int
    end: int
    old: str
    new: str


def mutants(path: Path) -> Iterator[Mutant]:
    """Every fault that this knows for a module."""
    source = path.read_bytes()
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, new in _faults(ast.parse(source)):
        first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
        start, end = starts[first] + node.col_offset, starts[last] + (node.end_col_offset or 0)
        if not any(mark in source[starts[first] : starts[last + 1]] for mark in SAME):
            yield Mutant(path, first + 1, start, end, source[start:end].decode(), new)


def _faults(tree: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    for node in ast.iter_child_nodes(tree):
        text = ast.unparse(node)
        documents = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if documents or text.startswith(QUIET) or isinstance(node, ast.Raise | ast.JoinedStr | ast.arguments):
            continue
        if isinstance(node, ast.AnnAssign | ast.Import | ast.ImportFrom) or text.startswith("if TYPE_CHECKING"):
            continue
        if not (isinstance(tree, ast.FunctionDef) and node is tree.returns):
            yield from _of(node)
            yield from _faults(node)


def _of(node: ast.AST) -> Iterator[tuple[ast.expr | ast.stmt, str]]:
    match node:
        case ast.Compare(left, [operator], [right]) if type(operator) in OTHER:
            yield node, ast.unparse(ast.Compare(left, [OTHER[type(operator)]()], [right]))
        case ast.BoolOp(operator, values):
            yield node, f"({ast.unparse(ast.BoolOp(ast.Or() if isinstance(operator, ast.And) else ast.And(), values))})"
            yield from ((node, f"({ast.unparse(value)})") for value in values)
        case ast.If(test) | ast.IfExp(test) if not isinstance(test, ast.Compare | ast.BoolOp):
            yield test, f"(not ({ast.unparse(test)}))"
        case ast.Return(ast.expr() as value) if ast.unparse(value) not in ("None", "False", "''", "()"):
            yield node, "return None"
        case ast.Expr(ast.Call()):
            yield node, "pass"
        case ast.Constant(bool() as value):
            yield node, str(not value)
        case ast.Constant(int() | float() as value):
            yield node, repr(value + 1 if value < 20 else value * 10)
        case ast.Constant(str() as value) if value and " " not in value:
            yield node, repr(f"{value}x")
        case _:
            pass


def copied(folder: Path) -> Path:
    """Copy the repository, and make an environment that runs the copy; its python."""
    left = shutil.ignore_patterns(".git", ".venv", ".*cache", "__pycache__", "build", "dist", "site")
    shutil.copytree(REPOSITORY, folder, dirs_exist_ok=True, ignore=left)
    python, old = folder / "venv/bin/python", bytes(Path(sys.executable))
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / "venv"], check=True)
    (packages,) = (folder / "venv").glob("lib/python*/site-packages")
    (packages / "copy.pth").write_text(f"{folder / 'hooks'}\n{sysconfig.get_path('purelib')}\n")
    for program in Path(sys.executable).parent.iterdir():
        new, text = python.parent / program.name, program.read_bytes()
        if text.startswith(b"#!" + old) and b"untilgreen" in text:
            new.write_bytes(text.replace(old, bytes(python)))
            new.chmod(0o755)
        elif not new.exists():
            new.symlink_to(program)
    return python


def killed(python: Path, tests: tuple[str, ...], mutant: Mutant | None = None, limit: float | None = None) -> bool:
    """Whether one of these tests fails, or they take longer than so many seconds: a hook that waits for ever."""
    folder, words = python.parent.parent.parent, ("-B", "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider")
    source = mutant.path.read_bytes() if mutant else b""
    if mutant:
        mutant.path.write_bytes(source[: mutant.start] + mutant.new.encode() + source[mutant.end :])
    env = os.environ | {"PYTHONDONTWRITEBYTECODE": "1"}  # two faults of one second and size must not be one
    files = [f"tests/test_{test}.py" for test in tests]
    try:
        done = subprocess.run(
            [python, *words, *files], cwd=folder, env=env, capture_output=True, timeout=limit, check=False
        )
    except subprocess.TimeoutExpired:
        return True
    finally:
        if mutant:
            mutant.path.write_bytes(source)
    if mutant is None and done.returncode:
        sys.exit((done.stdout + done.stderr).decode())
    return done.returncode != 0


def main() -> None:
    """Print each survivor, and for each area how many were killed."""
    parser = argparse.ArgumentParser(description="Try a sample of small faults.")
    parser.add_argument("--count", type=int, default=20, help="mutants of each area")
    parser.add_argument("--area", choices=AREAS, action="append")
    parser.add_argument("--seed", default="1")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        python = copied(folder)
        for area in given.area or AREAS:
            patterns, tests = AREAS[area]
            paths = sorted(path for pattern in patterns for path in (folder / PACKAGE).glob(pattern))
            known = [one for path in paths for one in mutants(path)]
            sample = random.Random(given.seed).sample(known, min(given.count, len(known)))
            own = {path: OWN.get(path.stem, ()) for path in {one.path for one in sample}}
            began, alive = time.monotonic(), 0
            killed(python, (*tests, *sorted({test for some in own.values() for test in some})))  # green without a fault
            limit = max(60, 3 * (time.monotonic() - began))
            for one in sorted(sample):
                if not killed(python, (*own[one.path], *tests), one, limit):
                    alive += 1
                    place = f"{one.path.relative_to(folder)}:{one.line}"
                    print(f"{place}: {' '.join(one.old.split())} -> {' '.join(one.new.split())}", flush=True)
            seconds, count = time.monotonic() - began, len(sample)
            print(f"{area}: {count - alive} of {count} killed, of {len(known)}; {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
