"""unittest: `python -m unittest discover`, where that is how a project runs its tests; its text, to the last line.

Learned from 3.9, 3.11, 3.12 and 3.13: no test at all is "OK" and exit code 0 before 3.12, and exit code 5 since then;
`os._exit(0)` in a test is exit code 0 without a last line. "Ran N tests" counts skipped ones (3.12.1 not all of them),
never those of a class whose `setUpClass` skips; "skipped=" counts classes and sub-tests too. A test that passes though
it should not is named below the failures from 3.11 on only. What tests print on stderr lies between all that.

Django's own runner, `manage.py test` or `django-admin test`, prints what unittest does. Learned from 3.2, 4.2 and 5.2:
a database that is left over from a run before is a question on stdin, but with `--noinput`.
"""

import os
import posixpath
import re
from collections.abc import Sequence

from untilgreen.checkers.answer import Malformed, Reading, finding, pieces, refusal, relative
from untilgreen.checkers.checker import Checker, RunsTests, left_out
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Names, Outcome, Output, Setting, TestId, Tests
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import NamedTuple
from untilgreen.project.tree.layout import Layout, around, below_any, folder_of, python_roots

_READ = 50  # test files that are read to tell whose they are
_SAYING = ("pyproject.toml", "setup.cfg", "setup.py", "tox.ini", "Pipfile", "noxfile.py", "Makefile")
_OURS = r"\bunittest\.(?:IsolatedAsyncio)?TestCase\b|from unittest import [^\n]*TestCase\b"
_MANAGE, _METHOD = "manage.py", r"(?m)^[ \t]+(?:async )?def test"
# functions and plain classes are pytest's tests, unittest would pass them by; Django's have a runner of their own
_OTHERS = r"(?m)\bpytest\b|\bdjango\.test\b|^(?:async )?def test|^class Test\w*(?:\(\))?:"

# plain texts: `re` compiles what is needed when it is needed
_SUMMARY = (
    r"(?m)^Ran (?P<run>\d{1,9}) tests? in \d[\d.]*s\n\n"
    r"(?P<word>OK|FAILED|NO TESTS RAN)(?: \((?P<counts>[^()\n]{0,200})\))?\n"
)
_COMPLAINT = r"(?m)^\w*Error: .+|^.*: No module named .+"
_TEST = r"\S+ \([\w.<>]+\)"
# in a list at the end, or in its own lines, which a docstring breaks in two
_UNEXPECTED = (
    rf"(?m)^UNEXPECTED SUCCESS: (?P<listed>{_TEST})$"
    rf"|(?:^| \.\.\. )(?P<told>{_TEST})(?:\n.*)? \.\.\. unexpected success$"
)
_PASSED = r"(?m)(?:^| \.\.\. )(?:ok|expected failure)$"
# a test begins, also on the line of one that ended without a word; and what is told of its end
_BEGUN = rf"(?m)(?:^|(?<= \.\.\. ))(?P<test>{_TEST})(?= \.\.\. |\n.* \.\.\. )"
_WORD = r"(?m)(?:^| \.\.\. )(ok|expected failure|skipped .+|FAIL|ERROR|unexpected success)$"
_LOADER = "unittest.loader._FailedTest"
_AROUND = ("setUpClass", "setUpModule", "tearDownClass", "tearDownModule")
_ABOVE, _BELOW = r"(?m)^={70}\n(?=(?:ERROR|FAIL): )", "\n" + "-" * 70 + "\n"
_TRACEBACK = "Traceback (most recent call last):"


def _argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "-m", "unittest", "discover", "-v", "-s", setting.variant or ".")


def select(setting: Setting, tests: Sequence[TestId]) -> tuple[str, ...]:
    """By class and name: in which file a failure was is not always where the test is."""
    named = [re.match(r"(?:[\w.]*\.)?(\w+)::(\w+)", test.id) for test in tests]
    patterns = dict.fromkeys(f"*.{match[1]}.{match[2]}" for match in named if match)
    return (*_argv(setting), *(word for one in patterns for word in ("-k", one))) if all(named) else ()


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """The roots of Python whose tests are unittest's and nobody else's; pytest runs all the others."""
    return [root for root in python_roots(layout) if variant(layout, root)]


def variant(layout: Layout, root: str) -> str:
    """The folder, relative to the root, in which one discovery finds all tests; "" where they are not unittest's.

    They are where the project never says pytest, and its tests (50 files at most are read) are classes of unittest.
    """
    if _says_pytest(layout, root):
        return ""
    django = of_django(layout)
    tests = [path for path in _tests(layout, root) if not below_any(path, django)]
    texts = {path: layout.text(path) or "" for path in tests[:_READ]}
    if any(re.search(_OTHERS, text) for text in texts.values()):
        return ""
    packages = {folder_of(path) for path in layout.files if path.endswith("__init__.py")}
    ours = [around(folder_of(path)) for path, text in texts.items() if re.search(_OURS, text)]
    # a discovery finds a file from above the packages that it lies in
    starts = {next(one for one in above if one == root or one not in packages) for above in ours}
    return posixpath.relpath(starts.pop(), root) if len(starts) == 1 else ""


