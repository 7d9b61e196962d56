"""Any host in a sandbox with a scripted model, in a project in which `untilgreen init --host NAME` was run."""

import json
import re
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import near
from world import BIN

from .host import Host, Output
from .model import AFTER, Model, Turn
from .programs import Place, Program
from .scenes import Shown, wait_until
from .terminal import Terminal


class Guest(Host):
    """One program in one sandbox below `root`; `asked` has what it was asked for. `registered`: with our hooks."""

    def __init__(
        self,
        program: Program,
        folders: Sequence[Path],
        root: Path,
        model: Model,
        *,
        registered: bool = True,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        path: Sequence[Path] = (),
    ) -> None:
        self.program = program
        self.at = Place(root.resolve() / "home", root.resolve() / "project", model.url)
        model.project = str(self.at.project)
        self._folders = folders
        super().__init__(Path(), root, model, files=files, env=env, path=path)
        self.start = program.start(folders)
        if registered:
            [done] = near.run([near.Call(("untilgreen", "init", "--host", program.name))], self.env, self.project)
            assert done.code == 0, done
            program.registered(self.at)

    def _of_host(self, _url: str) -> dict[str, str]:
        return self.program.environment(self.at)

    def _accept_everything(self) -> None:
        self.program.prepare(self.at, self._folders)

    def untilgreen(self, *words: str, code: int = 0) -> Shown:
        """A command of ours, as a person runs it in the project from a shell of their own."""
        shown = self.shell("untilgreen", *words)
        assert shown.code == code, shown
        return shown

    def shell(self, *words: str) -> Shown:
        """One of our executables in a shell."""
        done = subprocess.run(
            [str(BIN / words[0]), *words[1:]],
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        return Shown(done.returncode, done.stdout, done.stderr, 0.0)

    def asked(self, prompt: str, session: str = "", timeout: float = 120, code: int | None = 0) -> Output:
        """One headless prompt, answered to its end. `code`: its exit code, None for any."""
        done = self.command(*self.program.ask(prompt, session), timeout=timeout)
        assert code in (None, done.code), done
        return done

    @contextmanager
    def at_its_terminal(self, *words: str) -> Iterator[Terminal]:
        """A session in a pseudo-terminal, up to where one may type; gone at the end, come what may. `words`: what is
        behind its command, too."""
        environment, mark = self.launch({"TERM": "xterm-256color"})
        terminal = Terminal([*self.start, *self.program.sit_down(), *words], self.project, environment)
        try:
            terminal.wait_for(self.program.ready, timeout=60)
            self.program.settle(terminal)
            yield terminal
        finally:
            terminal.close()
            self.reap(mark)

    def loops(self) -> list[dict[str, Any]]:
        """The newest loop of each session."""
        found = sorted((self.project / ".untilgreen").glob("sessions/*/loop_state.json"))
        return [json.loads(file.read_text(encoding="utf-8")) for file in found]

    def loop(self) -> dict[str, Any]:
        """The only session's newest loop."""
        (loop,) = self.loops()
        return loop

    def wait_for_loop(self, wanted: Callable[[dict[str, Any]], object]) -> dict[str, Any]:
        """The only session's loop as soon as it is as wanted."""

        def there() -> bool:
            try:
                found = self.loops()
            except FileNotFoundError:  # it moves just now
                return False
            return len(found) == 1 and bool(wanted(found[0]))

        wait_until(there)
        return self.loop()

    @property
    def holds(self) -> list[str]:
        """What the model was told when it was held: from our first line on, one text a hold, as it stood there."""
        texts = (re.search(r"Not green yet: .*", request.told, re.DOTALL) for request in self.model.main)
        return [found[0].removesuffix(self.program.behind).strip() for found in texts if found]

    def everything(self) -> dict[str, bytes]:
        """Every file in the project and in the home, but for git's own and packages that the host fetches."""
        found = {}
        for top in (self.project, self.home):
            for file in sorted(top.rglob("*")):
                parts = file.relative_to(top).parts
                if file.is_file() and parts[0] != ".git" and "node_modules" not in parts:
                    found[str(file)] = file.read_bytes()
        return found


class NewGuest(Protocol):
    """The fixture `new_guest`: a sandboxed host whose model has this script."""

    def __call__(
        self,
        turns: Callable[[Program], Sequence[Turn]] = lambda _: (),
        after: Turn = AFTER,
        *,
        registered: bool = True,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
    ) -> Guest: ...
