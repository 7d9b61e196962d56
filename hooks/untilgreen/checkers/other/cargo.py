"""cargo build, check and clippy print the compiler's messages as JSON, one a line, and end with "build-finished".

Learned from 1.63, 1.85 and 1.95: whatever is an error, a denied lint too, keeps cargo from looking at the crates that
need this one, and at which others it has looked by then is chance: every error hides others. Each source is compiled
for the library and again for its tests, so most findings come twice. rustc's paths are relative to the workspace for
its members, and to the crate's own folder for crates outside of it.
"""

import os
import re
from collections.abc import Callable, Sequence
from contextlib import suppress

from untilgreen.checkers.answer import Lacking, Malformed, finding, findings, relative
from untilgreen.checkers.checker import Checker, Files, Ours
from untilgreen.checkers.documents import json_answer, number, table, tables, text
from untilgreen.core.model.outcome import Diagnostic, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, any_below, below_any

FORM = ("--color=never", "--message-format=json")
_PASSED_OVER = frozenset({"vendor", "target", "node_modules"})
_CLIPPY = ("clippy.toml", ".clippy.toml")
_LINTS = {"Cargo.toml": r"(?:workspace\.)?lints\.clippy(?:\.|$)"}
_TEST = r"#\[(?:\w+::)*(?:test|rstest|test_case)\b|#\[cfg\(test\)\]|(?m:^\s*//[/!]\s*```)"
# options of a call that report, or choose workers
LEFT_OUT = (
    "-q --quiet -v -vv --verbose --timings --keep-going --no-fail-fast --fix --allow-dirty --allow-staged --nocapture "
    "--no-capture --show-output --message-format= --color= -j= --jobs= --target-dir="
)
# what the compiler notes where it lacks the library of what it compiles for (E0463)
_TARGET = re.compile(r"the `([\w.-]+)` target may not be installed")
# what the compiler says about how much it said
_SUMMARY = re.compile(r"aborting due to .*|\d+ warnings? emitted.*")


def roots(layout: Layout) -> list[str]:
    """The folders with a Cargo.toml and Rust code, without members of a workspace above."""
    found: list[str] = []
    for folder in layout.marked(("Cargo.toml",)):
        covered = not _is_workspace(layout, folder) and any(_covers(layout, above, folder) for above in found)
        if not covered and not _PASSED_OVER.intersection(folder.split("/")) and _sources(layout, folder):
            found.append(folder)
    return found


def _linted(layout: Layout, criteria: Criteria) -> list[str]:
    """The roots for which clippy is asked for or configured: there, below, or above (it looks upwards for its file)."""
    found, places = roots(layout), layout.configured(_CLIPPY, _LINTS)
    near = [root for root in found if below_any(root, places) or root in places or any_below(places, root)]
    return found if criteria.lint_clean else near


def tested(layout: Layout) -> list[str]:
    """The roots with something that cargo test would run: a test or an example in a comment."""
    texts = {root: [layout.text(path) or "" for path in _sources(layout, root)] for root in roots(layout)}
    return [root for root, sources in texts.items() if any(re.search(_TEST, text) for text in sources)]


def _sources(layout: Layout, folder: str) -> list[str]:
    return [path for path in layout.ending(".rs") if below_any(path, (folder,))]


def _is_workspace(layout: Layout, folder: str) -> bool:
    return any(name == "workspace" or name.startswith("workspace.") for name in _manifest(layout, folder))


def _covers(layout: Layout, above: str, folder: str) -> bool:
    """Whether `above` is a workspace that has `folder` for a member: one without a `[workspace]` of its own that lies
    below, and is not excluded, could not be compiled at all otherwise."""
    if not below_any(folder, (above,)) or not _is_workspace(layout, above):
        return False
    listed = re.search(r"(?m)^exclude=(.*)$", _manifest(layout, above).get("workspace", ""))
    excluded = re.findall(r"[\"']([^\"']+)[\"']", listed[1]) if listed else []
    below = [path.strip("/") if above == "." else f"{above}/{path.strip('/')}" for path in excluded]
    return folder not in below and not below_any(folder, below)


def _manifest(layout: Layout, folder: str) -> dict[str, str]:
    return layout.sections("Cargo.toml" if folder == "." else f"{folder}/Cargo.toml") or {}


def _argv(setting: Setting, subcommand: str) -> tuple[str, ...]:
    return (setting.tool, subcommand, "--quiet", *FORM, *setting.call)


