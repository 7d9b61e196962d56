"""pytest: its junit report, with the exit code and the terminal's last words as a second opinion.

Learned from 7.4, 8.4 and 9.2: `raise SystemExit(0)` in a conftest, or `os._exit(0)` in a test, ends with exit code
0 and no report; `pytest.exit("…", returncode=0)` with exit code 0 and a report that ends early, in which the test
that was running has no name. A failing test whose teardown fails too is in the report twice.
"""

import os
import re
from collections.abc import Sequence

from untilgreen.checkers.answer import MESSAGE, Malformed, finding, first_line, refusal, relative
from untilgreen.checkers.checker import MEASURING, UNCOVERED, Checker, RunsTests, left_out
from untilgreen.checkers.python import unittest_
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Names, Outcome, Output, Setting, TestId, Tests
from untilgreen.core.model.settings import Criteria
from untilgreen.project import tables
from untilgreen.project.tree.layout import PYTHON, PYTHON_MARKERS, Layout, any_below, below_any, outermost

TYPE_CHECKING = False  # typing's own would have to be loaded
if TYPE_CHECKING:
    from untilgreen.checkers.formats.junit import Case

_OWN = ("pytest.ini", ".pytest.ini")
_SHARED = {
    "pytest.toml": r"pytest(\.|$)",
    ".pytest.toml": r"pytest(\.|$)",
    "pyproject.toml": r"tool\.pytest(\.|$)",
    "tox.ini": r"pytest$",
    "setup.cfg": r"tool:pytest$",
}
_TEST = r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$"
_VALUED = ("-k", "-m", "-c", "-p", "-o", "-W", "--rootdir", "--confcutdir", "--ignore", "--ignore-glob", "--deselect")
_STOPPED = r"(?m)^!+ (?P<why>(?:_pytest\.outcomes\.Exit|KeyboardInterrupt|Interrupted|stopping after)\b.*?) !+$"
_ROOT = r"(?m)^rootdir: (?P<path>.+?)(?:, (?:configfile|inifile|testpaths): .*)?$"
_COLLECTING = "collection failure"
_COMPLAINT = (
    r"(?m)^(?:ERROR: (?!usage).+|pytest: error: .+|FAIL .+|INTERNALERROR> \w+: .+|\w*Error\b(?!: usage).+|SystemExit.*)"
)
# what pytest says of options and plugins that it does not have
_USAGE = r"(?:unrecognized arguments: (?P<options>.+)|Missing required plugins: (?P<plugins>[^\n]+))"


def argv(setting: Setting) -> tuple[str, ...]:
    # maxfail takes back a "-x" of the project's addopts: how many tests fail is what progress is made of.
    # verbosity takes back "-q", which hides the line that says what the report's paths are relative to.
    plain = ("--maxfail=0", "--color=no", "--verbosity=0")
    options = ("junit_family=xunit1", "junit_logging=no", "junit_suite_name=pytest")
    form = (f"--junitxml={setting.report}", *(word for one in options for word in ("-o", one)), *plain)
    return (setting.tool, *form, *setting.call)


def select(setting: Setting, tests: Sequence[TestId]) -> tuple[str, ...]:
    """By their node ids, with the options of the project's call, without the places that it names and how much of the
    code all of them must cover."""
    if "--pyargs" in setting.call or not all(test.file for test in tests):
        return ()
    pairs = zip(("", *setting.call), setting.call, strict=False)
    options = tuple(
        word for before, word in pairs if before in _VALUED or (word.startswith("-") and not word.startswith(MEASURING))
    )
    return (*argv(setting._replace(call=options)), *(_node(test, setting) for test in tests))


def _node(test: TestId, setting: Setting) -> str:
    """Its node id: of an inherited test with the file of the class it comes from, and with the module of its own."""
    owner, colons, name = test.id.partition("::")
    parts = owner.split(".") if colons else []
    for end in range(len(parts) - 1, 0, -1):
        path = "/".join(parts[:end]) + ".py"
        if os.path.isfile(os.path.join(setting.root, path)):
            return "::".join((path, *parts[end:], name))
    return "::".join(filter(None, test))


