"""The checks that are calls of the project's own, and which of many alike are enough."""

import re
from collections.abc import Sequence

from untilgreen import checkers
from untilgreen.checkers.checker import Checker, taken
from untilgreen.core.model.check import BY_COVERAGE, Absent, Check, OwnCall

_MOST_CALLS = 4  # of one tool in one root
_NO_CALL = OwnCall((), "", "")
# what only leaves out some of the tests that run without it; `-m slow` may choose what a configuration leaves out
_LESS = r"(?:(?:-[mk]\nnot [^\n]+|(?:--deselect|--ignore(?:-glob)?)[\n=][^\n]+)(?:\n|$))+"
# the options by which other tests are built, or chosen among those that a configuration leaves out
_MORE = {
    "cargo-test": r"(?m)^(?:--(?:all-|no-default-)?features|-F|--manifest-path)\b",
    "go-test": r"(?m)^-tags\b",
    "pytest": r"\A-m\n(?!not )[^\n]+\Z",
}


def check_without_tool(checker: Checker, root: str, call: OwnCall = _NO_CALL, chosen: bool = True) -> Check:
    """A check of this root as the project calls it (by the words behind the tool's name), without its tool."""
    meets = checker.serves_by(call.words) if checker.serves_by else checker.serves
    return Check(
        name=checker.title(call.words) if checker.title else checker.name,
        checker=checker.name,
        root=root,
        stage=checker.stage,
        tool="",
        absent=Absent("apart", "") if call.apart or call.caller == "script" else None,
        meets=meets,
        chosen=chosen,
        call=call.words if call.words or call.source else checker.ours.words,
        source=call.source,
        env=tuple(one for one in call.env if not one.startswith("RUSTUP_TOOLCHAIN=")),  # the one that is here
        hooks=call.hooks,
        given=call.given,
        home=call.home,
        caller=call.caller,
    )


def of_checker(checker: Checker, calls: Sequence[OwnCall]) -> dict[str, list[Check]]:
    """By folder the calls of this checker, a call of everything in the place of those of parts; the values with which a
    matrix begins are before its others, and what is built for this machine before what is for another one."""
    found: dict[str, list[Check]] = {}
    for call in sorted(calls, key=lambda one: one.again or any(re.match("--target(=|$)", word) for word in one.words)):
        words, program = taken(checker, call) if "$" not in call.folder else None, call.words[0]
        # the program of another checker, which does the same
        named_so = program != checker.name and program in checkers.NAMES
        if words is None or (named_so and checkers.get(program).subcommand == checker.subcommand):
            continue
        one = check_without_tool(checker, call.folder, call._replace(words=words))
        theirs = found.setdefault(call.folder, [])
        alike = any(other.given == call.given and _plain(other.call) == _plain(words) for other in theirs)
        if (not alike and call.whole) or not theirs:
            theirs.append(one)
    for root, theirs in found.items():
        # one call of tests that selects nothing runs all that others select
        whole = [one for one in theirs if one.stage == "tests" and _selects_nothing(one)]
        whole.sort(key=lambda one: -len(one.call))
        parts = [one for one in theirs if _is_more(one)] if whole else theirs
        parts = [one for one in parts if not any(_is_less(one, other) for other in theirs)]
        found[root] = theirs if checker.title and not whole else [*whole[:1], *parts][:_MOST_CALLS]
    return found


def _is_more(one: Check) -> bool:
    """Whether a call of tests builds or runs what one that selects nothing does not."""
    return re.search(_MORE.get(one.checker, "(?!)"), "\n".join(one.call)) is not None


def _is_less(one: Check, other: Check) -> bool:
    """Whether a call of pytest runs nothing but tests that another one runs, too."""
    rest = list(one.call)
    for word in other.call:
        if word not in rest:
            return False
        rest.remove(word)
    return one.checker == "pytest" and re.fullmatch(_LESS, "\n".join(rest)) is not None


def _selects_nothing(one: Check) -> bool:
    rest = [word for word in one.call if not word.startswith(BY_COVERAGE)]
    if one.checker == "go-test":  # where it names no package it is of one
        return rest in (["./..."], ["-race", "./..."]) and not any(word.startswith("GO") for word in one.env)
    return rest == []


def _plain(words: Sequence[str]) -> list[str]:
    """A call without the version of the language, and without the end of `src/`: one of many alike is enough."""
    versions = r"(?m)^--(?:python-version|target-version)[=\n].*\n?|(?<=\w)/$"
    return re.sub(versions, "", "\n".join(words)).split()
