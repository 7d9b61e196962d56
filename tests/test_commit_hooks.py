"""pre-commit and prek, themselves: the hooks that nothing else looks for are judged in a copy of the project."""

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import tables
from test_green import CI, begun, left, outcomes, workflow
from untilgreen.checks.plan import planning, scripts
from untilgreen.checks.plan.planning import CheckScope
from untilgreen.core.model.settings import Criteria, Settings
from world import World

CONFIG = ".pre-commit-config.yaml"
TABS = {"id": "no-tabs", "name": "no tabs", "language": "pygrep", "entry": "\\t", "types": ["python"]}
SPACES = {
    "id": "no-spaces",
    "name": "no spaces at the end",
    "language": "system",
    # as those of pre-commit-hooks speak, which reads as if it were done
    "entry": """sh -c 'for one; do grep -q " $" $one && sed -i "s/ *$//" $one && echo "Fixing $one"; done; true' --""",
    "types": ["python"],
}
LINT = {"id": "lint", "name": "lint", "language": "system", "entry": "ruff check", "types": ["python"]}
SPELL = {"id": "spell", "language": "python", "entry": "codespell", "additional_dependencies": ["codespell"]}


def config(*hooks: Mapping[str, Any], **more: Any) -> str:
    """A configuration with these hooks of the project's own; JSON is YAML."""
    return json.dumps({"repos": [{"repo": "local", "hooks": [{"name": "x", **hook} for hook in hooks]}], **more})


def tree(folder: Path) -> dict[str, str]:
    """What is in a folder, git's own files too, but for our state."""
    files = (path for path in sorted(folder.rglob("*")) if path.is_file() and ".untilgreen" not in path.parts)
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@pytest.mark.parametrize("program", ["pre-commit", "prek"])
@pytest.mark.parametrize("tools", [("pre-commit", "prek")])
def test_hooks_that_nothing_else_looks_for_are_judged_and_the_project_stays_as_it_is(
    world: World, program: str
) -> None:
    hooks = (SPACES, LINT) if program == "prek" else (TABS, SPACES, LINT)  # prek fetches a Python for pygrep
    world.write({CONFIG: config(*hooks), CI: workflow(f"{program} run --all-files --show-diff-on-failure")})
    world.write({"app.py": "VALUE = 1\n", "old.py": "\tx = 1\n" if program != "prek" else "x = 1 \n"})
    world.commit()
    call = f"SKIP=lint {program} run ({CI}: check)"
    assert begun(world) == [f"ruff ({CONFIG}: lint)", call]
    world.write({"app.py": "VALUE = 1 \n", "new.py": "OTHER = 1 \n", "old.py": "x = 1\n"})
    before = tree(world.project)
    stop = world.stop()
    assert stop.held
    assert f"it would change files: app.py, new.py ({program} run no-spaces --all-files)" in stop.stderr
    assert left(world) == [f"{program}: no-spaces it would change files: app.py, new.py"]
    assert tree(world.project) == before
    assert list(world.tmp.iterdir()) == []
    world.write({"app.py": "VALUE = 1\n", "new.py": "OTHER = 1\n"})
    if program == "pre-commit":
        world.write({"old.py": "\tx = 1  # noqa\n", "ruff.toml": "[lint]\nselect = []\n"})
        assert world.stop().held
        assert "pre-commit: no-tabs old.py:1:\tx = 1  # noqa" in left(world)
        world.write({"old.py": "x = 1\n", CONFIG: "repos: [}"})
        assert world.stop().held
        assert left(world)[0].startswith("check pre-commit: exit code 1: An error has occurred: InvalidConfigError:")
        world.write({CONFIG: config(*hooks)})
    assert world.stop().code == 0
    assert set(outcomes(world).values()) == {"clean"}


@pytest.mark.parametrize("tools", [("pre-commit",)])
def test_what_is_not_installed_for_it_is_told_once_and_stands_against_nothing(world: World) -> None:
    world.write({CONFIG: config(LINT, SPELL, TABS), CI: workflow("pre-commit run -a"), "app.py": "VALUE = 1\n"})
    world.commit()
    answer = world.run("start-loop", "mend it", "--session", world.session)
    assert "left out: pre-commit's environment for spell is not installed" in answer.stdout.splitlines()
    world.write({"app.py": "VALUE = 2\n"})
    assert world.stop().code == 0
    assert (world.state["completion_reason"], world.state["verified"]) == ("All conditions satisfied", True)
    assert not list((world.home / ".cache").glob("pre-commit/repo*"))
    (world.programs / "pre-commit").unlink()
    world.write({CONFIG: config(TABS)})
    answer = world.run("start-loop", "mend it", "--session", world.session)
    assert "left out: pre-commit is not installed" in answer.stdout.splitlines()


