"""`untilgreen record`: the shape of what the host sends to the hooks, kept as fixtures."""

import os
import secrets
import shutil
import sys

import click
import orjson

from untilgreen.core.errors import UserError
from untilgreen.core.words import brief
from untilgreen.loops.begin import starting
from untilgreen.project import trust
from untilgreen.state import call_marks, recording, store

_PROJECT = click.option("--project", default="", metavar="DIR", help="The project's folder.")


@click.group("record", invoke_without_command=True, epilog="Example: untilgreen record start")
@_PROJECT
@click.pass_context
def command(context: click.Context, project: str) -> None:
    """Keep the payloads that the host sends to the hooks.

    Use them for `untilgreen simulate` and for bug reports. Without a command it keeps the one payload on stdin.

    Only their shape is kept: the host's own keys and words, true and false, numbers of up to three digits, whether a
    marker closes the message, and the hook's --host and --deadline. Any other text becomes its length, as in `<217
    characters>`, and ids and names in paths become others. The newest 200 payloads are kept; those of more than 1 MB
    are left out.
    """
    if context.invoked_subcommand is not None:
        return
    raw = b"" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.buffer.read()
    if not raw.strip():
        raise UserError("there is no payload on stdin", "give one, or a command: start, stop, list, export")
    if len(raw) > recording.LARGEST:
        raise UserError(f"the payload is larger than {recording.LARGEST:,} bytes", "give a smaller one")
    root = starting.root_of(project, os.environ)
    event, text = recording.fixture("", raw, os.environ, root, secrets.token_hex(16), {})
    click.echo(recording.add(_made(root), event, text))


@command.command("start", epilog="Example: untilgreen record start")
@_PROJECT
def start(project: str) -> None:
    """Keep the payload of every hook call from now on."""
    folder = _made(starting.root_of(project, os.environ))
    switch = os.path.join(folder, recording.SWITCH)
    if not os.path.exists(switch):
        store.write_text(switch, secrets.token_hex(16) + "\n")
    click.echo(f"untilgreen: payloads are kept in {folder} until untilgreen record stop")


@command.command("stop", epilog="Example: untilgreen record stop")
@_PROJECT
def stop(project: str) -> None:
    """Keep no more payloads; those that were kept stay."""
    folder = _folder(project)
    try:
        os.unlink(os.path.join(folder, recording.SWITCH))
    except FileNotFoundError:
        click.echo("untilgreen: nothing is being recorded here")
    else:
        click.echo(f"untilgreen: recording ended; {brief.counted(len(_kept(folder)), 'payload')} kept in {folder}")


@command.command("list", epilog="Example: untilgreen record list --json")
@_PROJECT
@click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
def listed(project: str, as_json: bool) -> None:
    """Show the payloads that were kept, oldest first."""
    folder = _folder(project)
    recorded = os.path.exists(os.path.join(folder, recording.SWITCH))
    kept = _kept(folder)
    if as_json:
        facts = {"folder": folder, "recording": recorded, "payloads": kept}
        click.echo(orjson.dumps(facts, option=orjson.OPT_INDENT_2))
        return
    click.echo("\n".join((*kept, f"untilgreen: {'recording' if recorded else 'not recording'}, {len(kept)} kept")))


@command.command("export", epilog="Example: untilgreen record export payloads/")
@click.argument("folder", metavar="DIR")
@_PROJECT
def export(folder: str, project: str) -> None:
    """Copy the payloads that were kept into DIR.

    It must be empty or new.
    """
    source = _folder(project)
    kept = _kept(source)
    if not kept:
        raise UserError(f"nothing was recorded in {source}", "run untilgreen record start, and let the agent work")
    os.makedirs(folder, exist_ok=True)
    if os.listdir(folder):
        raise UserError(f"{folder} is not empty", "name a new folder")
    for name in kept:
        shutil.copy(os.path.join(source, name), folder)
    click.echo(f"untilgreen: {brief.counted(len(kept), 'payload')} written to {folder}")


def _made(root: str) -> str:
    """The folder of recordings, which is there now. Raises UserError where nobody would look into it."""
    base = starting.base_of(root, os.environ)
    if not os.path.isdir(base) and not (os.environ.get("UNTILGREEN_STATE_DIR") or trust.trusted(root, os.environ)):
        raise UserError(f"{root} is not trusted: nothing is kept there", "run untilgreen trust")
    store.make_base(base)
    folder = os.path.join(base, call_marks.RECORDED)
    os.makedirs(folder, mode=0o700, exist_ok=True)
    return folder


def _folder(project: str) -> str:
    root = starting.root_of(project, os.environ)
    return os.path.join(starting.base_of(root, os.environ), call_marks.RECORDED)


def _kept(folder: str) -> list[str]:
    return [name for _, name in recording.numbered(folder)] if os.path.isdir(folder) else []
