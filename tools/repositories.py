"""Whole repositories, as people work in them: is our verdict that of the commands that their CI runs?

    python tools/repositories.py [--folder FOLDER] [--only NAME] [--write]

Each is cloned at its commit (a clone that lies in the folder is taken as it is: no network), installed the way it
says, and judged as it is, with three injected faults and with an honest feature: by its own commands, by `untilgreen
check` and by the stop of a loop. What was said lies in FOLDER/logs; `--write` puts the rows into docs/real-projects.md.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from repositories_node import REPOSITORIES as OF_NODE
from repositories_table import REPOSITORIES as OTHERS
from repositories_table import Edit, Repository
from wild import BIN, PAGE, SESSION, must, shown

REPOSITORIES = (*OTHERS, *OF_NODE)
# what is not of the tree that a contributor sees
ASIDE = {".git", "node_modules", ".venv", ".untilgreen", "target", "__pycache__", ".tox"}
# the states in which `check` is asked alone: a loop runs the same checks
CHECKED = ("as it is", "lint", "type error", "syntax error", "format")


class Said(NamedTuple):
    """A verdict, in so many seconds, with its words."""

    green: bool
    seconds: float
    text: str


class State(NamedTuple):
    """One state of a repository, judged three times: by its own commands, by `check` and by a stop."""

    name: str
    hand: Said
    check: Said
    stop: Said

    @property
    def agrees(self) -> bool:
        return self.hand.green == self.check.green == self.stop.green


def run(words: Sequence[str], folder: Path, env: dict[str, str], stdin: str = "") -> tuple[int, str, str]:
    """The exit code and what was printed; 124 after ten minutes."""
    try:
        done = subprocess.run(
            words, cwd=folder, env=env, input=stdin.encode(), capture_output=True, timeout=600, check=False
        )
    except subprocess.TimeoutExpired:
        return 124, "", "took too long"
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def environment(home: Path, state: Path) -> dict[str, str]:
    """What a contributor's shell has: the project's tools on PATH, and state of its own."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("CLAUDE", "UNTILGREEN", "VIRTUAL"))}
    path = os.pathsep.join((str(home / ".venv/bin"), str(home / "node_modules/.bin"), os.environ["PATH"]))
    own = {"XDG_STATE_HOME": str(state), "UNTILGREEN_LANG": "en", "PYTHONDONTWRITEBYTECODE": "1", "PATH": path}
    return kept | own


def prepare(row: Repository, folder: Path) -> Path:
    """The clone at its commit, installed once."""
    home = folder / row.name.rpartition("/")[2]
    env = environment(home, folder / "state")
    if not (home / ".git").exists():
        must(["git", "clone", "-q", f"https://github.com/{row.name}", str(home)], folder, env)
    if not (done := home / ".git" / "installed").exists():
        must(["git", "checkout", "-q", "-f", "--detach", row.commit], home, env)
        for command in row.install:
            must(["sh", "-c", command], home, env)
        with (home / ".git" / "info" / "exclude").open("a") as excluded:
            excluded.write(".venv/\nnode_modules/\ntarget/\n")
        done.touch()
    return home


def by_hand(row: Repository, home: Path, env: dict[str, str]) -> Said:
    """What its own commands say, one after the other, each to its end."""
    began, failed = time.monotonic(), []
    for command in row.commands:
        code, out, err = run(["sh", "-c", command], home, env)
        failed += [f"{command}: {code}\n{(out + err)[-1_500:]}"] if code else []
    return Said(not failed, time.monotonic() - began, "\n".join(failed))


def checked(home: Path, env: dict[str, str]) -> Said:
    """What `untilgreen check` says."""
    began = time.monotonic()
    code, out, err = run([str(BIN / "untilgreen"), "check", "--json"], home, env)
    return Said(code == 0, time.monotonic() - began, out if out.startswith("{") else f"exit code {code}\n{out}{err}")


def stopped(home: Path, env: dict[str, str]) -> Said:
    """What the stop of an agent comes to: held, or why it was let go."""
    payload = {"session_id": SESSION, "hook_event_name": "Stop", "cwd": str(home), "last_assistant_message": "Done."}
    began = time.monotonic()
    code, out, err = run([str(BIN / "stop-loop")], home, env, json.dumps(payload))
    seconds = time.monotonic() - began
    state = json.loads((home / ".untilgreen" / "sessions" / SESSION / "loop_state.json").read_text(encoding="utf-8"))
    word = "held" if code == 2 else str(state["completion_reason"] or f"exit code {code}, loop still running")
    return Said(word.lower().startswith(("all cond", "green")), seconds, f"{word}\n{out}{err}")


