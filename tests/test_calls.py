"""How a project calls its own tools, read from its files and never run."""

import shlex
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from untilgreen.checks.plan import scripts
from untilgreen.core.model.check import HookFiles, OwnCall
from untilgreen.core.shell.line import read as read_line
from untilgreen.project import calls
from untilgreen.project.calls import resolve
from untilgreen.project.calls.documents import Step, Texts

CI = ".github/workflows/ci.yml"


def read(folder: Path, **files: str) -> list[tuple[str, str, str]]:
    """The whole calls of a project with these files (`__` for a dot, `_in_` for a slash): words, folder, source."""
    return [(" ".join(one.words), one.folder, one.source) for one in every(folder, **files) if one.whole]


def every(folder: Path, **files: str) -> tuple[OwnCall, ...]:
    """As `read`, with those of which a word is not known."""
    write(folder, files)
    return calls.read(Texts(str(folder)))


def write(folder: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        path = folder / name.replace("_in_", "/").replace("__", ".").replace("_dash_", "-")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


def commands(text: str) -> list[OwnCall]:
    return list(resolve.commands(Step(text, ".", "")))


def command(*words: str, folder: str = ".", whole: bool = True, env: tuple[str, ...] = ()) -> OwnCall:
    return OwnCall(words, folder, "", whole, env=env)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ruff check", [command("ruff", "check")]),
        ("pytest -m 'not slow' \"a b\" c\\ d", [command("pytest", "-m", "not slow", "a b", "c d")]),
        ("FOO=1 BAR='2 3' pytest", [command("pytest", env=("FOO=1", "BAR=2 3"))]),
        ("export A=1 B=2\nC=3\nD=$C pytest", [command("pytest", env=("A=1", "B=2", "D=3"))]),
        ("a && b; c", [command("a"), command("b"), command("c")]),
        ("mypy \\\n  -p pkg  # types", [command("mypy", "-p", "pkg")]),
        ("ruff check || true", []),
        ("ruff check || exit 1", [command("ruff", "check")]),
        ("ruff check || { echo no; exit 1; }", [command("ruff", "check")]),
        ("is-new || exit 0; ruff check", [command("ruff", "check")]),
        ("! grep -r TODO . && mypy", [command("mypy")]),
        ("pytest | tee log", [command("pytest")]),
        ("pytest | grep x", [command("grep", "x")]),
        ("pytest > out.txt 2>&1", [command("pytest")]),
        ("cd sub && pytest", [command("pytest", folder="sub")]),
        ("(cd sub && pytest); mypy .", [command("pytest", folder="sub"), command("mypy", ".")]),
        ("cd $WHERE\npytest", [command("pytest", whole=False)]),
        ("if [ -d x ]; then\n  pytest\nfi\nmypy", [command("mypy")]),
        ("for x in a b; do pytest $x; done", [command("pytest", "a"), command("pytest", "b")]),
        (
            "(for x in a b\ndo\n  cd $x\n  b\n  cd ..\ndone); c",
            [command("b", folder="a"), command("b", folder="b"), command("c")],
        ),
        ("for x in a b; do if y; then pytest $x; fi; done; mypy", [command("mypy")]),
        ("for x in tests/*.sh; do bash $x; done", []),
        ("for x in 1 2; do pytest && break; done; mypy", [command("mypy")]),
        ("for x in a b; do for y in c d; do pytest $x $y; done; done; mypy", [command("mypy")]),
        ("while read x; do pytest $x; done; mypy", [command("mypy")]),
        ("pytest -x || pytest -x", [command("pytest", "-x")]),
        ("cat <<'EOF' > x\npytest\nEOF\nmypy", [command("cat"), command("mypy")]),
        ("pytest ${{ matrix.args }}", [command("pytest", "${{ matrix.args }}", whole=False)]),
        ("pytest $(cat args)", [command("pytest", "$(cat args)", whole=False)]),
        ("pytest '$HOME'", [command("pytest", "$HOME")]),
        ("DIRS='src tests'\nmypy $DIRS", [command("mypy", "src", "tests")]),
        ("if x; then DIRS=src; fi; mypy $DIRS", [command("mypy", "$DIRS", whole=False)]),
        ("${PREFIX}ruff check", [command("ruff", "check")]),
        ("$PYTHON -m pytest", [command("python", "-m", "pytest")]),
        ('pytest "$@"', [command("pytest")]),
        ("pytest ${@}", [command("pytest")]),
        ("f() { pytest; }\nf", [command("pytest")]),
        ("command -v pytest\ncommand mypy", [command("mypy")]),
        ("case $X in\n  a|b) mypy ;;\n  *-c) exit 1 ;;\nesac\nruff check", [command("ruff", "check")]),
        ("${{ vars.A }} b", [command("${{ vars.A }}", "b", whole=False)]),
        ("pytest 'never closes", []),
        ("set -ex\nexec pytest", [command("set", "-ex"), command("pytest")]),
    ],
)
def test_shell_text_is_read_as_far_as_it_can_be_known(text: str, expected: list[OwnCall]) -> None:
    assert commands(text) == expected


