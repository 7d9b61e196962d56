"""What Copilot CLI's settings and files make of our hooks. Learned from 1.0.102."""

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from untilgreen.core.findings import BROKEN, WARNING, Finding, readable
from untilgreen.hosts.copilot import wire
from untilgreen.hosts.copilot.settings import SETTINGS, first
from untilgreen.hosts.hook_health import HOOKS, SWITCHES, HookHealth, loaded
from untilgreen.hosts.host import Registered, Source
from untilgreen.project import toplevel

_IN_PROJECT = ("local", "repository", "shared")


class _CopilotHealth(HookHealth):
    SETTINGS = SETTINGS
    USUAL = 30

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
        """A matcher is a regular expression there: it may say the same in other words."""
        deaf = [tool for tool in usual.matcher.split("|") if tool and one.matcher and not _fits(one.matcher, tool)]
        if deaf:
            yield Finding(HOOKS, WARNING, f'its matcher "{one.matcher}" leaves out {", ".join(deaf)}')
        yield from super().faults(one, usual._replace(matcher=one.matcher), deadline, lower)

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        for one in found:
            if one.settings.get("disableAllHooks") is True:
                path = shown(one.scope.path)
                what = f'"disableAllHooks" is true in {path}: the host runs no hook'
                yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
        if any(one.scope.name in _IN_PROJECT for one in self.ours(found)) and not trusted(root, env):
            what = f"{readable(root)} is no trusted folder: its hooks run in no session that is not asked to trust it"
            cure = f"in a terminal: start copilot in {readable(root)} and trust it, or give `copilot -p` --trust-folder"
            yield Finding(SWITCHES, WARNING, what, cure)


def trusted(root: str, env: Mapping[str, str]) -> bool:
    """Whether the host was told to trust this folder, or one above it."""
    if env.get("COPILOT_ALLOW_ALL") == "true":
        return True
    told = (loaded(os.path.join(wire.folder(env), name)) for name in ("config.json", "settings.json"))
    lists = (one.get("trustedFolders") for one in told)
    folders = [one for some in lists if isinstance(some, list) for one in some if isinstance(one, str)]
    return any(toplevel.within(os.path.realpath(one), os.path.realpath(root)) for one in folders)


def _fits(matcher: str, tool: str) -> bool:
    """As the host does: a regular expression for the whole name."""
    try:
        return re.fullmatch(matcher, tool) is not None
    except re.error:
        return False


HEALTH = _CopilotHealth()
