"""Toy's settings: `.toy/hooks.json` of a project, `{"hooks": {EVENT: [{"run": [COMMAND, ARG, ...], "seconds"}]}}`."""

import os
from collections.abc import Iterator, Mapping
from typing import Any

from untilgreen.core.findings import Finding
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Call, Entries, Registered, Scope

_EDITS = ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep")
_SESSION = dict.fromkeys(("user_said", "hello", "bye"), ("session-loop",))
_HOOKS = {"turn_done": ("stop-loop",), "wrote": _EDITS} | _SESSION


class _ToySettings(HookHealth):
    HOST = "toy"
    SCOPES = ("local",)
    NEEDED = ("turn_done",)
    FOLDER = ".toy"
    FILES = dict.fromkeys(SCOPES, "hooks.json")

    def entries(self, call: Call, stop_seconds: int = 0) -> Entries:
        return {
            event: [{"run": [command, *args], "seconds": stop_seconds} for command, args in map(call, names)]
            for event, names in _HOOKS.items()
        }

    def stop_seconds(self, _settings: Mapping[str, Any]) -> int:
        return 600

    def merged(self, settings: Mapping[str, Any], wanted: Entries) -> dict[str, Any]:
        bare = self.without(settings, settings)
        others = bare.get("hooks", {})
        return {**bare, "hooks": others | {event: [*others.get(event, []), *ours] for event, ours in wanted.items()}}

    def without(self, settings: Mapping[str, Any], original: Mapping[str, Any]) -> dict[str, Any]:
        hooks = {event: [one for one in found if not _hook(one)] for event, found in settings.get("hooks", {}).items()}
        kept = {event: found for event, found in hooks.items() if found or event in original.get("hooks", {})}
        others = {key: value for key, value in settings.items() if key != "hooks"}
        return {**others, "hooks": kept} if kept or "hooks" in original else others

    def registered(self, scope: Scope, settings: Mapping[str, Any]) -> tuple[Registered, ...]:
        hooks = settings.get("hooks", {})
        found = ((event, one) for event, ours in hooks.items() for one in ours)
        return tuple(Registered(scope, event, "", _hook(one), one) for event, one in found if _hook(one))

    def line(self, entry: Mapping[str, Any]) -> str:
        return str(entry)

    def faults(self, *_: object) -> Iterator[Finding]:
        yield from ()


SETTINGS = _ToySettings()


def _hook(entry: Any) -> str:
    """Which of our executables an entry calls, "" when it is somebody else's."""
    words = entry.get("run", []) if isinstance(entry, dict) else []
    names = {name for group in _HOOKS.values() for name in group}
    return next((name for word in words if (name := os.path.basename(word)) in names), "") if "toy" in words else ""
