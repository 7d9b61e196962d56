"""What is known of Claude Code, as data (measured on 2.1.330 and 2.1.150)."""

from untilgreen.hosts.claude_code.wire import CLIENT
from untilgreen.hosts.facts import BlockCap, Facts

_USED_UP = "error_max_turns"  # its user's own limit (--max-turns)
_TOKENS = ("inputTokens", "outputTokens", "cacheCreationInputTokens", "cacheReadInputTokens")
_MOST = 1e6  # USD


FACTS = Facts(
    title="Claude Code",
    program="claude",
    client=CLIENT,
    config_dir="CLAUDE_CONFIG_DIR",
    home="~/.claude",
    known_by=(
        *("AI_AGENT", "CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_EFFORT"),
        "CLAUDE_PROJECT_DIR",
    ),
    cap=BlockCap(8, "CLAUDE_CODE_STOP_HOOK_BLOCK_CAP"),
    measured=("2.1.150", "2.1.330"),
    places=("~/.local/bin", "~/.claude/local", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
    update="claude update",
    prompt_ids_since="2.1.196",
    quiet_since="2.1.214",
    headless=(
        *("-p", "--output-format", "json", "--json-schema", "{schema}", "--system-prompt", "{system}", "--tools", ""),
        # of the settings the user's own: they may say how one signs in; a project's are not asked
        *("--setting-sources", "user", "--settings", '{"disableAllHooks": true}', "--strict-mcp-config"),
        *("--disable-slash-commands", "--no-session-persistence"),
    ),
    variables=("CLAUDE", "AI_AGENT"),
    needed=(
        *("CLAUDE_CONFIG_DIR", "CLAUDE_CODE_OAUTH_TOKEN", "CLAUDE_CODE_API_KEY_HELPER_TTL_MS"),
        *("CLAUDE_CODE_USE_", "CLAUDE_CODE_SKIP_", "CLAUDE_CODE_CLIENT_", "CLAUDE_CODE_CERT_STORE"),
        *("CLAUDE_CODE_CUSTOM_OAUTH_", "CLAUDE_CODE_DISABLE_"),
    ),
    run=("-p", "--output-format", "json"),
    unattended="--permission-mode acceptEdits",
    tells_usage=True,
    resume=("--resume", "{session}", "-p", "go on"),
    reopen=("--resume", "{session}"),
    escape_sends=True,
    begin=("{prompt}",),
)
