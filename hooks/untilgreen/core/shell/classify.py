"""Commands: does a shell line test, lint, check types or build, and all of the project or a part?

A wrong "yes" would let evidence stand for what was never checked, a wrong "no" costs one run of our own checks: what is
not known is no evidence. A format check is none either: it says nothing of what a linter would find.
"""

import re
from collections.abc import Iterable, Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.shell import goals, options, runners
from untilgreen.core.shell.line import CommandLine, read
from untilgreen.core.shell.programs import KINDS, NAMES, PARDONS, SCRIPT, TOOLS, KnownTool
from untilgreen.core.shell.words import ShellWord
from untilgreen.core.shell.wrappers import heads, name, unwrapped

_DEEPEST = 5  # shells in shells
_MOST = 400  # words of a simple command
_SHELLS = ("bash", "sh", "zsh", "dash", "ksh", "ash", "cmd", "powershell", "pwsh", "eval")
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*w?")
_SCRIPT = re.compile(r"(?:.*[/\\])?[\w.-]+\.(?:sh|bash|bat|cmd|ps1)|(?:\./)?(?:bin|script|scripts|tools)/[\w-]+")
_DJANGO = KnownTool("test", "-k --tag --exclude-tag -p --pattern", "--settings -v --verbosity --parallel --pythonpath")
# what may stand in front of a tool and does no more than find it
_FINDING = (
    {"", "time", "npx", "bunx"}
    | {f"{one} run" for one in ("uv", "poetry", "pdm", "pipenv", "hatch", "rye")}
    | {f"{one} exec" for one in ("npm", "pnpm", "yarn", "bundle")}
)
_SETUP = {"test": "test", "build": "build", "bdist_wheel": "build", "sdist": "build", "build_ext": "build"}


class SingleRun(NamedTuple):
    """What one simple command of a line checks."""

    kinds: tuple[str, ...]
    scope: str
    own_exit: bool
    folder: str
    #: the tool, by its file name, and its words; none where something in front of it may change what it does
    words: tuple[str, ...] = ()


class Recognised(NamedTuple):
    """What a command line is evidence of, once it has run."""

    command: str
    #: "test", "lint", "types", "build", in this order; empty: it is evidence of nothing
    kinds: tuple[str, ...] = ()
    #: "whole", "narrowed" to a part, or "unknown"; "unknown" too where it is evidence of nothing
    scope: str = "unknown"
    #: its exit code is that of what it checks, and 0 says that all of that ran
    own_exit: bool = False
    #: where that ran: relative to where the line began, or absolute; "" where only a shell could tell
    folder: str = "."
    #: the single runs in it
    parts: tuple[SingleRun, ...] = ()


def of(command: str) -> Recognised:
    """What a shell line checks. Never raises; a line that no shell would run checks nothing."""
    parts = tuple(_parts(read(command), 0))
    last = {kind: part for part in parts for kind in part.kinds}  # of each kind the last run counts
    if not last:
        return Recognised(command)
    folders = {part.folder for part in last.values()}
    return Recognised(
        command,
        tuple(kind for kind in KINDS if kind in last),
        goals.worst(part.scope for part in last.values()),
        all(part.own_exit for part in last.values()),
        folders.pop() if len(folders) == 1 else "",
        parts,
    )


def _parts(line: CommandLine, depth: int) -> Iterable[SingleRun]:
    if not line.closed or depth > _DEEPEST:
        return
    for one in line.commands:
        rest = (ShellWord("", known=False),) if len(one.words) > _MOST else ()
        command = unwrapped((*one.words[:_MOST], *rest))
        words = command.words
        if not words:
            continue
        tool = name(words[0])
        if tool in _SHELLS and (text := _text_of(tool, words[1:])):
            options_ = [word.text for word in words[1:]]
            for part in _parts(read(text, errexit=_with_e(options_), pipefail="pipefail" in options_), depth + 1):
                scope = goals.worst([part.scope, command.scope])
                folder = one.folder if part.folder == "." else part.folder if one.folder == "." else ""
                plain = part.words if len(words) == len(one.words) else ()
                yield SingleRun(part.kinds, scope, part.own_exit and one.own_exit, folder, plain)
            continue
        kinds, scope = _checked(words, command.scripts)
        if kinds and scope:
            pardoned = any(word.text in PARDONS for word in words[1:]) and tool not in ("uv", "npx")
            ordered = tuple(kind for kind in KINDS if kind in kinds)
            own = one.own_exit and not pardoned
            yield SingleRun(
                ordered, goals.worst([scope, command.scope]), own, one.folder, _plain(one.words, len(words))
            )


def _plain(words: Sequence[ShellWord], behind: int) -> tuple[str, ...]:
    """The last `behind` words, where what stands before them only finds the tool: `python -m`, `uv run`."""
    if not all(word.known for word in words):
        return ()
    texts = [word.text for word in words]
    before, own = texts[: len(texts) - behind], texts[len(texts) - behind :]
    if " ".join(before) not in _FINDING or not own:
        return ()
    if _PYTHON.fullmatch(name(ShellWord(own[0]))) and own[1:2] == ["-m"] and own[2:]:
        return tuple(own[2:])
    return (name(ShellWord(own[0])), *own[1:])