@given(st.text(alphabet="ab $'\"\\|&;()<>{}`\n#=x-", max_size=60))
def test_any_text_is_read_without_a_fault(text: str) -> None:
    assert all(one.words and one.words[0] for one in commands(text))


@given(st.lists(st.text(alphabet="ab $'\"\\|&;()<>{}`\n#=*x-", min_size=1, max_size=9), max_size=6))
def test_what_is_quoted_is_read_as_it_was(words: list[str]) -> None:
    assert commands(shlex.join(["tool", *words])) == [command("tool", *words)]


@given(st.text(alphabet="ab'\"\\|&;()<>{}\n#x-", max_size=60))
def test_a_text_without_variables_has_the_words_of_the_line(text: str) -> None:
    known = [tuple(word.text for word in one.words) for one in read_line(text).commands]
    assert {one.words for one in commands(text)} <= {words[place:] for words in known for place in range(len(words))}


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("uv run --group dev pytest -q", "pytest -q"),
        ("uvx ruff check .", "ruff check ."),
        ("poetry run mypy pkg", "mypy pkg"),
        ("python -m pytest tests", "pytest tests"),
        ("python3.12 -X dev -W error -m unittest discover", "unittest discover"),
        ("coverage run --source pkg -m pytest -x", "pytest -x"),
        ("python manage.py test", "python manage.py test"),
        ("coverage run manage.py test", "python manage.py test"),
        ("npx --yes eslint .", "eslint ."),
        ("./node_modules/.bin/eslint .", "eslint ."),
        ("pnpm exec tsc -b", "tsc -b"),
        ("cross-env NODE_ENV=test mocha", "mocha"),
        ("nyc --reporter=text mocha --exit", "mocha --exit"),
        ("xvfb-run -a pytest", "pytest"),
        ("python -Im pytest tests", "pytest tests"),
        ("coverage run $BRANCH -m pytest tests", "pytest tests"),
        ("npx prettier@3.5 --check .", "prettier --check ."),
        ("gotestsum --format short -- -race ./...", "go test -race ./..."),
        ("richgo test ./...", "go test ./..."),
        ("pixi run -e dev look", "pytest -q"),
        ("cargo test -Z minimal-versions", "cargo +nightly test -Z minimal-versions"),
        ("RUSTFLAGS='-Z sanitizer=address' cargo test", "cargo +nightly test"),
        ("python -m pre_commit run -a", "pre-commit run -a"),
        ("bash -c 'cd sub; pytest tests' -- more", "pytest tests"),
    ],
)
def test_what_only_starts_a_tool_is_taken_away(tmp_path: Path, line: str, words: str) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "pixi.toml").write_text("[feature.dev.tasks]\nlook = {cmd = 'pytest -q', cwd = 'sub'}\n")
    source = "pixi.toml: pixi look" if "pixi" in line else "Makefile: check"
    folder = "sub" if "cd sub" in line or "pixi" in line else "."
    assert read(tmp_path, Makefile=f"check:\n\t{line}\n") == [(words, folder, source)]


@pytest.mark.parametrize("line", ["uv run --directory sub pytest", "npm exec -w a pytest", "pnpm -F a exec pytest"])
def test_what_is_started_elsewhere_is_not_known_as_a_whole(tmp_path: Path, line: str) -> None:
    found = every(tmp_path, Makefile=f"check:\n\t{line}\n")
    assert found == (OwnCall(("pytest",), ".", "Makefile: check", whole=False),)


