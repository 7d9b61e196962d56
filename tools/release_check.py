"""A release as people get it: from a package index on this machine, in every way, each to a held round.

    make release-check [only=NAME]

`dist/` and what it needs lie in a folder that pypiserver serves on the loopback interface; nothing else is asked. Each
way has a home, a PATH and a project of its own. In it `untilgreen init` registers, the caches are removed, a loop is
typed, a stop is held, the bug is fixed, a stop is let go, and `untilgreen uninstall` leaves nothing. npm packs and
installs its package for real. One home makes and verifies a receipt of its loop, too. Beside it, tests of the source
distribution run where it is unpacked. It takes minutes.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import release
from release import DIST, REPOSITORY

sys.path.insert(0, str(REPOSITORY / "tests"))
import pythons

BIN = Path(sys.executable).parent
PYTHONS = ("3.11", "3.12", "3.13")
BASE = ("sh", "env", "git", "cat", "uname", "dirname", "realpath", "sed", "rm", "mkdir", "ssh-keygen")
NODE = ("node", "npm", "npx")
SESSION = "5eed0000-0000-4000-8000-000000000001"
RED, GREEN = "def total():\n    return '4'\n", "def total():\n    return 4\n"
PROJECT = {
    ".gitignore": "__pycache__/\n",
    "shop.py": RED,
    "test_shop.py": "import unittest\nimport shop\n\n\nclass Test(unittest.TestCase):\n"
    "    def test_total(self):\n        self.assertEqual(shop.total(), 4)\n",
}
HELLO = (
    '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},'
    '"clientInfo":{"name":"release-check","version":"1"}}}\n'
)
TESTS = ("markers", "policy", "stops", "readme", "plugin", "release", "repository", "cold_start")


class Failed(Exception):
    """What went another way than written here."""


class Way(NamedTuple):
    """How somebody gets it: what is typed for `untilgreen`, what comes before that, and what is on the PATH."""

    name: str
    typed: Sequence[str]
    first: Sequence[Sequence[str]] = ()
    has: Sequence[str] = ()
    python: str = ""  #: the interpreter, "" for none on the PATH but the one that runs the project's tests


class Home:
    """A user with nothing but these programs, and the project."""

    def __init__(self, folder: Path, index: str, programs: dict[str, str], python: str) -> None:
        self.folder, self.bin, self.project = folder, folder / "bin", folder / "shop"
        for path in (self.bin, self.project):
            path.mkdir(parents=True)
        for name, target in programs.items():
            (self.bin / name).symlink_to(target)
        for name, text in PROJECT.items():
            (self.project / name).write_text(text, encoding="utf-8")
        local = {"HOME": str(folder), "PATH": f"{folder}/.local/bin:{folder}/npm/bin:{self.bin}", "LANG": "C.UTF-8"}
        pip = {"PIP_INDEX_URL": index, "PIP_CONFIG_FILE": os.devnull, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        uv = {"UV_DEFAULT_INDEX": index, "UV_PYTHON": python, "UV_PYTHON_DOWNLOADS": "never", "UV_NO_CONFIG": "1"}
        npm = {
            "NPM_CONFIG_OFFLINE": "true",
            "NPM_CONFIG_PREFIX": f"{folder}/npm",
            "NPM_CONFIG_UPDATE_NOTIFIER": "false",
        }
        self.env = local | pip | uv | npm | {"PIPX_DEFAULT_PYTHON": python}
        self.run("git", "init", "--quiet", ".")

    def run(self, *words: str, stdin: str = "", code: int = 0) -> str:
        """What a command prints. Raises Failed where it ends with another exit code."""
        options: dict[str, Any] = {"cwd": self.project, "env": self.env, "input": stdin, "text": True}
        program = shutil.which(words[0], path=self.env["PATH"]) or words[0]
        done = subprocess.run([program, *words[1:]], capture_output=True, check=False, timeout=300, **options)
        if done.returncode != code:
            raise Failed(f"{' '.join(words)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
        return f"{done.stdout}{done.stderr}"

    def hook(self, event: str, code: int = 0, **fields: object) -> str:
        """What the first command that is registered for an event answers, called as the host calls it."""
        settings = json.loads((self.project / ".claude/settings.local.json").read_text(encoding="utf-8"))
        hook = settings["hooks"][event][0]["hooks"][0]
        payload = {"session_id": SESSION, "cwd": str(self.project), "hook_event_name": event} | fields
        self.env |= {"CLAUDE_PROJECT_DIR": str(self.project), "CLAUDE_CODE_SESSION_ID": SESSION}
        return self.run(hook["command"], *hook["args"], stdin=json.dumps(payload), code=code)


def to_green(way: Way, home: Home) -> str:
    """From nothing to a held round, and to a green one; what `init` said."""
    for words in way.first:
        home.run(*words)
    said = home.run(*way.typed, "init")
    shutil.rmtree(home.folder / ".cache", ignore_errors=True)  # a cleanup of next month
    home.hook("UserPromptSubmit", prompt="/untilgreen:loop Make the shop work")
    held = home.hook("Stop", code=2, last_assistant_message="Done!", stop_hook_active=False)
    if "Not green yet: 1 left after round 1 of 10" not in held:
        raise Failed(f"held with other words: {held}")
    (home.project / "shop.py").write_text(GREEN, encoding="utf-8")
    ended = home.hook("Stop", last_assistant_message="Done!", stop_hook_active=True)
    if "green after 2 rounds" not in ended:
        raise Failed(f"not let go: {ended}")
    return said


def play(way: Way, home: Home) -> str:
    """From nothing to green, and back to nothing; what is to be said of it."""
    begun, said = time.monotonic(), to_green(way, home)
    kept = next((f", {line.split(',')[0]}" for line in said.splitlines() if line.startswith("copied to ")), "")
    home.run(*way.typed, "uninstall")
    left = [path for path in (home.folder / ".local/state/untilgreen", home.project / ".untilgreen") if path.exists()]
    if any(path.is_file() for one in left for path in one.rglob("*")):
        raise Failed(f"uninstall left {left}")
    return f"held a round and let go in {time.monotonic() - begun:.0f} s{kept.replace(str(home.folder), '~')}"


def prove(way: Way, home: Home) -> str:
    """The receipt of a green loop, made and verified; what is left as SARIF; the loops that are over."""
    to_green(way, home)
    home.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", "../key")
    mail, signers = "dev@example.invalid", home.folder / "allowed_signers"
    signers.write_text(f"{mail} {(home.folder / 'key.pub').read_text()}", encoding="utf-8")
    for setting in ("gpg.format ssh", f"user.signingkey {home.folder}/key.pub", "user.name dev", f"user.email {mail}"):
        home.run("git", "config", *setting.split())
    home.run("git", "add", "-A")
    home.run("git", "commit", "-qm", "work")
    expected = {
        "receipt": "green · signed",
        f"verify --allowed-signers {signers}": f"this tree is green\n  signed by {mail}",
        "check --sarif ../sarif": "✓ green",
        "history": "green",
        "check --attest ../bundle": "no identity to sign with",
    }
    for words, told in expected.items():
        said = home.run(*way.typed, *words.split(), code=64 if "--attest" in words else 0)
        if told not in said:
            raise Failed(f"{words}: {said}")
    return f"signed by {mail}; check, history and what attest lacks are told"


def serve(home: Home) -> str:
    """The server for hosts without a stop hook, as its page says it is begun."""
    said = home.run("uvx", "--from", "untilgreen[mcp]", "untilgreen", "mcp", stdin=HELLO)
    if f'"name":"untilgreen","version":"{release.version()}"' not in said:
        raise Failed(f"answered with {said}")
    return "answers a client"


def ways(found: dict[str, str], tarball: Path) -> Iterator[Way]:
    """Every way that the pages name, pip's on each Python."""
    newest = found[max(found)]
    yield Way("uvx", ("uvx", "untilgreen"), has=("uv", "uvx"), python=newest)
    yield Way("uv tool install", ("untilgreen",), [("uv", "tool", "install", "untilgreen")], ("uv",), newest)
    yield Way("pipx run", ("pipx", "run", "untilgreen"), has=("pipx",), python=newest)
    yield Way("pipx install", ("untilgreen",), [("pipx", "install", "untilgreen")], ("pipx",), newest)
    for number, python in found.items():
        made = [(python, "-m", "venv", "../v"), ("../v/bin/python", "-m", "pip", "install", "--quiet", "untilgreen")]
        yield Way(f"pip install, CPython {number}", ("../v/bin/untilgreen",), made, (), python)
    install = [("npm", "install", "--global", "--quiet", str(tarball))]
    yield Way("npm install, with uv", ("untilgreen",), install, ("uv", *NODE), newest)
    yield Way("npm install, with pipx", ("untilgreen",), install, ("pipx", *NODE), newest)
    yield Way("npm install, with Python alone", ("untilgreen",), install, NODE, newest)
    yield Way("npx, with uv", ("npx", "--yes", f"--package={tarball}", "--", "untilgreen"), (), ("uv", *NODE), newest)


