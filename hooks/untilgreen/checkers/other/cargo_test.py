"""cargo test: the compiler's messages as JSON, then what the test binaries print (their JSON is not stable).

Learned from 1.63, 1.85 and 1.95: a test that ends the process with exit code 0 makes cargo test end well; all that is
missing is the binary's "test result:". A panic's place stood behind its message until 1.72. "Running …" is on stderr,
one for each binary, in the order of their results; a binary without the usual harness has no result. Doctests are
named by their file, relative to the crate's folder in 1.63, and by a line number.
"""

import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from untilgreen.checkers.answer import Malformed, Reading, finding, first_line, pieces, relative
from untilgreen.checkers.checker import Checker, Files, Ours, RunsTests
from untilgreen.checkers.other import cargo
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Names, Outcome, Output, Setting, TestId, Tests
from untilgreen.core.record import Any

_RUNNING = r"(?m)^(?=running \d{1,9} tests?$)"
_RESULT = re.compile(r"(?m)^test result: \w+\. (\d{1,9}) passed; (\d{1,9}) failed; (\d{1,9}) ")
_ENDED = re.compile(
    r"(?m)^test (?P<name>\S.*?)(?: - (?:should panic|compile|compile fail))? \.\.\. "
    r"(?P<end>ok|FAILED|ignored)(?:, .*)?$"
)
_NAMES = re.compile(r"^failures:\n(?P<names>(?:    \S.*\n)+)\n*\Z", re.MULTILINE)
_SECTION = re.compile(r"^---- (?P<name>.+) (?:stdout|stderr) ----$", re.MULTILINE)
# a panic's place before its message, and a test that should have panicked; behind its message, until 1.72
_PANIC = (
    r"(?m)^(?:thread '(?P<thread>[^\n]*)' (?:\(\d{1,9}\) )?panicked|note: (?P<note>test did not panic as expected))"
    r" at (?P<file>[^\n']+?):(?P<line>\d{1,9}):\d{1,9}(?::\n(?P<message>(?:(?!note: |stack backtrace:).+\n)*)|$)"
)
_EARLIER = (
    r"(?ms)^thread '(?P<thread>[^\n]*)' panicked at '(?P<message>.*?)', (?P<file>[^'\n]+):(?P<line>\d{1,9}):\d{1,9}$"
)
_MOST = 20_000  # characters of what one test said


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "test", "--no-fail-fast", *cargo.FORM, *setting.call)


def select(setting: Setting, tests: Sequence[TestId]) -> tuple[str, ...]:
    """By their full names; the name of a doctest holds the number of a line, which another edit changes."""
    names = dict.fromkeys(test.id for test in tests)
    told = all(names) and not any(name.startswith("doctest ") for name in names)
    behind = () if "--" in setting.call else ("--",)
    return (*argv(setting), *behind, "--exact", *names) if told else ()


def touching(setting: Setting, files: Sequence[str]) -> tuple[str, ...]:
    """The tests of the crate in whose folder the first of these files lies."""
    folder = os.path.dirname(files[0])
    while folder and not os.path.isfile(os.path.join(setting.root, folder, "Cargo.toml")):
        folder = os.path.dirname(folder)
    call = [word for word in setting.call if word not in ("--workspace", "--all")]
    return argv(setting._replace(call=("--manifest-path", os.path.join(folder, "Cargo.toml"), *call)))


def parse(output: Output, setting: Setting) -> Outcome:
    said = cargo.messages(output.stdout)
    compiled = cargo.succeeded(said)
    errors = [one for one in cargo.diagnostics(said, setting.root) if one.hides] if compiled is False else []
    if errors:
        found = [one._replace(rule="collection", severity="test") for one in errors]
        return Found(tuple(found), Tests(run=len(found), failed=len(found)))
    if not compiled:
        raise cargo.refusal(output)
    counts, found, cut, place = [0, 0, 0], [], "", cargo.placing(said, setting.root)
    for text, source, manifest in _binaries(output, said):
        if results := list(_RESULT.finditer(text)):
            counts = [before + int(number) for before, number in zip(counts, results[-1].groups(), strict=True)]
            failures, elsewhere = _failures(text[: results[-1].start()]), relative(source, setting.root)
            found += [_diagnostic(*one, elsewhere, partial(place, manifest)) for one in failures.items()]
        else:
            cut = cut or f"{first_line(text)}, {os.path.basename(source)}".removesuffix(", ")
    passed, failed, ignored = counts
    if len(found) != failed:
        raise Malformed(f"{failed} failures announced, {len(found)} read")
    if found:
        return Found(tuple(one._replace(hides=bool(cut)) for one in found), Tests(passed + failed, failed))
    if cut:
        raise Malformed(f"a test binary ended before its result: {cut}")
    if output.code != 0:
        raise cargo.refusal(output)
    if not passed:
        raise Malformed(f"no test ran: {ignored} ignored" if ignored else "no tests were collected")
    return Clean(Tests(passed, 0))


