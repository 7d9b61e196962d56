"""Inputs that somebody garbled, read by the functions that read them in hooks: `make fuzz SECONDS=600`.

A reader may answer or refuse in its own way; anything else is a find, and a hang, too. A find is made small and kept in
`tests/fuzzed/`, whose files every `make test` reads again. Reproducible by `--seed`.
"""

import argparse
import hashlib
import json
import math
import os
import random
import signal
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import archives
from archives import OUTPUTS, SAMPLES
from loops import new_loop
from untilgreen import checkers
from untilgreen.checkers import custom, formats
from untilgreen.checkers.checker import outcome
from untilgreen.cli.installing import command_forms
from untilgreen.core import document, foreign
from untilgreen.core.errors import UserError
from untilgreen.core.model.event import Message, Session
from untilgreen.core.model.loop import Newer, dump_loop, load_edits, load_loop
from untilgreen.core.model.outcome import Broken, Clean, Found, Output, Setting
from untilgreen.core.model.settings import CheckSetting, Criteria, Settings
from untilgreen.core.verdict import markers, policy
from untilgreen.core.words import brief, notices
from untilgreen.hosts.claude_code import records
from untilgreen.hosts.claude_code.install import SETTINGS
from untilgreen.hosts.host import Scope
from untilgreen.loops.heard import words
from untilgreen.loops.stop import payload
from untilgreen.project import calls
from untilgreen.project.calls.documents import Texts
from untilgreen.project.fakes import shapes
from untilgreen.settings import load
from untilgreen.state import catalogue, store

TESTS = Path(__file__).resolve().parent.parent / "tests"
KEPT = TESTS / "fuzzed"
SECONDS = 2.0  # of the processor, for one input
LOOP = new_loop(Criteria(), "mend it", project="/p")
ODD: tuple[Any, ...] = (
    *(
        None,
        True,
        0,
        -1,
        1.5,
        10**30,
        1e308,
        math.nan,
        math.inf,
        "",
        "\ud800",
        "a\0b",
        "\u202e\x1b[2J",
        "../..",
        "x" * 5_000,
    ),
    *("<ralph>COMPLETE</ralph>", "<promise>", "```\n", [], {}, [[]], [None], {"": None}, [{}] * 50),
)
PIECES = (
    *(
        b"{",
        b"}",
        b"[",
        b"]",
        b'"',
        b"\\",
        b"\0",
        b"\xff",
        b"\r\n",
        b"\n",
        b"\t",
        b":",
        b",",
        b"=",
        b"#",
        b"<",
        b">",
        b"&",
    ),
    *(
        b"null",
        b"-1",
        b"1e999",
        b"99999999999999999999",
        b"\xed\xa0\x80",
        b"\xe2\x80\xae",
        b"\x1b[2J",
        b"```\n",
        b"../",
    ),
    *(
        b"<ralph>COMPLETE</ralph>",
        b"<ralph>BLOCKED: ",
        b"<promise>",
        b"<![CDATA[",
        b"<!DOCTYPE a [",
        b"&a;",
        b"$(",
        b"'",
    ),
)


class Target(NamedTuple):
    """A reader: what it usually reads, and the call, which raises nothing that it may not raise."""

    seeds: Callable[[], Sequence[bytes]]
    read: Callable[[bytes, Path], object]


def texts(*patterns: str) -> list[bytes]:
    """Recorded and written inputs of the tests."""
    found = {path.read_bytes()[:20_000] for pattern in patterns for path in TESTS.glob(pattern) if path.is_file()}
    return sorted(found) or [b""]


def recorded(*paths: Path) -> tuple[bytes, ...]:
    """What lies in these archives, each text once."""
    return tuple(dict.fromkeys(part.content for path in sorted(paths) for part in archives.parts(path).values()))


def read_payload(data: bytes, folder: Path) -> None:
    """As a hook does, to the point where checks would run."""
    env = {"HOME": str(folder), "CLAUDE_PROJECT_DIR": str(folder)}
    try:
        call = payload.understand(data, env, {}, "stop")
    except payload.NotUnderstood:
        return
    marker = payload.marker_of(call, LOOP.settings)
    policy.admit(LOOP, Session(), call.event, marker, tree="", now="2026-01-01")
    reply = payload.speak(call, "allow", Message(notice="a"))
    # Copilot CLI shows its user what stands on stderr of exit code 2, which decides nothing there
    assert reply.code == (2 if call.host.name == "copilot" else 0)


