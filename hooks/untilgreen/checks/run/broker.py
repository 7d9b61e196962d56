"""The process that keeps pyright's language server or mypy's daemon warm for the edits of a project (`warm` starts it).

It listens at a socket only while it could answer at once: whoever finds none goes the usual way. It tells of the files
that it is asked about, and of those that it was asked about before. In any doubt it answers nothing. It ends after ten
idle minutes, above a gigabyte, for another version of anything that counts, and where its lock is gone; in the lock's
file stands why nobody should begin another. It loads the standard library alone, and the two servers.
"""

import json
import os
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from untilgreen.checks.run import language_server, mypy_daemon

_IDLE, _TURN = 600.0, 5.0  # seconds without a question, and between two looks
_MOST, _LATE = 1 << 30, 3  # bytes of all its processes, answers in a row that came too late


def memory() -> int:
    """The bytes that the processes of this session have; 0 where the system does not say: V8 has a limit of its own."""
    total = 0
    for name in os.listdir("/proc") if os.path.isdir("/proc/self") else ():
        with suppress(OSError, ValueError):
            if os.getsid(int(name)) == os.getpid():
                with open(f"/proc/{name}/statm", encoding="ascii") as file:
                    total += int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return total


class Broker:
    """`given`: what `warm` says at the start. The current folder is its own: a socket's path may not be long."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given, self.late = given, 0

    def run(self) -> str:
        """Why nobody should begin another one; "" where somebody may."""
        try:
            self.note("")
            self._listening().close()  # where nobody can listen, no server is started in vain
            _unlink()
            kind = mypy_daemon.Daemon if self.given["words"][-1] == "run" else language_server.Server
            self.server: language_server.Server | mypy_daemon.Daemon = kind(self.given)
            while connection := self._heard():
                with connection, suppress(ValueError, LookupError, TypeError):
                    self._answer(connection, json.loads(connection.makefile("rb").readline()))
        except (Exception, SystemExit) as error:  # noqa: BLE001 nobody reads it elsewhere
            return str(error) or type(error).__name__
        return ""

    def note(self, why: str) -> None:
        said = json.dumps({"pid": os.getpid(), "stamp": self.given["stamp"], "why": why[:300]})
        os.ftruncate(self.given["lock"], 0)
        os.pwrite(self.given["lock"], said.encode(), 0)

    def _listening(self) -> socket.socket:
        listener, mask = socket.socket(socket.AF_UNIX), os.umask(0o177)
        try:
            _unlink()
            listener.bind("socket")
        finally:
            os.umask(mask)
        listener.listen(1)
        listener.settimeout(_TURN)
        return listener

    def _heard(self) -> socket.socket | None:
        """Where somebody asks; nobody else can until that is answered. None where it is time to end."""
        until = time.monotonic() + _IDLE
        while time.monotonic() < until and self._has_its_lock():
            with suppress(TimeoutError), self._listening() as listener:  # anew: somebody may not have waited for us
                connection = listener.accept()[0]
                _unlink()
                connection.settimeout(_TURN)
                return connection
        return None

    def _has_its_lock(self) -> bool:
        """To end a broker, the lock's file is taken away."""
        with suppress(OSError):
            return os.path.samestat(os.stat("lock"), os.fstat(self.given["lock"]))
        return False

    def _answer(self, connection: socket.socket, question: dict[str, Any]) -> None:
        if question["stamp"] != self.given["stamp"]:
            if question["check"] == self.given["check"]:
                os.close(self.given["lock"])  # whoever asks may begin another one
                os.killpg(0, 9)
            return
        answer = self.server.answer(question)
        try:
            connection.sendall(json.dumps(answer).encode())
            self.late = 0
        except OSError:
            self.late += 1
        if self.late >= _LATE or memory() > _MOST:
            raise SystemExit(f"it had more than 1 GB, or {_LATE} answers in a row came too late")


def _unlink() -> None:
    with suppress(FileNotFoundError):  # whoever did not wait any longer may have done so
        os.unlink("socket")


def main() -> None:
    """The last word of the command line is what the client says, as JSON."""
    broker = Broker(json.loads(sys.argv[-1]))
    with suppress(OSError):
        broker.note(broker.run())
    os.killpg(0, 9)  # and the server with it
