"""Real projects, at pinned versions: is our verdict that of the project's own commands?

    make wild [only=NAME]

Each project is fetched with the tests that it ships, gets an environment of its own, and is judged by `untilgreen
check` and by the commands that its contributors type: as it was published, then with a bug, a type error and a syntax
error in it, and mended. Where all is green, loops say what they must of a syntax error, a mended one, a test that is
gone and a finding that is silenced. Releases that mend bugs are played: their tests hold a loop in the code before,
and its mended code ends it. It takes more than an hour; what was fetched is kept in the folder. What is seen goes into
the table of docs/real-projects.md.
"""

import argparse
import fcntl
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
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from wild_projects import FIXES, PROJECTS, Fix, Project

REPOSITORY = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
SESSION = "0123456789abcdef"
BACKENDS = (
    *("uv", "hatchling", "hatch-vcs", "hatch-fancy-pypi-readme", "flit-core", "setuptools", "setuptools-scm", "wheel"),
    *("poetry-core", "pdm-backend", "coherent.licensed", "cython"),
)
PAGE = REPOSITORY / "docs" / "real-projects.md"
_TYPED = "\nexport const wild: number = '';\n"
ERRORS = {
    "bug": {".py": "\nraise RuntimeError('a bug')\n", ".js": "\nthrow new Error('a bug');\n"},
    "type error": {
        ".py": "\n_wild: int = ''\n",
        ".ts": _TYPED,
        ".tsx": _TYPED,
        ".rs": '\npub const WILD: i32 = "";\n',
    },
    "syntax error": {".py": "\ndef wild(:\n", **dict.fromkeys((".js", ".ts", ".tsx", ".rs"), "\nfunction (\n")},
}


class Verdict(NamedTuple):
    """Green, red, or of ours `not judged` where a tool that the project chose is not installed; after so many seconds,
    in its own words."""

    word: str
    seconds: float
    text: str
    #: of ours: what was looked at, each with where its call is from
    checks: tuple[str, ...] = ()


class Stopped(NamedTuple):
    """What a stop said: `held`, or why the agent was let go."""

    word: str
    text: str


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
    with _alone(folder / "builder.lock"):
        if not (programs / "uv").exists():
            must([sys.executable, "-m", "venv", str(programs.parent)], folder)
            must([str(programs / "pip"), "install", "--quiet", "--upgrade", "pip", *BACKENDS], folder)
    return programs


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    """One process at a time; the others wait."""
    lock.parent.mkdir(parents=True, exist_ok=True)
    with lock.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def prepare(project: Project, folder: Path) -> Path:
    """The project as it was published, in a repository of its own, with its environment; kept where it is there."""
    home = folder / f"{project.name}-{project.version}"
    if (home / ".git").is_dir():
        return home
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    fetch = {"pypi": _from_pypi, "npm": _from_npm, "scaffold": _scaffolded}[project.registry]
    fetch(project, folder, home)
    (home / ".git").mkdir()
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], ["commit", "-q", "-m", "as published"]):
        must(["git", "-c", "user.name=t", "-c", "user.email=t@example.invalid", *words], home)
    return home


def _from_pypi(project: Project, folder: Path, home: Path) -> None:
    programs = builder(folder)
    _released(project.name, project.version, folder, home)
    env = os.environ | {"VIRTUAL_ENV": str(home / ".venv"), "SETUPTOOLS_SCM_PRETEND_VERSION": project.version}
    must([str(programs / "uv"), "venv", "--quiet", "--python", sys.executable, str(home / ".venv")], home)
    must([str(programs / "uv"), "pip", "install", "--quiet", *project.needs], home, env)
    with (home / ".gitignore").open("a") as ignored:
        ignored.write("\n.venv/\n")


def _released(name: str, version: str, folder: Path, home: Path) -> None:
    """The source of a release, unpacked."""
    with tempfile.TemporaryDirectory() as downloads:
        form = ("--quiet", "--no-deps", "--no-binary", ":all:", "--no-build-isolation")
        must([str(builder(folder) / "pip"), "download", *form, f"{name}=={version}"], Path(downloads))
        [archive] = Path(downloads).iterdir()
        _unpack(archive, home)


def _scaffolded(project: Project, _folder: Path, home: Path) -> None:
    with tempfile.TemporaryDirectory() as above:
        must(project.needs, Path(above))
        shutil.copytree(Path(above) / "app", home, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".git"))
    if (home / "package.json").exists():
        must(["npm", "install", "--silent", "--no-audit", "--no-fund"], home)


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
    own = {"XDG_STATE_HOME": str(state), "UNTILGREEN_LANG": "en"}
    return kept | own | {"PATH": path, "PYTHONDONTWRITEBYTECODE": "1"}


def by_hand(project: Project, home: Path, env: dict[str, str]) -> Verdict:
    """What the project's own commands say, one after the other."""
    began, failed = time.monotonic(), list[str]()
    for command in project.by_hand:
        code, _ = run(shlex.split(command), home, env)
        failed += [f"{command}: exit code {code}"] if code else []
    return Verdict("red" if failed else "green", time.monotonic() - began, "; ".join(failed))


