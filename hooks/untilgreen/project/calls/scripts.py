"""The tasks that a project gives names: targets of a Makefile, a justfile, a Taskfile, and tables of scripts.

A task is a list of parts: shell text, or another task of the same file. What only the tool could tell (a variable of
Make that is computed, a parameter of a recipe) stays in the text as `$…`, so that no word is guessed at.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping

from untilgreen.core.record import Any, NamedTuple
from untilgreen.project.calls.documents import Step, Texts, strings, table, where

_VARIABLE = re.compile(r"^(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?:\?|::?:?)?=[ \t]*(.*)$")
_TARGET = re.compile(r"^([\w./%-][\w./%\t -]*)::?(?!=)[ \t]*([^=;#]*?)(?:;(.*))?(?:#.*)?$")
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]|\$\$")
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?):(?!=)\s*(.*)$")
_LONGEST = 10_000  # characters of a variable


class _Other(NamedTuple):
    """Another task of the same file; `step` is meant where there is none of that name."""

    name: str
    step: Step | None = None


_Parts = list[Step | _Other]
# by name what a target or a recipe needs, and its lines
_Rules = dict[str, tuple[list[str], list[str]]]


def steps(texts: Texts, reader: str, folder: str, name: str, above: tuple[str, ...] = ()) -> list[Step] | None:
    """The steps of a task of a folder's file, by one of the `READERS`, with those of other tasks where they are named;
    None where there is no task of that name. `above`: the tasks that name it."""
    parts = READERS[reader](texts, folder, name) if name not in above else None
    if parts is None:
        return None
    found: list[Step] = []
    for part in parts:
        if isinstance(part, Step):
            found.append(part)
        else:
            instead = [part.step] if part.step else []
            found += steps(texts, reader, folder, part.name, (*above, name)) or instead
    return found


def _make(texts: Texts, folder: str, name: str) -> _Parts | None:
    """The lines of a target of the folder's Makefile, those of the targets that it needs first."""
    file = texts.first(folder, ("GNUmakefile", "makefile", "Makefile"))
    targets, variables = texts.parsed(folder, file, _makefile) or ({}, {})
    return _rule(targets, name, folder, file, lambda lines: [_expanded(line, variables) for line in lines if line])


def _just(texts: Texts, folder: str, name: str) -> _Parts | None:
    """The lines of a recipe of the folder's justfile, those of the recipes that it needs first."""
    file = texts.first(folder, ("justfile", ".justfile", "Justfile"))
    return _rule(texts.parsed(folder, file, _justfile) or {}, name, folder, file, _shown)


def _rule(rules: _Rules, name: str, folder: str, file: str, shown: Callable[[list[str]], list[str]]) -> _Parts | None:
    """What one rule needs, and its lines as they are shown to a shell."""
    if name not in rules:
        return None
    needs, lines = rules[name]
    return [*map(_Other, needs), *(Step(line, folder, where(folder, file, name)) for line in shown(lines))]


def _shown(lines: list[str]) -> list[str]:
    """Those of a recipe's lines whose failure counts; none of a program in another language."""
    if lines and lines[0].startswith("#!"):
        return []
    return [line.lstrip("@") for line in lines if not line.lstrip("@").startswith("-")]


def _makefile(text: str) -> tuple[_Rules, dict[str, str]]:
    """Each target with what it needs and its lines, and the variables."""
    targets: _Rules = {}
    variables: dict[str, str] = {}
    now: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line.startswith("\t"):
            for target in now:
                targets[target][1].append(line.strip().lstrip("@-+ ") if not line.strip().startswith("-") else "")
        elif found := _VARIABLE.match(line):
            variables.setdefault(found[1], found[2].partition(" #")[0].strip())
        elif found := _TARGET.match(line):
            now = found[1].split()
            for target in now:
                needs, lines = targets.setdefault(target, ([], []))
                needs += found[2].replace("|", " ").split()
                lines += [found[3].strip()] if found[3] else []
        elif line.strip() and not line.startswith("#"):
            now = []
    return targets, variables


def _expanded(line: str, variables: Mapping[str, str], depth: int = 0) -> str:
    def value(match: re.Match[str]) -> str:
        if match[0] == "$$":
            return "$"
        if match[1] == "MAKE":
            return "make"
        known = variables.get(match[1])
        if known is None or depth > 5:
            return "$UNKNOWN"
        found = _expanded(known, variables, depth + 1)
        return found if len(found) < _LONGEST else "$UNKNOWN"

    return _REFERENCE.sub(value, re.sub(r"\$\((?![\w.-]+\)).*?\)", "$UNKNOWN", line))


