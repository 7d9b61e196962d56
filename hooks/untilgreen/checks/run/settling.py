"""What a check said, in the project's own terms: paths relative to its root, source lines, the user's severities."""

import os
import re
from collections.abc import Collection, Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checkers.answer import Malformed
from untilgreen.checkers.checker import failing, outcome
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.outcome import Broken, Clean, Found, Names, Outcome, Output, Pending, Setting, TestId
from untilgreen.project import files
from untilgreen.project.toplevel import within

_PYTHONS = ("pytest", "unittest", "django-test")
_STOPPED = ("mypy",)  # what one file that cannot be read keeps from looking at the others
_FOLLOWING = ("tsc", "svelte-check", "astro-check")  # what is installed may be a part of what they find
# what goes by its exit code alone, or builds what it looks at
_AS_A_WHOLE = ("custom", "builder", "npm-script", "pre-commit", "hook", "cargo-check", "cargo-clippy", "go-vet")
# how programs say that they do not know an option, or a reporter; the options that name one
_REFUSING = (
    r"(?i)unrecogni[sz]ed|unknown|unexpected|unsupported|not (?:defined|supported|recogni[sz]ed)|no such option"
    r"|(?:invalid|illegal|bad) (?:option|argument|value|choice|flag)|failed to load|not found|cannot find"
)
_PATH, _QUOTED = r"(?<![\w./~-])[/\w.@][\w.+@/-]*[\w-]", r"(?m)^([ >]*\d+ *\|).*$"
_WORD = r"[\w-]{6,}"
_CODE = (".py", ".pyi", ".js", ".ts", ".go", ".rs")
_REPORTING = r"--?[\w-]*(?:report|format)[\w-]*="
_SAID = 20_000  # characters of stdout in which that is looked for
_APART = "what it says is not shown: by a link, the file lies outside of the project"
_SOURCES = 5_000  # findings whose source line is looked up


def outcome_of(
    scope: CheckScope, output: Output, check: Check, setting: Setting, text: str, argv: Sequence[str] = ()
) -> Outcome:
    """What a process of a check said. `text`: the path of the copy that was looked at in place of the file; `argv`: its
    command line."""
    if check.checker == "custom":
        from untilgreen.checkers import custom

        result = custom.outcome_of(check.name, output, scope.settings.checks[check.name], setting.root)
    else:
        checker = checkers.get(check.checker)
        result = outcome(checker, output, setting)
        if isinstance(result, Found):
            result = result._replace(failing=failing(checker, output, result, check.call))
    if isinstance(result, Broken):
        texts = [_without_quotes(scope, check, one) for one in (result.reason, result.tail)]
        reason, tail = _masked(_placed(scope.root, texts))
        return Broken(reason, tail, output.late, tuple(argv) if _refuses(output, {*argv[1:]} - {*check.call}) else ())
    if isinstance(result, Pending):
        return Pending(_masked(_placed(scope.root, [result.reason]))[0])
    if not isinstance(result, Found):
        return result
    settled = _settled(scope, check, result, text)
    return settled if text or setting.files else _without_ignored(scope, check, output, settled)


def _without_quotes(scope: CheckScope, check: Check, text: str) -> str:
    """A text without what it quotes of a file outside of the project: by a link, or one that is no code."""
    lines = dict[str, list[str]]()
    for path in {_rebased(scope.root, check.root, one) for one in re.findall(_PATH, text)}:
        full = os.path.join(scope.root, path)
        if (os.path.islink(full) or not path.endswith(_CODE)) and os.path.isfile(full) and not within(scope.root, full):
            _line(full, 1, lines)
            text = re.sub(_QUOTED, r"\1…", text)
    words = {word for found in lines.values() for word in re.findall(_WORD, "\n".join(found))}
    return re.sub(_WORD, lambda word: "…" if word[0] in words else word[0], text) if words else text


def _refuses(output: Output, ours: Collection[str]) -> bool:
    """Whether the program says that it does not know one of the options `ours`, or what a reporter is named there."""
    options = {word.partition("=")[0] for word in ours if word.startswith("-")}
    named = {word.partition("=")[2] for word in ours if re.match(_REPORTING, word)} - {""}
    said = [line for line in f"{output.stderr}\n{output.stdout[-_SAID:]}".split("\n") if re.search(_REFUSING, line)]
    texts = [rf"(?<![\w-]){re.escape(one)}(?![\w-])" for one in options]
    texts += [rf"(?i)\b(?:report|format)\w*\W+(?:from\W+)?{re.escape(one)}\b" for one in named]
    return any(re.search(text, line) for line in said for text in texts)


def _without_ignored(scope: CheckScope, check: Check, output: Output, result: Found) -> Outcome:
    """The outcome without what was found in files that git ignores and the call does not name: a tool that walks there
    looks at what is not the project's. Where it cannot be told that nothing else failed it stays as it is."""
    tests = result.tests is not None
    walks = output.code == 1 and check.checker in _PYTHONS if tests else check.checker not in _AS_A_WHOLE
    if not walks or all(one.file == "" or one.file in scope.files for one in result.diagnostics):
        return result
    from untilgreen.project.tree import worktree

    paths = worktree.unnamed(worktree.ignored(scope.root) or (), check.call, check.root)
    folders, alone = tuple(path for path in paths if path.endswith("/")), {*paths}
    gone = [one for one in result.diagnostics if one.file.startswith(folders) or one.file in alone]
    gone = [one for one in gone if not (check.checker in _FOLLOWING and "node_modules/" in one.file)]
    if not gone:
        return result
    away = {*gone}
    rest = tuple(one for one in result.diagnostics if one not in away)
    # others that it hides may be the project's; of what goes by lines one that is none may say so
    hidden = any(one.hides for one in gone) and (tests or check.checker in _STOPPED)
    lines = [line for line in output.stdout.split("\n") if line.strip()]
    if hidden or (check.checker == "linter" and len(lines) > len(result.diagnostics)):
        return result
    counted = result.tests and result.tests._replace(failed=result.tests.failed - len(gone))
    failing = tuple(severity for severity in result.failing if any(one.severity == severity for one in rest))
    return result._replace(diagnostics=rest, tests=counted, failing=failing) if rest else Clean(counted)


