"""What switches the hooks off, in whole or in part, and the host's own limits on holding."""

import json
import os
from collections.abc import Iterator

from untilgreen.cli.doctor import sources
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, WARNING, Finding, readable, run
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


def examine(case: Case) -> Iterator[Finding]:
    """What is switched off, and by what."""
    found = [*_of_the_host(case), *_variables(case), *_files(case), *_dialog(case), *_others(case)]
    if not any(one.level == BROKEN for one in found):
        yield Finding(SUBJECT, OK, "nothing switches the hooks off")
    yield from found
    yield _cap(case)


def _of_the_host(case: Case) -> Iterator[Finding]:
    decided = sources.value(case.sources, "disableAllHooks")
    if decided and decided[0] is True and case.scopes != ("managed",):
        path = case.shown(decided[1].scope.path)
        what = f'"disableAllHooks" is true in {path}: the host runs no hook'
        yield Finding(SUBJECT, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
    managed = [one for one in case.sources if one.scope.name == "managed"]
    if "managed" not in case.scopes and any(one.settings.get("allowManagedHooksOnly") for one in managed):
        what = f'"allowManagedHooksOnly" in {managed[0].scope.path}: the host runs no other hooks'
        cure = "ask whoever keeps the managed settings to add the hooks, or to allow others"
        yield Finding(SUBJECT, BROKEN, what, cure)
    permissions = (one.settings.get("permissions") for one in case.sources)
    modes = (one["defaultMode"] for one in permissions if isinstance(one, dict) and "defaultMode" in one)
    if next(modes, "") == "plan":
        what = "sessions begin in plan mode (permissions.defaultMode), in which stops are not judged"
        yield Finding(SUBJECT, NOTE, what, "in a session: leave plan mode with Shift+Tab when the work begins")


def _variables(case: Case) -> Iterator[Finding]:
    for name, (what, level) in _VARIABLES.items():
        if case.env.get(name) == "1":
            text = f"{name}=1 in this environment switches {what} off in sessions that are started from it"
            yield Finding(SUBJECT, level, text, f"run: unset {name}")
        put = sources.variable(case.sources, name)
        if put and put[0] == "1":
            path = case.shown(put[1].scope.path)
            text = f"{name} is 1 in env of {path}: {what} off"
            yield Finding(SUBJECT, level, text, f"edit {path}: take env.{name} out")


def _files(case: Case) -> Iterator[Finding]:
    sessions = os.path.join(case.base, "sessions")
    names = sorted(os.listdir(sessions)) if os.path.isdir(sessions) else []
    whose = {
        os.path.join(trust.folder(case.env), "off"): ("this user", BROKEN),
        os.path.join(case.base, "off"): ("this project", BROKEN),
        **{os.path.join(sessions, name, "off"): ("a session", NOTE) for name in names},
    }
    for path, (who, level) in whose.items():
        if os.path.exists(path):
            what = f"an off file switches the hooks off for {who}: {case.shown(path)}"
            yield Finding(SUBJECT, level, what, run("rm", path))


def _dialog(case: Case) -> Iterator[Finding]:
    noted = os.path.join(case.env.get("CLAUDE_CONFIG_DIR") or case.env.get("HOME", ""), ".claude.json")
    if _accepted(noted, case.root) is False:
        what = "the host's own question, whether this folder is trusted, is not answered: until then no hook runs in a"
        cure = f"in a terminal: start claude in {readable(case.root)} and accept"
        yield Finding(SUBJECT, WARNING, f"{what} session at a terminal ({case.shown(noted)})", cure)


def _accepted(path: str, root: str) -> bool | None:
    """Whether the host's dialog was accepted for the project; None where the host noted nothing yet.

    A folder above counts only for what is no git repository (learned from Claude Code 2.1.330; 2.1.150 took any).
    """
    try:
        with open(path, encoding="utf-8") as file:
            projects = json.load(file).get("projects", {})
        accepted = {name for name, one in projects.items() if one.get("hasTrustDialogAccepted") is True}
    except (OSError, ValueError, AttributeError):
        return None
    if os.path.lexists(os.path.join(root, ".git")):
        return not accepted.isdisjoint((root, toplevel.main_tree(root)))
    return any(toplevel.within(name, root) for name in accepted)


def _others(case: Case) -> Iterator[Finding]:
    for line, source in sources.foreign(case.sources, "Stop"):
        path = case.shown(source.scope.path)
        what = f"another hook on Stop may hold the agent, too ({path}): {line}"
        cure = f"edit {path}: take it out of hooks.Stop, if it holds when untilgreen lets go"
        yield Finding(SUBJECT, NOTE, what, cure)
    for name in sources.enabled_plugins(case.sources):
        if name.startswith(_HOLDERS):
            what = f"the plugin {name} holds the agent at a stop, too"
            yield Finding(SUBJECT, WARNING, what, run("claude", "plugin", "disable", name))


def _cap(case: Case) -> Finding:
    put = sources.variable(case.sources, CAP)
    text = case.env.get(CAP) or (put[0] if put else str(_CAP))
    rounds = case.settings.max_iterations
    higher = f'edit .claude/settings.local.json, if that is too few: "env": {{"{CAP}": "{rounds - 1}"}}'
    if not text.isdecimal():
        return Finding(SUBJECT, WARNING, f"{CAP} is {text!r}, which is no number", higher)
    cap = int(text)
    if not cap:
        return Finding(SUBJECT, OK, f"{CAP} is 0: the host lets hooks hold as often as they like")
    what = f"after {cap} holds in a row without a tool call between them the host lets the agent go, whatever hooks say"
    if rounds - 1 > cap:
        return Finding(SUBJECT, NOTE, f"{what}; a loop has {rounds} rounds", higher)
    return Finding(SUBJECT, OK, what)
