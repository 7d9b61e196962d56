"""The tasks that a project gives names: targets of a Makefile, a justfile, a Taskfile, and tables of scripts.

A task is a list of steps: shell text, or a reference to another task of the same file. What only the tool could tell
(a variable of Make that is computed, a parameter of a recipe) stays in the text as `$…`, so that no word is guessed at.
"""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from untilgreen.project.calls.documents import Step, Texts, strings, table, where

_VARIABLE = re.compile(r"^(?:export\s+)?([A-Za-z_][\w.-]*)\s*(?:\?|::?:?)?=[ \t]*(.*)$")
_TARGET = re.compile(r"^([\w./%-][\w./%\t -]*)::?(?!=)[ \t]*([^=;#]*?)(?:;(.*))?(?:#.*)?$")
_REFERENCE = re.compile(r"\$[({]([\w.-]+)[)}]|\$\$")
_RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)((?:\s+[^:]*)?):(?!=)\s*(.*)$")
_LONGEST = 10_000  # characters of a variable
# by name what a target or a recipe needs, and its lines
_Rules = Mapping[str, tuple[list[str], list[str]]]


def make(texts: Texts, folder: str, name: str) -> list[Step] | None:
    """The lines of a target of the folder's Makefile, those of the targets that it needs first."""
    file, text = _first(texts, folder, ("GNUmakefile", "makefile", "Makefile"))
    targets, variables = _makefile(text)
    return _rule(targets, name, folder, file, lambda lines: [_expanded(line, variables) for line in lines if line])


def just(texts: Texts, folder: str, name: str) -> list[Step] | None:
    """The lines of a recipe of the folder's justfile, those of the recipes that it needs first."""
    file, text = _first(texts, folder, ("justfile", ".justfile", "Justfile"))
    return _rule(_justfile(text), name, folder, file, _shown)


def _first(texts: Texts, folder: str, names: Sequence[str]) -> tuple[str, str]:
    """The first of these files that is there, and its text, with its long lines as one."""
    found = ((name, text) for name in names if (text := texts.text(folder, name)) is not None)
    file, text = next(found, ("", ""))
    return file, text.replace("\\\n", " ")


def _rule(
    rules: _Rules,
    name: str,
    folder: str,
    file: str,
    shown: Callable[[list[str]], list[str]],
    above: tuple[str, ...] = (),
) -> list[Step] | None:
    """The lines of one rule as they are shown to a shell, those of what it needs first."""
    if name not in rules or name in above:
        return None
    needs, lines = rules[name]
    steps = [step for need in needs for step in _rule(rules, need, folder, file, shown, (*above, name)) or ()]
    return steps + [Step(line, folder, where(folder, file, name)) for line in shown(lines)]


def _shown(lines: list[str]) -> list[str]:
    """Those of a recipe's lines whose failure counts; none of a program in another language."""
    if lines and lines[0].startswith("#!"):
        return []
    return [line.lstrip("@") for line in lines if not line.lstrip("@").startswith("-")]


def _makefile(text: str) -> tuple[dict[str, tuple[list[str], list[str]]], dict[str, str]]:
    """Each target with what it needs and its lines, and the variables."""
    targets: dict[str, tuple[list[str], list[str]]] = {}
    variables: dict[str, str] = {}
    now: list[str] = []
    for line in text.split("\n"):
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


def _justfile(text: str) -> dict[str, tuple[list[str], list[str]]]:
    recipes: dict[str, tuple[list[str], list[str]]] = {}
    now: list[str] | None = None
    for line in text.split("\n"):
        if line[:1] in (" ", "\t"):
            if now is not None:
                now.append(re.sub(r"\{\{.*?\}\}", "$UNKNOWN", line.strip()))
        elif found := _RECIPE.match(line):
            needs = [need for need in re.split(r"[\s()]+", found[3].partition("#")[0]) if need and need != "&&"]
            now = []
            recipes[found[1]] = (needs, now)
        elif line.strip() and not line.startswith(("#", "[")):
            now = None
    return recipes


def taskfile(texts: Texts, folder: str, name: str, above: tuple[str, ...] = ()) -> list[Step] | None:
    """The commands of a task of the folder's Taskfile, those that it depends on first."""
    for file in ("Taskfile.yml", "Taskfile.yaml", "taskfile.yml", "Taskfile.dist.yml"):
        found = table(texts.yaml(folder, file), "tasks").get(name) if name not in above else None
        if found is None:
            continue
        task = found if isinstance(found, dict) else {"cmds": found}
        inside = os.path.normpath(os.path.join(folder, str(task.get("dir", "."))))
        steps: list[Step] = []
        for one in [*({"task": dep} for dep in strings(task.get("deps"))), *_list(task.get("cmds", task.get("cmd")))]:
            other = one.get("task") if isinstance(one, dict) else None
            line = one.get("cmd") if isinstance(one, dict) else one
            if isinstance(other, str):
                steps += taskfile(texts, folder, other, (*above, name)) or []
            elif isinstance(line, str):
                steps.append(Step(re.sub(r"\{\{.*?\}\}", "$UNKNOWN", line), inside, where(folder, file, name)))
        return steps
    return None


