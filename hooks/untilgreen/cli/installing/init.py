"""`untilgreen init`: the hooks registered, the slash commands and the skill written, the project trusted."""

import os
import shlex
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import click

from untilgreen.checks.plan import planning
from untilgreen.cli import doctor, errors
from untilgreen.cli.doctor import trial
from untilgreen.cli.installing import changes, command_forms, detected, kept_copy, plan, targets
from untilgreen.cli.installing import receipt as receipts
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.plan import Plan
from untilgreen.cli.installing.receipt import Receipt
from untilgreen.cli.installing.targets import Target
from untilgreen.cli.options import Choice
from untilgreen.core import findings
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import NamedTuple
from untilgreen.loops.begin import options, starting
from untilgreen.project import trust
from untilgreen.settings import load
from untilgreen.settings.keys import PRESETS
from untilgreen.state import place

LEAST_SECONDS = 30  # of a stop


class Wish(NamedTuple):
    targets: tuple[Target, ...]
    root: str  #: the project, "" for the user's registration outside of any
    aliases: tuple[str, ...]
    keys: dict[str, str]  #: of the project's configuration
    stop_seconds: int | None  #: the limit of a stop, None: the one that stands there, else the usual one
    status_line: bool
    force: bool


@click.command("init", epilog="Example: untilgreen init --dry-run")
@click.option(
    "--host",
    "names",
    multiple=True,
    metavar="NAME",
    help="A host to register with; else those that are there. Repeatable.",
)
@click.option("--local", is_flag=True, help="Register in your own settings of this project (the default).")
@click.option("--user", is_flag=True, help="Register in your own settings, for all your projects.")
@click.option("--shared", is_flag=True, help="Register in the project's settings, in a form that works for a team.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option(
    "--force",
    is_flag=True,
    help="Register although another scope or the plugin does, or this looks like no project; overwrite files, which "
    "uninstall brings back.",
)
@click.option(
    "--alias",
    "aliases",
    multiple=True,
    type=Choice(targets.ALIASES),
    help="Add /loop, or /ralph and /cancel-ralph, or /jikime:loop. Repeatable.",
)
@click.option(
    "--preset",
    type=Choice(tuple(PRESETS)),
    metavar="NAME",
    help="Set the configuration's preset. untilgreen config presets lists them.",
)
@click.option("--quiet", is_flag=True, help='Set hold_style = "context": newer hosts do not call a hold an error then.')
@click.option(
    "--stop-timeout",
    type=click.IntRange(min=LEAST_SECONDS),
    metavar="SECONDS",
    help="Seconds that the host gives a stop (600 unless set before, at least 30). The checks have 90 % of it.",
)
@click.option("--statusline", is_flag=True, help="Show the loop in the host's status line, where there is none yet.")
def command(names: tuple[str, ...], project: str, dry_run: bool, **given: Any) -> None:
    """Register the hooks for this project, and trust it.

    It registers with every host of yours that it finds, or with those that you name. It also adds the slash commands
    and the skill. What others wrote in the settings stays, and `untilgreen uninstall` takes it all back. It runs the
    checks once, for ten seconds at most, and shows what is red today.
    """
    env = os.environ
    wish = _wish(names, project, given, env)
    if wish.root:  # as a loop would start with after this; what is wrong there is to be fixed first
        settings = options.resolve(load.load(wish.root), options.Request(settings=wish.keys)).settings
    if not dry_run:
        kept_copy.keep(env)
    with changes.alone(env):
        done = planned(wish, env)
        if not dry_run:
            plan.apply(done, env)
            kept_copy.sweep(env)
    errors.tell(*(_would(done, wish, env) if dry_run else _did(done, wish, env)), *done.kept)
    errors.tell(*(() if dry_run else _tried(wish, env)))
    if wish.root:  # tools are asked, which takes seconds: nothing waits for that
        scope, files = detected.scope_of(wish.root, env, settings)
        checks = planning.plan(scope, files)
        errors.tell(*detected.told(scope, files, checks))
    if wish.root and not dry_run:
        after = (detected.today(scope, checks), doctor.hindrances(wish.root, env), _next(wish, settings))
        for line in chain.from_iterable(after):
            errors.tell(line)


