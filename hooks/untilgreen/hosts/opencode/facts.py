"""What is known of OpenCode, as data (measured on 1.18.33)."""

from untilgreen.hosts.facts import Facts

FACTS = Facts(
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
)
