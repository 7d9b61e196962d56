"""`npm test`: jest and vitest by their JSON, Node's own runner by `node_reporter.mjs`, any other by its exit code.

Learned from jest 29.7 and 30.5, vitest 1.6, 3.2, 4.1 and 5.1, node 20.20: vitest refuses an option that is given twice
(`--run`, `--outputFile`), and jest reads a second `--bail` as the pattern of a file's name. Node takes what follows a
file's name for files, so its options go by NODE_OPTIONS; `npm --node-options` sets that for scripts only.
"""

import os
import re
from collections.abc import Sequence

from untilgreen.checkers.answer import MESSAGE, Malformed, last_lines, relative
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.javascript import has_workspace, is_installed
from untilgreen.checkers.npm_script import only_runs_npms_workspaces, runner, runs_workspaces, test_script
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting, Tests
from untilgreen.core.model.settings import Criteria
from untilgreen.project.layout import Layout, folder_of

_JEST = ("--json", "--ci", "--testLocationInResults", "--watch=false", "--watchAll=false")
_NOT_RUN = (126, 127)  # what the shell answers for a command that it could not run
# escape sequences of colours as they are, and as JSON writes them
_COLOURS = r"\x1b\[[0-9;]*m"
_COLOURS_IN_JSON = r"(?<!\\)((?:\\\\)*)\\u001[bB]\[[0-9;]*m"
_COMPLAINT = (
    r"^[ \t]*(?:\w*sh: .+|npm (?:error|ERR!) (?!A complete log).+|\w*Error\b.+|Jest: .+|node: .+|Could not find .+"
    r"|No test.* found\b.*|● (?!Console).+(?:\s*\n.*\S)?)"
)
# what a line says of a failure, whoever ran the tests
_FAILURE = (
    r"\bnot ok\b|\bFAIL(?:ED)?\b|[✖✗✕×●]|Error\b[^:]{0,40}:|\bERR(?:OR)?\b|\bERR_\w+|\bFailed\b(?!: +0\b)"  # noqa: RUF001
    r"|^[ \t]*\w*sh: |No tests? found|Could not find "
)
_LINES, _WIDTH = 20, 250  # lines of a script that failed, and characters of one that says why


def roots(layout: Layout, criteria: Criteria) -> Sequence[str]:
    """Where there is a test script. Below a project root that has one, only packages that are installed by
    themselves or as workspaces are roots, and none where the root's script runs the workspaces: others are
    examples and what tests are fed with. Where all that a script does is to have npm run workspaces, they are the
    roots in its place: each has a report of its own."""
    if not (criteria.test_pass or criteria.preserve or criteria.green):
        return ()
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


def variant(layout: Layout, root: str) -> str:
    return runner(test_script(layout, root))


def argv(setting: Setting) -> tuple[str, ...]:
    name, *words = setting.variant.split() or ["exit"]
    npm = (setting.tool, "test", "--silent")
    if name == "jest":
        return (*npm, "--", *_JEST, f"--outputFile={setting.report}", *words)
    if name == "vitest":  # the default reporter is the one that tells of errors outside of tests
        return (*npm, "--", "--reporter=default", "--reporter=json", f"--outputFile.json={setting.report}", *words)
    if name == "node":
        reporter = "file://" + _quoted(os.path.join(os.path.dirname(os.path.abspath(__file__)), "node_reporter.mjs"))
        options = (f"--test-reporter={reporter}", f"--test-reporter-destination={setting.report}", *words)
        return (*npm, "--node-options=" + " ".join(f'"{option}"' for option in options))
    return npm


def parse(output: Output, setting: Setting) -> Outcome:
    name = setting.variant.partition(" ")[0]
    if name not in ("jest", "vitest", "node"):
        if output.code in _NOT_RUN:
            raise _refusal(output)
        found = Diagnostic("", "", 0, f"exit-{output.code}", "test", _ending(output))
        return Found((found,), Tests(1, 1)) if output.code else Clean(Tests(1, 0))
    if not output.report.strip():
        raise _refusal(output) if output.code else Malformed("exit code 0, but no report was written")
    if name == "node":
        from untilgreen.checkers.node_events import read
    else:
        from untilgreen.checkers.formats.jest import read
    try:
        reading = read(re.sub(_COLOURS_IN_JSON, r"\1", output.report))
    except Malformed as unclear:
        raise _refusal(output, str(unclear)) from unclear
    if reading.diagnostics:
        return Found(tuple(_diagnostic(one, output, setting) for one in reading.diagnostics), reading.tests)
    if output.code != 0:
        raise _refusal(output, "no test failed")
    return Clean(reading.tests)


def _diagnostic(found: Diagnostic, output: Output, setting: Setting) -> Diagnostic:
    if found.rule != "suite" or not setting.variant.startswith("vitest"):
        return found
    # vitest's report does not say why a hook failed, and counts the tests that it kept from running as skipped
    file = re.escape(relative(found.file, setting.root))
    said = re.search(rf"^ *FAIL +{file}.*\n(.+)$", re.sub(_COLOURS, "", output.stderr), re.MULTILINE)
    return found._replace(message=said[1].strip()[:MESSAGE] if said else found.message, hides=True)


def _ending(output: Output) -> str:
    """All that was said, or else the lines that tell of a failure, and the last ones as far as there is room."""
    said = output._replace(stdout=re.sub(_COLOURS, "", output.stdout), stderr=re.sub(_COLOURS, "", output.stderr))
    lines = [line.rstrip() for line in f"{said.stderr}\n{said.stdout}".split("\n") if line.strip()]
    if len(lines) <= _LINES and len("\n".join(lines)) <= MESSAGE:
        return "\n".join(lines).strip() or "it printed nothing"
    failures = dict.fromkeys(line[:_WIDTH] for line in lines if re.search(_FAILURE, line[:_WIDTH]))
    kept = _first_that_fit([], [*failures])
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
    programs=("npm",),
    serves=("test_pass",),
    variant=variant,
)
