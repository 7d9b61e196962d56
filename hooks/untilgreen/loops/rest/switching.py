"""What switches the hooks off, or keeps them on, in a project: turned and told for the commands that people type."""

import os
from collections.abc import Mapping, Sequence
from contextlib import suppress

from untilgreen.core import findings
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Place
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words import brief
from untilgreen.loops.begin import listing, starting
from untilgreen.project import trust
from untilgreen.state import place as places
from untilgreen.state import store, under_way
from untilgreen.state.place import OFF, ON, PROJECT, SESSION_SCOPE, USER

_NAMED = 3  # files that win over the one that was turned


class Switch(NamedTuple):
    """A file that switches a scope. `of`: the name of a session's folder, the root of another project, else ""."""

    scope: str
    path: str
    of: str = ""

    @property
    def off(self) -> bool:
        return places.is_off(self.path)

    @property
    def shown(self) -> str:
        """`off for this project (/shop/.untilgreen/off)`."""
        return f"{OFF if self.off else ON} for {_whose(self.scope, self.of)} ({findings.readable(self.path)})"

    @property
    def facts(self) -> dict[str, Any]:
        """The same for `--json`; `session`: the name of its folder, None for none."""
        return {"on": not self.off, "scope": self.scope, "session": self.of or None, "file": self.path}

    def turned(self, project: str = "") -> tuple[str, ...]:
        """The words of the command that turns it. `project`: the project's folder, where that must be named."""
        if self.scope == SESSION_SCOPE and places.key_of(self.of) != self.of:
            return ("rm", self.path)  # of such an id only a digest is known
        named = ("--session", self.of) if self.scope == SESSION_SCOPE else ()
        where = ("--user",) if self.scope == USER else ("--project", project) if project else ()
        return ("untilgreen", ON if self.off else OFF, *named, *where)


def place_of(scope: str, root: str, session: str, env: Mapping[str, str]) -> Place:
    """Where the files of a scope lie. Raises UserError where nothing of ours may be written."""
    if scope == USER:
        return Place("", "", "")
    starting.refuse(root, env)
    base = starting.base_of(root, env)
    if not os.path.isdir(base) and not (env.get("UNTILGREEN_STATE_DIR") or trust.trusted(root, env)):
        fix = "run untilgreen init, or untilgreen off --user for every project"
        raise UserError(f"{root} is not trusted: the hooks are silent there", fix)
    return places.of(root, base, session) if scope == SESSION_SCOPE else Place(root, base, "")


def turn(scope: str, wanted: str, place: Place, env: Mapping[str, str]) -> str:
    """Switch a scope "on" or "off"; what is said of that. Raises UserError in the middle of a round."""
    projects = [place] if scope != USER else [Place(one, places.base_of(one, env), "") for one in trust.listed(env)]
    sessions = (
        [place]
        if scope == SESSION_SCOPE
        else [one for each in projects for one in listing.sessions_of(each.base, each.root)]
    )
    for one in sessions:
        if under_way.now(one) is not None:
            what = f"a stop of session {one.session} is judged just now; nothing was switched"
            raise UserError(what, "try again when untilgreen status does not say checking any more")
    new = scope == SESSION_SCOPE and not os.path.isdir(place.folder)
    with starting.state_is_used("nothing was switched"):
        path = _written(scope, wanted, place, env)
    narrower = _switches(PROJECT, projects, env) if scope == USER else []
    narrower += _switches(SESSION_SCOPE, sessions, env) if scope != SESSION_SCOPE else []
    others = [one.shown for one in narrower if one.off != (wanted == OFF)]
    more = f" and {len(others) - _NAMED} more" if len(others) > _NAMED else ""
    but = f", but {', '.join(others[:_NAMED])}{more}" if others else ""
    unknown = ", which nothing is known of here yet" if new else ""
    return f"{wanted} for {_whose(scope, place.session)} ({path}){but}{unknown}"


def told(base: str, root: str, env: Mapping[str, str]) -> list[Switch]:
    """What stands against the usual: an off file of the project or the user, the project's on file against that, and
    the files of sessions for which it is otherwise."""
    place = Place(root, base, "")
    scope, path = places.deciding_switch(place, env, PROJECT)
    off = places.is_off(path)
    wide = off or (scope == PROJECT and places.is_off(places.switch_of(USER, place, env)))
    here = [one for one in listing.sessions_of(base, root) if not listing.is_gone(store.read_session(one))]
    return [
        *([Switch(scope, path)] if wide else []),
        *(one for one in _switches(SESSION_SCOPE, here, env) if one.off != off),
    ]


def against(place: Place, env: Mapping[str, str]) -> list[str]:
    """Why a loop that begins there will hold nobody, a line; none where nothing is off."""
    scope, path = places.deciding_switch(place, env)
    return lines([Switch(scope, path, place.session if scope == SESSION_SCOPE else "")]) if places.is_off(path) else []


def lines(found: Sequence[Switch], project: str = "") -> list[str]:
    """A line each, with the command that turns it."""
    return [f"{one.shown}: {' '.join(map(findings.word, one.turned(project)))}" for one in found]


def _whose(scope: str, of: str) -> str:
    if scope == SESSION_SCOPE:
        return f"session {brief.clean(of)}"
    return f"project {brief.clean(of)}" if of else f"this {scope}"


def _switches(scope: str, known: Sequence[Place], env: Mapping[str, str]) -> list[Switch]:
    found = ((places.switch_of(scope, one, env), one) for one in known)
    return [Switch(scope, path, one.session if scope == SESSION_SCOPE else one.root) for path, one in found if path]


def _written(scope: str, wanted: str, place: Place, env: Mapping[str, str]) -> str:
    """Make the file and take the other away; which, in words. For the user no off file means on. Raises OSError."""
    folder = places.switch_folder(scope, place, env)
    path, other = (os.path.join(folder, name) for name in (wanted, OFF if wanted == ON else ON))
    if scope != USER:
        store.make_base(place.base)
    trust.make_private(folder)
    if (made := scope != USER or wanted == OFF) and not os.path.exists(path):
        store.write_text(path, "")
    with suppress(FileNotFoundError):
        os.unlink(other)  # last: while both are there it is off
    return findings.readable(path) if made else f"{findings.readable(other)} is not there"