def _wish(names: Sequence[str], project: str, given: Mapping[str, Any], env: Mapping[str, str]) -> Wish:
    scope = plan.scope(given)
    names = list(dict.fromkeys(names)) or targets.there(starting.root_of(project, env), env)
    scopes = {scope or targets.settings(name).SCOPES[0] for name in names}
    root = plan.root("user" if scopes == {"user"} else "", project, env)
    if root and scopes != {"user"} and not given["force"]:
        plan.refuse_no_project(root, env)
    keys = {"preset": given["preset"]} if given["preset"] else {}
    keys |= {"hold_style": "context"} if given["quiet"] else {}
    if keys and not root:
        raise UserError("--preset and --quiet are for a project's configuration", "go into a project, or name it")
    if given["statusline"] and scope == "shared":
        raise UserError("--statusline names a file of your own", "use it with --local or --user")
    wanted = tuple(targets.of(name, scope, root, env) for name in names)
    rest = (given["stop_timeout"], given["statusline"], given["force"])
    return Wish(wanted, root, given["aliases"], keys, *rest)


def planned(wish: Wish, env: Mapping[str, str]) -> Plan:
    """What would change, worked out before anything is touched. Raises UserError where it cannot be, or must not."""
    root = wish.root
    noted: dict[str, Receipt] = {}
    found = Plan(root)
    for target in wish.targets:
        found = _registered(found, target, wish, noted, env)
    grants = bool(root) and not trust.trusted(root, env)
    state = place.usual(root, env) if root else ""
    if root:
        keys = targets.changed(root, wish.keys)
        project = receipts.noted(noted.get(root) or receipts.read(root, env), keys)
        local = [one for one in wish.targets if one.scope.name == "local"]
        texts = (targets.templates(one, root, env, wish.aliases) for one in local)
        mine = [*(one.scope.path for one in local), *(path for theirs in texts for path in theirs)]
        hidden = receipts.hide(root, mine) if mine else None
        if hidden:
            project = receipts.noted_hidden(project, hidden, root, targets.personal(targets.known(), root, env))
        made = project.state or not os.path.lexists(state)
        noted[root] = project._replace(trusted=project.trusted or grants, state=made)
        found = found._replace(files=(*found.files, *keys, *((hidden,) if hidden else ())))
    done = tuple(receipts.change(one, env) for one in noted.values())
    return found._replace(receipts=done, state=state, grants=grants)


def _registered(found: Plan, target: Target, wish: Wish, noted: dict[str, Receipt], env: Mapping[str, str]) -> Plan:
    """The plan with one host's registration; `noted` gets its receipt."""
    root, own, scope = wish.root, target.settings, target.scope
    if not wish.force:
        targets.refuse(own, scope, root, env)
    launchers = command_forms.launchers(command_forms.folder(scope.path, env)) if scope.name != "shared" else {}
    settings, kept = _settings(wish, target, env)
    known = receipts.of(scope, root, env)
    named = {path for alias in wish.aliases for path in targets.aliased(target, root, env, alias)}
    wanted = targets.templates(target, root, env, wish.aliases)
    come, foreign = receipts.written(wanted, known, replaced=wanted if wish.force else named)
    kept += [f"kept what was in {path}: `untilgreen uninstall` brings it back" for path in foreign]
    before = noted.get(known.subject, known)
    before = receipts.with_part(before, settings, receipts.without_ours(own, scope.path, settings.before, before))
    noted[known.subject] = receipts.noted(before, come)
    there = {change.path for change in found.files}  # a skill that several hosts read
    # before what names them
    first = (changes.planned(path, text, 0o700) for path, text in launchers.items())
    return found._replace(
        files=(*found.files, *first, settings, *(change for change in come if change.path not in there)),
        kept=(*found.kept, *kept),
    )


