"""What Copilot CLI's settings and files make of our hooks. Looks, and changes nothing. Learned from 1.0.102."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable
from untilgreen.hosts.copilot import wire
from untilgreen.hosts.copilot.facts import FACTS
from untilgreen.hosts.copilot.settings import SETTINGS, first
from untilgreen.hosts.hook_groups import hooks_of
from untilgreen.hosts.host import Registered, Source
from untilgreen.hosts.reading import table_in
from untilgreen.project import files, toplevel

SWITCHES, HOOKS = "switches", "hooks"
_USUAL = 30.0  # the host's own seconds
_LARGEST = 4 * 1024 * 1024  # bytes of a file of the host's
_IN_PROJECT = ("local", "repository", "shared")


class _CopilotHealth:
    NEEDED = ("Stop", "UserPromptSubmit")

    def plugins(self, _found: Sequence[Source], _env: Mapping[str, str]) -> Iterator[Source]:
        yield from ()

    def words(self, one: Registered, root: str) -> tuple[str, ...]:
        program, args = one.entry.get("exec"), one.entry.get("args")
        if not isinstance(program, str):
            return ()
        given = (program, *(map(str, args) if isinstance(args, list) else ()))
        return tuple(os.path.join(root, word[2:]) if word.startswith("./") else word for word in given)

    def line(self, entry: Mapping[str, Any]) -> str:
        args = entry.get("args")
        head = first(entry) or entry.get("url") or entry.get("type")
        return " ".join(map(str, (head, *(args if isinstance(args, list) else ()))))

    def faults(self, one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
        if one.entry.get("type", "command") != "command":
            yield Finding(HOOKS, BROKEN, 'its "type" is not "command"')
        if usual.matcher and one.matcher:
            deaf = [tool for tool in usual.matcher.split("|") if not _fits(one.matcher, tool)]
            if deaf:
                what = f'its matcher "{one.matcher}" leaves out {", ".join(deaf)}'
                yield Finding(HOOKS, WARNING, what)
        given = one.entry.get("timeoutSec", one.entry.get("timeout", _USUAL))
        named = re.search(r"--deadline[ =](\d+(?:\.\d+)?)", self.line(one.entry))
        limit = (float(named[1]) if named else deadline) if one.event == "Stop" else 0.0
        if isinstance(given, bool) or not isinstance(given, int | float) or given <= 0:
            yield Finding(HOOKS, WARNING, f"its timeout {given!r} is no number of seconds")
        elif given <= limit:
            what = f"its timeout of {given:g} s is not above the deadline, {limit:g} s: checks are cut off, unjudged"
            yield Finding(HOOKS, BROKEN, what, lower if limit >= usual.entry["timeoutSec"] else "")

    def status_line(self, _theirs: Mapping[str, Any]) -> str:
        return ""

    def variable(self, _found: Sequence[Source], _name: str) -> tuple[str, Source] | None:
        return None

    def silenced(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        for one in found:
            if one.settings.get("disableAllHooks") is True:
                path = shown(one.scope.path)
                what = f'"disableAllHooks" is true in {path}: the host runs no hook'
                yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
        ours = [one for one in found if SETTINGS.registered(one.scope, one.settings)]
        if any(one.scope.name in _IN_PROJECT for one in ours) and not trusted(root, env):
            what = f"{readable(root)} is no trusted folder: its hooks run in no session that is not asked to trust it"
            cure = f"in a terminal: start copilot in {readable(root)} and trust it, or give `copilot -p` --trust-folder"
            yield Finding(SWITCHES, WARNING, what, cure)
        for one in found:
            groups = table_in(one.settings, "hooks").get("Stop")
            entries = [entry for group in (groups if isinstance(groups, list) else ()) for entry in hooks_of(group)]
            for entry in entries:
                if isinstance(entry, dict) and not SETTINGS.hook_of(entry):
                    path = shown(one.scope.path)
                    what = f"another hook on Stop may hold the agent, too ({path}): {self.line(entry)}"
                    cure = f"edit {path}: take it out of hooks.Stop, if it holds when untilgreen lets go"
                    yield Finding(SWITCHES, NOTE, what, cure)

    def cap(self, _found: Sequence[Source], _env: Mapping[str, str], rounds: int) -> Finding:
        what = f"after {FACTS.block_cap} holds in a turn, with or without calls of tools, the host lets the agent go"
        if rounds - 1 > FACTS.block_cap:
            return Finding(
                SWITCHES, NOTE, f"{what}; a loop has {rounds} rounds", 'say "go on" there, and the loop does'
            )
        return Finding(SWITCHES, OK, what)


def trusted(root: str, env: Mapping[str, str]) -> bool:
    """Whether the host was told to trust this folder, or one above it."""
    if env.get("COPILOT_ALLOW_ALL") == "true":
        return True
    told = (_loaded(os.path.join(wire.folder(env), name)) for name in ("config.json", "settings.json"))
    lists = (one.get("trustedFolders") for one in told)
    folders = [one for some in lists if isinstance(some, list) for one in some if isinstance(one, str)]
    return any(toplevel.within(os.path.realpath(one), os.path.realpath(root)) for one in folders)


def _loaded(path: str) -> dict[str, Any]:
    """The object in a file of the host's, an empty one where there is none; lines of `//` above it are comments."""
    try:
        lines = files.read(path, _LARGEST, follow=True).decode(errors="replace").splitlines()
        return table_in({"": json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))}, "")
    except (OSError, ValueError, RecursionError):
        return {}


def _fits(matcher: str, tool: str) -> bool:
    """As the host does: a regular expression for the whole name."""
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return False


HEALTH = _CopilotHealth()