def roots(layout: Layout, criteria: Criteria) -> list[str]:
    """Where pytest is configured, and where tests lie that no such folder covers; never where unittest runs them."""
    django = unittest_.of_django(layout)
    theirs = [*django, *unittest_.roots(layout, criteria)]
    tests = [path for path in layout.own(PYTHON) if re.search(_TEST, path) and not below_any(path, django)]
    configured = layout.configured(_OWN, _SHARED)
    homes = [root for root in configured if root != "."]
    marked = layout.marked(PYTHON_MARKERS)
    if "." not in marked and "." not in configured:
        # nobody runs the tests of such a repository from its top: each part has an environment of its own
        parts = outermost(folder for folder in marked if any_below(tests, folder))
        apart = [folder for folder in parts if not any_below(homes, folder) and not below_any(folder, homes)]
        homes = sorted({*homes, *apart})
    at_root = "." in configured or any(not below_any(path, homes) for path in tests)
    return [root for root in ["."] * at_root + homes if root not in theirs and not below_any(root, theirs)]


def is_configured(layout: Layout, root: str) -> bool:
    return layout.configuration(root, _OWN, _SHARED) != ""


def parse(output: Output, setting: Setting) -> Outcome:
    from untilgreen.checkers.formats import junit  # needed after a test run only

    if output.code not in (0, 1, 2, 5):
        raise _unequipped(output, setting) or refusal(output, _COMPLAINT)
    if output.code == 5:
        raise Malformed("no tests were collected")
    if not output.report.strip():
        raise refusal(output, _COMPLAINT) if output.code else Malformed("exit code 0, but no report was written")
    cases = junit.cases(output.report)
    ran = [case for case in cases if case.name and not case.skipped]
    failing = [case for case in ran if case.failed]
    tests, words = Tests(len(ran), len(failing)), re.search(_STOPPED, output.stdout)
    stopped = words["why"] if words else "" if all(case.name for case in cases) else "a test never ended"
    if failing:
        root = _top(output, setting)
        return Found(tuple(_diagnostic(case, junit.rule_of(case, case.file), root, stopped) for case in failing), tests)
    if stopped:
        raise Malformed(f"stopped before the end: {stopped}")
    if output.code != 0 and not (ran and re.search(UNCOVERED, f"{output.stdout}\n{output.stderr}")):
        raise refusal(output, _COMPLAINT)
    if not ran:
        raise Malformed(f"no test ran: {len(cases)} collected, all skipped" if cases else "no tests were collected")
    return Clean(tests)


def names(output: Output, setting: Setting) -> Names | None:
    """By the file and the name that a node id has; a file that could not be collected is no test."""
    from untilgreen.checkers import naming
    from untilgreen.checkers.formats import junit

    if not output.report.strip():
        return None
    root = _top(output, setting)
    tests = [one for one in junit.cases(output.report) if one.name and one.message != _COLLECTING]
    told = (naming.of(_path(one, root), junit.rule_of(one, one.file), setting) for one in tests)
    ends = ("skipped" if one.skipped else "failed" if one.failed else "passed" for one in tests)
    return naming.told(zip(ends, told, strict=True))


def _top(output: Output, setting: Setting) -> str:
    """What the report's paths are relative to: pytest's root folder, which may lie above the check root."""
    header = re.search(_ROOT, output.stdout)
    return header["path"] if header else setting.root


def _path(case: "Case", root: str) -> str:
    return os.path.normpath(os.path.join(root, case.file)) if case.file else ""


