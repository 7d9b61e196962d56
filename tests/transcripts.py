"""Transcripts in the hosts' own formats, made from a few words of what an agent did; and the labelled last messages.

The forms are those of the recorded ones in `payloads/`. `edit` writes a source file, `doc` a page, `test=0` runs pytest
with that exit code (`lint`, `types`, `build` others), `tail` behind a pipe, `look` runs what checks nothing, `aside` a
check in the background, `sed` edits in a shell.
"""

import json
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

TABLE = Path(__file__).parent / "tables" / "done-said.txt"
COMMANDS = {
    "test": "pytest -q",
    "lint": "ruff check .",
    "types": "mypy .",
    "build": "npm run build",
    "tail": "pytest -q 2>&1 | tail -3",
    "redtail": "pytest -q 2>&1 | tail -3",
    "look": "git status",
    "aside": "pytest -q",
    "sed": "sed -i s/a/b/ src/app.py",
}
PRINTED = {"tail": "41 passed in 0.30s", "redtail": "1 failed, 40 passed in 0.30s"}
CWD, SESSION = "/tmp/shop", "5f0c9b1e-7c3b-4b0e-9d59-0f4f3a1c2d3e"


class Labelled(NamedTuple):
    """A row of the table: what somebody who read it says of the message, "-" where it is no claim."""

    verdict: str
    host: str
    done: tuple[str, ...]  #: or the name of a recorded transcript
    message: str


def labelled() -> Iterator[Labelled]:
    """The rows, in their order."""
    for line in TABLE.read_text(encoding="utf-8").splitlines():
        head, sign, message = line.partition(" ::")
        if sign and not line.startswith("#"):
            verdict, host, *done = head.split()
            yield Labelled(verdict, host, tuple(done), message.strip().replace("\\n", "\n"))