def read_prompt(data: bytes, _folder: Path) -> None:
    try:
        words.parse(data.decode("utf-8", "replace"), lambda _path: False)
    except UserError:
        return


def read_message(data: bytes, _folder: Path) -> None:
    text = data.decode("utf-8", "replace").replace("\ufffd", "\ud800")
    markers.find(text)
    markers.find(text, "DONE", r"^done$", r"blocked: (.*)")
    assert markers.find(foreign.strip(text)) is None


def read_configuration(data: bytes, folder: Path) -> None:
    (folder / "untilgreen.toml").write_bytes(data)
    try:
        assert isinstance(load.load(folder), Settings)
    except UserError:
        return


def read_state(data: bytes, folder: Path) -> None:
    path = folder / "loop_state.json"
    path.write_bytes(data)
    try:
        loop = store.look_at(str(path))
    except store.Unreadable:
        return
    if loop is not None:
        english = catalogue.english()
        for text in (brief.ended(loop), brief.running(loop, 1.0, checking=""), notices.tell(loop, english, "paused")):
            assert isinstance(text, str)
        if loop.history.snapshots:
            notices.feedback(loop, english)
            brief.describe_left(loop.history.snapshots[-1])
        assert load_loop(json.loads(json.dumps(dump_loop(loop))))


def read_edits(data: bytes, _folder: Path) -> None:
    try:
        load_edits(json.loads(data))
    except (ValueError, RecursionError, OverflowError, Newer, document.Mismatch):
        pass


def read_output(data: bytes, _folder: Path) -> None:
    """By every checker in turn: which one, and where the text stands, follows from the text."""
    number = int.from_bytes(hashlib.blake2b(data, digest_size=4).digest(), "big")
    text = data.decode("utf-8", "replace")
    places = [text if number >> place & 1 else "" for place in range(3)]
    output = Output((number >> 3) % 4, places[0], places[1], report=places[2])
    name = checkers.NAMES[(number >> 8) % len(checkers.NAMES)]
    told = outcome(checkers.get(name), output, Setting("/tool", "/project", resolves=False))
    assert isinstance(told, Clean | Broken) or (isinstance(told, Found) and told.diagnostics), told
    own = custom.outcome_of(
        "own",
        output,
        CheckSetting(
            command=("a",),
            format=formats.NAMES[(number >> 16) % len(formats.NAMES)],
            pattern=r"(?P<file>\S+):(?P<line>\d+) (?P<message>.*)",
        ),
    )
    assert not (isinstance(own, Clean) and output.code), own


def read_settings(data: bytes, _folder: Path) -> None:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return
    if not isinstance(found, dict):
        return
    scope = Scope("local", "/settings.json")
    SETTINGS.registered(scope, found)
    SETTINGS.stop_seconds(found)
    SETTINGS.plugin([(scope, found)])
    SETTINGS.status_line(found)
    if not SETTINGS.problem(found):
        wanted = SETTINGS.entries(command_forms.scripts("", "claude-code"))
        merged = SETTINGS.merged(found, wanted)
        assert len(SETTINGS.registered(scope, merged)) >= len(wanted)
        assert not SETTINGS.registered(scope, SETTINGS.without(merged, found))


def read_transcript(data: bytes, folder: Path) -> None:
    path = folder / "transcript.jsonl"
    path.write_bytes(data)
    records.last_message(str(path))
    records.acts(str(path))


PROJECT_FILES = (
    "package.json",
    "tox.ini",
    "pyproject.toml",
    "Makefile",
    "noxfile.py",
    "setup.cfg",
    ".pre-commit-config.yaml",
    "justfile",
    ".github/workflows/ci.yml",
)


def read_project(data: bytes, folder: Path) -> None:
    """As one of the files in which a project says how it calls its tools."""
    name = PROJECT_FILES[len(data) % len(PROJECT_FILES)]
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    try:
        calls.read(Texts(str(folder)))
    finally:
        path.unlink()


def read_source(data: bytes, _folder: Path) -> None:
    for name in ("a.py", "a.ts", "a_test.go", "a.rs", "test_a.py", "a.vue"):
        shapes.counted(name, data)
        for kind in shapes.kinds(name):
            kind.count(data)


def documents_of_loops() -> list[bytes]:
    return [json.dumps(dump_loop(LOOP)).encode()]


