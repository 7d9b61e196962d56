"""The process that keeps pyright's language server warm for the edits of a project (`warm` starts it, as a script).

It listens at a socket only while it could answer at once: whoever finds none goes the usual way. It says what pyright
says of the files that it is asked about, as they are in the question, and of those that it was asked about before, as
they are on the disk. In any doubt it answers nothing. It ends after ten idle minutes, above a gigabyte, for another
version of anything that counts, and where its lock is gone; in the lock's file stands why nobody should begin another.
"""

import json
import os
import re
import select
import socket
import subprocess
import sys
import time
from contextlib import suppress
from typing import Any
from urllib.parse import quote

_IDLE, _TURN, _SLOW = 600.0, 5.0, 60.0  # seconds without a question, between two looks, that the server may take
_MOST, _OPEN, _LATE = 1 << 30, 20, 3  # bytes of all its processes, open files, answers in a row that came too late
_SEVERITY = {1: "error", 2: "warning", 3: "information"}  # a hint is for editors
_NEVER = ("node_modules", "__pycache__")
_CYCLES = "reportImportCycles"  # a word about the whole, which it says of a file at one time and not at another
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
_WATCHES = {"configuration": True, "workspaceFolders": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}
_CAN = {"textDocument": {"diagnostic": {"dynamicRegistration": True}}, "workspace": _WATCHES}


class Server:
    """The language server of a root, an absolute path. Paths are relative to it. Raises SystemExit: why it ends."""

    def __init__(self, words: list[str], root: str, interpreter: str) -> None:
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(words, cwd=root, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.root, self.number, self.unread = root, 0, b""
        self.settings = {"python": {"pythonPath": interpreter}} if interpreter else {}
        self.disk, self.open = files_of(root), dict[str, str]()
        folder = {"uri": self.uri("."), "name": "project"}
        self.ask("initialize", {"processId": os.getpid(), "workspaceFolders": [folder], "capabilities": _CAN})
        self.send(method="initialized", params={})

    def uri(self, path: str) -> str:
        return "file://" + quote(os.path.normpath(os.path.join(self.root, path)))

    def ask(self, method: str, params: object, seconds: float = _SLOW) -> Any:
        """The answer; None where it is not there in time."""
        self.number, until = self.number + 1, time.monotonic() + seconds
        self.send(id=self.number, method=method, params=params)
        while (message := self._next(until)) is not None:
            if "method" in message and "id" in message:
                names = [item.get("section") for item in (message.get("params") or {}).get("items", ())]
                self.send(id=message["id"], result=[self.settings.get(name, {}) for name in names] or None)
            elif message.get("id") == self.number:
                if "result" not in message:
                    raise SystemExit(f"the language server does not answer {method}")
                return message["result"]
        self.send(method="$/cancelRequest", params={"id": self.number})
        return None

    def send(self, **message: object) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(data), data))
        self.process.stdin.flush()

    def _next(self, until: float) -> dict[str, Any] | None:
        assert self.process.stdout
        while True:
            head, gap, rest = self.unread.partition(b"\r\n\r\n")
            said = re.search(rb"(?i)content-length: *(\d+)", head) if gap else None
            if said and len(rest) >= (length := int(said[1])):
                self.unread, message = rest[length:], json.loads(rest[:length])
                return dict(message)
            if not select.select([self.process.stdout], [], [], max(0.0, until - time.monotonic()))[0]:
                return None
            if not (data := os.read(self.process.stdout.fileno(), 1 << 20)):
                raise SystemExit("the language server ended")
            self.unread += data

    def follow(self, asked: dict[str, str]) -> bool:
        """Tell what changed on the disk, and what open files hold; `asked`: path to text. Whether it looks at these."""
        before, self.disk = self.disk, files_of(self.root)
        kinds = {path: 2 if path in self.disk else 3 for path in before if self.disk.get(path) != before[path]}
        kinds |= dict.fromkeys(self.disk.keys() - before.keys(), 1)
        changes = [{"uri": self.uri(path), "type": kind} for path, kind in kinds.items()]
        self.send(method="workspace/didChangeWatchedFiles", params={"changes": changes})
        if len(asked) > _OPEN or not asked.keys() <= self.disk.keys():
            return False
        texts = {path: text for path in self.open if path not in asked and (text := self.text(path)) is not None}
        texts = dict([*texts.items(), *asked.items()][-_OPEN:])
        for path in self.open.keys() - texts.keys():
            self.send(method="textDocument/didClose", params={"textDocument": {"uri": self.uri(path)}})
        for path, text in texts.items():
            about = {"uri": self.uri(path), "version": self.number}
            if path not in self.open:
                about |= {"languageId": "python", "text": text}
                self.send(method="textDocument/didOpen", params={"textDocument": about})
            elif self.open[path] != text:
                changed = {"textDocument": about, "contentChanges": [{"text": text}]}
                self.send(method="textDocument/didChange", params=changed)
        self.open = texts
        return True

    def text(self, path: str) -> str | None:
        with suppress(OSError, ValueError), open(os.path.join(self.root, path), encoding="utf-8", newline="") as file:
            return file.read()
        return None

    def found(self, path: str, seconds: float = _SLOW) -> list[dict[str, Any]] | None:
        """What it says of a file, in the form of `pyright --outputjson`; None where that is not there in time."""
        said = self.ask("textDocument/diagnostic", {"textDocument": {"uri": self.uri(path)}}, seconds)
        file = {"file": os.path.join(self.root, path)}
        return said and [
            file
            | {"severity": _SEVERITY[one["severity"]], "message": one["message"], "range": one["range"]}
            | ({"rule": str(one["code"])} if one.get("code") else {})
            for one in said["items"]
            if one.get("severity") in _SEVERITY and one.get("code") != _CYCLES
        ]