class Written:
    """A session of one host, written line by line."""

    def __init__(self, host: str, home: Path, session: str = SESSION, cwd: str = CWD, day: str = "2026-10-05") -> None:
        self.host, self.session, self.cwd, self.number = host, session, cwd, 0
        self._day = f"{day}T10:"
        self._millisecond = int(session[:8], 16) % 1000
        self.path = (
            home
            / {
                "claude-code": f".claude/projects/-tmp-shop/{session}.jsonl",
                "codex": f".codex/sessions/2026/10/05/rollout-2026-10-05T10-00-00-{session}.jsonl",
                "copilot": f".copilot/session-state/{session}/events.jsonl",
                "gemini": f".gemini/tmp/shop/chats/session-2026-10-05T10-00-{session[:8]}.jsonl",
                "qwen": f".qwen/projects/-tmp-shop/chats/{session}.jsonl",
            }[host]
        )
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text("", encoding="utf-8")
        if host == "codex":
            self._line(type="session_meta", payload={"id": session, "cwd": cwd, "cli_version": "0.169.0"})
        elif host == "copilot":
            self._line(type="session.start", data={"sessionId": session, "context": {"cwd": cwd}})
        elif host == "gemini":
            self._line(sessionId=session, projectHash="95", kind="main")
            (self.path.parent.parent / ".project_root").write_text(cwd, encoding="utf-8")

    def _line(self, **entry: Any) -> None:
        self.number += 1
        at = f"{self._day}{self.number // 60:02}:{self.number % 60:02}.{self._millisecond:03}Z"
        own: dict[str, Any] = {"timestamp": at}
        if self.host == "claude-code":
            own |= {"cwd": self.cwd, "sessionId": self.session, "isSidechain": False}
        elif self.host == "qwen":
            own |= {"cwd": self.cwd, "sessionId": self.session, "uuid": f"u{self.number}"}
        self.raw(json.dumps(own | entry, ensure_ascii=False))

    def raw(self, line: str) -> "Written":
        """Write a line as it is."""
        with self.path.open("a", encoding="utf-8", errors="surrogateescape") as file:
            file.write(f"{line}\n")
        return self

    def user(self, text: str = "go on", **more: Any) -> "Written":
        """Its user says this."""
        if self.host == "claude-code":
            self._line(type="user", message={"role": "user", "content": text}, **more)
        elif self.host == "codex":
            said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}
            self._line(type="response_item", payload=said)
        elif self.host == "copilot":
            self._line(type="user.message", data={"content": text})
        elif self.host == "gemini":
            self._line(id=f"u{self.number}", type="user", content=[{"text": text}])
        else:
            self._line(type="user", message={"role": "user", "parts": [{"text": text}]})
        return self

    def says(self, text: str) -> "Written":
        """The agent says this."""
        name = f"m{self.number}"
        if self.host == "claude-code":
            said = {"role": "assistant", "id": name, "content": [{"type": "text", "text": text}]}
            self._line(type="assistant", message=said, requestId="r1")
        elif self.host == "codex":
            said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": text}]}
            self._line(type="response_item", payload=said)
        elif self.host == "copilot":
            self._line(type="assistant.message", data={"messageId": name, "content": text, "toolRequests": []})
        elif self.host == "gemini":
            self._line(id=name, type="gemini", content=text, model="gemini-2.5-pro")
        else:
            self._line(type="assistant", message={"role": "model", "parts": [{"text": text}]})
        return self

    def did(self, *acts: str) -> "Written":
        """The agent did this."""
        for act in acts:
            name, _, code = act.partition("=")
            if name in ("edit", "doc"):
                self._edited("README.md" if name == "doc" else "src/app.py")
            else:
                self.ran(COMMANDS[name], None if name == "aside" else int(code or 0), PRINTED.get(name, "said"))
        return self

    def _edited(self, file: str) -> None:
        path, call = f"{self.cwd}/{file}", f"call_{self.number}"
        if self.host == "claude-code":
            self._claude(call, "Edit", {"file_path": path}, {"content": "updated"}, {"filePath": path})
        elif self.host == "codex":
            item = {"type": "FileChange", "id": call, "changes": {path: {"type": "update"}}, "status": "completed"}
            self._line(type="event_msg", payload={"type": "item_completed", "item": item})
        elif self.host == "copilot":
            self._copilot(call, "edit", {"path": path}, "updated")
        elif self.host == "gemini":
            self._gemini(call, "replace", {"file_path": path}, "updated")
        else:
            self._qwen(call, "edit", {"file_path": path}, "updated", "success")

    def ran(self, command: str, code: int | None, printed: str = "") -> "Written":
        """The agent ran this; None: it goes on in the background."""
        call, asked = f"call_{self.number}", {"command": command}
        if self.host == "claude-code":
            result: dict[str, Any] = {"content": printed, "is_error": False}
            told: object = {"stdout": printed, "stderr": "", "interrupted": False}
            if code is None:
                told = {"stdout": "", "stderr": "", "interrupted": False, "backgroundTaskId": "b1"}
            elif code:
                result = {"content": f"Exit code {code}\n{printed}", "is_error": True}
                told = f"Error: Exit code {code}\n{printed}"
            self._claude(call, "Bash", asked, result, told)
        elif self.host == "codex":
            self._codex(call, command, code, printed)
        elif self.host == "copilot":
            end = (
                f"<shellId: 1 completed with exit code {code}>"
                if code is not None
                else "<command started in background>"
            )
            self._copilot(call, "bash", asked, f"{printed}\n{end}")
        elif self.host == "gemini":
            end = f"\nExit Code: {code}" if code else ""
            end += "\nBackground PIDs: 12" if code is None else ""
            told = f"Output: {printed}{end}\nProcess Group PGID: 48"
            self._gemini(call, "run_shell_command", asked | {"is_background": code is None}, told)
        else:
            told = f"Command: {command}\nOutput: {printed}\nError: (none)\nExit Code: {code}\nSignal: (none)"
            told = f"{told}\nProcess Group PGID: (none)" if code is not None else "Background command started."
            self._qwen(call, "run_shell_command", asked, told, "error" if code else "success")
        return self

    def _claude(self, call: str, tool: str, given: object, result: dict[str, Any], told: object) -> None:
        use = {"type": "tool_use", "id": call, "name": tool, "input": given}
        self._line(type="assistant", message={"role": "assistant", "id": f"m{self.number}", "content": [use]})
        block = {"type": "tool_result", "tool_use_id": call, **result}
        self._line(type="user", message={"role": "user", "content": [block]}, toolUseResult=told)

    def _codex(self, call: str, command: str, code: int | None, printed: str) -> None:
        given = {"type": "function_call", "name": "exec_command", "call_id": call}
        self._line(type="response_item", payload=given | {"arguments": json.dumps({"cmd": command})})
        end = f"Process exited with code {code}" if code is not None else "Process running with session ID 7"
        told = f"Chunk ID: 1\nWall time: 0.5 seconds\n{end}\nOutput:\n{printed}"
        output = {"type": "function_call_output", "call_id": call, "output": told}
        self._line(type="response_item", payload=output)

    def _copilot(self, call: str, tool: str, given: object, told: str) -> None:
        asked = [{"toolCallId": call, "name": tool, "arguments": given}]
        self._line(type="assistant.message", data={"messageId": "m", "content": "", "toolRequests": asked})
        self._line(type="tool.execution_start", data={"toolCallId": call, "toolName": tool, "arguments": given})
        done = {"toolCallId": call, "success": True, "result": {"content": told}}
        self._line(type="tool.execution_complete", data=done)

    def _gemini(self, call: str, tool: str, given: object, told: str) -> None:
        response = [{"functionResponse": {"id": call, "name": tool, "response": {"output": told}}}]
        made = {"id": call, "name": tool, "args": given, "result": response, "status": "success"}
        self._line(id=f"m{self.number}", type="gemini", content="", toolCalls=[made])
        self._line(id=f"u{self.number}", type="user", content=response)

    def _qwen(self, call: str, tool: str, given: object, told: str, status: str) -> None:
        asked = {"functionCall": {"id": call, "name": tool, "args": given}}
        self._line(type="assistant", message={"role": "model", "parts": [asked]})
        key = "error" if status == "error" else "output"
        response = {"functionResponse": {"id": call, "name": tool, "response": {key: told}}}
        done = {"callId": call, "status": status}
        self._line(type="tool_result", message={"role": "user", "parts": [response]}, toolCallResult=done)


def write(rows: Iterable[Labelled], home: Path) -> dict[str, Labelled]:
    """Write each row as a session of its host; the rows by the path of their transcripts."""
    found = {}
    for number, row in enumerate(rows):
        written = Written(row.host, home, f"{number:08}-7c3b-4b0e-9d59-0f4f3a1c2d3e")
        if row.message:
            written.user("Fix it").did(*row.done).says(row.message).user("thanks")
        else:
            shutil.copy(TABLE.parent.parent / row.done[0], written.path)
        found[str(written.path)] = row
    return found
