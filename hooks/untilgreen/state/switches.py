"""Files whose existence is the answer: `off` switches the hooks off, `on` keeps them on where a wider `off` is there.

The narrowest decides: the session's, then the project's, then the user's. Every call asks: imports only `os`.
"""

import os

from untilgreen.project import trust

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from untilgreen.core.model.event import Place

SESSION, PROJECT, USER = SCOPES = ("session", "project", "user")
ON, OFF = "on", "off"


def folder(scope: str, place: "Place", env: "Mapping[str, str]") -> str:
    """Where the two files of a scope lie."""
    if scope == USER:
        return trust.folder(env)
    return place.folder if scope == SESSION else place.base


def of(scope: str, place: "Place", env: "Mapping[str, str]") -> str:
    """The file that is there of this scope alone, "" where none is; `off` where somebody made both."""
    paths = (os.path.join(folder(scope, place, env), name) for name in (OFF, ON))
    return next((path for path in paths if os.path.exists(path)), "")


def decides(place: "Place", env: "Mapping[str, str]", scope: str = SESSION) -> tuple[str, str]:
    """The scope and the file that decide, from this scope on; two empty texts where nobody switched anything."""
    found = ((one, of(one, place, env)) for one in SCOPES[SCOPES.index(scope) :])
    return next((one for one in found if one[1]), ("", ""))


def is_off(path: str) -> bool:
    """Whether this file switches off."""
    return os.path.basename(path) == OFF
