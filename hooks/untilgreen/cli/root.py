"""`untilgreen`: the command for people. Each of its commands is a module of its own, imported when it is meant."""

import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from untilgreen import hosts
from untilgreen.cli import errors, options
from untilgreen.cli.installing import kept_copy
from untilgreen.core import languages
from untilgreen.core.errors import meant
from untilgreen.loops.begin import starting
from untilgreen.project import tables

# heading -> command -> the module of this package that holds it, as `command` or by the name behind the colon
GROUPS = {heading: dict[str, str](rows) for heading, rows in tables.read("doors").items() if heading}
_GONE = GROUPS.pop("Gone")  # name -> what does it now
COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}


_ALL = "untilgreen.all"  # whether --help tells every command


class _Group(click.Group):
    """Knows its commands by name and loads only the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        return loaded(cmd_name) if cmd_name in COMMANDS else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in COMMANDS and not ctx.resilient_parsing:
            begun = [name for name in COMMANDS if name.startswith(args[0])]
            now = f". Did you mean {_GONE[args[0]]}?" if args[0] in _GONE else meant(args[0], begun or COMMANDS)
            raise errors.Mistyped(f"no such command {args[0]}{now}", "run untilgreen --help")
        return super().resolve_command(ctx, args)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if sorted(args) in (["--all", "--help"], ["--all", "-h"]):
            args, ctx.meta[_ALL] = ["--help"], True
        return super().parse_args(ctx, args)

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        everything = _ALL in ctx.meta
        formatter.write(f"{self.help}\n\n")
        for heading, names in GROUPS.items():
            if heading == "Plumbing" and not everything:
                continue
            formatter.write(f"{heading}\n")
            if heading == "Set up" and not everything:
                formatter.write(f"  {', '.join(names)}\n")
                continue
            for name in names:  # a limit would cut a sentence in the middle
                formatter.write(f"  {name:<12}{loaded(name).get_short_help_str(limit=1_000)}\n")
        more = "" if everything else " · untilgreen --help --all"
        formatter.write(f"More: untilgreen COMMAND --help{more}\n")


def loaded(name: str) -> click.Command:
    module, _, attribute = COMMANDS[name].partition(":")
    command: click.Command = getattr(import_module(f"untilgreen.cli.{module}"), attribute or "command")
    return command


@click.command("untilgreen", cls=_Group, invoke_without_command=True, epilog="Example: untilgreen check")
@click.version_option(options.version())
@click.pass_context
def group(context: click.Context) -> None:
    """Keep a coding agent at work until the project's own checks pass."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(errors.USER_ERROR)


def main(name: str) -> int:
    """Run `untilgreen`, or one of its commands by the name of its own, `start-loop`; the exit code."""
    kept_copy.hand_over(name, os.environ)
    command = group if name == "untilgreen" else loaded(name.removesuffix("-loop"))
    return errors.run(command, sys.argv[1:], starting.logged)


def _edits(_context: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    known = [name.removeprefix("post-tool-") for name in languages.HOOKS]
    if value and not {*known}.issuperset(value.split(",")):
        raise click.BadParameter(f"{value}: give some of {','.join(known)}")
    return value


_MORE = click.Option(["--with", "more"], metavar="NAMES", callback=_edits, help="Their work, too: lsp,ast-grep.")


def hook(name: str, argv: list[str]) -> NoReturn:
    """The hooks' own `--help` and `--version`, and what to say to other words. Never exit code 2: it holds an agent."""

    @click.command(name, help=dict(tables.read("hooks-help")[""])[name])
    @click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host that calls.")
    @click.option("--project", metavar="DIR", help="The project's folder, instead of the payload's.")
    @click.option("--deadline", type=click.FloatRange(min=1), metavar="SECONDS", help="Time for all checks.")
    @click.version_option(options.version())
    def answer(host: str, project: str | None, deadline: float | None, more: str | None = None) -> None:
        del host, project, more
        # a switch with a valid value never comes here: what is left is no number
        raise click.BadParameter(f"{deadline} is no number of seconds", param_hint="'--deadline'")

    answer.params += [_MORE] if name in languages.HOOKS else []
    os._exit(errors.run(answer, argv))
