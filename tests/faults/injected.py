"""System calls made to fail, one in each run: strace answers the n-th call of a kind with an error, or by a kill.

What is injected into is what a host runs: the registered command line, with what the interpreter itself does before it
comes to us left out.
"""

import json
import re
import shutil
import subprocess
import sys
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import untilgreen
from untilgreen.cli.installing import command_forms
from untilgreen.core import document
from untilgreen.core.model.loop import Loop
from world import Answer, World

PACKAGES = str(Path(untilgreen.__file__).parent.parent)
KILLED = "SIGKILL"
ERRORS = ("EIO", "ENOSPC", "EMFILE", "EACCES", "ENOMEM", KILLED)
RED = ("--no-zero-errors", "--check", "a=false", "--stagnation-limit", "0", "--max-iterations", "100000")
_CALL = re.compile(r"^(\w+)\(", re.MULTILINE)
_UNHEARD = re.compile(r"^write\(1, .*\(INJECTED\)$", re.MULTILINE)  # it was the answer that nobody took
_NEVER = ("exit_group", "execve", "brk")  # an end that fails, what is not ours yet, what answers no error
BARE = "import os; os._exit(0)"


class Injection(NamedTuple):
    """The n-th call of this name fails with this error, or nothing comes after it: KILLED."""

    call: str
    number: int
    error: str