def messages(stdout: str) -> list[dict[str, Any]]:
    """cargo's own messages; what macros and build scripts print stands between them."""
    found = []
    for line in stdout.split("\n"):
        with suppress(Malformed):  # the end of the messages is what shows that none is missing
            if line.startswith("{") and text(message := table(json_answer(line)), "reason"):
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
    """What the compiler found, each once, in the order of the files. Raises Lacking where it lacks what it compiles
    for: that is no fault of the code."""
    place = placing(said, root)
    compiled = [message for message in said if message["reason"] == "compiler-message"]
    lacking = (table(one, "message") for one in compiled if text(one, "message", "code", "code", missing="") == "E0463")
    notes = (text(note, "message") for body in lacking for note in tables(body, "children", missing=[]))
    if lacks := next(filter(None, map(_TARGET.fullmatch, notes)), None):
        raise Lacking(f"the target {lacks[1]}", lacks[1], f"rustup target add {lacks[1]}")
    found = dict.fromkeys(one for message in compiled if (one := _diagnostic(message, place, root)))
    return tuple(sorted(found, key=lambda one: (one.file, one.line)))


def placing(said: Sequence[dict[str, Any]], root: str) -> Callable[[str, str], str]:
    """What makes a file's path, relative to the root, of its crate's Cargo.toml and the compiler's name for it."""
    manifests = {relative(text(message, "manifest_path", missing=""), root) for message in said}
    below = tuple({path.removesuffix("Cargo.toml") for path in manifests} - {""})  # as "crates/core/"

    def place(manifest: str, name: str) -> str:
        if os.path.isabs(name) or name.startswith(below):
            return relative(name, root)
        return relative(manifest, root).removesuffix("Cargo.toml") + name

    return place


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
    return findings(found)


def _diagnostic(message: dict[str, Any], place: Callable[[str, str], str], root: str) -> Diagnostic | None:
    """The finding that a message is; None for what is none."""
    body = table(message, "message")
    level, said = text(body, "level"), text(body, "message")
    span = _span(tables(body, "spans"), root)
    if level == "failure-note" or (not span and _SUMMARY.fullmatch(said)):
        return None
    label = text(span, "label", missing="")
    severity = "error" if level.startswith("error") else "warning" if level == "warning" else "info"
    line, column = number(span, "line_start", missing=0), number(span, "column_start", missing=0)
    file = place(text(message, "manifest_path", missing=""), text(span, "file_name")) if span else ""
    rule = text(body, "code", "code", missing=level)
    said = f"{said}: {label}" if label and label not in said else said
    return finding((file, line, column), rule, severity, said, hides=severity == "error")


def _span(spans: Sequence[dict[str, Any]], root: str) -> dict[str, Any]:
    """The first place that the message is about; of a macro of the standard library, where it was called."""
    span: dict[str, Any] = next((one for one in spans if one.get("is_primary")), {})
    while span.get("expansion") and re.match("/|<", relative(text(span, "file_name"), root)):
        span = table(span, "expansion", "span")
    return span


CARGO_CHECK = Checker(
    name="cargo-check",
    stage="build",
    argv=lambda setting: _argv(setting, "check"),
    parse=parse,
    roots=lambda layout, _criteria: roots(layout),
    programs=("cargo",),
    subcommand=("check",),
    serves=("type_check",),
    files=Files(edit="types", patterns=(".rs",)),
    words=words,
    leaves_out=LEFT_OUT,
    ours=Ours(("--workspace", "--all-targets"), "CARGO_TARGET_DIR"),
)
# what it writes is the project's own: nobody but a call of the project's asks for it
CARGO_BUILD = CARGO_CHECK._replace(
    name="cargo-build",
    argv=lambda setting: _argv(setting, "build"),
    roots=lambda _layout, _criteria: (),
    subcommand=("build",),
    files=Files(patterns=(".rs",)),
)
CARGO_CLIPPY = CARGO_CHECK._replace(
    name="cargo-clippy",
    # it is made to be called by cargo, with its own name as its first word
    argv=lambda setting: _argv(setting, "clippy"),
    roots=_linted,
    programs=(),
    subcommand=("clippy",),
    package="rustup:clippy",
    serves=("lint_clean",),
    files=Files(patterns=(".rs",)),
    covers="cargo-check",
)
