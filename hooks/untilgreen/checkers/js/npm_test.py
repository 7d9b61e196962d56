"""`npm test`: jest and vitest by their JSON, Node's own runner and mocha by reporters of ours, ava, tap and tape by the
TAP that they print, any other by its exit code.

Learned from jest 29.7 and 30.5, vitest 1.6, 3.2, 4.1 and 5.1, node 20.20: vitest refuses an option that is given twice
(`--run`, `--outputFile`), and jest reads a second `--bail` as the pattern of a file's name. Node takes what follows a
file's name for files, so its options go by NODE_OPTIONS; `npm --node-options` sets that for scripts only.
"""

import os
import re
from collections.abc import Sequence

from untilgreen.checkers import naming
from untilgreen.checkers.answer import MESSAGE, Malformed, finding, last_lines, relative, unwell
from untilgreen.checkers.checker import Checker, RunsTests
from untilgreen.checkers.js import engines, npm_runners, npm_script, on_terminal
from untilgreen.core.model.outcome import SOME, Clean, Diagnostic, Found, Names, Outcome, Output, Setting, TestId, Tests

_HERE = os.path.dirname(os.path.abspath(__file__))
_URL = re.sub(rb"[^\w/.~-]", lambda match: b"%%%02X" % match[0][0], os.fsencode(_HERE)).decode("ascii")
_OPTIONS = {
    "jest": ("--json", "--ci", "--testLocationInResults", "--watch=false", "--watchAll=false", "--outputFile={report}"),
    # the default reporter is the one that tells of errors outside of tests
    "vitest": ("--reporter=default", "--reporter=json", "--outputFile.json={report}"),
    "mocha": ("--reporter", f"{_HERE}/mocha_reporter.cjs", "--reporter-options", "output={report}"),
    "node": (f"--test-reporter=file://{_URL}/node_reporter.mjs", "--test-reporter-destination={report}"),
    "ava": ("--tap", "--no-fail-fast"),
    "tap": ("--reporter=tap", "--no-bail"),
}
_NOT_RUN = (126, 127)  # what the shell answers for a command that it could not run
# escape sequences of colours as they are, and as JSON writes them
_COLOURS = r"\x1b\[[0-9;]*m"
_COLOURS_IN_JSON = r"(?<!\\)((?:\\\\)*)\\u001[bB]\[[0-9;]*m"
_COMPLAINT = (
    r"(?m)^(?:[ \t✖]*)(?:\w*sh: .+|npm (?:error|ERR!) (?!A complete log).+|\w*Error\b.+|Jest: .+|node: .+"
    r"|Could not find .+|No (?:valid )?test.* found\b.*|ERROR: .+|# No coverage .+|● (?!Console).+(?:\s*\n.*\S)?)"
)
_ERROR = r"\b\w*(?:Error|Exception)(?: \[\w+\])?: .+"
# what a line says of a failure, whoever ran the tests
_FAILURE = (
    r"\bnot ok\b|\bFAIL(?:ED)?\b|[✖✗✕×●]|Error\b[^:]{0,40}:|\bERR(?:OR)?\b|\bERR_\w+|\bFailed\b(?!: +0\b)"
    r"|^[ \t]*\w*sh: |No tests? found|Could not find "
)
_CUT = r"…\(\d|\bArray\(\d|\bObject \(|^Error: Snapshot .* mismatched$"  # in vitest's report, which has no diff
_LINES, _WIDTH = 20, 250  # lines of a script that failed, and characters of one that says why
_FOLLOWING = 4  # lines behind one that tells of a failure: what was expected, and where


