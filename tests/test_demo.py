"""`make demo` goes as written, in colour on a terminal, and the transcript in the README is what it prints."""

import os
import re
import subprocess
import sys
import textwrap

import pexpect  # type: ignore[import-untyped]
import pytest

from e2e.install import HOME
from world import REPOSITORY

DEMO, DEMO_HOST = (str(REPOSITORY / "tools" / name) for name in ("demo.py", "demo_host.py"))
_OMITTED = "\n...\n"
_COLOUR = re.compile(r"\x1b\[[\d;]*m")


def test_the_demo_goes_as_written_and_the_readme_shows_its_rounds() -> None:
    demo = subprocess.run([sys.executable, DEMO], capture_output=True, encoding="utf-8", check=False)
    assert (demo.returncode, demo.stderr, _COLOUR.search(demo.stdout)) == (0, "", None)
    printed, position = _plain(demo.stdout), 0
    for part in _plain(_transcript()).split(_OMITTED):
        assert part in printed[position:]  # in this order, and nothing left out in between without saying so
        position = printed.index(part, position) + len(part)
    start, *holds = (
        len(textwrap.dedent(read).rstrip("\n"))
        for read in re.findall(r"^  Claude reads:\n((?:    .*\n)+)", demo.stdout, re.MULTILINE)
    )
    assert 240 <= start <= 280  # it says what linters found in two seconds
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert "| about 260 characters in the demo |" in readme
    assert f"| {min(holds)} to {max(holds)} characters in the demo |" in readme


@pytest.mark.wide
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_on_a_terminal_the_demo_is_in_colour_and_ends_with_what_to_do_next() -> None:
    env = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    child = pexpect.spawn(
        *(sys.executable, [DEMO]), env=env | {"CI": "1", "TERM": "xterm"}, encoding="utf-8", timeout=120
    )
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0, child.before
    assert "\x1b[31m    ✗ round 1 of 10" in child.before
    assert "\x1b[32m    ✓ green after 4 rounds" in child.before
    assert "/untilgreen:loop make the tests pass" in child.before.splitlines()[-2]


@pytest.mark.wide
@pytest.mark.e2e
@pytest.mark.needs("npm")
@pytest.mark.parametrize(("name", "columns"), [("demo", "100"), ("demo-narrow", "45")])
def test_the_shop_in_the_real_host_looks_as_the_readme_and_the_site_show_it(name: str, columns: str) -> None:
    env = os.environ | {"HOME": HOME, "COLUMNS": columns, "LINES": "60"}
    played = subprocess.run([sys.executable, DEMO_HOST], env=env, capture_output=True, encoding="utf-8", check=False)
    assert (played.returncode, played.stderr) == (0, "")
    golden = (REPOSITORY / "tests" / "screens" / f"{name}.txt").read_text(encoding="utf-8")
    first, last = (golden.split("\n")[at].partition("N s")[0] for at in (0, -2))
    shown = played.stdout.replace("\xa0", " ")
    shown = shown[shown.index(first) : shown.index("\n", shown.index(last)) + 1]
    # where lines break on a narrow one follows from how long the time is
    words = _without_start(re.sub(r"(?<=[ ,·] )[\d.]+\s+s(?=\s+·)", "N s", shown)).split()
    assert words == _without_start(golden).split()


@pytest.mark.wide
@pytest.mark.e2e
@pytest.mark.needs("npm")
def test_the_hosts_own_goal_is_achieved_while_a_test_fails() -> None:
    env = os.environ | {"HOME": HOME, "COLUMNS": "45", "LINES": "40"}
    played = subprocess.run(
        [sys.executable, DEMO_HOST, "--goal"], env=env, capture_output=True, encoding="utf-8", check=False
    )
    assert (played.returncode, played.stderr) == (0, "")
    shown = re.sub(r"^✻ .*\n\n", "", played.stdout.replace("\xa0", " "), flags=re.MULTILINE)
    shown = re.sub(r"in [\d.]+s", "in 0.5s", re.sub(r"\(\d+s", "(1s", shown))
    assert (REPOSITORY / "tests" / "screens" / "goal.txt").read_text(encoding="utf-8") in shown


def _without_start(screen: str) -> str:
    """Without what checks said at the start, if they had an answer in its two seconds."""
    return re.sub(r"(?<= says: untilgreen: loop)\s.*?\n\n", "\n\n", screen, flags=re.DOTALL)


def _transcript() -> str:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    [block] = re.findall(r"^```text\n(You type: .*?)^```", readme, re.MULTILINE | re.DOTALL)
    return str(block)


def _plain(text: str) -> str:
    """Without empty lines, and with all loops (named after the second of their start) and all times alike."""
    text = re.sub(r"\b[\d.]+ s\b", "N s", re.sub(r"loop-\d+", "loop-N", text))
    return "\n".join(line for line in text.splitlines() if line)
