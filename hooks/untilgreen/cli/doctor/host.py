"""untilgreen itself, and the host: is it there, and what can this version do?"""

import os
import sys
from collections.abc import Iterator

from untilgreen.cli import options
from untilgreen.cli.doctor import processes
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding, run, word
from untilgreen.project import tools

ITSELF, HOST = "untilgreen", "host"
_OLDEST = (2, 1, 150)  # the oldest that the whole was tried with
_PROMPT_ID = (2, 1, 196)
_CONTEXT = (2, 1, 214)
_USUAL = ("~/.local/bin", "~/.claude/local", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
_UPDATE = "run: claude update"


def itself(case: Case) -> Iterator[Finding]:
    """What this command runs on, and whether a shell finds it."""
    python = ".".join(map(str, sys.version_info[:3]))
    yield Finding(ITSELF, OK, f"{options.version()} on Python {python}, {sys.platform} ({sys.executable})")
    if os.name != "posix":
        cure = "run the host in WSL, and install untilgreen there"
        yield Finding(ITSELF, BROKEN, "stops are not judged on this system: the hooks let go", cure)
    if not tools.on_path("untilgreen", case.root, case.env, trusted=True):
        folder = os.path.dirname(sys.argv[0]) or os.path.dirname(sys.executable)
        yield Finding(ITSELF, NOTE, "its commands are not on PATH; the hooks do not need that", _profile(folder))


def _profile(folder: str) -> str:
    return f'edit your shell\'s profile: export PATH={word(folder)}:"$PATH"'


def examine(case: Case) -> Iterator[Finding]:
    """What there is to say about the host and its version."""
    on_path = tools.on_path("claude", case.root, case.env, trusted=False)
    path = on_path or _usual(case)
    if not path:
        cure = (
            "install Claude Code, or put the folder of `claude` on PATH (an editor's or desktop's own copy needs none)"
        )
        yield Finding(HOST, WARNING, "claude is neither on PATH nor in its usual places", cure)
        return
    if not case.wish.run:
        yield Finding(HOST, OK, path)
        return
    answer = processes.ask({"host": (path, "--version")}, processes.surroundings(case.env, case.root), case.root)
    version = processes.version(answer["host"])
    if not version:
        cure = f"if it fails in your shell, too, install it again; {run(path, '--version')}"
        yield Finding(HOST, WARNING, f"{path} --version: {answer['host'].last_words}", cure)
        return
    yield Finding(HOST, OK, f"Claude Code {version} ({path})")
    if not on_path:
        folder = os.path.dirname(path)
        yield Finding(HOST, NOTE, f"claude is not on PATH, but in {folder}", _profile(folder))
    yield from _version(case, version)


def _usual(case: Case) -> str:
    """Where the host's installers put it, "" where it is not; what lies in the project is not asked."""
    home = case.env.get("HOME", "")
    paths = (os.path.join(folder.replace("~", home, 1), "claude") for folder in _USUAL)
    return next((path for path in paths if os.path.isfile(path) and os.access(path, os.X_OK)), "")


def _version(case: Case, version: str) -> Iterator[Finding]:
    number, style = processes.numbers(version), case.settings.hold_style
    if number < _OLDEST:
        what = f"{version} is older than 2.1.150, the oldest version that untilgreen was tried with"
        yield Finding(HOST, WARNING, what, _UPDATE)
    elif number < _PROMPT_ID:
        what = "before 2.1.196 prompts have no id: who spoke last goes by the count of prompts"
        yield Finding(HOST, NOTE, what, _UPDATE)
    if style == "context" and number < _CONTEXT:
        what = 'hold_style = "context" needs 2.1.214; until then holds go by exit code'
        yield Finding(HOST, WARNING, what, _UPDATE)
    if style == "exit" and number >= _CONTEXT:
        what = 'the host calls each hold a "Stop hook error"; it is none, and with another hold_style it does not'
        yield Finding(HOST, NOTE, what, case.key('hold_style = "context"'))
