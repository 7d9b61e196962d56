"""`untilgreen explain`: why the last stop went as it did."""

import os

import click
import orjson

from untilgreen.cli.why import explanation, traces
from untilgreen.core import brief
from untilgreen.loops import starting
from untilgreen.state.place import base_of


@click.command("explain")
@click.option("--session", default="", metavar="ID", help="The session whose last stop is meant; else the newest.")
@click.option("--project", default="", metavar="DIR", help="The project's folder.")
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def command(session: str, project: str, as_json: bool) -> None:
    """Explain why the last stop went as it did: each step of the verdict with its answer and time, each check with its
    outcome, tool and duration."""
    root = starting.root_of(project, os.environ)
    base = base_of(root, os.environ)
    last, note = traces.last_stop(base, root, session)
    if as_json:
        facts = {"project": root, "state_dir": base, "stop": explanation.named(last) if last else None, "note": note}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    lines = [f"untilgreen: {brief.printable(note)}"] if note else []
    click.echo("\n".join([*(explanation.lines(last) if last else ()), *lines]))