def _justfile(text: str) -> _Rules:
    recipes: _Rules = {}
    now: list[str] | None = None
    for line in text.replace("\\\n", " ").split("\n"):
        if line[:1] in (" ", "\t"):
            if now is not None:
                now.append(_unfilled(line.strip()))
        elif found := _RECIPE.match(line):
            needs = [need for need in re.split(r"[\s()]+", found[3].partition("#")[0]) if need and need != "&&"]
            now = []
            recipes[found[1]] = (needs, now)
        elif line.strip() and not line.startswith(("#", "[")):
            now = None
    return recipes


def _unfilled(line: str) -> str:
    return re.sub(r"\{\{.*?\}\}", "$UNKNOWN", line)


def _taskfile(texts: Texts, folder: str, name: str) -> _Parts | None:
    """The commands of a task of the folder's Taskfile, those that it depends on first."""
    for file in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"):
        found = table(texts.yaml(folder, file), "tasks").get(name)
        if found is None:
            continue
        task = found if isinstance(found, dict) else {"cmds": found}
        inside = os.path.normpath(os.path.join(folder, str(task.get("dir", "."))))
        said = task.get("cmds", task.get("cmd"))
        parts: _Parts = [_Other(one) for one in strings(task.get("deps"))]
        for one in said if isinstance(said, list) else [said]:
            other = one.get("task") if isinstance(one, dict) else None
            line = one.get("cmd") if isinstance(one, dict) else one
            if isinstance(other, str):
                parts.append(_Other(other))
            elif isinstance(line, str):
                parts.append(Step(_unfilled(line), inside, where(folder, file, name)))
        return parts
    return None


def _package(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A script of package.json, with what npm runs before and after it."""
    scripts = table(texts.json(folder, "package.json"), "scripts")
    names = (f"pre{name}", name, f"post{name}")
    found = [(one, scripts[one]) for one in names if isinstance(scripts.get(one), str)]
    parts: _Parts = [Step(line, folder, where(folder, "package.json", one), one) for one, line in found]
    return parts if isinstance(scripts.get(name), str) else None


def _poe(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A task of poethepoet."""
    for file in ("pyproject.toml", "poe_tasks.toml"):
        found = table(texts.toml(folder, file), "tool", "poe", "tasks").get(name)
        if found is not None:
            return list(_poe_parts(found, folder, where(folder, file, f"poe {name}")))
    return None


def _poe_parts(task: Any, folder: str, source: str) -> Iterator[Step | _Other]:
    if isinstance(task, str):
        yield Step(task, folder, source)
    elif isinstance(task, list):
        for one in task:
            if isinstance(one, str):  # in a sequence a text is another task's name
                yield _Other(one)
            else:
                yield from _poe_parts(one, folder, source)
    elif isinstance(task, dict):
        inside = os.path.normpath(os.path.join(folder, str(task.get("cwd", "."))))
        yield from map(_Other, strings(task.get("deps")))
        for kind in ("cmd", "shell", "sequence", "ref", "parallel"):
            one = task.get(kind)
            if kind == "ref" and isinstance(one, str):
                yield _Other(one.split()[0])
            elif one is not None:
                yield from _poe_parts(one, inside, source)


def _pdm(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A script of pdm."""
    found = table(texts.toml(folder, "pyproject.toml"), "tool", "pdm", "scripts").get(name)
    if found is None:
        return None
    source = where(folder, "pyproject.toml", f"pdm {name}")
    task = found if isinstance(found, dict) else {"cmd": found}
    if (parts := task.get("composite")) is not None:
        return [_Other((one.split() or [""])[0], Step(one, folder, source)) for one in strings(parts)]
    words = strings(task.get("cmd", task.get("shell")))
    return [Step(" ".join(words), folder, source)] if words else []


def _hatch(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A script of hatch, `ENVIRONMENT:SCRIPT` or one of the default environment."""
    environment, _, script = name.rpartition(":")
    for file, path in (("hatch.toml", ("envs",)), ("pyproject.toml", ("tool", "hatch", "envs"))):
        scripts = table(texts.toml(folder, file), *path, environment or "default", "scripts")
        if script in scripts:
            parts: _Parts = []
            for line in strings(scripts[script]):
                text = re.sub(r"\{.*?\}", lambda m: "" if m[0].startswith("{args") else "$UNKNOWN", line)
                first = (line.lstrip("- ").split() or [""])[0]
                other = f"{environment}:{first}" if environment else first
                parts.append(_Other(other, Step(text, folder, where(folder, file, f"hatch {name}"))))
            return parts
    return None


READERS: dict[str, Callable[[Texts, str, str], _Parts | None]] = {
    "make": _make,
    "just": _just,
    "task": _taskfile,
    "npm": _package,
    "poe": _poe,
    "pdm": _pdm,
    "hatch": _hatch,
}
