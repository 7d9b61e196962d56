"""What Qwen Code's payloads and variables are made of: all that a recording keeps of them as it is."""

from untilgreen.core.shape import Vocabulary, words
from untilgreen.hosts import typed

VOCABULARY = Vocabulary(
    keys=words("""
        stop_hook_active background_tasks crons schedule recurring context_usage context_limit input_tokens timestamp
        content text name description tool_input tool_response llmContent returnDisplay error error_details command
        is_background is_interrupt timeout old_string new_string replace_all pattern query url fileDiff fileName
        originalContent newContent diffStat duration_ms model agent_type started_at submitted_prompt message
    """),
    words={
        "hook_event_name": words("""
            Stop SubagentStop SubagentStart StopFailure UserPromptSubmit SessionStart SessionEnd Notification
            PreToolUse PostToolUse PostToolUseFailure PreCompact PostCompact
        """),
        "permission_mode": words("default plan auto_edit auto yolo"),
        "source": words("startup resume clear compact"),
        "reason": words("clear logout prompt_input_exit other"),
        "tool_name": words("""
            agent edit glob grep_search list_directory notebook_edit read_file run_shell_command skill tool_call
            tool_search todo_write web_fetch write_file
        """),
        "status": words("running pending in_progress completed failed cancelled"),
        "prompt": frozenset(typed.NAMES),
        "submitted_prompt": frozenset(typed.NAMES),
    },
    ids=words("session_id prompt_id agent_id tool_use_id tool_call_id id QWEN_CODE_SESSION_ID"),
    paths=words("""
        cwd transcript_path agent_transcript_path file_path filePath path QWEN_PROJECT_DIR QWEN_CODE_PROJECT_DIR
    """),
    folders=words(".qwen projects chats subagents"),
    messages=words("last_assistant_message"),
)
