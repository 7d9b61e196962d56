"""mypy's daemon, kept for the files of edits: what mypy prints. Of a file that nobody edits it loses findings that a
cold mypy has: unused ignores, and what it cannot determine in a circle of imports.

Learned from mypy 2.4: before 2.0 the daemon checks partial types by another rule than mypy, from then on it refuses
options for which it would. It begins anew by itself, apart from us, when options or plugins changed.
"""

import os
import subprocess
import time
from contextlib import suppress
from typing import Any

_SLOW, _IDLE = 300.0, "600"  # seconds that it may take for anything, and until it ends by itself
_FIRST = 2  # the oldest version


class Daemon:
    """`given["words"]`: dmypy, mypy's own words, and "run". Raises SystemExit: why there is no answer any more."""

    def __init__(self, given: dict[str, Any]) -> None:
        tool, *words, _ = given["words"]
        self.root, status = given["root"], os.path.abspath("dmypy.json")
        self.tool, self.words = [tool, "--status-file", status], ["--timeout", _IDLE, "--", *words]
        version = self._run("--version").stdout.split()[-1:]
        if not version or not version[0].partition(".")[0].isdigit() or int(version[0].partition(".")[0]) < _FIRST:
            raise SystemExit(f"mypy's daemon is none of version {_FIRST} or later")
        with suppress(FileNotFoundError):
            os.unlink(status)
        null, until = subprocess.DEVNULL, time.monotonic() + _SLOW
        daemon = [*self.tool, "daemon", *self.words]
        self.process = subprocess.Popen(daemon, cwd=self.root, stdin=null, stdout=null, stderr=null)
        while not os.path.exists(status):
            if self.process.poll() is not None or time.monotonic() > until:
                raise SystemExit("mypy's daemon does not begin")
            time.sleep(0.02)
        self.asked = set[str]()
        self._run("run", *self.words)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """What mypy prints, and the files that were ever asked for."""
        done = self._run("run", *self.words)
        if "Daemon started" in done.stdout:
            self._run("kill")
            raise SystemExit("mypy's daemon began anew")
        self.asked |= {*question["texts"]}
        return {"code": done.returncode, "stdout": done.stdout, "stderr": done.stderr, "files": sorted(self.asked)}

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        words = (*self.tool, *words) if words != ("--version",) else (self.tool[0], *words)
        try:
            return subprocess.run(words, cwd=self.root, capture_output=True, text=True, timeout=_SLOW, check=False)
        except subprocess.TimeoutExpired:
            raise SystemExit(f"no answer within {_SLOW:g} s") from None