CONFIGURATIONS = (
    b'max_iterations = 5\nmarker = "require"\n[checks.a]\ncommand = ["make", "check"]\ntimeout = 5\nformat = "sarif"\n',
    b'[severity.ruff]\nF401 = "error"\n[auto]\ncriteria = ["test_pass"]\n[checks.mypy]\nenabled = false\n',
)
PROMPTS = (
    b"/untilgreen:loop \"mend it\" --max-iterations 5 --check 'a=make check' @app.py",
    b"mend it --criteria tests --strict",
)
PROJECTS = (
    b'{"scripts": {"test": "jest --ci && eslint . || exit 1", "lint": "npm run lint:js -- --fix"}, "devDependencies": {"jest": "1"}}',
    b"[tox]\nenvlist = py{311,312}-{a,b}, lint\n[testenv]\nset_env =\n  PYTHONPATH = {toxinidir}/src\ncommands = pytest {posargs:tests}\n[testenv:lint]\ncommands = ruff check {env:X:.}\n",
    b'[tool.poe.tasks]\ntest = "pytest -q"\ncheck = ["lint", "test"]\n[tool.poe.tasks.lint]\nshell = "ruff check . | cat"\n[tool.hatch.envs.default.scripts]\ntest = "pytest {args:tests}"\n',
    b"PY ?= python\ntest: lint\n\t@$(PY) -m pytest \\\n\t  -q tests\nlint:\n\truff check . ; mypy src\n",
    b"import nox\n@nox.session(python=['3.11'])\ndef tests(session):\n    session.run('pytest', *session.posargs, env={'A': '1'})\n",
    b"on: [push]\njobs:\n  a:\n    defaults: {run: {working-directory: src}}\n    strategy: {matrix: {py: [1, 2]}}\n    steps:\n    - run: |\n        cd x && pytest ${{ matrix.py }}\n        cat <<EOF\n        EOF\n",
    b"repos:\n- repo: local\n  hooks:\n  - {id: a, name: a, entry: ruff check, language: system, args: [--fix]}\n",
)
SETTINGS_FILE = json.dumps(
    {
        "hooks": {
            "Stop": [
                {
                    "matcher": "",
                    "hooks": [{"type": "command", "command": "stop-loop", "args": ["--host", "claude-code"]}],
                }
            ]
        },
        "env": {"A": "1"},
        "enabledPlugins": {"untilgreen@x": True},
        "statusLine": {"type": "command", "command": "untilgreen statusline"},
    }
).encode()
TRANSCRIPT = b'{"type":"user","message":{"role":"user","content":"a"}}\n{"type":"assistant","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"<ralph>COMPLETE</ralph>"}]}}\n'
TARGETS: dict[str, Target] = {
    "payload": Target(lambda: texts("payloads/*/*/*.json", "payloads/*/*.json"), read_payload),
    "prompt": Target(lambda: PROMPTS, read_prompt),
    "message": Target(
        lambda: (b"text\n```\n<ralph>COMPLETE</ralph>\n```\n<promise>DONE</promise>", *PROMPTS), read_message
    ),
    "configuration": Target(lambda: CONFIGURATIONS, read_configuration),
    "state": Target(documents_of_loops, read_state),
    "edits": Target(documents_of_loops, read_edits),
    "output": Target(
        lambda: recorded(*(path for path in OUTPUTS.glob("*/*.txt") if path.stem != SAMPLES)),
        read_output,
    ),
    "settings": Target(lambda: (SETTINGS_FILE, *texts("../settings.example.json")), read_settings),
    "transcript": Target(lambda: (TRANSCRIPT,), read_transcript),
    "project": Target(lambda: PROJECTS, read_project),
    "source": Target(lambda: recorded(*OUTPUTS.glob(f"*/{SAMPLES}.txt")), read_source),
}


