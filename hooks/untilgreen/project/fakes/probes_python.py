"""Probes in a file of pytest's or unittest's tests: beside each test copies of it with another expectation. Pure."""

import ast
import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.project.fakes.probes import CANARY, OTHER, OUTSIDE, SAME, SHIFTED, Probed, forms, program

_MOST = 4  # copies of a test with one literal each
_EQUAL = {"assertEqual", "assertEquals", "assertIs", "assertListEqual", "assertDictEqual", "assertTupleEqual"}
_EQUAL |= {"assertSetEqual", "assertCountEqual", "assertMultiLineEqual", "assertSequenceEqual", "assert_equal"}
_FAILING = ("xfail", "expectedFailure")  # of a test that is expected to fail
_NEAR = {"approx", "assertAlmostEqual"}
_SWALLOWING = ("raises", "suppress", "subTest", "warns", "deprecated_call", "assertRaises", "assertRaisesRegex")

Function = ast.FunctionDef | ast.AsyncFunctionDef


class _Site(NamedTuple):
    """A literal: where it is (lines from 1, columns in bytes), and another one."""

    line: int
    column: int
    end_line: int
    end_column: int
    text: str


def probed(path: str, text: str, names: Sequence[str], *, alone: bool, start: Mapping[str, str | None] = {}) -> Probed:
    """As `probes.probed`. `start`: the changed files of the product, as they were. Raises SyntaxError, ValueError."""
    lines, about = text.encode().split(b"\n"), dict[str, tuple[str, str]]()
    found = [one for one in _functions(ast.parse(text)) if one[0] in names]
    file = path.rpartition("/")[2]
    for name, node, owner in sorted(found, key=lambda one: -one[1].lineno):
        first, last = min((node, *node.decorator_list), key=lambda one: one.lineno).lineno, node.end_lineno or 0
        own, indent = lines[first - 1 : last], lines[node.lineno - 1][: node.col_offset]
        if indent.strip() or any(_name(one) in _FAILING for one in node.decorator_list):
            continue
        groups = _expected(node)
        every = [site for group in groups for site in group]
        plain = indent + f"def {node.name}({'self' if owner else ''}): assert ".encode()
        more = [(SAME, own), (CANARY, [plain + b"[] == [0]"])]
        bound = rf"{forms('py')['bound']}|\b{file[:-3]}\b|(?s:\b{node.name}\b.*\b{node.name}\b)"
        if not re.search(bound, "\n".join(map(bytes.decode, own))):
            asks = {"plain": OUTSIDE} | ({"shifted": SHIFTED} if start else {})
            call = f"{name!r}, globals())"
            more += [(kind, [plain + f"_right({by!r}, {call}".encode()]) for by, kind in asks.items()]
        more += [(OTHER, _changed(own, first, group)) for group in groups[:_MOST] if len(groups) > 1]
        lines[first - 1 : last] = _changed(own, first, every)
        about |= {name: (OTHER, name)} if every else {}
        for number, (kind, body) in enumerate(() if alone else more):
            new = f"{node.name}_{number}"
            about[owner + new] = (kind, name)
            copy = b"\n".join(body).replace(f"def {node.name}(".encode(), f"def {new}(".encode(), 1)
            lines[last:last] = copy.split(b"\n")
    beside = {"plain.txt": program("plain.py"), "shifted.txt": program("shifted.py")}
    beside |= {f"{file}.json": json.dumps([text, [*names], path, start])}
    return Probed(b"\n".join([*lines, forms("py")["behind"].encode()]), about, {} if alone else beside)


