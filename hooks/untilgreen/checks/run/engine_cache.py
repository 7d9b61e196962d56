"""Where turbo finds what passed before, in a loop: results older than it and those of runs of ours, no others. A result
lies under a name that anybody can work out, and turbo does not know whether a run of it made it."""

import os
from contextlib import suppress

from untilgreen.checks.plan.planning import CheckScope
from untilgreen.checks.run import report_folder
from untilgreen.project.toplevel import main_tree
from untilgreen.state import clock

_WHERE = "TURBO_CACHE_DIR"
_PLACES = (".turbo/cache", "node_modules/.cache/turbo")


def variables(scope: CheckScope, root: str) -> dict[str, str]:
    """Those with which a run in `root` looks in a folder of ours. A remote cache is asked as ever."""
    if not scope.since or not os.path.isfile(os.path.join(root, "turbo.json")):
        return {}
    old = dict[str, str]()
    places = (os.path.join(top, one) for top in (main_tree(scope.root), root) if top for one in _PLACES)
    for place in filter(os.path.isdir, (scope.env.get(_WHERE, ""), *places)):
        with os.scandir(place) as there:
            old |= {one.name: one.path for one in there if not one.is_symlink() and _is_older(one, scope.since)}
    own = os.path.join(report_folder.kept(scope.env, scope.root), "turbo")
    os.makedirs(own, exist_ok=True)
    with os.scandir(own) as here:
        known = {one.name: one.is_symlink() for one in here}
    for name in known.keys() | old.keys():
        with suppress(FileNotFoundError, FileExistsError):  # another stop did it
            if known.get(name) and name not in old:
                os.unlink(os.path.join(own, name))
            elif name not in known:
                os.symlink(old[name], os.path.join(own, name))
    return {_WHERE: own}


def _is_older(file: "os.DirEntry[str]", since: str) -> bool:
    """Whether nobody touched it since, by the one of its times that nobody can set."""
    with suppress(OSError):
        return clock.iso(file.stat().st_ctime) < since
    return False