def judged(row: Repository, home: Path, env: dict[str, str], wanted: Sequence[str]) -> Iterator[State]:
    """Each state of the repository, begun as a loop on the tree as it is."""
    note = ((Edit("NOTE.untilgreen", "", "the work tree has changed\n"),),)
    states = {"as it is": note[0], **row.faults, "feature": row.feature}
    for name, edits in states.items():
        if wanted and name not in wanted:
            continue
        if name not in CHECKED:
            must([str(BIN / "start-loop"), "do it", "--session", SESSION, "--replace"], home, env)
        try:
            for edit in edits:
                put(home / edit.file, edit)
            if name == "feature":  # its times are compared: nothing is built for the first time in one of them
                by_hand(row, home, env)
            before = listing(home)
            check = checked(home, env)
            forget(home, env)
            stop = stopped(home, env) if name not in CHECKED else check._replace(seconds=0)
            written = sorted(name for name, stamp in listing(home).items() if before.get(name) != stamp)
            text = f"{stop.text}\nwritten: {written[:20]}" if written else stop.text
            # a formatter looks at what we keep there as well, which CI has not
            shutil.rmtree(home / ".untilgreen", ignore_errors=True)
            forget(home, env)
            yield State(name, by_hand(row, home, env), check, stop._replace(text=text))
        finally:
            must(["git", "checkout", "-q", "-f", "--", "."], home, env)
            must(["git", "clean", "-q", "-f", "-d"], home, env)
    shutil.rmtree(home / ".untilgreen", ignore_errors=True)


def forget(home: Path, env: dict[str, str]) -> None:
    """Have Go run its tests again, of which it keeps the results."""
    if (home / "go.mod").exists():
        must(["go", "clean", "-testcache"], home, env)


def put(path: Path, edit: Edit) -> None:
    """Write one edit; where nothing is to be replaced it is the end of the file."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    if edit.old and edit.old not in text:
        raise SystemExit(f"{path}: no {edit.old!r} in it")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text.replace(edit.old, edit.new, 1) if edit.old else text + edit.new, encoding="utf-8")


def listing(home: Path) -> dict[str, tuple[int, int]]:
    """The files of the tree, with size and time."""
    found = {}
    for folder, below, files in os.walk(home):
        below[:] = [name for name in below if name not in ASIDE]
        for name in files:
            path = Path(folder, name)
            if not path.is_symlink():
                stamp = path.stat()
                found[str(path.relative_to(home))] = (stamp.st_size, stamp.st_mtime_ns)
    return found


def told(row: Repository, folder: Path, wanted: Sequence[str]) -> tuple[str, bool]:
    """The repository's row of the table, and whether all verdicts agree."""
    home = prepare(row, folder)
    env = environment(home, folder / "state")
    must([str(BIN / "untilgreen"), "trust"], home, env)
    states = {}
    (folder / "logs").mkdir(exist_ok=True)
    with (folder / "logs" / f"{home.name}.log").open("w", encoding="utf-8") as log:
        for state in judged(row, home, env, wanted):
            states[state.name] = state
            mark = "" if state.agrees else " DIFFERS"
            words = ", ".join(
                f"{what} {_word(said)} {said.seconds:.1f} s"
                for what, said in (("hand", state.hand), ("check", state.check), ("stop", state.stop))
            )
            print(f"{row.name}, {state.name}: {words}{mark}", flush=True)
            for what, said in (("HAND", state.hand), ("CHECK", state.check), ("STOP", state.stop)):
                log.write(f"=== {state.name}: {what} {_word(said)} {said.seconds:.1f} s\n{said.text}\n")
    first, last = next(iter(states.values())), states[next(reversed(states))]
    cells = (
        f"{row.name} {row.commit[:10]}",
        "; ".join(f"`{command}`" for command in row.commands),
        ", ".join(shown(check) for check in json.loads(first.check.text)["checks"])
        if first.check.text.startswith("{")
        else "",
        ", ".join(f"{name} {_both(state)}" for name, state in states.items()),
        f"{last.stop.seconds:.1f} s ({last.hand.seconds:.1f} s)",
    )
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |", all(
        state.agrees for state in states.values()
    )


def _word(said: Said) -> str:
    return "green" if said.green else "red"


def _both(state: State) -> str:
    if state.agrees:
        return _word(state.hand)
    return f"**check {_word(state.check)}, stop {_word(state.stop)}, by hand {_word(state.hand)}**"


def write(name: str, line: str) -> None:
    """Put a repository's row into the second table of the page, in the place of the one before."""
    head, rule, table = PAGE.read_text(encoding="utf-8").partition("\n| --- | --- | --- | --- | --- |\n")
    rows = {one.split("|")[1].split()[0]: one for one in table.splitlines() if one} | {name: line}
    kept = [rows[one.name] for one in REPOSITORIES if one.name in rows]
    PAGE.write_text("\n".join([head + rule + kept[0], *kept[1:], ""]), encoding="utf-8")


def main() -> int:
    """Exit code 1 where a verdict is not that of the repository's own commands."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "untilgreen-repositories")
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--state", action="append", default=[])
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    agreed = True
    for row in REPOSITORIES:
        if asked.only and row.name.rpartition("/")[2] not in asked.only:
            continue
        line, good = told(row, asked.folder, asked.state)
        agreed = agreed and good
        if asked.write:
            write(row.name, line)
    return 0 if agreed else 1


if __name__ == "__main__":
    sys.exit(main())