def literals(text: str, said: Callable[[str], str]) -> Iterator[tuple[str, set[str], set[str]]]:
    """The tests of a file by name, what of literals they give, and what they expect. Raises SyntaxError, ValueError."""
    tree = ast.parse(text)
    tables = {_name(one.targets[0]): one.value for one in tree.body if isinstance(one, ast.Assign)}
    for title, node, _ in _functions(tree):
        nodes = [*ast.walk(node)]
        compares = [[one.left, *one.comparators] for one in nodes if isinstance(one, ast.Compare)]
        calls = [one.args for one in nodes if isinstance(one, ast.Call) and re.match("assert|approx", _name(one))]
        sides = [side for some in (*compares, *calls) for side in some]
        wanted = {_name(side) for side in sides if isinstance(side, ast.Name)}
        for one in nodes:
            if isinstance(one, ast.Call) and _name(one) == "parametrize" and len(one.args) > 1:
                columns = _columns(one.args[0], tables.get(_name(one.args[1])) or one.args[1])
            elif isinstance(one, ast.For):
                columns = _columns(one.target, tables.get(_name(one.iter)) or one.iter)
            elif isinstance(one, ast.Assign):
                columns = {_name(one.targets[0]): [one.value]}
            else:
                continue
            nodes += [leaf for cells in columns.values() for cell in cells for leaf in ast.walk(cell)]
            sides += [cell for name, cells in columns.items() if name in wanted for cell in cells]
        expects = {leaf for side in sides if _is_literal(side) for leaf in ast.walk(side)}
        leaves = [one for one in nodes if isinstance(one, ast.Constant)]
        expected = {said(repr(one.value)) for one in leaves if one in expects}
        yield title, {said(repr(one.value)) for one in leaves if one not in expects}, expected


def _functions(tree: ast.Module) -> Iterator[tuple[str, Function, str]]:
    """The functions of a module and of its classes, by the name that a node id has, and what of it is the class's."""
    for node in tree.body:
        if isinstance(node, Function):
            yield node.name, node, ""
        elif isinstance(node, ast.ClassDef):
            yield from (
                (f"{node.name}::{one.name}", one, f"{node.name}::")
                for one in node.body
                if isinstance(one, Function) and [arg.arg for arg in one.args.args][:1] == ["self"]
            )


def _changed(own: Sequence[bytes], first: int, sites: Sequence[_Site]) -> list[bytes]:
    """The lines with other literals."""
    data, starts = b"\n".join(own), [0]
    for line in own:
        starts.append(starts[-1] + len(line) + 1)
    for site in sorted(set(sites), reverse=True):
        begin, end = starts[site.line - first] + site.column, starts[site.end_line - first] + site.end_column
        data = data[:begin] + site.text.encode() + data[end:]
    return data.split(b"\n")


def _expected(node: Function) -> list[list[_Site]]:
    """The literals that a test expects, those in one group changed at once: a test that compares anything fails without
    each of them. Only where it surely comes by: no branch, nothing behind a `return`."""
    known: dict[str, list[ast.expr]] = {}
    for one in node.decorator_list:
        if isinstance(one, ast.Call) and getattr(one.func, "attr", "") == "parametrize" and len(one.args) > 1:
            known |= _columns(one.args[0], one.args[1])
    # a name that stands elsewhere, too, may be what the product is given
    loads = Counter(one.id for one in ast.walk(node) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load))
    several = {name for name, times in loads.items() if times > 1}
    return [
        group
        for one, values in _statements(node.body, known)
        for group in _sites(one, {name: some for name, some in values.items() if name not in several})
        if group
    ]


def _statements(
    body: Sequence[ast.stmt], known: dict[str, list[ast.expr]]
) -> Iterator[tuple[ast.expr, dict[str, list[ast.expr]]]]:
    """What is asserted, each with the values that names stand for there."""
    for one in body:
        if any(isinstance(each, ast.Return) for each in ast.walk(one)):
            return
        if isinstance(one, ast.Assert):
            parts = (
                one.test.values if isinstance(one.test, ast.BoolOp) and isinstance(one.test.op, ast.And) else [one.test]
            )
            yield from ((part, known) for part in parts)
        elif isinstance(one, ast.Expr) and isinstance(one.value, ast.Call):
            yield one.value, known
        elif isinstance(one, ast.Assign) and isinstance(one.targets[0], ast.Name):
            name = one.targets[0].id
            known[name] = [one.value] if name not in known and _is_literal(one.value) else []
        elif isinstance(one, ast.For):
            columns = _columns(one.target, one.iter)
            yield from _statements(one.body, known | columns if not one.orelse else {}) if columns else ()
        elif isinstance(one, ast.With) and not any(_name(item.context_expr) in _SWALLOWING for item in one.items):
            yield from _statements(one.body, known)