def _settings(wish: Wish, target: Target, env: Mapping[str, str]) -> tuple[Change, list[str]]:
    """The settings with what is ours; and what is to be said about a status line that stays."""
    path, own = target.scope.path, target.settings
    data = changes.content(path)
    before = receipts.editable(own, data or b"", path)
    shared = target.scope.name == "shared"
    name = target.host
    own_files = command_forms.scripts(f"{command_forms.folder(path, env)}/", name)
    call = command_forms.portable(name, own.PROJECT, wish.root, env) if shared else own_files
    after = own.merged(before, own.entries(call, wish.stop_seconds or own.stop_seconds(before)))
    line, kept = shlex.join(command_forms.status_line()), ""
    if own.status_line(after) == "ours":
        # an older one may name an interpreter that is gone; what a team shares names no path of one machine
        after = after if shared else own.with_status_line(after, line)
    elif wish.status_line:
        known = own.scopes(wish.root or os.sep, env)
        weaker = known[known.index(target.scope) + 1 :]
        found = [(path, after), *((one.path, changes.taken(own, one.path)) for one in weaker)]
        kept = next((path for path, settings in found if own.status_line(settings)), "")
        after = after if kept else own.with_status_line(after, line)
    said = [f"kept the status line of {kept}; to have the loop in it, let it print this, too: {line}"] if kept else []
    # the values count, not how somebody laid them out; but of a bridge all of it
    stays = data and after == before and (own.COMMENTS or own.unwrapped(data) == data)
    return Change(path, data, data if stays else changes.put_into(own, after, data or b"", path)), said


def _did(done: Plan, wish: Wish, env: Mapping[str, str]) -> Iterator[str]:
    changed = [change.path for change in done.visible]
    for target in wish.targets:
        events = ", ".join(target.settings.entries(lambda name: (name, []), 0))
        already = "" if target.scope.path in changed else " already"
        block = [f"registered{already} in {target.scope.path}: {events}"]
        block += targets.said(target, wish.root, env, wish.aliases)
        yield from _block(wish, target, block)
    for path in changed:
        if path.endswith(".toml") and os.path.dirname(path) == wish.root:
            keys = ", ".join(f"{key} = {value}" for key, value in wish.keys.items())
            yield f"configured in {path}: {keys}"
        elif os.path.basename(path) == "exclude":
            yield f"not shown by git (these files are yours alone): {path}"
    if wish.root:
        yield f"trusted: {wish.root}"


def _tried(wish: Wish, env: Mapping[str, str]) -> Iterator[str]:
    """Whether each registration holds, by a stop that must be held."""
    for target in wish.targets:
        title, path = target.facts.title, target.scope.path
        command, args = command_forms.scripts(f"{command_forms.folder(path, env)}/", target.host)("stop-loop")
        # what a shared one names may be another installation
        if target.scope.name != "shared" and trial.is_known(target.host):
            seconds, why = trial.held(target.host, (command, *args), env)
            failed = f"{title} did not hold a test stop: {why}. Fix: untilgreen doctor"
            yield failed if why else f"{title}: held a test stop in {seconds:.1f} s"


def _block(wish: Wish, target: Target, lines: Sequence[str]) -> list[str]:
    return [f"{target.facts.title}:", *(f"  {line}" for line in lines)] if wish.targets[1:] else [*lines]


def _would(done: Plan, wish: Wish, env: Mapping[str, str]) -> Iterator[str]:
    changed = [change.path for change in done.visible]
    nothing = "" if changed else "; no file would change"
    for target in wish.targets if wish.targets[1:] or nothing else ():
        what = "would register" if target.scope.path in changed else "registered already"
        yield from _block(wish, target, [f"{what} in {target.scope.path}{nothing}"])
    yield from plan.would(done, env)


def _next(wish: Wish, settings: Settings) -> Iterator[str]:
    """What changed in one's day, and what to do now."""
    if settings.unasked.auto != "off":
        what = "while the project has errors"
        if settings.unasked.auto == "new":
            tests = " and fast tests that it turned red" if settings.unasked.auto_tests != "off" else ""
            what = f"for new errors{tests}"
        yield f'without a loop, too, the agent is held {what} (auto = "off" ends that)'
    for target in wish.targets:
        if target.facts.after_init:
            yield f"{target.facts.title}: {target.facts.after_init}"
    here = "here" if os.path.realpath(os.curdir) == wish.root else f"in {findings.readable(wish.root)}"
    programs: dict[str, list[str]] = {}
    for target in wish.targets:
        programs.setdefault(target.facts.typed, []).append(target.facts.program or target.facts.title)
    for number, (typed, names) in enumerate(programs.items()):
        begin = f"type {typed}loop make the tests pass" if typed else "run untilgreen start make the tests pass"
        yield f"{'or' if number else 'next'}: restart {' or '.join(names)} {here}, then {begin}"
    line = any(one.settings.with_status_line({}, "untilgreen statusline") for one in wish.targets)
    if line and not wish.status_line and all(one.scope.name != "shared" for one in wish.targets):
        yield "for the loop in the status line: untilgreen init --statusline"
