"""A world of one's own (HOME, state, project), and the installed executables run in it."""

import functools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import near
from untilgreen.project import trust

BIN = Path(sys.executable).parent
REPOSITORY = Path(__file__).resolve().parent.parent
# a check costs seconds with all the checkers on PATH: a world has one, and those that its test asks for
PROGRAMS = ("ruff", "pytest", *near.names())
# what `git init -b main` writes that git looks at
EMPTY_REPOSITORY = {
    "HEAD": "ref: refs/heads/main\n",
    "config": "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = true\n",
    "info/exclude": "",
}
# what a loop whose marker is trusted says of it
MARKER = "This loop ends, unchecked, when the last line of the message is the marker: DONE in the tag jikime."
# a check that waits for a file `go`
WAITS = "slow=sh -c 'until [ -e go ]; do sleep 0.05; done'"
# how what an agent is told ends that is held
THEN = "Fix these, then stop again. Do not skip, delete or weaken tests."
# what a test may inherit from the machine; everything else would make it another test there
KEPT = ("TERM", "TZ", "SYSTEMROOT")


class Answer(NamedTuple):
    """What an executable said. `notice`: the text of `systemMessage` on stdout, "" without one, `N s` for the time that
    a stop took; `context`: that of `additionalContext`."""

    code: int
    stdout: str
    stderr: str

    @property
    def notice(self) -> str:
        text = self.stdout.strip()
        said = str(json.loads(text).get("systemMessage", "")) if text.startswith("{") else ""
        return re.sub(r"(?m)^([✗R].* · )(?:\d+ min )?[\d.]+ s(?= · |$)", r"\1N s", said)

    @property
    def context(self) -> str:
        text = self.stdout.strip()
        output = json.loads(text).get("hookSpecificOutput", {}) if text.startswith("{") else {}
        return str(output.get("additionalContext", ""))

    @property
    def held(self) -> bool:
        """By exit code, or by text for the agent."""
        return self.code == 2 or '"hookEventName": "Stop"' in self.stdout


def listed(held: Answer) -> list[str]:
    """The lines of the feedback that name what is left."""
    assert held.held, held
    return [line.strip() for line in held.stderr.split("\n") if line.startswith("  ")]


def inherited() -> dict[str, str]:
    """What a world takes over from the environment of the tests."""
    return {key: value for key, value in os.environ.items() if key in KEPT or key.startswith("COVERAGE_")}


def told(text: str) -> Answer:
    """The whole answer of an edit hook that tells the agent this."""
    output = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": text}}
    return Answer(0, json.dumps(output) + "\n", "")


def provide(folder: Path, *tools: str) -> Path:
    """Make a folder for a PATH: our executables, ruff, pytest, and these checkers."""
    folder.mkdir()
    for name in (*PROGRAMS, *tools):
        if name != "all":
            (folder / name).symlink_to(BIN / name)
    for name in ("python", "python3"):  # a link would not find its packages
        (folder / name).write_text(f'#!/bin/sh\nexec "{BIN / name}" "$@"\n')
        (folder / name).chmod(0o755)
    return folder


@functools.cache
def _types_known() -> "tempfile.TemporaryDirectory[str]":
    """What mypy keeps of Python's own modules, so that not every world has to read them: 0.9 s each time."""
    folder = tempfile.TemporaryDirectory()
    words = (str(BIN / "mypy"), "--cache-dir", f"{folder.name}/kept", "-c", "")
    subprocess.run(words, cwd=folder.name, check=True, capture_output=True)
    return folder


