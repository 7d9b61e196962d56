"""Real projects, at pinned versions: is our verdict that of the project's own commands?

    make wild [only=NAME]

Each project is fetched with the tests that it ships, gets an environment of its own, and is judged by `untilgreen
check` and by the commands that its contributors type: as it was published, then with a bug, a type error and a syntax
error in it, and mended. Where all is green, loops say what they must of a syntax error, a mended one, a test that is
gone and a finding that is silenced. It takes more than an hour; what was fetched is kept in the folder.
"""

import argparse
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SESSION = "0123456789abcdef"
BACKENDS = (
    *("uv", "hatchling", "hatch-vcs", "hatch-fancy-pypi-readme", "flit-core", "setuptools", "setuptools-scm", "wheel"),
    *("poetry-core", "pdm-backend", "coherent.licensed", "cython"),
)
ERRORS = {
    "bug": {".py": "\nraise RuntimeError('a bug')\n", ".js": "\nthrow new Error('a bug');\n"},
    "type error": {".py": "\n_wild: int = ''\n", ".ts": "\nexport const wild: number = '';\n"},
    "syntax error": {".py": "\ndef wild(:\n", ".js": "\nfunction (\n", ".ts": "\nfunction (\n"},
}


# of what its type checker looks at in CI
_ATTRS = (
    *("src/attrs/__init__.pyi", "src/attr/__init__.pyi", "src/attr/_typing_compat.pyi", "src/attr/_version_info.pyi"),
    *("src/attr/converters.pyi", "src/attr/exceptions.pyi", "src/attr/filters.pyi", "src/attr/setters.pyi"),
    "src/attr/validators.pyi",
)


class Project(NamedTuple):
    """One project: where it comes from, what a contributor installs, and what he types."""

    name: str
    version: str
    #: the file that the mistakes are written into
    source: str
    #: the commands that have to succeed, in the project's own environment
    by_hand: tuple[str, ...]
    #: what is installed: words for `uv pip install`; of a package of npm nothing more than it names
    needs: tuple[str, ...] = ("-e", ".", "pytest")
    registry: str = "pypi"


class Verdict(NamedTuple):
    """Green or not, after so many seconds, in its own words."""

    green: bool
    seconds: float
    text: str


