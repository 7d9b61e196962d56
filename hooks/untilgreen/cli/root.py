"""`untilgreen`: the command for people. Each of its commands is a module of its own, imported when it is meant."""

import os
import sys
from importlib import import_module
from typing import NoReturn

import click

from untilgreen import hosts
from untilgreen.cli import errors, options
from untilgreen.core.errors import UserError, meant
from untilgreen.loops.begin import starting

# heading -> command -> the module of this package that holds it, as `command` or by the name behind the colon
GROUPS = {
    "Every day": {
        "check": "check",
        "start": "start",
        "run": "run",
        "wait": "wait",
        "cancel": "start:cancel",
        "status": "status",
        "resume": "resume:resume",
    },
    "A loop to look at": {"show": "story.show:show", "watch": "story.show:watch", "report": "story.report"},
    "Proof": {"receipt": "receipt", "verify": "receipt:verify"},
    "Another session, another host": {"adopt": "resume:adopt", "handover": "resume:handover"},
    "Going back": {"rollback": "story.back:rollback", "diff": "story.back:diff", "gc": "story.back:gc"},
    "When something is wrong": {
        "explain": "explain",
        "doctor": "doctor",
    },
    "Setting up": {
        "init": "installing.init",
        "uninstall": "installing.uninstall",
        "trust": "setting_up:trust",
        "untrust": "setting_up:untrust",
        "on": "setting_up:on",
        "off": "setting_up:off",
        "toggle": "setting_up:toggle",
        "statusline": "setting_up:statusline",
        "notify": "setting_up:notify",
        "completion": "completion",
    },
    "Reference": {"classify": "reference:classify", "presets": "reference:presets", "schema": "schemas"},
}
COMMANDS = {name: module for group in GROUPS.values() for name, module in group.items()}
_AN_EDIT = "A host's hook: it reads one JSON payload of an edit from stdin, and says nothing of a clean file."
_ABOUT = {
    "stop-loop": (
        "Judge whether the agent may stop. A host's hook: it reads one JSON payload from stdin. Exit code 2 means "
        "go on, with the reason on stderr. By hand, `echo '{}' | stop-loop` judges the project and stores nothing."
    ),
    "session-loop": (
        "Begin and end loops from typed slash commands, and note that the user spoke. A host's hook: it reads one "
        "JSON payload from stdin."
    ),
    "post-tool-lint": "Tell what linters say of the file that the agent just wrote, and keep it. " + _AN_EDIT,
    "post-tool-lsp": "Tell what type checkers and compilers say of the file that the agent just wrote. " + _AN_EDIT,
    "post-tool-ast-grep": "Tell which risks to security the file holds that the agent just wrote. " + _AN_EDIT,
    "post-tool-bash": (
        "Note a command of the agent's shell, or an edit that failed, in the journal of the loop that runs. A host's "
        "hook: it reads one JSON payload from stdin, and says nothing."
    ),
}


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
            raise UserError(f"no such command {args[0]}{meant(args[0], begun or COMMANDS)}", "run untilgreen --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        del ctx
        for heading, group in GROUPS.items():
            with formatter.section(heading):
                # a limit would cut a sentence in the middle
                formatter.write_dl([(name, loaded(name).get_short_help_str(limit=1_000)) for name in group])


def loaded(name: str) -> click.Command:
    """The click command of this name."""
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
    command = group if name == "untilgreen" else loaded(name.removesuffix("-loop"))
    return errors.run(command, sys.argv[1:], starting.logged)


def hook(name: str, argv: list[str]) -> NoReturn:
    """The hooks' own `--help` and `--version`, and what to say to other words. Never exit code 2: it holds an agent."""

    @click.command(name, help=_ABOUT[name])
    @click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host that calls.")
    @click.option("--project", metavar="DIR", help="The project's folder, instead of the payload's.")
    @click.option("--deadline", type=click.FloatRange(min=1), metavar="SECONDS", help="Time for all checks.")
    @click.version_option(options.version())
    def answer(host: str, project: str | None, deadline: float | None) -> None:
        del host, project
        # a switch with a valid value never comes here: what is left is no number
        raise click.BadParameter(f"{deadline} is no number of seconds", param_hint="'--deadline'")

    os._exit(errors.run(answer, argv))
