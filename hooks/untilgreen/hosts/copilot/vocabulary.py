"""What Copilot CLI's payloads and variables are made of: all that a recording keeps of them as it is."""

from untilgreen.core.shape import Vocabulary, words
from untilgreen.hosts import typed

VOCABULARY = Vocabulary(
    keys=words("""
        timestamp stop_hook_active initial_prompt initialPrompt tool_input toolArgs tool_result toolResult
        text_result_for_llm textResultForLlm command description mode initial_wait old_str new_str file_text view_range
        error error_context recoverable message name stack agent_name agentName prompt pattern query url
        trigger custom_instructions
    """),
    words={
        "hook_event_name": words("""
            Stop SubagentStop SubagentStart UserPromptSubmit SessionStart SessionEnd Notification PreToolUse PostToolUse
            PostToolUseFailure PreCompact PermissionRequest ErrorOccurred
        """),
        "hookName": words("permissionRequest"),
        "stop_reason": words("end_turn"),
        "stopReason": words("end_turn"),
        "source": words("new startup resume"),
        "reason": words("complete error abort timeout user_exit"),
        "tool_name": words("Bash Write Edit Read Agent Grep Glob Skill bash create edit view task grep glob skill"),
        "toolName": words("bash create edit view task grep glob skill"),
        "result_type": words("success failure"),
        "resultType": words("success failure"),
        "agent_type": words("explore task general-purpose code-review"),
        "prompt": frozenset(typed.NAMES) | words("<system_notification>"),
        "COPILOT_CLI": words("0"),
        "COPILOT_CLI_BINARY_VERSION": words("0.0.0"),
    },
    ids=words("session_id sessionId agent_id parent_agent_id agentId COPILOT_AGENT_SESSION_ID"),
    paths=words("cwd transcript_path transcriptPath path COPILOT_PROJECT_DIR CLAUDE_PROJECT_DIR"),
    folders=words(".copilot session-state"),
    messages=words("last_assistant_message"),
)