def planned(folder: Path, files: Mapping[str, str], *tools: str, only: tuple[str, ...] = ()) -> list[str]:
    """The checks that green has in such a project where these tools are there, as they are told."""
    for name, text in files.items():
        (folder / "project" / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / "project" / name).write_text(text)
    programs = folder / "programs"
    programs.mkdir()
    for name in tools:
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    root, names = str(folder / "project"), tuple(sorted(files))
    env, criteria = {"PATH": str(programs)}, Criteria(green=True, only=only)
    scope = CheckScope(root, Settings(), criteria, env, trusted=True, calls=scripts.read(root, names))
    return [one.absent.reason if one.absent else one.shown for one in planning.plan(scope, names)]


RUN = {CI: workflow("pre-commit run -a"), "app.py": ""}


@pytest.mark.parametrize(
    ("files", "only", "expected"),
    tables.rows("commit-hooks", "files", "only", "expected"),
    ids=[
        *("called", "not called", "no configuration", "all of it is judged", "only linters", "only types", "by hand"),
        *("a container", "pre-commit.ci", "a hook by name", "what CI alone knows", "prek from tox", "not installed"),
        "another command of it",
    ],
)  # fmt: skip
def test_pre_commit_is_a_check_where_ci_runs_it(
    tmp_path: Path, files: dict[str, str], only: tuple[str, ...], expected: list[str]
) -> None:
    assert planned(tmp_path, files, "ruff", "pre-commit", only=only) == expected


REMOTE = {"repos": [{"repo": "https://example.invalid/spell", "rev": "v1", "hooks": [{"id": "spell"}, {"id": "mypy"}]}]}
MANIFEST = [{"id": name, "name": name, "language": "python", "entry": name} for name in ("spell", "mypy")]


def store(home: Path, program: str, *, environments: bool) -> None:
    """What pre-commit 4.7 and prek 0.5 leave of a repository that they installed."""
    if program == "pre-commit":
        clone = home / "pre-commit" / "repoabc"
        (clone / "py_env-python3.11").mkdir(parents=True)
        if environments:
            (clone / "py_env-python3.11" / ".install_state_v2").touch()
        with closing(sqlite3.connect(home / "pre-commit" / "db.db")) as database, database:
            database.execute("CREATE TABLE repos (repo TEXT NOT NULL, ref TEXT NOT NULL, path TEXT NOT NULL)")
            row = ("https://example.invalid/spell", "v1", str(clone))
            database.execute("INSERT INTO repos VALUES (?, ?, ?)", row)
    else:
        clone, hook = home / "prek" / "repos" / "abc", home / "prek" / "hooks" / "python-abc"
        clone.mkdir(parents=True)
        (clone / ".prek-repo.json").write_text('{"repo": "https://example.invalid/spell", "rev": "v1"}')
        hook.mkdir(parents=True)
        told = {"language": "python", "language_version": "3.11.7", "dependencies": []}
        url = {"url": "https://example.invalid/spell", "rev": "v1" if environments else "v0"}
        (hook / ".prek-hook.json").write_text(json.dumps({**told, "repo": url}))
    (clone / ".pre-commit-hooks.yaml").write_text(json.dumps(MANIFEST))


@pytest.mark.parametrize("program", ["pre-commit", "prek"])
def test_a_tool_that_only_pre_commit_has_is_judged_through_it_where_it_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    files = {CONFIG: json.dumps(REMOTE), CI: workflow(f"{program} run -a"), "app.py": "", "mypy.ini": "[mypy]\n"}
    told = []
    for name in ("nothing", "cloned", "installed"):
        (tmp_path / name).mkdir()
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / name / "cache"))
        if name != "nothing":
            store(tmp_path / name / "cache", program, environments=name == "installed")
        told.append(planned(tmp_path / name, files, "ruff", program))
    lacking = ["ruff", f"{program}'s environment for spell, mypy is not installed"]
    assert told == [lacking, lacking, ["ruff", f"{program} run ({CI}: check)"]]
    (tmp_path / "some").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "some" / "cache"))
    assert planned(tmp_path / "some", files, "ruff", "mypy", program) == [
        "ruff",
        f"mypy --ignore-missing-imports --scripts-are-modules ({CONFIG}: mypy)",
        f"{program}'s environment for spell is not installed",
    ]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "installed" / "cache"))
    (tmp_path / "more").mkdir()
    assert planned(tmp_path / "more", files, "ruff", "mypy", program) == [
        "ruff",
        f"mypy ({CONFIG}: mypy)",
        f"SKIP=mypy {program} run ({CI}: check)",
    ]


def test_a_store_that_cannot_be_read_holds_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "store"))
    (tmp_path / "store").mkdir()
    (tmp_path / "store" / "db.db").write_text("no database")
    told = planned(tmp_path, {**RUN, CONFIG: config(SPELL)}, "ruff", "pre-commit")
    assert told == ["ruff", "pre-commit's environment for spell is not installed"]