def _tests(layout: Layout, root: str) -> list[str]:
    return [p for p in layout.ending(".py") if p.rpartition("/")[2].startswith("test") and below_any(p, (root,))]


def managed(layout: Layout) -> list[str]:
    """The folders with a `manage.py` that is Django's."""
    folders = layout.marked((_MANAGE,))
    return [one for one in folders if "django" in (layout.text(posixpath.normpath(f"{one}/{_MANAGE}")) or "")]


def of_django(layout: Layout) -> list[str]:
    """Those of them below which there are tests, where the project never says pytest."""
    said = [one for one in managed(layout) if not _says_pytest(layout, one)]
    return [one for one in said if any(re.search(_METHOD, layout.text(p) or "") for p in _tests(layout, one))]


def _says_pytest(layout: Layout, root: str) -> bool:
    theirs = layout.ending("conftest.py", "pytest.ini", "pytest.toml")
    requirements = [path for path in layout.ending(".txt") if "requirements" in path]
    said = [posixpath.join(folder, name) for folder in {".", root} for name in _SAYING] + requirements
    return any(below_any(path, (root,)) for path in theirs) or any("pytest" in (layout.text(p) or "") for p in said)


class _Failure(NamedTuple):
    """One failing test or sub-test, `part` says which. `owner`: the dotted path of its class, or of its module."""

    name: str
    owner: str
    part: str
    body: str


def ended(output: Output) -> bool:
    """Whether the last lines of a run are there."""
    return re.search(_SUMMARY, output.stderr) is not None


def names(output: Output, setting: Setting) -> Names | None:
    """By the file that a module's name tells, and `Class::name`; sub-tests are parts of one. None where what tests
    print hides which of them ended well."""
    from untilgreen.checkers import naming

    text, failed, tests = _read(output)
    failures = {(one.owner, one.name): one for one in failed}
    words = {_failure(match["test"], "")[1::-1]: said for match, said in pieces(_BEGUN, text)}
    ends = {test: (re.findall(_WORD, said) or [""])[-1].partition(" ")[0] for test, said in words.items()}
    ends = {test: "passed" if end in ("ok", "expected") else end for test, end in ends.items() if test not in failures}
    if [*ends.values()].count("passed") + len(failures) != tests.run:
        return None
    homes: dict[str, str] = {}
    told = ((end, test) for test, end in {**ends, **dict.fromkeys(failures, "failed")}.items())
    return naming.told(
        (end, _test(*test, setting, homes)) for end, test in told if test[0] != _LOADER and test[1] not in _AROUND
    )


def _test(owner: str, name: str, setting: Setting, homes: dict[str, str]) -> TestId:
    """`homes`: module to its file, of those that were asked for."""
    module = owner.partition(".<locals>")[0].rpartition(".")[0]
    if module not in homes:
        path = posixpath.normpath(posixpath.join(setting.variant, *module.split(".")))
        package = os.path.isdir(os.path.join(setting.root, path))
        homes[module] = f"{path}/__init__.py" if package else f"{path}.py"
    return TestId(homes[module], f"{owner.rpartition('.')[2]}::{name}")


def parse(output: Output, setting: Setting) -> Outcome:
    read = printed(output, setting.root, setting.variant)
    return Found(*read) if read.diagnostics else Clean(read.tests)


def printed(output: Output, root: str, variant: str = "") -> Reading:
    """The failing tests, and how many ran. Raises Malformed."""
    _, failures, tests = _read(output)
    return Reading(tuple(_diagnostic(one, root, variant) for one in failures), tests)


def _read(output: Output) -> tuple[str, list[_Failure], Tests]:
    """What was told before the last lines, what failed, and how many tests. Raises Malformed."""
    summaries = list(re.finditer(_SUMMARY, output.stderr))  # a test may print one, too: the last counts
    if not summaries:
        raise refusal(output, _COMPLAINT) if output.code else Malformed("exit code 0, but the tests did not end")
    last = summaries[-1]
    text = output.stderr[: last.start()].removesuffix(_BELOW[1:])
    counts = {key.strip(): int(n) for key, n in re.findall(r"([a-z ]+)=(\d{1,9})", last["counts"] or "")}
    failures, skipped = _failures(text, counts), counts.get("skipped", 0)
    # neither number alone is right in all versions; a test that prints may hide its "ok"
    failed = len({(one.owner, one.name) for one in failures})
    run = max(int(last["run"]) - skipped, len(re.findall(_PASSED, text)) + failed)
    if not failures and last["word"] == "FAILED":
        raise Malformed("tests failed, but none is named")
    if not run:
        raise Malformed(f"no test ran: {skipped} skipped" if skipped else "no tests were found")
    return text, failures, Tests(run, failed)


