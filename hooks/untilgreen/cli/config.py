"""`untilgreen config`: what the configuration may hold."""

import click
import orjson

from untilgreen.cli import options, schemas
from untilgreen.settings.keys import PRESETS
from untilgreen.state import catalogue

_PAGE = "docs/messages.md#with-preset-talkcody"


@click.group("config", invoke_without_command=True, epilog="Example: untilgreen config schema")
@click.pass_context
def command(context: click.Context) -> None:
    """Show the schemas of the files, and the presets."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@command.command("presets", epilog="Example: untilgreen config presets --json")
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


@command.command("schema", epilog="Example: untilgreen config schema config > untilgreen.schema.json")
@click.argument("name", required=False, type=options.Choice(tuple(schemas.SCHEMAS)))
def schema(name: str | None) -> None:
    """Print the JSON Schemas of state, configuration and receipts.

    One of them (2020-12), or all in one object, by name:

    \b
    state    sessions/*/loop_state.json: a session's loop
    config   untilgreen.toml, or [tool.untilgreen] of pyproject.toml
    receipt  what is ours in `untilgreen receipt --json`
    """
    told = schemas.named(name) if name else {each: schemas.named(each) for each in schemas.SCHEMAS}
    options.print_json(told)