def _with_e(texts: Sequence[str]) -> bool:
    return any(re.fullmatch(r"-[a-z]*e[a-z]*", text) for text in texts)


def _text_of(shell: str, words: Sequence[ShellWord]) -> str:
    """The line that a shell is given: `bash -lc LINE`, `cmd /c LINE`, `eval LINE`."""
    texts = [word.text for word in words]
    if shell == "eval":
        return " ".join(texts)
    for place, text in enumerate(texts):
        if shell in ("cmd", "powershell", "pwsh"):
            if text.lower() in ("/c", "/k", "-c", "-command"):
                return " ".join(texts[place + 1 :])
        elif re.fullmatch(r"-[a-z]*c[a-z]*", text):
            return next((one for one in texts[place + 1 :] if one[:1] not in ("-", "+") and one != "pipefail"), "")
        elif text[:1] != "-" and not re.fullmatch(r"-[a-z]*o", texts[place - 1]):
            break
    return ""


def _checked(words: Sequence[ShellWord], scripts: bool) -> runners.Found:
    """The kinds of a simple command, and what it looks at."""
    tool, rest = name(words[0]), words[1:]
    if _PYTHON.fullmatch(tool) or (not tool and [word.text for word in rest[:1]] == ["-m"]):
        return _of_python(rest)
    if tool == "manage.py":
        return _of_manage(rest)
    if tool in ("php", "node", "ruby"):
        return _of_interpreter(tool, rest)
    if tool in NAMES and (known := next(((key, end) for key, end in heads(words) if key in TOOLS), None)):
        key, end = known
        between = [word for word in words[1:end] if word.text not in key.split()[1:] and word.text[:1] != "+"]
        tool_ = TOOLS[key]
        builds = any(word.text in tool_.builds.split() for word in rest)
        kinds = {*tool_.kinds.split(), *(["build"] if builds else [])}
        return kinds, options.scope(tool_, [*between, *words[end:]])
    if tool in runners.RUNNERS:
        return runners.RUNNERS[tool](tool, rest)
    if tool in runners.SCRIPTS:
        found, instead = runners.scripts(tool, rest)
        if not instead:
            return found
        kinds, scope = _checked(instead, scripts=False)
        return kinds, scope and goals.worst([scope, found[1]])
    if scripts or words[0].text.startswith(tuple(f"{shell} " for shell in _SHELLS)):
        called = words[0].text
        kind, scope = next(filter(all, map(goals.of, (called.rpartition(":")[2], called))), ("", ""))
        behind = options.scope(SCRIPT, rest)
        return ({kind} if kind else set()), behind and goals.worst([scope, behind])
    script = rest[0] if tool in _SHELLS and rest else words[0]
    return ({goals.of(name(script))[0]} - {""}, "unknown") if _SCRIPT.fullmatch(script.text) else (set(), "")


def _of_python(words: Sequence[ShellWord]) -> runners.Found:
    place = 0
    while place < len(words) and words[place].text[:1] == "-":
        text = words[place].text
        if text == "-c":
            return set(), ""
        if text[:2] == "-m" or re.fullmatch(r"-[A-Za-z]+m", text):
            module = [ShellWord(text[2:])] if text[:2] == "-m" and text[2:] else []
            command = [*module, *words[place + 1 :]]
            if command and command[0].text == "coverage":
                command = list(unwrapped(tuple(command)).words)
                return _checked(command, scripts=False) if command else (set(), "")
            return _of_manage(command[1:]) if command and command[0].text == "django" else _module(command)
        place += 2 if text in ("-W", "-X") else 1
    script = name(words[place]) if place < len(words) else ""
    if script == "manage.py":
        return _of_manage(words[place + 1 :])
    if script == "setup.py":
        return {_SETUP[word.text] for word in words[place + 1 :] if word.text in _SETUP}, "whole"
    return _checked(words[place:], scripts=False) if script in ("pytest", "mypy", "ruff", "tox", "nox") else (set(), "")


def _module(words: Sequence[ShellWord]) -> runners.Found:
    words = [ShellWord("pyproject-build"), *words[1:]] if words and words[0].text == "build" else words
    return _checked(words, scripts=False) if words and name(words[0]) in NAMES | set(runners.RUNNERS) else (set(), "")


def _of_manage(words: Sequence[ShellWord]) -> runners.Found:
    return ({"test"}, options.scope(_DJANGO, words[1:])) if words and words[0].text == "test" else (set(), "")


def _of_interpreter(tool: str, words: Sequence[ShellWord]) -> runners.Found:
    """`php vendor/bin/phpunit`, `node node_modules/.bin/jest`, `node --test`."""
    place = 0
    while place < len(words) and words[place].text[:1] == "-":
        if tool == "node" and words[place].text == "--test":
            return {"test"}, options.scope(TOOLS["node --test"], [*words[:place], *words[place + 1 :]])
        place += 2 if words[place].text in ("-d", "-r", "--require", "--import", "--loader", "-c", "-I") else 1
    return _checked(words[place:], scripts=False) if words[place:] and name(words[place]) in NAMES else (set(), "")
