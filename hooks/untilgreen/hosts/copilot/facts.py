"""What is known of GitHub Copilot CLI, as data (measured on 1.0.102)."""

from untilgreen.hosts.copilot.wire import CAP, HOME
from untilgreen.hosts.facts import BlockCap, Facts

FACTS = Facts(
    title="Copilot CLI",
    program="copilot",
    config_dir=HOME,
    home="~/.copilot",
    known_by=("COPILOT_CLI", "COPILOT_CLI_BINARY_VERSION", "COPILOT_PROJECT_DIR", "COPILOT_AGENT_SESSION_ID"),
    cap=BlockCap(CAP, spans_tools=True),
    measured=("1.0.86", "1.0.102"),
    places=("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
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
)
