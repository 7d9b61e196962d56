"""What is known of Codex CLI, as data (measured on 0.169.0)."""

from untilgreen.hosts.closing import Closing, failure, objects
from untilgreen.hosts.codex.wire import MOST
from untilgreen.hosts.host import Facts
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


def _closing(stdout: str) -> Closing | None:
    """`codex exec --json` prints an event a line (recorded with 0.169.0).

    `item.completed` with an item `{"type": "agent_message", "text"}`; the turn ends as `turn.completed` with its
    `usage`, or as `turn.failed` with its `error`. An item of type "error" is a warning."""
    said, tokens, ended = "", 0, ""
    for one in objects(stdout):
        item = table_in(one, "item")
        if item.get("type") == "agent_message":
            said = text_in(item, "text")
        if one.get("type") in ("turn.completed", "turn.failed"):
            ended = str(one["type"])
            tokens += sum(number(table_in(one, "usage"), name) for name in ("input_tokens", "output_tokens"))
        if ended == "turn.failed":
            return Closing(said, failure(one)[0], failed=True, tokens=tokens)
    return Closing(said, tokens=tokens) if ended else None


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
    closing=_closing,
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
