"""What must not leave the machine is taken out of a payload: secrets, e-mail addresses, names, folders, ids. Pure.

Patterns can only know what secrets look like; one in plain words ("the password is swordfish") passes.
"""

import re
from typing import Any, NamedTuple

from untilgreen.core.seal import blake2b

REDACTED = "REDACTED"
EMAIL = "user@example.invalid"
PROJECT, HOME, USER = "/work/project", "/home/user", "user"
_COMMON = frozenset({"", "root", "user", "admin", "runner", "test"})  # account names that say nothing

_NAMES = (
    r"(?:(?:api|access|private)[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential|cookie"
    r"|auth(?!or(?!i[sz])))"  # no author
)
_SECRET_KEY = re.compile(_NAMES, re.IGNORECASE)
_VALUE = r"""(?:(?P<quote>\\*["']).*?(?:(?P=quote)|$)|[^\s"'\\,;&|<>)}\]]+)"""
_WHOLE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|\Z)"
    r"|\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}|\bgh[pousr]_[A-Za-z0-9]{16,}|\bgithub_pat_\w{16,}|\bglpat-[\w-]{16,}"
    r"|\bxox[a-z]-[\w-]{10,}|\b(?:AKIA|ASIA)[0-9A-Z]{16}|\bAIza[\w-]{30,}|\bya29\.[\w-]{16,}|\bSG\.[\w-]{16,}\.[\w-]{16,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{16,}|\bhf_[A-Za-z0-9]{16,}",
    re.DOTALL,
)
_AFTER = re.compile(  # what stays, then the secret
    rf"(?P<stays>\b(?:bearer|basic)\s+)[\w.~+/=-]{{8,}}"
    rf"|(?P<address>://[^\s/:@]{{0,200}}:)[^\s/@]{{1,200}}(?=@)"
    r"|(?P<header>(?:authorization|cookie)\\*[\"']?\s{0,4}[:=]\s{0,4}\\*[\"']?)[^\r\n\"'\\]+"
    rf"|(?P<assigned>{_NAMES}[\w.-]{{0,40}}\\*[\"']?\s{{0,4}}(?:=>|:=|=|:)\s{{0,4}}){_VALUE}"
    rf"|(?P<flag>(?<!-)--(?!-)[\w-]{{0,40}}?{_NAMES}[\w-]{{0,40}}\s+){_VALUE.replace('quote', 'mark')}",
    re.IGNORECASE | re.MULTILINE,
)
_LONG = re.compile(r"""(?P<stays>[=:]\s{0,4}\\*["']?)(?P<value>[A-Za-z0-9+/_-]{20,}={0,2})""")
_EMAIL = re.compile(r"\b[\w.+%-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}")
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
        return {text(name, person): redacted(item, person, _inner(name, key)) for name, item in value.items()}
    if isinstance(value, list):
        return [redacted(item, person, key) for item in value]
    if not isinstance(value, str) or not value:
        return value
    if key and _SECRET_KEY.search(key):
        return REDACTED
    if key.endswith("transcript_path"):
        return f"{HOME}/.claude/projects/project/{text(value.replace(chr(92), '/').rpartition('/')[2], person)}"
    return text(value, person)


def _inner(name: str, above: str) -> str:
    """What lies in a secret is one."""
    return above if above and _SECRET_KEY.search(above) else name


def text(told: str, person: Person) -> str:
    """A text as it may be shown to others."""
    told = _WHOLE.sub(REDACTED, told)
    told = _AFTER.sub(_without, told)
    told = _LONG.sub(_short, told)
    told = _EMAIL.sub(EMAIL, told)
    told = _UUID.sub(lambda found: pseudonym(found[0].lower(), person.salt), told)
    if person.session and not _UUID.fullmatch(person.session):
        told = told.replace(person.session, pseudonym(person.session, person.salt))
    return _places(told, person)


def pseudonym(identifier: str, salt: str) -> str:
    """Another id in its place, always the same one."""
    digits = blake2b(f"{salt} {identifier}".encode("utf-8", "replace"), digest_size=16).hexdigest()
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def _without(found: "re.Match[str]") -> str:
    kept = next((part for part in found.group("stays", "address", "header", "assigned", "flag") if part), "")
    quote = found["quote"] or found["mark"] or ""
    return f"{kept}{quote}{REDACTED}{quote}"


def _short(found: "re.Match[str]") -> str:
    """A long value that looks drawn by lot: letters of both cases and digits, or nothing but hex digits."""
    value = found["value"]
    mixed = any(c.islower() for c in value) and any(c.isupper() for c in value) and any(c.isdigit() for c in value)
    drawn = (mixed or re.fullmatch(r"[0-9a-fA-F]{32,}", value)) and len(set(value)) >= 10
    return f"{found['stays']}{REDACTED}" if drawn else found[0]


def _places(told: str, person: Person) -> str:
    """Folders as paths and as Claude Code writes them in file names (`-home-user-project`), and the account's name."""
    for folder, stand_in in ((person.project, PROJECT), (person.home, HOME)):
        if len(folder.strip("/")) > 1:
            told = told.replace(folder, stand_in)
            told = told.replace(re.sub(r"[^A-Za-z0-9]", "-", folder), stand_in.replace("/", "-"))
    return told if person.user in _COMMON else re.sub(rf"\b{re.escape(person.user)}\b", USER, told)
