"""pre-commit's hooks as a check: what the project's other checks look for is left to them."""

import os
from collections.abc import Callable, Sequence

from untilgreen.checkers.checker import Checker, taken
from untilgreen.checkers.other.pre_commit import NAME, named, own
from untilgreen.core.model.check import Absent, Check, OwnCall
from untilgreen.project.calls import commit_hooks, resolve
from untilgreen.project.calls.documents import Step, Texts

_SKIP = "SKIP="


def called(
    texts: Texts, found: Sequence[OwnCall], known: Sequence[Checker], tool: Callable[[OwnCall], OwnCall]
) -> tuple[OwnCall, ...]:
    """The calls, pre-commit's once, with its hooks, the checkers whose tools they run, and what is not installed.

    `tool`: a call by the name of its checker.
    """
    theirs = [one for one in found if own(one.words)]
    rest = tuple(one for one in found if one not in theirs)
    document = commit_hooks.configured(texts)
    if not theirs or not document:
        return rest
    first = next((one for one in theirs if not named(own(one.words) or ())), theirs[0])
    words = (own(first.words) if first.whole else own(first.words[:2])) or ()
    wanted = named(words[1:])
    hooks = [one for one in commit_hooks.read(texts, words[1], os.environ) if not wanted or one.id in wanted]
    lacking = [one.id for one in hooks if not one.installed]
    tools = _tools(texts, known, tool)
    apart = [one.id for one in hooks if one.apart]
    one = first._replace(
        words=words,
        folder=".",
        whole=True,
        env=_skipping(first.env, apart),
        hooks=tuple((one.id, tools.get(one.id, "")) for one in hooks),
        lacks=f"{words[1]}'s environment for {', '.join(lacking)}" if lacking else "",
    )
    return (*rest, one)


def _tools(texts: Texts, known: Sequence[Checker], tool: Callable[[OwnCall], OwnCall]) -> dict[str, str]:
    """The checker whose tool each hook runs, "" where it is none, or several."""
    found: dict[str, str] = {}
    for one in commit_hooks.calls(texts):
        calls = [tool(call) for call in (resolve.calls(texts, one) if isinstance(one, Step) else (one,))]
        names = {next((c.name for c in known if taken(c, call) is not None), "") for call in calls}
        name = one.source.partition(": ")[2]
        found[name] = names.pop() if len(names) == 1 and found.get(name) != "" else ""
    return found


def settled(checks: Sequence[Check], calls: Sequence[OwnCall], asked: Callable[[str], bool]) -> tuple[Check, ...]:
    """The checks, pre-commit's without the hooks whose tools other checks run, or that nobody asked for. Where it
    cannot run it is no more than told. `asked`: of the name of a checker."""
    mine = next(one for one in checks if one.checker == NAME)
    missing = mine.absent.name if mine.absent and mine.absent.cause == "missing" else ""
    lacks = missing or next((one.lacks for one in calls if one.lacks), "")
    if lacks or mine.absent:
        told = mine._replace(tool="", chosen=False, absent=Absent("apart", lacks) if lacks else mine.absent)
        return tuple(told if one is mine else one for one in checks)
    judged = {one.checker for one in checks if one.tool and one is not mine}
    skipped = [name for name, checker in mine.hooks if checker and (checker in judged or not asked(checker))]
    left = {checker for name, checker in mine.hooks if name not in skipped}
    now = mine._replace(env=_skipping(mine.env, skipped))
    # a tool that is only configured here, and lives there, is not missing
    theirs = [c for c in checks if c.checker in left and c.absent and not (c.absent.cause == "missing" and c.source)]
    gone = theirs if left else [mine]
    return tuple(now if one is mine else one for one in checks if one not in gone)


def _skipping(env: Sequence[str], names: Sequence[str]) -> tuple[str, ...]:
    said = [word.removeprefix(_SKIP).split(",") for word in env if word.startswith(_SKIP)]
    skipped = dict.fromkeys([*(name for one in said for name in one), *names])
    others = (word for word in env if not word.startswith(_SKIP))
    return (*others, _SKIP + ",".join(skipped)) if skipped else tuple(others)
