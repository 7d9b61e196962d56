"""A scripted model: on 127.0.0.1 it speaks the APIs of `wires`, answers from a list and remembers what it was asked."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, NamedTuple, Self, cast

from . import wires
from .wires import Block, Body, Kind, Tool, Wire

__all__ = ["AFTER", "Answer", "Block", "Body", "Model", "Request", "Tool", "Turn"]


MODEL = "scripted"
"""The name of the model, for hosts that ask for one."""


class Answer(NamedTuple):
    """A turn with more to say than its blocks.

    `delay` in seconds before anything is sent; a `status` other than 200 makes it an API error with the blocks' text.
    """

    blocks: Sequence[Block]
    delay: float = 0
    status: int = 200


Turn = str | Tool | Sequence[Block] | Answer | Callable[[Body], "str | Tool | Sequence[Block] | Answer"]
"""What the model does when asked: a text, a tool call, several of them, or a function of the request's body."""


AFTER = "Nothing more to do."
"""What a model says that has no script left."""


class Request(NamedTuple):
    """A request as it came. `time` in seconds since the epoch; `told` is what is new in it (see `wires.told`)."""

    kind: Kind
    body: Body
    headers: dict[str, str]
    told: str
    time: float


class Model:
    """Serves while it is a context: `with Model(["Done."]) as model: ... model.url ...`.

    `turns` answer the main conversation's requests in order, `subagent` those of subagents, `judge` those of hosts
    that judge; when a list is used up, `after` answers. The host's own requests (titles, summaries) take nothing from
    the script.
    """

    def __init__(self, turns: Sequence[Turn] = (), subagent: Sequence[Turn] = (), after: Turn = AFTER) -> None:
        self.turns: list[Turn] = list(turns)
        self.subagent: list[Turn] = list(subagent)
        self.judge: list[Turn] = []
        self.after: Turn = after
        self.project = ""  # what `HERE` stands for in the script
        self.requests: list[Request] = []
        self.faults: list[Exception] = []  # raised by turns that are functions
        self.closed = threading.Event()
        self._change = threading.Condition()
        self._answers = 0
        self._server = _Server(self)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def main(self) -> list[Request]:
        """The main conversation's requests so far."""
        with self._change:
            return [request for request in self.requests if request.kind == "main"]

    def told(self, number: int = -1) -> str:
        """What the n-th main request (from 0; negative: from the end) told the model that it had not been told yet."""
        return self.main[number].told

    def wait_for(self, count: int, timeout: float = 30) -> Request:
        """The count-th main request (from 1), awaited at most `timeout` seconds."""
        with self._change:
            done = self._change.wait_for(lambda: sum(r.kind == "main" for r in self.requests) >= count, timeout)
        assert done, f"the model was asked {len(self.main)} times in {timeout} s, not {count}"
        return self.main[count - 1]

    def answer(self, wire: Wire, body: Body, headers: dict[str, str]) -> tuple[Answer, int]:
        """Records a request; the turn that answers it, and the answer's number (from 1)."""
        kind = wire.kind_of(body, headers)
        with self._change:
            before = next((r.body for r in reversed(self.requests) if r.kind == kind), None)
            self.requests.append(Request(kind, body, headers, wires.told(wire, body, before), time.time()))
            self._answers += 1
            number = self._answers
            turn = wire.side_answer(body) if kind == "side" else self._next(kind)
            self._change.notify_all()
        try:
            return self._placed(_plain(turn(body) if callable(turn) else turn)), number
        except Exception as fault:  # noqa: BLE001 - a test's own function: the test gets it when the model closes
            self.faults.append(fault)
            return Answer([f"the script failed: {fault}"], status=400), number

    def _next(self, kind: Kind) -> Turn:
        script = {"subagent": self.subagent, "judge": self.judge}.get(kind, self.turns)
        return script.pop(0) if script else self.after

    def _placed(self, answer: Answer) -> Answer:
        return answer._replace(blocks=[b.at(self.project) if isinstance(b, Tool) else b for b in answer.blocks])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.close()
        except Exception:
            if value is None:
                raise

    def close(self) -> None:
        """Stops serving; raises what a turn of the script raised."""
        if not self.closed.is_set():
            self.closed.set()
            self._server.shutdown()
            self._server.server_close()
        if self.faults:
            raise self.faults[0]


def _plain(turn: "str | Tool | Sequence[Block] | Answer") -> Answer:
    if isinstance(turn, Answer):
        return turn
    if isinstance(turn, str | Tool):
        return Answer([turn])
    return Answer(turn)


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        self.model = model
        super().__init__(("127.0.0.1", 0), _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 300  # seconds an idle connection is kept

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's name
        """Quiet."""

    def do_GET(self) -> None:
        if self.path.partition("?")[0].endswith("/models"):
            model = {"id": MODEL, "object": "model", "owned_by": "nobody"}
            self._json(200, {"object": "list", "data": [model], "models": []})
        else:
            self._json(404, {"type": "error", "error": {"type": "not_found_error", "message": "not served here"}})

    def do_POST(self) -> None:
        body: Body = json.loads(self._read() or b"{}")
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens"):
            self._json(200, {"input_tokens": 100})
        elif path.endswith(":countTokens"):
            self._json(200, {"totalTokens": 100})
        elif wire := wires.of(path):
            self._answer(wire, body | ({"stream": True} if ":stream" in path else {}))
        else:
            self._json(404, {"error": {"message": "not served here"}})

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        data = b""
        while size := int(self.rfile.readline().partition(b";")[0], 16):
            data += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return data

    def _answer(self, wire: Wire, body: Body) -> None:
        model = cast("_Server", self.server).model
        turn, number = model.answer(wire, body, dict(self.headers.items()))
        if turn.delay:
            model.closed.wait(turn.delay)
        if turn.status != 200:
            self._json(turn.status, wire.error(" ".join(str(block) for block in turn.blocks)))
            return
        answer = wire.answer(body, turn.blocks, number)
        if isinstance(answer, bytes):
            self._head(200, "application/json", ("Content-Length", str(len(answer))))
            self.wfile.write(answer)
            return
        self._head(200, "text/event-stream", ("Transfer-Encoding", "chunked"))
        for event in answer:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(event), event))
        self.wfile.write(b"0\r\n\r\n")

    def _json(self, status: int, document: dict[str, Any]) -> None:
        data = json.dumps(document).encode()
        self._head(status, "application/json", ("Content-Length", str(len(data))))
        self.wfile.write(data)

    def _head(self, status: int, kind: str, length: tuple[str, str]) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header(*length)
        self.end_headers()