def checked(home: Path, env: dict[str, str]) -> Verdict:
    """What `untilgreen check` says."""
    began = time.monotonic()
    code, text = run([str(BIN / "untilgreen"), "check", "--json"], home, env, 900)
    seconds, told = time.monotonic() - began, f"exit code {code}\n{text}"
    if not text.startswith("{"):
        return Verdict("red", seconds, told)
    checks = json.loads(text)["checks"]
    unjudged = code == 4 and all(one["outcome"] in ("clean", "absent") for one in checks)
    word = "green" if code == 0 else "not judged" if unjudged else "red"
    return Verdict(word, seconds, told, tuple(map(shown, checks)))


def agree(ours: Verdict, theirs: Verdict) -> bool:
    """Whether ours is theirs; a tool that is not installed is none of the commands by hand."""
    return ours.word == theirs.word or (ours.word, theirs.word) == ("not judged", "green")


def shown(check: dict[str, Any]) -> str:
    """`mypy -p pkg (tox.ini: types)`, `pytest 41`; of a check that did not run why."""
    tests = f" {check['tests']['run']:,}" if check["tests"] else ""
    source = f" ({check['source']})" if check["source"] else ""
    return f"{check['name']}{tests}{source}" if check["outcome"] != "absent" else f"{check['reason']}"


def judged(project: Project, home: Path, env: dict[str, str]) -> Iterator[tuple[str, Verdict, Verdict]]:
    """Each state of the project, with both verdicts: ours, and that of its own commands."""
    source = home / project.source
    text = source.read_text(encoding="utf-8")
    for name in ("unchanged", *ERRORS, "fixed"):
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
    silence = _SILENCE.get(source.suffix, "")
    test = next(_tests(home, source.suffix), None)
    before = test.read_text(encoding="utf-8") if test else ""
    note = home / "FIXED.txt"
    try:
        begin(home, env)
        source.write_text(text + ERRORS["syntax error"][source.suffix], encoding="utf-8")
        yield "a syntax error", "held", stop(home, env).word
        source.write_text(text, encoding="utf-8")
        note.write_text("the work tree has changed\n", encoding="utf-8")
        word = stop(home, env).word
        yield "fixed", word if _is_green(word) else "All conditions satisfied", word
        if test:
            begin(home, env)
            test.write_text(_DEFINED[source.suffix].sub(_GONE[source.suffix], before, count=1), encoding="utf-8")
            expected = _TOLD[source.suffix] if by_hand(project, home, env).word == "green" else "held"
            yield "a test is gone", expected, stop(home, env).word
            test.write_text(before, encoding="utf-8")
        if not silence or not _IMPORT.search(text):
            return
        begin(home, env)
        source.write_text(_IMPORT.sub(rf"\1  {silence}", text, count=1), encoding="utf-8")
        expected = silence.split()[1].removesuffix("-line") if by_hand(project, home, env).word == "green" else "held"
        yield "a suppression", expected, stop(home, env).word
    finally:
        source.write_text(text, encoding="utf-8")
        note.unlink(missing_ok=True)
        if test:
            test.write_text(before, encoding="utf-8")
        shutil.rmtree(home / ".untilgreen", ignore_errors=True)


_IMPORT = re.compile(r"(?m)^((?:import|from|const|var|'use strict').*[\w;)\'])$")
_SILENCE = {".py": "# noqa", **dict.fromkeys((".js", ".ts", ".tsx"), "// eslint-disable-line")}
_GONE = {".py": r"\1gone_", ".js": r"\1test.skip"}
_TOLD = {".py": "test fewer", ".js": "new .skip"}
# the names of the files in which runners look for tests
_COLLECTED = {".py": re.compile(r"(?:^|/)(?:test_[^/]*|[^/]*_test)\.py$"), ".js": re.compile("test")}
_DEFINED = {".py": re.compile(r"(?m)^((?:async )?def )test_"), ".js": re.compile(r"(?m)^([ \t]*)test(?=\()")}


def _tests(home: Path, suffix: str) -> Iterator[Path]:
    """The files in which a test is defined."""
    for path in sorted(home.rglob(f"*{suffix}")) if suffix in _DEFINED else ():
        parts = path.relative_to(home).parts
        if {".venv", "node_modules", ".git"} & set(parts) or not _COLLECTED[suffix].search("/".join(parts)):
            continue
        if _DEFINED[suffix].search(path.read_text(encoding="utf-8", errors="replace")):
            yield path


def begin(home: Path, env: dict[str, str]) -> None:
    """A loop that asks for what the project calls green."""
    must([str(BIN / "start-loop"), "mend it", "--session", SESSION, "--replace"], home, env)


