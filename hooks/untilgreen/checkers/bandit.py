"""bandit: its JSON, with the list of files that it measured as the evidence that it looked at something.

Learned from 1.7.10, 1.8.6 and 1.9.4: a file that it cannot parse is an entry of `errors`, and exit code 0. A root
without files is exit code 0. Of two files of the same name `.bandit`, an INI one is found without being named and its
`exclude` is replaced by `--exclude`; one in YAML must be named with `-c`, and a section in `pyproject.toml` too. An INI
file that it cannot read is a warning on stderr. What it excludes by default are no virtual environments.
"""

import posixpath
import re
from typing import Any

from untilgreen.checkers.checker import Checker, Malformed, first_line, json_answer, refusal, relative
from untilgreen.core.model import Clean, Criteria, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.project.layout import Layout, any_below

_SUFFIXES = (".py",)
_OWN, _SHARED = (".bandit",), {"pyproject.toml": r"tool\.bandit(\.|$)"}
# its own defaults, and what is nobody's own code; compared with parts of a path, hence the slashes
_EXCLUDED = ".svn,CVS,.bzr,.hg,.git,__pycache__,.tox,.eggs,*.egg,/.venv/,/venv/,/.nox/,/node_modules/,/site-packages/"
_COMPLAINT = r"(?m)ERROR\t.+|^\w*Error: .+|^bandit: error: .+"


def argv(setting: Setting) -> tuple[str, ...]:
    said = setting.variant.split()
    words = [setting.tool, "--format=json", "--quiet"]
    words += ["--ini=.bandit"] if "ini" in said else []
    words += ["-c", ".bandit"] if "yaml" in said else ["-c", "pyproject.toml"] if "toml" in said else []
    words += [] if "exclude" in said else [f"--exclude={_EXCLUDED}"]
    if setting.files:
        return (*words, "--", *setting.files)
    return (*words, "--recursive", *([] if "targets" in said else ["."]))


def roots(layout: Layout, _criteria: Criteria) -> list[str]:
    """Where bandit is configured: elsewhere ruff's S rules say the same."""
    python = layout.ending(*_SUFFIXES)
    return [root for root in layout.configured(_OWN, _SHARED) if any_below(python, root)]


def variant(layout: Layout, root: str) -> str:
    """Words of: "ini" or "yaml" (what `.bandit` is), "toml"; "exclude", "targets" where the INI file says them."""
    above = "" if root == "." else f"{root}/"
    own = layout.sections(f"{above}.bandit")
    toml = ["toml"] if layout.configuration(root, (), _SHARED) else []
    if own is None:
        return " ".join(toml)
    if "bandit" not in own:
        return "yaml"
    keys = [key for key in ("exclude", "targets") if re.search(rf"(?m)^{key}\s*[=:]\s*\S", own["bandit"])]
    return " ".join(("ini", *toml, *keys))


def parse(output: Output, setting: Setting) -> Outcome:
    unread = re.search(r"Unable to parse config file .+", output.stderr)
    if unread and "ini" in setting.variant.split():
        raise Malformed(f"bandit did not read its configuration: {unread[0]}")
    if output.code not in (0, 1) or not output.stdout.strip():
        raise refusal(output, re.compile(_COMPLAINT))
    results, errors, looked_at = _answer(output)
    diagnostics = (*(_unread(entry, setting) for entry in errors), *(_finding(entry, setting) for entry in results))
    if not diagnostics and not looked_at and not setting.files:  # of files that were named it may exclude all
        raise Malformed("0 files: nothing was looked at")
    return Found(diagnostics) if diagnostics else Clean()


def _answer(output: Output) -> tuple[list[Any], list[Any], bool]:
    answer = json_answer(output.stdout)
    try:
        results, errors, metrics = answer["results"], answer["errors"], answer["metrics"]
    except (KeyError, TypeError) as error:
        raise Malformed(f"the answer has another shape: {error!r}") from error
    if not (isinstance(results, list) and isinstance(errors, list) and isinstance(metrics, dict)):
        raise Malformed("the answer's results, errors or metrics have another type")
    return results, errors, any(name != "_totals" for name in metrics)


def _unread(entry: Any, setting: Setting) -> Diagnostic:
    """A file that was not checked: how many findings it has is not known."""
    file, reason = _texts(entry, "filename", "reason")
    rule = "syntax" if reason.startswith("syntax error") else "unread"
    return Diagnostic("bandit", _path(file, setting), 0, rule, "error", first_line(reason) or "not checked", hides=True)


def _finding(entry: Any, setting: Setting) -> Diagnostic:
    file, rule, message = _texts(entry, "filename", "test_id", "issue_text")
    line = entry.get("line_number")
    if not isinstance(line, int):
        raise Malformed("a finding's line_number has another type")
    return Diagnostic("bandit", _path(file, setting), max(line, 0), rule, "security", first_line(message) or rule)


def _texts(entry: Any, *keys: str) -> list[str]:
    values = [entry.get(key) for key in keys] if isinstance(entry, dict) else []
    texts = [value for value in values if isinstance(value, str) and value]
    if len(texts) != len(keys):
        raise Malformed(f"an entry lacks a {', a '.join(keys)}")
    return texts


def _path(file: str, setting: Setting) -> str:
    return posixpath.normpath(relative(file, setting.root))


CHECKER = Checker(
    name="bandit",
    stage="static",
    seconds=120,
    argv=argv,
    parse=parse,
    roots=roots,
    serves=("zero_security",),
    edit="security",
    suffixes=_SUFFIXES,
    by_file=True,
    variant=variant,
)
