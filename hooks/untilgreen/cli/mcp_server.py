"""The server of `untilgreen mcp`: a few commands as tools of the Model Context Protocol, on stdin and stdout.

Each call is a process of its own, the command as people type it: what it prints is the answer, and its end takes its
checks along. Stdout is the protocol's alone.
"""

import itertools
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated, Any, Literal

import anyio
from anyio.abc import Process
from anyio.streams.text import TextReceiveStream
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, TextContent, ToolAnnotations
from pydantic import Field, ValidationError

from untilgreen.cli import errors, options
from untilgreen.core.errors import UserError
from untilgreen.loops.begin import starting

_CODE = "import sys; from untilgreen.entry import untilgreen as main; sys.exit(main())"
_TICK = 5.0  # seconds after which a run that says nothing tells that it goes on
_GRACE = 3.0  # seconds from SIGTERM, at which a command ends its checks, to SIGKILL
_ANSWERS = (errors.OK, errors.NO, errors.UNJUDGED)
_GUIDE = "Call check before you say that work is done, and go on while it is not green. Nothing here holds you."
_LOOK = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_ACT = ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False)

Folder = Annotated[str, Field(description="The project's folder; left out: where the server runs.")]
Kinds = Annotated[Sequence[Literal["lint", "types", "tests", "build"]], Field(description="Only these checks.")]
Session = Annotated[str, Field(description='A session\'s id; for start also "next".')]
Tests = Annotated[bool, Field(description="Run the tests, too.")]
Seconds = Annotated[float | None, Field(ge=1, description="Seconds for all checks.")]
Task = Annotated[str, Field(min_length=1, description="What is to be done.")]
Rounds = Annotated[int | None, Field(ge=1, description="Rounds at most.")]


class _ToolServer(MCPServer):
    """What the SDK tells of arguments in its own words, it tells in a line of ours."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Context | None = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            first = error.__cause__.errors()[0]
            where = ".".join(map(str, first["loc"]))
            why = UserError(f"{name}, {where}: {first['msg']}", "see the schema of the tool")
            return _answer(f"untilgreen failed: {why}", wrong=True)


_server = _ToolServer("untilgreen", version=options.version(), instructions=_GUIDE, log_level="ERROR")
_running = set[Process]()


@_server.tool(annotations=_ACT)
async def check(
    context: Context, project: Folder = "", only: Kinds = (), tests: Tests = True, deadline: Seconds = None
) -> CallToolResult:
    """Run the project's checks once: is it green, and what is left? Stores nothing; a long run tells its progress."""
    return await _command(
        context, "check", *_flags(project, only, deadline=deadline), *(() if tests else ["--no-tests"])
    )


@_server.tool(annotations=_LOOK)
async def status(context: Context, project: Folder = "") -> CallToolResult:
    """Say which loops run in the project, and how far each is."""
    return await _command(context, "status", *_flags(project))


@_server.tool(annotations=_LOOK)
async def explain(context: Context, project: Folder = "", session: Session = "") -> CallToolResult:
    """Say why the last stop in the project was held or let go, step by step."""
    return await _command(context, "show", "--why", *_flags(project, session=session))


@_server.tool(annotations=_ACT)
async def start(
    context: Context,
    task: Task,
    project: Folder = "",
    session: Session = "",
    only: Kinds = (),
    max_iterations: Rounds = None,
) -> CallToolResult:
    """Begin a loop in a trusted project. Hooks of untilgreen then hold the session; in a host without them, nobody."""
    flags = _flags(project, only, task=task, session=session, max_iterations=max_iterations)
    return await _command(context, "start", *flags)


async def serve() -> None:
    """Answer until stdin ends, or a signal comes: then no command runs any more."""
    async with anyio.create_task_group() as group:
        group.start_soon(_heed)
        await _server.run_stdio_async()
        group.cancel_scope.cancel()


async def _heed() -> None:
    with anyio.open_signal_receiver(signal.SIGINT, signal.SIGTERM, signal.SIGHUP) as signals:
        async for number in signals:
            for process in [*_running]:
                await _end(process)
            os._exit(128 + number)  # a thread reads stdin, and would be waited for


def _flags(project: str, only: Sequence[str] = (), **given: object) -> list[str]:
    named = {"project": project, **given}
    flags = [f"--{name.replace('_', '-')}={value}" for name, value in named.items() if value]
    return [*flags, *(f"--only={kind}" for kind in only)]


async def _command(context: Context, *words: str) -> CallToolResult:
    """Run one, and tell its lines as they come. When the call is cancelled, it ends with all that it started."""
    said, line, told = "", "", itertools.count(1)

    async def tell(line: str) -> None:
        await context.report_progress(next(told), None, line)

    argv, env = [sys.executable, "-P", "-c", _CODE, *words], {**os.environ, starting.BY_MODEL: "1"}
    process = await anyio.open_process(argv, stdin=subprocess.DEVNULL, stderr=subprocess.STDOUT, env=env)
    _running.add(process)
    try:
        async with anyio.create_task_group() as group:
            group.start_soon(_tick, words[0], tell)
            assert process.stdout
            async for part in TextReceiveStream(process.stdout):
                said += part
                *lines, line = (line + part).split("\n")
                for one in filter(str.strip, lines):
                    await tell(one)
            group.cancel_scope.cancel()
        code = await process.wait()
    finally:
        with anyio.CancelScope(shield=True):
            await _end(process)
    text = said.strip() or f"untilgreen {words[0]} ended with {code} and said nothing"
    return _answer(text, wrong=code not in _ANSWERS)


async def _tick(name: str, tell: Callable[[str], Awaitable[None]]) -> None:
    while True:
        await anyio.sleep(_TICK)
        await tell(f"{name} goes on")


async def _end(process: Process) -> None:
    if process.returncode is None:
        process.terminate()
        with anyio.move_on_after(_GRACE):
            await process.wait()
    await process.aclose()
    _running.discard(process)


def _answer(text: str, *, wrong: bool) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=text)], is_error=wrong)
