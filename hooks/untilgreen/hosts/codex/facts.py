"""What is known of Codex CLI, as data (measured on 0.169.0)."""

from untilgreen.hosts.codex.wire import MOST
from untilgreen.hosts.facts import Facts

FACTS = Facts(
    title="Codex CLI",
    program="codex",
    config_dir="CODEX_HOME",
    home="~/.codex",
    known_by=("CODEX_THREAD_ID", "CODEX_SESSION_ID", "CODEX_VERSION"),
    most_feedback=MOST,
    measured=("0.169.0",),
    places=("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
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
)
