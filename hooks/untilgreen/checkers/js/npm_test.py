"""`npm test`: jest and vitest by their JSON, Node's own runner and mocha by reporters of ours, ava, tap and tape by the
TAP that they print, any other by its exit code.

Learned from jest 29.7 and 30.5, vitest 1.6, 3.2, 4.1 and 5.1, node 20.20: vitest refuses an option that is given twice
(`--run`, `--outputFile`), and jest reads a second `--bail` as the pattern of a file's name. Node takes what follows a
file's name for files, so its options go by NODE_OPTIONS; `npm --node-options` sets that for scripts only.
"""

import os
import re
from collections.abc import Sequence

from untilgreen.checkers.answer import MESSAGE, Malformed, Reading, finding, last_lines, line_of, relative, unwell
from untilgreen.checkers.checker import Checker, RunsTests
from untilgreen.checkers.js import npm_chain
from untilgreen.checkers.js.javascript import has_workspace, is_installed
from untilgreen.checkers.js.npm_script import (
    only_looks,
    only_runs_npms_workspaces,
    runs_workspaces,
    test_script,
    variant,
)
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Names, Outcome, Output, Setting, TestId, Tests
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout, folder_of

_JEST = ("--json", "--ci", "--testLocationInResults", "--watch=false", "--watchAll=false")
_OURS = {"node": "node_reporter.mjs", "mocha": "mocha_reporter.cjs"}
_PRINTING = {"ava": ("--tap", "--no-fail-fast"), "tap": ("--reporter=tap", "--no-bail"), "tape": ()}  # TAP, on stdout
_NOT_RUN = (126, 127)  # what the shell answers for a command that it could not run
# escape sequences of colours as they are, and as JSON writes them
_COLOURS = r"\x1b\[[0-9;]*m"
_COLOURS_IN_JSON = r"(?<!\\)((?:\\\\)*)\\u001[bB]\[[0-9;]*m"
_COMPLAINT = (
    r"^(?:[ \t✖]*)(?:\w*sh: .+|npm (?:error|ERR!) (?!A complete log).+|\w*Error\b.+|Jest: .+|node: .+|Could not find .+"
    r"|No (?:valid )?test.* found\b.*|ERROR: .+|# No coverage .+|● (?!Console).+(?:\s*\n.*\S)?)"
)
_ERROR = r"\b\w*(?:Error|Exception)(?: \[\w+\])?: .+"
# what a line says of a failure, whoever ran the tests
_FAILURE = (
    r"\bnot ok\b|\bFAIL(?:ED)?\b|[✖✗✕×●]|Error\b[^:]{0,40}:|\bERR(?:OR)?\b|\bERR_\w+|\bFailed\b(?!: +0\b)"  # noqa: RUF001
    r"|^[ \t]*\w*sh: |No tests? found|Could not find "
)
_LINES, _WIDTH = 20, 250  # lines of a script that failed, and characters of one that says why
_FOLLOWING = 4  # lines behind one that tells of a failure: what was expected, and where


def roots(layout: Layout, criteria: Criteria) -> Sequence[str]:
    """Where there is a test script. Below a project root that has one, only packages that are installed by
    themselves or as workspaces are roots, and none where the root's script runs the workspaces: others are
    examples and what tests are fed with. Where all that a script does is to have npm run workspaces, they are the
    roots in its place: each has a report of its own."""
    if not (criteria.test_pass or criteria.preserve or criteria.green):
        return ()
    return [root for root in with_scripts(layout) if not only_looks(layout, root)]


def with_scripts(layout: Layout) -> list[str]:
    """Where npm tests something, or only looks at the code."""
    folders = [folder for folder in layout.marked(("package.json",)) if test_script(layout, folder)]
    if "." in folders:
        alone = runs_workspaces(test_script(layout, "."))
        folders = [folder for folder in folders if folder == "." or (not alone and is_installed(layout, folder))]
    return sorted({root for folder in folders for root in (_workspaces(layout, folder) or [folder])})


def _workspaces(layout: Layout, folder: str) -> list[str]:
    """The workspaces with tests that npm runs for a folder, where that is all it does; npm finds them at any depth."""
    if not only_runs_npms_workspaces(layout, folder):
        return []
    packages = map(folder_of, layout.ending("/package.json"))
    return [one for one in packages if has_workspace(layout, folder, one) and test_script(layout, one)]


def argv(setting: Setting) -> tuple[str, ...]:
    return _argv(setting, ())


def select(setting: Setting, tests: Sequence[TestId]) -> tuple[str, ...]:
    from untilgreen.checkers.js import npm_select

    words = npm_select.words(_name(setting), tests)
    return _argv(setting, words) if words else ()