def _columns(names: ast.expr, rows: ast.expr) -> dict[str, list[ast.expr]]:
    if isinstance(names, ast.Constant):
        titles = [part.strip() for part in str(names.value).split(",")]
    else:
        titles = [str(getattr(one, "id", getattr(one, "value", ""))) for one in getattr(names, "elts", [names])]
    found: dict[str, list[ast.expr]] = {title: [] for title in titles}
    for row in getattr(rows, "elts", ()):
        cells = row.args if _name(row) == "param" else getattr(row, "elts", ()) if len(titles) > 1 else [row]
        if len(cells) != len(titles):
            return {}
        for title, cell in zip(titles, cells, strict=True):
            found[title].append(cell)
    return found if getattr(rows, "elts", ()) else {}


def _name(node: ast.AST) -> str:
    """What is called, by its last name."""
    called = node.func if isinstance(node, ast.Call) else node
    return str(getattr(called, "attr", getattr(called, "id", "")))


def _sites(asserted: ast.expr, known: Mapping[str, list[ast.expr]]) -> Iterator[list[_Site]]:
    if isinstance(asserted, ast.Call):
        sides = asserted.args[:2] if _name(asserted) in _EQUAL | _NEAR else []
        near = _name(asserted) in _NEAR
    elif isinstance(asserted, ast.Compare) and len(asserted.ops) == 1:
        sides, near = [asserted.left, asserted.comparators[0]], False
        if isinstance(asserted.ops[0], ast.In):
            sides = [asserted.left] if isinstance(asserted.left, ast.Constant) and asserted.left.value else []
            sides = sides if isinstance(getattr(sides and sides[0], "value", 0), str) else []
            sides = sides if not _is_literal(asserted.comparators[0]) else []
        elif not isinstance(asserted.ops[0], ast.Eq | ast.Is):
            sides = []
    else:
        return
    for side in sides:
        within = side.args[0] if isinstance(side, ast.Call) and _name(side) in _NEAR and side.args else side
        values = known.get(within.id, []) if isinstance(within, ast.Name) else [within]
        if values and all(map(_is_literal, values)):
            others = [[_other(leaf, near=near or side != within) for leaf in _leaves(value)] for value in values]
            yield from (
                ([site] for site in others[0]) if len(others) == 1 else [[one for some in others for one in some]]
            )
            return


def _is_literal(node: ast.expr) -> bool:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return False
    return True


def _leaves(node: ast.expr) -> Iterator[ast.expr]:
    """The literals in one, of a dict its values; an empty one is one itself."""
    inner = node.values if isinstance(node, ast.Dict) else getattr(node, "elts", None)
    if inner:
        for one in inner:
            yield from _leaves(one)
    else:
        yield node


def _other(node: ast.expr, *, near: bool) -> _Site:
    value = ast.literal_eval(node)
    new: object = [0]
    if isinstance(value, bool):
        new = not value
    elif value is None:
        new = True
    elif isinstance(value, int | float):
        new = -3 * value - 1009 if near else value + 1 if abs(value) < 1e15 else -value
    elif isinstance(value, str | bytes):
        new = b"q" + value if isinstance(value, bytes) else "q" + value
    return _Site(node.lineno, node.col_offset, node.end_lineno or 0, node.end_col_offset or 0, repr(new))