def _failures(text: str, counts: dict[str, int]) -> list[_Failure]:
    """Those that the last line counts, each test and sub-test once. Raises Malformed where fewer are named."""
    announced = counts.get("failures", 0) + counts.get("errors", 0)
    # what tests print may look like one; the real ones come last
    blocks = re.split(_ABOVE, text)[1:][-announced:] if announced else []
    parts = (block.partition(_BELOW) for block in reversed(blocks))
    failed = (_failure(head.split("\n", 1)[0].partition(": ")[2], body) for head, _, body in parts)
    named = {one[:3]: one for one in failed}
    said = re.finditer(_UNEXPECTED, text) if counts.get("unexpected successes") else ()
    passed = [_failure(match["listed"] or match["told"], "unexpected success") for match in said]
    unexpected = {one[:2]: one for one in passed}
    if len(blocks) < announced or len(unexpected) < counts.get("unexpected successes", 0):
        raise Malformed(f"failing tests: {counts} announced, {len(blocks) + len(unexpected)} read")
    return [*reversed(named.values()), *unexpected.values()]


def _failure(title: str, body: str) -> _Failure:
    match = re.fullmatch(r"(\S+) \(([\w.<>]+)\)(.*)", title)
    if match is None:
        return _Failure(title or "unnamed", "", "", body)
    owner = match[2].removesuffix("." + match[1])  # the test's own name is a part of it from 3.11 on
    return _Failure(match[1], owner, match[3], body)


def _diagnostic(failure: _Failure, root: str, variant: str) -> Diagnostic:
    collecting = failure.owner == _LOADER
    # of the last traceback: the error that the test ended with, not what it was caused by
    last = failure.body[max(failure.body.rfind(_TRACEBACK), 0) :]
    file, line = _place(last, failure.name if collecting else failure.owner, root, variant)
    owner = failure.owner.rpartition(".")[2] if file else failure.owner
    rule = "collection" if collecting else f"{owner}::{failure.name}".removeprefix("::") + failure.part
    lines = (line for line in last.split("\n") if line != _TRACEBACK)
    message = next((line for line in lines if line.strip() and not line[0].isspace()), failure.body)
    # the tests of a class or a module that could not be set up did not run
    hides = collecting or failure.name in ("setUpClass", "setUpModule")
    return finding((file, line), rule, "test", message or "failed", hides=hides)


def _place(traceback: str, owner: str, root: str, variant: str) -> tuple[str, int]:
    """Where in the test's own file it went wrong, else the first place below the root; ("", 0) where nothing says."""
    dotted = owner.split(".")
    ends = range(1, len(dotted) + 1)
    own = {posixpath.normpath(posixpath.join(variant, *dotted[:end])) + ".py" for end in ends}
    frames = re.findall(r'(?m)^[ |+]*File "([^"\n]+)", line (\d{1,9})', traceback)
    known = [(relative(file, root), int(line)) for file, line in frames]
    inside = [frame for frame in known if not posixpath.isabs(frame[0]) and "site-packages" not in frame[0]]
    return next((frame for frame in inside if frame[0] in own), inside[0] if inside else ("", 0))


UNITTEST = Checker(
    name="unittest",
    stage="tests",
    argv=_argv,
    parse=parse,
    roots=roots,
    runner=RunsTests(select=select, names=names),
    programs=("python3", "python"),
    serves=("test_pass",),
    variant=variant,
)

_RAISED = r"(?m)^(?:[\w.]+\.)?(?:\w*Error|ImproperlyConfigured|\w*Exception)\b: .+|^python\S*: can't open file .+"


def django_call(words: Sequence[str]) -> tuple[str, ...] | None:
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


def _django_argv(setting: Setting) -> tuple[str, ...]:
    named = setting.call[:1] if setting.call[:1] and setting.call[0].endswith(f"/{_MANAGE}") else ()
    start = named or ((_MANAGE,) if setting.variant else ("-m", "django"))
    return (setting.tool, *start, "test", "--noinput", "--verbosity=2", *setting.call[len(named) :])


def _django(output: Output, setting: Setting) -> Outcome:
    if not ended(output):
        raise refusal(output, _RAISED)
    return parse(output, setting._replace(variant=""))


DJANGO_TEST = Checker(
    name="django-test",
    stage="tests",
    argv=_django_argv,
    parse=_django,
    runner=RunsTests(names=lambda output, setting: names(output, setting._replace(variant=""))),
    # asked for by name, they run where there are none too: none is not fine then
    roots=lambda layout, criteria: of_django(layout) or (managed(layout) if criteria.test_pass else []),
    programs=("python3", "python"),
    subcommand=("test",),
    serves=("test_pass",),
    variant=lambda layout, root: _MANAGE if root in managed(layout) else "",
    leaves_out=left_out("django-test"),
)
