"""Which registered command lines the doctor may start: what is plainly a hook of ours, and no stranger's choice."""

import os
import sys
from collections.abc import Sequence

from untilgreen.cli.doctor import command_lines
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.command_lines import Command
from untilgreen.cli.installing import forms, registration
from untilgreen.project import toplevel

DOUBT = "it is not plainly a hook of untilgreen"
UNTRUSTED = "the project is not trusted"
_HIS_OWN = ("user", "managed")  # settings that no repository brings along


def why_not(case: Case, command: Command, words: Sequence[str], program: str) -> str:
    """Why a command line is not started, "" when it may be. `words` as `command_lines.words` has them; `program` is
    the absolute path of what would be started, "" where there is none."""
    if not words or (program and command_lines.is_script(words) and not _is_ours(program)):
        return DOUBT
    if case.trusted or (not command.shell and _as_init_writes(words, program)):
        return ""
    paths = [program, *(word for word in words if os.sep in word)]
    if command.scope in _HIS_OWN and not command.shell and (case.refused or not _any_in(case.root, paths)):
        return ""
    return UNTRUSTED


def _is_ours(program: str) -> bool:
    """Is this a console script of untilgreen, or one of the package's own? Both name it in their first lines."""
    if not os.path.isfile(program):
        return False
    try:
        with open(program, "rb") as file:
            return b"untilgreen" in file.read(4096)
    except OSError:
        return False


def _as_init_writes(words: Sequence[str], program: str) -> bool:
    """Whether `init` of this installation would write the same words, but for the deadline."""
    plain = words[:-2] if words[-2:-1] == ("--deadline",) else words
    if any(list(plain[1:]) == args for _, args in map(forms.own(), registration.NAMES)):
        # a virtual environment has several names for its interpreter
        return os.path.dirname(words[0]) == os.path.dirname(sys.executable) and forms.same(words[0], sys.executable)
    if tuple(plain) not in {(command, *args) for command, args in map(registration.scripts(""), registration.NAMES)}:
        return False
    beside = os.path.join(os.path.dirname(sys.executable), words[0])
    return program != "" and forms.same(program, beside)


def _any_in(root: str, paths: Sequence[str]) -> bool:
    """Whether a path lies in the project, or leads into it: a link in it leads where the project wants."""
    full = [os.path.join(root, path) for path in paths if path]
    below = root.rstrip(os.sep) + os.sep
    return any(os.path.normpath(path).startswith(below) or toplevel.within(root, path) for path in full)
