"""`untilgreen init`: the hooks registered, the slash commands and the skill written, the project trusted."""

import os
import shlex
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import click

from untilgreen import hosts
from untilgreen.checks import planning, scripts
from untilgreen.cli import errors
from untilgreen.cli.doctor import hindrances
from untilgreen.cli.installing import (
    asked,
    changes,
    command_forms,
    duplicates,
    excluded,
    files,
    plan,
    project_keys,
    settings_file,
)
from untilgreen.cli.installing import receipt as receipts
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.plan import Plan
from untilgreen.cli.options import Choice
from untilgreen.core import findings
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Check
from untilgreen.core.model.settings import Settings
from untilgreen.hosts.host import Scope, SettingsFiles
from untilgreen.loops import first_look, starting
from untilgreen.loops.options import Request
from untilgreen.project import tools, trust, worktree
from untilgreen.settings import load
from untilgreen.settings.presets import PRESETS
from untilgreen.state import place

LEAST_SECONDS = 30  # of a stop
_MISSING = " is not installed"


class Wish(NamedTuple):
    """What is asked of `init`."""

    host: str
    settings: SettingsFiles
    scope: Scope
    #: the project, "" for the user's registration outside of any
    root: str
    aliases: tuple[str, ...]
    #: of the project's configuration
    keys: dict[str, str]
    #: the limit of a stop, None: the one that stands there, else the usual one
    stop_seconds: int | None
    status_line: bool
    force: bool


@click.command("init", epilog="Example: untilgreen init --dry-run")
@click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host to register with.")
@click.option("--local", is_flag=True, help="Register in your own settings of this project (the default).")
@click.option("--user", is_flag=True, help="Register in your own settings, for all your projects.")
@click.option("--shared", is_flag=True, help="Register in the project's settings, in a form that works for a team.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--force",
    is_flag=True,
    help="Register although another scope or the plugin does; overwrite files, which uninstall brings back.",
)
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    type=Choice(files.ALIASES),
    help="Add /loop, or /ralph and /cancel-ralph, or /jikime:loop. Repeatable.",
)
@click.option(
    "--preset",
    type=Choice(tuple(PRESETS)),
    metavar="NAME",
    help=f"Set the configuration's preset: one of {', '.join(PRESETS)}.",
)
@click.option("--quiet", is_flag=True, help='Set hold_style = "context": newer hosts do not call a hold an error then.')
@click.option(
    "--stop-timeout",
    type=click.IntRange(min=LEAST_SECONDS),
    metavar="SECONDS",
    help="Seconds that the host gives a stop (600 unless set before, at least 30). The checks have 90 % of it.",
)
@click.option("--statusline", is_flag=True, help="Show the loop in the host's status line, where there is none yet.")
def command(host: str, project: str, dry_run: bool, **given: Any) -> None:
    """Register the hooks for this project, and trust it.

    It also adds the slash commands and the skill. What others wrote in the settings stays, and `untilgreen uninstall`
    takes it all back.
    """
    env = os.environ
    wish = _wish(host, project, given, env)
    if wish.root:  # as a loop would start with after this; what is wrong there is to be mended first
        settings = starting.resolve(load.load(wish.root), Request(settings=wish.keys)).settings
    with changes.alone(env):
        done = planned(wish, env)
        if not dry_run:
            plan.apply(done, env)
    for line in (*(_would(done, wish, env) if dry_run else _did(done, wish, env)), *done.kept):
        errors.tell(line)
    if wish.root:  # tools are asked, which takes seconds: nothing waits for that
        after = () if dry_run else (*hindrances.told(wish.root, env), *_next(wish, settings))
        errors.tell(*_detected(wish.root, env, settings), *after)


def _wish(host: str, project: str, given: Mapping[str, Any], env: Mapping[str, str]) -> Wish:
    own = asked.settings(host)
    name = asked.scope(given) or own.SCOPES[0]
    root = asked.root(name, project, env)
    keys = {"preset": given["preset"]} if given["preset"] else {}
    keys |= {"hold_style": "context"} if given["quiet"] else {}
    if keys and not root:
        raise UserError("--preset and --quiet are for a project's configuration", "go into a project, or name it")
    if given["statusline"] and name == "shared":
        raise UserError("--statusline names a file of your own", "use it with --local or --user")
    scope = asked.file(own, name, root, env)
    rest = (given["stop_timeout"], given["statusline"], given["force"])
    return Wish(host, own, scope, root, given["aliases"], keys, *rest)


def planned(wish: Wish, env: Mapping[str, str]) -> Plan:
    """What would change, worked out before anything is touched. Raises UserError where it cannot be, or must not."""
    root, own, scope = wish.root, wish.settings, wish.scope
    if not wish.force:
        duplicates.refuse(own, scope, root, env)
    launchers = command_forms.launchers(command_forms.folder(scope.path, env)) if scope.name != "shared" else {}
    settings, kept = _settings(wish, env)
    known = receipts.of(scope, root, env)
    folder = own.folder(scope.name, root, env)
    texts = files.templates(folder, wish.aliases) if folder else {}
    come, foreign = files.planned(texts, known, force=wish.force)
    kept += [f"kept what was in {path}: `untilgreen uninstall` brings it back" for path in foreign]
    kept_out = excluded.planned(root, scope.path, [*texts]) if root and scope.name == "local" else []
    wanted = [settings, *come, *project_keys.changed(root, wish.keys), *kept_out]
    grants = bool(root) and not trust.trusted(root, env)
    state = place.usual(root, env) if root else ""
    noted = {known.subject: receipts.noted(known, own, wanted, scope.path)}
    if root:
        project = noted.get(root) or receipts.read(root, env)
        made = project.state or not os.path.lexists(state)
        noted[root] = project._replace(trusted=project.trusted or grants, state=made)
    return Plan(
        root=root,
        receipts=tuple(receipts.change(one, env) for one in noted.values()),
        state=state,
        grants=grants,
        # before what names them
        files=(*(changes.planned(path, text, 0o700) for path, text in launchers.items()), *wanted),
        kept=tuple(kept),
    )