class Rig:
    """A project that is red, a loop in it, and what a host calls; "pause" is a prompt that says stop."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.write({"app.py": "import os\n\nVALUE = 1\n", "ruff.toml": ""})
        world.commit()
        world.start("mend it", *RED)
        common = {"session_id": world.session, "cwd": str(world.project)}
        prompt = common | {"hook_event_name": "UserPromptSubmit", "prompt": "write tests, too"}
        self.payloads = {
            "stop": ("stop-loop", world.payload()),
            "edit": ("post-tool-lint", world.edited("app.py", "import os\n\nVALUE = 1\n", "VALUE = 1\n")),
            "prompt": ("session-loop", prompt),
            "pause": ("session-loop", prompt | {"prompt": "stop"}),
        }
        self.env = world.env | {"CLAUDE_PROJECT_DIR": str(world.project), "CLAUDE_CODE_SESSION_ID": world.session}
        self.log = world.tmp / "strace"
        world.prompt("what is that?")
        for name in ("edit", "stop"):
            self.run(name)
        self.kept = world.tmp / "kept"
        self.ours = {"state": world.project / ".untilgreen", "seals": world.home / ".local/state/untilgreen/sealed"}
        for name, folder in self.ours.items():
            shutil.copytree(folder, self.kept / name)
        self.round, self.prompts = world.state["iteration"], self._prompts()
        self.others = self._others()

    def injections(self, name: str, every: int) -> list[Injection]:
        """Every so many-th of all calls that the hook makes; the errors take turns."""
        bare, ours = self._counted(BARE), self._counted(name)
        calls = [(call, n) for call in sorted(ours) for n in range(bare[call] + 1, ours[call] + 1)]
        return [Injection(*one, ERRORS[turn % len(ERRORS)]) for turn, one in enumerate(calls[::every])]

    def places(self) -> list[Path]:
        """What of ours a hook looks for, as far as it is there."""
        trusted, seals = self.world.home / ".local/state/untilgreen/trusted", self.ours["seals"]
        folder = self.world.folder
        return [
            trusted,
            seals,
            *seals.iterdir(),
            folder.parent.parent,
            folder.parent,
            folder,
            *sorted(folder.iterdir()),
        ]

    def violations(self, name: str, one: Injection | Path) -> list[str] | None:
        """What was broken by it; None where the call was never made. A path: all that is done with it fails."""
        if isinstance(one, Path):
            words = ("-P", str(one), "-e", "inject=%file,%desc:error=EIO")
        else:
            how = "signal" if one.error == KILLED else "error"
            words = ("-e", f"trace={one.call}", "-e", f"inject={one.call}:{how}={one.error}:when={one.number}")
        self._restore()
        answer, world = self.run(name, *words), self.world
        log = self.log.read_text(errors="replace")
        if "(INJECTED)" not in log and "+++ killed by" not in log:
            return None
        found = [*self._of_others(), *(self._of_answer(name, answer, log) if "+++ killed by" not in log else ())]
        try:
            loop = document.load(Loop, json.loads((world.folder / "loop_state.json").read_text()))
        except (OSError, ValueError, document.Mismatch) as error:
            return [*found, f"the state cannot be read: {error}"]
        if loop.end.stop_reason == "complete":
            found.append("green while red")
        if answer.held and loop.rounds.iteration != self.round + 1:
            found.append(f"held, and not counted: {answer}")
        world.write({"notes.txt": uuid.uuid4().hex})  # an answer to the user that changes nothing would be let go
        after = world.stop()
        if not after.held and loop.active and name in ("prompt", "pause"):  # the user goes first
            after = world.stop()
        if after.held is not (loop.active and not loop.rest.paused) or "by hand" in after.notice:
            found.append(f"the next stop says {after}")
        return found

    def run(self, name: str, *strace: str) -> Answer:
        """Call the hook, by strace where options of it are given."""
        hook, payload = self.payloads.get(name, ("", {}))
        code = command_forms.code(hook, PACKAGES) if hook else name
        words = [sys.executable, "-I", "-c", code, "--host", "claude-code"]
        first = ["strace", "-o", str(self.log), *strace] if strace else []
        done = subprocess.run(
            [*first, *words],
            input=json.dumps(payload, separators=(",", ":")).encode(),
            env=self.env,
            cwd=self.world.project,
            capture_output=True,
            timeout=120,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace"))

    def _of_answer(self, name: str, answer: Answer, log: str) -> Iterator[str]:
        if "Traceback" in answer.stdout + answer.stderr:
            yield f"a traceback: {answer}"
        if answer.code not in ((0, 2) if name == "stop" else (0,)):
            yield f"exit code {answer.code}: {answer.stderr}"
        if answer.code == 0 and answer.stderr:
            yield f"said on stderr: {answer.stderr}"
        if "COMPLETE" in answer.stdout:
            yield f"green while red: {answer.stdout}"
        if name == "stop" and answer.code == 0 and not answer.notice:
            yield "a stop was let go in silence"
        if name in ("prompt", "pause") and not answer.notice and self._prompts() != self.prompts + 1:
            yield "a prompt was forgotten in silence"
        if name == "pause" and not answer.notice and not _UNHEARD.search(log):
            yield "a pause was not told"

    def _of_others(self) -> Iterator[str]:
        """What changed outside of our own folders; told once."""
        now = self._others()
        if now != self.others:
            yield f"written outside: {sorted(str(path) for path, _ in now ^ self.others)}"
        self.others = now

    def _restore(self) -> None:
        (self.world.project / "notes.txt").unlink(missing_ok=True)
        for name, folder in self.ours.items():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.kept / name, folder)

    def _counted(self, name: str) -> Counter[str]:
        """How often each system call is made by the process itself."""
        self._restore()
        self.run(name, "-e", "trace=all")
        counted = Counter(_CALL.findall(self.log.read_text(errors="replace")))
        return Counter({call: number for call, number in counted.items() if call not in _NEVER})

    def _prompts(self) -> int:
        path = self.world.folder / "session.json"
        return int(json.loads(path.read_text())["prompts"]) if path.exists() else 0

    def _others(self) -> set[tuple[Path, bytes]]:
        """The files of home and project that are not ours to write."""
        paths = (path for top in (self.world.home, self.world.project) for path in top.rglob("*") if path.is_file())
        ours = tuple(self.ours.values())
        return {(path, path.read_bytes()) for path in paths if not any(path.is_relative_to(one) for one in ours)}