@pytest.mark.parametrize("line", ["env", "uv run --group dev", "npx", "coverage run", "python"])
def test_what_starts_no_tool_is_no_fault(tmp_path: Path, line: str) -> None:
    assert ("ruff check", ".", "Makefile: check") in read(tmp_path, Makefile=f"check:\n\t{line}\n\truff check\n")


WORKFLOW = """
name: ci
on: [push, pull_request]
jobs:
  lint:
    steps:
      - uses: actions/checkout@v5
      - run: pip install -e .[dev]
      - run: |
          ruff check src
          mypy -p pkg
  test:
    defaults: {run: {working-directory: backend}}
    strategy: {matrix: {python: ["3.11", "3.12"]}}
    steps:
      - run: pytest -m "not slow"
      - run: pytest ${{ vars.extra }}
      - run: flaky
        continue-on-error: true
  build-docs:
    steps: [{run: pytest docs}]
  allowed:
    continue-on-error: true
    steps: [{run: pylint pkg}]
  database:
    services: {postgres: {image: postgres}}
    steps: [{run: pytest integration}]
"""


def test_a_workflow_of_a_push_is_read_with_its_folders(tmp_path: Path) -> None:
    (tmp_path / "backend").mkdir()
    found = every(tmp_path, __github_in_workflows_in_ci__yml=WORKFLOW)
    lint, test, database = (f".github/workflows/ci.yml: {job}" for job in ("lint", "test", "database"))
    assert found == (
        OwnCall(("pip", "install", "-e", ".[dev]"), ".", lint, caller="ci"),
        OwnCall(("ruff", "check", "src"), ".", lint, caller="ci"),
        OwnCall(("mypy", "-p", "pkg"), ".", lint, caller="ci"),
        OwnCall(("pytest", "-m", "not slow"), "backend", test, caller="ci"),
        OwnCall(("pytest", "${{ vars.extra }}"), "backend", test, whole=False, caller="ci"),
        OwnCall(("pytest", "integration", "$UNKNOWN"), ".", database, whole=False, caller="ci"),
    )


@pytest.mark.parametrize("on", ["release", "schedule", "{push: {tags: ['v*']}}", "workflow_dispatch"])
def test_a_workflow_that_no_push_begins_says_nothing(tmp_path: Path, on: str) -> None:
    text = f"on: {on}\njobs: {{a: {{steps: [{{run: ruff check}}]}}}}\n"
    assert every(tmp_path, __github_in_workflows_in_ci__yml=text) == ()


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        ("make", [("ruff check .", "Makefile: all")]),
        ("just", [("mypy .", "justfile: look")]),
        ("make unknown", [("make unknown", f"{CI}: a")]),
        ("make all-%", [("make all-%", f"{CI}: a")]),
        ("make -f other.mk test", [("make -f other.mk test", f"{CI}: a")]),
        ("just unknown", [("just unknown", f"{CI}: a")]),
    ],
)
def test_a_task_by_no_name_is_the_first_one_and_one_that_is_not_there_does_not_vanish(
    tmp_path: Path, run: str, expected: list[tuple[str, str]]
) -> None:
    workflow = f"on: push\njobs: {{a: {{steps: [{{run: {run}}}]}}}}\n"
    files = {"Makefile": ".PHONY: all\nall:\n\truff check .\n%:\n\tanything $*\n", "justfile": "look:\n  mypy .\n"}
    found = read(tmp_path, __github_in_workflows_in_ci__yml=workflow, **files)
    assert [(words, source) for words, _, source in found] == expected


SCRIPT = '#!/bin/sh\ncommand="${1:-test}"\npytest $2 $command "$@"\n'
SCRIPTS = [
    ("uv run scripts/a.sh lint b", [("pytest b lint lint b", "scripts/a.sh")]),
    (". scripts/a.sh", [("pytest test", "scripts/a.sh")]),
    ("source scripts/set.sh", []),
]


