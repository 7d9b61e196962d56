"""The hosts in one table, from their adapters and from what `make e2e` saw (`tests/e2e/seen.json`): a part of
docs/hosts.md."""

import json
import re
from pathlib import Path
from typing import Any

from untilgreen import hosts
from untilgreen.core.model.event import Event, Kind, Message
from untilgreen.hosts.adapter import Adapter

SEEN = Path(__file__).resolve().parent.parent / "tests" / "e2e" / "seen.json"
PAGE = Path(__file__).resolve().parent.parent / "docs" / "hosts.md"
HEAD = (
    *("host", "is held", "in a row", "findings after an edit", "its user is told", "typed"),
    *("resumed", "budgets", "`untilgreen run`", "seen"),
)
STARTED_HEAD = ("`--host`, `--to`", "headless", "at a terminal, for a handover", "what lets it work alone")
_TEXT = "not green yet"


def known(*, never_run: bool = False) -> list[Adapter]:
    """The hosts with a name of their own that were run; or those that never were."""
    found = [hosts.get(name) for name in hosts.ADAPTERS if name != hosts.GENERIC]
    return [host for host in found if host.facts.never_run == never_run]


def seen() -> dict[str, dict[str, Any]]:
    """Host -> `{"versions": [...], "scenes": n}`."""
    found: dict[str, dict[str, Any]] = json.loads(SEEN.read_text(encoding="utf-8"))
    return found


def rows() -> list[tuple[str, ...]]:
    """A row a host that was run."""
    return [_row(host, seen().get(host.name, {})) for host in known()]


def started() -> list[tuple[str, ...]]:
    """A row for each host that `untilgreen run` and `untilgreen resume --to` start: how, and what its user gives it."""
    return [
        (
            *(f"`{host.name}`", f"`{' '.join((facts.program, *facts.run))}`"),
            f"`{' '.join((facts.program, *facts.begin))}`" if facts.begin else "",
            f"`{facts.unattended}`" if facts.unattended else "nothing: it asks nobody",
        )
        for host in known()
        if (facts := host.facts).run
    ]


def _row(host: Adapter, ran: dict[str, Any]) -> tuple[str, ...]:
    facts, settings = host.facts, host.settings()
    hooks = {one for name in _registered(host) for one in name} if settings else set()
    edits = (not settings or "post-tool-lint" in hooks) and _says(host, "edit", "context")
    on = [str(one) for one in (ran["versions"] if ran else facts.measured)]
    how = f"{ran['scenes']} scenes on {' and '.join(on)}" if ran else f"run on {', '.join(on)}"
    return (
        _linked(facts.title),
        _yes(_says(host, "stop", "continue")),
        _often(host),
        _yes(edits),
        _yes(_says(host, "stop", "release")),
        f"`{facts.typed}loop`" if facts.typed else "no",
        _yes(facts.resume),
        _yes(facts.tells_usage),
        _yes(facts.run),
        how,
    )


def _registered(host: Adapter) -> list[set[str]]:
    """The executables that each event of the host starts."""
    files = host.settings()
    entries = files.entries(lambda name: (name, ["--host", host.name]), 0) if files else {}
    return [set(re.findall(r"(?:post-tool|stop|session)-[a-z-]+", json.dumps(one))) for one in entries.values()]


def _says(host: Adapter, event: str, verdict: Kind) -> bool:
    """Whether the reply holds the text."""
    reply = host.write(Event(event, host.name, session="s"), verdict, Message(_TEXT))
    return _TEXT in reply.stdout + reply.stderr


def _often(host: Adapter) -> str:
    cap = host.facts.cap.holds
    if not cap:
        return "no limit"
    return f"{cap} in a turn" if host.facts.cap.spans_tools else f"{cap} without a tool call"


def _yes(what: object) -> str:
    return "yes" if what else "no"


def _linked(title: str) -> str:
    """The host's name, which leads to its section where it has one."""
    anchor = re.sub(r"[^\w-]+", "-", title.lower()).strip("-")
    return f"[{title}](#{anchor})" if f"\n## {title}\n" in PAGE.read_text(encoding="utf-8") else title


def cannot() -> list[str]:
    """What does not work on each host, as a list in Markdown."""
    found = []
    for host in (*known(), *known(never_run=True)):
        if said := host.facts.cannot:
            found += [f"- {host.facts.title}", *(f"  - {one.removesuffix('.')}" for one in said)]
    return found
