"""What `init` says beside its own work: what will keep the hooks from theirs, as the doctor would find it."""

from collections.abc import Iterator, Mapping

from untilgreen.cli.doctor import project, switches
from untilgreen.cli.doctor.case import Extent, of
from untilgreen.core.findings import BROKEN


def told(root: str, env: Mapping[str, str]) -> Iterator[str]:
    """A line with its cure for each switch that is off, and for a project that is less than one. Nothing is started."""
    this = of(root, env, Extent(run=False))
    for one in (*project.place(this), *switches.examine(this)):
        if one.cure and (one.level == BROKEN or one.subject == project.PROJECT):
            yield f"{one.what}. Fix: {one.cure.removeprefix('run: ')}"