def stop(home: Path, env: dict[str, str]) -> Stopped:
    """What the stop of an agent comes to."""
    payload = {"session_id": SESSION, "hook_event_name": "Stop", "cwd": str(home), "last_assistant_message": "Done."}
    done = subprocess.run(
        [str(BIN / "stop-loop")],
        cwd=home, env=env, input=json.dumps(payload).encode(), capture_output=True, timeout=900, check=False,
    )  # fmt: skip
    text = done.stderr.decode("utf-8", "replace")
    if done.returncode:
        return Stopped("held" if done.returncode == 2 else f"exit code {done.returncode}", text)
    state = json.loads((home / ".untilgreen" / "sessions" / SESSION / "loop_state.json").read_text(encoding="utf-8"))
    return Stopped(str(state["completion_reason"]), text)


def fixed(fix: Fix, folder: Path) -> Iterator[str]:
    """What is wrong with the loop of a release that mends bugs."""
    home = prepare(fix.before, folder)
    env = environment(fix.before, home, folder / "state")
    must([str(BIN / "untilgreen"), "trust"], home, env)
    must(["git", "checkout", "-q", "-f", "--", "."], home)
    with tempfile.TemporaryDirectory() as after:
        _released(fix.before.name, fix.version, folder, Path(after))
        try:
            _put(Path(after) / fix.tests, home / fix.tests)
            begin(home, env)
            first = stop(home, env)
            missed = [name for name in fix.failing if name not in first.text]
            if first.word != "held" or missed:
                yield f"{fix.before.name} {fix.version}, its tests: {first.word}, not told: {missed}\n{first.text}"
            _put(Path(after) / fix.code, home / fix.code)
            if not _is_green((second := stop(home, env)).word):
                yield f"{fix.before.name} {fix.version}, its code: {second.word}\n{second.text}"
        finally:
            must(["git", "checkout", "-q", "-f", "--", "."], home)
            shutil.rmtree(home / ".untilgreen", ignore_errors=True)


def _is_green(word: str) -> bool:
    """Whether a loop ended as green; tools that a contributor need not have installed may be told to be missing."""
    return word == "All conditions satisfied" or word.endswith(" is not installed")


def _put(source: Path, target: Path) -> None:
    if source.is_dir():
        shutil.copytree(source, target, dirs_exist_ok=True)
    else:
        shutil.copyfile(source, target)


def main() -> int:
    """Exit code 1 where a verdict is not that of the project's own commands, or a loop does not say what it must."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "untilgreen-wild")
    parser.add_argument("--only", action="append", default=[])
    wanted = parser.parse_args()
    known = [project for project in PROJECTS if not wanted.only or project.name in wanted.only]
    differences = []
    for project in known:
        row, differing = told(project, wanted.folder)
        differences += differing
        write(project, row)
    fixes = [fix for fix in FIXES if not wanted.only or fix.before.name in wanted.only]
    differences += [line for fix in fixes for line in fixed(fix, wanted.folder)]
    print("\n".join(["", f"{len(known)} projects, {len(fixes)} fixes, {len(differences)} differences", *differences]))
    return 1 if differences else 0


def told(project: Project, folder: Path) -> tuple[str, list[str]]:
    """The project's row of the table, and what differs."""
    home = prepare(project, folder)
    env, differences, states, loops = environment(project, home, folder / "state"), list[str](), {}, []
    must([str(BIN / "untilgreen"), "trust"], home, env)
    for name, ours, theirs in judged(project, home, env):
        states[name] = (ours, theirs)
        times = f"{ours.word} in {ours.seconds:.1f} s, by hand {theirs.word} in {theirs.seconds:.1f} s"
        print(line := f"{project.name} {project.version}, {name}: {times} {theirs.text}".rstrip(), flush=True)
        differences += [] if agree(ours, theirs) else [f"{line}\n{ours.text}"]
    for name, expected, said in looped(project, home, env) if states["unchanged"][0].word != "red" else ():
        print(line := f"{project.name} {project.version}, {name} in a loop: {said}", flush=True)
        loops.append(name if expected in said else f"{name}: {said}")
        differences += [] if expected in said else [f"{line}; expected: {expected}"]
    ours, theirs = states["unchanged"]
    mistakes = [f"{name} {_both(*states[name])}" for name in states if name != "unchanged"]
    cells = (
        f"{project.name} {project.version}",
        ", ".join(ours.checks),
        _both(ours, theirs),
        ", ".join(mistakes),
        ", ".join(loops) or "-",
        f"{ours.seconds:.1f} s ({theirs.seconds:.1f} s)",
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |", differences


def _both(ours: Verdict, theirs: Verdict) -> str:
    both = ours.word if ours.word == theirs.word else f"{ours.word}, by hand {theirs.word}"
    return both if agree(ours, theirs) else f"**{both}**"


def write(project: Project, row: str) -> None:
    """Put a project's row into the table, in the place of the one before."""
    head, rule, below = PAGE.read_text(encoding="utf-8").partition("| --- | --- | --- | --- | --- | --- |\n")
    table, blank, rest = below.partition("\n\n")
    rows = {line.split("|")[1].split()[0]: line for line in table.splitlines()} | {project.name: row}
    kept = [rows[one.name] for one in PROJECTS if one.name in rows]
    PAGE.write_text(head + rule + "\n".join(kept) + blank + rest, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
