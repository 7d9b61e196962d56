"""What Codex CLI's payloads are made of: all that a recording keeps of them as it is."""

from untilgreen.core.shape import Vocabulary, words
from untilgreen.hosts.codex import commands

VOCABULARY = Vocabulary(
    keys=words("stop_hook_active model agent_type tool_input tool_response command"),
    words={
        "hook_event_name": words("""
            Stop SubagentStop SubagentStart UserPromptSubmit SessionStart SessionEnd PreToolUse PostToolUse
            PermissionRequest PreCompact PostCompact Interrupt
        """),
        "permission_mode": words("default plan acceptEdits bypassPermissions dontAsk"),
        "source": words("startup resume clear compact fork"),
        "reason": words("other"),
        "tool_name": words("Bash apply_patch view_image spawn_agent"),
        "prompt": frozenset(commands.NAMES) | words("/clear"),
    },
    ids=words("session_id turn_id agent_id tool_use_id CODEX_THREAD_ID CODEX_SESSION_ID"),
    paths=words("cwd transcript_path agent_transcript_path"),
    folders=words(".codex sessions"),
    messages=words("last_assistant_message"),
)
