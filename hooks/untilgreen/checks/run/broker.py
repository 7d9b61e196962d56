"""The process that keeps the checkers of edits warm, for one project (`warm` starts it): a server for each check.

It listens at a socket only while it could answer at once: whoever finds none goes the usual way. In any doubt it
answers nothing. It ends after ten idle minutes, for another version of anything that counts, without a server, and
where its lock is gone; in the lock's file stands why nobody should begin another. A server that is late or with which
all have more than a gigabyte is ended. It loads the standard library alone, and the servers.
"""

import json
import os
import socket
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from untilgreen.checks.run import language_server, mypy_daemon, node_script
from untilgreen.project.pipes import memory

_IDLE, _TURN = 600.0, 5.0  # seconds without a question, and between two looks
_MOST, _LATE = 1 << 30, 3  # bytes of all its processes, answers in a row that came too late
_SOCKET = Path("socket")

Server = language_server.Server | mypy_daemon.Daemon | node_script.Script


class Broker:
    """`given`: what `warm` says at the start. The current folder is its own: a socket's path may not be long."""

    def __init__(self, given: dict[str, Any]) -> None:
        self.given = given
        self.listener: socket.socket | None = None
        self.servers = dict[str, tuple[str, Server | None]]()  # check to stamp and server; None where it has none
        self.late = dict[str, int]()  # check to answers in a row that came too late, or not

    def run(self) -> None:
        try:
            self._note(self.given, "")
            self._listening().close()  # where nobody can listen, no server is started in vain
            _SOCKET.unlink(missing_ok=True)
            self._begin(self.given)
            while any(server for _, server in self.servers.values()) and (connection := self._heard()):
                with connection, suppress(ValueError, LookupError, TypeError):
                    self._answer(connection, json.loads(connection.makefile("rb").readline()))
        except Exception as error:  # noqa: BLE001 nobody reads it elsewhere
            self._note(self.given, str(error) or type(error).__name__)

    def _note(self, about: dict[str, Any], why: str) -> None:
        """Keep why nobody should begin another one, "" where somebody may."""
        said = json.dumps({"pid": os.getpid(), "stamp": about["stamp"], "why": why[:300]})
        os.ftruncate(self.given["lock"], 0)
        os.pwrite(self.given["lock"], said.encode(), 0)

    def _listening(self) -> socket.socket:
        _SOCKET.unlink(missing_ok=True)
        listener = socket.socket(socket.AF_UNIX)
        listener.bind("socket")
        os.chmod("socket", 0o600)  # nobody can connect before it listens
        listener.listen(1)
        listener.settimeout(_TURN)
        return listener

    def _heard(self) -> socket.socket | None:
        """Where somebody asks; nobody else can until that is answered. None where it is time to end. Raises OSError
        where the lock's file was taken away to end it."""
        until = time.monotonic() + _IDLE
        while time.monotonic() < until and os.path.samestat(os.stat("lock"), os.fstat(self.given["lock"])):
            listener, self.listener = self.listener or self._listening(), None
            with suppress(TimeoutError), listener:  # anew each time: somebody may not have waited for us
                connection = listener.accept()[0]
                _SOCKET.unlink(missing_ok=True)  # whoever did not wait any longer may have done so
                connection.settimeout(_TURN)
                return connection
        return None

    def _begin(self, about: dict[str, Any]) -> None:
        words = about["words"]
        kind = node_script.Script if words[0] == "node" else language_server.Server
        if server := self._tried(about, mypy_daemon.Daemon if words[-1] == "run" else kind):
            self.servers[about["check"]] = about["stamp"], server

    def _tried(self, about: dict[str, Any], what: Callable[[dict[str, Any]], Any]) -> Any:
        try:
            return what(about)
        except (SystemExit, OSError, ValueError, LookupError, TypeError) as error:  # or an answer that is none
            self._end(about, str(error) or type(error).__name__)
            return None

    def _end(self, about: dict[str, Any], why: str) -> None:
        """End the server of a check for good."""
        if server := self.servers.get(about["check"], ("", None))[1]:
            server.process.kill()
        self.servers[about["check"]] = about["stamp"], None
        self._note(about, why)

    def _answer(self, connection: socket.socket, question: dict[str, Any]) -> None:
        check, stamp = question["check"], question["stamp"]
        known, server = self.servers.get(check, (stamp, None))
        if known != stamp:
            os.close(self.given["lock"])  # whoever asks may begin another one
            os.killpg(0, 9)
        answer, late = (server and self._tried(question, server.answer)) or {}, self.late.get(check, 0) + 1
        _, server = self.servers.get(check, (stamp, None))  # it may have been ended for good
        if ended := server is not None and server.process.poll() is not None:
            del self.servers[check]
        elif check in self.servers:
            self.listener = self._listening()  # for what is asked right behind this
        with suppress(OSError):
            connection.sendall(json.dumps(answer).encode())
            connection.shutdown(socket.SHUT_RDWR)
            late = late if ended else 0
        self.late[check] = late
        if late >= _LATE or memory(os.getpid()) > _MOST:
            self._end(question, f"there was more than 1 GB, or {_LATE} answers in a row came too late")
        elif check not in self.servers:
            self._begin(question)


def main() -> None:
    """The last word of the command line is what the client says, as JSON."""
    with suppress(OSError):
        Broker(json.loads(sys.argv[-1])).run()
    os.killpg(0, 9)  # and the servers with it