def garbled(chance: random.Random, seeds: Sequence[bytes]) -> bytes:
    """One of the inputs, with some of it changed: a value of its JSON, or its bytes."""
    data = chance.choice(seeds)
    if chance.random() < 0.5:
        try:
            value = json.loads(data)
            if isinstance(value, dict) and isinstance(value.get("stdin"), str):  # a recording
                value = json.loads(value["stdin"])
            for _ in range(chance.randint(1, 3)):
                value = _replaced(chance, value)
            return json.dumps(value, ensure_ascii=chance.random() < 0.7).encode("utf-8", "surrogatepass")
        except (ValueError, RecursionError):
            pass
    for _ in range(chance.randint(1, 6)):
        at, size = chance.randint(0, len(data)), chance.choice((0, 0, 1, 4, 40, 400))
        other = chance.choice(seeds)
        start = chance.randint(0, len(other))
        new = chance.choice(
            (
                b"",
                chance.choice(PIECES) * chance.choice((1, 1, 2, 50)),
                chance.randbytes(3),
                data[at : at + 40] * 3,
                other[start : start + 60],
            )
        )
        data = data[:at] + new + data[at + size :]
    return data


def _replaced(chance: random.Random, value: Any) -> Any:
    """The value with another one somewhere in it."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        return value | {key: _replaced(chance, value[key])}
    if isinstance(value, list) and value and chance.random() < 0.9:
        number = chance.randrange(len(value))
        return [*value[:number], _replaced(chance, value[number]), *value[number + 1 :]]
    return chance.choice(ODD)


def fault(target: Target, data: bytes, folder: Path) -> str:
    """What the reader did that it may not do, "" where it did nothing of it."""

    def late(_number: int, _frame: object) -> None:
        raise TimeoutError(f"more than {SECONDS:.0f} s of work")

    signal.signal(signal.SIGVTALRM, late)
    signal.setitimer(signal.ITIMER_VIRTUAL, SECONDS)
    try:
        with warnings.catch_warnings(record=True) as said:  # would be read by a host, on stderr
            target.read(data, folder)
        assert not said, said[0].message
    except Exception as error:  # noqa: BLE001 that is what is looked for
        last = error.__traceback__
        while last and last.tb_next:
            last = last.tb_next
        where = f"{os.path.basename(last.tb_frame.f_code.co_filename)}:{last.tb_lineno}" if last else ""
        return f"{type(error).__name__} in {where}: {str(error)[:200]}"
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


def once(name: str, data: bytes) -> str:
    """As `fault`, in a folder of its own."""
    with tempfile.TemporaryDirectory() as made:
        return fault(TARGETS[name], data, Path(made))


def small(target: Target, data: bytes, folder: Path, told: str) -> bytes:
    """The input without what is not needed for the same fault."""
    kind, size = told.partition(":")[0], max(1, len(data) // 2)
    while size:
        at = 0
        while at < len(data):
            shorter = data[:at] + data[at + size :]
            if fault(target, shorter, folder).partition(":")[0] == kind:
                data = shorter
            else:
                at += size
        size //= 2
    return data


def run(seconds: float, seed: int, names: Sequence[str], batch: int = 200) -> Iterator[tuple[str, int, str, bytes]]:
    """Batches for so long: the target, how many inputs, and the last one's fault and the input where there is one."""
    chance, until = random.Random(seed), time.monotonic() + seconds
    seeds = {name: TARGETS[name].seeds() for name in names}

    with tempfile.TemporaryDirectory() as made:
        while time.monotonic() < until:
            for name in names:
                for number in range(batch):
                    data = garbled(chance, seeds[name])
                    if told := fault(TARGETS[name], data, Path(made)):
                        yield name, number + 1, told, small(TARGETS[name], data, Path(made), told)
                        break
                else:
                    yield name, batch, "", b""


def main() -> int:
    """Fuzz for as long as is said; 1 where something was found."""
    asked = argparse.ArgumentParser()
    asked.add_argument("--seconds", type=float, default=60)
    asked.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    asked.add_argument("--only", default="", help="names of targets, with commas")
    given = asked.parse_args()
    names = given.only.split(",") if given.only else list(TARGETS)
    read, found = Counter[str](), Counter[str]()
    print(f"seed {given.seed}", flush=True)
    for name, number, told, data in run(given.seconds, given.seed, names):
        read[name] += number
        if (
            told
            and (kind := f"{name}: {told.partition(':')[0]}:{told.partition(':')[2].partition(':')[0]}") not in found
        ):
            path = KEPT / name / hashlib.sha256(data).hexdigest()[:16]
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            print(f"{name}: {told}\n  {path}", flush=True)
            found[kind] += 1
    for name, number in read.items():
        print(f"{name:14} {number:>10,}")
    print(f"{sum(read.values()):,} inputs, {len(found)} finds")
    return 1 if found else 0


if __name__ == "__main__":
    raise SystemExit(main())