def programs(way: Way) -> dict[str, str]:
    """What is on the PATH of this way: name to where it lies. The project's own tests need a python3."""
    own = {name: str(BIN / name) for name in ("uv", "uvx", "pipx") if name in way.has}
    found = {name: shutil.which(name) or "" for name in (*BASE, *(name for name in NODE if name in way.has))}
    return {name: path for name, path in found.items() if path} | own | {"python3": way.python}


def interpreters() -> dict[str, str]:
    """The Pythons that are here, or that uv fetches: "3.12" to its executable."""
    known = {number: pythons.found(number) for number in PYTHONS}
    for number in [number for number, place in known.items() if not place]:
        fetched = asked(BIN / "uv", "python", "install", "--quiet", number)
        known[number] = asked(BIN / "uv", "python", "find", "--no-project", number).stdout.strip()
        if not known[number]:
            print(f"CPython {number}: not here, and uv could not fetch it: {fetched.stderr.strip().splitlines()[:1]}")
    # what pyenv puts on the PATH is a script of its own
    code = "import sys; print(sys.executable)"
    return {number: asked(place, "-c", code).stdout.strip() for number, place in known.items() if place}


def asked(*words: str | Path, check: bool = False) -> "subprocess.CompletedProcess[str]":
    """What a program printed. Raises CalledProcessError where it says no, and that counts."""
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode and check:
        raise Failed(f"{' '.join(map(str, words))}: {done.stdout}{done.stderr}")
    return done


