"""cargo test: the compiler's messages as JSON, then what the test binaries print (their JSON is not stable).

Learned from 1.63, 1.85 and 1.95: a test that ends the process with exit code 0 makes cargo test end well; all that is
missing is the binary's "test result:". A panic's place stood behind its message until 1.72. "Running …" is on stderr,
one for each binary, in the order of their results; a binary without the usual harness has no result. Doctests are
named by their file, relative to the crate's folder in 1.63, and by a line number.
"""

import os
import re
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from untilgreen.checkers import cargo, crates
from untilgreen.checkers.answer import MESSAGE, Malformed, finding, first_line, relative
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting, Tests
from untilgreen.core.model.settings import Criteria
from untilgreen.project.layout import Layout

_RUNNING = r"(?m)^(?=running \d{1,9} tests?$)"
_RESULT = re.compile(
    r"(?m)^test result: \w+\. (?P<passed>\d{1,9}) passed; (?P<failed>\d{1,9}) failed; (?P<ignored>\d{1,9}) "
)
_NAMES = re.compile(r"^failures:\n(?P<names>(?:    \S.*\n)+)\n*\Z", re.MULTILINE)
_SECTION = re.compile(r"^---- (?P<name>.+) (?:stdout|stderr) ----$", re.MULTILINE)
# a panic's place before its message, and a test that should have panicked; behind its message, until 1.72
_PANIC = re.compile(
    r"^(?:thread '(?P<thread>[^\n]*)' (?:\(\d{1,9}\) )?panicked|note: (?P<note>test did not panic as expected))"
    r" at (?P<file>[^\n']+?):(?P<line>\d{1,9}):\d{1,9}(?::\n(?P<message>(?:(?!note: |stack backtrace:).+\n)*)|$)",
    re.MULTILINE,
)
_EARLIER = re.compile(
    r"^thread '(?P<thread>[^\n]*)' panicked at '(?P<message>.*?)', (?P<file>[^'\n]+):(?P<line>\d{1,9}):\d{1,9}$",
    re.MULTILINE | re.DOTALL,
)
_MOST = 20_000  # characters of what one test said


class _Binary(NamedTuple):
    """One test binary: how many tests passed, failed, were ignored, and of those that failed name to what they said.

    `source`: the file that it was made of, `manifest` its crate's Cargo.toml, "" where nobody knows.
    """

    passed: int
    failed: int
    ignored: int
    failures: dict[str, str]
    source: str = ""
    manifest: str = ""


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "test", "--workspace", "--no-fail-fast", *cargo.FORM)


def roots(layout: Layout, criteria: Criteria) -> list[str]:
    """Asked for by name, tests run where no crate has any too: none is not fine then."""
    return crates.tested(layout) or (crates.roots(layout) if criteria.test_pass else [])


def parse(output: Output, setting: Setting) -> Outcome:
    said = cargo.messages(output.stdout)
    compiled = cargo.succeeded(said)
    if compiled is None:
        raise cargo.refusal(output)
    if not compiled:
        return _uncompiled(said, output, setting)
    binaries, cut = _binaries(output, said)
    below = cargo.homes(said, setting.root)
    found = tuple(one for binary in binaries for one in _failing(binary, bool(cut), below, setting))
    counts = Tests(run=sum(one.passed + one.failed for one in binaries), failed=sum(one.failed for one in binaries))
    if len(found) != counts.failed:
        raise Malformed(f"{counts.failed} failures announced, {len(found)} read")
    if found:
        return Found(found, counts)
    if cut:
        raise Malformed(f"a test binary ended before its result: {cut}")
    if output.code != 0:
        raise cargo.refusal(output)
    if not counts.run:
        ignored = sum(one.ignored for one in binaries)
        raise Malformed(f"no test ran: {ignored} ignored" if ignored else "no tests were collected")
    return Clean(counts)


def _uncompiled(said: Sequence[dict[str, Any]], output: Output, setting: Setting) -> Found:
    errors = [one for one in cargo.diagnostics(said, setting.root) if one.hides]
    if not errors:
        raise cargo.refusal(output)
    found = tuple(one._replace(rule="collection", severity="test") for one in errors)
    return Found(found, Tests(run=len(found), failed=len(found)))


