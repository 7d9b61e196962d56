"""What is Cline CLI's alone: no hook holds it, and `untilgreen run` starts it for each round."""

from pathlib import Path

import pytest

from .guest import NewGuest
from .sandbox import KEY

pytestmark = [pytest.mark.e2e, pytest.mark.wide, pytest.mark.needs("npm")]


def test_a_run_starts_it_anew_until_the_checks_are_green(new_guest: NewGuest) -> None:
    guest = new_guest(
        lambda program: [
            program.runs("echo 'import os' > broken.py"),
            "Done.",
            program.runs("echo 'VALUE = 1' > broken.py"),
            "Mended.",
        ],
        registered=False,
    )
    program = guest.home / "bin" / "cline"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {" ".join(guest.start)} "$@"\n')
    program.chmod(0o755)
    guest.env["PATH"] = f"{program.parent}:{Path(guest.start[0]).parent}:{guest.env['PATH']}"
    guest.command("auth", "openai", "-k", KEY, "-m", "scripted", "-b", f"{guest.model.url}/v1")
    guest.untilgreen("trust")

    shown = guest.untilgreen("run", "--host", "cline", "Add a module")

    assert "✓ green after 2 rounds" in shown.out + shown.err
    assert "Not green yet: 1 left after round 1 of 10" in guest.model.told(2)
