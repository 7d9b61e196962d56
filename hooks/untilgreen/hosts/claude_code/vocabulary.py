"""What Claude Code's payloads and variables are made of: all that a recording keeps of them as it is."""

from untilgreen.core.shape import Vocabulary, words
from untilgreen.hosts.claude_code import commands

_LEVELS = words("minimal low medium high xhigh max")

VOCABULARY = Vocabulary(
    keys=words("""
        stop_hook_active background_tasks session_crons schedule recurring messages message
        content text name description tool_input tool_response command stdout stderr interrupted is_interrupt
        run_in_background timeout old_string new_string replace_all edits new_source cell_type edit_mode pattern query
        url originalFile original_file oldString newString replaceAll structuredPatch lines oldStart oldLines newStart
        newLines userModified duration_ms effort model agent_type version workspace cost context_window
        teammate_name team_name task_subject task_description
    """),
    words={
        "hook_event_name": words("""
            Stop SubagentStop SubagentStart StopFailure UserPromptSubmit SessionStart SessionEnd Notification
            PreToolUse PostToolUse PostToolUseFailure PreCompact PostCompact TaskCompleted TeammateIdle
        """),
        "permission_mode": words("default plan acceptEdits bypassPermissions dontAsk auto"),
        "source": words("startup resume clear compact fork"),
        "reason": words("clear resume logout prompt_input_exit exit other"),
        "tool_name": words("""
            Bash BashOutput KillShell Edit MultiEdit Write NotebookEdit Read Glob Grep LS Agent Task TaskOutput TaskStop
            TaskCreate TaskUpdate TaskList SendMessage TodoWrite Skill WebFetch WebSearch
            ExitPlanMode AskUserQuestion ToolSearch Monitor CronCreate
        """),
        "type": words("""
            subagent agent local_agent workflow local_workflow shell bash local_bash monitor teammate
            text image thinking tool_use tool_result create update command
        """),
        "status": words("""
            pending running in_progress idle completed complete done finished succeeded success exited failed failure
            error errored timeout timed_out killed cancelled canceled stopped terminated aborted
        """),
        "role": words("user assistant system tool"),
        "error": words("""
            unknown rate_limit overloaded invalid_request authentication_failed oauth_org_not_allowed billing_error
            model_not_found server_error max_output_tokens
        """),
        "prompt": frozenset(commands.NAMES) | words("/clear <task-notification>"),
        "level": _LEVELS,
        "AI_AGENT": words("claude-code_0-0-0_harness"),
        "CLAUDECODE": words("0"),
        "CLAUDE_CODE_ENTRYPOINT": words("cli sdk-cli sdk-ts sdk-py mcp claude-vscode"),
        "CLAUDE_EFFORT": _LEVELS,
    },
    ids=words("session_id prompt_id agent_id tool_use_id task_id id CLAUDE_CODE_SESSION_ID"),
    paths=words("""
        cwd transcript_path agent_transcript_path file_path filePath notebook_path path project_dir current_dir
        added_dirs CLAUDE_PROJECT_DIR
    """),
    folders=words(".claude projects subagents"),
    messages=words("last_assistant_message"),
)
