"""Our hooks in the text of a settings file: put in, replaced, taken out. Pure: no file is read or written here.

Exec form (`command` and `args`, no shell): a shell, a shim or a console stub in between costs more than the hook.
"""

from collections.abc import Callable, Mapping
from typing import Any

from untilgreen.cli.installing import scopes, settings_text, status_line
from untilgreen.core.errors import UserError

Group = dict[str, Any]
# what is called for an executable: its command and its args
Call = Callable[[str], tuple[str, list[str]]]

_HOST = ["--host", "claude-code"]
# imports the package from the folder that follows and answers as the executable named next. Not `python FILE`: an
# interpreter that does not find its file ends with 2, which the host takes for a decision: once the package was gone,
# every prompt was refused (seen with 2.1.330 and 2.1.150). Nor the console script: its start costs more than the hook.
# The folder comes before site-packages and after the standard library.
START = (
    "import sys; p = sys.path; n = [f.endswith('-packages') for f in p] + [True]; "
    "p.insert(n.index(True), sys.argv.pop(1)); from untilgreen.entry import main; main()"
)
_EDITS = "Edit|Write|MultiEdit|NotebookEdit"
_LINTERS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
STOP_SECONDS = 600
LEAST_SECONDS = 30  # of a stop
# host event, its matcher, executables, seconds
_HOOKS = (
    ("Stop", "", ("stop-loop",), STOP_SECONDS),
    ("PostToolUse", _EDITS, _LINTERS, 30),
    ("UserPromptSubmit", "", ("session-loop",), 30),
    ("SessionStart", "", ("session-loop",), 10),
    ("SessionEnd", "", ("session-loop",), 10),
)
EVENTS = tuple(event for event, *_ in _HOOKS)
NAMES = ("stop-loop", *_LINTERS, "session-loop")
# what the host shows while the hook runs
_STATUS = {
    "stop-loop": "untilgreen: running the project's checks",
    "post-tool-lint": "untilgreen: linting the file",
    "post-tool-lsp": "untilgreen: checking the file's types",
    "post-tool-ast-grep": "untilgreen: looking for risks in the file",
    "session-loop": "untilgreen: looking for a loop",
}


def isolated(command: str, directory: str) -> Call:
    """The package in this directory, run by this interpreter, isolated: the quickest way to start."""
    return lambda name: (command, ["-I", "-c", START, directory, name, *_HOST])


def scripts(prefix: str) -> Call:
    """The console scripts, behind a folder's path that ends with "/", or by their bare names ("")."""
    return lambda name: (f"{prefix}{name}", list(_HOST))


