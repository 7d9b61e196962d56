"""What is known of Pi, as data (measured on 0.87.1)."""

from untilgreen.hosts.closing import Closing, objects
from untilgreen.hosts.host import Facts
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import number


def _closing(stdout: str) -> Closing | None:
    """What `pi -p --mode json` prints: an event a line; `message_end` has each message of the model when it is whole.

    What came of it: the last message, and what all of them used; None where the model said nothing."""
    ended = (table_in(one, "message") for one in objects(stdout) if one.get("type") == "message_end")
    said = [message for message in ended if message.get("role") == "assistant"]
    if not said:
        return None
    usage = [table_in(message, "usage") for message in said]
    costs = [table_in(one, "cost").get("total") for one in usage]
    known = [float(cost) for cost in costs if isinstance(cost, int | float) and type(cost) is not bool]
    failed = text_in(said[-1], "stopReason") in ("error", "aborted")
    return Closing(
        text="\n".join(text_in(block, "text") for block in objects_in(said[-1].get("content")) if "text" in block),
        error=text_in(said[-1], "errorMessage") if failed else "",
        failed=failed,
        tokens=sum(number(one, "totalTokens") for one in usage),
        cost=sum(known) if known else None,
    )


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
    closing=_closing,
    begin=("{prompt}",),
    resume=("--session", "{session}", "-p", "go on"),
    reopen=("--session", "{session}"),
    after_init="start Pi here once and trust the project: it loads no extension of a project that nobody trusts "
    "(headless: pi --approve)",
    cannot=(
        "Pi has no sub-agents of its own: one that an extension starts is another session, and no loop runs in it.",
    ),
)