def package(texts: Texts, folder: str, name: str) -> list[Step] | None:
    """A script of package.json, with what npm runs before and after it."""
    scripts = table(texts.json(folder, "package.json"), "scripts")
    names = (f"pre{name}", name, f"post{name}")
    found = [(one, scripts[one]) for one in names if isinstance(scripts.get(one), str)]
    steps = [Step(line, folder, where(folder, "package.json", one), one) for one, line in found]
    return steps if isinstance(scripts.get(name), str) else None


def poe(texts: Texts, folder: str, name: str, above: tuple[str, ...] = ()) -> list[Step] | None:
    """A task of poethepoet."""
    for file, path in (("pyproject.toml", ("tool", "poe", "tasks")), ("poe_tasks.toml", ("tool", "poe", "tasks"))):
        found = table(texts.toml(folder, file), *path).get(name)
        if found is not None and name not in above:
            source = where(folder, file, f"poe {name}")
            return list(_poe_steps(found, folder, source, lambda other: poe(texts, folder, other, (*above, name))))
    return None


def _poe_steps(task: Any, folder: str, source: str, named: Callable[[str], list[Step] | None]) -> Iterator[Step]:
    if isinstance(task, str):
        yield Step(task, folder, source)
    elif isinstance(task, list):
        for one in task:
            if isinstance(one, str):  # in a sequence a text is another task's name
                yield from named(one) or ()
            else:
                yield from _poe_steps(one, folder, source, named)
    elif isinstance(task, dict):
        inside = os.path.normpath(os.path.join(folder, str(task.get("cwd", "."))))
        for one in strings(task.get("deps")):
            yield from named(one) or ()
        for kind in ("cmd", "shell", "sequence", "ref", "parallel"):
            one = task.get(kind)
            if kind == "ref" and isinstance(one, str):
                yield from named(one.split()[0]) or ()
            elif one is not None:
                yield from _poe_steps(one, inside, source, named)


def pdm(texts: Texts, folder: str, name: str, above: tuple[str, ...] = ()) -> list[Step] | None:
    """A script of pdm."""
    found = table(texts.toml(folder, "pyproject.toml"), "tool", "pdm", "scripts").get(name)
    if found is None or name in above:
        return None
    source = where(folder, "pyproject.toml", f"pdm {name}")
    task = found if isinstance(found, dict) else {"cmd": found}
    if (parts := task.get("composite")) is not None:
        steps = [
            (one, pdm(texts, folder, one.split()[0], (*above, name)) if one.split() else None) for one in strings(parts)
        ]
        return [step for one, known in steps for step in (known or [Step(one, folder, source)])]
    line = task.get("cmd", task.get("shell"))
    return [Step(" ".join(strings(line)), folder, source)] if strings(line) else []


def hatch(texts: Texts, folder: str, name: str, above: tuple[str, ...] = ()) -> list[Step] | None:
    """A script of hatch, `ENVIRONMENT:SCRIPT` or one of the default environment."""
    environment, _, script = name.rpartition(":")
    for file, path in (("hatch.toml", ("envs",)), ("pyproject.toml", ("tool", "hatch", "envs"))):
        scripts = table(texts.toml(folder, file), *path, environment or "default", "scripts")
        if script in scripts and name not in above:
            source, steps = where(folder, file, f"hatch {name}"), []
            for line in strings(scripts[script]):
                first = line.lstrip("- ").split()[:1]
                other = (
                    hatch(texts, folder, f"{environment}:{first[0]}" if environment else first[0], (*above, name))
                    if first
                    else None
                )
                steps += other or [
                    Step(
                        re.sub(r"\{.*?\}", lambda m: "" if m[0].startswith("{args") else "$UNKNOWN", line),
                        folder,
                        source,
                    )
                ]
            return steps
    return None


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [] if value is None else [value]


READERS: dict[str, Callable[[Texts, str, str], list[Step] | None]] = {
    "make": make,
    "just": just,
    "task": taskfile,
    "npm": package,
    "poe": poe,
    "pdm": pdm,
    "hatch": hatch,
}
