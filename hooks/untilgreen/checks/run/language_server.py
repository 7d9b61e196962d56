"""pyright's language server, kept for the files of edits: what `pyright --outputjson` would say of them. It is told
each time what changed on the disk."""

import json
import os
import re
import select
import subprocess
import time
from contextlib import suppress
from typing import Any
from urllib.parse import quote

_SLOW, _OPEN = 60.0, 20  # seconds that the server may take for anything; open files
_SEVERITY = {1: "error", 2: "warning", 3: "information"}  # a hint is for editors
_NEVER = ("node_modules", "__pycache__")
_CYCLES = "reportImportCycles"  # a word about the whole, which it says of a file at one time and not at another
_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/|,(?=\s*[}\]])', re.DOTALL)
_WATCHES = {"configuration": True, "workspaceFolders": True, "didChangeWatchedFiles": {"dynamicRegistration": True}}
_CAN = {"textDocument": {"diagnostic": {"dynamicRegistration": True}}, "workspace": _WATCHES}


class Server:
    """It looks at a root; paths are relative to that. Raises SystemExit: why there is no answer any more."""

    def __init__(self, given: dict[str, Any]) -> None:
        pipe, root = subprocess.PIPE, given["root"]
        self.process = subprocess.Popen(given["words"], cwd=root, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL)
        self.root, self.number, self.unread = root, 0, b""
        self.settings = {"python": {"pythonPath": given["interpreter"]}} if given["interpreter"] else {}
        self.disk, self.open = files_of(root), dict[str, str]()
        folder = {"uri": self.uri("."), "name": "project"}
        self.ask("initialize", {"processId": os.getpid(), "workspaceFolders": [folder], "capabilities": _CAN})
        self.send(method="initialized", params={})
        self.include, self.exclude = named(self)
        self.follow({path: text for path in given["paths"] if (text := self.text(path)) is not None})
        for path in self.open:
            self.found(path)

    def answer(self, question: dict[str, Any]) -> dict[str, Any]:
        """What pyright would print of those that are asked for, and of others that are open. Nothing where one is not
        its."""
        began, asked, known = time.monotonic(), question["texts"], [*self.open]
        if not all(map(self._looks_at, asked)) or not self.follow(asked):
            return {}
        answer: dict[str, Any] = {path: [] for path in known if path not in self.disk}
        for path in [*asked, *(path for path in self.open if path not in asked)]:
            rest = question["seconds"] * 0.7 - (time.monotonic() - began)
            found = self.found(path, _SLOW if path in asked else max(0.01, rest))
            if found is None and path in asked:
                raise SystemExit(f"no answer within {_SLOW:g} s")
            answer |= {path: found} if found is not None else {}
        found = [one for some in answer.values() for one in some]
        counts = {f"{kind}Count": sum(one["severity"] == kind for one in found) for kind in _SEVERITY.values()}
        text = json.dumps({"generalDiagnostics": found, "summary": {"filesAnalyzed": len(answer), **counts}})
        return {"code": 1 if counts["errorCount"] else 0, "stdout": text, "stderr": "", "files": [*answer]}

    def _looks_at(self, path: str) -> bool:
        """Whether the configuration surely includes it; what an exclude might mean it does."""
        included = any(name == "." or f"{path}/".startswith(f"{name}/") for name in self.include)
        return included and not any(f"/{name}/" in f"/{path}/" for name in self.exclude)

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
    found = dict[str, tuple[int, ...]]()
    for folder, below, names in os.walk(root):
        hidden = {name for name in below if name.startswith(".") or name in _NEVER}
        below[:] = [one for one in below if one not in hidden and not os.path.exists(f"{folder}/{one}/pyvenv.cfg")]
        for path in (os.path.join(folder, name) for name in names if name.endswith((".py", ".pyi"))):
            with suppress(OSError):
                status = os.stat(path)
                found[path.removeprefix(f"{root}/")] = (status.st_ctime_ns, status.st_size, status.st_ino)
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
