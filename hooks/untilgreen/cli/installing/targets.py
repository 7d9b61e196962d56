"""Which hosts, and which settings file of each, `init` and `uninstall` are about; what would run our hooks a second
time; and what comes with a registration: the typed commands and the skill, and keys in the project's configuration.
"""

import os
import re
import shlex
import shutil
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from untilgreen import hosts
from untilgreen.cli.installing import changes
from untilgreen.cli.installing.changes import Change, content
from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.hook_health import HookHealth
from untilgreen.hosts.host import Plugin, Scope, Source
from untilgreen.project import tools, toplevel
from untilgreen.project.files import templates_folder

ALIASES = ("loop", "ralph", "jikime")
COMMANDS = os.path.join("commands", "untilgreen")
SKILL = os.path.join("skills", "until-green")


class Target(NamedTuple):
    host: str
    settings: HookHealth
    scope: Scope

    @property
    def facts(self) -> Facts:
        return hosts.get(self.host).facts


def known() -> dict[str, HookHealth]:
    """The hosts whose settings we write."""
    return {name: files for name in hosts.ADAPTERS if (files := hosts.get(name).settings())}


def settings(host: str) -> HookHealth:
    """The settings of a host that was asked for. Raises UserError where we do not write any."""
    found = hosts.get(host).settings() if host in hosts.ADAPTERS else None
    if not found:
        raise UserError(f"--host {host}: untilgreen does not register with it", f"give one of {', '.join(known())}")
    return found


def of(host: str, scope: str, root: str, env: Mapping[str, str]) -> Target:
    """The settings file of a scope, "" for the host's usual one. Raises UserError where the host has none."""
    files = settings(host)
    name = scope or files.SCOPES[0]
    for found in files.scopes(root or os.sep, env):
        if found.name == name and name in files.SCOPES:
            return Target(host, files, found)
    title, cure = hosts.get(host).facts.title, f"give --{files.SCOPES[0]}, or other hosts with --host"
    raise UserError(f"{title} has no settings for --{name}", cure)


def everywhere(names: Iterable[str], root: str, env: Mapping[str, str]) -> Iterator[Target]:
    """The settings files of these hosts that init may write, of each the strongest first."""
    for name in names:
        own = settings(name)
        found = (scope for scope in own.scopes(root or os.sep, env) if scope.name in own.SCOPES)
        yield from (Target(name, own, scope) for scope in found)


def registered(one: Target) -> bool:
    return bool(one.settings.registered(one.scope, changes.taken(one.settings, one.scope.path)))


def there(root: str, env: Mapping[str, str]) -> Sequence[str]:
    """The hosts of this user: those whose program is found, and that were run with untilgreen.

    A folder in the home tells of an editor's or a desktop's copy, but also of one that is gone: it counts for the usual
    host, and for others where no program is found. A host's folder in a project may be somebody else's.
    """
    facts = {name: one for name in known() if (one := hosts.get(name).facts).program and not one.never_run}
    programs = {name for name, one in facts.items() if program(one, root, env)}
    homes = {name for name, one in facts.items() if os.path.isdir(home(one, env))}
    found = programs | (homes & {hosts.DEFAULT} if programs else homes)
    return [name for name in facts if name in found] or [hosts.DEFAULT]


def program(facts: Facts, root: str, env: Mapping[str, str]) -> str:
    """Where the host's program lies: on the PATH, else in one of its usual places; "" where it is in none."""
    usual = os.pathsep.join(facts.places).replace("~", env.get("HOME", ""))
    found = tools.on_path(facts.program, root, env, trusted=False)
    return found or (usual and shutil.which(facts.program, path=usual)) or ""


def home(facts: Facts, env: Mapping[str, str]) -> str:
    """The host's own folder of this user, "" where it has none; it need not be there."""
    return env.get(facts.config_dir, "") or facts.home.replace("~", env.get("HOME", ""), 1)


def refuse(files: HookHealth, scope: Scope, root: str, env: Mapping[str, str]) -> None:
    """Raise UserError where our hooks are registered with the host beside this scope already."""
    other = next(_elsewhere(files, [scope.path], root, env), None)
    if isinstance(other, Plugin):
        what, cure = (
            f"the plugin {other.name} is enabled in {other.scope.path} and",
            f"run `{other.disable}` first, or ",
        )
        raise UserError(f"{what} the hooks would run twice", f"{cure}give --force")
    if other:
        main = f"--local --project {shlex.quote(toplevel.main_tree(root))}"  # of a linked work tree
        words = f"--{other.name}" if other.name in files.SCOPES else main
        cure = "" if other.name == "managed" else f"run `untilgreen uninstall {words}` first, or "
        raise UserError(f"the hooks are registered in {other.path} and would run twice", f"{cure}give --force")


def serving(taken: Sequence[str], root: str, env: Mapping[str, str]) -> dict[str, Scope]:
    """Where this project is registered beside these settings files, or a plugin serves it, for each host that is."""
    found = ((name, next(_elsewhere(files, taken, root, env), None)) for name, files in known().items())
    return {name: one.scope if isinstance(one, Plugin) else one for name, one in found if one}


def _elsewhere(files: HookHealth, taken: Sequence[str], root: str, env: Mapping[str, str]) -> Iterator[Scope | Plugin]:
    """Other settings files, no links to these, that the host reads and our hooks stand in; and our plugin, if on."""
    here, every = {os.path.realpath(path) for path in taken}, files.scopes(root or os.sep, env)
    known = (*every, *files.linked(root)) if root else [one for one in every if one.name in ("managed", "user")]
    for scope in known:
        settings = changes.taken(files, scope.path)
        if os.path.realpath(scope.path) not in here and files.registered(scope, settings):
            yield scope
    if plugin := files.plugin([(scope, changes.taken(files, scope.path)) for scope in every]):
        yield plugin
    found = [Source(files.HOST, scope, changes.taken(files, scope.path)) for scope in every]
    yield from (Plugin(one.scope, "untilgreen", files.PLUGIN[2]) for one in files.plugins(found, root, env))


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
    theirs = (one for one in everywhere(names, root, env) if one.scope.name != "user")
    return {path: text for one in theirs for path, text in templates(one, root, env, ALIASES).items()}


def personal(names: Iterable[str], root: str, env: Mapping[str, str]) -> list[str]:
    """What init may put into the project for one person: these hosts' settings of their own, commands and skills."""
    own = [one.scope.path for one in everywhere(names, root, env) if one.scope.name == "local"]
    return [*own, *ours(names, root, env)]


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
    """The project's valid configuration with these keys, else a new one. Raises UserError for a form of people's."""
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
