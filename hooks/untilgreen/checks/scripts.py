"""How the project calls its tools, with the scripts of package.json that look at the code and that no checker reads."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checkers import django_test, npm_chain, npm_run, npm_test, runner, time_limit
from untilgreen.checkers.checker import Checker, arguments
from untilgreen.core.model.check import OwnCall
from untilgreen.core.model.settings import Criteria
from untilgreen.project import calls
from untilgreen.project.calls.documents import Texts
from untilgreen.project.layout import Layout

_SECONDS = 5.0
_FIXING = ("--fix", "--write", "-w", "fix", "--fix-type", "lint-staged", "migrate")
_IDLE = ("echo", "rm", "rimraf", "mkdir", "cp", "svelte-kit")


def read(root: str, files: Sequence[str]) -> tuple[OwnCall, ...]:
    """Every distinct call; of what cannot be read the script as a whole (`npm run lint`), or what is left of it.

    What a package below the root does before its tests counts, too, unless the same is done for the whole project. A
    project that takes too long to read (its tasks call one another without end) says nothing.
    """
    return with_sources(root, files)[0]


def with_sources(root: str, files: Sequence[str]) -> tuple[tuple[OwnCall, ...], tuple[str, ...]]:
    """The same, and every file and folder (relative to the root) that was looked for, be it there or not."""
    texts = Texts(root)
    with suppress(time_limit.TooLong), time_limit.within(_SECONDS, "the project's calls took too long to read"):
        return _read(texts, files), texts.sources
    return (), texts.sources


def _read(texts: Texts, files: Sequence[str]) -> tuple[OwnCall, ...]:
    layout = Layout(texts.root, files)
    packages = [folder for folder in npm_test.with_scripts(layout) if folder != "."]
    found = tuple(map(_named, calls.read(texts, packages)))
    known = [checkers.get(name) for name in checkers.NAMES if name != npm_run.NAME]
    above = [one.words for one in found if one.folder == "."]
    whole = [checker for checker in known if "." in _homes(checker, layout) or _takes([checker], above)]
    theirs = [one for one in found if one.folder not in packages or not _takes(whole, [one.words])]
    return (*theirs, *_unread(theirs, known))


def _named(one: OwnCall) -> OwnCall:
    """A call of a runner of tests by the name of its checker; what `npm test` runs is npm's."""
    words = None if one.script else django_test.own(one.words) or (runner.own(one.words) if one.whole else None)
    return one._replace(words=words) if words else one


def _homes(checker: Checker, layout: Layout) -> Sequence[str]:
    return (checker.chosen_by or checker.roots)(layout, Criteria(green=True))


def _takes(known: Sequence[Checker], calls: Iterable[Sequence[str]]) -> bool:
    return any(arguments(checker, words) is not None for words in calls for checker in known)


def _unread(found: Sequence[OwnCall], known: Sequence[Checker]) -> Iterator[OwnCall]:
    by_script: dict[tuple[str, str], list[OwnCall]] = {}
    for one in found:
        by_script.setdefault((one.folder, one.script), []).append(one)
    for (folder, script), theirs in by_script.items():
        rest = [one for one in theirs if not _takes(known, [one.words])]
        looking = npm_chain.is_linting(script)
        mixed = any(set(one.words) & set(_FIXING) or npm_chain.is_test(one.words) for one in theirs)
        if looking and rest == theirs and not mixed:
            yield OwnCall((npm_run.NAME, "npm", "run", script), folder, rest[0].source)
            continue
        for one in rest:
            wanted = npm_chain.is_linter(one.words) or (looking and one.words[0] not in _IDLE)
            if wanted and one.whole and not set(one.words) & set(_FIXING) and not npm_chain.is_test(one.words):
                yield OwnCall((npm_run.NAME, *one.words), folder, one.source)
