"""eslint, and xo that brings its rules along: its JSON has an entry for every file that it looked at.

Learned from 8.57, 9.39 and 10.15: a folder where everything is ignored ends with exit code 2 and words; a file that is
named but ignored is an entry with one warning. Flat configuration says itself which files it is for, while with
an eslintrc 8 looks at .js alone unless told `--ext`. 8 and 9 take one flat configuration for all files, the nearest
one from the working folder up, where 10 takes the nearest one to each file, as an eslintrc always did: so a flat
configuration further down is a root of its own, and what is below it is not for the root above it to judge. From xo
0.54.2, 0.60.0 and 1.2.3.
"""

import os
import re

from untilgreen.checkers.answer import Malformed, finding, line_of, refusal, relative
from untilgreen.checkers.checker import Checker, Files, left_out
from untilgreen.checkers.documents import json_answer, number, tables, text
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, is_installed, keyed, package_of, path_in
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, around, below_any, folder_of, outer, outermost

STAYS = os.path.join(os.path.dirname(__file__), "eslint_of_file.cjs")  # it answers for many edits
_FLAT = tuple(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts"))
_RC = tuple(f".eslintrc{suffix}" for suffix in ("", ".js", ".cjs", ".json", ".yml", ".yaml"))
_SUFFIXES = (*JAVASCRIPT, *TYPESCRIPT, ".vue", ".svelte", ".astro")
# how the options begin that choose rules: `eslint --fix` alone does not know of those
_CHOOSING = ("-c", "--config", "--rule", "--no-eslintrc", "--no-config-lookup", "--plugin", "--report-unused")
# the first line that says something
_COMPLAINT = r"(?m)^(?!Oops!|ESLint: |\(node:|\(Use |\s*at |Error:\s*$|\s*$).+"


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where it is configured, if a file is there that no flat configuration further down is for. An eslintrc further
    down is eslint's own business."""
    in_package = [one for one in layout.marked(("package.json",)) if "eslintConfig" in package_of(layout, one)]
    configured = sorted({*layout.marked((*_FLAT, *_RC)), *in_package})
    above = outer(configured)
    places = {*above, *(folder for root in above for folder in _apart(layout, root))}
    nearest = {next((one for one in around(folder) if one in places), "") for folder in _with_files(layout)}
    return sorted(places & nearest)


def _with_files(layout: Layout) -> set[str]:
    return {folder_of(path) for path in layout.ending(*_SUFFIXES) if path.rpartition("/")[2] not in _FLAT}


def _apart(layout: Layout, root: str) -> list[str]:
    """The folders below a root that have files, and a flat configuration of their own: not those of packages that
    nobody installed, which could not load it."""
    below = [folder for folder in layout.marked(_FLAT) if folder != root and below_any(folder, (root,))]
    used = {above for folder in (_with_files(layout) if below else ()) for above in around(folder)}
    return [folder for folder in below if folder in used and _loads(layout, root, folder)]


def _loads(layout: Layout, root: str, folder: str) -> bool:
    """Whether the package of a configuration below a root has what that needs: the root's package itself does."""
    package = next((one for one in around(folder) if layout.text(path_in(one, "package.json")) is not None), ".")
    if package == root or not below_any(package, (root,)) or is_installed(layout, package):
        return True
    return os.path.isdir(os.path.join(layout.project, package, "node_modules"))


def variant(layout: Layout, root: str) -> str:
    """A line for the suffixes that an eslintrc is for, with commas (empty with flat configuration, or for JavaScript
    alone), and one for each folder below that is a root of its own."""
    apart = [folder.removeprefix(f"{root}/") for folder in outermost(_apart(layout, root))]
    if any(layout.text(path_in(root, name)) is not None for name in _FLAT):
        return "\n".join(("", *apart))
    names = (*_RC, "package.json") if "eslintConfig" in package_of(layout, root) else _RC
    text = "\n".join(layout.text(path_in(root, name)) or "" for name in names)
    suffixes = [*(TYPESCRIPT if "typescript" in text else ())]
    suffixes += [f".{name}" for name in ("vue", "svelte", "astro") if name in text]
    return "\n".join((",".join((*JAVASCRIPT, *suffixes)) if suffixes else "", *apart))


def argv(setting: Setting) -> tuple[str, ...]:
    asked, *apart = setting.variant.split("\n")
    theirs = any(word.partition("=")[0] == "--ext" for word in setting.call)
    suffixes = ("--ext", asked) if asked and not (setting.stdin or theirs) else ()
    escaped = (re.sub(r"([\\*?\[\]{}()!#])", r"\\\1", folder) for folder in apart)
    left_out = (word for folder in escaped for word in ("--ignore-pattern", f"{folder}/**"))
    what = ("--stdin", "--stdin-filename", setting.stdin) if setting.stdin else setting.files
    what = what or (() if setting.call else (".",))
    return (setting.tool, "--no-color", "--format", "json", *suffixes, *left_out, *setting.call, *what)


def parse(output: Output, setting: Setting, cure: str = "eslint --fix") -> Outcome:
    if output.code not in (0, 1):
        raise refusal(output, _COMPLAINT)
    # a configuration is a program, and may print; the answer is one line, and the last
    entries = tables(json_answer(output.stdout.rstrip().rpartition("\n")[2]))
    said = [(relative(text(entry, "filePath"), setting.root), tables(entry, "messages")) for entry in entries]
    looked_at = [(file, messages) for file, messages in said if not _is_ignored(messages)]
    # where there are roots below, a configuration that was looked at may be all that is left
    counted = [file for file, _ in looked_at if "\n" in setting.variant or file not in _FLAT]
    if not (setting.files or setting.stdin or counted):
        raise Malformed("no file but its own configuration: nothing was looked at")
    cure = "" if any(word.startswith(_CHOOSING) for word in setting.call) else cure
    found = tuple(_diagnostic(file, message, cure) for file, messages in looked_at for message in messages)
    return Found(found) if found else Clean()


def _is_ignored(messages: list[dict[str, Any]]) -> bool:
    """Whether all that is said of a file is that it was not looked at."""
    alone = messages[0] if len(messages) == 1 else {}
    return not alone.get("ruleId") and text(alone, "message", missing="").startswith("File ignored")


def _diagnostic(file: str, message: dict[str, Any], cure: str) -> Diagnostic:
    severity = "warning" if number(message, "severity") == 1 else "error"
    fatal = message.get("fatal") is True
    # eslint's own words, as about a comment that disables nothing, have no rule
    rule = text(message, "ruleId", missing="") or ("parsing" if fatal else "eslint")
    line, column = number(message, "line", missing=0), line_of(message.get("column"))
    said, cure = text(message, "message"), cure if message.get("fix") else ""
    return finding((file, line, column), rule, severity, said, hides=fatal, cure=cure)


CHECKER = Checker(
    name="eslint",
    argv=argv,
    parse=parse,
    roots=roots,
    package="npm:eslint",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=_SUFFIXES, by_file=True, by_stdin=True),
    variant=variant,
    configured=True,
    leaves_out=left_out("eslint"),
    strict=r"--max-warnings[= ]0\b",
    unresolved=("import/no-unresolved", "import-x/no-unresolved", "n/no-missing-import", "node/no-missing-import"),
)

_XO = (*(f"xo.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts")), ".xo-config", ".xo-config.json")


def _xo(output: Output, setting: Setting) -> Outcome:
    if not re.search(r"(?m)^\[", output.stdout):
        raise refusal(output, r"(?m)^\w*Error: .+")
    return parse(output, setting, cure="")


XO = Checker(
    name="xo",
    argv=lambda setting: (setting.tool, "--reporter=json", *setting.call, *setting.files),
    parse=_xo,
    roots=keyed("xo", _XO, (*JAVASCRIPT, *TYPESCRIPT)),
    package="npm:xo",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=(*JAVASCRIPT, *TYPESCRIPT), by_file=True),
    leaves_out=left_out("xo"),
    strict=r"--max-warnings[= ]0\b",
)