def files_of(root: str) -> dict[str, tuple[int, ...]]:
    """The Python files that pyright looks at by default, and when each was changed."""
    found, waiting = dict[str, tuple[int, ...]](), [""]
    while waiting:
        folder = waiting.pop()
        with suppress(OSError), os.scandir(os.path.join(root, folder)) as entries:
            for entry in entries:
                path = os.path.join(folder, entry.name)
                if entry.name.endswith((".py", ".pyi")):
                    status = entry.stat()
                    found[path] = (status.st_ctime_ns, status.st_size, status.st_ino)
                elif entry.is_dir(follow_symlinks=False) and not entry.name.startswith(".") | (entry.name in _NEVER):
                    waiting += [] if os.path.exists(os.path.join(root, path, "pyvenv.cfg")) else [path]
    return found


def named(server: Server) -> tuple[list[str], list[str]]:
    """What the configuration includes and excludes, as paths. Raises SystemExit where it says so in another way."""
    said: dict[str, Any] = {}
    if (text := server.text("pyrightconfig.json")) is not None:
        said = json.loads(_COMMENT.sub(lambda match: match[1] or "", text) or "{}")
    elif (text := server.text("pyproject.toml")) is not None:
        import tomllib

        tools = tomllib.loads(text).get("tool", {})
        said = tools.get("pyright", {}) | tools.get("basedpyright", {})
    both = said.get("include", ["."]), said.get("exclude", [])
    known = [[os.path.normpath(path.removeprefix("**/")) for path in paths if path != "**/.*"] for paths in both]
    if "extends" in said or re.search(r"(?m)[*?$]|\.\.|^/", "\n".join([*both[0], *known[1]])):
        raise SystemExit("what its configuration includes is not read by a broker")
    return known[0], known[1]


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
            self.server = Server(self.given["words"], self.given["root"], self.given["interpreter"])
            self.include, self.exclude = named(self.server)
            self.server.follow({path: text for path in self.given["paths"] if (text := self.server.text(path))})
            for path in self.server.open:
                self.server.found(path)
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

    def _looks_at(self, path: str) -> bool:
        """Whether the configuration surely includes it; what an exclude might mean it does."""
        included = any(name == "." or f"{path}/".startswith(f"{name}/") for name in self.include)
        return included and not any(f"/{name}/" in f"/{path}/" for name in self.exclude)

    def _answer(self, connection: socket.socket, question: dict[str, Any]) -> None:
        began, asked, root = time.monotonic(), question["texts"], self.given["root"]
        if question["stamp"] != self.given["stamp"]:
            if question["root"] == root:
                os.close(self.given["lock"])  # whoever asks may begin another one
                os.killpg(0, 9)
            return
        mine = all(self._looks_at(path) for path in asked)
        answer, known = dict[str, Any](), [*self.server.open]
        if mine and self.server.follow(asked):
            answer |= {path: [] for path in known if path not in self.server.disk}
            for path in [*asked, *(path for path in self.server.open if path not in asked)]:
                rest = question["seconds"] * 0.7 - (time.monotonic() - began)
                found = self.server.found(path, _SLOW if path in asked else max(0.01, rest))
                if found is None and path in asked:
                    raise SystemExit(f"no answer within {_SLOW:g} s")
                answer |= {path: found} if found is not None else {}
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


if __name__ == "__main__":
    broker = Broker(json.loads(sys.argv[1]))
    with suppress(OSError):
        broker.note(broker.run())
    os.killpg(0, 9)  # and the server with it
