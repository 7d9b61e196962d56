"""A script of ours for node that stays: TypeScript 5 or 6, or eslint. It is asked and answers by lines of JSON."""

import json
import select
import subprocess
from contextlib import suppress
from typing import Any

_SLOW = 60.0  # seconds that it may take for anything


class Script:
    """`given["words"]`: its command line. Raises SystemExit: why there is no answer any more."""

    def __init__(self, given: dict[str, Any]) -> None:
        pipe, words = subprocess.PIPE, given["words"]
        self.process = subprocess.Popen(words, cwd=given["root"], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        if not self.answer(given):
            raise SystemExit("it ended before its first answer")

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """What a new process would print; nothing where this one ended, as what it read is another now."""
        assert self.process.stdin
        assert self.process.stdout
        line = b""
        with suppress(BrokenPipeError):
            self.process.stdin.write(
                json.dumps({"words": question["call"], "stdin": question["stdin"]}).encode() + b"\n"
            )
            self.process.stdin.flush()
            if not select.select([self.process.stdout], [], [], _SLOW)[0]:
                raise SystemExit(f"no answer within {_SLOW:g} s")
            line = self.process.stdout.readline()
        if not line:
            self.process.kill()
            self.process.wait()
            return {}
        said = dict[str, Any](json.loads(line))
        if why := said.get("why"):
            raise SystemExit(why)
        return {**said, "files": question["paths"]}
