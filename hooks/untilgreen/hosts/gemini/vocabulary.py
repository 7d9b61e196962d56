"""What Gemini CLI's payloads and variables are made of: all that a recording keeps of them as it is."""

from untilgreen.core.shape import Vocabulary, words
from untilgreen.hosts import typed

VOCABULARY = Vocabulary(
    keys=words("""
        stop_hook_active timestamp trigger content text name description tool_input tool_response llmContent
        returnDisplay error message type command is_background dir_path instruction old_string new_string pattern query
        url fileDiff fileName originalContent newContent diffStat isNewFile isBuildFile data exitCode isError
        mcp_context original_request_name
    """),
    words={
        "hook_event_name": words("""
            SessionStart SessionEnd BeforeAgent AfterAgent BeforeModel AfterModel BeforeToolSelection BeforeTool
            AfterTool PreCompress Notification
        """),
        "source": words("startup resume clear"),
        "reason": words("exit clear logout prompt_input_exit other"),
        "trigger": words("auto manual"),
        "tool_name": words("""
            glob grep_search google_web_search list_directory read_file read_many_files replace run_shell_command
            save_memory web_fetch write_file write_todos
        """),
        "prompt": frozenset(typed.NAMES),
    },
    ids=words("session_id id GEMINI_SESSION_ID"),
    paths=words("cwd transcript_path file_path filePath path GEMINI_PROJECT_DIR"),
    folders=words(".gemini tmp chats"),
    messages=words("prompt_response"),
)
