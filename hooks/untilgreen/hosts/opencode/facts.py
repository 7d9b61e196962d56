"""What is known of OpenCode, as data (measured on 1.18.33)."""

from untilgreen.hosts.closing import Closing, objects
from untilgreen.hosts.host import Facts
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


def _closing(stdout: str) -> Closing | None:
    """What `opencode run --format json` prints: an event a line; `text` and `step_finish` have a part of a message.

    What came of it: the last text, and what all steps used; None where there is neither text nor error."""
    events = [*objects(stdout)]
    parts = [(text_in(one, "type"), table_in(one, "part")) for one in events]
    texts = [text_in(part, "text") for kind, part in parts if kind == "text"]
    errors = [table_in(one, "error") for one in events if one.get("type") == "error"]
    if not (texts or errors):
        return None
    steps = [part for kind, part in parts if kind == "step_finish"]
    costs = [part.get("cost") for part in steps]
    known = [float(cost) for cost in costs if isinstance(cost, int | float) and type(cost) is not bool]
    data = table_in(errors[-1], "data") if errors else {}
    return Closing(
        text=texts[-1] if texts else "",
        error=text_in(data, "message") or (text_in(errors[-1], "name") if errors else ""),
        failed=bool(errors),
        status=number(data, "statusCode"),
        tokens=sum(number(table_in(part, "tokens"), "total") for part in steps),
        cost=sum(known) if known else None,
    )


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
    closing=_closing,
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
