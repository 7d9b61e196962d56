"""What is known of the hosts, as data."""

from untilgreen.core.record import NamedTuple


class BlockCap(NamedTuple):
    """How often in a row a host lets a stop be held."""

    holds: int = 0  #: 0: there is no limit
    variable: str = ""  #: the variable that changes it
    #: what that variable says above the holds that it honours: the number of the hold that ends the turn is one more
    over: int = 0
    spans_tools: bool = False  #: calls of tools in between do not reset that count: it is of one turn


class Facts(NamedTuple):
    """What is known of a host, as data."""

    title: str
    program: str = ""  #: its command for people, "" for none
    #: variables that name its process, and its folder in the user's home; where that lies without it ("~/.claude")
    client: str = ""
    config_dir: str = ""
    home: str = ""
    known_by: tuple[str, ...] = ()  #: variables by which it is known
    cap: BlockCap = BlockCap()
    #: its stop comes for a turn, too, that its user interrupted: then its transcript has no answer since somebody spoke
    stops_when_interrupted: bool = False
    most_feedback: int = 0  #: bytes of a hold's text that it passes on to the model, 0 for no limit
    measured: tuple[str, ...] = ()  #: its versions that were measured, oldest first
    #: folders where its installers put its command, and the command that brings it up to date
    places: tuple[str, ...] = ("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
    update: str = ""
    #: the first versions whose prompts have ids, and that can be held without the word error ("" for any)
    prompt_ids_since: str = ""
    quiet_since: str = ""
    #: the words behind its command that make it answer a prompt from stdin in a JSON document, without tools and hooks;
    #: `{schema}` and `{system}` stand for the form of the answer and for its instructions
    headless: tuple[str, ...] = ()
    #: how the variables begin that it gives its processes, and of these those that one outside of the session needs: a
    #: name, or how several begin, with `_` at its end
    variables: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    tells_usage: bool = False  #: its record tells what models used
    #: what follows its command to go on with a session, `{session}` for its id: headless, and at a terminal; () where
    #: it cannot
    resume: tuple[str, ...] = ()
    reopen: tuple[str, ...] = ()
    #: what follows its command to answer one prompt from stdin, or in the place of `{prompt}`; () where it cannot
    run: tuple[str, ...] = ()
    #: what its user gives it so that it works with nobody there to ask, "" where it asks for nothing
    unattended: str = ""
    #: what follows its command to begin a session at a terminal with a first prompt, `{prompt}` for it
    begin: tuple[str, ...] = ()
    typed: str = "/untilgreen:"  #: how people type our commands there, before the command's name; "" where they cannot
    #: Esc at its prompt ends the agent's turn and sends what was typed meanwhile; else the command is typed after Esc
    escape_sends: bool = False
    after_init: str = ""  #: what its user has to do once when the hooks are registered, "" for nothing
    cannot: tuple[str, ...] = ()  #: what cannot be had there and why, a sentence each
    never_run: bool = False  #: known from recorded payloads or its documentation only: nobody ran it


# by the name for `--host`
FACTS = {
    "claude-code": Facts(
        title="Claude Code",
        program="claude",
        client="CLAUDE_PID",
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
            *["-p", "--output-format", "json", "--json-schema", "{schema}", "--system-prompt", "{system}", "--tools"],
            "",
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
    ),
    "codex": Facts(
        title="Codex CLI",
        program="codex",
        config_dir="CODEX_HOME",
        home="~/.codex",
        known_by=("CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_VERSION"),
        most_feedback=10_000,
        measured=("0.169.0",),
        update="codex update",
        variables=("CODEX_",),
        needed=("CODEX_HOME", "CODEX_API_KEY", "CODEX_CA_CERTIFICATE"),
        resume=("exec", "resume", "{session}", "go on"),
        reopen=("resume", "{session}"),
        run=("exec", "--json", "-"),
        unattended="--sandbox workspace-write",
        begin=("{prompt}",),
        typed="$untilgreen-",
        cannot=(
            "The host does not tell a hook how a shell command ended, so the agent's own runs of checks prove nothing.",
            "A patch that the agent applies through its shell reaches no hook; the next stop sees what it changed.",
            "What a file held before a patch is not told: without a loop only files that the agent added hold it.",
            "After /clear a loop stays with the session before it; say `$untilgreen-resume` there.",
            "`codex exec` shows nothing that a hook tells its user.",
        ),
    ),
    "copilot": Facts(
        title="Copilot CLI",
        program="copilot",
        config_dir="COPILOT_HOME",
        home="~/.copilot",
        known_by=("COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION", "COPILOT_PROJECT_DIR", "COPILOT_AGENT_SESSION_ID"),
        cap=BlockCap(8, spans_tools=True),
        measured=("1.0.86", "1.0.102"),
        update="copilot update",
        variables=("COPILOT_",),
        needed=(
            *("COPILOT_HOME", "COPILOT_GITHUB_TOKEN", "COPILOT_GH_HOST", "COPILOT_MODEL", "COPILOT_OFFLINE"),
            *("COPILOT_AUTO_UPDATE", "COPILOT_ALLOW_ALL", "COPILOT_PROVIDER_", "COPILOT_OTEL_"),
        ),
        tells_usage=True,
        resume=("--resume", "{session}", "-p", "go on"),
        reopen=("--resume", "{session}"),
        run=("--output-format", "json"),
        unattended="--allow-all-tools",
        begin=("-i", "{prompt}"),
        after_init="trust this folder when copilot asks; for `copilot -p` in a folder never trusted add --trust-folder",
        cannot=(
            'The host ends a turn after 8 holds, whatever tools were called; say "go on", and the loop goes on.',
            "A stop does not name what runs in the background, so a loop does not wait for it.",
            "What a file held before an edit is not told: without a loop an old finding near it may count as new.",
            "In a terminal no hook hears that a turn ended in an API error; the loop is parked when the session ends.",
        ),
    ),
    "qwen": Facts(
        title="Qwen Code",
        program="qwen",
        config_dir="QWEN_HOME",
        home="~/.qwen",
        known_by=("QWEN_CODE_SESSION_ID", "QWEN_CODE_PROJECT_DIR", "QWEN_PROJECT_DIR"),
        cap=BlockCap(7, "QWEN_CODE_STOP_HOOK_BLOCK_CAP", over=1, spans_tools=True),
        measured=("0.24.4",),
        update="npm install -g @qwen-code/qwen-code@latest",
        variables=("QWEN_CODE_", "QWEN_PROJECT_DIR"),
        tells_usage=True,
        run=("--output-format", "json"),
        unattended="--approval-mode auto-edit",
        resume=("--resume", "{session}", "-p", "go on"),
        reopen=("--resume", "{session}"),
        begin=("-i", "{prompt}"),
        cannot=(
            "What a hook says at a prompt reaches the agent, and not its user: the agent tells them that a loop began.",
            "A headless run shows nothing of a command that is refused: it ends with an empty answer.",
            "A shell in the background is not told at a stop, so nothing waits for it.",
        ),
    ),
    "gemini": Facts(
        title="Gemini CLI",
        program="gemini",
        home="~/.gemini",
        known_by=("GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR"),
        stops_when_interrupted=True,
        measured=("0.61.0",),
        update="npm install -g @google/gemini-cli@latest",
        variables=("GEMINI_CLI", "GEMINI_CWD", "GEMINI_PLANS_DIR", "GEMINI_PROJECT_DIR", "GEMINI_SESSION_ID"),
        needed=("GEMINI_CLI_HOME", "GEMINI_CLI_SYSTEM_", "GEMINI_CLI_TRUST_WORKSPACE"),
        tells_usage=True,
        run=("--output-format", "json"),
        unattended="--approval-mode auto_edit",
        resume=("--resume", "{session}", "-p", "go on"),
        reopen=("--resume", "{session}"),
        begin=("-i", "{prompt}"),
        after_init="start gemini in the project once and trust the folder: until then it runs no hook of it",
        cannot=(
            "It tells no hook of a sub-agent's stop, of a model that cannot be asked, or of shells in the background.",
            "It has guards of its own: a tool that is called five times in a row in the same way ends the turn.",
        ),
    ),
    "pi": Facts(
        title="Pi",
        program="pi",
        config_dir="PI_CODING_AGENT_DIR",
        home="~/.pi/agent",
        known_by=("PI_CODING_AGENT", "PI_SESSION_ID"),
        measured=("0.87.1",),
        update="pi update",
        variables=("PI_", "AI_AGENT"),
        needed=("PI_CODING_AGENT_DIR", "PI_CODING_AGENT_SESSION_DIR", "PI_PACKAGE_DIR", "PI_OFFLINE", "PI_TELEMETRY"),
        run=("-p", "--mode", "json"),
        begin=("{prompt}",),
        resume=("--session", "{session}", "-p", "go on"),
        reopen=("--session", "{session}"),
        after_init="start Pi here once and trust the project: it loads no extension of a project that nobody trusts "
        "(headless: pi --approve)",
        cannot=(
            "Pi has no sub-agents of its own: one that an extension starts is another session, and no loop runs in it.",
        ),
    ),
    "opencode": Facts(
        title="OpenCode",
        program="opencode",
        home="~/.config/opencode",
        known_by=("OPENCODE", "OPENCODE_PID", "OPENCODE_SESSION_ID"),
        measured=("1.18.33",),
        places=("~/.opencode/bin", "~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
        update="opencode upgrade",
        variables=("OPENCODE", "AGENT"),
        needed=("OPENCODE_CONFIG", "OPENCODE_CONFIG_", "OPENCODE_DISABLE_", "OPENCODE_API_KEY"),
        run=("run", "--format", "json"),
        escape_sends=True,
        begin=("--prompt", "{prompt}"),
        resume=("run", "--session", "{session}", "go on"),
        reopen=("--session", "{session}"),
        cannot=(
            "A prompt cannot be kept from the model: it repeats what /untilgreen:status and the others answer.",
            "`opencode run` prints nothing after the agent's first rest; it works on, and stderr tells each round.",
            "Esc does not end the checks of a stop: OpenCode takes the agent for idle. Any prompt does.",
        ),
    ),
    "claude-like": Facts(
        "a host like Claude Code",
        typed="untilgreen:",
        never_run=True,
        cannot=("It is held in the form that most such hosts document; nobody ran untilgreen with them.",),
    ),
    "generic": Facts("a host without an adapter", typed="", known_by=("QWEN_PROJECT_DIR", "GEMINI_SESSION_ID")),
}