def _unequipped(output: Output, setting: Setting) -> Malformed | None:
    """The refusal of options (of its `addopts`, too) that are those of a plugin which is not there, with the cure."""
    said = re.search(_USAGE, output.stderr) if output.code == 4 else None
    if said is None:
        return None
    plugins = (said["plugins"] or "").replace(",", " ").split()
    plugins += [name for name, option in tables.read("pytest-plugins")[""] if re.search(option, said["options"] or "")]
    if not plugins:
        return None
    from untilgreen.project import cures

    names = ", ".join(dict.fromkeys(plugins))
    cure = cures.installing(setting.root, [(".", f"pypi:{name}") for name in dict.fromkeys(plugins)], first=True)
    return Malformed(f"{said[0].strip()}: {names} is not installed. Fix: {cure}")


def _decisive(case: "Case") -> str:
    """What went wrong, in one line: the first of the message as a rule."""
    first = first_line(case.message)
    marked = re.findall(r"(?m)^E +(.+)$", case.text)
    if marked and re.match(r'failed on (?:setup|teardown) with "file ', first):
        return f'{first.partition("file ")[0]}{marked[0]}"'  # a fixture that is not there: the rest is its frame
    if re.fullmatch(r"[\w.]+", first) and (source := re.findall(r"(?m)^> +(.+)$", case.text)):
        return f"{first}: {source[-1]}"  # an exception without a word: the line that raised it
    if "..." in first:  # pytest shortened the two sides: what differs stands below
        skipped = ("Omitting ", "Use -v", "Full diff", "Skipping ", "...", "?")
        lines = [line for line in map(str.strip, case.message.split("\n")[1:]) if line and not line.startswith(skipped)]
        return "; ".join((first, *lines))
    whole = re.sub(r"#x1B\[[\d;]*m", "", case.text).strip()
    if "\n" not in whole or case.message.strip() != case.text.strip():
        return first or first_line(case.text) or "failed"
    # a plugin's own report, which may begin with the same sentence for every failure
    raised = re.findall(r"(?m)^(?:E +)?((?:\w+\.)*[A-Z]\w*(?:Error|Exception|Warning|Exit|Interrupt)\b.*)$", whole)
    text = " ".join(whole.split())
    return raised[-1] if raised else text if len(text) <= MESSAGE else f"{text[:99]} … {text[102 - MESSAGE :]}"


def _cause(case: "Case") -> str:
    """The exception, and the innermost place in the project's own code; "" for an assertion, which says what it is."""
    raised = re.match(r'(?:failed on \w+ with ")?(?:\w+\.)*(?!AssertionError)(\w+)(?=[:"\n]|$)', case.message)
    frames = re.findall(r"(?m)^(?!/|\.\.|.*site-packages)([^\s:][^:\n]*\.py:\d{1,9}):", case.text)
    return f"{raised[1]} at {frames[-1]}" if raised and frames else ""


def _diagnostic(case: "Case", rule: str, root: str, stopped: str) -> Diagnostic:
    from untilgreen.checkers.formats.runners import failing_example

    line, message = failing_example(case.text) or (case.line, _decisive(case))
    if case.message == _COLLECTING:
        # the reason is the last of the lines that pytest marks with an E
        marked = re.findall(r"(?m)^E +(.+)$", case.text)
        rule, stopped, message = "collection", _COLLECTING, first_line(marked[-1] if marked else case.text) or message
        place = re.findall(r'(?m)^E +File "(.+)", line (\d+)', case.text)
        if place and re.match(r"(?:Syntax|Indentation|Tab)Error", message):  # it may be in another file
            message += f" ({relative(place[-1][0], root)}:{place[-1][1]})"
    found = finding((_path(case, root), line), rule, "test", message, hides=bool(stopped))
    return found if stopped else found._replace(cause=_cause(case))


CHECKER = Checker(
    name="pytest",
    stage="tests",
    argv=argv,
    parse=parse,
    roots=roots,
    runner=RunsTests(select=select, names=names),
    package="pypi:pytest",
    serves=("test_pass",),
    leaves_out=left_out("pytest"),
)