@pytest.mark.parametrize(("run", "expected"), SCRIPTS)
def test_a_script_of_the_projects_own_is_read_with_the_words_that_it_gets(
    tmp_path: Path, run: str, expected: list[tuple[str, str]]
) -> None:
    workflow = f"on: push\njobs: {{a: {{steps: [{{run: {run}}}]}}}}\n"
    sets = {"scripts_in_set__sh": "#!/bin/sh\nset -e\nexport A=1\n", "scripts_in_a__sh": SCRIPT}
    found = read(tmp_path, __github_in_workflows_in_ci__yml=workflow, **sets)
    assert [(words, source) for words, _, source in found] == expected


def test_what_travis_runs_is_read_where_no_workflow_is(tmp_path: Path) -> None:
    files = {"__travis__yml": "language: go\ngo: [1.x]\nscript:\n  - go vet ./...\n  - $HOME/bin/goveralls -v\n"}
    write(tmp_path, files)
    assert read(tmp_path) == [("go vet ./...", ".", ".travis.yml")]
    write(tmp_path, {"__github_in_workflows_in_ci__yml": "on: push\njobs: {a: {steps: [{run: go test ./...}]}}\n"})
    assert [words for words, _, _ in read(tmp_path)] == ["go test ./..."]


def test_what_a_workflow_refers_to_is_followed_to_the_tools(tmp_path: Path) -> None:
    steps = "[{run: tox -e lint}, {run: make types}, {run: npm run check}, {run: nox -s tests}, {run: ./ci.sh}]"
    found = read(
        tmp_path,
        __github_in_workflows_in_ci__yml=f"on: push\njobs: {{a: {{steps: {steps}}}}}\n",
        tox__ini="[testenv:lint]\ncommands = ruff check {posargs:src}\n",
        Makefile="types:\n\tmypy $(PACKAGE)\nPACKAGE = pkg\n",
        package__json='{"scripts": {"check": "npm run lint && tsc", "lint": "eslint ."}}',
        noxfile__py="import nox\n@nox.session\ndef tests(session):\n    session.run('pytest', *session.posargs)\n",
        ci__sh="#!/bin/sh\nset -e\ngo vet ./...\n",
    )
    assert found == [
        ("ruff check src", ".", "tox.ini: lint"),
        ("mypy pkg", ".", "Makefile: types"),
        ("eslint .", ".", "package.json: lint"),
        ("tsc", ".", "package.json: check"),
        ("pytest", ".", "noxfile.py: tests"),
        ("set -e", ".", "ci.sh"),
        ("go vet ./...", ".", "ci.sh"),
    ]


def test_node_runs_a_script_by_itself(tmp_path: Path) -> None:
    found = read(
        tmp_path,
        __github_in_workflows_in_ci__yml="on: push\njobs: {a: {steps: [{run: node --run style -- --quiet}]}}\n",
        package__json='{"scripts": {"prestyle": "npm run build", "build": "tsc", "style": "eslint ."}}',
    )
    assert found == [("eslint . --quiet", ".", "package.json: style")]


