"""The hosts: a package each, behind the `Adapter`. This is their table.

Imports nothing: every call of a hook comes by here, and most of them have nothing to do.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from untilgreen.hosts.adapter import Adapter

    # a folder in here; the variables in which the host tells a hook its session and the project, "" for none (where
    # both are set, a call with nothing to do ends before its payload is parsed); how those begin that no check may see
    Row = tuple[str, str, str, tuple[str, ...]]

_CLAUDE_CODE = "CLAUDE_CODE_SESSION_ID", "CLAUDE_PROJECT_DIR", ("CLAUDE_CODE_MESSAGING_", "CLAUDE_ENV_FILE")
DEFAULT = "claude-code"
GENERIC = "generic"
TYPED = "/untilgreen:"  # how our texts spell what people type; `Facts.typed` is how a host's people do
# by the name for `--host`
ADAPTERS: "dict[str, Row]" = {
    "claude-code": ("claude_code", *_CLAUDE_CODE),
    "codex": ("codex", "CODEX_THREAD_ID", "", ()),  # told to its shells, not to hooks
    "copilot": ("copilot", "COPILOT_AGENT_SESSION_ID", "COPILOT_PROJECT_DIR", ()),
    "qwen": ("qwen", "QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR", ()),
    "gemini": ("gemini", "GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR", ()),
    "pi": ("pi", "PI_SESSION_ID", "", ()),
    "opencode": ("opencode", "OPENCODE_SESSION_ID", "", ()),
    "kilo": ("kilo", "", "", ()),  # our bridge gives its shells OpenCode's variable
    "openhands": ("openhands", "OPENHANDS_SESSION_ID", "OPENHANDS_PROJECT_DIR", ()),
    "vibe": ("vibe", "", "", ()),  # by its user's own hooks.toml
    "aider": ("aider", "", "", ()),  # it has no hooks: `untilgreen run` starts it
    "cline": ("cline", "", "", ()),  # nor has this one any that could hold it
    "claude-like": ("claude_like", "", "", ()),  # by its own registration: `--host claude-like`
    "generic": ("generic", "", "CLAUDE_PROJECT_DIR", ()),  # whoever runs Claude Code's registrations sets that for them
}
_LOADED: "dict[str, Adapter]" = {}


def get(name: str) -> "Adapter":
    """The adapter of that name, loaded now; `generic` for a name without one."""
    folder = ADAPTERS.get(name, ADAPTERS[GENERIC])[0]
    if folder not in _LOADED:
        from untilgreen.hosts.adapter import Adapter

        _LOADED[folder] = Adapter(f"untilgreen.hosts.{folder}")
    return _LOADED[folder]


def detect(payload: "dict[str, Any]", env: "Mapping[str, str]", named: str = "") -> "Adapter":
    """The adapter for this call: the one `named` by `--host`, else the one that the payload speaks for.

    Claude Code's name decides nothing: other hosts run its registrations as they stand. One that nobody ran yet is
    held only where its own registration asks for that.
    """
    if named not in ("", DEFAULT):
        return get(named)
    from untilgreen.hosts import guess

    foreign = guess.foreign(payload, env)
    host = get(foreign or DEFAULT)
    return get(GENERIC) if foreign and host.facts.never_run else host


def session(env: "Mapping[str, str]", named: str = "") -> str:
    """The session that the host `named` tells in the environment, or without a name any host; "" where none does."""
    return next((env[row[1]] for row in _rows(named) if env.get(row[1])), "")


def project(env: "Mapping[str, str]", named: str = "") -> str:
    """The project's folder that the host `named` tells in the environment, or any; "" where none does."""
    return next((env[row[2]] for row in _rows(named) if env.get(row[2])), "")


def variables(session: str, project: str, named: str = "") -> "dict[str, str]":
    """What the host puts into the environment of a hook for this session and project."""
    _, its_session, its_project, _ = ADAPTERS[named or DEFAULT]
    told = {its_session: session, its_project: project}
    return {name: value for name, value in told.items() if name and value}


def private() -> "tuple[str, ...]":
    """The prefixes of variables that belong to a host."""
    return tuple(start for row in ADAPTERS.values() for start in row[3])


def _rows(named: str) -> "list[Row]":
    return [ADAPTERS[named]] if named in ADAPTERS else list(ADAPTERS.values())
