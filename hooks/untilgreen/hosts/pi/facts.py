"""What is known of Pi, as data (measured on 0.87.1)."""

from untilgreen.hosts.facts import Facts

FACTS = Facts(
    title="Pi",
    program="pi",
    config_dir="PI_CODING_AGENT_DIR",
    home="~/.pi/agent",
    known_by=("PI_CODING_AGENT", "PI_SESSION_ID"),
    measured=("0.87.1",),
    places=("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
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
)