def test_tox_runs_its_list_with_factors_references_and_folders(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    text = """
    [tox]
    envlist = py{311,312}, lint, pages, docs, benchmark
    [testenv]
    commands =
        {env:COVER:{env:RUN:}} pytest {posargs:{env:WORDS:tests}}
        - flaky
    [testenv:lint]
    changedir = {toxinidir}
    commands =
        {[base]check}
        py311: never
        mypy \\
            pkg
    [testenv:pages]
    changedir = docs
    commands = sphinx-build -W . {envtmpdir}
    [testenv:docs]
    commands = pytest --doctest-glob=*.md
    [base]
    check = ruff check
    """
    assert every(tmp_path, tox__ini=text) == (
        OwnCall(("pytest", "tests"), ".", "tox.ini: testenv"),
        OwnCall(("ruff", "check"), ".", "tox.ini: lint"),
        OwnCall(("mypy", "pkg"), ".", "tox.ini: lint"),
        OwnCall(("sphinx-build", "-W", ".", "$UNKNOWN"), "docs", "tox.ini: pages", whole=False),
    )


@pytest.mark.parametrize(
    ("env", "run"),
    [("TOXENV: style", "python -m tox"), ("OTHER: 1", "TOXENV=style tox"), ("NOXSESSION: style", "nox")],
)
def test_a_variable_names_what_tox_and_nox_run_as_an_option_does(tmp_path: Path, env: str, run: str) -> None:
    found = every(
        tmp_path,
        __github_in_workflows_in_ci__yml=f"on: push\njobs: {{a: {{env: {{{env}}}, steps: [{{run: {run}}}]}}}}\n",
        tox__ini="[tox]\nenvlist = py\n[testenv]\ncommands = pytest\n[testenv:style]\ncommands = ruff check\n",
        noxfile__py="import nox\n@nox.session(default=False)\ndef style(s):\n    session.run('ruff', 'check')\n",
    )
    assert [(one.words, one.caller) for one in found] == [(("ruff", "check"), "ci"), (("pytest",), "")]


def test_a_call_that_only_ci_could_tell_is_whole_where_it_is_written_whole_too(tmp_path: Path) -> None:
    found = every(
        tmp_path,
        __github_in_workflows_in_ci__yml="on: push\njobs: {a: {steps: [{run: 'tox $(more)'}]}}\n",
        tox__ini="[tox]\nenvlist = style\n[testenv:style]\ncommands = flake8 pkg\n",
    )
    assert found == (OwnCall(("flake8", "pkg"), ".", "tox.ini: style", caller="ci"),)


def test_tox_in_toml_is_read_too(tmp_path: Path) -> None:
    text = """
    env_list = ["3.12", "types"]
    [env_run_base]
    commands = [["pytest", {replace = "posargs", default = ["tests"], extend = true}]]
    [env.types]
    commands = [["mypy", "a b"]]
    """
    assert read(tmp_path, tox__toml=text) == [("pytest", ".", "tox.toml: 3.12"), ("mypy a b", ".", "tox.toml: types")]


def test_nox_runs_its_default_sessions_literals_only(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    text = """
    import nox
    nox.options.sessions = ["lint", "tests"]
    WHERE = "src"
    @nox.session(python=["3.11", "3.12"])
    def tests(session):
        session.install(".")
        session.chdir("sub")
        session.run("pytest", "-x", *session.posargs)
    @nox.session(name="lint")
    def linting(session):
        session.run("ruff", "check", WHERE)
        if session.posargs:
            session.run("never")
    @nox.session
    def docs(session):
        session.run("sphinx-build")
    """
    assert every(tmp_path, noxfile__py=text) == (
        OwnCall(("ruff", "check", "$UNKNOWN"), ".", "noxfile.py: lint", whole=False),
        OwnCall(("pytest", "-x"), "sub", "noxfile.py: tests"),
    )


@pytest.mark.parametrize(("files", "expected"), tables.rows("tasks-read", "files", "expected"))
def test_tasks_of_the_usual_names_are_read(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert [(words, source) for words, _, source in read(tmp_path, **files)] == expected


def test_tasks_of_other_names_are_not_what_is_run_by_default(tmp_path: Path) -> None:
    assert every(tmp_path, Makefile="docs:\n\tmake html\nrelease:\n\ttwine upload\n") == ()


@pytest.mark.parametrize(
    "name", ["Makefile", "tox__ini", "package__json", "noxfile__py", "Taskfile__yml", "pyproject__toml"]
)
def test_a_file_that_cannot_be_read_says_nothing(tmp_path: Path, name: str) -> None:
    assert every(tmp_path, **{name: "\x00{[:\n\t- ="}) == ()


def test_what_python_says_of_a_file_that_it_reads_reaches_nobody(
    tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    text = "HALF = 1if 2else 3\n@nox.session\ndef tests(session):\n    session.run('pytest', '\\d')\n"
    assert read(tmp_path, noxfile__py=text) == [("pytest \\d", ".", "noxfile.py: tests")]
    assert list(recwarn) == []


def test_tasks_that_call_one_another_end(tmp_path: Path) -> None:
    scripts = '{"scripts": {"test": "npm run check", "check": "npm test && jest"}}'
    assert {words for words, _, _ in read(tmp_path, package__json=scripts)} == {"jest"}


def test_hooks_of_pre_commit_say_what_nobody_else_calls(tmp_path: Path) -> None:
    text = """
    repos:
      - repo: https://example.invalid/mirrors-mypy
        hooks: [{id: mypy, args: [--strict], files: "^(src|tests)/", exclude: "_gen"}]
      - repo: https://example.invalid/ruff-pre-commit
        hooks: [{id: ruff, args: [--fix]}, {id: check-yaml}, {id: bandit, stages: [manual]}]
      - repo: local
        hooks: [{id: own, entry: uv run pylint pkg, language: system}]
    """
    found = every(tmp_path, __pre_dash_commit_dash_config__yaml=text, Makefile="lint:\n\truff check src\n")
    assert found == (
        OwnCall(("ruff", "check", "src"), ".", "Makefile: lint"),
        OwnCall(("pre-commit", "run", "--all-files"), ".", ".pre-commit-config.yaml"),
        OwnCall(
            ("mypy", "--strict"),
            ".",
            ".pre-commit-config.yaml: mypy",
            apart=True,
            given=HookFiles(("^(src|tests)/",), ("_gen",), ("file",), ("python", "pyi")),
        ),
        OwnCall(("pylint", "pkg"), ".", ".pre-commit-config.yaml: own", given=HookFiles(types=("file",))),
    )


def test_a_folder_that_is_none_of_the_projects_is_not_where_a_check_runs(tmp_path: Path) -> None:
    found = every(tmp_path, tox__ini="[tox]\nenvlist = a\n[testenv]\nchangedir = .tox\ncommands = pytest ../tests\n")
    assert found == (OwnCall(("pytest", "../tests"), ".", "tox.ini: testenv", whole=False),)


TARGETS = "".join(f"a{n}: a{n + 1} a{n + 1} a{n + 1}\n" for n in range(40))
VARIABLES = "".join(f"A{n} = {f'$(A{n + 1})' * 50}\n" for n in range(9))
REFERENCES = "".join(f"a{n} = {f'{{[x]a{n + 1}}}' * 50}\n" for n in range(9))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Makefile", f"check: a0\n\tpytest\n\tmypy $(A0)\n{TARGETS}{VARIABLES}A9 = x\n"),
        ("tox__ini", f"[tox]\nenvlist=a\n[testenv]\ncommands = mypy {{[x]a0}}\n[x]\n{REFERENCES}"),
        ("__github_in_workflows_in_ci__yml", "on: push\njobs: {a: {steps: 5}, b: 6}\n"),
        ("__pre_dash_commit_dash_config__yaml", "repos: 5\n"),
        ("ci__sh", "#!/bin/sh\nX=a\n" + "X=$X$X\n" * 60 + "mypy $X\n"),
    ],
    ids=["tasks and variables", "references", "no steps", "no hooks", "a doubling word"],
)
def test_a_project_that_means_harm_is_read_in_bounds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str
) -> None:
    monkeypatch.setattr(scripts, "_SECONDS", 0.5)
    write(tmp_path, {name: text, **({"Makefile": "check:\n\t./ci.sh\n"} if name == "ci__sh" else {})})
    began = time.monotonic()
    assert all(call.words[0] in ("mypy", "pytest") for call in scripts.read(str(tmp_path), ()))
    assert time.monotonic() - began < 60


def test_nothing_outside_of_the_project_is_where_a_check_runs(tmp_path: Path) -> None:
    hook = "repos: [{repo: local, hooks: [{id: own, entry: sh -c x}, {id: out, entry: cd .. && pylint x}]}]\n"
    makefile = "check:\n\tcd .. && pytest\n\tcd /tmp && mypy\n"
    found = every(tmp_path, Makefile=makefile, __pre_dash_commit_dash_config__yaml=hook)
    outside = [(one.words[0], one.folder, one.whole) for one in found if one.words[0] in ("pytest", "mypy", "pylint")]
    assert outside == [("pytest", ".", False), ("mypy", ".", False), ("pylint", ".", False)]


@pytest.mark.parametrize(("files", "expected"), tables.rows("variables-of-calls", "files", "expected"))
def test_the_literal_variables_of_a_call_go_with_it(
    tmp_path: Path, files: dict[str, str], expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert [(" ".join(one.words), one.env) for one in every(tmp_path, **files)] == expected
