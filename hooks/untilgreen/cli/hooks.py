"""The hooks' own `--help` and `--version`, and what to say to other words. Never exit code 2: it holds an agent."""

import os
from typing import NoReturn

import click

from untilgreen import hosts
from untilgreen.cli import errors, options

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


def main(name: str, argv: list[str]) -> NoReturn:
    """Answer the words that a person typed after a hook's name; does not return."""

    @click.command(name, help=_ABOUT[name])
    @click.option("--host", default=hosts.DEFAULT, metavar="NAME", show_default=True, help="The host that calls.")
    @click.option("--project", metavar="DIR", help="The project's folder, instead of the payload's.")
    @click.option("--deadline", type=click.FloatRange(min=1), metavar="SECONDS", help="Time for all checks.")
    @click.version_option(options.version())
    def hook(host: str, project: str | None, deadline: float | None) -> None:
        del host, project
        # a switch with a valid value never comes here: what is left is no number
        raise click.BadParameter(f"{deadline} is no number of seconds", param_hint="'--deadline'")

    os._exit(errors.run(hook, argv))