def entries(call: Call, stop_seconds: int = STOP_SECONDS) -> dict[str, Group]:
    """The group of hooks of each event. With another limit for a stop (seconds) its own deadline is 90 % of that."""
    table: dict[str, Group] = {}
    for event, matcher, names, seconds in _HOOKS:
        hooks = []
        for name in names:
            command, args = call(name)
            limit = stop_seconds if event == "Stop" else seconds
            if limit != seconds:
                args = [*args, "--deadline", str(limit * 9 // 10)]
            hook = {"type": "command", "command": command, "args": args, "timeout": limit}
            hooks.append(hook | {"statusMessage": _STATUS[name]})
        table[event] = ({"matcher": matcher} if matcher else {}) | {"hooks": hooks}
    return table


def merged(text: str, wanted: Mapping[str, Group], path: str) -> str:
    """A settings text with our groups in it, our old entries replaced where they stood, all else as it was.

    A text that holds them already stays as it is. Raises UserError where it cannot be understood; `path` names it.
    """
    settings = understood(text, path)
    if settings_text.blank(text):
        return text[:1].strip(" \t\r\n") + fresh(wanted)
    if "hooks" not in settings:
        return settings_text.added(text, (), {event: [group] for event, group in wanted.items()}, "hooks")
    for event in settings["hooks"]:
        if event not in wanted:
            text = _without_event(text, event, None)
    for event, group in wanted.items():
        text = _placed(text, event, group)
    return text


def fresh(wanted: Mapping[str, Group]) -> str:
    """The settings where there were none."""
    return settings_text.laid_out({"hooks": {event: [group] for event, group in wanted.items()}}) + "\n"


def without(text: str, original: str = "") -> str:
    """A settings text without our entries. Lists and tables that are empty then go too, unless they are in `original`,
    the text before ours came. The text must be understood."""
    if settings_text.blank(text):
        return text
    before = text
    hooks = settings_text.find(text, ("hooks",))
    for event in list(hooks.value) if hooks and isinstance(hooks.value, dict) else ():
        text = _without_event(text, event, original)
    if text != before:
        text = _closed(text, ("hooks",), original)
    text = status_line.without(text, original)
    return _closed(text, (), original) if text != before else text


def stop_seconds(settings: Mapping[str, Any], otherwise: int = STOP_SECONDS) -> int:
    """The limit of a stop that stands in these settings for our hook."""
    for one in scopes.registered(scopes.Scope("", ""), settings):
        limit = one.entry.get("timeout")
        if (one.event, one.hook) == ("Stop", NAMES[0]) and type(limit) is int and limit >= LEAST_SECONDS:
            return limit
    return otherwise


def understood(text: str, path: str) -> dict[str, Any]:
    """The settings of a text whose hooks can be edited. Raises UserError; `path` names the file."""
    try:
        settings = scopes.understood(text, path)
    except UserError as error:
        raise UserError(f"{error}; mend it, then try again") from None
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise UserError(f"{path}: hooks must be a table; mend it, then try again")
    for event, groups in hooks.items():
        if event in EVENTS and not isinstance(groups, list):
            raise UserError(f"{path}: hooks.{event} must be a list; mend it, then try again")
    return settings


def _placed(text: str, event: str, group: Group) -> str:
    """Our group where our first entry was, else at the end; our other entries go."""
    item = settings_text.find(text, ("hooks", event))
    if item is None:
        return settings_text.added(text, ("hooks",), [group], event)
    ours = [number for number, one in enumerate(item.value) if _ours_in(one)]
    if [item.value[number] for number in ours] == [group]:
        return text
    for number in reversed(ours[1:]):
        text = _stripped(text, event, number)
    if not ours:
        return settings_text.added(text, ("hooks", event), group)
    first = ours[0]
    if len(_ours_in(item.value[first])) == len(item.value[first]["hooks"]):
        return settings_text.replaced(text, ("hooks", event, first), group)
    return settings_text.added(_stripped(text, event, first), ("hooks", event), group, after=first)


def _without_event(text: str, event: str, original: str | None) -> str:
    """Without our entries of this event, and without the event where nothing is left of it."""
    item = settings_text.find(text, ("hooks", event))
    groups = item.value if item and isinstance(item.value, list) else []
    ours = [number for number, one in enumerate(groups) if _ours_in(one)]
    for number in reversed(ours):
        text = _stripped(text, event, number)
    return _closed(text, ("hooks", event), original or "") if ours else text


def _stripped(text: str, event: str, number: int) -> str:
    """Without our entries of a group, and without the group where it holds no other."""
    path = ("hooks", event, number)
    item = settings_text.find(text, path)
    ours = _ours_in(item.value) if item else []
    if item and len(ours) == len(item.value["hooks"]):
        return settings_text.cut(text, path)
    for place in reversed(ours):
        text = settings_text.cut(text, (*path, "hooks", place))
    return text


def _ours_in(group: Any) -> list[int]:
    """The places of our entries in a group."""
    hooks = group.get("hooks") if isinstance(group, dict) else None
    return [place for place, hook in enumerate(hooks if isinstance(hooks, list) else ()) if scopes.hook_of(hook)]


def _closed(text: str, path: settings_text.Path, original: str) -> str:
    """A table or list that is empty by now goes; one that stood in the original is again what it was there."""
    now = settings_text.find(text, path)
    if now is None or now.value:
        return text
    before = None if settings_text.blank(original) else settings_text.find(original, path)
    if before is not None and not before.value and type(before.value) is type(now.value):
        return settings_text.spliced(text, path, original[before.value_start : before.end])
    if before is not None or not path:
        return original if not path and before is None and original else text
    return settings_text.cut(text, path)
