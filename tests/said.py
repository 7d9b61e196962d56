"""What the code may say to people, read from its source: texts with `…` for what differs from case to case."""

import ast
import itertools
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

# exceptions whose text people read
_ERRORS = ("UserError", "fault", "Unreadable", "Corrupt", "NotUnderstood")
# what makes a check Broken
_BROKEN = ("Malformed", "Broken")
_LEVELS = ("broken", "warning", "note")


def errors(package: Path) -> list[str]:
    """The texts of the errors that are raised in a package, sorted; those that only pass on another's are left out."""
    return _texts(package, _ERRORS)


def broken(package: Path) -> list[str]:
    """The reasons for which a check of a package is Broken, sorted."""
    return _texts(package, _BROKEN)


def findings(*folders: Path) -> set[tuple[str, str, str]]:
    """(what it is about, how bad it is, the text) of what the modules below these folders may find."""
    trees = [_tree(path) for folder in folders for path in sorted(folder.rglob("*.py"))]
    subjects = {name: text for tree in trees for name, text in _constants(tree) if name != "SUBJECT"}
    return {row for tree in trees for row in _found(tree, {**subjects, **dict(_constants(tree))})}


def ordered(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """By what it is about, the worst first."""
    return sorted(rows, key=lambda row: (row[0], _LEVELS.index(row[1]), row[2]))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _texts(package: Path, names: tuple[str, ...]) -> list[str]:
    said = [path for path in package.rglob("*.py") if any(f"{name}(" in path.read_text("utf-8") for name in names)]
    texts = {text for path in said for text in _made(_tree(path), names)}
    return sorted(texts, key=lambda text: (text.lstrip("… :").lower(), text))


def _made(tree: ast.Module, names: tuple[str, ...]) -> Iterator[str]:
    for function, node in _calls(tree):
        if node.args and (name := _name(node.func)) in names:
            parts = node.args if name in ("UserError", "fault") else node.args[:1]
            scope = _Scope(tree, function, node)
            found = [[text for text, _ in scope.texts(part)] for part in parts]
            if name == "fault":
                found = [[f"{scope.path(parts[0])}: {reason}" for reason in found[1]], *found[2:]]
            for text in map(_line, map(". Fix: ".join, itertools.product(*found))):
                if re.search(r"[a-z]{3,} [a-z]", text):
                    yield text


def _found(tree: ast.Module, subjects: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    for function, node in _calls(tree):
        if _name(node.func) == "Finding" and len(node.args) > 2:
            scope, subject = _Scope(tree, function, node), subjects.get(_name(node.args[0]), "")
            for text, level in scope.graded(node.args[1], node.args[2]):
                if subject and level in _LEVELS and re.search(r"[a-z]{3,}", text):
                    yield subject, level, _line(text)


def _calls(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        yield from ((function, node) for node in ast.walk(function) if isinstance(node, ast.Call))


class _Given(NamedTuple):
    """What a name may have been given: a value, or the return of a function of the module; and a level beside it."""

    value: ast.expr
    level: str = ""
    #: of the tuple that is returned
    place: int = -1


class _Scope(NamedTuple):
    """A node in its function and module."""

    tree: ast.Module
    function: ast.FunctionDef
    node: ast.AST

    def texts(self, node: ast.expr) -> list[tuple[str, str]]:
        """What an expression may say, each with the level that was set beside it."""
        match node:
            case ast.Constant(str() as value):
                return [(value, "")]
            case ast.JoinedStr(values):
                return self._joined([one.value if isinstance(one, ast.FormattedValue) else one for one in values])
            case ast.BinOp(left, ast.Add(), right):
                return self._joined([left, right])
            case ast.BoolOp(ast.Or(), values):
                return [text for one in values for text in self.texts(one)]
            case ast.IfExp(_, body, other):
                return [*self.texts(body), *self.texts(other)]
            case ast.Name(name):
                found = [text for one in self._given(name) for text in self._of(one)]
                return list(dict.fromkeys(found)) if found and all(text for text, _ in found) else [("…", "")]
        return [("…", "")]

    def graded(self, level: ast.expr, text: ast.expr) -> list[tuple[str, str]]:
        """What is said, each with how bad it is."""
        if isinstance(level, ast.IfExp) and isinstance(text, ast.BoolOp):
            return [*self.graded(level.body, text.values[0]), *self.graded(level.orelse, text.values[1])]
        first = [one for node in ast.walk(self.function) for one in _assigned(node, _name(level))]
        usual = _name(first[0].value if first else level).lower()
        return [(said, known or usual) for said, known in self.texts(text)]

    def _joined(self, parts: list[ast.expr]) -> list[tuple[str, str]]:
        every = itertools.product(*map(self.texts, parts))
        return [("".join(t for t, _ in one), next((level for _, level in one if level), "")) for one in every]

    def path(self, node: ast.expr) -> str:
        """A key of the configuration."""
        given = self._given(_name(node)) if isinstance(node, ast.Name) else []
        inner = given[0].value if given else node
        parts = (
            [self.path(one.value) if isinstance(one, ast.Starred) else self._part(one) for one in inner.elts]
            if isinstance(inner, ast.Tuple)
            else ["…"]
        )
        return ".".join(parts).replace(".[", "[")

    def _part(self, node: ast.expr) -> str:
        return str(node.value) if isinstance(node, ast.Constant) else "[…]" if _name(node) == "number" else "…"

    def _of(self, given: _Given) -> list[tuple[str, str]]:
        """What was given says; nothing where that is no text."""
        if given.place >= 0 and isinstance(given.value, ast.Call):
            known = {one.name: one for one in self.tree.body if isinstance(one, ast.FunctionDef)}
            function = known.get(_name(given.value.func))
            returns = [one for one in ast.walk(function) if isinstance(one, ast.Return)] if function else []
            values = [(one, one.value.elts[given.place]) for one in returns if isinstance(one.value, ast.Tuple)]
            told = [
                text for one, value in values for text in _Scope(self.tree, function or self.function, one).texts(value)
            ]
            return [text for text in told if text[0]]
        if isinstance(given.value, ast.Constant | ast.JoinedStr | ast.BinOp | ast.IfExp | ast.BoolOp):
            inner = _Scope(self.tree, self.function, given.value)
            return [(text, given.level or level) for text, level in inner.texts(given.value)]
        return []

    def _given(self, name: str) -> list[_Given]:
        """What a name may hold here: what was assigned last, in each branch above."""
        loops = [one for one in ast.walk(self.function) if isinstance(one, ast.For)]
        if any(_name(one) == name for loop in loops for one in ast.walk(loop.target)):
            return []  # whatever it is gone through
        found: list[_Given] = []
        constants: list[ast.stmt] = [one for one in self.tree.body if isinstance(one, ast.Assign)]
        for body in (*_bodies_around(self.function, self.node), constants):
            line = getattr(self.node, "lineno", 0)
            for statement in reversed([one for one in body if (one.end_lineno or 0) < line]):
                here = [given for one in ast.walk(statement) for given in _assigned(one, name)]
                found += here
                if here and (isinstance(statement, ast.Assign) or getattr(statement, "orelse", None)):
                    return found
        return found


def _bodies_around(function: ast.AST, node: ast.AST) -> list[list[ast.stmt]]:
    """The lists of statements around a node, the innermost first."""
    for child in ast.iter_child_nodes(function):
        if child is node or any(one is node for one in ast.walk(child)):
            inner = _bodies_around(child, node) if child is not node else []
            bodies = [getattr(function, name, []) for name in ("body", "orelse", "finalbody")]
            return [*inner, *(body for body in bodies if isinstance(body, list) and child in body)]
    return []


def _assigned(node: ast.AST, name: str) -> Iterator[_Given]:
    if not isinstance(node, ast.Assign):
        return
    target, value = node.targets[0], node.value
    names = [_name(one) for one in target.elts] if isinstance(target, ast.Tuple) else []
    if _name(target) == name:
        yield _Given(value)
    elif name in names and isinstance(value, ast.Tuple):
        levels = [_name(one).lower() for one in value.elts]
        level = next((one for one in levels if one in (*_LEVELS, "ok")), "")
        yield _Given(value.elts[names.index(name)], level)
    elif name in names:
        yield _Given(value, place=names.index(name))


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in (node for node in tree.body if isinstance(node, ast.Assign)):
        names, values = node.targets[0], node.value
        if isinstance(names, ast.Tuple) and isinstance(values, ast.Tuple):
            pairs = zip(names.elts, values.elts, strict=True)
        else:
            pairs = zip((names,), (values,), strict=True)
        yield from ((_name(one), str(value.value)) for one, value in pairs if isinstance(value, ast.Constant))


def _name(node: ast.AST) -> str:
    """The name, also of a module's member; "" for any other expression."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _line(text: str) -> str:
    return re.sub("…+", "…", " ".join(text.split()).replace("`", "'"))
