"""Which host a payload evidently comes from, whatever its registration says."""

from collections.abc import Mapping

from untilgreen.core.record import Any

# A key that only that host sends. Claude Code's own registrations are run by several others too, and each of
# them exports CLAUDE_PROJECT_DIR: what the payload holds decides, not the environment.
_KEYS = {
    "cursor_version": "cursor",
    "conversation_id": "cursor",
    "workspace_roots": "cursor",
    "prompt_response": "gemini",
    "context_usage": "qwen",
    "submitted_prompt": "qwen",
    "hookEventName": "vscode",
    "stopHookActive": "grok",
    "sessionId": "copilot",
    "conversationId": "antigravity",
    "agent_action_name": "windsurf",
    "trajectory_id": "windsurf",
    "sessionID": "opencode-events",  # not what our bridge makes of it
    "properties": "opencode-events",
}
_BRIDGES = ("pi", "opencode")  # programs of ours inside of hosts say whose they are
_FOLDERS = {"/.codex/": "codex", "/.gemini/": "gemini", "/.qwen/": "qwen", "/.cursor/": "cursor", "/.factory/": "droid"}
_EVENTS = {"BeforeAgent": "gemini", "AfterAgent": "gemini", "BeforeTool": "gemini", "AfterTool": "gemini"}
_MODES = {"yolo": "qwen", "auto_edit": "qwen", "off": "droid", "spec": "droid"}
_VARIABLES = {"QWEN_PROJECT_DIR": "qwen", "GEMINI_SESSION_ID": "gemini"}


def foreign(payload: dict[str, Any], env: Mapping[str, str]) -> str:
    """The name of the host that this payload evidently comes from, "" when it may well be Claude Code's.

    The environment has its say only where Claude Code's own is not there (a session that was started from another
    agent's shell inherits everything), and not for somebody who types a payload by hand.
    """
    if _text(payload, "bridge") in _BRIDGES:
        return _text(payload, "bridge")
    for key, host in _KEYS.items():
        if key in payload:
            return host
    if "timestamp" in payload and env.get("COPILOT_PROJECT_DIR"):  # which its hooks have, and not what its shell starts
        return "copilot"
    path = payload.get("transcript_path")
    for folder, host in _FOLDERS.items():
        if isinstance(path, str) and folder in path.replace("\\", "/"):
            return host
    host = _EVENTS.get(_text(payload, "hook_event_name")) or _MODES.get(_text(payload, "permission_mode"), "")
    if host or _text(payload, "permission_mode").startswith("auto-"):
        return host or "droid"
    if payload.get("client_type") == "kimi_code_cli":
        return "kimi"
    if "turn_id" in payload and "prompt_id" not in payload:
        return "codex"
    return "" if "CLAUDECODE" in env or "session_id" not in payload else _by_surroundings(payload, env)


def _by_surroundings(payload: dict[str, Any], env: Mapping[str, str]) -> str:
    for variable, host in _VARIABLES.items():
        if env.get(variable):
            return host
    # Gemini, Qwen and Copilot put the time into every payload; Claude Code does not.
    return "unknown" if "timestamp" in payload else ""


def _text(payload: dict[str, Any], key: str) -> str:
    value = payload.get(key)
    return value if isinstance(value, str) else ""