@contextmanager
def served(folder: Path, log: Path) -> Iterator[str]:
    """The index: its address, while it is up."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ("run", "--interface", "127.0.0.1", "--port", str(port), "--disable-fallback", str(folder))
    with log.open("w") as file:
        server = subprocess.Popen([sys.executable, "-m", "pypiserver", *words], stdout=file, stderr=file)
    try:
        address = f"http://127.0.0.1:{port}/simple/"
        while not is_up(address):
            time.sleep(0.1)
            if server.poll() is not None:
                raise Failed(log.read_text())
        yield address
    finally:
        server.terminate()
        server.wait()


def is_up(address: str) -> bool:
    try:
        with urllib.request.urlopen(address, timeout=5):
            return True
    except OSError:
        return False


def house(folder: Path, numbers: Iterable[str]) -> None:
    """`dist/` with what it depends on for each Python, and pip, which pipx wants: by pip, as it is set up here."""
    for file in DIST.iterdir():
        shutil.copy(file, folder)
    wheel = next(str(file) for file in DIST.glob("*.whl"))
    for number in numbers:
        words = ("--quiet", "--only-binary=:all:", "--python-version", number, "--dest", str(folder))
        asked(sys.executable, "-m", "pip", "download", *words, f"{wheel}[attest,mcp]", "pip", check=True)


def sdist_tests(folder: Path, python: str) -> str:
    """Some of the source distribution's tests, where it is unpacked, with what it installs itself."""
    top = release.unpacked(next(DIST.glob("*.tar.gz")), folder)
    own = top / ".venv/bin/python"
    asked(BIN / "uv", "venv", "--quiet", "--python", python, top / ".venv", check=True)
    words = ("--directory", top, "--python", own, "--group", "dev", "--group", "docs", ".")
    asked(BIN / "uv", "pip", "install", "--quiet", *words, check=True)
    tests = [top / f"tests/test_{name}.py" for name in TESTS]
    done = asked(own, "-m", "pytest", "-q", "-n2", "--rootdir", top, "-c", top / "pyproject.toml", *tests, check=True)
    return done.stdout.splitlines()[-1]


def steps(top: Path, address: str, found: dict[str, str], tarball: Path) -> Iterator[tuple[str, Callable[[], str]]]:
    """What is tried, by its name."""
    for number, way in enumerate(ways(found, tarball)):
        home = partial(Home, top / str(number), address, programs(way), way.python)
        yield way.name, lambda way=way, home=home: play(way, home())  # type: ignore[misc]
    way = Way("uvx, the MCP server", (), has=("uv", "uvx"), python=found[max(found)])
    yield way.name, lambda: serve(Home(top / "mcp", address, programs(way), way.python))
    typed = ("uvx", "--from", "untilgreen[attest]", "untilgreen")
    proves = Way("a receipt, verified", typed, has=("uv", "uvx"), python=found[max(found)])
    yield proves.name, lambda: prove(proves, Home(top / "proved", address, programs(proves), proves.python))
    yield "tests of the sdist", lambda: sdist_tests(top / "sdist", found[min(found)])


def main(only: str) -> int:
    """The exit code: 1 if any way fails."""
    failed, found = 0, interpreters()
    with tempfile.TemporaryDirectory(prefix="untilgreen-release-") as name:
        top = Path(name).resolve()
        (top / "index").mkdir()
        house(top / "index", found)
        asked("npm", "pack", "--quiet", "--pack-destination", top, REPOSITORY / "npm", check=True)
        with served(top / "index", top / "log") as address:
            for title, step in steps(top, address, found, next(top.glob("*.tgz"))):
                if only not in title:
                    continue
                try:
                    print(f"{title}: {step()}", flush=True)
                except (Failed, subprocess.TimeoutExpired) as error:
                    failed += 1
                    print(f"{title}: FAILED: {error}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main("".join(sys.argv[1:2])))
