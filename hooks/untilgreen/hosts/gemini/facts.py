"""What is known of Gemini CLI, as data (measured on 0.61.0)."""

from untilgreen.hosts.facts import Facts

FACTS = Facts(
    title="Gemini CLI",
    program="gemini",
    home="~/.gemini",
    known_by=("GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR"),
    stops_when_interrupted=True,
    measured=("0.61.0",),
    places=("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
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
)
