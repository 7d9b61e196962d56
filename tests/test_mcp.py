"""`untilgreen mcp`: tools for a model, spoken to by the client of the protocol's own SDK."""

import json
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anyio
import pytest
from anyio.abc import TaskGroup
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from eventually import gone, lives
from world import BIN, World

SLOW = """\
[checks.slow]
command = ["sh", "-c", "sleep 61 & echo $! >pid; wait"]
"""


@asynccontextmanager
async def served(world: World) -> AsyncIterator[Client]:
    """The server as a host runs it, in the project."""
    server = StdioServerParameters(command=str(BIN / "untilgreen"), args=["mcp"], env=world.env, cwd=world.project)
    with anyio.fail_after(120):
        async with Client(stdio_client(server)) as client:
            yield client


async def called(client: Client, tool: str, **arguments: Any) -> tuple[bool, str]:
    """Whether a tool's answer is an error, and its text."""
    answer: Any = await client.call_tool(tool, arguments)
    [content] = answer.content
    return answer.is_error, content.text


@pytest.fixture
def slow(world: World) -> World:
    """A trusted project with a check that takes a minute, and writes which process it starts."""
    world.write({"untilgreen.toml": SLOW})
    assert world.run("untilgreen", "trust").code == 0
    return world


async def pid_of(world: World) -> int:
    """The process that the slow check has started."""
    path = world.project / "pid"
    with anyio.fail_after(120):
        while not path.exists() or not path.read_text(encoding="utf-8").strip():
            await anyio.sleep(0.02)
    return int(path.read_text(encoding="utf-8"))


def test_the_tools_answer_what_the_commands_print_and_errors_are_a_line(red: World) -> None:
    async def played() -> None:
        async with served(red) as client:
            await scene(client)

    async def scene(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert list(tools) == ["check", "status", "explain", "start"]
        kinds = tools["check"].input_schema["properties"]["only"]["items"]["enum"]
        assert kinds == ["lint", "types", "tests", "build"]
        assert tools["start"].input_schema["required"] == ["task"]

        why = f"{red.project} is not trusted. Fix: let the user run untilgreen init there, or untilgreen trust"
        assert await called(client, "start", task="mend it") == (True, f"untilgreen failed: {why}")
        assert red.run("untilgreen", "trust").code == 0

        told: list[tuple[float, str | None]] = []

        async def hears(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, message))

        answer: Any = await client.call_tool("check", {"only": ["lint"]}, progress_callback=hears)
        lines = ["ruff: 1 left", "app.py:1:8 ruff F401: `os` imported but unused", "✗ not green · 1 left: ruff 1"]
        assert (answer.is_error, answer.content[0].text) == (False, "\n".join(lines))
        while len(told) < len(lines):  # they come by tasks of their own
            await anyio.sleep(0.02)
        assert sorted(told) == [*enumerate(lines, 1)]

        wrong, started = await called(client, "start", task="mend it", session=red.session, max_iterations=3)
        assert (wrong, started.split(" (")[0]) == (False, "untilgreen: loop started")
        assert (red.state["task_description"], red.state["begun_by"]) == ("mend it", "agent")
        assert "round 1 of 3" in (await called(client, "status"))[1]
        assert (await called(client, "explain"))[1].startswith("untilgreen: no stop is known")

        why = "check, only.0: Input should be 'lint', 'types', 'tests' or 'build'. Fix: see the schema of the tool"
        assert await called(client, "check", only=["all"]) == (True, f"untilgreen failed: {why}")

    anyio.run(played)


def test_neither_a_cancelled_check_nor_a_client_that_leaves_leaves_a_process_behind(slow: World) -> None:
    async def begun(client: Client, group: TaskGroup) -> int:
        (slow.project / "pid").unlink(missing_ok=True)
        group.start_soon(client.call_tool, "check", {})
        pid = await pid_of(slow)
        assert lives(pid)
        return pid

    async def played() -> None:
        async with anyio.create_task_group() as group, served(slow) as client:
            async with anyio.create_task_group() as one:
                cancelled = await begun(client, one)
                one.cancel_scope.cancel()
            while lives(cancelled):
                await anyio.sleep(0.02)
            left = await begun(client, group)  # the server goes on
            group.cancel_scope.cancel()
        assert gone(left)

    anyio.run(played)


def test_a_server_that_is_told_to_end_takes_its_checks_along_and_says_nothing_of_its_own(slow: World) -> None:
    hello = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    hello += '"clientInfo":{"name":"x","version":"1"}}}\n{"jsonrpc":"2.0","method":"notifications/initialized"}\n'
    call = '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"check","arguments":{}}}\n'
    pipe = subprocess.PIPE
    words = [str(BIN / "untilgreen"), "mcp"]
    server = subprocess.Popen(words, cwd=slow.project, env=slow.env, stdin=pipe, stdout=pipe, stderr=pipe, text=True)
    assert server.stdin
    server.stdin.write(hello + call)
    server.stdin.flush()
    pid = anyio.run(pid_of, slow)
    server.terminate()
    server.wait(30)
    answers, said = server.communicate(timeout=30)
    assert [json.loads(line)["id"] for line in answers.splitlines()] == [1]
    assert (server.returncode, said, gone(pid)) == (128 + signal.SIGTERM, "", True)


def test_without_the_extra_it_names_what_installs_it(world: World) -> None:
    world.write({"mcp.py": "", "hidden/sitecustomize.py": "import sys\nsys.modules['mcp.server'] = None\n"})
    done = world.process(str(BIN / "untilgreen"), "mcp", env={"PYTHONPATH": f"{world.project}/hidden"})
    fix = "untilgreen mcp failed: it needs the package mcp. Fix: pip install 'untilgreen[mcp]'\n"
    assert done == (64, "", fix)
