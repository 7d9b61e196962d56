"""What is known of Gemini CLI, as data (measured on 0.61.0)."""

from untilgreen.hosts.closing import Closing, document, failure
from untilgreen.hosts.host import Facts
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


def _closing(stdout: str) -> Closing | None:
    """`--output-format json` closes with one document over several lines (recorded with 0.61.0).

    `{"response", "error"?: {"message", "code"}, "stats": {"models": {NAME: {"tokens": {"total"}}}}}`."""
    found = document(stdout)
    if "response" not in found and "error" not in found:
        return None
    error, _ = failure(found)
    models = table_in(table_in(found, "stats"), "models")
    used = sum(number(table_in(table_in(models, name), "tokens"), "total") for name in models)
    status = number(table_in(found, "error"), "code")
    return Closing(text_in(found, "response"), error, failed="error" in found, status=status, tokens=used)


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
    closing=_closing,
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