def argv(setting: Setting, more: Sequence[str] = ()) -> tuple[str, ...]:
    first, *around = setting.variant.split("\n")
    name, *words = first.split() or ["exit"]
    options = [*(word.replace("{report}", setting.report) for word in _OPTIONS.get(name, ())), *words]
    npm, quoted = os.path.basename(setting.tool) == "npm", " ".join(f'"{option}"' for option in options)
    env = () if npm or name != "node" else ("/usr/bin/env", f"NODE_OPTIONS={quoted}")
    node = [f"--node-options={quoted}"] if npm and name == "node" else []
    options = [*([] if name == "node" else options), *more]
    if not around and not npm:  # what follows goes to the script's last command
        return (*env, setting.tool, *([] if name == "exit" else ["--silent"]), "test", *options)
    if not around:  # the same, behind `--`
        # a pnpm within would take `--silent` for its own; that there is a newer npm nobody asked
        silent = "--no-update-notifier" if name == "exit" else "--silent"
        return (setting.tool, "test", silent, *node, *(("--", *options) if options else ()))
    import shlex

    command = " ".join((around[0], *map(shlex.quote, options))) + around[1]
    return (*env, setting.tool, *node, *npm_script.executed(setting.tool, command))


def select(setting: Setting, tests: Sequence[TestId]) -> tuple[str, ...]:
    words = npm_runners.chosen(_name(setting), tests)
    return argv(setting, words) if words else ()


def touching(setting: Setting, files: Sequence[str]) -> tuple[str, ...]:
    """jest tells which tests import these files; vitest those that import any that is not committed."""
    how = {"jest": ("--findRelatedTests", *files), "vitest": ("--changed",)}.get(_name(setting))
    return argv(setting, ("--passWithNoTests", *how)) if how else ()


def _uncoloured(output: Output) -> Output:
    stdout, stderr = (re.sub(_COLOURS, "", text) for text in (output.stdout, output.stderr))
    return output._replace(stdout=stdout, stderr=stderr, report=re.sub(_COLOURS_IN_JSON, r"\1", output.report))


def parse(output: Output, setting: Setting) -> Outcome:
    name, output = _name(setting), _uncoloured(output)
    if name == "exit":
        return _by_exit_code(output, setting)
    try:
        reading = npm_runners.read(name, _report(name, output))
    except Malformed as unclear:
        # a runner that loads all files into one process: the one that kept it from running any test
        found = _thrown(output, setting) if name in ("mocha", "tape") and output.code else None
        if found is None:
            raise _refusal(output, str(unclear)) from unclear
        return Found((found,), Tests(1, 1, SOME))
    if reading.diagnostics:
        told = on_terminal.read(f"{output.stdout}\n{output.stderr}") if name == "vitest" else None
        printed = told.diagnostics if told else ()
        return Found(tuple(_diagnostic(one, output, setting, printed) for one in reading.diagnostics), reading.tests)
    if output.code and setting.variant.count("\n") == 2 and not setting.variant.endswith("\n"):
        return _failed(output, reading.tests)  # what comes behind the tests
    if output.code != 0:
        raise _refusal(output, "no test failed")
    return Clean(reading.tests)


def _name(setting: Setting) -> str:
    return (setting.variant.split() or ["exit"])[0]


def _by_exit_code(output: Output, setting: Setting) -> Outcome:
    if output.code in _NOT_RUN:
        raise _refusal(output)
    reading = engines.read(output, setting.root)
    if reading and bool(reading.diagnostics) == bool(output.code):
        return Found(*reading) if reading.diagnostics else Clean(reading.tests)
    return _failed(output) if output.code else Clean(Tests(1, 0, SOME))


def _failed(output: Output, tests: Tests | None = None) -> Found:
    """The exit code as one more test."""
    found = Diagnostic("", "", 0, f"exit-{output.code}", "test", _ending(output))
    return Found((found,), Tests(tests.run + 1, 1, tests.by) if tests else Tests(1, 1, SOME))


def _report(name: str, output: Output) -> str:
    if name in npm_runners.PRINTING:
        return output.stdout
    if not output.report.strip():
        raise Malformed("" if output.code else "exit code 0, but no report was written")
    return output.report


def names(output: Output, setting: Setting) -> Names | None:
    name = _name(setting)
    if name == "exit":
        return None
    tests = npm_runners.tests(name, _report(name, _uncoloured(output)))
    ran = ("passed", "failed")
    return naming.told(
        [(end if end in ran else "skipped", naming.of(file, title, setting)) for file, title, end in tests]
    )


