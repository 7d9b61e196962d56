"""What the code may say to people, read from its source: texts with `…` for what differs from case to case."""

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

# exceptions whose text people read
_ERRORS = ("UserError", "Fault", "Unreadable", "Corrupt", "NotUnderstood")
# what makes a check Broken
_BROKEN = ("Malformed", "Broken")
_LEVELS = ("broken", "warning", "note")


def errors(package: Path) -> list[str]:
    """The texts of the errors that are raised in a package, sorted; those that only pass on another's are left out."""
    return _texts(package, _ERRORS)


def broken(package: Path) -> list[str]:
    """The reasons for which a check of a package is Broken, sorted."""
    return _texts(package, _BROKEN)


def findings(folder: Path) -> set[tuple[str, str, str]]:
    """(what it is about, how bad it is, the text) of what the modules below a folder may find."""
    return {row for path in folder.rglob("*.py") for row in _found(_tree(path))}


def ordered(rows: Iterable[tuple[str, str, str]]) -> list[tuple[str, str, str]]:
    """By what it is about, the worst first."""
    return sorted(rows, key=lambda row: (row[0], _LEVELS.index(row[1]), row[2]))


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _texts(package: Path, names: tuple[str, ...]) -> list[str]:
    texts = {text for path in sorted(package.rglob("*.py")) for text in _made(_tree(path), names)}
    return sorted(texts, key=lambda text: (text.lstrip("… :").lower(), text))


def _made(tree: ast.Module, names: tuple[str, ...]) -> Iterator[str]:
    for function, node in _calls(tree):
        if node.args and _name(node.func) in names:
            parts = {"UserError": node.args, "Fault": node.args[1:]}.get(_name(node.func), node.args[:1])
            text = _line(". Fix: ".join(_template(_value(tree, function, part)) for part in parts))
            if re.search(r"[a-z]{3,} [a-z]", text):
                yield text


def _found(tree: ast.Module) -> Iterator[tuple[str, str, str]]:
    subjects = dict(_constants(tree))
    for function, node in _calls(tree):
        if _name(node.func) == "Finding" and len(node.args) > 2:
            subject, level = _name(node.args[0]), _name(node.args[1]).lower()
            text = _line(_template(_value(tree, function, node.args[2])))
            if subject in subjects and level in _LEVELS and re.search(r"[a-z]{3,}", text):
                yield subjects[subject], level, text


def _calls(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, ast.Call]]:
    for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
        yield from ((function, node) for node in ast.walk(function) if isinstance(node, ast.Call))


def _value(tree: ast.Module, function: ast.FunctionDef, node: ast.expr) -> ast.expr:
    """What a name was last given above, in the function or as a constant of the module."""
    known = [one for one in (*tree.body, *ast.walk(function)) if isinstance(one, ast.Assign)]
    above = [one for one in known if one.lineno < node.lineno and _name(one.targets[0]) == _name(node)]
    return max(above, key=lambda one: one.lineno).value if above and isinstance(node, ast.Name) else node


def _constants(tree: ast.Module) -> Iterator[tuple[str, str]]:
    for node in (node for node in tree.body if isinstance(node, ast.Assign)):
        names, values = node.targets[0], node.value
        if isinstance(names, ast.Tuple) and isinstance(values, ast.Tuple):
            yield from zip(map(_name, names.elts), map(_template, values.elts), strict=True)
        else:
            yield _name(names), _template(values)


def _name(node: ast.expr) -> str:
    """The name, also of a module's member; "" for any other expression."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _line(text: str) -> str:
    return " ".join(text.split()).replace("`", "'")


def _template(node: ast.expr) -> str:
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _template(node.left) + _template(node.right)
    return "…"
