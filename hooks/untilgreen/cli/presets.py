"""`untilgreen presets`: settings that go together under one name."""

import click
import orjson

from untilgreen.settings.keys import PRESETS
from untilgreen.state import catalogue

_PAGE = "docs/messages.md#with-preset-talkcody"


@click.command("presets", epilog="Example: untilgreen presets --json")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(as_json: bool) -> None:
    """List the presets, and what each of them sets.

    A loop takes one by `--preset NAME`, a project by its key `preset`. Keys and flags beside it win.
    """
    if as_json:
        click.echo(orjson.dumps({"presets": PRESETS}, option=orjson.OPT_INDENT_2))
        return
    longest = max(map(len, PRESETS))
    for name, preset in PRESETS.items():
        # these values are written in TOML as they are in JSON
        keys = (f"{key} = {orjson.dumps(value).decode().replace(',', ', ')}" for key, value in preset.items())
        click.echo(f"{name:<{longest}}  {', '.join(keys)}")
    words = catalogue.words()
    about = f"{words['ralph_title']} · {words['ralph_description']} {words['ralph_learn_more']}: {_PAGE}"
    click.echo(f"\ntalkcody, talkcody-strict: {about}")