def _argv(setting: Setting, more: Sequence[str]) -> tuple[str, ...]:
    first, *around = setting.variant.split("\n")
    name, *words = first.split() or ["exit"]
    node, own = _words(name, words, setting.report)
    options = (*own, *more)
    if not around:  # the script as it stands, what follows `--` goes to its last command
        return (setting.tool, "test", "--silent", *node, *(("--", *options) if options else ()))
    import shlex

    command = " ".join((around[0], *map(shlex.quote, options))) + around[1]
    return (setting.tool, *node, *npm_chain.executed(command))


def _words(name: str, words: list[str], report: str) -> tuple[list[str], list[str]]:
    """What npm itself is told, and what the runner is."""
    if name == "jest":
        return [], [*_JEST, f"--outputFile={report}", *words]
    if name == "vitest":  # the default reporter is the one that tells of errors outside of tests
        return [], ["--reporter=default", "--reporter=json", f"--outputFile.json={report}", *words]
    if name == "node":
        reporter = f"--test-reporter=file://{_quoted(_reporter(name))}"
        options = (reporter, f"--test-reporter-destination={report}", *words)
        return ["--node-options=" + " ".join(f'"{option}"' for option in options)], []
    if name == "mocha":
        return [], ["--reporter", _reporter(name), "--reporter-options", f"output={report}"]
    return [], [*_PRINTING.get(name, ())]


def _reporter(name: str) -> str:
    return os.path.join(os.path.dirname(os.path.abspath(__file__)), _OURS[name])


def parse(output: Output, setting: Setting) -> Outcome:
    name = _name(setting)
    if name == "exit":
        return _by_exit_code(output)
    try:
        reading = _reading(name, output)
    except Malformed as unclear:
        unloaded = _unloaded(name, output, setting)
        if unloaded is None:
            raise _refusal(output, str(unclear)) from unclear
        return unloaded
    if reading.diagnostics:
        return Found(tuple(_diagnostic(one, output, setting) for one in reading.diagnostics), reading.tests)
    if output.code and setting.variant.count("\n") == 2 and not setting.variant.endswith("\n"):
        return _failed(output, reading.tests)  # what comes behind the tests
    if output.code != 0:
        raise _refusal(output, "no test failed")
    return Clean(reading.tests)


def _name(setting: Setting) -> str:
    return (setting.variant.split() or ["exit"])[0]


def _by_exit_code(output: Output) -> Outcome:
    if output.code in _NOT_RUN:
        raise _refusal(output)
    reading = _printed(output.stdout)
    if reading and (reading.diagnostics or not output.code):
        return Found(*reading) if reading.diagnostics else Clean(reading.tests)
    return _failed(output) if output.code else Clean(Tests(1, 0))


def _failed(output: Output, tests: Tests | None = None) -> Found:
    """The exit code as one more test."""
    found = Diagnostic("", "", 0, f"exit-{output.code}", "test", _ending(output))
    return Found((found,), Tests(tests.run + 1 if tests else 1, 1))


def _printed(text: str) -> Reading | None:
    """The TAP among what a script printed; None where there is none that can be read."""
    if "TAP version 1" not in text:
        return None
    from untilgreen.checkers.js import npm_tap

    try:
        return npm_tap.printed(text)
    except Malformed:
        return None  # it may be anything: the exit code decides


def _reading(name: str, output: Output) -> Reading:
    text = _report(name, output)
    if name in _PRINTING:
        from untilgreen.checkers.js import npm_tap

        return npm_tap.read(name, text)
    if name == "node":
        from untilgreen.checkers.js.node_events import read
    else:
        from untilgreen.checkers.formats.jest import read
    return read(text)


def _report(name: str, output: Output) -> str:
    """What the runner said of the tests, without colours."""
    if name in _PRINTING:
        return re.sub(_COLOURS, "", output.stdout)
    if not output.report.strip():
        raise Malformed("" if output.code else "exit code 0, but no report was written")
    return re.sub(_COLOURS_IN_JSON, r"\1", output.report)


def names(output: Output, setting: Setting) -> Names | None:
    name = _name(setting)
    if name == "exit":
        return None
    from untilgreen.checkers.js import npm_names

    return npm_names.told(name, _report(name, output), setting)


def _unloaded(name: str, output: Output, setting: Setting) -> Outcome | None:
    """Of a runner that loads all files into one process: the file that kept it from running any test."""
    found = _thrown(output, setting) if name in ("mocha", "tape") and output.code else None
    return Found((found,), Tests(1, 1)) if found else None


