"""The events of `go test -json`, put together again: what each test and each package said, and how it ended."""

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from untilgreen.checkers.answer import Malformed
from untilgreen.core.model.outcome import Output

_ENDS = ("pass", "fail", "skip")


class Line(NamedTuple):
    """One line of output; `error`: go itself says (from 1.25 on) that it is the reason for a failure."""

    text: str
    error: bool


class Part(NamedTuple):
    """A test, or (with "" for its name) a package."""

    package: str
    name: str
    said: list[Line]
    ends: list[str]

    @property
    def end(self) -> str:
        """ "pass", "fail" or "skip"; "" when nobody heard of its end."""
        return self.ends[-1] if self.ends else ""

    @property
    def built(self) -> bool:
        """Of a package: false when its test binary could not be made."""
        return not any(line.text.endswith(("[build failed]", "[setup failed]")) for line in self.said)

    @property
    def cut(self) -> bool:
        """Of a package: whether its test binary ended without a verdict of its own."""
        return self.end == "fail" and not any(line.text in ("PASS", "FAIL") for line in self.said)


class TestRun(NamedTuple):
    """Packages by import path, tests in the order in which they began, and what was said about building them."""

    packages: dict[str, Part]
    tests: list[Part]
    building: str


def read(stdout: str) -> TestRun:
    """Raises Malformed for anything that is no event."""
    parts: dict[tuple[str, str], Part] = {}
    building = ""
    for event in _events(stdout):
        action, package, name, said = (event.get(key, "") for key in ("Action", "Package", "Test", "Output"))
        if not all(isinstance(text, str) for text in (action, package, name, said)):
            raise Malformed("an event has another shape")
        if action == "build-output":
            building += said
        if package:
            parts.setdefault((package, ""), Part(package, "", [], []))
            _add(parts.setdefault((package, name), Part(package, name, [], [])), event)
    packages = {part.package: part for part in parts.values() if not part.name}
    return TestRun(packages, [part for part in parts.values() if part.name], building)


def words(output: Output) -> Output:
    """The output as `go test` prints it without -json; lines that are no events stay as they are."""
    return output._replace(stdout="".join(map(_words, output.stdout.split("\n"))))


def _words(line: str) -> str:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return line + "\n"
    said = event.get("Output", "") if isinstance(event, dict) else line + "\n"
    return said if isinstance(said, str) else ""


def _add(part: Part, event: dict[str, Any]) -> None:
    action, text = event.get("Action"), event.get("Output", "").rstrip("\n")
    if action in _ENDS:
        part.ends.append(action)
    elif action == "output":
        part.said.append(Line(text, event.get("OutputType") == "error"))
        # until 1.19 an end that stands behind other output on its line has no event
        ended = re.search(r"--- (PASS|FAIL|SKIP): (\S+) \(", text) if part.name and "--- " in text else None
        if ended and ended[2] == part.name:
            part.ends.append(ended[1].lower())


def _events(stdout: str) -> Iterator[dict[str, Any]]:
    for line in stdout.split("\n"):
        # until 1.23 packages that were not built are told between the events
        if not line.strip() or line.startswith("FAIL"):
            continue
        try:
            event = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise Malformed(f"a line is no event: {line}") from error
        if not isinstance(event, dict):
            raise Malformed(f"a line is no event: {line}")
        yield event
