"""`untilgreen classify`: what a command line is evidence of."""

import json
import sys

import click

from untilgreen.cli import errors
from untilgreen.core.errors import UserError
from untilgreen.core.shell import classify as evidence


@click.command("classify", epilog="Example: echo 'cd app && npm test' | untilgreen classify")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: command, kinds, scope.")
def command(as_json: bool) -> None:
    """Tell what shell commands check: one a line on stdin.

    A command of several lines is a JSON string in one. Nothing is run.

    \b
    kinds  test, lint, types, build; none where it is evidence of nothing
    scope  whole, narrowed to a part, or unknown
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UserError("there are no commands on stdin", "echo 'npm test' | untilgreen classify")
    for raw in sys.stdin.buffer:
        found = evidence.of(_command(raw.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")))
        if as_json:
            told = {"command": found.command, "kinds": list(found.kinds), "scope": found.scope}
            click.echo(json.dumps(told))
        else:
            kinds = ", ".join(found.kinds) or "nothing"
            errors.tell(f"{kinds:<12} {found.scope if found.kinds else '':<8}  {found.command}")


def _command(line: str) -> str:
    if line.startswith('"'):
        try:
            told = json.loads(line)
        except ValueError:  # a command that begins with a quoted word
            return line
        return str(told)
    return line
