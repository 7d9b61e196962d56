"""By what hosts without an adapter are known: a recording keeps it, so that it is still taken for theirs."""

from untilgreen.core.shape import Vocabulary, words

VOCABULARY = Vocabulary(
    keys=words("""
        cursor_version workspace_roots prompt_response context_usage submitted_prompt stopHookActive agent_action_name
        properties timestamp tool args trigger
    """),
    words={
        "hook_event_name": words("stop agentStop BeforeAgent AfterAgent BeforeTool AfterTool"),
        "hookEventName": words("Stop UserPromptSubmit SessionStart SessionEnd PreToolUse PostToolUse"),
        "permission_mode": words("yolo auto_edit off spec auto-low auto-medium auto-high"),
        "tool_name": words("read_file write_file replace edit run_shell_command apply_patch"),
        "client_type": words("kimi_code_cli"),
    },
    ids=words("""
        conversation_id conversationId trajectory_id sessionId sessionID turn_id tool_call_id callID GEMINI_SESSION_ID
    """),
    paths=words("QWEN_PROJECT_DIR"),
    folders=words(".codex .gemini .qwen .cursor .factory"),
)
