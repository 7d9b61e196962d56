"""The registered command lines, and whether they are calls of our hooks beyond doubt: they are about to be started."""

import os
import re
import shlex
from collections.abc import Sequence
from itertools import takewhile
from typing import NamedTuple

from untilgreen.cli.doctor.case import Case
from untilgreen.cli.installing import registration
from untilgreen.cli.installing.scopes import Registered

_INTERPRETER = re.compile(r"(?:python|pypy)[\w.-]*")
_OPTIONS = ("-I", "-E", "-s", "-S", "-B", "-P", "-u", "-O")
_SWITCHES = ("--host", "--deadline", "--project")
_FILES: dict[str, Sequence[str]] = {
    "untilgreen": [f"{name.replace('-', '_')}.py" for name in registration.NAMES],
    "hooks": registration.NAMES,
}
_MODULES = [f"untilgreen.{name.replace('-', '_')}" for name in registration.NAMES]
# what a shell takes as it stands: nothing that it would expand, and no operator
_WORD = r"""(?:[\w@%+=:,./-]|'[^'\n]*'|"[^"$`\\\n]*")+"""
_SIMPLE = re.compile(rf"[ \t]*{_WORD}(?:[ \t]+{_WORD})*[ \t]*")


class Command(NamedTuple):
    """A command line as the host starts it: without a shell, or by `sh -c`. `hook` is the executable that it means,
    `file` the settings that name it."""

    words: tuple[str, ...]
    shell: bool
    hook: str
    scope: str
    file: str = ""

    @property
    def line(self) -> str:
        """As a person would read it."""
        return self.words[2] if self.shell else shlex.join(self.words)


def commands(case: Case, entries: Sequence[Registered]) -> tuple[Command, ...]:
    """The distinct command lines that are registered."""
    found = [command(case, one) for one in entries]
    first = {(one.words, one.shell): one for one in reversed(found)}
    return tuple(one for one in found if first.get((one.words, one.shell)) is one)


def command(case: Case, one: Registered) -> Command:
    """The command line of an entry."""
    args, line = one.entry.get("args"), str(one.entry.get("command", ""))
    words = [line, *map(str, args)] if isinstance(args, list) else ["/bin/sh", "-c", line]
    placed = tuple(word.replace("${CLAUDE_PROJECT_DIR}", case.root) for word in words)
    return Command(placed, not isinstance(args, list), one.hook, one.scope.name, one.scope.path)


def words(command: Command) -> tuple[str, ...]:
    """Program and arguments of a call of our hook; empty where the line is, or may be, anything else."""
    found = command.words
    if command.shell:
        found = tuple(shlex.split(found[2])) if _SIMPLE.fullmatch(found[2]) else ()
        if not found or "=" in found[0]:  # a variable before the program
            return ()
    return found if _is_script(found) or file(found) or _is_module(found) else ()


def file(words: Sequence[str]) -> str:
    """The file of ours that an interpreter is told to run, "" where there is none; by START or, as of old, directly."""
    path, *switches = _arguments(words) or [""]
    if path == "-c" and switches[:1] == [registration.START] and "-I" in words:
        directory, name, *switches = [*switches[1:], "", ""]
        whole = os.path.isabs(directory) and name in registration.NAMES and _only_switches(switches[:-2])
        return os.path.join(directory, "untilgreen", "entry.py") if whole else ""
    ours = os.path.isabs(path) and os.path.basename(path) in _FILES.get(os.path.basename(os.path.dirname(path)), ())
    return path if ours and _only_switches(switches) else ""


def of_old(words: Sequence[str]) -> bool:
    """Whether the interpreter is given the file itself: without it, it ends with 2."""
    return file(words) != "" and _arguments(words)[0] == file(words)


def is_script(words: Sequence[str]) -> bool:
    """Whether the program itself bears the name of a hook."""
    return os.path.basename(words[0]) in registration.NAMES


def _is_script(words: Sequence[str]) -> bool:
    return is_script(words) and _only_switches(words[1:])


def _is_module(words: Sequence[str]) -> bool:
    option, *rest = _arguments(words) or [""]
    # without -I the folder in which one stands is searched first
    return option == "-m" and "-I" in words and rest[:1] != [] and rest[0] in _MODULES and _only_switches(rest[1:])


def _arguments(words: Sequence[str]) -> list[str]:
    """What follows an interpreter and its options, empty where the program is none."""
    if not _INTERPRETER.fullmatch(os.path.basename(words[0])):
        return []
    options = list(takewhile(lambda word: word in _OPTIONS, words[1:]))
    return list(words[1 + len(options) :])


def _only_switches(words: Sequence[str]) -> bool:
    left = iter(words)
    return all(word.partition("=")[0] in _SWITCHES and ("=" in word or next(left, None) is not None) for word in left)
