"""Turborepo itself, with a remote cache on the loopback interface."""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar

import pytest

from node import installed
from world import World

pytestmark = pytest.mark.needs("npm")
TURBO = "turbo@2.11.11"
TEST = """import { test } from "node:test";
import assert from "node:assert";
import { appendFileSync } from "node:fs";
import { value } from "../index.js";
appendFileSync(process.env.RAN, "NAME\\n");
test("is right", () => assert.equal(value, 1));
"""
ROOT = {
    "name": "w",
    "private": True,
    "packageManager": "npm@11.0.0",
    "workspaces": ["packages/*"],
    "scripts": {"test": "turbo run test"},
    "devDependencies": {"turbo": "2.11.11"},
}


class Artifacts(BaseHTTPRequestHandler):
    """The part of turbo's API that keeps results by their hash."""

    kept: ClassVar[dict[str, bytes]] = {}

    def do_PUT(self) -> None:
        self.kept[self.path.partition("?")[0]] = self.rfile.read(int(self.headers["Content-Length"]))
        self.answer(b"{}")

    def do_GET(self) -> None:
        found = self.kept.get(self.path.partition("?")[0])
        self.answer(found or b"", 200 if found else 404)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.answer(b"{}")

    def answer(self, body: bytes, status: int = 200) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words: object) -> None:
        """Nothing is printed."""


@pytest.fixture
def remote() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Artifacts)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def workspace(folder: Path, **env: str) -> World:
    """A workspace of two packages with a test each, which tells `ran` that it ran."""
    folder.mkdir()
    world = World(folder)
    world.env["PATH"] += os.pathsep + os.path.dirname(shutil.which("npm") or "")
    world.env |= {"RAN": str(folder / "ran"), "TURBO_TELEMETRY_DISABLED": "1", **env}
    (world.project / "node_modules").symlink_to(installed(TURBO) / "node_modules")
    for name in "ab":
        package = {"name": name, "version": "1.0.0", "type": "module", "scripts": {"test": "node --test"}}
        home = f"packages/{name}"
        world.write({f"{home}/package.json": json.dumps(package), f"{home}/index.js": "export const value = 1;\n"})
        world.write({f"{home}/test/{name}.test.js": TEST.replace("NAME", name)})
    world.write({"package.json": json.dumps(ROOT), ".gitignore": "node_modules\n.turbo\n"})
    world.write({"turbo.json": json.dumps({"globalPassThroughEnv": ["RAN"], "tasks": {"test": {}}})})
    world.commit()
    return world


def turbo(world: World, *words: str) -> str:
    """What turbo prints that the agent calls."""
    words = (str(world.project / "node_modules/.bin/turbo"), "run", "test", *words)
    return subprocess.run(words, cwd=world.project, env=world.env, capture_output=True, text=True, check=True).stdout


def ran(world: World) -> list[str]:
    """The tests that ran since this was asked last."""
    path = Path(world.env["RAN"])
    names = sorted(path.read_text().split()) if path.exists() else []
    path.unlink(missing_ok=True)
    return names


def test_what_the_first_clone_ran_the_second_takes_from_the_remote_cache(tmp_path: Path, remote: str) -> None:
    env = {"TURBO_API": remote, "TURBO_TOKEN": "t", "TURBO_TEAM": "team_t"}
    for name, expected in (("one", ["a", "b"]), ("two", [])):
        world = workspace(tmp_path / name, **env)
        world.start("add a comment", "--preset", "strict")
        world.write({"packages/b/index.js": "// one\nexport const value = 1;\n"})
        answer = world.stop()
        assert (ran(world), world.state["verified"], world.state["snapshots"][-1]["tests_run"]) == (expected, True, 2)
        assert ("npm-test: all of it from turbo's cache" in answer.notice) is (name == "two")


def test_a_result_that_was_laid_into_the_local_cache_by_hand_is_none(tmp_path: Path) -> None:
    world = workspace(tmp_path / "one")
    world.start("mend it", "--preset", "strict")
    world.write({"packages/b/index.js": "export const value = 2;\n"})
    assert world.stop().held
    assert ran(world) == ["a", "b"]
    turbo(world, "--filter=a")
    hashes = {one["taskId"]: one["hash"] for one in json.loads(turbo(world, "--dry=json"))["tasks"]}
    cache = world.project / ".turbo" / "cache"
    for path in cache.glob(f"{hashes['a#test']}*"):
        text = path.read_bytes().replace(b"packages/a/", b"packages/b/").replace(b"a#test", b"b#test")
        (cache / path.name.replace(hashes["a#test"], hashes["b#test"])).write_bytes(text)
    assert "FULL TURBO" in turbo(world)
    ran(world)
    held = world.stop()
    assert (held.held, ran(world)) == (True, ["b"])
    assert re.search(r"packages/b/test/b\.test\.js:\d+ is right: 2 == 1", held.stderr)
    # what a run of ours found is not run again
    world.write({"packages/b/index.js": "export const value = 1;\n"})
    world.stop()
    assert (ran(world), world.state["verified"]) == (["b"], True)
