"""The repository itself: imports go one way, files and functions stay small, texts say nothing they should not."""

import ast
import graphlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

import mutants
import sentences
import test_pythons
from untilgreen import hosts
from world import REPOSITORY

PACKAGE = REPOSITORY / "hooks" / "untilgreen"
MODULES = sorted(PACKAGE.rglob("*.py"))

# lowest first: a module imports from its own layer and from lower ones, inside functions too
LAYERS = (*("core", "project", "hosts", "state", "checkers", "checks", "settings", "loops", "api", "cli"), "entry")

# what is over a limit of the house and has not come down yet; a line may go, none may come
STILL_WIDE: dict[str, int] = {}
STILL_FULL: dict[str, int] = {}
STILL_LONG = {  # sentences of more than 25 words; the generated tables and the README's list of pages are lists
    "README.md": 1,
    "docs/real-projects.md": 6,
    "templates/skills/until-green/SKILL.md": 1,
}
SELVES = (["self"], ["cls"])


def dotted(path: Path) -> str:
    return ".".join(("untilgreen", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(".__init__")


@cache
def trees() -> dict[str, ast.Module]:
    return {dotted(path): ast.parse(path.read_text()) for path in MODULES}


def part(path: Path) -> str:
    """The layer of a module: its folder below the package, or "entry"."""
    return path.relative_to(PACKAGE).with_suffix("").parts[0]


def imports(path: Path) -> Iterator[str]:
    """The dotted module of every import of our own package, wherever in the module it stands."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("untilgreen"):
            names = [f"{node.module}.{alias.name}" for alias in node.names] if node.module == "untilgreen" else []
            yield from names or [node.module or ""]
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.startswith("untilgreen"))


def test_imports_go_one_way() -> None:
    against = []
    for path in MODULES:
        for module in imports(path):
            other = part(PACKAGE / module.split(".")[1])
            # the package offers to programs what `api` has; only type checkers read that import
            if part(path) == "__init__":
                against += [] if module == "untilgreen.api" else [("__init__.py", module)]
            elif LAYERS.index(other) > LAYERS.index(part(path)):
                against.append((str(path.relative_to(PACKAGE)), module))
            if other == "cli" and part(path) not in ("cli", "entry"):
                against.append((str(path.relative_to(PACKAGE)), module))
    assert against == []


def test_every_module_has_its_layer() -> None:
    assert {part(path) for path in MODULES} == {*LAYERS, "__init__"}


def test_the_core_knows_no_clock_no_files_and_no_processes() -> None:
    allowed = {
        "typing",
        "re",
        "difflib",
        "shlex",
        "hashlib",
        "_blake2",
        "_sha1",
        "_collections",
        "collections",
        "bisect",
        "functools",
        "untilgreen",
    }
    for path in (PACKAGE / "core").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert {name.split(".")[0] for name in names} <= allowed, path.name
            # a field may be called input
            used = node.id if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) else ""
            assert used not in ("open", "print", "input"), path.name


def test_the_core_and_its_tests_know_no_host() -> None:
    names = "|".join({*hosts.ADAPTERS} - {hosts.GENERIC, "pi", "cursor"})  # which are words, too
    tests = [path for name in test_pythons.TESTS for path in Path(__file__).parent.glob(f"test_{name}*.py")]
    for path in (*(PACKAGE / "core").rglob("*.py"), *tests):
        assert re.findall(rf"(?<!\w)(?:{names})(?!\w)", path.read_text()) == [], path.name


def test_files_and_functions_stay_small() -> None:
    large = []
    for path in MODULES:
        text = path.read_text()
        large += [(path.name, len(text.splitlines()))] if len(text.splitlines()) > 300 else []
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.FunctionDef):
                lines = (node.end_lineno or node.lineno) - node.lineno + 1
                large += [(f"{path.name} {node.name}", lines)] if lines > 40 else []
    assert large == []


def test_a_class_has_a_name_of_its_own() -> None:
    homes: dict[str, set[str]] = {}
    for path in MODULES:
        for node in (node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ClassDef)):
            homes.setdefault(node.name.lstrip("_"), set()).add(dotted(path))
    several = {name: found for name, found in homes.items() if len(found) > 1}
    assert several == {}


def test_every_module_can_be_the_first_that_is_imported() -> None:
    before: dict[str, set[str]] = {dotted(path): set() for path in MODULES}
    for path in MODULES:
        me = dotted(path)
        for module in at_the_top(ast.parse(path.read_text()).body):
            parts = (module if module in before else module.rpartition(".")[0]).split(".")
            packages = {".".join(parts[: length + 1]) for length in range(len(parts))}
            # the packages that a module lies in have begun before it; what it takes out of one must be there by then
            before[me] |= {name for name in packages if name == ".".join(parts) or not f"{me}.".startswith(f"{name}.")}
    graphlib.TopologicalSorter(before).prepare()


def test_no_files_import_each_other_in_a_circle() -> None:
    needs = {name: set(needed(trees()[name].body)) - {name} for name in trees()}
    graphlib.TopologicalSorter(needs).prepare()  # names a circle, if there is one


def test_folders_records_and_calls_stay_small() -> None:
    in_folder = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    full = {str(folder.relative_to(PACKAGE)): count for folder, count in in_folder.items() if count > 25}
    wide, long_calls = dict[str, int](), set[str]()
    for name, tree in trees().items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                fields = sum(isinstance(line, ast.AnnAssign) for line in node.body)
                wide |= {node.name: fields} if fields > 30 else {}
            elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                taken = [one.arg for one in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)]
                long_calls |= {f"{short(name)}.{node.name}"} if len(taken) - (taken[:1] in SELVES) > 6 else set()
    assert [(name, fields) for name, fields in wide.items() if fields > STILL_WIDE.get(name, 0)] == []
    assert [(name, count) for name, count in full.items() if count > STILL_FULL.get(name, 0)] == []
    assert long_calls == set()


def test_a_small_module_is_an_entry_a_table_a_front_or_has_several_users() -> None:
    """Below 40 lines it is worth a file if nobody imports it by name (a command, a checker, a host's part: what a table
    or the command line asks for), if two modules do, if it is all data, or if it stands before its folder."""
    users = Counter(one for name, tree in trees().items() for one in {*needed(tree.body)} - {name})
    small = {short(dotted(path)) for path in MODULES if len(path.read_text().splitlines()) < 40}
    fronts = {short(dotted(path)) for path in MODULES if path.name == "__init__.py"}
    acts = {short(n) for n, tree in trees().items() if any(isinstance(one, ast.FunctionDef) for one in ast.walk(tree))}
    alone = {short(name) for name, count in users.items() if count == 1}
    assert small & acts & alone - fronts == set()


def test_the_areas_of_mutants_are_of_this_repository() -> None:
    for patterns, tests in mutants.AREAS.values():
        assert any([*PACKAGE.glob(pattern)] for pattern in patterns)
        assert {name for name in tests if not (REPOSITORY / f"tests/test_{name}.py").exists()} == set()
    asked = {test for tests in mutants.OWN.values() for test in tests}
    assert {name for name in asked if not (REPOSITORY / f"tests/test_{name}.py").exists()} == set()


def needed(body: Iterable[ast.AST]) -> Iterator[str]:
    """The modules of ours that these statements import, inside functions too, but not for types alone."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            base = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
            for name in (f"{base}{alias.name}" for alias in node.names):
                yield from {name, name.rpartition(".")[0]} & trees().keys() if name not in trees() else [name]
        elif isinstance(node, ast.If) and _for_types(node):
            yield from needed(node.orelse)
        else:
            yield from needed(ast.iter_child_nodes(node))


def short(name: str) -> str:
    return name.removeprefix("untilgreen.")


def at_the_top(body: Iterable[ast.stmt]) -> Iterator[str]:
    """What the import of a module imports of our own, with the name that is taken out of it."""
    for node in body:
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "untilgreen":
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] == "untilgreen")
        elif not isinstance(node, ast.FunctionDef) and not _for_types(node):
            yield from at_the_top(child for child in ast.iter_child_nodes(node) if isinstance(child, ast.stmt))


def _for_types(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def test_every_sentence_of_ours_is_short_enough_to_be_read_once() -> None:
    # when this fails: python tools/sentences.py
    long = Counter(where for where, _, words in sentences.texts() if sentences.length(words) > sentences.MOST)
    assert [(where, count) for where, count in long.items() if count > STILL_LONG.get(where, 0)] == []