def _settings(wish: Wish, env: Mapping[str, str]) -> tuple[Change, list[str]]:
    """The settings with what is ours; and what is to be said about a status line that stays."""
    path, own = wish.scope.path, wish.settings
    data = settings_file.content(path)
    before = receipts.editable(own, data or b"", path)
    shared = wish.scope.name == "shared"
    name = wish.host
    own_files = command_forms.own(command_forms.folder(path, env), name)
    call = command_forms.portable(name, own.PROJECT, wish.root, env) if shared else own_files
    after = own.merged(before, own.entries(call, wish.stop_seconds or own.stop_seconds(before)))
    line, kept = shlex.join(command_forms.status_line()), ""
    if own.status_line(after) == "ours":
        # an older one may name an interpreter that is gone; what a team shares names no path of one machine
        after = after if shared else own.with_status_line(after, line)
    elif wish.status_line:
        known = own.scopes(wish.root or os.sep, env)
        weaker = known[known.index(wish.scope) + 1 :]
        found = [(path, after), *((one.path, settings_file.taken(one.path)) for one in weaker)]
        kept = next((path for path, settings in found if own.status_line(settings)), "")
        after = after if kept else own.with_status_line(after, line)
    said = [f"kept the status line of {kept}; to have the loop in it, let it print this, too: {line}"] if kept else []
    # the values count, not how somebody laid them out
    return Change(path, data, data if data and after == before else settings_file.laid_out(after)), said


def _did(done: Plan, wish: Wish, env: Mapping[str, str]) -> Iterator[str]:
    changed = [change.path for change in done.visible]
    events = ", ".join(wish.settings.entries(lambda name: (name, []), 0))
    already = "" if wish.scope.path in changed else " already"
    yield f"registered{already} in {wish.scope.path}: {events}"
    folder = wish.settings.folder(wish.scope.name, wish.root, env)
    yield from files.said((change.path for change in done.files if change.path != wish.scope.path), folder)
    for path in changed:
        if path.endswith(".toml"):
            keys = ", ".join(f"{key} = {value}" for key, value in wish.keys.items())
            yield f"configured in {path}: {keys}"
        elif os.path.basename(path) == "exclude":
            yield f"not shown by git (these files are yours alone): {path}"
    if wish.root:
        yield f"trusted: {wish.root}"


def _would(done: Plan, wish: Wish, env: Mapping[str, str]) -> Iterator[str]:
    if not done.visible:
        yield f"registered already in {wish.scope.path}; no file would change"
    yield from asked.would(done, env)


def _detected(root: str, env: Mapping[str, str], settings: Settings) -> Iterator[str]:
    """What a loop will run in this project when it is trusted, for people: a line each, with its tool."""
    files, criteria = worktree.files(root), starting.resolve(settings, Request()).criteria
    # the tools that are asked may run the project's own code
    answers = tools.ask_environments(root, env) if trust.trusted(root, env) else {}
    changed = tuple(worktree.changed(root))
    scope = planning.CheckScope(root, settings, criteria, env, True, answers, changed)
    planned = planning.plan(scope._replace(calls=scripts.read(root, files)), files)
    there = _listed(root, planned)
    yield from ("a loop will run:", *there) if there else ("a loop will run no check yet",)
    lacking = [check for check in planned if check.absent]
    yield from _left_out([*dict.fromkeys(check.absent.reason for check in lacking if check.absent)])
    if cure := first_look.install(root, [check for check in lacking if check.chosen]):
        yield f"to have what is missing: {cure}"


def _left_out(reasons: list[str]) -> Iterator[str]:
    """Why what the project asks for does not run, a line each; what is not installed in one line."""
    missing = [why.removesuffix(_MISSING) for why in reasons if why.endswith(_MISSING)]
    if len(missing) > 1:
        yield f"left out, for they are not installed: {', '.join(missing)}"
        reasons = [why for why in reasons if not why.endswith(_MISSING)]
    yield from (f"left out: {why}" for why in reasons)


def _next(wish: Wish, settings: Settings) -> Iterator[str]:
    """What changed in one's day, and what to do now."""
    facts = hosts.get(wish.host).facts
    if settings.auto != "off":
        what = "a file that it wrote has a new error" if settings.auto == "new" else "the project has errors"
        yield f'from now on the agent works on, without a loop, too, while {what}; auto = "off" ends that'
    here = "here" if os.path.realpath(os.curdir) == wish.root else f"in {findings.readable(wish.root)}"
    yield f"next: start {facts.program} anew {here}, then type /untilgreen:loop make the tests pass"
    if not wish.status_line and wish.scope.name != "shared":
        yield "for the loop in the status line: untilgreen init --statusline"


def _listed(root: str, found: Iterable[Check]) -> list[str]:
    there = [check for check in found if not check.absent]
    width = max((len(check.shown) for check in there), default=0)
    return [f"  {check.shown:<{width}}  {asked.shown(check.tool, root)}" for check in there]
