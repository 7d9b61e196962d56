"""Is it green because a check was told to look away? The project's text at the start against the text now."""

from collections.abc import Iterable, Mapping

from untilgreen.core.model.check import Absent
from untilgreen.core.model.outcome import Result
from untilgreen.core.model.snapshot import Text

UNCHECKED = "there is nothing here to check; name a check with --check"
_FEWER = ("test fewer", "tests fewer")


def compare(then: Text, now: Text, tests_run_first: int, tests_run_now: int) -> tuple[tuple[str, ...], int, int]:
    """(what was weakened, one text each; how many suppressions were added; how many tests were lost).

    `tests_run_*` is 0 where it is not known. Adding `noqa` is not made good by removing a `type: ignore`: each
    kind stands alone. Nothing is concluded from texts that are not `comparable`; that one of now is not read to its
    end may be the agent's doing.
    """
    whole = comparable(then, now)
    added = _added(then, now) if whole else {}
    lost = max(
        _definitions_lost(then, now, tests_run_now) if whole else 0,
        tests_run_first - tests_run_now if tests_run_now else 0,
        0,
    )
    texts = [f"{count} new {kind}" for kind, count in sorted(added.items(), key=lambda entry: (-entry[1], entry[0]))]
    texts += _reconfigured(then.config, now.config) if whole else []
    texts += ["files not read in time"] if then.complete and not now.complete else []
    texts += [f"{lost} {_FEWER[1]}" if lost > 1 else f"1 {_FEWER[0]}"] if lost else []
    return tuple(texts), sum(added.values()), lost


def is_loss(text: str) -> bool:
    """Whether a text of `compare` is the number of tests that are lost."""
    return text.endswith(_FEWER)


def comparable(then: Text, now: Text) -> bool:
    """Whether both were read to their end, and counted by the same rules: no upgrade adds what it learned to count."""
    return then.complete and now.complete and then.version == now.version


def _added(then: Text, now: Text) -> dict[str, int]:
    grown = {kind: count - then.suppressions.get(kind, 0) for kind, count in now.suppressions.items()}
    return {kind: count for kind, count in grown.items() if count > 0}


def _definitions_lost(then: Text, now: Text, tests_run_now: int) -> int:
    """Ten functions that became one with ten parameters are no loss: as many tests run as were defined. Where no more
    of them are so than before, those that are gone are gone, however many tests there are besides."""
    return 0 if tests_run_now >= then.tests and now.folded > then.folded else then.tests - now.tests


def _reconfigured(then: dict[str, str], now: dict[str, str]) -> list[str]:
    def what(name: str) -> str:
        return "new" if name not in then else "removed" if name not in now else "changed"

    return [f"{what(name)} {name}" for name in sorted({*then, *now}) if then.get(name) != now.get(name)]


def moved(then: Mapping[str, str], now: Mapping[str, str], project: str) -> tuple[str, ...]:
    """The programs that lay elsewhere at the start, and in the project now, a text each. `then`, `now`: by check."""
    found = (path for name, path in now.items() if then.get(name, path) != path and path.startswith(f"{project}/"))
    names = sorted({path.rpartition("/")[2] for path in found})
    return tuple(f"{name} is another program than at the start" for name in names)


def left_out(results: Iterable[Result]) -> tuple[str, ...]:
    """Why checks are absent, a text each; one text for all that only lack trust."""
    absent = dict.fromkeys(outcome for _, outcome in results if isinstance(outcome, Absent))
    texts = [one.reason for one in absent if one.cause == "missing"]
    names = ", ".join(one.name for one in absent if one.cause == "untrusted")
    return (*texts, Absent("untrusted", names).reason) if names else tuple(texts)
