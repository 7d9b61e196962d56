"""What the commands of a project read before they check anything: scripts of its own, and the files of task runners.

Of a Makefile or a justfile only what the called targets come to, so that another target may be added; of a package.json
the scripts are known elsewhere, and here only what they run. Nothing is run, and a word is a file where there is one.
"""

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from untilgreen.core.verdict import proof
from untilgreen.project import tables
from untilgreen.project.fakes.shapes import pattern
from untilgreen.project.tree import toml_sections

_MOST = 50  # files
_WORD = r"[^\s'\"`;&|()<>=,]+"
_TARGETS, _WHOLE = (tables.words("tasks", section) for section in ("targets", "whole"))
_NPM = ("npm", "pnpm", "yarn", "bun")
Content = Callable[[str], bytes | None]  # of a path relative to the project; None where there is no such file


def texts(commands: Iterable[Sequence[str]], content: Content) -> dict[str, str]:
    """What counts of each file, by its path; of tox.ini by section. `commands`: the folder of each, and its words."""
    found: dict[str, str] = {}
    called: dict[str, set[str]] = {}  # Makefile to the targets that are reached
    seen = set[tuple[str, str]]()
    waiting = [(command[0], " ".join(command[1:])) for command in commands]
    while waiting and len(found) + len(called) < _MOST:
        folder, text = waiting.pop()
        words = re.findall(_WORD, text)
        programs = {posixpath.basename(word) for word in words}
        for path in _files(folder, words, programs):
            read = None if path in found else content(path)
            if read is not None and (read[:2] == b"#!" or not re.match(pattern("no suffix"), path)):
                lines = (line.rstrip() for line in _text(read).split("\n"))
                kept = (line for line in lines if line[:2] == "#!" or not line.lstrip().startswith(("#", "//")))
                found[path] = "\n".join(filter(None, kept))
                waiting.append((folder, found[path]))
                found = _imported(path, found[path], content) | found
        if "tox" in programs:
            path = posixpath.normpath(posixpath.join(folder, "tox.ini"))
            sections = toml_sections.ini(_text(content(path) or b""))
            found |= {f"{path} [{name}]": body for name, body in sections.items() if re.match(r"tox$|testenv", name)}
        if programs & {*_NPM}:
            reached = scripts(folder, words, content)
            waiting += [one for one in reached if one not in seen]
            seen |= {*reached}
        for path in _task_files(folder, words, programs):
            read = content(path)
            if read is not None:
                before = called.get(path)
                now = called[path] = _reached(_text(read), {*words, *(before or ())})
                if now != before:
                    waiting.append((posixpath.dirname(path) or ".", _reduced(_text(read), now)))
    return found | {path: _reduced(_text(content(path) or b""), names) for path, names in called.items()}


def _text(content: bytes) -> str:
    return content.decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\\\n", " ")


def _files(folder: str, words: Iterable[str], programs: set[str]) -> Iterator[str]:
    """What may be a file that is all configuration: a script among the words, what a program of that name reads."""
    named = {name for program in programs for name in _WHOLE.get(program, ())}
    given = {word[1:] for word in words if word[:1] == "@"}  # a file of arguments
    for word in dict.fromkeys((*words, *named, *given)):
        path = posixpath.normpath(posixpath.join(folder, word))
        if path.startswith(("/", "..")) or re.match(pattern("packages"), path):
            continue
        if (
            word in named
            or word in given
            or any(re.match(pattern(one), path) for one in ("script", "known", "no suffix"))
        ):
            yield path


def is_taken_in(path: str, texts: Iterable[str]) -> bool:
    """Whether a file of shell functions that is no script of checks is read by one of these texts."""
    a_script = re.match(pattern("script"), path) or proof.is_suite(path)
    return not a_script and any(
        re.search(rf"(?m)(?:^|\s)(?:\.|source)\s+[\"']?(?:\./)?{re.escape(path)}\b", one) for one in texts
    )


