"""A sandboxed Claude Code with a scripted model to talk to: headless, or in a terminal."""

import json
import os
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from .model import AFTER, Model, Turn
from .sandbox import Sandbox
from .terminal import PROMPT, Terminal

TOOLS = "Bash,Edit,Write,Read"
"""What a headless run may do without being asked."""


class Output(NamedTuple):
    """What a command wrote and how it ended; `seconds` it took."""

    out: str
    err: str
    code: int
    seconds: float


class Run(NamedTuple):
    """A headless run: the JSON lines it printed, its exit code, its stderr, and how many seconds it took."""

    lines: list[dict[str, Any]]
    code: int
    stderr: str
    seconds: float

    @property
    def result(self) -> dict[str, Any]:
        """The closing line: `subtype`, `is_error`, `result`, `num_turns`, ...; empty if none came."""
        return next((line for line in reversed(self.lines) if line.get("type") == "result"), {})

    @property
    def session_id(self) -> str:
        """What `--resume` takes."""
        return str(self.result.get("session_id", ""))


class NewHost(Protocol):
    """The fixture `new_host`: a sandbox whose model has this script; the rest as for `Host`."""

    def __call__(
        self,
        turns: Sequence[Turn] = (),
        subagent: Sequence[Turn] = (),
        after: Turn = AFTER,
        *,
        settings: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        path: Sequence[Path] = (),
        name: str = "project",
    ) -> "Host": ...


class Host(Sandbox):
    """One installed version in one sandbox below `root`; its runs share the project and the sessions.

    The rest as for `Sandbox`.
    """

    def __init__(
        self,
        binary: Path,
        root: Path,
        model: Model,
        *,
        settings: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        path: Sequence[Path] = (),
        name: str = "project",
    ) -> None:
        super().__init__(root, model.url, settings=settings, local=local, files=files, env=env, path=path, name=name)
        self.binary = binary
        self.start = [str(binary)]
        self.model = model

    def run(
        self, prompt: str, *args: str, timeout: float = 60, tools: str = TOOLS, env: Mapping[str, str] | None = None
    ) -> Run:
        """One prompt, headless (`-p`). Past `timeout` seconds everything it started is killed and the test fails."""
        flags = ["--output-format", "stream-json", "--verbose", f"--allowedTools={tools}"]
        done = self.command("-p", prompt, *flags, *args, timeout=timeout, env=env)
        lines = [json.loads(line) for line in done.out.splitlines() if line.strip()]
        return Run(lines, done.code, done.err, done.seconds)

    def command(self, *args: str, timeout: float = 60, env: Mapping[str, str] | None = None) -> Output:
        """The host with these arguments and nothing on its stdin; limits as in `run`."""
        began = time.monotonic()
        environment, mark = self.launch(env)
        process = subprocess.Popen(
            [*self.start, *args],
            cwd=self.project,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired as late:
            said = (late.stdout or b"").decode(errors="replace")
            raise TimeoutError(f"no end in {timeout} s; so far it said: {said}") from late
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            self.reap(mark)
            process.communicate()
        took = time.monotonic() - began
        return Output(out.decode(errors="replace"), err.decode(errors="replace"), process.returncode, took)

    @contextmanager
    def terminal(
        self, *args: str, tools: str = TOOLS, env: Mapping[str, str] | None = None, rows: int = 40, columns: int = 120
    ) -> Iterator[Terminal]:
        """An interactive session in a pseudo-terminal, up to its prompt; gone at the end, come what may.

        In permission mode "default": newer versions' own choice asks the server before a tool runs.
        """
        flags = ["--permission-mode=default", f"--allowedTools={tools}"]
        environment, mark = self.launch({"TERM": "xterm-256color", **(env or {})})
        terminal = Terminal([str(self.binary), *flags, *args], self.project, environment, rows, columns)
        try:
            terminal.wait_for(f"(?m)^ *{PROMPT}", timeout=30)
            yield terminal
        finally:
            terminal.close()
            self.reap(mark)
