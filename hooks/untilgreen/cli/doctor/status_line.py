"""Our line in the host's status line: can it still run?"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Sequence

from untilgreen.cli import statusline
from untilgreen.cli.doctor import registrations, settings
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import OK, WARNING, Finding
from untilgreen.cli.doctor.settings import Source
from untilgreen.cli.installing import forms

SUBJECT = "status line"


def findings(case: Case, found: Sequence[Source], places: Sequence[str]) -> tuple[Finding, ...]:
    """Of the status line that the host shows, where it is ours. `places`: the scopes in which hooks are registered."""
    decided = settings.value(found, "statusLine")
    if decided is None or not statusline.is_ours(decided[0]):
        return ()
    value, source = decided
    words = shlex.split(value["command"])
    gone = _gone(case, words)
    where = case.shown(source.scope.path)
    if not gone:
        return (Finding(SUBJECT, OK, f"it shows the loop ({where})"),)
    return (Finding(SUBJECT, WARNING, f"it cannot run: {gone} is gone ({where})", _again(case, words, source, places)),)


def _gone(case: Case, words: Sequence[str]) -> str:
    """The program, or the file of ours that it runs, where that is not there."""
    if not shutil.which(words[0], path=case.env.get("PATH", os.defpath)):
        return words[0]
    return next((word for word in words[2:3] if words[1] == "-I" and not os.path.exists(word)), "")


def _again(case: Case, words: Sequence[str], source: Source, places: Sequence[str]) -> str:
    """`init` where it takes this file: not the shared one, and none beside a registration in another."""
    scope = source.scope.name
    if scope == "managed":
        return registrations.again(case, scope)
    if scope in ("local", "user") and not set(places) - {scope}:
        return registrations.again(case, scope, "--statusline")
    kept = words[3:] if words[1] == "-I" else words[2:]
    line = shlex.join((sys.executable, "-I", os.path.join(forms.PACKAGE, "statusline.py"), *kept))
    return f'edit {case.shown(source.scope.path)}: in statusLine, "command": {json.dumps(line)}'
