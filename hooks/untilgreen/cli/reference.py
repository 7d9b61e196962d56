"""`untilgreen presets`: settings that go together; `untilgreen classify`: what a command line is evidence of."""

import json
import sys

import click
import orjson

from untilgreen.cli import errors, options
from untilgreen.core.errors import UserError
from untilgreen.core.shell import classify as evidence
from untilgreen.settings.keys import PRESETS
from untilgreen.state import catalogue

_PAGE = "docs/messages.md#with-preset-talkcody"


@click.command("presets", epilog="Example: untilgreen presets --json")
@options.as_json
def presets(as_json: bool) -> None:
    """List the presets, and what each of them sets.

    A loop takes one by `--preset NAME`, a project by its key `preset`. Keys and flags beside it win.
    """
    if as_json:
        options.print_json({"presets": PRESETS})
        return
    longest = max(map(len, PRESETS))
    for name, preset in PRESETS.items():
        # these values are written in TOML as they are in JSON
        keys = (f"{key} = {orjson.dumps(value).decode().replace(',', ', ')}" for key, value in preset.items())
        click.echo(f"{name:<{longest}}  {', '.join(keys)}")
    words = catalogue.words()
    about = f"{words['ralph_title']} · {words['ralph_description']} {words['ralph_learn_more']}: {_PAGE}"
    click.echo(f"\ntalkcody, talkcody-strict: {about}")


@click.command("classify", epilog="Example: echo 'cd app && npm test' | untilgreen classify")
@click.option("--json", "as_json", is_flag=True, help="One JSON object a line: command, kinds, scope.")
def classify(as_json: bool) -> None:
    """Tell what shell commands check: one a line on stdin.

    A line that is a JSON string stands for the text in it, so that a command may have several lines. Nothing is run.

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
