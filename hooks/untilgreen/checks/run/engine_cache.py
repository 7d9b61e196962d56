"""Where turbo and nx find what passed before, in a loop: results older than it and those of runs of ours, no others. A
result lies under a name that anybody can work out, and neither of them knows whether a run of it made it."""

import os
from collections.abc import Iterable
from contextlib import suppress

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import report_folder
from untilgreen.state import clock

# the variable that says where, the file that shows who runs there, and where results lie without the variable
_CACHES = (
    ("TURBO_CACHE_DIR", "turbo.json", (".turbo/cache", "node_modules/.cache/turbo")),
    ("NX_CACHE_DIRECTORY", "nx.json", (".nx/cache", "node_modules/.cache/nx")),
)
_PART = "terminalOutputs"  # a folder of nx's, with what each task printed


def variables(scope: CheckScope, root: str) -> dict[str, str]:
    """Those with which a run in `root` looks in a folder of ours. Remote caches are asked as ever."""
    found = {}
    for name, marker, places in _CACHES if scope.since else ():
        if os.path.isfile(os.path.join(root, marker)):
            with suppress(OSError):
                found[name] = os.path.join(report_folder.kept(scope.env, scope.root), name)
                for part in ("", _PART):
                    theirs = (os.path.join(root, place, part) for place in (scope.env.get(name, places[0]), *places))
                    _settle(os.path.join(found[name], part), theirs, scope.since)
    return found


def _settle(own: str, theirs: Iterable[str], since: str) -> None:
    """Link to what nobody touched since; of a file's times by the one that nobody can set."""
    old = dict[str, str]()
    for place in filter(os.path.isdir, theirs):
        with os.scandir(place) as there:
            real = [one for one in there if one.name != _PART and not one.is_symlink()]
            old |= {one.name: one.path for one in real if clock.iso(one.stat().st_ctime) < since}
    os.makedirs(own, exist_ok=True)
    with os.scandir(own) as here:
        known = {one.name: one.is_symlink() for one in here}
    for name in (name for name, linked in known.items() if linked and name not in old):
        os.unlink(os.path.join(own, name))
    for name in old.keys() - known.keys():
        os.symlink(old[name], os.path.join(own, name))
