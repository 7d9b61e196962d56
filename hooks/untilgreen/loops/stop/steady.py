"""The tree that was judged is the tree that stays. Where a file was written while the checks ran, they run once more: a
formatter and a snapshot have come to rest by then. What holds again what it held before was swapped for the checks."""

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice, pairwise

from untilgreen.core.model.groups import Against
from untilgreen.core.trees import Tree
from untilgreen.core.verdict.policy import Evidence
from untilgreen.core.words import brief
from untilgreen.loops.stop import evidence, in_loop
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.project import files
from untilgreen.project.installed.written import SOURCES, is_newer
from untilgreen.project.tree import git
from untilgreen.state import noted
from untilgreen.state.trees import TreeStore

_FILES, _MOST = 200, 1_000_000  # files that are looked at, and bytes of each
_CALM = 1.0  # seconds that are given to who swapped something in


def judge_again(stop: Stop, step: StopStep, until: float) -> Stop:
    """The stop as it is, or as its checks say the second time."""
    held, ref = dict[str, list[bytes]](), stop.evidence.snapshot.ref
    tree: Tree = {}
    with suppress(OSError), TreeStore(stop.call.place.base, stop.loop.project) as objects:  # it was not kept
        tree = objects.tree(ref) if ref else {}
        for path in islice(_written(stop.loop.project, tree, stop.trace.began), _FILES):
            held[path] = [objects.read(tree[path].name)[:_MOST]]
    if not held:
        return stop
    _look(stop.loop.project, held)
    is_late = time.monotonic() + max(stop.evidence.took.values(), default=0.0) > until
    between = {path: one[0 if is_late else -1] for path, one in held.items()}
    again = stop if is_late else _again(stop, step, until, held)
    ours = ((path, one) for path, one in held.items() if path not in again.evidence.theirs)
    swapped = [path for path, one in ours if _is_swapped(path, one, between[path])]
    swapped = _of_weight(stop.loop.project, swapped, tree) if swapped else []
    told = (Against("swapped", brief.listed(swapped, 3), len(swapped)),) if swapped else ()
    return again._replace(evidence=again.evidence._replace(weakened=(*again.evidence.weakened, *told)))


def _written(root: str, paths: Iterable[str], moment: float) -> Iterable[str]:
    for path in paths:
        full = os.path.join(root, path)
        with suppress(OSError):  # it is gone
            folder = os.stat(os.path.dirname(full))
            if folder.st_mtime <= moment < folder.st_ctime or is_newer(full, moment):  # it was moved, or written
                yield path


def _again(stop: Stop, step: StopStep, until: float, held: Mapping[str, list[bytes]]) -> Stop:
    reading, found = noted.read(stop.loop.project, stop.call.place.base), stop.evidence
    fresh = Evidence(found.snapshot._replace(items=()), stop.loop.asked.promise_only, tree=reading.fingerprint)
    again = stop._replace(tree=fresh.tree, reading=reading, evidence=fresh._replace(english=found.english))
    stop.trace.checks.clear()
    again = in_loop.keep_tree(again, step, until)
    again = again._replace(unwanted=lambda: _look(stop.loop.project, held) or stop.unwanted())
    again, ends = evidence.run_checks(again, step, until), time.monotonic() + _CALM
    while not again.unwanted() and time.monotonic() < ends:
        time.sleep(0.02)
    return again._replace(unwanted=stop.unwanted)


def _look(root: str, held: Mapping[str, list[bytes]]) -> bool:
    """Add what files hold by now, where that is new; always False."""
    for path in held:
        with suppress(OSError), open(os.path.join(root, path), "rb", opener=files.followed) as stream:
            if (content := stream.read(_MOST)) != held[path][-1]:
                held[path].append(content)
    return False


def _of_weight(root: str, swapped: Sequence[str], paths: Iterable[str]) -> list[str]:
    """Those that are code, that git tracks or that code names: tools write reports anew, and not always the same."""
    _, tracked = git.end(git.start(root, "ls-files", "-z", "--", *swapped))
    names = tracked.split(b"\0")
    others = {path for path in swapped if not _is_code(path) and os.fsencode(path) not in names}
    for one in paths:
        if not others:
            break
        with suppress(OSError, ValueError):
            text = files.read(os.path.join(root, one), _MOST) if one.endswith(SOURCES) else b""
            others -= {path for path in others if os.fsencode(os.path.basename(path)) in text}
    return [path for path in swapped if path not in others]


def _is_code(path: str) -> bool:
    return path.endswith(SOURCES) and not path.endswith(".json")


def _is_swapped(path: str, held: Sequence[bytes], between: bytes) -> bool:
    """Whether a file held again what it held before, or a source did not come to rest. What is being written is a part
    of it."""
    whole = [one for one in held if not any(other != one and other.startswith(one) for other in held)]
    changes = [one for one, following in pairwise((*whole, None)) if one != following]
    moving = _is_code(path) and held[-1] != between
    return len(changes) > len({*changes}) or moving
