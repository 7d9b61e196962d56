"""untilgreen itself: its version, its Python, and whether a shell finds its commands."""

import os
import sys

from untilgreen.cli import options
from untilgreen.cli.doctor import cures
from untilgreen.cli.doctor.case import Case
from untilgreen.cli.doctor.finding import BROKEN, NOTE, OK, Finding
from untilgreen.project import tools

SUBJECT = "untilgreen"


def findings(case: Case) -> tuple[Finding, ...]:
    """What this command runs on."""
    python = ".".join(map(str, sys.version_info[:3]))
    found = [Finding(SUBJECT, OK, f"{options.version()} on Python {python}, {sys.platform} ({sys.executable})")]
    if os.name != "posix":
        cure = "run the host in WSL, and install untilgreen there"
        found.append(Finding(SUBJECT, BROKEN, "stops are not judged on this system: the hooks let go", cure))
    folder = os.path.dirname(sys.argv[0])
    if not tools.on_path("untilgreen", case.root, case.env, trusted=True):
        place = cures.word(folder or os.path.dirname(sys.executable))
        cure = f'edit your shell\'s profile: export PATH={place}:"$PATH"'
        found.append(Finding(SUBJECT, NOTE, "its commands are not on PATH; the hooks do not need that", cure))
    return tuple(found)