def printed(text: str, root: str) -> Reading:
    """The failing tests of what `cargo test` prints for people, and how many ran."""
    found, run = list[Diagnostic](), 0
    for binary in re.split(_RUNNING, text)[1:]:
        for result in _RESULT.finditer(binary):
            run += int(result[1]) + int(result[2])
            failures = _failures(binary[: result.start()])
            found += [_diagnostic(*one, "", partial(relative, root=root)) for one in failures.items()]
    return Reading(tuple(found), Tests(run, len(found)))


def names(output: Output, setting: Setting) -> Names | None:
    """By the source of the test binary and the test's full name; a documented example by its own file and item. None
    where it is not known which binary said what, or a test's own output hides how another ended."""
    from untilgreen.checkers import naming

    said = cargo.messages(output.stdout)
    place = cargo.placing(said, setting.root)
    tests, ends = list[tuple[str, TestId]](), ("ok", "FAILED", "ignored")
    for text, source, manifest in _binaries(output, said) if cargo.succeeded(said) else ():
        results, lines = list(_RESULT.finditer(text)), list(_ENDED.finditer(text))
        numbers = tuple(sum(line["end"] == end for line in lines) for end in ends)
        if not source or not results or tuple(map(int, results[-1].groups())) != numbers:
            return None
        for line in lines:
            file, _, name = _documented(line["name"], partial(place, manifest)) or (source, 0, line["name"])
            tests.append((line["end"], naming.of(file, name, setting)))
    return naming.told(tests, ends)


def _binaries(output: Output, said: Sequence[dict[str, Any]]) -> list[tuple[str, str, str]]:
    """What each test binary said, the file that it was made of, and its crate's Cargo.toml; "" where nobody knows."""
    texts = re.split(_RUNNING, output.stdout)[1:]
    origins = list(_origins(output.stderr, said))
    if len(origins) != len(texts):  # another harness ran in between, or doctests in two goes
        origins = [("", "")] * len(texts)
    return [(text, *origin) for text, origin in zip(texts, origins, strict=True)]


def _failures(text: str) -> dict[str, str]:
    """Name to what it said, of the tests in the list with which a failed binary ends."""
    listed = _NAMES.search(text)
    if not listed:
        return {}
    said = {one["name"]: part[:_MOST] for one, part in pieces(_SECTION, text[: listed.start()])}
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


def _diagnostic(name: str, said: str, source: str, where: Callable[[str], str]) -> Diagnostic:
    """At the test's own panic, or in the binary's source where that was not in the project."""
    file, line, message = source, 0, first_line(said).removeprefix("note: ") or "failed"
    panics = [*re.finditer(_PANIC, said), *re.finditer(_EARLIER, said)]
    panic = next((one for one in panics if one["thread"] == name), next(iter(panics), None))
    if panic:
        message = " ".join((panic["message"] or "").split()) or panic.groupdict().get("note") or "panicked"
        place = where(panic["file"])
        if not os.path.isabs(place):  # the standard library's own sources are not
            file, line = place, int(panic["line"])
    file, line, name = _documented(name, where) or (file, line, name)
    return finding((file, line), name, "test", message)


def _documented(name: str, where: Callable[[str], str]) -> tuple[str, int, str] | None:
    """File, line and name of an example in documentation; None of any other test. Its number of a line changes."""
    found = re.fullmatch(r"(?P<file>.+\.\w+) - (?P<item>.*?)\s*\(line (?P<line>\d{1,9})\).*", name)
    return (where(found["file"]), int(found["line"]), f"doctest {found['item']}".strip()) if found else None


CHECKER = Checker(
    name="cargo-test",
    stage="tests",
    argv=argv,
    parse=parse,
    # asked for by name, they run where no crate has any too: none is not fine then
    roots=lambda layout, criteria: cargo.tested(layout) or (cargo.roots(layout) if criteria.test_pass else []),
    runner=RunsTests(select=select, names=names, touching=touching),
    programs=("cargo",),
    subcommand=("test",),
    serves=("test_pass",),
    files=Files(patterns=(".rs",)),
    words=cargo.words,
    leaves_out=cargo.LEFT_OUT,
    ours=Ours(("--workspace",), "CARGO_TARGET_DIR"),
)
