"""What switches the hooks off, in whole or in part, and the host's own limits on holding."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from untilgreen.cli.doctor import cures, settings
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding
from untilgreen.cli.doctor.settings import Source
from untilgreen.project import toplevel, trust

SUBJECT = "switches"
CAP = "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"
_CAP = 8  # the host's own (learned from Claude Code 2.1.330)
# variable -> what "1" switches off, and how bad that is
_VARIABLES = {
    "UNTILGREEN_DISABLE": ("every hook", BROKEN),
    "JIKIME_DISABLE_LOOP_CONTROLLER": ("every hook", BROKEN),
    "JIKIME_DISABLE_LSP_DIAGNOSTIC": ("post-tool-lsp", WARNING),
    "JIKIME_DISABLE_AST_GREP_SCAN": ("post-tool-ast-grep", WARNING),
}
_HOLDERS = ("ralph-loop@", "ralph-wiggum@", "oh-my-claudecode@")  # plugins that hold at a stop, too


class Switches(NamedTuple):
    """`off`: off files that are there; `trusted`: what the host noted of the project in its own file (None: nothing),
    `noted` is that file."""

    off: tuple[str, ...]
    trusted: bool | None
    noted: str


def look(case: Case) -> Switches:
    """The off files, and the host's own list of folders that its user trusts."""
    files = [os.path.join(trust.folder(case.env), "off"), os.path.join(case.base, "off")]
    sessions = os.path.join(case.base, "sessions")
    if os.path.isdir(sessions):
        files += [os.path.join(sessions, name, "off") for name in sorted(os.listdir(sessions))]
    folder = case.env.get("CLAUDE_CONFIG_DIR") or case.env.get("HOME", "")
    noted = os.path.join(folder, ".claude.json")
    return Switches(tuple(filter(os.path.exists, files)), _trusted(noted, case.root), noted)


def _trusted(path: str, root: str) -> bool | None:
    """Whether the host's dialog was accepted for the project; None where the host noted nothing yet.

    A folder above counts only for what is no git repository (learned from Claude Code 2.1.330; 2.1.150 took any).
    """
    try:
        with open(path, encoding="utf-8") as file:
            noted = json.load(file)
    except (OSError, ValueError):
        return None
    projects = noted.get("projects") if isinstance(noted, dict) else None
    projects = projects if isinstance(projects, dict) else {}
    folders = (root, toplevel.main_tree(root)) if os.path.lexists(os.path.join(root, ".git")) else _above(root)
    return any(_accepted(projects, folder) for folder in folders)


def _accepted(projects: Mapping[str, Any], folder: str) -> bool:
    one = projects.get(folder)
    return isinstance(one, dict) and one.get("hasTrustDialogAccepted") is True


def _above(folder: str) -> Iterator[str]:
    yield folder
    while (above := os.path.dirname(folder)) != folder:
        yield above
        folder = above


def findings(case: Case, found: Sequence[Source], seen: Switches) -> tuple[Finding, ...]:
    """What is switched off, and by what."""
    said = (
        *_of_the_host(case, found),
        *_variables(case, found),
        *_files(case, seen),
        *_dialog(case, seen),
        *_others(case, found),
    )
    off = any(one.level == BROKEN for one in said)
    return (*(() if off else (Finding(SUBJECT, OK, "nothing switches the hooks off"),)), *said, _cap(case, found))


def _of_the_host(case: Case, found: Sequence[Source]) -> Iterator[Finding]:
    ours = {one.scope.name for one in settings.registered(found)}
    decided = settings.value(found, "disableAllHooks")
    if decided and decided[0] is True and ours != {"managed"}:
        path = case.shown(decided[1].scope.path)
        what = f'"disableAllHooks" is true in {path}: the host runs no hook'
        yield Finding(SUBJECT, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
    only = next(
        (one for one in found if one.scope.name == "managed" and one.settings.get("allowManagedHooksOnly")), None
    )
    if only and "managed" not in ours:
        what = f'"allowManagedHooksOnly" in {only.scope.path}: the host runs no other hooks'
        yield Finding(
            SUBJECT, BROKEN, what, "ask whoever keeps the managed settings to add the hooks, or to allow others"
        )
    mode = next(
        (m for one in found if isinstance(m := one.settings.get("permissions"), dict) and "defaultMode" in m), {}
    )
    if mode.get("defaultMode") == "plan":
        what = "sessions begin in plan mode (permissions.defaultMode), in which stops are not judged"
        yield Finding(SUBJECT, NOTE, what, "in a session: leave plan mode with Shift+Tab when the work begins")


def _variables(case: Case, found: Sequence[Source]) -> Iterator[Finding]:
    for name, (what, level) in _VARIABLES.items():
        if case.env.get(name) == "1":
            text = f"{name}=1 in this environment switches {what} off in sessions that are started from it"
            yield Finding(SUBJECT, level, text, f"run: unset {name}")
        put = settings.variable(found, name)
        if put and put[0] == "1":
            path = case.shown(put[1].scope.path)
            yield Finding(
                SUBJECT, level, f"{name} is 1 in env of {path}: {what} off", f"edit {path}: take env.{name} out"
            )


def _files(case: Case, seen: Switches) -> Iterator[Finding]:
    for path in seen.off:
        of_a_session = os.path.dirname(os.path.dirname(path)) == os.path.join(case.base, "sessions")
        whose = "a session" if of_a_session else "this project" if path.startswith(case.base) else "this user"
        what = f"an off file switches the hooks off for {whose}: {case.shown(path)}"
        yield Finding(SUBJECT, NOTE if of_a_session else BROKEN, what, cures.run("rm", path))


def _dialog(case: Case, seen: Switches) -> Iterator[Finding]:
    if seen.trusted is False:
        what = "the host's own question, whether this folder is trusted, is not answered: until then no hook runs in a"
        cure = f"in a terminal: start claude in {cures.name(case.root)} and accept"
        yield Finding(SUBJECT, WARNING, f"{what} session at a terminal ({case.shown(seen.noted)})", cure)


def _others(case: Case, found: Sequence[Source]) -> Iterator[Finding]:
    for line, source in settings.foreign(found, "Stop"):
        path = case.shown(source.scope.path)
        what = f"another hook on Stop may hold the agent, too ({path}): {line}"
        yield Finding(
            SUBJECT, NOTE, what, f"edit {path}: take it out of hooks.Stop, if it holds when untilgreen lets go"
        )
    for name in settings.enabled_plugins(found):
        if name.startswith(_HOLDERS):
            what = f"the plugin {name} holds the agent at a stop, too"
            yield Finding(SUBJECT, WARNING, what, cures.run("claude", "plugin", "disable", name))


def _cap(case: Case, found: Sequence[Source]) -> Finding:
    put = settings.variable(found, CAP)
    text = case.env.get(CAP) or (put[0] if put else str(_CAP))
    rounds = case.settings.max_iterations
    if not text.isdecimal():
        return Finding(SUBJECT, WARNING, f"{CAP} is {text!r}, which is no number", _higher(rounds - 1))
    cap = int(text)
    if not cap:
        return Finding(SUBJECT, OK, f"{CAP} is 0: the host lets hooks hold as often as they like")
    what = f"after {cap} holds in a row without a tool call between them the host lets the agent go, whatever hooks say"
    if rounds - 1 > cap:
        return Finding(SUBJECT, NOTE, f"{what}; a loop has {rounds} rounds", _higher(rounds - 1))
    return Finding(SUBJECT, OK, what)


def _higher(number: int) -> str:
    return f'edit .claude/settings.local.json, if that is too few: "env": {{"{CAP}": "{number}"}}'
