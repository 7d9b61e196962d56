"""cargo check and cargo clippy: both print the compiler's messages as JSON, one a line, and end with "build-finished".

Learned from 1.63, 1.85 and 1.95: whatever is an error, a denied lint too, keeps cargo from looking at the crates that
need this one, and at which others it has looked by then is chance: every error hides others. Each source is compiled
for the library and again for its tests, so most findings come twice. rustc's paths are relative to the workspace for
its members, and to the crate's own folder for crates outside of it.
"""

import json
import os
import re
from collections.abc import Sequence
from typing import Any

from untilgreen.checkers import crates
from untilgreen.checkers.answer import Malformed, finding, number, relative, table, tables, text
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting

FORM = ("--color=never", "--message-format=json")
_WHOLE = ("--workspace", "--all-targets", "--quiet")
# what the compiler says about how much it said
_SUMMARY = re.compile(r"aborting due to .*|\d+ warnings? emitted.*")


def check_argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "check", *_WHOLE, *FORM)


def clippy_argv(setting: Setting) -> tuple[str, ...]:
    # cargo-clippy is made to be called by cargo, with its own name as its first word
    return (setting.tool, "clippy", *_WHOLE, *FORM)


def messages(stdout: str) -> list[dict[str, Any]]:
    """cargo's own messages; what macros and build scripts print stands between them."""
    found = []
    for line in stdout.split("\n"):
        if line.startswith("{"):
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue  # the end of the messages is what shows that none is missing
            if isinstance(message, dict) and isinstance(message.get("reason"), str):
                found.append(message)
    return found


def words(output: Output) -> Output:
    """The output without cargo's own messages."""
    lines = output.stdout.split("\n")
    return output._replace(stdout="\n".join(line for line in lines if not line.startswith('{"reason":')))


def succeeded(said: Sequence[dict[str, Any]]) -> bool | None:
    """Whether everything was compiled; None when cargo never came to the end of that."""
    ends = [message for message in said if message["reason"] == "build-finished"]
    return ends[-1].get("success") is True if ends else None


def refusal(output: Output) -> Malformed:
    """The exit code, with cargo's first error and what caused it."""
    words = re.search(r"(?m)^error.*(?:\n\nCaused by:\n.*)?", output.stderr)
    return Malformed(f"exit code {output.code}" + (f": {' '.join(words[0].split())}" if words else ""))


def diagnostics(said: Sequence[dict[str, Any]], root: str) -> tuple[Diagnostic, ...]:
    """What the compiler found, each once, in the order of the files."""
    below = homes(said, root)
    compiled = (message for message in said if message["reason"] == "compiler-message")
    found = dict.fromkeys(one for message in compiled if (one := _diagnostic(message, below, root)))
    return tuple(sorted((one for one, _column in found), key=lambda one: (one.file, one.line)))


def homes(said: Sequence[dict[str, Any]], root: str) -> tuple[str, ...]:
    """The folders of the crates below the root, "crates/core/"."""
    folders = {_home(str(message["manifest_path"]), root) for message in said if message.get("manifest_path")}
    return tuple(sorted(folders - {""}))


def place(name: str, manifest: str, below: tuple[str, ...], root: str) -> str:
    """A file by the compiler's name for it, relative to the root: `manifest` is its crate's Cargo.toml, `below` from
    `homes`."""
    if os.path.isabs(name) or name.startswith(below):
        return relative(name, root)
    return relative(_home(manifest, root) + name, root)


def parse(output: Output, setting: Setting) -> Outcome:
    said = messages(output.stdout)
    success = succeeded(said)
    if success is None or success != (output.code == 0):
        raise refusal(output)
    found = diagnostics(said, setting.root)
    if not success and not any(one.hides for one in found):
        raise refusal(output)
    if not any(message["reason"] in ("compiler-artifact", "compiler-message") for message in said):
        raise Malformed("nothing was compiled")
    return Found(found) if found else Clean()


def _home(manifest: str, root: str) -> str:
    folder = os.path.dirname(manifest)
    return relative(folder + os.sep, root) if folder else ""


def _diagnostic(message: dict[str, Any], below: tuple[str, ...], root: str) -> tuple[Diagnostic, int] | None:
    """A message with the column that it is about; None for what is no finding."""
    body = table(message, "message")
    level, said = text(body, "level"), text(body, "message")
    span = _span(tables(body, "spans"), root)
    if level == "failure-note" or (not span and _SUMMARY.fullmatch(said)):
        return None
    label = text(span, "label", missing="")
    severity = "error" if level.startswith("error") else "warning" if level == "warning" else "info"
    line, column = number(span, "line_start", missing=0), number(span, "column_start", missing=0)
    manifest = text(message, "manifest_path", missing="")
    file = place(text(span, "file_name"), manifest, below, root) if span else ""
    rule = text(body, "code", "code", missing=level)
    said = f"{said}: {label}" if label and label not in said else said
    return finding(file, line, rule, severity, said, hides=severity == "error"), column


def _span(spans: Sequence[dict[str, Any]], root: str) -> dict[str, Any]:
    """The first place that the message is about; of a macro of the standard library, where it was called."""
    span: dict[str, Any] = next((one for one in spans if one.get("is_primary")), {})
    while span.get("expansion") and re.match("/|<", relative(text(span, "file_name"), root)):
        span = table(span, "expansion", "span")
    return span


CHECK = Checker(
    name="cargo-check",
    stage="build",
    argv=check_argv,
    parse=parse,
    roots=lambda layout, _criteria: crates.roots(layout),
    programs=("cargo",),
    serves=("type_check", "build_success"),
    edit="types",
    patterns=(".rs",),
    words=words,
)
CLIPPY = Checker(
    name="cargo-clippy",
    stage="build",
    argv=clippy_argv,
    parse=parse,
    roots=lambda layout, criteria: crates.roots(layout) if criteria.lint_clean else crates.linted(layout),
    package="rustup:clippy",
    serves=("lint_clean",),
    patterns=(".rs",),
    words=words,
    covers="cargo-check",
)
