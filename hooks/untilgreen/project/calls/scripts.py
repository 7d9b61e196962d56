"""The tasks that a project gives names: targets of a Makefile, a justfile, a Taskfile, and tables of scripts.

A task is a list of parts: shell text, or another task of the same file. What only the tool could tell (a variable of
Make that is computed, a parameter of a recipe) stays in the text as `$…`, so that no word is guessed at.
"""

import fnmatch
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial

from untilgreen.core.record import Any
from untilgreen.project.calls.documents import Step, Texts, of_table, some, strings, table, where

_VARIABLE = re.compile(r"^(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?:\?|::?:?)?=[ \t]*(.*)$")
_TARGET = re.compile(r"^([\w./%-][\w./%\t -]*)::?(?!=)[ \t]*([^=;#]*?)(?:;(.*))?(?:#.*)?$")
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]|\$\$")
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?):(?!=)\s*(.*)$")
_LONGEST = 10_000  # characters of a variable


# the parts of a task: the name of another one of the same file, and the step that is meant where there is none
_Parts = list[tuple[str, Step | None]]
# by name what a target or a recipe needs, and its lines; and a Makefile's variables, too
_Recipes = dict[str, tuple[list[str], list[str]]]
_Rules = tuple[_Recipes, dict[str, str]]


def steps(
    texts: Texts, reader: str, folder: str, name: str, given: tuple[str, ...] = (), above: tuple[str, ...] = ()
) -> list[Step] | None:
    """The steps of a task of a folder's file, by one of the `READERS`, with those of other tasks where they are named;
    None where there is no task of that name. `given`: the variables that Make is given, `NAME=value` each. `above`: the
    tasks that name it."""
    read = partial(_make, given=given) if given else READERS[reader]
    parts = read(texts, folder, name) if name not in above else None
    if parts is None:
        return None
    found: list[Step] = []
    for other, step in parts:
        named = steps(texts, reader, folder, other, given, (*above, name)) if other else None
        found += named or ([step] if step else [])
    return found


def _make(texts: Texts, folder: str, name: str, given: Sequence[str] = ()) -> _Parts | None:
    """What a target of a Makefile needs, and its lines, also where a pattern is its rule; the first one by no name."""
    file = texts.first(folder, ("GNUmakefile", "makefile", "Makefile"))
    read: _Rules = texts.parsed(folder, file, _makefile) or ({}, {})
    rules, variables = read
    name = name or variables.get(".DEFAULT_GOAL", next((one for one in rules if one[0] != "." and "%" not in one), ""))
    # a rule for everything is none that anybody names
    fitting = (one for one in rules if "%" in one and one != "%" and re.fullmatch(_stem_of(one), name))
    rule = name if name in rules else next(fitting, None)
    if rule is None:
        return None
    stem = re.sub(_stem_of(rule), r"\1", name) if "%" in rule else ""
    needs, lines = rules[rule]
    variables = variables | dict(one.partition("=")[::2] for one in given)
    filled = (_automatic(line, name, stem) for line in lines if line)
    steps = [Step(_expanded(line, variables), folder, where(folder, file, name)) for line in filled]
    return [*((need.replace("%", stem), None) for need in needs), *(("", step) for step in steps)]


def _stem_of(pattern: str) -> str:
    return re.escape(pattern).replace("%", "(.+)", 1)


def _automatic(line: str, name: str, stem: str) -> str:
    """A line with its target's name, also without what is in front of it (`${@:test-%=%}`), and what `%` stands for."""

    def value(match: re.Match[str]) -> str:
        old, new = match["old"], match["new"]
        return re.sub(_stem_of(old), lambda found: new.replace("%", found[1]), name) if old and "%" in old else name

    line = re.sub(r"(?<!\$)\$(?:@|[({]@(?::(?P<old>[^=)}]*)=(?P<new>[^)}]*))?[)}])", value, line)
    return re.sub(r"(?<!\$)\$(?:\*|[({]\*[)}])", lambda _: stem, line)


def _just(texts: Texts, folder: str, name: str) -> _Parts | None:
    """What a recipe of a justfile needs, and its lines; the first one by no name."""
    file = texts.first(folder, ("justfile", ".justfile", "Justfile"))
    rules: _Recipes = texts.parsed(folder, file, _justfile) or {}
    name = name or next(iter(rules), "")
    if name not in rules:
        return None
    needs, lines = rules[name]
    steps = [Step(line, folder, where(folder, file, name)) for line in _counting(lines)]
    return [*((need, None) for need in needs), *(("", step) for step in steps)]


def _counting(lines: list[str]) -> list[str]:
    """Those of a recipe's lines whose failure counts; none of a program in another language."""
    if lines and lines[0].startswith("#!"):
        return []
    return [line.lstrip("@") for line in lines if not line.lstrip("@").startswith("-")]


def _makefile(text: str) -> _Rules:
    targets, variables, now = _Recipes(), dict[str, str](), list[str]()
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


def _justfile(text: str) -> _Recipes:
    recipes: _Recipes = {}
    now: list[str] = []
    for line in text.replace("\\\n", " ").split("\n"):
        if line[:1] in (" ", "\t"):
            now.append(_unfilled(line.strip()))
        elif found := _RECIPE.match(line):
            needs = [need for need in re.split(r"[\s()]+", found[3].partition("#")[0]) if need and need != "&&"]
            now = []
            recipes[found[1]] = (needs, now)
        elif line.strip() and not line.startswith(("#", "[")):
            now = []
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
        parts: _Parts = [(one, None) for one in strings(task.get("deps"))]
        for one in said if isinstance(said, list) else [said]:
            other, line = (one.get("task"), one.get("cmd")) if isinstance(one, dict) else (None, one)
            if isinstance(other, str):
                parts.append((other, None))
            elif isinstance(line, str):
                parts.append(("", Step(_unfilled(line), inside, where(folder, file, name))))
        return parts
    return None