def _thrown(output: Output, setting: Setting, file: str = r"[^\s:()']+\.\w+") -> Diagnostic | None:
    """What was thrown outside of tests, as node tells it: an error near a place in a file of the project."""
    said = output.stderr.replace("file://", "")
    roots = "|".join({re.escape(setting.root), re.escape(os.path.realpath(setting.root))})
    place = re.search(rf"(?:{roots})/(?!(?:.*/)?node_modules/)(?P<file>{file})(?::(?P<line>\d{{1,9}}))?", said)
    if place is None:
        return None
    errors = [(abs(one.start() - place.start()), one[0]) for one in re.finditer(_ERROR, said)]
    return finding(place.group("file", "line"), "collection", "test", min(errors)[1], hides=True) if errors else None


def _diagnostic(found: Diagnostic, output: Output, setting: Setting, printed: Sequence[Diagnostic]) -> Diagnostic:
    if re.search(_CUT, found.message):
        same = found._replace(file=relative(found.file, setting.root))[:5]  # all but the message
        return found._replace(message=next((one.message for one in printed if one[:5] == same), found.message))
    if _name(setting) == "mocha" and re.search(npm_runners.HOOK, found.rule):
        return found._replace(hides=True)
    if found.rule == "collection" and _name(setting) == "tap":
        return _thrown(output, setting, re.escape(relative(found.file, setting.root))) or found
    if found.rule != "suite" or not setting.variant.startswith("vitest"):
        return found
    # vitest's report does not say why a hook failed, and counts the tests that it kept from running as skipped
    file = re.escape(relative(found.file, setting.root))
    said = re.search(rf"^ *FAIL +{file}.*\n(.+)$", output.stderr, re.MULTILINE)
    return found._replace(message=said[1].strip()[:MESSAGE] if said else found.message, hides=True)


def _ending(output: Output) -> str:
    """All that was said, or else the lines that tell of a failure with what follows them, and the last ones as far as
    there is room."""
    said = unwell(output)
    lines = [line.rstrip() for line in f"{said.stderr}\n{said.stdout}".split("\n") if line.strip()]
    if len(lines) <= _LINES and len("\n".join(lines)) <= MESSAGE:
        return "\n".join(lines).strip() or "it printed nothing"
    bounded = [line[:_WIDTH] for line in lines]
    failures = [number for number, line in enumerate(bounded) if re.search(_FAILURE, line)]
    wanted = [line for after in range(_FOLLOWING + 1) for number in failures for line in bounded[number + after :][:1]]
    kept = dict[int, str]()
    for some in (dict.fromkeys(wanted), reversed(last_lines(said))):
        for line in [one for one in some if one[:_WIDTH] not in kept.values()]:
            if len(kept) == _LINES or len("\n".join((*kept.values(), line))) > MESSAGE:
                break
            kept[max(at for at, one in enumerate(bounded) if one == line[:_WIDTH] and at not in kept)] = line
    return "\n".join(kept[at] for at in sorted(kept)).strip() or lines[-1].strip()[:MESSAGE]


def _refusal(output: Output, why: str = "") -> Malformed:
    """The exit code and `why`, with the last complaint on stderr, or else on stdout, else the last line of all."""
    if not output.code:
        return Malformed(why)
    complaints = re.findall(_COMPLAINT, output.stderr) or re.findall(_COMPLAINT, output.stdout)
    words = complaints[-1:] or ([] if why else last_lines(output)[-1:])
    reason = f"exit code {output.code}" + (f", {why}" if why else "")
    return Malformed(": ".join((reason, *(" ".join(word.split()) for word in words))))


CHECKER = Checker(
    name="npm-test",
    stage="tests",
    argv=argv,
    parse=parse,
    roots=npm_script.roots,
    runner=RunsTests(select=select, names=names, touching=touching),
    programs=("npm",),
    serves=("test_pass",),
    variant=npm_script.variant,
)
