"""The threshold of coverage that `coverage report` asks of what ran before it, and pytest's own options do."""

import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from untilgreen.core.model.check import BY_COVERAGE, OwnCall
from untilgreen.project.calls.documents import Texts

_FILES = (".coveragerc", "setup.cfg", "tox.ini", "pyproject.toml")
_THRESHOLD = r"(?m)^\[(?:coverage:|tool\.coverage\.)?report\][^\[]*?^fail_under\s*=\s*(\d+(?:\.\d+)?)"
# each of them fails below it
_REPORTS = ("report", "html", "xml", "json", "lcov")
# the options that say what is measured, with a value and without one; and those that say what of it is asked for
_RUN = (("--source", "--source-pkgs", "--omit", "--include", "--rcfile", "--concurrency"), ("--branch", "--timid"))
_REPORT = (("--fail-under", "--omit", "--include", "--rcfile"), ("-i", "--ignore-errors"))


def asked(texts: Texts, found: Sequence[OwnCall]) -> Iterator[OwnCall]:
    """The calls that run together, in their order: those that are measured with what is asked of them. What several
    runs cover together nobody asks of one of them."""
    for place, one in enumerate(found):
        runs = {
            (other.words, other.source) for other in found if other.measured is not None and other.folder == one.folder
        }
        behind = [other for other in found[place:] if other.folder == one.folder and _reports(other)]
        if one.measured is None:
            if not (_reports(one) and len(runs) == 1):
                yield _with_threshold(texts, one, behind)
            continue
        named = {"--fail-under": 0, "--rcfile": 0}
        reports = sorted((_kept(other.words[2:], _REPORT) for other in behind), key=lambda words: -_says(words, named))
        groups = [("run", *_kept(one.measured, _RUN)), ("report", *reports[0])] if reports and len(runs) == 1 else []
        text = "; ".join(map(shlex.join, groups))
        least = any(_says(group, ["--fail-under"]) for group in groups) or _configured(texts, one.folder, groups)
        fits = least and text.count(";") == 1
        yield one._replace(measured=None, words=(*one.words, f"{BY_COVERAGE}{text}") if fits else one.words)


def of_one(calls: Iterable[OwnCall], known: dict[tuple[tuple[str, ...], str, str], OwnCall]) -> None:
    """Add the calls to those that are known: of two alike the first one, but tox's own environment before one that sets
    variables of its own, and the one of which more is asked. A word that only CI could tell takes nothing from the same
    call that is known whole elsewhere."""
    for call in calls:
        key = (tuple(word for word in call.words if not word.startswith(BY_COVERAGE)), call.folder, call.path)
        longer = key not in known or len(call.words) > len(known[key].words)
        if longer or (call.source == "tox.ini: testenv" and known[key].source.startswith("tox.ini: ")):
            known[key] = call
        elif call.whole and not known[key].whole:
            known[key] = known[key]._replace(whole=True)


def _reports(one: OwnCall) -> bool:
    return one.words[:1] == ("coverage",) and one.words[1:2] != () and one.words[1] in _REPORTS and one.whole


def _says(words: Iterable[str], options: Iterable[str]) -> int:
    return sum(word.partition("=")[0] in options for word in words)


def _kept(words: Sequence[str], options: tuple[Sequence[str], Sequence[str]]) -> tuple[str, ...]:
    rest, found = list(words), list[str]()
    while rest:
        word = rest.pop(0)
        if word.partition("=")[0] in options[0]:
            found.append(word if "=" in word or not rest else f"{word}={rest.pop(0)}")
        elif word in options[1]:
            found.append(word)
    return tuple(found)


def _configured(texts: Texts, folder: str, groups: Iterable[Sequence[str]] = ()) -> str:
    """The threshold that the configuration sets, "" where it sets none."""
    own = [word.partition("=")[2] for group in groups for word in group if word.startswith("--rcfile=")]
    said = [re.search(_THRESHOLD, texts.text(folder, name) or "") for name in own or _FILES]
    return next((match[1] for match in said if match), "")


def _with_threshold(texts: Texts, one: OwnCall, reports: Sequence[OwnCall]) -> OwnCall:
    """A call of pytest that measures coverage, with the threshold: it fails below that."""
    words = one.words
    plain = words[:1] != ("pytest",) or "--no-cov" in words or not any(re.match("--cov(?:=|$)", word) for word in words)
    if plain or any(word.startswith("--cov-fail-under") for word in words):
        return one
    said = [word for other in reports for word in _kept(other.words[2:], _REPORT) if _says([word], ["--fail-under"])]
    least = said[0].partition("=")[2] if said else _configured(texts, one.folder)
    return one._replace(words=(*words, f"--cov-fail-under={least}")) if least else one