PROJECTS = (
    Project("blinker", "1.9.0", "src/blinker/base.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "-r", "requirements/tests.txt", "-r", "requirements/typing.txt", "ruff")),
    Project("boltons", "26.2.0", "boltons/strutils.py", ("pytest --doctest-modules boltons tests",)),
    Project("cachetools", "8.0.1", "src/cachetools/__init__.py", ("pytest", "ruff check", "ruff format --diff -q"),
        ("-e", ".", "pytest", "pytest-cov", "ruff")),
    Project("click", "8.5.1", "src/click/utils.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "--group", "tests", "mypy", "ruff")),
    Project("cssselect", "1.6.0", "cssselect/parser.py",
        ("pytest cssselect tests docs", "pylint cssselect tests docs", "mypy cssselect tests", "ruff check"),
        ("-e", ".", "lxml", "pytest", "pytest-cov", "sybil", "pylint==4.0.8", "mypy==2.3.1", "types-lxml", "ruff")),
    Project("h11", "0.16.0", "h11/_util.py", ("pytest", "mypy h11"), ("-e", ".", "pytest", "mypy")),
    Project("humanize", "4.17.0", "src/humanize/number.py", ("pytest", "mypy .", "ruff check"),
        ("-e", ".[tests]", "babel", "mypy", "types-freezegun", "ruff")),
    Project("idna", "3.20", "idna/core.py", ("pytest", "ruff check"), ("-e", ".", "pytest", "ruff")),
    Project("iniconfig", "2.3.1", "src/iniconfig/_parse.py", ("pytest", "mypy src", "ruff check"),
        ("-e", ".", "--group", "dev", "mypy", "ruff")),
    Project("itsdangerous", "2.2.0", "src/itsdangerous/signer.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "-r", "requirements/tests.txt", "-r", "requirements/typing.txt", "ruff")),
    Project("jinja2", "3.1.6", "src/jinja2/utils.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "-r", "requirements/tests.txt", "-r", "requirements/typing.txt", "ruff")),
    Project("marshmallow", "4.4.0", "src/marshmallow/utils.py", ("pytest", "mypy --show-error-codes", "ruff check"),
        ("-e", ".", "--group", "tests", "--group", "mypy", "ruff")),
    Project("more-itertools", "11.2.1", "more_itertools/recipes.py",
        ("python -m unittest -v", "ruff check more_itertools tests"), ("-e", ".", "ruff")),
    Project("parsel", "1.12.1", "parsel/utils.py", ("pytest docs parsel tests", "pylint docs parsel tests"),
        ("-e", ".", "psutil", "pytest", "pytest-cov", "sybil", "pylint==4.0.4")),
    Project("pathspec", "1.1.1", "pathspec/util.py", ("pytest",), ("-e", ".", "--group", "dev")),
    Project("pluggy", "1.7.0", "src/pluggy/_tracing.py", ("pytest", "mypy src", "ruff check"),
        ("-e", ".", "pytest", "pytest-benchmark", "mypy", "ruff")),
    Project("python-dotenv", "1.2.4", "src/dotenv/parser.py",
        ("pytest", "ruff check src tests", "ruff format --check src tests", "mypy --python-version=3.11 src tests"),
        ("-e", ".", "pytest", "pytest-cov", "click", "ipython", "ruff", "mypy")),
    Project("sqlparse", "0.6.1", "sqlparse/utils.py", ("pytest tests/", "ruff check sqlparse/"),
        ("-e", ".", "pytest", "ruff")),
    Project("structlog", "26.1.0", "src/structlog/_utils.py", ("pytest", "mypy src", "mypy tests/typing", "ruff check"),
        ("-e", ".", "--group", "tests", "--group", "typing", "ruff")),
    Project("tabulate", "0.10.0", "tabulate/__init__.py", ("pytest -v --doctest-modules --ignore benchmark",)),
    Project("tomlkit", "0.15.2", "tomlkit/api.py", ("pytest", "mypy"), ("-e", ".", "pytest", "PyYAML", "mypy==1.19.1")),
    Project("w3lib", "2.5.0", "w3lib/util.py",
        ("pytest --doctest-modules w3lib tests", "mypy w3lib tests", "pylint docs tests w3lib", "ruff check"),
        ("-e", ".", "hypothesis", "pytest", "pytest-cov", "pytest-xdist", "mypy==2.3.0", "pylint==4.0.5", "ruff")),
    Project("werkzeug", "3.1.9", "src/werkzeug/utils.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "--group", "tests", "mypy", "ruff")),
    Project("attrs", "26.1.0", "src/attr/_make.py",
        ("pytest", "mypy typing-examples", f"mypy {' '.join(_ATTRS)}", "ruff check"),
        ("-e", ".", "--group", "mypy", "mypy", "ruff")),
    Project("xmltodict", "1.0.4", "xmltodict.py", ("pytest",), ("-e", ".", "pytest", "pytest-cov")),
    Project("zipp", "4.1.2", "zipp/glob.py", ("pytest",), ("-e", ".[test]")),
    *(
        Project(name, version, source, by_hand, (), "npm")
        for name, version, source, by_hand in (
            ("avvio", "9.3.1", "boot.js", ("npm run lint", "npm test")),
            ("deep-equal", "2.2.3", "index.js", ("npm run lint", "npm run tests-only")),
            ("fast-uri", "4.2.3", "index.js", ("npm run lint", "npm test")),
            ("fastq", "1.20.3", "queue.js", ("npm test",)),
            ("find-my-way", "9.10.1", "index.js", ("npm test",)),
            ("light-my-request", "6.8.1", "index.js", ("npm test",)),
            ("minimist", "1.2.8", "index.js", ("npm run lint", "npm run tests-only")),
            ("on-exit-leak-free", "2.1.2", "index.js", ("npm test",)),
            ("qs", "6.17.1", "lib/parse.js", ("npx eslint .", "npm run tests-only")),
            ("reusify", "1.1.0", "reusify.js", ("npm run lint", "npm test")),
            ("secure-json-parse", "4.1.1", "index.js", ("npm run lint", "npm test")),
            ("sonic-boom", "5.0.2", "index.js", ("npm test",)),
            ("split2", "4.2.0", "index.js", ("npm test",)),
            ("steed", "1.1.3", "steed.js", ("npm test",)),
            ("thread-stream", "4.2.1", "index.js", ("npm test",)),
        )
    ),
)  # fmt: skip


def run(words: Sequence[str], folder: Path, env: dict[str, str] | None = None, seconds: float = 600) -> tuple[int, str]:
    """The exit code and the output of a command; 124 where it takes too long."""
    try:
        done = subprocess.run(
            words, cwd=folder, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return 124, "took too long"
    return done.returncode, (done.stdout + done.stderr).decode("utf-8", "replace")


def must(words: Sequence[str], folder: Path, env: dict[str, str] | None = None) -> None:
    """Run a command that has to succeed."""
    code, text = run(words, folder, env)
    if code:
        raise SystemExit(f"{' '.join(words)} failed in {folder}: {text[-2_000:]}")


def builder(folder: Path) -> Path:
    """The programs that fetch and install: an environment of their own, made once."""
    programs = folder / "builder" / "bin"
    if not (programs / "uv").exists():
        must([sys.executable, "-m", "venv", str(programs.parent)], folder)
        must([str(programs / "pip"), "install", "--quiet", "--upgrade", "pip", *BACKENDS], folder)
    return programs


def prepare(project: Project, folder: Path) -> Path:
    """The project as it was published, in a repository of its own, with its environment; kept where it is there."""
    home = folder / f"{project.name}-{project.version}"
    if (home / ".git").is_dir():
        return home
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    fetch = {"pypi": _from_pypi, "npm": _from_npm}[project.registry]
    fetch(project, folder, home)
    (home / ".git").mkdir()
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "as published"]):
        must(["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", *words], home)
    return home


def _from_pypi(project: Project, folder: Path, home: Path) -> None:
    programs = builder(folder)
    with tempfile.TemporaryDirectory() as downloads:
        form = ("--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation")
        must([str(programs / "pip"), "download", *form, f"{project.name}=={project.version}"], Path(downloads))
        [archive] = Path(downloads).iterdir()
        _unpack(archive, home)
    env = os.environ | {"VIRTUAL_ENV": str(home / ".venv"), "SETUPTOOLS_SCM_PRETEND_VERSION": project.version}
    must([str(programs / "uv"), "venv", "--quiet", "--python", sys.executable, str(home / ".venv")], home)
    must([str(programs / "uv"), "pip", "install", "--quiet", *project.needs], home, env)
    with (home / ".gitignore").open("a") as ignored:
        ignored.write("\n.venv/\n")


def _from_npm(project: Project, folder: Path, home: Path) -> None:
    must(["npm", "pack", "--silent", f"{project.name}@{project.version}"], home)
    [archive] = home.glob("*.tgz")
    _unpack(archive, home)
    archive.unlink()
    must(["npm", "install", "--silent", "--no-audit", "--no-fund", "--ignore-scripts", *project.needs], home)
    with (home / ".gitignore").open("a") as ignored:
        ignored.write("\nnode_modules/\npackage-lock.json\n")


def _unpack(archive: Path, home: Path) -> None:
    with tarfile.open(archive) as file:
        for member in file.getmembers():
            member.name = member.name.partition("/")[2]
            if member.name and not member.name.startswith(("/", "..")):
                file.extract(member, home)


def environment(project: Project, home: Path, state: Path) -> dict[str, str]:
    """What a contributor's shell has: the project's tools on PATH, and a home of its own."""
    kept = {key: value for key, value in os.environ.items() if key in ("LANG", "TERM", "TZ", "HOME")}
    tools = home / (".venv/bin" if project.registry == "pypi" else "node_modules/.bin")
    path = os.pathsep.join((str(tools), os.environ["PATH"]))
    return kept | {"PATH": path, "XDG_STATE_HOME": str(state), "PYTHONDONTWRITEBYTECODE": "1"}


def by_hand(project: Project, home: Path, env: dict[str, str]) -> Verdict:
    """What the project's own commands say, one after the other."""
    began, failed = time.monotonic(), list[str]()
    for command in project.by_hand:
        code, _ = run(shlex.split(command), home, env)
        failed += [f"{command}: exit code {code}"] if code else []
    return Verdict(not failed, time.monotonic() - began, "; ".join(failed))


def checked(home: Path, env: dict[str, str]) -> Verdict:
    """What `untilgreen check` says."""
    began = time.monotonic()
    code, text = run([str(BIN / "untilgreen"), "check"], home, env, 900)
    return Verdict(code == 0, time.monotonic() - began, text if code in (0, 1) else f"exit code {code}\n{text}")


def judged(project: Project, home: Path, env: dict[str, str]) -> Iterator[tuple[str, Verdict, Verdict]]:
    """Each state of the project, with both verdicts: ours, and that of its own commands."""
    source = home / project.source
    text = source.read_text(encoding="utf-8")
    for name in ("unchanged", *ERRORS, "mended"):
        mistake = ERRORS.get(name, {}).get(source.suffix, "")
        if not mistake and name in ERRORS:
            continue
        source.write_text(text + mistake, encoding="utf-8")
        try:
            yield name, checked(home, env), by_hand(project, home, env)
        finally:
            source.write_text(text, encoding="utf-8")


def looped(project: Project, home: Path, env: dict[str, str]) -> Iterator[tuple[str, str, str]]:
    """What loops say, where all is green: what was done, a word of what should be said, and what was."""
    source = home / project.source
    text = source.read_text(encoding="utf-8")
    silence = "# noqa" if source.suffix == ".py" else "// eslint-disable-line"
    test = next(_tests(home, source.suffix), None)
    before = test.read_text(encoding="utf-8") if test else ""
    note = home / "MENDED.txt"
    try:
        begin(home, env)
        source.write_text(text + ERRORS["syntax error"][source.suffix], encoding="utf-8")
        yield "a syntax error", "held", stop(home, env)
        source.write_text(text, encoding="utf-8")
        note.write_text("the work tree has changed\n", encoding="utf-8")
        yield "mended", "All conditions satisfied", stop(home, env)
        if test:
            begin(home, env)
            test.write_text(_DEFINED[source.suffix].sub(_GONE[source.suffix], before, count=1), encoding="utf-8")
            yield "a test is gone", "test", stop(home, env)
            test.write_text(before, encoding="utf-8")
        begin(home, env)
        source.write_text(_IMPORT.sub(rf"\1  {silence}", text, count=1), encoding="utf-8")
        expected = silence.split()[1] if by_hand(project, home, env).green else "held"
        yield "a suppression", expected, stop(home, env)
    finally:
        source.write_text(text, encoding="utf-8")
        note.unlink(missing_ok=True)
        if test:
            test.write_text(before, encoding="utf-8")
        shutil.rmtree(home / ".untilgreen", ignore_errors=True)


_IMPORT = re.compile(r"(?m)^((?:import|from|const|var|'use strict').*[\w;)\'])$")
_GONE = {".py": r"\1gone_", ".js": r"\1test.skip"}
_DEFINED = {".py": re.compile(r"(?m)^((?:async )?def )test_"), ".js": re.compile(r"(?m)^([ \t]*)test(?=\()")}


def _tests(home: Path, suffix: str) -> Iterator[Path]:
    """The files in which a test is defined."""
    for path in sorted(home.rglob(f"*{suffix}")):
        parts = path.relative_to(home).parts
        if {".venv", "node_modules", ".git"} & set(parts) or "test" not in "/".join(parts):
            continue
        if _DEFINED[suffix].search(path.read_text(encoding="utf-8", errors="replace")):
            yield path


def begin(home: Path, env: dict[str, str]) -> None:
    """A loop that asks for what the project calls green."""
    must([str(BIN / "start-loop"), "mend it", "--session", SESSION, "--replace"], home, env)


def stop(home: Path, env: dict[str, str]) -> str:
    """`held`, or why the agent was let go."""
    payload = {"session_id": SESSION, "hook_event_name": "Stop", "cwd": str(home), "last_assistant_message": "Done."}
    done = subprocess.run(
        [str(BIN / "stop-loop")],
        cwd=home, env=env, input=json.dumps(payload).encode(), capture_output=True, timeout=900, check=False,
    )  # fmt: skip
    if done.returncode:
        return "held" if done.returncode == 2 else f"exit code {done.returncode}"
    state = json.loads((home / ".untilgreen" / "sessions" / SESSION / "loop_state.json").read_text(encoding="utf-8"))
    return str(state["completion_reason"])


def main() -> int:
    """Exit code 1 where a verdict is not that of the project's own commands, or a loop does not say what it must."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "untilgreen-wild")
    parser.add_argument("--only", action="append", default=[])
    wanted = parser.parse_args()
    wanted.folder.mkdir(parents=True, exist_ok=True)
    known = [project for project in PROJECTS if not wanted.only or project.name in wanted.only]
    differences = [line for project in known for line in _told(project, wanted.folder)]
    print("\n".join(["", f"{len(known)} projects, {len(differences)} differences", *differences]))
    return 1 if differences else 0


def _told(project: Project, folder: Path) -> Iterator[str]:
    """Print what is seen of a project; what differs is given back, too."""
    home = prepare(project, folder)
    env, green = environment(project, home, folder / "state"), True
    must([str(BIN / "untilgreen"), "trust"], home, env)
    for name, ours, theirs in judged(project, home, env):
        green = ours.green if name == "unchanged" else green
        times = f"{_word(ours)} in {ours.seconds:.1f} s, by hand {_word(theirs)} in {theirs.seconds:.1f} s"
        line = f"{project.name} {project.version}, {name}: {times} {theirs.text}".rstrip()
        print(line, flush=True)
        if ours.green != theirs.green:
            yield f"{line}\n{ours.text}"
    for name, expected, said in looped(project, home, env) if green else ():
        line = f"{project.name} {project.version}, {name} in a loop: {said}"
        print(line, flush=True)
        if expected not in said:
            yield f"{line}; expected: {expected}"


def _word(verdict: Verdict) -> str:
    return "green" if verdict.green else "red"


if __name__ == "__main__":
    sys.exit(main())