def _settled(scope: CheckScope, check: Check, result: Found, text: str) -> Found:
    severities = scope.settings.severity.get(check.name if check.checker == "custom" else check.checker, {})
    lines: dict[str, list[str]] = {}
    told, apart, paths = [], dict[str, bool](), dict[str, str]()
    # before anything is told or kept of them, and before they are identified: a token that is drawn anew at each run
    # does not make a finding a new one. A test that has a secret in its name cannot be run alone again
    messages = _placed(scope.root, [one.message for one in result.diagnostics])
    masked = _masked([*messages, *(one.rule for one in result.diagnostics)])
    for number, one in enumerate(result.diagnostics):
        message, rule = masked[number], masked[len(messages) + number]
        if one.file not in paths:
            paths[one.file] = _rebased(scope.root, check.root, one.file)
        file = paths[one.file]
        looked_at = text or f"{scope.root}/{file}"
        if file and file not in apart:
            apart[file] = not (text or os.path.isabs(file) or within(scope.root, looked_at))
        shown = file and not apart[file]  # of what lies elsewhere nothing is told, or kept
        source = _line(looked_at, one.line, lines) if shown and number < _SOURCES else ""
        # the user's severity for the rule, or for the longest prefix of it; tests are tests
        fitting = [prefix for prefix in severities if rule.startswith(prefix) and one.severity != "test"]
        severity = severities[max(fitting, key=len)] if fitting else one.severity
        message = message if shown or not file else _APART
        found = one._replace(check=check.name, file=file, rule=rule, severity=severity, message=message, source=source)
        told.append(found)
    return result._replace(diagnostics=tuple(told))


def _masked(texts: Sequence[str]) -> list[str]:
    from untilgreen.core import secrets  # a check with nothing to say needs none

    return secrets.masked(texts)


def _placed(root: str, texts: Sequence[str]) -> Sequence[str]:
    """The texts without the path that the project has on this machine: every copy of it says the same."""
    roots = {root.rstrip(os.sep), os.path.realpath(root)} - {""}
    if not any(one in text for text in texts for one in roots):
        return texts
    pattern = rf"(?<![\w./~-])(?:{'|'.join(map(re.escape, roots))})(?:(/)|(?![\w.-]))"
    return [re.sub(pattern, lambda found: "" if found[1] else ".", text) for text in texts]


def names_of(scope: CheckScope, output: Output, check: Check, setting: Setting) -> Names | None:
    """The tests of a run by name, files relative to the project, no secrets; None where its report cannot be read."""
    names = None
    if check.checker != "custom":
        with suppress(Malformed):
            names = checkers.get(check.checker).runner.names(output, setting)
    if names is None:
        return None

    def settled(tests: Sequence[TestId]) -> tuple[TestId, ...]:
        ids = _masked([test.id for test in tests])
        files = {file: _rebased(scope.root, check.root, file) for file in {test.file for test in tests}}
        return tuple(TestId(files[test.file], shown) for test, shown in zip(tests, ids, strict=True))

    return Names(*map(settled, names))


def _rebased(root: str, check_root: str, file: str) -> str:
    if not file:
        return ""
    path = os.path.normpath(os.path.join(root, check_root, file))
    inside = path.startswith(root.rstrip(os.sep) + os.sep)
    return (os.path.relpath(path, root) if inside else path).replace(os.sep, "/")


def _line(file: str, number: int, cache: dict[str, list[str]]) -> str:
    if file not in cache:
        try:
            with open(file, encoding="utf-8", errors="replace", opener=files.followed) as stream:
                cache[file] = stream.read(5_000_000).split("\n")
        except OSError:
            cache[file] = []  # a file that the check itself removed: the finding stands without its line
    return cache[file][number - 1].strip()[:300] if 0 < number <= len(cache[file]) else ""


def join(check: Check, outcomes: Sequence[Outcome]) -> Outcome:
    """What the parts of a check come to: it is Broken as a whole where one part is."""
    broken = next((one for one in outcomes if isinstance(one, Broken)), None)
    found = [one for one in outcomes if isinstance(one, Found)]
    if broken or len(outcomes) == 1 or not found:
        result = broken or outcomes[0]
    else:
        result = Found(tuple(finding for one in found for finding in one.diagnostics))
    return _only_told(check, result) if check.told else result


def _only_told(check: Check, outcome: Outcome) -> Outcome:
    """The outcome of a check that holds nobody: where it is red that is told, and it counts as one that is absent."""
    says_nothing = isinstance(outcome, Found) and not (outcome.failing or outcome.tests)
    if says_nothing or isinstance(outcome, Clean | Absent | Pending):
        return outcome
    if isinstance(outcome, Found):
        from untilgreen.core.verdict import measure  # few projects have such a check

        fails = [one for one in outcome.diagnostics if one.severity in outcome.failing] or outcome.diagnostics
        why = f"{len(fails)} left, {measure.describe(fails[0])}"
    else:
        why = outcome.reason
    return Absent("told", check.shown, why.partition("\n")[0])
