"""The slash commands and the skill: are they there, and are they those of this version?"""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from untilgreen.cli.doctor import cures, registrations
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import NOTE, OK, WARNING, Finding
from untilgreen.cli.doctor.settings import PLUGIN
from untilgreen.hosts.claude_code import commands as aliases
from untilgreen.state import catalogue

SUBJECT = "commands"
_OWN = os.path.join("commands", "untilgreen")
_LARGEST = 100_000  # bytes; ours are under five thousand


class Written(NamedTuple):
    """One of our files in a host's folder: its path below that, and whether it is as this version writes it."""

    path: str
    same: bool


class Folder(NamedTuple):
    """What lies in one `.claude` folder. `scope`: "local" for the project's, "user"; `missing`: our commands and
    skill that are not there; `left`: files in our folder of commands that this version has not."""

    path: str
    scope: str
    written: tuple[Written, ...]
    missing: tuple[str, ...]
    left: tuple[str, ...]


def look(case: Case) -> tuple[Folder, ...]:
    """The project's folder and the user's, read."""
    expected = _expected()
    folders = (("local", os.path.join(case.root, ".claude")), ("user", aliases.user_folder(case.env)))
    return tuple(_folder(path, scope, expected) for scope, path in folders)


def _expected() -> Mapping[str, str]:
    """Path below a host's folder to the text that `init` writes there; aliases among them."""
    templates = catalogue.templates()
    found: dict[str, str] = {}
    for part, target in (("commands", _OWN), ("skills", "skills")):
        found |= {os.path.join(target, path): text for path, text in _texts(os.path.join(templates, part))}
    for name in sorted(os.listdir(os.path.join(templates, "aliases"))):
        texts = _texts(os.path.join(templates, "aliases", name))
        found |= {os.path.join("commands", path): text for path, text in texts}
    return found


def _texts(folder: str) -> Iterator[tuple[str, str]]:
    for above, _, names in os.walk(folder):
        for name in sorted(names):
            path = os.path.join(above, name)
            yield os.path.relpath(path, folder), _text(path) or ""


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError:
        return None


def _folder(path: str, scope: str, expected: Mapping[str, str]) -> Folder:
    texts = {name: _text(os.path.join(path, name)) for name in expected}
    alias = {os.path.join("commands", name) for name in aliases.ALIASES.values()}
    # under the name of an alias anybody may have a command of their own
    ours = {
        name: text for name, text in texts.items() if text is not None and (name not in alias or "untilgreen" in text)
    }
    own = os.path.join(path, _OWN)
    names = sorted(os.listdir(own)) if os.path.isdir(own) else []
    return Folder(
        path,
        scope,
        tuple(Written(name, text == expected[name]) for name, text in ours.items()),
        tuple(name for name in expected if name not in ours and name not in alias),
        tuple(name for name in (os.path.join(_OWN, one) for one in names) if name not in expected),
    )


def findings(case: Case, folders: Sequence[Folder], places: Sequence[str]) -> tuple[Finding, ...]:
    """`places`: the scopes in which hooks are registered."""
    used = [folder for folder in folders if folder.written or folder.left]
    if PLUGIN in places and not used:
        return (Finding(SUBJECT, OK, "they come with the plugin"),)
    if not used:
        what = "no slash command of untilgreen is installed here: loops begin in a shell only (start-loop)"
        return (Finding(SUBJECT, WARNING, what, registrations.again(case, places[0] if places else "local")),)
    return tuple(one for folder in used for one in _of(case, folder, _scope(folder, places)))


def _scope(folder: Folder, places: Sequence[str]) -> str:
    """The registration that the folder's files belong to, "" where there is none."""
    theirs = ("user",) if folder.scope == "user" else ("local", "shared")
    return next((place for place in places if place in theirs), "")


def _of(case: Case, folder: Folder, scope: str) -> Iterator[Finding]:
    where, other = case.shown(folder.path), [one.path for one in folder.written if not one.same]
    names = [_typed(one.path) for one in folder.written if one.same]
    if names:
        yield Finding(SUBJECT, OK, f"{where}: {', '.join(names)}")
    if other:
        # by force a copy is kept of what somebody edited; what lies beside no registration was left there
        again = ("--force", *(word for name in _aliases(other) for word in ("--alias", name)))
        cure = registrations.again(case, scope, *again) if scope else _removed(folder, other)
        what = f"{where}: from another version, or edited: {', '.join(map(_typed, other))}"
        yield Finding(SUBJECT, WARNING, what, cure)
    if folder.missing and scope:
        what = f"{where}: missing: {', '.join(map(_typed, folder.missing))}"
        yield Finding(SUBJECT, WARNING, what, registrations.again(case, scope))
    if folder.left:
        what = f"{where}: {', '.join(map(_typed, folder.left))} is of another version"
        yield Finding(SUBJECT, NOTE, what, _removed(folder, folder.left))
    if any(one.path == os.path.join("commands", "loop.md") for one in folder.written):
        yield Finding(SUBJECT, OK, f"{where}: /loop hides the host's own command of that name")


def _aliases(names: Sequence[str]) -> list[str]:
    """What `init --alias` calls these files."""
    folder = os.path.join(catalogue.templates(), "aliases")
    below = [os.path.relpath(name, "commands") for name in names]
    return [
        name
        for name in sorted(os.listdir(folder))
        if any(os.path.exists(os.path.join(folder, name, one)) for one in below)
    ]


def _removed(folder: Folder, names: Sequence[str]) -> str:
    return cures.run("rm", *(os.path.join(folder.path, name) for name in names))


def _typed(path: str) -> str:
    """A file as what a person types: `commands/untilgreen/loop.md` is /untilgreen:loop."""
    kind, _, rest = path.partition(os.sep)
    if kind == "skills":
        return f"the skill {rest.partition(os.sep)[0]}"
    return "/" + rest.removesuffix(".md").replace(os.sep, ":")
