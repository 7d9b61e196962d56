"""An interactive program in a pseudo-terminal: its screen as text, and keys for it."""

import os
import re
import signal
import threading
import time
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pexpect  # type: ignore[import-untyped]
import pyte

KEYS = {
    "enter": "\r",
    "esc": "\x1b",
    "tab": "\t",
    "up": "\x1b[A",
    "down": "\x1b[B",
    "backspace": "\x7f",
    "ctrl-c": "\x03",
    "ctrl-d": "\x04",
    "ctrl-l": "\x0c",
    "2": "2",  # the second answer to a question
}
PROMPT = "\u276f"
"""The sign before the line one types in."""

_CLEARS = "\x15"  # Ctrl-U
POLL = 0.05  # seconds between two looks at the screen


class Terminal:
    """Runs `command` and keeps its screen up to date from a thread of its own. Always `close()` it.

    `echo`: for a program that leaves it to the terminal to show what is typed, as shells do.
    """

    def __init__(
        self,
        command: Sequence[str],
        cwd: Path,
        env: Mapping[str, str],
        rows: int = 40,
        columns: int = 120,
        *,
        echo: bool = False,
    ) -> None:
        self._lock = threading.Lock()
        self._display = _Screen(columns, rows)
        self._stream = pyte.ByteStream(self._display)
        with warnings.catch_warnings():  # newer Pythons warn of forks beside threads; the child is replaced at once
            warnings.simplefilter("ignore", DeprecationWarning)
            self._child: Any = pexpect.spawn(
                command[0], list(command[1:]), cwd=str(cwd), env=dict(env), dimensions=(rows, columns), echo=echo
            )
        self._child.delaybeforesend = None
        self._display.answer = self._send
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def screen(self) -> str:
        """What a person would see now: the rows, without trailing blanks, one a line."""
        with self._lock:
            return "\n".join(row.rstrip() for row in self._display.display).rstrip()

    def wait_for(self, pattern: str, timeout: float = 30) -> re.Match[str]:
        """The first match of a regular expression on the screen, awaited at most `timeout` seconds."""
        for screen in self._screens(f"{pattern!r} did not show", timeout):
            if match := re.search(pattern, screen):
                return match
        raise AssertionError  # never reached: the screens end with a failure

    def wait_until_gone(self, pattern: str, timeout: float = 30) -> None:
        """Returns when nothing on the screen matches, after at most `timeout` seconds."""
        for screen in self._screens(f"{pattern!r} did not go", timeout):
            if not re.search(pattern, screen):
                return

    def _screens(self, fault: str, timeout: float) -> Iterator[str]:
        """What is on the screen now, and now, and now; fails after `timeout` seconds or when the program has ended."""
        end = time.monotonic() + timeout
        while True:
            alive = self._reader.is_alive()
            screen = self.screen()
            yield screen
            assert time.monotonic() < end, f"{fault} in {timeout} s; the screen:\n{screen}"
            assert alive, f"{fault} before the program ended; the screen:\n{screen}"
            time.sleep(POLL)

    def type(self, text: str) -> None:
        """Types text and waits until its end shows behind the prompt (together with Enter it would count as pasted)."""
        self._send(text)
        self.wait_for(_behind_prompt(text), timeout=15)

    def key(self, name: str) -> None:
        """Presses a key of `KEYS`."""
        self._send(KEYS[name])

    def say(self, text: str) -> None:
        """Types a line, presses Enter and waits until it is gone from the input.

        What follows should wait for the line's effect: what is typed while `/clear` still works may come twice. So
        may a line on a busy machine (seen with 2.1.150): it is sent, stays in the input too, and is taken out here.
        """
        self.type(text)
        self.key("enter")
        try:
            self.wait_until_gone(_behind_prompt(text), timeout=15)
        except AssertionError:
            self._send(_CLEARS)
            self.wait_until_gone(_behind_prompt(text), timeout=60)

    def close(self) -> None:
        """Ends the program: politely, that it may end its own children, then with all of its process group."""
        for number, patience in ((signal.SIGTERM, 2.0), (signal.SIGKILL, 5.0)):
            try:
                os.killpg(self._child.pid, number)
            except OSError:
                break
            self._reader.join(patience)  # it ends when the terminal has no one left at its other end
            if not self._reader.is_alive():
                break
        self._child.close(force=True)
        self._reader.join(5)

    def _send(self, text: str) -> None:
        try:
            self._child.send(text)
        except OSError:  # the program is gone: what waits for its screen will say so
            pass

    def _read(self) -> None:
        while True:
            try:
                data = os.read(self._child.child_fd, 65536)
            except OSError:
                return
            if not data:
                return
            with self._lock:
                self._stream.feed(data)


def _behind_prompt(text: str) -> str:
    """A pattern for the end of `text` in the input, wherever its lines are broken."""
    end = "".join(text.split())[-20:]
    return r"\s*".join(map(re.escape, end)) + rf"[^{PROMPT}]*\Z"


class _Screen(pyte.Screen):
    """A screen that answers the program's questions about the terminal."""

    answer: Any = None

    def report_device_status(self, mode: int, *, private: bool = False, **_: Any) -> None:
        """Answers where the cursor is; pyte 0.8 fails on the private form, by which Copilot asks for its colours."""
        if not private:
            super().report_device_status(mode)

    def select_graphic_rendition(self, *attrs: int, private: bool = False) -> None:
        """Without what a program asks of the keyboard in the same form (`CSI > 4 m`), which pyte trips over."""
        if not private:
            super().select_graphic_rendition(*attrs)

    def write_process_input(self, data: str) -> None:
        if self.answer:
            self.answer(data)