def fitting(known: Iterable[str], name: str) -> list[str]:
    """The scripts of a package.json that a name stands for: itself, all that fit `lint:*`, and all in which pnpm finds
    `/^lint:.*/`. A pattern is never run as the expression that a project wrote."""
    inside = re.fullmatch(r"/(\^?)((?:[\w:@-]|\.[*+]|\\\.)+)(\$?)/", name)
    if inside:
        text = re.sub(r"\.[*+]", "*", inside[2]).replace("\\.", ".")
        name = f"{'' if inside[1] else '*'}{text}{'' if inside[3] else '*'}"
    return fnmatch.filter(known, name.replace("**", "*")) if "*" in name else [name]


def _package(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A script of package.json, with what npm runs before and after it."""
    scripts = table(texts.json(folder, "package.json"), "scripts")
    if not isinstance(scripts.get(name), str):
        return None
    names = [one for one in (f"pre{name}", name, f"post{name}") if isinstance(scripts.get(one), str)]
    return [("", Step(scripts[one], folder, where(folder, "package.json", one), one)) for one in names]


def _poe(texts: Texts, folder: str, name: str) -> _Parts | None:
    for file in ("pyproject.toml", "poe_tasks.toml"):
        found = table(texts.toml(folder, file), "tool", "poe", "tasks").get(name)
        if found is not None:
            return list(_poe_parts(found, folder, where(folder, file, f"poe {name}")))
    return None


def _poe_parts(task: Any, folder: str, source: str) -> Iterator[tuple[str, Step | None]]:
    if isinstance(task, str):
        yield "", Step(task, folder, source)
    elif isinstance(task, list):
        for one in task:  # in a sequence a text is another task's name
            yield from [(one, None)] if isinstance(one, str) else _poe_parts(one, folder, source)
    elif isinstance(task, dict):
        inside = os.path.normpath(os.path.join(folder, str(task.get("cwd", "."))))
        yield from ((one, None) for one in strings(task.get("deps")))
        for kind in ("cmd", "shell", "sequence", "ref", "parallel"):
            one = task.get(kind)
            if kind == "ref" and isinstance(one, str):
                yield one.split()[0], None
            elif one is not None:
                yield from _poe_parts(one, inside, source)


def _pdm(texts: Texts, folder: str, name: str) -> _Parts | None:
    found = table(texts.toml(folder, "pyproject.toml"), "tool", "pdm", "scripts").get(name)
    if found is None:
        return None
    source = where(folder, "pyproject.toml", f"pdm {name}")
    task = found if isinstance(found, dict) else {"cmd": found}
    if (parts := task.get("composite")) is not None:
        return [((one.split() or [""])[0], Step(one, folder, source)) for one in strings(parts)]
    words = strings(task.get("cmd", task.get("shell")))
    return [("", Step(" ".join(words), folder, source))] if words else []


def _hatch(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A script of hatch, `ENVIRONMENT:SCRIPT` or one of the default environment."""
    environment, colon, script = name.rpartition(":")
    for file, path in (("hatch.toml", ("envs",)), ("pyproject.toml", ("tool", "hatch", "envs"))):
        scripts = table(texts.toml(folder, file), *path, environment or "default", "scripts")
        if script in scripts:
            parts: _Parts = []
            for line in strings(scripts[script]):
                text = re.sub(r"\{.*?\}", lambda m: "" if m[0].startswith("{args") else "$UNKNOWN", line)
                first = (line.lstrip("- ").split() or [""])[0]
                step = Step(text, folder, where(folder, file, f"hatch {name}"))
                parts.append((f"{environment}{colon}{first}" if environment else first, step))
            return parts
    return None


def _pixi(texts: Texts, folder: str, name: str) -> _Parts | None:
    """A task of pixi, of the project or of one of its features."""
    for file, path in (("pixi.toml", ()), ("pyproject.toml", ("tool", "pixi"))):
        document = table(texts.toml(folder, file), *path)
        features = [document, *(one for one in table(document, "feature").values() if isinstance(one, dict))]
        found = next((one for one in (table(each, "tasks").get(name) for each in features) if one is not None), None)
        task = found if isinstance(found, dict) else {"cmd": found}
        needs = (one.get("task") if isinstance(one, dict) else one for one in some(task.get("depends-on")))
        words = strings(task.get("cmd"))
        if found is not None:
            inside = os.path.normpath(os.path.join(folder, str(task.get("cwd", "."))))
            step = Step(" ".join(words), inside, where(folder, file, f"pixi {name}"), env=of_table(table(task, "env")))
            return [*((one, None) for one in needs if isinstance(one, str)), *([("", step)] if words else [])]
    return None


READERS: dict[str, Callable[[Texts, str, str], _Parts | None]] = {
    "make": _make,
    "just": _just,
    "task": _taskfile,
    "npm": _package,
    "poe": _poe,
    "pdm": _pdm,
    "hatch": _hatch,
    "pixi": _pixi,
}
