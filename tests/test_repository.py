"""The repository itself: imports go one way, files and functions stay small, texts say nothing they should not."""

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from world import REPOSITORY

PACKAGE = REPOSITORY / "hooks" / "untilgreen"
MODULES = sorted(PACKAGE.rglob("*.py"))

# lowest first; a module imports from its own layer or from lower ones
LAYERS: tuple[tuple[str, ...], ...] = (
    ("core",),
    ("hosts",),
    (
        "packages",
        "clock",
        "limit",
        "languages",
        "catalogue",
        "aliases",
        "project",
        "sections",
        "presets",
        "config",
        "transcript",
        "trust",
        "runner",
        "locks",
        "environment",
    ),
    ("layout",),
    ("checkers",),
    (
        "tools",
        "git",
        "worktree",
        "suppressions",
        "definitions",
        "configurations",
        "extended",
        "text",
        "store",
        "log",
        "journal",
        "memory",
    ),
    ("roots", "identifiers", "written", "archive", "statusline", "called", "recording"),
    ("planning", "payload"),
    ("declarations", "configured", "trace"),
    ("checking",),
    ("evidence", "single", "introduced", "superseded"),
    ("loops", "by_hand", "edits", "automatic"),
    ("binding",),
    ("sessions", "stopping"),
    ("app",),
    ("entry",),
    ("stop_loop", "session_loop", "start_loop", "cancel_loop", "post_tool_lint", "post_tool_lsp", "post_tool_ast_grep"),
)
# the cold part stands beside the layers: it may use them up to "sessions", and these may call it, inside a function
CALLS_CLI = {"entry", "sessions", "configured", "start_loop", "cancel_loop"}
CLI_USES = {name for layer in LAYERS[:15] for name in layer}


def part(path: Path) -> str:
    """The name by which LAYERS knows a module: its package below untilgreen, or the module itself."""
    relative = path.relative_to(PACKAGE).with_suffix("")
    return relative.parts[0]


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """(dotted module, at the top of the module) of every import of our own package."""
    tree = ast.parse(path.read_text())
    top = {id(node) for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)}
    for function in (n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)):
        top -= {id(node) for node in ast.walk(function)}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("untilgreen"):
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "untilgreen" else []
            for name in names or [node.module or ""]:
                yield name, id(node) in top
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("untilgreen"):
                    yield alias.name, id(node) in top


def layer_of(name: str) -> int:
    return next(number for number, layer in enumerate(LAYERS) if name in layer)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_one_way(path: Path) -> None:
    me = part(path)
    if me == "__init__":
        assert list(imports(path)) == []
        return
    for module, at_top in imports(path):
        other = module.split(".")[1]
        if me == "cli":
            assert other == "cli" or other in CLI_USES, f"cli imports {module}"
        elif other == "cli":
            assert me in CALLS_CLI, f"{me} imports {module}"
            assert not at_top, f"{me} imports {module}"
        else:
            assert layer_of(other) <= layer_of(me), f"{me} imports {module}"


def test_every_module_has_its_layer() -> None:
    known = {name for layer in LAYERS for name in layer} | {"cli", "__init__"}
    assert {part(path) for path in MODULES} == known


def test_the_core_knows_no_clock_no_files_and_no_processes() -> None:
    allowed = {"typing", "re", "hashlib", "_blake2", "collections", "bisect", "untilgreen"}
    for path in (PACKAGE / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, path.name
            assert not (isinstance(node, ast.Name) and node.id in ("open", "print", "input")), path.name


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_files_and_functions_stay_small(path: Path) -> None:
    text = path.read_text()
    assert len(text.splitlines()) <= 300
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            assert lines <= 40, f"{node.name} has {lines} lines"


def test_no_import_cycle_is_hidden_in_functions() -> None:
    # every module can be the first one that is imported
    for path in MODULES:
        dotted = ".".join(("untilgreen", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")
        done = subprocess.run([sys.executable, "-c", f"import {dotted}"], capture_output=True, text=True, check=False)
        assert (dotted, done.returncode, done.stderr) == (dotted, 0, "")
