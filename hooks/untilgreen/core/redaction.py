"""What must not leave the machine is taken out of a payload: secrets, e-mail addresses, names, folders, ids. Pure.

Patterns can only know what secrets look like; one in plain words ("the password is swordfish") passes.
"""

import re
from typing import Any, NamedTuple

from untilgreen.core import credentials, drawn
from untilgreen.core.credentials import REDACTED
from untilgreen.core.seal import blake2b

EMAIL = "user@example.invalid"
PROJECT, HOME, USER = "/work/project", "/home/user", "user"
# account names that say nothing
_COMMON = frozenset({"", "root", "user", "admin", "runner", "test", "ubuntu", "vscode", "node", "dev", "git"})
# what hosts call the parts of a payload: with other names, hooks would not know it again
_PROTOCOL = frozenset(
    {"session_id", "transcript_path", "cwd", "prompt_id", "agent_id", "permission_mode", "hook_event_name", "prompt"}
    | {"stop_hook_active", "last_assistant_message", "background_tasks", "session_crons", "source", "reason"}
    | {"tool_name", "tool_input", "tool_response", "tool_use_id", "file_path", "notebook_path", "filePath", "type"}
    | {
        "originalFile",
        "original_file",
        "content",
        "command",
        "status",
        "description",
        "id",
        "role",
        "text",
        "name",
        "messages",
    }
)
_WORDS = frozenset(
    {"hook_event_name", "permission_mode", "tool_name", "source", "reason", "type", "status", "role", "AI_AGENT"}
)
_PATHS = frozenset({"file_path", "notebook_path", "filePath", "cwd"})
_HOSTS = ("codex", "gemini", "qwen", "cursor", "factory")  # whose payload it is shows in its paths
_TELLING = 6  # characters of a session's id; a shorter one would be found in words
_WORD = re.compile(r"[A-Za-z][\w./-]{0,80}")
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]++(?:@|%40)[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}")
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b", re.IGNORECASE)


class Person(NamedTuple):
    """Whose payload it is: home folder, account name, the project's root, the session's id. `salt`: what ids are mixed
    with, so that the same ones stay the same, and nobody can tell what they were."""

    home: str
    user: str
    project: str
    session: str
    salt: str


def redacted(value: Any, person: Person, key: str = "") -> Any:
    """A JSON value as it may be shown to others. `key`: the name that it has in its object."""
    if isinstance(value, dict):
        return {_name(name, person): redacted(item, person, _inner(name, key, value)) for name, item in value.items()}
    if isinstance(value, list):
        return [redacted(item, person, key) for item in value]
    if value is None or isinstance(value, bool) or value == "":
        return value
    if key not in _PROTOCOL and credentials.names_secret(key):
        return REDACTED
    return _shown(value, key, person) if isinstance(value, str) else value


def _inner(name: str, above: str, table: dict[str, Any]) -> str:
    """What lies in a secret is one, and so is the value beside a secret's name."""
    if above and above not in _PROTOCOL and credentials.names_secret(above):
        return above
    beside = table.get("name", table.get("key")) if name == "value" else ""
    return beside if isinstance(beside, str) and credentials.names_secret(beside) else name


def _name(name: str, person: Person) -> str:
    return name if name in _PROTOCOL else text(name, person)


def _shown(value: str, key: str, person: Person) -> str:
    """A text under this key; what a hook goes by keeps its meaning."""
    if value == person.session:
        return pseudonym(value.lower() if _UUID.fullmatch(value) else value, person.salt)
    if key.endswith("transcript_path"):
        path = value.replace("\\", "/")
        host = next((name for name in _HOSTS if f"/.{name}/" in path), "claude")
        return f"{HOME}/.{host}/projects/project/{text(path.rpartition('/')[2], person)}"
    if key in _WORDS and _WORD.fullmatch(value):
        return credentials.known_forms(value)
    root = person.project.rstrip("/")
    if key in _PATHS and root and (value == root or value.startswith(root + "/")):
        return PROJECT + credentials.known_forms(value[len(root) :])
    return text(value, person)


def text(told: str, person: Person) -> str:
    """A text as it may be shown to others."""
    told = credentials.hidden(_folders(told, person))
    told = _EMAIL.sub(EMAIL, told)
    told = _UUID.sub(lambda found: pseudonym(found[0].lower(), person.salt), told)
    if len(person.session) >= _TELLING and not _UUID.fullmatch(person.session):
        told = told.replace(person.session, pseudonym(person.session, person.salt))
    told = drawn.without(told, REDACTED)
    if person.user.lower() in _COMMON:
        return told
    # not the tag of a marker
    return re.sub(rf"(?<![A-Za-z0-9<])(?<!</){re.escape(person.user)}(?![A-Za-z0-9])", USER, told, flags=re.IGNORECASE)


def pseudonym(identifier: str, salt: str) -> str:
    """Another id in its place, always the same one."""
    digits = blake2b(f"{salt} {identifier}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _folders(told: str, person: Person) -> str:
    """Folders as paths and as Claude Code writes them in file names (`-home-user-project`)."""
    for folder, stand_in in ((person.project, PROJECT), (person.home, HOME)):
        if len(folder.strip("/")) > 1:
            told = told.replace(folder, stand_in)
            told = told.replace(re.sub(r"[^A-Za-z0-9]", "-", folder), stand_in.replace("/", "-"))
    return told