class World:
    """One HOME, one project, one session; `run` starts the installed executables in them.

    `tools`: checkers on its PATH beside ruff; "all": every one that is installed beside the tests.
    """

    def __init__(self, folder: Path, *tools: str) -> None:
        self.home = folder / "home"
        self.project = folder / "project"
        self.tmp = folder / "tmp"
        self.programs = folder / "programs"
        self.session = str(uuid.uuid4())
        self.written = int(time.time()) - 3_600
        for path in (self.home, self.project, self.tmp):
            path.mkdir()
        provide(self.programs, *tools)
        self.env: dict[str, str] = inherited() | {
            "HOME": str(self.home),
            "PATH": f"{BIN if 'all' in tools else self.programs}{os.pathsep}/usr/bin{os.pathsep}/bin",
            "TMPDIR": str(self.tmp),
            "LANG": "C.UTF-8",  # the language of the texts, whatever the machine's is
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",  # half the time of a check by pytest is that of plugins of ours
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_AUTHOR_NAME": "t",
            "GIT_AUTHOR_EMAIL": "t@example.invalid",
            "GIT_COMMITTER_NAME": "t",
            "GIT_COMMITTER_EMAIL": "t@example.invalid",
        }
        if {"mypy", "all"}.intersection(tools):
            self.env["MYPY_CACHE_DIR"] = str(shutil.copytree(f"{_types_known().name}/kept", folder / "types"))

    def write(self, files: Mapping[str, str]) -> None:
        """Put files into the project: relative path to text."""
        for name, text in files.items():
            path = self.project / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if name.endswith(".py"):  # none of them now: no check has to wait for the end of a second
                self.written += 1
                os.utime(path, (self.written, self.written))

    def commit(self) -> None:
        """Make the project a git repository whose newest commit holds everything in it."""
        if not (self.project / ".git").exists():
            for name, text in EMPTY_REPOSITORY.items():
                path = self.project / ".git" / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            (self.project / ".git" / "refs" / "heads").mkdir(parents=True)
            (self.project / ".git" / "objects").mkdir()
        quiet = ("-c", "maintenance.auto=false")
        for words in (["add", "-A"], [*quiet, "commit", "-q", "--allow-empty", "-m", "work"]):
            subprocess.run(["git", *words], cwd=self.project, env=self.env, check=True, capture_output=True)

    def run(
        self,
        *words: str,
        stdin: str | bytes = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 120,
    ) -> Answer:
        """Run an installed executable to its end, without the start of an interpreter: see near.py.

        Anything else by its path, as `process` does.
        """
        if words[0] not in near.names():
            return self.process(*words, stdin=stdin, env=env, cwd=cwd, timeout=timeout)
        data = stdin.encode("utf-8", "surrogatepass") if isinstance(stdin, str) else stdin
        call = near.Call(words, data)
        [answer] = near.run([call], self.env | dict(env or {}), cwd or self.project, timeout)
        return Answer(answer.code, answer.stdout.decode("utf-8"), answer.stderr.decode("utf-8"))

    def at_once(self, *calls: near.Call) -> list[Answer]:
        """Run executables at the same time, each as `run` does."""
        answers = near.run(calls, self.env, self.project)
        return [Answer(one.code, one.stdout.decode("utf-8"), one.stderr.decode("utf-8")) for one in answers]

    def process(
        self,
        *words: str,
        stdin: str | bytes = "",
        env: Mapping[str, str] | None = None,
        cwd: Path | None = None,
        timeout: float = 120,
    ) -> Answer:
        """Run an installed executable, or any other, to its end, started as a host and a user start it."""
        data = stdin.encode("utf-8", "surrogatepass") if isinstance(stdin, str) else stdin
        ours = BIN / words[0]
        done = subprocess.run(
            [str(ours) if ours.exists() else words[0], *words[1:]],
            input=data,
            env=self.env | dict(env or {}),
            cwd=cwd or self.project,
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Answer(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))

    def begin(
        self, *words: str, stdin: str | None = "", env: Mapping[str, str] | None = None, cwd: Path | None = None
    ) -> subprocess.Popen[bytes]:
        """Start an installed executable, in a process group of its own, and go on; `end` waits for it.

        With `stdin` None its payload comes later.
        """
        process = subprocess.Popen(
            [str(BIN / words[0]), *words[1:]],
            env=self.env | dict(env or {}),
            cwd=cwd or self.project,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        if stdin is not None and process.stdin is not None:
            process.stdin.write(stdin.encode())
            process.stdin.close()
            process.stdin = None
        return process

    def checking(self, **fields: Any) -> subprocess.Popen[bytes]:
        """Begin a stop, and go on as soon as of its checks WAITS alone has not ended."""
        process = self.begin("stop-loop", stdin=json.dumps(self.payload(**fields)))
        until, notes = time.monotonic() + 120, self.folder / "checking.json"
        while True:
            turns = json.loads(notes.read_text()).get("checks", {}) if notes.exists() else {}
            if len(turns) > 1 and [name for name, one in turns.items() if one["what"] == "whole"] == ["slow"]:
                return process
            assert time.monotonic() < until, turns
            time.sleep(0.02)

    def end(self, process: subprocess.Popen[bytes], stdin: str | None = None, timeout: float = 120) -> Answer:
        """Wait for what `begin` started; `stdin` is the payload that it is still waiting for."""
        stdout, stderr = process.communicate(None if stdin is None else stdin.encode(), timeout)
        return Answer(process.returncode, stdout.decode("utf-8"), stderr.decode("utf-8"))

    def start(self, task: str = "fix it", *options: str) -> Answer:
        """`start-loop` for this world's session; must succeed."""
        own = {"--preset", "--completion-promise"}.intersection(options)
        preset = () if own else ("--preset", "jikime")
        answer = self.run("start-loop", task, "--session", self.session, *preset, *options)
        assert answer.code == 0, answer
        return answer

    def payload(self, **fields: Any) -> dict[str, Any]:
        """A Stop payload as Claude Code sends it, with changes."""
        return {
            "session_id": self.session,
            "transcript_path": str(self.home / "transcript.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": "I am done.",
            "background_tasks": [],
            "session_crons": [],
        } | fields

    def stop(self, message: str = "I am done.", *, env: Mapping[str, str] | None = None, **fields: Any) -> Answer:
        """The agent wants to stop."""
        payload = self.payload(last_assistant_message=message, **fields)
        return self.run("stop-loop", stdin=json.dumps(payload), env=env)

    def prompt(self, text: str, *, env: Mapping[str, str] | None = None, **fields: Any) -> Answer:
        """The user sends a prompt."""
        payload = {
            "session_id": self.session,
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "UserPromptSubmit",
            "prompt": text,
        } | fields
        return self.run("session-loop", stdin=json.dumps(payload), env=env)

    @property
    def hosted(self) -> dict[str, str]:
        """What Claude Code tells each hook in the environment."""
        return {"CLAUDE_PROJECT_DIR": str(self.project), "CLAUDE_CODE_SESSION_ID": self.session}

    def compact(self, name: str, env: Mapping[str, str] | None = None, **fields: Any) -> Answer:
        """What session-loop says to an event byte for byte as Claude Code writes it, without blanks."""
        payload = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": name} | fields
        text = json.dumps(payload, separators=(",", ":"), ensure_ascii=False)
        return self.run("session-loop", stdin=text, env=self.hosted | dict(env or {}))

    def event(self, name: str, client: str = "1", **fields: Any) -> Answer:
        """A session begins, ends or fails; `client`: the process of the host, one that lives; "": none is told."""
        payload = {"session_id": self.session, "cwd": str(self.project), "hook_event_name": name} | fields
        return self.run("session-loop", stdin=json.dumps(payload), env={"CLAUDE_PID": client} if client else {})

    @property
    def plan(self) -> dict[str, str]:
        """Each check of `check --explain-plan`, and why it is there."""
        lines = (line.split("  ") for line in self.run("untilgreen", "check", "--explain-plan").stdout.splitlines())
        return {words[0]: words[-1].strip() for words in lines if len(words) > 2}

    def trust(self) -> None:
        """Trust the project as `untilgreen trust` does."""
        trust.grant(str(self.project), self.env)

    def init(self) -> None:
        """Make the state folder, and trust the project, as `untilgreen init` does."""
        self.trust()
        folder = self.project / ".untilgreen"
        folder.mkdir(mode=0o700)
        (folder / ".gitignore").write_text("*\n")

    def edited(self, path: str, after: str, before: str | None, **fields: Any) -> dict[str, Any]:
        """A PostToolUse payload as Claude Code sends it, with changes; `before` None: there was no such file."""
        name = str(self.project / path)
        if before is None:
            tool, given = "Write", {"content": after}
            response: dict[str, Any] = {"type": "create", "content": after, "structuredPatch": []}
        else:
            tool, given = "Edit", {"old_string": before, "new_string": after}
            response = {"oldString": before, "newString": after, "structuredPatch": []}
        return {
            "session_id": self.session,
            "transcript_path": str(self.home / "transcript.jsonl"),
            "cwd": str(self.project),
            "permission_mode": "default",
            "hook_event_name": "PostToolUse",
            "tool_name": tool,
            "tool_input": {"file_path": name, **given},
            "tool_response": {"filePath": name, "originalFile": before, "userModified": False, **response},
            "tool_use_id": "toolu_1",
            "duration_ms": 5,
        } | fields

    def edit(
        self,
        path: str,
        after: str,
        *,
        hook: str = "post-tool-lint",
        env: Mapping[str, str] | None = None,
        **fields: Any,
    ) -> Answer:
        """The agent writes a file of the project, and a hook of it is called."""
        file = self.project / path
        before = file.read_text(encoding="utf-8") if file.exists() else None
        self.write({path: after})
        return self.run(hook, stdin=json.dumps(self.edited(path, after, before, **fields)), env=env)

    @property
    def folder(self) -> Path:
        """The session's folder."""
        return self.project / ".untilgreen" / "sessions" / self.session

    def read(self, name: str) -> dict[str, Any]:
        """A document of the session's folder."""
        loaded: dict[str, Any] = json.loads((self.folder / name).read_text())
        return loaded

    def change(self, name: str = "loop_state.json", /, **fields: Any) -> None:
        """Somebody edits a document of the session's folder by hand."""
        (self.folder / name).write_text(json.dumps(self.read(name) | fields))

    @property
    def state(self) -> dict[str, Any]:
        return self.read("loop_state.json")

    @property
    def edits(self) -> dict[str, Any]:
        return self.read("edits.json")

    @property
    def known(self) -> dict[str, Any]:
        """What is known of the session itself."""
        return self.read("session.json")

    @property
    def journal(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "journal.jsonl").read_text().splitlines()]
