"""ast-grep: `ast-grep scan` with the security rules that are shipped with this package, as JSON.

Only our own configuration is read: a project's `sgconfig.yml` may name shared objects to load as languages. So
nothing of the project is executed, and it may be looked at where nobody trusted it. A project's own rules are not run.

Learned from 0.38, 0.42 and 0.51: the rules' folder is itself searched with the `.gitignore` of the project around it
(`sgconfig.yml` names each file for that reason); rules that are not found, and folders that cannot be opened, leave
the exit code 0; `--inspect=summary` says on stderr how many rules and files there were. Ignored and hidden files are
passed over, unless named on the command line; `.gitignore` counts in a git repository only. Lines are counted from 0.
The parser goes on after a syntax error, so findings of the rest are still there. Passed over without a word, but for
a number that counts empty files too: files that are very large (3.6 MB in 600,001 lines), not UTF-8 or not readable.
`--stdin` takes one rule file of one language. Of 0.4 s for the rules of four languages 0.1 s goes to each of them, so
only those of the languages that are there are loaded, one language after the other.
"""

import os
import re

from untilgreen.checkers import in_turn
from untilgreen.checkers.answer import Malformed, finding, findings, refusal
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.documents import items, json_answer, text
from untilgreen.checkers.records import Records
from untilgreen.core.model.outcome import Diagnostic, Outcome, Output, Setting
from untilgreen.project.files import templates_folder
from untilgreen.project.tree.layout import Layout

_LANGUAGES = {
    "python": (".py", ".pyi"),
    "javascript": (".js", ".jsx", ".mjs", ".cjs", ".tsx"),
    "typescript": (".ts", ".mts", ".cts"),
    "go": (".go",),
}
_SUFFIXES = tuple(suffix for suffixes in _LANGUAGES.values() for suffix in suffixes)
# what others wrote, or a tool did
_PASSED_OVER = ("node_modules", "bower_components", "site-packages", "vendor", "dist")
_MINIFIED = (".min.js", ".min.mjs", ".min.cjs")
_GLOBS = tuple(f"--globs=!{name}/" for name in _PASSED_OVER) + tuple(f"--globs=!*{end}" for end in _MINIFIED)
_COMPLAINT = r"(?m)^(?:Error|error): .+|^.*panicked at .*"
_RECORDS = Records(
    file=lambda record: text(record, "file").removeprefix("./"),
    line="range.start.line+1",
    column="range.start.column+1",
    rule="ruleId",
    severity="=security",
    message="message",  # "text" and "lines" hold the code itself, which may be a secret
)


def argv(setting: Setting) -> tuple[str, ...]:
    # a ".ignore" file hides from this tool what git does not
    what, calls = ("--json=compact", "--inspect=summary", "--color=never", "--no-ignore=dot", *_GLOBS), []
    for language in _languages(setting):
        rules = os.path.join(templates_folder(), "rules", f"{language}.yml")
        # the prefix keeps a file's name from being an option
        paths = tuple(f"./{path}" for path in setting.files if path.endswith(_LANGUAGES[language])) or (".",)
        calls.append(("scan", "--config", rules, *what, *paths))
    return (setting.tool, *calls[0]) if len(calls) == 1 else in_turn.argv(setting.tool, *calls)


def _languages(setting: Setting) -> list[str]:
    """Those of the files that are named, else those that the project has; all where nobody knows."""
    named = [name for name, suffixes in _LANGUAGES.items() if any(path.endswith(suffixes) for path in setting.files)]
    return named or setting.variant.split() or [*_LANGUAGES]


def variant(layout: Layout, _root: str) -> str:
    """The languages of which there is a file that will be looked at."""
    return " ".join(name for name, suffixes in _LANGUAGES.items() if any(map(_looked_at, layout.ending(*suffixes))))


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code not in (0, 1) or "panicked at" in output.stderr:
        raise refusal(output, _COMPLAINT)
    if not all(_counts("effectiveRuleCount", output)):
        raise Malformed("no rule was loaded: nothing was looked for")
    scanned, skipped = sum(_counts("scannedFileCount", output)), sum(_counts("skippedFileCount", output))
    # an empty file is skipped too, so this says nothing about a few that were named
    if scanned == 0 or (scanned == skipped and not setting.files):
        none = "every file is empty, too large or not readable" if scanned else "no file was scanned"
        raise Malformed(f"{none}: nothing was looked at")
    wanted = len(_languages(setting))
    answers = [output.stdout] if wanted == 1 else [text for _, text in in_turn.runs(output.stdout)]
    if len(answers) != wanted:
        raise Malformed(f"{wanted} languages to look at, {len(answers)} looked at")
    found = [_RECORDS.read(entry) for answer in answers for entry in items(json_answer(answer))]
    # a suppression may be meant for a rule that is not ours
    counted = [one for one in found if one.rule != "unused-suppression"] + _unread(output)
    # the files are looked at in parallel, in another order each time
    counted.sort(key=lambda one: (one.file, one.line, one.rule, one.column))
    return findings(dict.fromkeys(counted))


def _looked_at(path: str) -> bool:
    """Whether a run on the whole project looks at this file; those for which git decides aside."""
    *folders, name = path.split("/")
    hidden = any(part.startswith(".") for part in (*folders, name))
    return not hidden and not name.endswith(_MINIFIED) and not any(part in _PASSED_OVER for part in folders)


def _counts(what: str, output: Output) -> list[int]:
    """A number that each run says of itself."""
    said = re.findall(rf"(?m)^sg: summary\|.*\b{what}=(\d{{1,9}})\b", output.stderr)
    if not said:
        raise refusal(output, _COMPLAINT) if output.code else Malformed(f"no word of {what}")
    return [int(number) for number in said]


def _unread(output: Output) -> list[Diagnostic]:
    """Files and folders that could not be opened, as findings: what is in them is hidden."""
    said = re.findall(r"(?m)^ERROR: (?:\./)?(.+): ([^:\n]+)$", output.stderr)
    if len(said) != len(re.findall(r"(?m)^ERROR: ", output.stderr)):
        raise refusal(output, r"(?m)^ERROR: .+")
    return [finding((path,), "unreadable", "security", why, hides=True) for path, why in said]


CHECKER = Checker(
    name="ast-grep",
    argv=argv,
    parse=parse,
    # the whole project in one run, where security is asked for and there is a file that will be looked at
    roots=lambda layout, criteria: ["."] if criteria.zero_security and variant(layout, ".") else [],
    package="pypi:ast-grep-cli",
    serves=("zero_security",),
    files=Files(edit="security", patterns=_SUFFIXES, by_file=True),
    variant=variant,
    harmless=True,
)
