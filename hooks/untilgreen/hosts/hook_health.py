"""What a host's settings of the form in `hook_groups.py` make of our hooks. Looks, and changes nothing."""

import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, NOTE, WARNING, Finding
from untilgreen.core.record import Any
from untilgreen.hosts.hook_groups import HookGroups, hooks_of, words_of
from untilgreen.hosts.host import Registered, Source
from untilgreen.hosts.reading import table_in
from untilgreen.project import files

SWITCHES, HOOKS = "switches", "hooks"
_DEADLINE = re.compile(r"--deadline[ =](\d+(?:\.\d+)?)")
LARGEST = 4 * 1024 * 1024  # bytes of a file of the host's


class HookHealth:
    """A host says which settings these are, and what silences hooks there."""

    NEEDED: tuple[str, ...] = ("Stop", "UserPromptSubmit")
    SETTINGS: HookGroups
    #: the seconds of a hook whose entry names none
    USUAL = 60
    #: the word by which an entry may say that it is no command
    TYPE = "command"

    def silences(
        self, _found: Sequence[Source], _root: str, _env: Mapping[str, str], _shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """What keeps the host from running our hooks."""
        yield from ()

    def plugins(self, _found: Sequence[Source], _env: Mapping[str, str]) -> Iterator[Source]:
        yield from ()

    def words(self, one: Registered, _root: str) -> tuple[str, ...]:
        return words_of(one.entry)

    def line(self, entry: Mapping[str, Any]) -> str:
        args = entry.get("args")
        first = entry.get("command") or entry.get("url") or entry.get("type")
        return " ".join(map(str, (first, *(args if isinstance(args, list) else ()))))

    def status_line(self, _theirs: Mapping[str, Any]) -> str:
        return ""

    def variable(self, _found: Sequence[Source], _name: str) -> tuple[str, Source] | None:
        return None

    def faults(self, one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
        """`deadline`: of a stop in seconds, `lower`: how to lower it."""
        if one.entry.get("type", self.TYPE) != self.TYPE:
            yield Finding(HOOKS, BROKEN, f'its "type" is not "{self.TYPE}"')
        if one.entry.get("async") is True:
            yield Finding(HOOKS, BROKEN, '"async" is true: the host does not wait for its answer')
        if usual.matcher != one.matcher:
            yield Finding(HOOKS, WARNING, f'its matcher is "{one.matcher}", not "{usual.matcher}"')
        named = _DEADLINE.search(" ".join(self.words(one, "")) or self.line(one.entry))
        least = float(named[1]) if named else deadline
        given = self.SETTINGS.seconds_of(one.entry) or self.USUAL
        if one.event == self.NEEDED[0] and given <= least:
            what = f"its timeout of {given:g} s is not above the deadline, {least:g} s: checks are cut off, unjudged"
            yield Finding(HOOKS, BROKEN, what, lower if least >= self.SETTINGS.seconds_of(usual.entry) else "")

    def silenced(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        yield from self.silences(found, root, env, shown)
        for one in found:
            yield from self._others(one, shown)

    def cap(self, _found: Sequence[Source], _env: Mapping[str, str], _rounds: int) -> Finding | None:
        return None

    def ours(self, found: Sequence[Source]) -> list[Source]:
        """The settings in which an entry of ours stands."""
        return [one for one in found if self.SETTINGS.registered(one.scope, one.settings)]

    def _others(self, source: Source, shown: Callable[[str], str]) -> Iterator[Finding]:
        """Hooks of others that may hold the agent, too."""
        stop = self.NEEDED[0]
        groups = table_in(source.settings, "hooks").get(stop)
        for entry in (one for group in (groups if isinstance(groups, list) else ()) for one in hooks_of(group)):
            if isinstance(entry, dict) and not self.SETTINGS.hook_of(entry):
                path = shown(source.scope.path)
                what = f"another hook on {stop} may hold the agent, too ({path}): {self.line(entry)}"
                cure = f"edit {path}: take it out of hooks.{stop}, if it holds when untilgreen lets go"
                yield Finding(SWITCHES, NOTE, what, cure)


def loaded(path: str) -> dict[str, Any]:
    """The object in a JSON file of the host's, an empty one where there is none; lines of `//` in it are comments."""
    try:
        lines = files.read(path, LARGEST, follow=True).decode(errors="replace").splitlines()
        return table_in({"": json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))}, "")
    except (OSError, ValueError, RecursionError):
        return {}


def trusts(rules: Mapping[str, Any], root: str) -> bool:
    """Whether these rules trust a folder: path to `TRUST_FOLDER`, `TRUST_PARENT` (the folder above it) or
    `DO_NOT_TRUST`, for what lies below, too; the longest that fits decides (Gemini CLI 0.61.0, Qwen Code 0.24.4)."""
    here, best = os.path.realpath(root), ("", "")
    for path, word in rules.items():
        top = os.path.realpath(os.path.dirname(path) if word == "TRUST_PARENT" else path)
        if (here == top or here.startswith(f"{top.rstrip(os.sep)}{os.sep}")) and len(path) > len(best[0]):
            best = path, str(word)
    return best[1] in ("TRUST_FOLDER", "TRUST_PARENT")
