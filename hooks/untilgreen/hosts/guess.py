"""Which host a payload evidently comes from, whatever its registration says."""

from collections.abc import Mapping

from untilgreen.core.record import Any
from untilgreen.hosts.reading import text_in

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
    "event_type": "openhands",
    "agent_action_name": "windsurf",
    "trajectory_id": "windsurf",
    "sessionID": "opencode-events",  # not what our bridge makes of it
    "properties": "opencode-events",
}
_BRIDGES = ("pi", "opencode")  # programs of ours inside of hosts say whose they are
_FOLDERS = {"/.codex/": "codex", "/.gemini/": "gemini", "/.qwen/": "qwen", "/.cursor/": "cursor", "/.factory/": "droid"}
_EVENTS = {"BeforeAgent": "gemini", "AfterAgent": "gemini", "BeforeTool": "gemini", "AfterTool": "gemini"}
_EVENTS |= {"post_agent": "vibe", "post_tool": "vibe"}
_MODES = {"yolo": "qwen", "auto_edit": "qwen", "off": "droid", "spec": "droid"}
_VARIABLES = {"QWEN_PROJECT_DIR": "qwen", "GEMINI_SESSION_ID": "gemini"}


def foreign(payload: dict[str, Any], env: Mapping[str, str]) -> str:
    """The name of the host that this payload evidently comes from, "" when it may well be Claude Code's.

    The environment has its say only where Claude Code's own is not there (a session that was started from another
    agent's shell inherits everything), and not for somebody who types a payload by hand.
    """
    if text_in(payload, "bridge") in _BRIDGES:
        return text_in(payload, "bridge")
    if host := next((host for key, host in _KEYS.items() if key in payload), ""):
        return host
    if "timestamp" in payload and env.get("COPILOT_PROJECT_DIR"):  # which its hooks have, and not what its shell starts
        return "copilot"
    path, mode = text_in(payload, "transcript_path").replace("\\", "/"), text_in(payload, "permission_mode")
    by_folder = next((host for folder, host in _FOLDERS.items() if folder in path), "")
    by_mode = _MODES.get(mode, "droid" if mode.startswith("auto-") else "")
    if host := by_folder or _EVENTS.get(text_in(payload, "hook_event_name"), by_mode):
        return host
    if payload.get("client_type") == "kimi_code_cli":
        return "kimi"
    if "turn_id" in payload and "prompt_id" not in payload:
        return "codex"
    if "CLAUDECODE" in env or "session_id" not in payload:
        return ""
    # Gemini, Qwen and Copilot put the time into every payload; Claude Code does not.
    unknown = "unknown" if "timestamp" in payload else ""
    return next((host for variable, host in _VARIABLES.items() if env.get(variable)), unknown)
