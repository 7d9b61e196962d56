"""`untilgreen check --explain-plan`: each check with its tool and what in the project asks for it. No hook reads it."""

import os
import re
from collections.abc import Iterator, Sequence

from untilgreen import checkers
from untilgreen.checks.plan import planning, roots, scripts
from untilgreen.core.model.check import Check
from untilgreen.project.tree.layout import Layout, folder_of

# files that configure more tools than one
_SHARED = ("pyproject.toml", "setup.cfg", "tox.ini", "package.json", "setup.py", "requirements.txt")
_AROUND = " \t\"'"
Line = tuple[str, str, str]  # the name of a check, its tool, why it is there


def lines(plan: Sequence[Check], layout: Layout) -> list[Line]:
    """The checks that green has, in their order."""
    return [(one.name, _tool(one, layout.project), _why_in(one, layout)) for one in plan]


def not_run(scope: planning.CheckScope) -> list[str]:
    """What CI and tasks run that no check does, and what of it does not run by default."""
    unread = scripts.all_unread(scope.root, scope.calls)
    return [f"{one.source}: {'out' if one.kind == 'out' else 'not read'}: {one.what}" for one in unread]


def left_out(scope: planning.CheckScope, plan: Sequence[Check], layout: Layout) -> list[str]:
    """The checkers that green does not have, and why."""
    there = {one.checker for one in plan}
    missing = [(name, _why_out(name, scope)) for name in checkers.NAMES if name not in there]
    elsewhere = roots.left_out(layout, scope.criteria, scope.calls)
    return [f"{name}: {why}" for name, why in (*missing, *elsewhere)]


def _tool(check: Check, root: str) -> str:
    inside = check.tool.startswith(f"{root}{os.sep}")
    return os.path.relpath(check.tool, root) if inside else check.tool or "-"


def _why_in(check: Check, layout: Layout) -> str:
    if check.absent:
        return check.absent.reason
    if check.source:
        return f"{'told, and holds nobody' if check.told else 'called'}: {check.shown}"
    if check.checker == "custom":
        return "a command of your configuration"
    if not check.chosen:
        return "nobody chose it: it looks for what cannot run, and for nothing else"
    return next(_configured(check, layout), "") or "configured, or there is something for it"


def _configured(check: Check, layout: Layout) -> Iterator[str]:
    """`ruff.toml`, `[tool.ruff] in pyproject.toml:6`: where the project names the tool."""
    name = re.escape(check.checker)
    own = re.compile(rf"\.?{name}(?:rc)?(?:\.\w+)*")
    line = re.compile(rf'^\[(?:tool[.:])?{name}\b.*?\]|^ *"{name}(?:Config)?"(?= *:)|^[ \t"\']*{name}\b', re.MULTILINE)
    here = {path.rpartition("/")[2]: path for path in layout.files if folder_of(path) == check.root}
    yield from (path for file, path in here.items() if own.fullmatch(file))
    for path in (here[file] for file in _SHARED if file in here):
        text = layout.text(path) or ""
        if found := line.search(text):
            yield f"{found[0].strip(_AROUND)} in {path}:{text.count(chr(10), 0, found.start()) + 1}"
    yield from (here[file] for file in checkers.signs(check.checker) if file in here and file not in _SHARED)


def _why_out(name: str, scope: planning.CheckScope) -> str:
    checker, criteria = checkers.get(name), scope.criteria
    if name in planning.switched_off(scope.settings):
        return "out: the configuration says so"
    kind = roots.kind_of(checker.serves)
    if criteria.only and kind not in criteria.only:
        return f"out: {kind} are not asked for"
    if kind == "build":
        return "out: a build is asked for by build_success"
    if checker.check_form:
        return f"out: not called with {' or '.join(checker.check_form.split())}"
    return "out: not configured, not called, not depended on"
