"""What is known of the hosts: the rows of `templates/hosts.json`."""

import json
import os
from functools import cache

from untilgreen.core import document
from untilgreen.core.record import NamedTuple
from untilgreen.project.files import templates_folder


class BlockCap(NamedTuple):
    """How often in a row a host lets a stop be held."""

    holds: int = 0  #: 0: there is no limit
    variable: str = ""  #: the variable that changes it
    #: what that variable says above the holds that it honours: the number of the hold that ends the turn is one more
    over: int = 0
    spans_tools: bool = False  #: calls of tools in between do not reset that count: it is of one turn


class Facts(NamedTuple):
    """What is known of a host."""

    title: str
    program: str = ""  #: its command for people, "" for none
    #: variables that name its process, and its folder in the user's home; where that lies without it ("~/.claude")
    client: str = ""
    config_dir: str = ""
    home: str = ""
    known_by: tuple[str, ...] = ()  #: variables by which it is known
    cap: BlockCap = BlockCap()
    #: its stop comes for a turn, too, that its user interrupted: then its transcript has no answer since somebody spoke
    stops_when_interrupted: bool = False
    most_feedback: int = 0  #: bytes of a hold's text that it passes on to the model, 0 for no limit
    measured: tuple[str, ...] = ()  #: its versions that were measured, oldest first
    #: folders where its installers put its command, and the command that brings it up to date
    places: tuple[str, ...] = ("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin")
    update: str = ""
    #: the first versions whose prompts have ids, and that can be held without the word error ("" for any)
    prompt_ids_since: str = ""
    quiet_since: str = ""
    #: the words behind its command that make it answer a prompt from stdin in a JSON document, without tools and hooks;
    #: `{schema}` and `{system}` stand for the form of the answer and for its instructions; of the settings only the
    #: user's own, which may say how one signs in: a project's are not asked
    headless: tuple[str, ...] = ()
    #: how the variables begin that it gives its processes, and of these those that one outside of the session needs: a
    #: name, or how several begin, with `_` at its end
    variables: tuple[str, ...] = ()
    needed: tuple[str, ...] = ()
    tells_usage: bool = False  #: its record tells what models used
    #: what follows its command to go on with a session, `{session}` for its id: headless, and at a terminal; () where
    #: it cannot
    resume: tuple[str, ...] = ()
    reopen: tuple[str, ...] = ()
    #: what follows its command to answer one prompt from stdin, or in the place of `{prompt}`; () where it cannot
    run: tuple[str, ...] = ()
    #: what its user gives it so that it works with nobody there to ask, "" where it asks for nothing
    unattended: str = ""
    #: what follows its command to begin a session at a terminal with a first prompt, `{prompt}` for it
    begin: tuple[str, ...] = ()
    typed: str = "/untilgreen:"  #: how people type our commands there, before the command's name; "" where they cannot
    #: Esc at its prompt ends the agent's turn and sends what was typed meanwhile; else the command is typed after Esc
    escape_sends: bool = False
    from_top: bool = False  #: it reads a project's settings only in the folder that it is started in
    after_init: str = ""  #: what its user has to do once when the hooks are registered, "" for nothing
    cannot: tuple[str, ...] = ()  #: what cannot be had there and why, a sentence each
    never_run: bool = False  #: known from recorded payloads or its documentation only: nobody ran it


@cache
def of(name: str) -> Facts:
    """What is known of the host of this name, as for `--host`. Raises OSError."""
    return document.load(Facts, _documents()[name])


@cache
def _documents() -> dict[str, object]:
    with open(os.path.join(templates_folder(), "hosts.json"), encoding="utf-8") as file:
        found: dict[str, object] = json.load(file)
    return found
