"""pre-commit's hooks as a check: what the project's other checks look for is left to them."""

import itertools
import os
from collections.abc import Callable, Sequence

from untilgreen.checkers.checker import Checker, taken
from untilgreen.checkers.other.pre_commit import NAME, PROGRAMS, named, own
from untilgreen.core.model.check import HOOK_FILES, Absent, Check, OwnCall
from untilgreen.project.calls import commit_hooks
from untilgreen.project.calls.documents import Texts

_SKIP = "SKIP="


def called(
    texts: Texts, found: Sequence[OwnCall], known: Sequence[Checker], tool: Callable[[OwnCall], OwnCall]
) -> tuple[OwnCall, ...]:
    """The calls, pre-commit's once, with its hooks, the checkers whose tools they run, and what is not installed.

    `tool`: a call by the name of its checker.
    """
    theirs = [one for one in found if own(one.words)]
    rest = tuple(one for one in found if one.words[0] not in PROGRAMS)
    document = commit_hooks.configured(texts)
    if not theirs or not document:
        return rest
    skipped = _skipped(theirs)
    rest = tuple(one for one in rest if not (one.source.startswith(HOOK_FILES) and _hook(one) in skipped))
    first = next((one for one in theirs if not _names(one)), theirs[0])
    words = (own(first.words) if first.whole else own(first.words[:2])) or ()
    wanted = named(words[1:])
    stage = next((after for before, after in itertools.pairwise(words) if before in ("--hook-stage", "--stage")), "")
    read = commit_hooks.read(texts, words[1], os.environ, stage or "pre-commit")
    hooks = [one for one in read if not wanted or one.id in wanted]
    lacking = [one.id for one in hooks if not one.installed]
    tools = _tools(texts, known, tool, words[1])
    apart = [one.id for one in hooks if one.apart]
    one = first._replace(
        words=words,
        folder=".",
        whole=True,
        env=_skipping(first.env, apart),
        hooks=tuple((one.id, tools.get(one.id, "")) for one in hooks if one.runs and not one.apart),
        lacks=tuple(lacking),
    )
    alone = (commit_hooks.by_itself(hook, HOOK_FILES[0]) for hook in hooks if not tools.get(hook.id))
    own_hooks = [call._replace(words=("hook", *call.words)) for call in alone if call and _hook(call) not in skipped]
    return (*rest, *own_hooks, one)


def _tools(texts: Texts, known: Sequence[Checker], tool: Callable[[OwnCall], OwnCall], program: str) -> dict[str, str]:
    """The checker whose tool each hook runs, "" where it is none, or several."""
    found: dict[str, str] = {}
    for hook, calls in itertools.groupby(map(tool, commit_hooks.calls(texts, program)), key=_hook):
        names = {next((c.name for c in known if taken(c, call) is not None), "") for call in calls}
        found[hook] = names.pop() if len(names) == 1 and found.get(hook) != "" else ""
    return found


def _hook(call: OwnCall | Check) -> str:
    """The id of the hook that a call, or a check, comes from."""
    return call.source.partition(": ")[2]


def _names(call: OwnCall) -> list[str]:
    return named((own(call.words) or ())[1:])


def _skipped(calls: Sequence[OwnCall]) -> set[str]:
    """The hooks that none of these calls of pre-commit runs, though they run all the others."""
    skips = [
        {name for word in one.env if word.startswith(_SKIP) for name in word.removeprefix(_SKIP).split(",")}
        for one in calls
        if not _names(one)
    ]
    by_name = {name for one in calls for name in _names(one)}
    return set.intersection(*skips) - by_name if skips else set()


def settled(checks: Sequence[Check], calls: Sequence[OwnCall], asked: Callable[[str], bool]) -> tuple[Check, ...]:
    """The checks, pre-commit's without the hooks whose tools other checks run, or that nobody asked for. Where it
    cannot run it is no more than told. `asked`: of the name of a checker."""
    mine = next(one for one in checks if one.checker == NAME)
    missing = mine.absent.name if mine.absent and mine.absent.cause == "missing" else ""
    lacking = next((one.lacks for one in calls if one.lacks), ())
    absent = bool(lacking or mine.absent)
    # it runs the project's own hooks itself, where it runs
    checks = [one for one in checks if absent or one.checker != "hook"]
    judged = {one.checker for one in checks if one.tool and one is not mine}
    by_itself = {_hook(one) for one in checks if one.checker == "hook" and one.tool}
    skipped = [name for name, checker in mine.hooks if checker and (checker in judged or not asked(checker))]
    left = {checker for name, checker in mine.hooks if name not in skipped and name not in by_itself}
    if not left:
        return tuple(one for one in checks if one is not mine)
    if absent:
        # some may be judged with a tool that is at hand
        rest = [name for name in lacking if name not in skipped and name not in by_itself] or lacking
        lacks = missing or (f"{mine.call[0]}'s environment for {', '.join(rest)}" if rest else "")
        told = mine._replace(tool="", chosen=False, absent=Absent("apart", lacks) if lacks else mine.absent)
        # what else is not there of its environments is told with it
        apart = [c for c in checks if c.absent and c.absent.cause == "apart" and c.checker != NAME]
        theirs = [c for c in apart if c.source.startswith(HOOK_FILES)]
        return tuple(told if one is mine else one for one in checks if one not in theirs)
    now = mine._replace(env=_skipping(mine.env, skipped))
    # a tool that is only configured here, and lives there, is not missing
    theirs = [c for c in checks if c.checker in left and c.absent and not (c.absent.cause == "missing" and c.source)]
    return tuple(now if one is mine else one for one in checks if one not in theirs)


def _skipping(env: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    said = [word.removeprefix(_SKIP).split(",") for word in env if word.startswith(_SKIP)]
    skipped = dict.fromkeys([*(name for one in said for name in one), *names])
    others = (word for word in env if not word.startswith(_SKIP))
    return (*others, _SKIP + ",".join(skipped)) if skipped else tuple(others)
