"""What a command line names: the files of a hook or of a linter that finds none, the folders to leave out."""

import os
import posixpath
from collections.abc import Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checks.plan.planning import files_of
from untilgreen.checks.run import processes
from untilgreen.core.model.check import Check
from untilgreen.core.model.outcome import Setting
from untilgreen.project.tree.layout import below_any

# options of linters that take a path or a pattern
_VALUED = (
    "-c -x --config --configfile --config-path --append-config --rcfile --settings-path --project --tsconfig "
    "--ignore-path --ignore-pattern --ignore --exclude --extend-exclude --per-file-ignores"
)
_SECONDS = 5.0  # for the patterns of a hook
_PASSED_OVER = ("__pycache__", "node_modules", "site-packages", ".git", ".untilgreen")  # by every tool


def listed(root: str, check: Check, planned: Sequence[Check], files: Sequence[str]) -> tuple[str, ...]:
    """The files to name: those that pre-commit gives to a hook, or those that the checker is for."""
    if check.given is None:
        return files_of(check, planned, files)
    from untilgreen.checkers import time_limit
    from untilgreen.project.tree import file_tags

    with suppress(time_limit.TooLong), time_limit.within(_SECONDS, "the patterns of a hook took too long"):
        return file_tags.fitting(root, files, check.given)
    return files_of(check, planned, files)


def walked(check: Check, ignored: Sequence[str]) -> tuple[str, ...]:
    """Those folders, relative to the check's root, into which a tool may go."""
    inside = (path.rstrip("/") for path in ignored if path.endswith("/") and below_any(path, (check.root,)))
    named = (path if check.root == "." else path.removeprefix(f"{check.root}/") for path in inside)
    return tuple(one for one in named if posixpath.basename(one) not in _PASSED_OVER and "," not in one)


def with_files(check: Check, setting: Setting, files: tuple[str, ...]) -> Setting:
    """The setting with these files named, as the checker takes them."""
    if check.given is None or not files:
        return setting._replace(listed=files)
    files = tuple(f"./{path}" if path.startswith("-") else path for path in files)
    if checkers.get(check.checker).files.by_file:
        return setting._replace(files=files)
    return setting._replace(call=(*setting.call, *files))


def bounded(files: Sequence[str]) -> list[tuple[str, ...]]:
    """The files in parts that each fit on a command line; one empty part where there are none."""
    parts: list[list[str]] = [[]]
    room = processes.COMMAND
    for path in files:
        room -= len(os.fsencode(path)) + 1
        if room < 0 and parts[-1]:
            parts.append([])
            room = processes.COMMAND
        parts[-1].append(path)
    return [tuple(part) for part in parts]


def scoped(call: Sequence[str], root: str) -> tuple[str, ...]:
    """A call without the files, folders and patterns that it names: others are looked at."""

    def names(word: str) -> bool:
        return not word.startswith("-") and ("*" in word or os.path.exists(os.path.join(root, word)))

    pairs = zip(("", *call), call, strict=False)
    return tuple(word for before, word in pairs if before in _VALUED.split() or not names(word))
