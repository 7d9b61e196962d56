"""The tests of a run by name: each once, within bounds; and which of them a finding is about. Pure."""

import posixpath
from collections.abc import Iterable, Sequence

from untilgreen.checkers.answer import first_line, relative
from untilgreen.core.model.outcome import Diagnostic, Names, Setting, TestId

MOST = 50_000  # tests of a run; of more none is told
ARROW = " \N{SINGLE RIGHT-POINTING ANGLE QUOTATION MARK} "  # what ava puts between a file and a title


def of(file: str, title: str, setting: Setting) -> TestId:
    """A test by its file and its title, bounded as those of a finding are."""
    return TestId(relative(file, setting.root), first_line(title) or "test")


def told(ends: Iterable[tuple[str, TestId]], words: Sequence[str] = ("passed", "failed", "skipped")) -> Names | None:
    """The names by how each test ended, in these words; of several tests of one name one that failed counts, before one
    that passed. None for too many, and where there is none."""
    tests = [*ends]
    passed, failing, skipped = (dict.fromkeys(one for end, one in tests if end == word) for word in words)
    well = dict.fromkeys(one for one in passed if one not in failing)
    left = dict.fromkeys(one for one in skipped if one not in failing and one not in well)
    return Names((*well,), (*failing,), (*left,)) if 0 < len(failing) + len(well) + len(left) <= MOST else None


def name_of(found: Diagnostic, names: Names) -> TestId | None:
    """The failing test that a finding is about; None where no name, or more than one, may be it.

    Where a test failed is not always the file that it is in, nor is what failed always all of its name: a sub-test of
    unittest's has more words behind it, a class or a file may be before it.
    """
    same = [one for one in names.failed if one.id == found.rule]
    if not same:
        same = [one for one in names.failed if _within(one.id, found.rule)]
    here = [one for one in same if one.file == found.file]
    near = here or [one for one in same if one.file == posixpath.dirname(found.file)]
    fitting = near or same
    return fitting[0] if len(fitting) == 1 else None


def _within(name: str, rule: str) -> bool:
    return rule.startswith((f"{name} (", f"{name} [")) or rule.endswith((f".{name}", f"{ARROW}{name}"))
