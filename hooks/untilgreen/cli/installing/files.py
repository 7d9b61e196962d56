"""What comes with a registration: the typed commands and the skill, which files they are and whose; and keys in the
project's configuration.
"""

import os
import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from untilgreen import hosts
from untilgreen.cli.installing import changes, receipt, targets
from untilgreen.cli.installing.changes import Change, content
from untilgreen.cli.installing.receipt import Receipt
from untilgreen.cli.installing.targets import Target
from untilgreen.core.errors import UserError
from untilgreen.project.files import templates_folder

ALIASES = ("loop", "ralph", "jikime")
COMMANDS = os.path.join("commands", "untilgreen")
SKILL = os.path.join("skills", "until-green")


def templates(target: Target, root: str, env: Mapping[str, str], aliases: Iterable[str] = ()) -> dict[str, bytes]:
    """Every such file of a host, in the form that it has there: path to what it holds."""
    source, typed = Path(templates_folder()), target.facts.typed or hosts.TYPED

    def text(path: Path) -> str:
        return path.read_text(encoding="utf-8").replace(hosts.TYPED, typed)

    commands = {path.stem: text(path) for path in sorted((source / "commands").iterdir())}
    skill = {path.name: text(path) for path in sorted((source / SKILL).iterdir())}
    found = target.settings.texts(target.scope.name, root, env, commands, skill)
    for alias in aliases:
        found |= aliased(target, root, env, alias)
    return found


def aliased(target: Target, root: str, env: Mapping[str, str], alias: str) -> dict[str, bytes]:
    """The files of an alias, none where the host hears no such command."""
    heard, folder = hosts.get(target.host).commands(), target.settings.folder(target.scope.name, root, env)
    source = Path(templates_folder()) / "aliases" / alias
    theirs = {str(path.relative_to(source)): path.read_bytes() for path in sorted(source.rglob("*.md"))}
    if not folder or heard is None or not all(_command(name) in heard.NAMES for name in theirs):
        return {}
    return {os.path.join(folder, "commands", name): text for name, text in theirs.items()}


def ours(names: Iterable[str], root: str, env: Mapping[str, str]) -> dict[str, bytes]:
    """All such files of these hosts in a project, with every alias: path to what it holds."""
    found: dict[str, bytes] = {}
    for target in targets.everywhere(names, root, env):
        if target.scope.name != "user":
            found |= templates(target, root, env, ALIASES)
    return found


def planned(wanted: Mapping[str, bytes], old: Receipt, *, force: bool) -> tuple[list[Change], list[str]]:
    """What is to be written, and which of these files are somebody else's: they are only overwritten by force. Raises
    UserError."""
    found = [changes.planned(path, data) for path, data in wanted.items()]
    there = [change for change in changes.real(found) if change.before is not None]
    foreign = [change.path for change in there if not receipt.as_left(old.part(change.path), change.before)]
    if foreign and not force:
        raise UserError(
            f"{', '.join(foreign)}: not as untilgreen left it",
            "move it away, or give --force, which keeps it for uninstall",
        )
    return found, foreign


def said(target: Target, root: str, env: Mapping[str, str], aliases: Iterable[str]) -> Iterator[str]:
    """What people can type there, and the skill, a line each."""
    facts, folder = target.facts, target.settings.folder(target.scope.name, root, env)
    if facts.typed:
        typed = [facts.typed + path.stem for path in (Path(templates_folder()) / "commands").iterdir()]
        more = [path for alias in aliases for path in aliased(target, root, env, alias)]
        typed += [_command(os.path.relpath(path, os.path.join(folder, "commands"))) for path in more]
        kind = "slash commands" if facts.typed.startswith("/") else "commands"
        yield f"{kind}: {', '.join(sorted(typed))}"
    if any(os.path.dirname(path).endswith(SKILL) for path in templates(target, root, env)):
        yield f"skill: {os.path.basename(SKILL)}"


def _command(name: str) -> str:
    """What people type for a file below a folder of commands: /jikime:loop for jikime/loop.md."""
    return f"/{name.removesuffix('.md').replace(os.sep, ':')}"


def changed(root: str, keys: Mapping[str, str]) -> list[Change]:
    """The project's configuration, which is a valid one, with these keys: the file that there is, else a new
    untilgreen.toml. Raises UserError where it has a form that is for people to edit."""
    own, shared = os.path.join(root, "untilgreen.toml"), os.path.join(root, "pyproject.toml")
    here, there = content(own), content(shared)
    if not keys:
        return []
    if here is None and there and "untilgreen" in tomllib.loads(there.decode()).get("tool", {}):
        return [Change(shared, there, _edited(shared, there.decode(), r"(?m)^\[tool\.untilgreen\].*\n", keys))]
    return [Change(own, here, _edited(own, (here or b"").decode(), r"\A", keys))]


def _edited(path: str, text: str, head: str, keys: Mapping[str, str]) -> bytes:
    """With these keys: each where it stands, else behind what `head` finds. Raises UserError."""
    wanted = tomllib.loads(text)
    table = wanted if head == r"\A" else wanted["tool"]["untilgreen"]
    new = {key: value for key, value in keys.items() if key not in table}
    for key, value in keys.items() - new.items():
        text = re.sub(rf"""(?m)^({key}\s*=\s*)(["']).*?\2""", rf'\1"{value}"', text)
    lines = "".join(f'{key} = "{value}"\n' for key, value in new.items())
    text = re.sub(head, lambda match: match.group() + lines, text, count=1)
    table.update(keys)
    try:
        done = tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        done = False
    if not done:
        raise UserError(f"{path} cannot be edited in the form that it has", f"set {', '.join(keys)} there by hand")
    return text.encode()
