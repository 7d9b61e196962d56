"""The host itself: is it there, and what can this version do?"""

import os
from typing import NamedTuple

from untilgreen.cli.doctor import cures, processes
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import NOTE, OK, WARNING, Finding
from untilgreen.cli.doctor.processes import Asked
from untilgreen.project import tools

SUBJECT = "host"
_OLDEST = (2, 1, 150)  # the oldest that the whole was tried with
_PROMPT_ID = (2, 1, 196)
_CONTEXT = (2, 1, 214)
_USUAL = ("~/.local/bin", "~/.claude/local", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
_UPDATE = "run: claude update"


class Host(NamedTuple):
    """`path` of the executable, "" where none was found; `on_path`: a shell finds it by its name; `answer` to
    --version; `hold_style` as configured, `cure`: how to have the other one."""

    path: str
    on_path: bool
    answer: Asked | None
    hold_style: str
    cure: str


def place(case: Case) -> tuple[str, bool]:
    """Where Claude Code is, and whether that is on PATH; what lies in the project is not asked."""
    found = tools.on_path("claude", case.root, case.env, trusted=False)
    if found:
        return found, True
    home = case.env.get("HOME", "")
    for folder in _USUAL:
        path = os.path.join(folder.replace("~", home, 1), "claude")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path, False
    return "", False


def findings(host: Host) -> tuple[Finding, ...]:
    """What there is to say about the host and its version."""
    if host.path and host.answer is None:  # only looked at
        return (Finding(SUBJECT, OK, host.path),)
    if not host.path or host.answer is None:
        cure = (
            "install Claude Code, or put the folder of `claude` on PATH (an editor's or desktop's own copy needs none)"
        )
        return (Finding(SUBJECT, WARNING, "claude is neither on PATH nor in its usual places", cure),)
    version = processes.version(host.answer)
    if not version:
        why = f"{host.path} --version: {host.answer.last_words}"
        cure = f"if it fails in your shell, too, install it again; {cures.run(host.path, '--version')}"
        return (Finding(SUBJECT, WARNING, why, cure),)
    number = processes.numbers(version)
    found = [Finding(SUBJECT, OK, f"Claude Code {version} ({host.path})")]
    if not host.on_path:
        cure = f'edit your shell\'s profile: export PATH={cures.word(os.path.dirname(host.path))}:"$PATH"'
        found.append(Finding(SUBJECT, NOTE, f"claude is not on PATH, but in {os.path.dirname(host.path)}", cure))
    if number < _OLDEST:
        what = f"{version} is older than 2.1.150, the oldest version that untilgreen was tried with"
        found.append(Finding(SUBJECT, WARNING, what, _UPDATE))
    elif number < _PROMPT_ID:
        what = "before 2.1.196 prompts have no id: who spoke last goes by the count of prompts"
        found.append(Finding(SUBJECT, NOTE, what, _UPDATE))
    return (*found, *_style(host.hold_style, number, host.cure))


def _style(style: str, number: tuple[int, ...], cure: str) -> tuple[Finding, ...]:
    if style == "context" and number < _CONTEXT:
        what = 'hold_style = "context" needs 2.1.214; until then holds go by exit code'
        return (Finding(SUBJECT, WARNING, what, _UPDATE),)
    if style == "exit" and number >= _CONTEXT:
        what = 'the host calls each hold a "Stop hook error"; it is none, and with another hold_style it does not'
        return (Finding(SUBJECT, NOTE, what, cure),)
    return ()
