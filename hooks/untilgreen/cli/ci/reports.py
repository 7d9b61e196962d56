"""What the checks found and whether the receipt says the same, in the forms that forges read: SARIF 2.1.0, JUnit's XML,
Markdown."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

import orjson

from untilgreen.cli import options
from untilgreen.cli.receipts import notes, verify
from untilgreen.cli.receipts.verify import Verified
from untilgreen.cli.story.report import block, plain
from untilgreen.core import document, foreign, secrets
from untilgreen.core.model.check import kind_of
from untilgreen.core.model.outcome import Broken, Clean, Found
from untilgreen.core.model.receipt import FAILED
from untilgreen.core.model.snapshot import Item
from untilgreen.core.verdict import baseline
from untilgreen.core.words import brief, report
from untilgreen.core.words import receipt as words
from untilgreen.loops.begin.first_look import Checked
from untilgreen.state import catalogue

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_VERDICTS = {"green": "green", "red": "not green", "not judged": "could not be judged"}
_MOST = 50  # findings in Markdown
_LEVELS = {"warning": "warning", "info": "note"}  # anything else that is left is an error


def write(found: Checked, told: Sequence[str], files: Mapping[str, str]) -> None:
    """Write each form to its file, "" for none. `told`: of the receipt. Raises OSError."""
    forms: dict[str, Callable[[Checked], bytes]] = {"sarif": sarif, "junit": junit, "report": partial(markdown, told)}
    for name, path in files.items():
        if path:
            with open(path, "wb") as file:
                file.write(forms[name](found))


def verified(root: str, allowed: str | None) -> Verified:
    """What is to be said of this checkout's receipt, a git note. Raises UserError."""
    return verify.of(root, notes.newest(root), b"", allowed, [])


def compared(verified: Verified, found: Checked) -> Iterator[str]:
    """Whether the receipt and the checks here say the same; then where they differ, a line each."""
    now, receipt, missing = _verdict(found), verified.receipt, {*baseline.left_out(found.results)}
    if receipt is None or verified.verdict not in ("verified", "not green"):
        yield f"{now} here; no receipt to compare with: {' · '.join(verified.why)}"
        return
    then, is_red = words.verdict(receipt, catalogue.english()), receipt.result == FAILED
    same = found.verdict == ("red" if is_red else "green") and missing <= {*receipt.buts}
    told = f"same verdict: {then}" if same else f"another verdict: {then} in the receipt, {now} here"
    yield f"same tree, {told} (signed by {verified.signer.who})"
    left = found.snapshot.failing_by_check
    here = {check.name: _said(kind_of(outcome), left.get(check.name, 0)) for check, outcome in found.results}
    there = {one.name: _said(one.outcome, one.failing) for one in receipt.checks}
    for name in dict.fromkeys((*there, *here)):
        one, other = there.get(name, "not run"), here.get(name, "not run")
        if one != other:
            yield f"{name}: {one} in the receipt, {other} here"


def _verdict(found: Checked) -> str:
    but = brief.but(catalogue.english(), baseline.left_out(found.results)) if found.green else ""
    return f"green, but {but}" if but else _VERDICTS[found.verdict]


def _said(outcome: str, failing: int) -> str:
    return f"{failing:,} left" if failing else "clean" if outcome == "found" else outcome


def markdown(told: Sequence[str], found: Checked) -> bytes:
    """What is left, and how it compares, for a page of a forge."""
    items = [report.describe(item) for item in found.snapshot.items]
    more = [f"... and {len(items) - _MOST:,} more"] if len(items) > _MOST else []
    first, *others = map(plain, told or [_verdict(found)])
    parts = [f"### untilgreen: {first}\n", *(f"- {line}" for line in others)]
    parts += ["", block("\n".join((*items[:_MOST], *more)))] if items else []
    return secrets.safe("\n".join(parts)).encode()


def sarif(found: Checked) -> bytes:
    """One run, of ours: each finding's rule names its check, `ruff/F401`."""
    rules = dict.fromkeys(map(_rule, found.snapshot.items))
    driver = {"name": "untilgreen", "version": options.version(), "rules": [{"id": name} for name in rules]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": found.verdict != "not judged"}],
        "results": [_result(item) for item in found.snapshot.items],
    }
    return orjson.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, option=orjson.OPT_INDENT_2)


def _rule(item: Item) -> str:
    return "/".join(filter(None, (item.check, "test" if item.kind == "test" else item.rule)))


def _result(item: Item) -> dict[str, Any]:
    start = {"startLine": item.line, "startColumn": item.column}
    region = {"region": {name: number for name, number in start.items() if number}} if item.line else {}
    place = {"physicalLocation": {"artifactLocation": {"uri": quote(os.fsencode(item.file))}, **region}}
    return {
        "ruleId": _rule(item),
        "level": _LEVELS.get(item.kind, "error"),
        "message": {"text": document.well_formed(report.message(item) or item.text)},
        "locations": [place] if item.file else [],
        "partialFingerprints": {"untilgreen/v1": item.id},
    }


def junit(found: Checked) -> bytes:
    """A suite for each check: what failed one by one, and one case for all that did not."""
    suites = ET.Element("testsuites", name="untilgreen")
    for check, outcome in found.results:
        items = [item for item in found.snapshot.items if item.check == check.name and item.kind != "check"]
        suite = ET.SubElement(suites, "testsuite", name=check.name)
        for item in items:
            place = {"file": _printable(item.file), "line": str(item.line)} if item.file else {}
            case = ET.SubElement(
                suite, "testcase", {"classname": check.name, "name": _printable(_named(item)), **place}
            )
            ET.SubElement(case, "failure", message=_printable(report.message(item))).text = _printable(item.text)
        if not items:
            case = ET.SubElement(suite, "testcase", classname=check.name, name=_printable(check.shown))
            if not isinstance(outcome, Clean | Found):
                kind = "error" if isinstance(outcome, Broken) else "skipped"
                ET.SubElement(case, kind, message=_printable(outcome.reason))
        broken = int(isinstance(outcome, Broken))
        suite.attrib |= {"tests": str(len(suite)), "failures": str(len(items)), "errors": str(broken)}
    written: bytes = ET.tostring(suites, encoding="utf-8", xml_declaration=True)
    return written


def _named(item: Item) -> str:
    return item.rule if item.kind == "test" and item.rule else f"{item.place} {item.rule}".strip() or item.id


def _printable(text: str) -> str:
    """What XML can hold."""
    return "\n".join(map(foreign.printable, text.splitlines()))
