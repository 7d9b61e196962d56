"""OpenHands' files of hooks: `.openhands/hooks.json` of a project, else of the user's folder. Seconds; a line for a
shell."""

from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.hook_rows import rows
from untilgreen.hosts.openhands import EDITOR, NAME, SHELL


class _OpenHandsSettings(HookHealth):
    HOST = NAME
    ROWS = rows(EDITOR, SHELL, "Stop", "PostToolUse", "UserPromptSubmit", "SessionStart", "SessionEnd")
    FOLDER = ".openhands"
    FILES = dict.fromkeys(HookHealth.SCOPES, "hooks.json")


SETTINGS = _OpenHandsSettings()
