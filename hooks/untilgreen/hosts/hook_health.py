"""What a host's settings make of our hooks, for `doctor`. Looks, and changes nothing."""

import glob
import json
import os
import re
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, NOTE, WARNING, Finding, readable
from untilgreen.core.record import Any
from untilgreen.hosts import facts
from untilgreen.hosts.host import LET_GO, PLUGIN, HookGroups, Registered, Scope, Source, args_of, hooks_of
from untilgreen.hosts.reading import table_in
from untilgreen.project import files

SWITCHES, HOOKS = "switches", "hooks"
_DEADLINE = re.compile(r"--deadline[ =](\d+(?:\.\d+)?)")
LARGEST = 4 * 1024 * 1024  # bytes of a file of the host's
ALL_OFF = "disableAllHooks"


class HookHealth(HookGroups):
    """A host's settings, and what is wrong with them. A host says what silences hooks there."""

    #: the events without whose hooks no loop works: the stop first
    NEEDED: tuple[str, ...] = ("Stop", "UserPromptSubmit")
    #: the seconds of a hook whose entry names none
    USUAL = 60
    #: the word by which an entry may say that it is no command
    TYPE = "command"
    #: a plugin of ours: its folder in the host's (a pattern), its hooks in that, and the command that takes it out
    PLUGIN: tuple[str, str, str] = ("", "", "")

    def silences(
        self, _found: Sequence[Source], _root: str, _env: Mapping[str, str], _shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """What keeps the host from running our hooks."""
        yield from ()

    def plugins(self, _found: Sequence[Source], root: str, env: Mapping[str, str]) -> Iterator[Source]:
        """What plugins of ours register that are enabled in this folder, or ("") for the user."""
        folder, name, _ = self.PLUGIN
        home = self.home(env)
        for path in sorted(glob.glob(os.path.join(glob.escape(home), folder))) if folder else ():
            if not _is_off(os.path.dirname(path), root or home):
                yield plugged(self.HOST, path, name)

    def words(self, one: Registered, _root: str) -> tuple[str, ...]:
        """What an entry starts without a shell; () where it is not known."""
        return words_of(one.entry)

    def line(self, entry: Mapping[str, Any]) -> str:
        """What an entry calls, as a person would read it."""
        first = self.started(entry) or entry.get("url") or entry.get("type")
        return " ".join((str(first), *args_of(entry)))

    def variable(self, _found: Sequence[Source], _name: str) -> tuple[str, Source] | None:
        """The value that the host's settings give to a variable, and which file does."""
        return None

    def faults(self, one: Registered, usual: Registered, deadline: float, lower: str) -> Iterator[Finding]:
        """What is wrong with an entry. `deadline`: of a stop in seconds, `lower`: how to lower it."""
        if one.entry.get("type", self.TYPE) != self.TYPE:
            yield Finding(HOOKS, BROKEN, f'its "type" is not "{self.TYPE}"')
        if one.entry.get("async") is True:
            yield Finding(HOOKS, BROKEN, '"async" is true: the host does not wait for its answer')
        if usual.matcher != one.matcher:
            yield Finding(HOOKS, WARNING, f'its matcher is "{one.matcher}", not "{usual.matcher}"')
        given, least = self.seconds_of(one.entry) or self.USUAL, self.deadline(one, deadline)
        if one.event == self.NEEDED[0] and given <= least:
            yield cut_off(given, least, lower if least >= self.seconds_of(usual.entry) else "")

    def deadline(self, one: Registered, usual: float) -> float:
        """The seconds that an entry gives the checks of a stop."""
        named = _DEADLINE.search(" ".join(self.words(one, "")) or self.line(one.entry))
        return float(named[1]) if named else usual

    def silenced(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """What silences our hooks, and hooks of others that may hold the agent, too."""
        yield from self.silences(found, root, env, shown)
        stop = self.NEEDED[0]
        for source in found:
            path, groups = shown(source.scope.path), table_in(source.settings, "hooks").get(stop)
            for entry in (one for group in (groups if isinstance(groups, list) else ()) for one in hooks_of(group)):
                if isinstance(entry, dict) and not self.hook_of(entry):
                    what = f"another hook on {stop} may hold the agent, too ({path}): {self.line(entry)}"
                    cure = f"edit {path}: take it out of hooks.{stop}, if it holds when untilgreen lets go"
                    yield Finding(SWITCHES, NOTE, what, cure)

    def cap(self, _found: Sequence[Source], _env: Mapping[str, str], _rounds: int) -> Finding | None:
        """How often in a row the host lets hooks hold; None where only its facts tell."""
        return None

    def ours(self, found: Sequence[Source]) -> list[Source]:
        return [one for one in found if self.registered(one.scope, one.settings)]

    def untrusted(self, root: str) -> Finding:
        """That the host runs no hook of a folder that nobody trusted."""
        what, program = (
            f"{readable(root)} is no trusted folder: the host runs no hook of it",
            facts.of(self.HOST).program,
        )
        return Finding(SWITCHES, BROKEN, what, f"start {program} in {readable(root)} and trust the folder")


def words_of(entry: Mapping[str, Any]) -> tuple[str, ...]:
    """What is started for an entry without a shell, or by a line that means the same without one; () for another."""
    command = entry.get("command")
    if not isinstance(command, str):
        return ()
    if isinstance(entry.get("args"), list):
        return (command, *args_of(entry))
    command = command.removesuffix(LET_GO)
    try:
        words = shlex.split(command)
    except ValueError:  # an open quote
        return ()
    return tuple(words) if shlex.join(words) == command else ()


def all_off(found: Sequence[Source], shown: Callable[[str], str]) -> Iterator[Finding]:
    """The switch for all hooks, in the first of these settings that has it."""
    decides = next((one for one in found if ALL_OFF in one.settings), None)
    if decides and decides.settings[ALL_OFF] is True:
        path = shown(decides.scope.path)
        what = f'"{ALL_OFF}" is true in {path}: the host runs no hook'
        yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "{ALL_OFF}" out')


def cut_off(given: float, least: float, cure: str) -> Finding:
    """That the host ends a hook before its deadline."""
    what = f"its timeout of {given:g} s is not above the deadline, {least:g} s: checks are cut off, unjudged"
    return Finding(HOOKS, BROKEN, what, cure)


def loaded(path: str) -> dict[str, Any]:
    """The object in a JSON file of the host's, an empty one where there is none; lines of `//` in it are comments."""
    try:
        lines = files.read(path, LARGEST, follow=True).decode(errors="replace").splitlines()
        return table_in({"": json.loads("\n".join(line for line in lines if not line.lstrip().startswith("//")))}, "")
    except (OSError, ValueError, RecursionError):
        return {}


def plugged(host: str, folder: str, name: str) -> Source:
    """What the plugin in this folder registers in the file of this name: in another folder where it is a link."""
    linked = loaded(os.path.join(folder, f".{host}-extension-install.json"))
    folder = str(linked.get("source")) if linked.get("type") == "link" else folder
    path = os.path.join(folder, name)
    text = re.sub(
        r"\$\{(?:CLAUDE_PLUGIN_ROOT|extensionPath)\}", lambda _: json.dumps(folder)[1:-1], json.dumps(loaded(path))
    )
    return Source(host, Scope(PLUGIN, path), json.loads(text))


def _is_off(extensions: str, root: str) -> bool:
    """Whether what is noted beside the extensions switches ours off there (Gemini CLI 0.61.0, Qwen Code 0.24.4): a rule
    is a folder, with `!` before it for off, with `*` behind it for what lies below, too; the last that fits decides."""
    rules = table_in(loaded(os.path.join(extensions, "extension-enablement.json")), "untilgreen").get("overrides")
    here, off = os.path.join(os.path.realpath(root), ""), False
    for rule in map(str, rules if isinstance(rules, list) else ()):
        path = rule.removeprefix("!")
        if here.startswith(path[:-1]) if path.endswith("*") else here == os.path.join(path, ""):
            off = rule != path
    return off


def trusts(rules: Mapping[str, Any], root: str) -> bool:
    """Whether these rules trust a folder: path to `TRUST_FOLDER`, `TRUST_PARENT` (the folder above it) or
    `DO_NOT_TRUST`, for what lies below, too; the longest that fits decides (Gemini CLI 0.61.0, Qwen Code 0.24.4)."""
    here, best = os.path.realpath(root), ("", "")
    for path, word in rules.items():
        top = os.path.realpath(os.path.dirname(path) if word == "TRUST_PARENT" else path)
        if (here == top or here.startswith(f"{top.rstrip(os.sep)}{os.sep}")) and len(path) > len(best[0]):
            best = path, str(word)
    return best[1] in ("TRUST_FOLDER", "TRUST_PARENT")
