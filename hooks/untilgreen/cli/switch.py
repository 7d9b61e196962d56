"""`untilgreen on`, `off` and `toggle`: one command by three names."""

import os

import click

from untilgreen.cli import errors
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.loops.begin import starting
from untilgreen.loops.rest import switching
from untilgreen.settings import effective
from untilgreen.state import catalogue
from untilgreen.state.place import PROJECT, SESSION_SCOPE, USER, deciding_switch, is_off


def _named(name: str, about: str) -> click.Command:
    """The command of this name; `about` is its help."""

    def invoke(*, user: bool, project: str | None, session: str | None) -> None:
        if user and (project is not None or session is not None):
            raise UserError(f"--user contradicts {'--project' if session is None else '--session'}", "give one of them")
        if session == "":
            raise UserError("--session is empty", "name one of untilgreen status")
        scope = USER if user else PROJECT if session is None else SESSION_SCOPE
        root = "" if user else starting.root_of(project or "", os.environ)
        place = switching.place_of(scope, root, session or "", os.environ)
        errors.tell(f"untilgreen: {switching.turn(scope, name, place, os.environ)}", *_of_talkcody(scope, place))

    scopes = [
        click.Option(["--user"], is_flag=True, help="For you, in every project that does not say otherwise."),
        click.Option(
            ["--project"],
            is_flag=False,
            flag_value=".",
            metavar="[DIR]",
            help="For the project of the current folder, which is usual, or of DIR.",
        ),
        click.Option(["--session"], metavar="ID", help="For this session of the project alone."),
    ]
    epilog = f"Example: untilgreen {name} --user"
    return click.Command(name, params=[*scopes], callback=invoke, help=about, epilog=epilog)


def _of_talkcody(scope: str, place: Place) -> tuple[str, ...]:
    """What TalkCody says beside its own switch, in a project with its preset."""
    settings = effective.effective(place.root, os.environ) if place.root else ""
    if isinstance(settings, str) or settings.words != "talkcody":
        return ()
    words, off = catalogue.words(settings), is_off(deciding_switch(place, os.environ, scope)[1])
    return (f"{words['ralph_label']} · {words['ralph_disabled' if off else 'ralph_enabled']}",)


on = _named(
    "on",
    "Switch the hooks on.\n\n"
    "An on file says so even where a wider off file is there: the session's own goes before the project's, and that "
    "before yours. Not while a stop is judged.",
)
off = _named(
    "off",
    "Switch the hooks off.\n\n"
    "While the off file is there, stops and edits are met with silence. A loop that runs holds nobody, and its user is "
    "told so once. A narrower on file wins. Not while a stop is judged.",
)
toggle = _named(
    "toggle",
    "Switch the hooks off where they are on, else on.\n\n"
    "What counts is what is so now, by its own file or a wider one. See `untilgreen on` and `untilgreen off`.",
)