def _imported(path: str, text: str, content: Content) -> dict[str, str]:
    """What a script that has a folder of its own takes from there, by path."""
    folder, found = posixpath.dirname(path), dict[str, str]()
    for one in re.finditer(pattern("taken from beside"), text) if folder else ():
        name = one["module"].replace(".", "/") + ".py" if one["module"] else one["path"]
        for place in (posixpath.normpath(posixpath.join(folder, name + end)) for end in ("", ".js", ".mjs", ".cjs")):
            read = content(place) if place.startswith(f"{folder}/") else None
            found |= {} if read is None else {place: _text(read)}
    return found


def _task_files(folder: str, words: Iterable[str], programs: set[str]) -> Iterator[str]:
    """The Makefiles of the folder, and of a folder among the words."""
    for program in programs & {*_TARGETS}:
        for place in (folder, *(posixpath.join(folder, word) for word in words)):
            for name in _TARGETS[program]:
                path = posixpath.normpath(posixpath.join(place, name))
                if not path.startswith(("/", "..")):
                    yield path


def scripts(folder: str, words: Iterable[str], content: Content) -> list[tuple[str, str]]:
    """The scripts of a package.json that are called, with what they call."""
    read = content(posixpath.normpath(posixpath.join(folder, "package.json")))
    try:
        document = toml_sections.jsonc(_text(read)) if read is not None else {}
    except (ValueError, RecursionError):
        return []
    known = document.get("scripts") if isinstance(document, dict) else None
    if not isinstance(known, dict):
        return []
    reached, names = set[str](), {*words, *({"test"} if {"t", "tst"} & {*words} else ())}
    while new := {one for name in names for one in (name, f"pre{name}", f"post{name}") if one in known} - reached:
        reached |= new
        names |= {word for name in new for word in re.findall(_WORD, str(known[name]))}
    return [(folder, re.sub(pattern("more is said"), "", str(known[name]))) for name in sorted(reached)]


# --- Makefiles and justfiles


def _rules(text: str) -> Iterator[tuple[str, str, str]]:
    """(names, needs, the lines below) of each rule; a line that is in none has no names."""
    names, needs, lines = "", "", list[str]()
    for line in text.split("\n"):
        if not line.strip() or line.lstrip()[0] == "#":
            continue
        if line[0] in "\t " and (names or needs):
            lines.append(line.strip())
            continue
        if names or lines:
            yield names, needs, "\n".join(lines)
        match = re.match(pattern("rule"), line)
        names, needs, lines = (match[1], match[2], []) if match else ("", "", [])
        if not match:
            yield "", "", line.strip()
    yield names, needs, "\n".join(lines)


def _reached(text: str, words: set[str]) -> set[str]:
    """The targets that these words name, or the first one, with all that they need or call."""
    rules = [(rule[0].split(), rule) for rule in _rules(text) if rule[0]]
    known = {name for names, _ in rules for name in names if name[0] != "."}
    first = next((names[0] for names, _ in rules if names[0][0] != "." and "%" not in names[0]), "")
    reached, new = set[str](), (words & known) or {first} & known
    while new:
        reached |= new
        bodies = (f"{needs} {lines}" for names, (_, needs, lines) in rules if new & {*names})
        new = ({word for body in bodies for word in re.findall(_WORD, body)} & known) - reached
    return reached


def _reduced(text: str, reached: set[str]) -> str:
    """The text without the rules of other targets; what has no plain name stays."""
    kept = []
    for names, needs, lines in _rules(text):
        words = {*names.split()}
        if names.startswith("."):
            kept += [f"{names}: {name}" for name in sorted(reached & {*needs.split()})] or [names] * (not needs.strip())
        elif not names or words & reached or re.search(r"[%$]", names):
            kept += [f"{names}:{needs}\n{lines}" if names else lines]
    return "\n".join(filter(None, kept))
