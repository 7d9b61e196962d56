"""Where state lies: nothing else builds the path of a state folder or of a session's files.

Imports only `os`: every call of a hook asks.
"""

import os

from untilgreen import hosts
from untilgreen.project import toplevel

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from untilgreen.core.model.event import Event, Place

FOLDER = ".untilgreen"
STATE = "loop_state.json"
EDITS = "edits.json"
SESSION = "session.json"
NEXT = "next"  # the folder of loops that wait for a session
_CONFIG = "config.json"
_PLAIN = frozenset("0123456789abcdef-")


def root_of(env: "Mapping[str, str]", cwd: str = "", given: str = "", host: str = "") -> str:
    """The project root: `--project`, else what the host names, else the payload's cwd; from there the git top level."""
    return toplevel.top(given or hosts.project(env, host) or cwd or os.getcwd())


def base_of(root: str, env: "Mapping[str, str]") -> str:
    """The state folder of a project, by the configuration as it was resolved last; it need not exist."""
    given = env.get("UNTILGREEN_STATE_DIR", "")
    return below(root, given) if given else below(root, _moved_to(os.path.join(root, FOLDER)))


def base_here(env: "Mapping[str, str]", given: str = "", host: str = "") -> str:
    """The state folder of this call's project, as far as the payload need not be read for it; "" where that fails."""
    try:
        return base_of(root_of(env, given=given, host=host), env)
    except (OSError, ValueError):  # the current folder is gone; a null byte in a name
        return ""


def below(root: str, state_dir: str) -> str:
    """The state folder that `state_dir` names, relative to the project: each process has a folder of its own."""
    return os.path.normpath(os.path.join(root, os.path.expanduser(state_dir) or FOLDER))


def config_folder(root: str, env: "Mapping[str, str]") -> str:
    """Where the resolved configuration lies: in the project, whatever `state_dir` says."""
    return below(root, env.get("UNTILGREEN_STATE_DIR", ""))


def key_of(session: str) -> str:
    """The session's folder name: its id if that is plain, else a digest; nothing that a host sends becomes a path."""
    if 8 <= len(session) <= 64 and _PLAIN.issuperset(session):
        return session
    import hashlib

    return "x-" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def has_loop(base: str, session: str) -> bool:
    """Whether a document of a loop lies there for this session."""
    return os.path.lexists(os.path.join(base, "sessions", key_of(session), STATE))


def of(root: str, base: str, session: str) -> "Place":
    """The place of a session, by the host's id for it."""
    from untilgreen.core.model.event import Place

    return Place(root, base, key_of(session))


def find(event: "Event", env: "Mapping[str, str]", given: str = "") -> "Place":
    """Whose state an event speaks of. `given`: the project by `--project`."""
    root = root_of(env, event.cwd, given, event.host)
    return of(root, base_of(root, env), event.session)


def _moved_to(folder: str) -> str:
    """`state_dir` of the configuration that is resolved in this folder, "" where it names none."""
    try:
        with open(os.path.join(folder, _CONFIG), "rb") as file:
            text = file.read()
        if b'"state_dir"' not in text:
            return ""
        import json

        found = json.loads(text)["settings"]["state_dir"]
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return found if isinstance(found, str) else ""
