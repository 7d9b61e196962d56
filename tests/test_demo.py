"""`make demo` goes as written, and the transcript in the README is what it prints."""

import re
import subprocess
import sys

from world import REPOSITORY

_OMITTED = "\n...\n"


def test_the_demo_goes_as_written_and_the_readme_shows_its_rounds() -> None:
    demo = subprocess.run(
        [sys.executable, str(REPOSITORY / "tests" / "demo.py")], capture_output=True, encoding="utf-8", check=False
    )
    assert (demo.returncode, demo.stderr) == (0, "")
    printed, position = _plain(demo.stdout), 0
    for part in _plain(_transcript()).split(_OMITTED):
        assert part in printed[position:]  # in this order, and nothing left out in between without saying so
        position = printed.index(part, position) + len(part)


def _transcript() -> str:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```text\n(The user types: .*?)^```", readme, re.MULTILINE | re.DOTALL)
    return str(block)


def _plain(text: str) -> str:
    """Without empty lines, and with all loops (named after the second of their start) and all times alike."""
    text = re.sub(r"\b[\d.]+ s\b", "N s", re.sub(r"loop-\d+", "loop-N", text))
    return "\n".join(line for line in text.splitlines() if line)
