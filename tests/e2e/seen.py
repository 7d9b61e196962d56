"""What `make e2e` saw on the real programs: `seen.json`, which the table in docs/hosts.md shows.

Host -> `{"versions": [...], "scenes": n}`: scenes of `test_every_host.py` that passed on the pinned version, and the
versions they ran on. Written where everything passed that was run, for the hosts that were run.
"""

import json
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from .install import latest
from .programs import NAMES, get

FILE = Path(__file__).with_name("seen.json")
_SCENE = re.compile(r"/test_every_host\.py::\w+\[(.*)\]$")


class Seen:
    """A plugin: it listens to the reports of a run, and writes at its end."""

    def __init__(self) -> None:
        self.passed: list[str] = []

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" and report.passed:
            self.passed.append(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session, exitstatus: int) -> None:
        whole = session.config.getoption("--all") and not session.config.option.keyword
        found = scenes(self.passed)
        if exitstatus == 0 and whole and found and not hasattr(session.config, "workerinput"):
            document = json.loads(FILE.read_text(encoding="utf-8")) | {name: _facts(name, found) for name in found}
            there = {name: document[name] for name in NAMES if name in document}
            FILE.write_text(json.dumps(there, indent=2) + "\n", encoding="utf-8")


def scenes(passed: Iterable[str]) -> dict[str, dict[str, int]]:
    """Host -> "pinned" and "newest" -> how many scenes, by the names of the tests."""
    found: dict[str, dict[str, int]] = {}
    for nodeid in passed:
        words = match[1] if (match := _SCENE.search(nodeid)) else ""
        host = next((name for name in NAMES if re.search(rf"(?:^|-){name}(?:-|$)", words)), "")
        if host:
            counts = found.setdefault(host, {"pinned": 0, "newest": 0})
            counts["newest" if words.endswith(f"{host}-newest") else "pinned"] += 1
    return found


def _facts(name: str, found: Mapping[str, Mapping[str, int]]) -> dict[str, object]:
    program = get(name)
    assert program is not None
    package, pinned = next(iter(program.packages.items()))
    versions = [pinned, *([latest(package)] if found[name]["newest"] else [])]
    return {"versions": list(dict.fromkeys(versions)), "scenes": found[name]["pinned"]}