def _thrown(output: Output, setting: Setting, file: str = r"[^\s:()']+\.\w+") -> Diagnostic | None:
    """What was thrown outside of tests, as node tells it: an error near a place in a file of the project."""
    said = re.sub(_COLOURS, "", output.stderr).replace("file://", "")
    roots = "|".join({re.escape(setting.root), re.escape(os.path.realpath(setting.root))})
    place = re.search(rf"(?:{roots})/(?!(?:.*/)?node_modules/)(?P<file>{file})(?::(?P<line>\d{{1,9}}))?", said)
    if place is None:
        return None
    errors = [(abs(one.start() - place.start()), one[0]) for one in re.finditer(_ERROR, said)]
    line = line_of(place["line"])
    return finding((place["file"], line), "collection", "test", min(errors)[1], hides=True) if errors else None


def _diagnostic(found: Diagnostic, output: Output, setting: Setting) -> Diagnostic:
    if _name(setting) == "mocha":
        from untilgreen.checkers.js import npm_names

        if re.search(npm_names.HOOK, found.rule):
            return found._replace(hides=True)
    if found.rule == "collection" and _name(setting) == "tap":
        return _thrown(output, setting, re.escape(relative(found.file, setting.root))) or found
    if found.rule != "suite" or not setting.variant.startswith("vitest"):
        return found
    # vitest's report does not say why a hook failed, and counts the tests that it kept from running as skipped
    file = re.escape(relative(found.file, setting.root))
    said = re.search(rf"^ *FAIL +{file}.*\n(.+)$", re.sub(_COLOURS, "", output.stderr), re.MULTILINE)
    return found._replace(message=said[1].strip()[:MESSAGE] if said else found.message, hides=True)


def _ending(output: Output) -> str:
    """All that was said, or else the lines that tell of a failure with what follows them, and the last ones as far as
    there is room."""
    said = unwell(
        output._replace(stdout=re.sub(_COLOURS, "", output.stdout), stderr=re.sub(_COLOURS, "", output.stderr))
    )
    lines = [line.rstrip() for line in f"{said.stderr}\n{said.stdout}".split("\n") if line.strip()]
    if len(lines) <= _LINES and len("\n".join(lines)) <= MESSAGE:
        return "\n".join(lines).strip() or "it printed nothing"
    failures = [number for number, line in enumerate(lines) if re.search(_FAILURE, line[:_WIDTH])]
    following = [
        number + after for after in range(1, _FOLLOWING + 1) for number in failures if number + after < len(lines)
    ]
    # no line twice, and each where it stood
    first = {line[:_WIDTH]: number for number, line in reversed([*enumerate(lines)])}
    wanted = dict.fromkeys(lines[number][:_WIDTH] for number in (*failures, *following))
    kept = sorted(_first_that_fit([], [*wanted]), key=first.__getitem__)
    last = [line for line in last_lines(said) if line[:_WIDTH] not in kept]
    rest = _first_that_fit(kept, last[::-1])[len(kept) :][::-1]
    return "\n".join((*kept, *rest)).strip() or lines[-1].strip()[:MESSAGE]


def _first_that_fit(before: list[str], lines: list[str]) -> list[str]:
    """The lines `before`, and as many of the others as there is room for."""
    kept = list(before)
    for line in lines:
        if len(kept) == _LINES or len("\n".join((*kept, line))) > MESSAGE:
            break
        kept.append(line)
    return kept


def _refusal(output: Output, why: str = "") -> Malformed:
    """The exit code and `why`, with the last complaint on stderr, or else on stdout, else the last line of all."""
    if not output.code:
        return Malformed(why)
    plain = (re.sub(_COLOURS, "", text) for text in (output.stderr, output.stdout))
    complaints = next(filter(None, (re.findall(_COMPLAINT, text, re.MULTILINE) for text in plain)), [])
    words = complaints[-1:] or ([] if why else last_lines(output)[-1:])
    reason = f"exit code {output.code}" + (f", {why}" if why else "")
    return Malformed(": ".join((reason, *(" ".join(word.split()) for word in words))))


def _quoted(path: str) -> str:
    """A path as part of a URL."""
    return re.sub(rb"[^\w/.~-]", lambda match: b"%%%02X" % match[0][0], os.fsencode(path)).decode("ascii")


CHECKER = Checker(
    name="npm-test",
    stage="tests",
    argv=argv,
    parse=parse,
    roots=roots,
    runner=RunsTests(select=select, names=names),
    programs=("npm",),
    serves=("test_pass",),
    variant=variant,
)
