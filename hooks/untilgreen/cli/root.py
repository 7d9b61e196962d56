"""`untilgreen`: the command for people. Each of its commands is a module of its own, imported when it is meant."""

import sys
from importlib import import_module

import click

from untilgreen.cli import errors, options
from untilgreen.loops import starting

# command -> the module of this package that holds it as `command`
COMMANDS = {
    "check": "check",
    "completion": "completion",
    "doctor": "doctor",
    "explain": "why.explain",
    "init": "init",
    "record": "why.record",
    "schema": "schemas",
    "simulate": "why.simulate",
    "status": "status",
    "statusline": "statusline",
    "trust": "trust",
    "uninstall": "uninstall",
    "untrust": "untrust",
}


class _Group(click.Group):
    """Knows its commands by name and loads only the one that is asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        del ctx
        return loaded(cmd_name) if cmd_name in COMMANDS else None


def loaded(name: str) -> click.Command:
    """The click command of this name."""
    command: click.Command = import_module(f"untilgreen.cli.{COMMANDS[name]}").command
    return command


@click.command("untilgreen", cls=_Group, invoke_without_command=True)
@click.version_option(options.version())
@click.pass_context
def group(context: click.Context) -> None:
    """Hold a coding agent until the project's own checks are green."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help(), err=True)
        context.exit(errors.USER_ERROR)


def main() -> int:
    """Run `untilgreen`; the exit code."""
    return errors.run(group, sys.argv[1:], starting.logged)
