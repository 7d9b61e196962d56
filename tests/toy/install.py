"""Toy's settings: `.toy/hooks.json` of a project, `{"hooks": {EVENT: [{"run": [COMMAND, ARG, ...], "seconds"}]}}`."""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from untilgreen.hosts.host import Call, Entries, Registered, Scope

SCOPES = ("local",)
PROJECT = ""
_SECONDS = 600
_EDITS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
_SESSION = dict.fromkeys(("user_said", "hello", "bye"), ("session-loop",))
_HOOKS = {"turn_done": ("stop-loop",), "wrote": _EDITS} | _SESSION


def scopes(root: str, _env: Mapping[str, str]) -> tuple[Scope, ...]:
    """Every settings file that the host reads for this project, the strongest first."""
    return (Scope("local", os.path.join(root, ".toy", "hooks.json")),)


def linked(_root: str) -> tuple[Scope, ...]:
    """Toy knows no linked work trees."""
    return ()


def folder(_scope: str, _root: str, _env: Mapping[str, str]) -> str:
    """Toy has no files with commands or skills."""
    return ""


def texts(*_: object) -> dict[str, bytes]:
    """Nor files by which its people type our commands."""
    return {}


def unwrapped(data: bytes) -> bytes:
    """The file is JSON."""
    return data


def wrapped(settings: bytes) -> bytes:
    """The file is JSON."""
    return settings


def entries(call: Call, stop_seconds: int) -> Entries:
    """What is to stand in the settings, by event of the host."""
    return {
        event: [{"run": [command, *args], "seconds": stop_seconds} for command, args in map(call, names)]
        for event, names in _HOOKS.items()
    }


def stop_seconds(_settings: Mapping[str, Any]) -> int:
    """The limit of a stop: the usual one."""
    return _SECONDS


def problem(settings: Mapping[str, Any]) -> str:
    """Why nothing can be put into these settings, "" where it can."""
    return "" if isinstance(settings.get("hooks", {}), dict) else "hooks must be a table"


def merged(settings: Mapping[str, Any], wanted: Entries) -> dict[str, Any]:
    """The settings with our entries in them, after those of others."""
    bare = without(settings, settings)
    others = bare.get("hooks", {})
    return {**bare, "hooks": others | {event: [*others.get(event, []), *ours] for event, ours in wanted.items()}}


def without(settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
    """The settings without our entries."""
    hooks = {event: [one for one in found if not _hook(one)] for event, found in settings.get("hooks", {}).items()}
    kept = {event: found for event, found in hooks.items() if found or event in original.get("hooks", {})}
    others = {key: value for key, value in settings.items() if key != "hooks"}
    return {**others, "hooks": kept} if kept or "hooks" in original else others


def registered(scope: Scope, settings: Mapping[str, Any]) -> tuple[Registered, ...]:
    """Our entries in these settings."""
    hooks = settings.get("hooks", {})
    found = ((event, one) for event, ours in hooks.items() for one in ours)
    return tuple(Registered(scope, event, "", _hook(one), one) for event, one in found if _hook(one))


def plugin(_files: Sequence[tuple[Scope, Mapping[str, Any]]]) -> None:
    """There is no plugin for Toy."""


def status_line(_settings: Mapping[str, Any]) -> str:
    """Toy shows no status line."""
    return ""


def with_status_line(settings: Mapping[str, Any], _line: str) -> dict[str, Any]:
    """Toy shows no status line."""
    return dict(settings)


def _hook(entry: Any) -> str:
    """Which of our executables an entry calls, "" when it is somebody else's."""
    words = entry.get("run", []) if isinstance(entry, dict) else []
    names = {name for group in _HOOKS.values() for name in group}
    return next((name for word in words if (name := os.path.basename(word)) in names), "") if "toy" in words else ""
