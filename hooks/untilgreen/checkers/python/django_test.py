"""Django's own runner of tests: `manage.py test`, or `django-admin test`; it prints what unittest does.

Learned from 3.2, 4.2 and 5.2: without tests it ends with exit code 0 and "Ran 0 tests"; a database that is left over
from a run before is a question on stdin, but with `--noinput`.
"""

from collections.abc import Sequence

from untilgreen.checkers.answer import refusal
from untilgreen.checkers.checker import Checker, RunsTests
from untilgreen.checkers.python import unittest_
from untilgreen.core.model.outcome import Names, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout

_MANAGE = "manage.py"
_COMPLAINT = r"(?m)^(?:[\w.]+\.)?(?:\w*Error|ImproperlyConfigured|\w*Exception)\b: .+|^python\S*: can't open file .+"


def own(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a project's call as those of this checker; None where they are no call of Django's tests. A
    `manage.py` that lies elsewhere stays in them."""
    file = words[1] if words[0] == "python" and len(words) > 1 else words[0]
    if file.rpartition("/")[2] not in (_MANAGE, "django-admin", "django-admin.py", "django"):
        return None
    rest = list(words[2 if words[0] == "python" else 1 :])
    if rest[:1] != ["test"]:
        return None
    pairs = zip(["", *rest], rest, strict=False)  # how many at once is no matter
    kept = [word for before, word in pairs if before != "--parallel" or not (word.isdigit() or word == "auto")]
    place = (file,) if "/" in file and file.endswith(_MANAGE) else ()
    return ("django-test", "test", *place, *kept[1:])


def argv(setting: Setting) -> tuple[str, ...]:
    named = setting.call[:1] if setting.call[:1] and setting.call[0].endswith(f"/{_MANAGE}") else ()
    start = named or ((_MANAGE,) if setting.variant else ("-m", "django"))
    return (setting.tool, *start, "test", "--noinput", "--verbosity=2", *setting.call[len(named) :])


def roots(layout: Layout, criteria: Criteria) -> list[str]:
    """Where a `manage.py` is Django's, and there are tests that nobody else runs; asked for by name, they run where
    there are none too: none is not fine then."""
    return unittest_.of_django(layout) or (unittest_.managed(layout) if criteria.test_pass else [])


def variant(layout: Layout, root: str) -> str:
    """The project's own `manage.py`, "" where it has none."""
    return _MANAGE if root in unittest_.managed(layout) else ""


def parse(output: Output, setting: Setting) -> Outcome:
    if not unittest_.ended(output):
        raise refusal(output, _COMPLAINT)
    return unittest_.parse(output, setting._replace(variant=""))


def names(output: Output, setting: Setting) -> Names | None:
    """As unittest's."""
    return unittest_.names(output, setting._replace(variant=""))


CHECKER = Checker(
    name="django-test",
    stage="tests",
    argv=argv,
    parse=parse,
    runner=RunsTests(names=names),
    roots=roots,
    programs=("python3", "python"),
    subcommand=("test",),
    serves=("test_pass",),
    variant=variant,
    leaves_out=(
        "--noinput --no-input --failfast --parallel --timing --debug-sql --pdb --no-color --force-color --traceback "
        "-v= --verbosity= --durations="
    ),
)