def _binaries(output: Output, said: Sequence[dict[str, Any]]) -> tuple[list[_Binary], str]:
    """What the test binaries said, and the beginning of what one said that never came to its result, or ""."""
    texts = re.split(_RUNNING, output.stdout)[1:]
    origins = list(_origins(output.stderr, said))
    if len(origins) != len(texts):  # another harness ran in between, or doctests in two goes
        origins = [("", "")] * len(texts)
    binaries, cut = [], ""
    for text, (source, manifest) in zip(texts, origins, strict=True):
        results = list(_RESULT.finditer(text))
        if not results:
            cut = cut or f"{first_line(text)}, {os.path.basename(source)}".removesuffix(", ")
            continue
        result = results[-1]
        passed, failed, ignored = (int(result[name]) for name in ("passed", "failed", "ignored"))
        failures = _failures(text[: result.start()])
        binaries.append(_Binary(passed, failed, ignored, failures, source, manifest))
    return binaries, cut


def _failures(text: str) -> dict[str, str]:
    """Name to what it said, of the tests in the list with which a failed binary ends."""
    listed = _NAMES.search(text)
    if not listed:
        return {}
    sections = list(_SECTION.finditer(text))
    ends = [*(section.start() for section in sections[1:]), listed.start()]
    said = {one["name"]: text[one.end() : end][:_MOST] for one, end in zip(sections, ends, strict=False)}
    return {name.strip(): said.get(name.strip(), "") for name in listed["names"].splitlines()}


def _origins(stderr: str, said: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """Source and manifest of every binary that was run, in turn."""
    made: dict[str, tuple[str, str]] = {}
    for message in said:
        target = message.get("target")
        if message["reason"] == "compiler-artifact" and isinstance(target, dict):
            origin = (str(target.get("src_path", "")), str(message.get("manifest_path", "")))
            made[os.path.basename(str(message.get("executable")))] = origin
            if target.get("doctest"):
                made["Doc-tests " + str(target.get("name")).replace("-", "_")] = origin
    for found in re.finditer(r"(?m)^ +(?:Running .*\((?P<path>.+)\)|Doc-tests (?P<doc>\S+))$", stderr):
        name = f"Doc-tests {found['doc'].replace('-', '_')}" if found["doc"] else os.path.basename(found["path"])
        yield made.get(name, ("", ""))


def _failing(binary: _Binary, cut: bool, below: tuple[str, ...], setting: Setting) -> Iterator[Diagnostic]:
    for name, said in binary.failures.items():
        file, line, message = _reason(name, said, binary, below, setting)
        rule = name
        documented = re.fullmatch(r"(?P<file>.+\.\w+) - (?P<item>.*?)\s*\(line (?P<line>\d{1,9})\).*", name)
        if documented:
            file, line = cargo.place(documented["file"], binary.manifest, below, setting.root), int(documented["line"])
            rule = f"doctest {documented['item']}".strip()
        yield finding(file, line, rule, "test", message, hides=cut)


def _reason(name: str, said: str, binary: _Binary, below: tuple[str, ...], setting: Setting) -> tuple[str, int, str]:
    """File, line and message of the test's own panic; the binary's source where that was not in the project."""
    panics = [*_PANIC.finditer(said), *_EARLIER.finditer(said)]
    panic = next((one for one in panics if one["thread"] == name), next(iter(panics), None))
    file, line, message = relative(binary.source, setting.root), 0, first_line(said).removeprefix("note: ") or "failed"
    if panic:
        words = " ".join((panic["message"] or "").split()) or panic.groupdict().get("note") or "panicked"
        message = first_line(words, MESSAGE)
        where = cargo.place(panic["file"], binary.manifest, below, setting.root)
        if not os.path.isabs(where):  # the standard library's own sources are not
            file, line = where, int(panic["line"])
    return file, line, message


CHECKER = Checker(
    name="cargo-test",
    stage="tests",
    argv=argv,
    parse=parse,
    roots=roots,
    programs=("cargo",),
    serves=("test_pass",),
    patterns=(".rs",),
    words=cargo.words,
)
