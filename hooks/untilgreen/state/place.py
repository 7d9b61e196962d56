"""Where state lies, and whether it is ours: nothing else builds the path of a state folder or of a session's files.

A repository may come with a folder `.untilgreen`. Ours is that of a project which a person trusted, without links in
it; in any other nothing is read or written. Imports only `os`: every call of a hook asks.
"""

import os
import stat

from untilgreen import hosts
from untilgreen.project import files, toplevel, trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from untilgreen.core.model.event import Event, Place

FOLDER = ".untilgreen"
STATE = "loop_state.json"
EDITS = "edits.json"
SESSION = "session.json"
GIT = "git"  # the folder of our own store of git objects
ASIDE = "aside"  # that of what a rollback found and nobody had kept
HINTS = "impact"  # that of what runs of tests leave behind, as which of them start which functions
WARM = "warm"  # that of the broker of type checkers
NEXT = "next"  # the folder of loops that wait for a session
RUN = "UNTILGREEN_LOOP"  # names the session of the run that started the host, to the hooks of its sessions
# the state folder where the one that is there is not ours: nothing can lie here
NOWHERE = os.path.join(os.devnull, FOLDER)
# files whose existence is the answer: `off` switches the hooks off, `on` keeps them on where a wider `off` is there; of
# their scopes the narrowest decides
SESSION_SCOPE, PROJECT, USER = SCOPES = ("session", "project", "user")
ON, OFF = "on", "off"
_CONFIG = "config.json"
_LARGEST = 1024 * 1024  # bytes of it
# the folders in the state folder, and in a session's
_FOLDERS = ("sessions", "called", NEXT, "recorded", "parked", "types", HINTS, WARM, GIT, ASIDE)
_ITS_FOLDERS = ("loops", "originals", "released")
_PLAIN = frozenset("0123456789abcdef-")


def root_of(env: "Mapping[str, str]", cwd: str = "", given: str = "", host: str = "") -> str:
    """The project root: `--project`, else what the host names, else the payload's cwd; from there the git top level."""
    return toplevel.top(given or hosts.project(env, host) or cwd or os.getcwd())


def base_of(root: str, env: "Mapping[str, str]") -> str:
    """The state folder, by the last configuration; NOWHERE where the one there is not ours. Raises trust.Unread."""
    folder = config_folder(root, env)
    moved = "" if env.get("UNTILGREEN_STATE_DIR") else _moved_to(folder)
    if not moved:
        return folder
    base = below(root, moved)
    return NOWHERE if unfit(root, base, env) or link_in(base) else base


def base_here(env: "Mapping[str, str]", given: str = "", host: str = "") -> str:
    """The state folder of this call's project, as far as the payload need not be read for it; "" where that fails."""
    try:
        return base_of(root_of(env, given=given, host=host), env)
    except (OSError, ValueError):  # the current folder is gone; a null byte in a name; nobody knows what is trusted
        return ""


def below(root: str, state_dir: str) -> str:
    """The state folder that `state_dir` names, relative to the project: each process has a folder of its own."""
    return os.path.normpath(os.path.join(root, os.path.expanduser(state_dir) or FOLDER))


def config_folder(root: str, env: "Mapping[str, str]") -> str:
    """Where the resolved configuration lies, whatever `state_dir` says; or NOWHERE. Raises trust.Unread."""
    folder = usual(root, env)
    if env.get("UNTILGREEN_STATE_DIR") or not os.path.lexists(folder):
        return folder
    if not trust.trusted(root, env) and not trust.is_certain(env):
        raise trust.Unread(None, "HOME names no folder", trust.path(env))
    return folder if trust.trusted(root, env) and not link_in(folder) else NOWHERE


def usual(root: str, env: "Mapping[str, str]") -> str:
    """Where our folder is made, whosever the one may be that is there."""
    return below(root, env.get("UNTILGREEN_STATE_DIR", ""))


def link_in(base: str) -> str:
    """Our folder, or the first of those in a state folder, that is a link; "" where none is."""
    ours = (base,) if os.path.basename(base) == FOLDER else ()
    inner = (os.path.join(base, name) for name in _FOLDERS)
    return next((path for path in (*ours, *inner) if os.path.islink(path)), "")


def unfit(root: str, base: str, env: "Mapping[str, str]") -> str:
    """Why a configuration, which may have come with its repository, may not put the state there; "" where it may."""
    real = os.path.realpath(base)
    if base == root or base.startswith(os.path.join(root, "")):
        return "" if real == base else "leads elsewhere by a link"
    for home in toplevel.homes(env):
        if real == home or real.startswith(os.path.join(home, ".")):
            return "is your home folder" if real == home else "lies in a dot folder of your home"
    return "is the top of the file system" if os.path.dirname(real) == real else ""


