"""The hosts: a folder each, behind the protocol in `host.py`. This is their table.

Imports nothing: every call of a hook comes by here, and most of them have nothing to do.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untilgreen.hosts.host import Host

DEFAULT = "claude-code"
GENERIC = "generic"
# the name for `--host`: its folder in here, and the variables in which it tells a hook the session and the project (""
# for none). Where a host sets both, a call with nothing to do ends before its payload is parsed
ADAPTERS = {
    "claude-code": ("claude_code", "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR"),
    # a host without an adapter runs the registrations of Claude Code, and sets its variable for them
    "generic": ("generic", "", "CLAUDE_PROJECT_DIR"),
}


def get(name: str) -> "Host":
    """The adapter of that name, loaded now; `generic` for a name without one."""
    folder = ADAPTERS.get(name, ADAPTERS[GENERIC])[0]
    host: Host = __import__(f"untilgreen.hosts.{folder}", fromlist=["HOST"]).HOST
    return host


def detect(payload: "dict[str, Any]", env: "Mapping[str, str]", named: str = "") -> "Host":
    """The adapter for this call: the one `named` by `--host`, else the one that the payload speaks for.

    Claude Code's name decides nothing: other hosts run its registrations as they stand.
    """
    if named not in ("", DEFAULT):
        return get(named)
    from untilgreen.hosts import guess

    return get(guess.foreign(payload, env) or DEFAULT)


def session(env: "Mapping[str, str]", named: str = "") -> str:
    """The session that the host `named`, or any, tells in the environment; "" where none does."""
    return _told(1, env, named)


def project(env: "Mapping[str, str]", named: str = "") -> str:
    """The project's folder that the host `named`, or any, tells in the environment; "" where none does."""
    return _told(2, env, named)


def _told(column: int, env: "Mapping[str, str]", named: str) -> str:
    rows = [ADAPTERS[named]] if named in ADAPTERS else ADAPTERS.values()
    return next((env[row[column]] for row in rows if env.get(row[column])), "")
