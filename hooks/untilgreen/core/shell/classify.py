"""Commands: does a shell line test, lint, check types or build, and all of the project or a part?

A wrong "yes" would let evidence stand for what was never checked, a wrong "no" costs one run of our own checks: what is
not known is no evidence. A format check is none either: it says nothing of what a linter would find.
"""

import re
from collections.abc import Iterable, Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.shell import runners
from untilgreen.core.shell.line import CommandLine, read
from untilgreen.core.shell.programs import KINDS, NAMES, PARDONS, SCRIPT, TOOLS, KnownTool
from untilgreen.core.shell.scopes import of_goal, scope, worst
from untilgreen.core.shell.words import ShellWord
from untilgreen.core.shell.wrappers import known_head, name, unwrapped

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
# options of an interpreter whose value is the next word
_VALUED = dict.fromkeys(("php", "node", "ruby"), ("-d", "-r", "--require", "--import", "--loader", "-c", "-I"))
_RUN_BY_PYTHON = ("pytest", "mypy", "ruff", "tox", "nox")
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
    kinds: tuple[str, ...] = ()  #: "test", "lint", "types", "build", in this order; empty: it is evidence of nothing
    #: "whole", "narrowed" to a part, or "unknown"; "unknown" too where it is evidence of nothing
    scope: str = "unknown"
    own_exit: bool = False  #: its exit code is that of what it checks, and 0 says that all of that ran
    #: where that ran: relative to where the line began, or absolute; "" where only a shell could tell
    folder: str = "."
    parts: tuple[SingleRun, ...] = ()  #: the single runs in it


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
        worst(part.scope for part in last.values()),
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
            for part in _parts(read(text, options=words[1:]), depth + 1):
                folder = one.folder if part.folder == "." else part.folder if one.folder == "." else ""
                plain = part.words if len(words) == len(one.words) else ()
                own = part.own_exit and one.own_exit
                yield SingleRun(part.kinds, worst([part.scope, command.scope]), own, folder, plain)
            continue
        kinds, seen = _checked(words, scripts=command.scripts)
        if kinds and seen:
            pardoned = any(word.text in PARDONS for word in words[1:]) and tool not in ("uv", "npx")
            ordered = tuple(kind for kind in KINDS if kind in kinds)
            own, plain = one.own_exit and not pardoned, _plain(one.words, len(words))
            yield SingleRun(ordered, worst([seen, command.scope]), own, one.folder, plain)


def _plain(words: Sequence[ShellWord], behind: int) -> tuple[str, ...]:
    """The last `behind` words, where what stands before them only finds the tool: `python -m`, `uv run`."""
    texts = [word.text for word in words]
    before, own = texts[: len(texts) - behind], texts[len(texts) - behind :]
    if not all(word.known for word in words) or " ".join(before) not in _FINDING or not own:
        return ()
    tool = name(ShellWord(own[0]))
    return tuple(own[2:]) if _PYTHON.fullmatch(tool) and own[1:2] == ["-m"] and own[2:] else (tool, *own[1:])


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


def _checked(words: Sequence[ShellWord], *, scripts: bool = False) -> runners.Found:
    """The kinds of a simple command, and what it looks at."""
    if not words:
        return runners.NOTHING
    tool, rest = name(words[0]), words[1:]
    if _PYTHON.fullmatch(tool) or tool in _VALUED or (not tool and [word.text for word in rest[:1]] == ["-m"]):
        return _interpreted(tool, rest)
    if tool == "manage.py":
        return ({"test"}, scope(_DJANGO, rest[1:])) if rest and rest[0].text == "test" else runners.NOTHING
    key, end = known_head(words, TOOLS) if tool in NAMES else ("", 0)
    if key:
        between = [word for word in words[1:end] if word.text not in key.split()[1:] and word.text[:1] != "+"]
        builds = TOOLS[key].builds.split()
        kinds = {*TOOLS[key].kinds.split(), *(["build"] if any(word.text in builds for word in rest) else [])}
        return kinds, scope(TOOLS[key], [*between, *words[end:]])
    if tool in runners.RUNNERS:
        return runners.RUNNERS[tool](tool, rest)
    if tool in runners.SCRIPTS:
        found, instead = runners.scripts(tool, rest)
        if not instead:
            return found
        kinds, seen = _checked(instead)
        return kinds, seen and worst([seen, found[1]])
    if scripts or words[0].text.startswith(tuple(f"{shell} " for shell in _SHELLS)):
        called = words[0].text
        kind, seen = next(filter(all, map(of_goal, (called.rpartition(":")[2], called))), ("", ""))
        behind = scope(SCRIPT, rest)
        return ({kind} if kind else set()), behind and worst([seen, behind])
    script = rest[0] if tool in _SHELLS and rest else words[0]
    return ({of_goal(name(script))[0]} - {""}, "unknown") if _SCRIPT.fullmatch(script.text) else runners.NOTHING


def _interpreted(tool: str, words: Sequence[ShellWord]) -> runners.Found:
    """What an interpreter runs: `python -m pytest`, `php vendor/bin/phpunit`, `node --test`."""
    place, python = 0, tool not in _VALUED
    while place < len(words) and words[place].text[:1] == "-":
        text = words[place].text
        if tool == "node" and text == "--test":
            return {"test"}, scope(TOOLS["node --test"], [*words[:place], *words[place + 1 :]])
        if python and text == "-c":
            return runners.NOTHING
        if python and (text[:2] == "-m" or re.fullmatch(r"-[A-Za-z]+m", text)):
            module = [ShellWord(text[2:])] if text[:2] == "-m" and text[2:] else []
            return _module([*module, *words[place + 1 :]])
        place += 2 if text in _VALUED.get(tool, ("-W", "-X")) else 1
    words = words[place:]
    script = name(words[0]) if words else ""
    if python and script == "setup.py":
        return {_SETUP[word.text] for word in words[1:] if word.text in _SETUP}, "whole"
    runs = (*_RUN_BY_PYTHON, "manage.py") if python else NAMES
    return _checked(words) if script in runs else runners.NOTHING


def _module(words: Sequence[ShellWord]) -> runners.Found:
    module = words[0].text if words else ""
    if module == "coverage":
        return _checked(unwrapped(tuple(words)).words)
    if module in ("build", "django"):
        return _checked([ShellWord("pyproject-build" if module == "build" else "manage.py"), *words[1:]])
    return _checked(words) if words and name(words[0]) in {*NAMES, *runners.RUNNERS} else runners.NOTHING