def key_of(session: str) -> str:
    """The session's folder name: its id if that is plain, else a digest; nothing that a host sends becomes a path."""
    if 8 <= len(session) <= 64 and _PLAIN.issuperset(session):
        return session
    import hashlib

    return "x-" + hashlib.sha256(session.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def has_loop(base: str, session: str) -> bool:
    """Whether a document of a loop lies there for this session. Raises OSError."""
    return there(os.path.join(base, "sessions", key_of(session), STATE))


def there(path: str) -> bool:
    """Whether anything lies there. Raises OSError where the system does not say: that is no reason for silence."""
    try:
        os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    return True


def end_warm(base: str) -> None:
    """End the broker of type checkers, if there is one: it does within seconds once its lock is gone."""
    try:
        os.unlink(os.path.join(base, WARM, "lock"))
    except OSError:
        pass


def is_folder(path: str) -> bool:
    """As `there`, of a folder, or a link to one."""
    try:
        return stat.S_ISDIR(os.stat(path).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def seal_of(env: "Mapping[str, str]", key: str) -> str:
    """Where the seals of a session's loops lie, by its folder's name: outside of every repository."""
    return os.path.join(trust.folder(env), "sealed", f"{key}.json")


def has_neighbours(env: "Mapping[str, str]", base: str, session: str) -> bool:
    """Whether a loop of another session runs here, or ended without a word to its user. Raises OSError."""
    folder, keys = os.path.join(base, "sessions"), other_keys(base, key_of(session))
    return any(os.path.lexists(seal_of(env, key)) and there(os.path.join(folder, key, STATE)) for key in keys)


def other_keys(base: str, key: str) -> list[str]:
    """The keys of the other sessions that have a folder here. Raises OSError."""
    folder = os.path.join(base, "sessions")
    return [one for one in os.listdir(folder) if one != key] if is_folder(folder) else []


def is_sealed(env: "Mapping[str, str]", session: str) -> bool:
    """Whether a loop of the session runs, or ended without a word to its user, wherever its state is."""
    return os.path.lexists(seal_of(env, key_of(session)))


def run_of(env: "Mapping[str, str]", base: str) -> str:
    """The session of the run that started this host (not of the agent's own shell), or "". Raises OSError."""
    session = env.get(RUN, "")
    if not session or not base or key_of(session) != session:
        return ""
    return session if has_loop(base, session) and is_sealed(env, session) else ""


def of(root: str, base: str, session: str) -> "Place":
    """The place of a session, by the host's id for it."""
    return at(root, base, key_of(session))


def at(root: str, base: str, key: str) -> "Place":
    """The place of a session, by its folder's name; NOWHERE where a folder of it is a link."""
    from untilgreen.core.model.event import Place

    place = Place(root, base, key)
    linked = any(map(os.path.islink, (place.folder, *map(place.file, _ITS_FOLDERS))))
    return place._replace(base=NOWHERE) if linked else place


def find(event: "Event", env: "Mapping[str, str]", given: str = "") -> "Place":
    """Whose state an event speaks of. `given`: the project by `--project`."""
    root = root_of(env, event.cwd, given, event.host)
    return of(root, base_of(root, env), event.session)


def switch_folder(scope: str, place: "Place", env: "Mapping[str, str]") -> str:
    """Where `off` and `on` of a scope lie."""
    if scope == USER:
        return trust.folder(env)
    return place.folder if scope == SESSION_SCOPE else place.base


def switch_of(scope: str, place: "Place", env: "Mapping[str, str]") -> str:
    """The file that is there of this scope alone, "" where none is; `off` where somebody made both."""
    paths = (os.path.join(switch_folder(scope, place, env), name) for name in (OFF, ON))
    return next((path for path in paths if os.path.exists(path)), "")


def deciding_switch(place: "Place", env: "Mapping[str, str]", scope: str = SESSION_SCOPE) -> tuple[str, str]:
    """The scope and the file that decide, from this scope on; two empty texts where nobody switched anything."""
    found = ((one, switch_of(one, place, env)) for one in SCOPES[SCOPES.index(scope) :])
    return next((one for one in found if one[1]), ("", ""))


def is_off(path: str) -> bool:
    return os.path.basename(path) == OFF


def _moved_to(folder: str) -> str:
    """`state_dir` of the configuration that is resolved in this folder, "" where it names none."""
    try:
        text = files.read(os.path.join(folder, _CONFIG), _LARGEST)
        if b'"state_dir"' not in text:
            return ""
        import json

        found = json.loads(text)["settings"]["state_dir"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return ""
    return found if isinstance(found, str) and "\0" not in found else ""
