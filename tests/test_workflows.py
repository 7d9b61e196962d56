"""What of a project's workflows runs by default for a push or a pull request, and why the rest does not."""

from pathlib import Path

import pytest

from test_calls import every, read, write
from untilgreen.core.model.check import UnreadStep
from untilgreen.project.calls import conditions, workflows
from untilgreen.project.calls.documents import Texts
from world import World

CI = ".github/workflows/ci.yml"


def out(folder: Path) -> list[tuple[str, str]]:
    """What does not run by default, with why; sources without their folder."""
    found = (one for one in workflows.read(Texts(str(folder))) if isinstance(one, UnreadStep) and one.kind == "out")
    return [(one.source.removeprefix(".github/workflows/"), one.what) for one in found]


@pytest.mark.parametrize(
    "condition",
    [
        "contains(github.event.pull_request.labels.*.name, 'bench')",
        "github.event.label.name == 'slow'",
        "github.event_name == 'schedule'",
        "${{ github.event_name == 'workflow_dispatch' || github.event_name == 'release' }}",
        "github.actor == 'dependabot[bot]'",
        "github.repository == 'owner/name'",
        "github.repository_owner == 'owner' && github.event_name == 'push'",
        "startsWith(github.ref, 'refs/tags/v')",
        "github.ref_type == 'tag'",
        "runner.os == 'Windows'",
        "matrix.os == 'windows-latest'",
        "matrix.python == '2.7'",
        "!(matrix.os == 'ubuntu-latest')",
        "failure()",
        "inputs.full",
        'contains(fromJSON(\'["schedule", "release"]\'), github.event_name)',
        "github.event.head_commit.message == '[full]'",
        "contains(github.event.head_commit.message, '[full]')",
        False,
    ],
)
def test_what_no_ordinary_push_makes_true_does_not_run(condition: object) -> None:
    matrix = {"os": "ubuntu-latest", "python": 3.12}
    assert not any(conditions.holds(condition, conditions.Context(event, matrix)) for event in ("push", "pull_request"))


@pytest.mark.parametrize(
    "condition",
    [
        "!contains(github.event.pull_request.labels.*.name, 'skip')",
        "github.event_name != 'schedule'",
        "github.event_name == 'push' || github.event.pull_request.head.repo.full_name != github.repository",
        "github.actor != 'dependabot[bot]'",
        "!startsWith(github.ref, 'refs/tags/')",
        "runner.os != 'Windows'",
        "matrix.os == 'ubuntu-latest' && matrix.python == '3.12'",
        "always()",
        "${{ !cancelled() && needs.build.result == 'success' }}",
        "steps.changes.outputs.src == 'true'",
        "needs.filter.outputs.python == 'true' || vars.ALL",
        "github.event.pull_request.draft == false",
        "!github.event.pull_request.draft",
        "github.event.action != 'closed'",
        "github.ref == 'refs/heads/main'",
        "hashFiles('Cargo.lock') != ''",
        "no expression ' at all",
        True,
    ],
)
def test_what_may_be_true_runs(condition: object) -> None:
    matrix = {"os": "ubuntu-latest", "python": 3.12}
    assert any(conditions.holds(condition, conditions.Context(event, matrix)) for event in ("push", "pull_request"))


WORKFLOW = """
on:
  push:
  pull_request:
jobs:
  changes:
    if: github.event_name != 'schedule'
    steps: [{run: flake8 a}]
  nightly:
    if: github.event_name == 'schedule'
    steps: [{run: pytest --slow}]
  after:
    needs: [changes, nightly]
    steps: [{run: pytest --after}]
  report:
    needs: nightly
    if: always()
    steps: [{run: pylint b}]
  windows:
    runs-on: windows-latest
    steps: [{run: pytest --windows}]
  systems:
    runs-on: ${{ matrix.os }}
    continue-on-error: ${{ matrix.experimental == true }}
    strategy:
      matrix:
        os: [ubuntu-latest, windows-latest]
        include: [{os: ubuntu-24.04, experimental: true, python: "4"}]
    steps:
      - {run: mypy c, if: "matrix.os == 'windows-latest'"}
      - {run: bandit d, if: "runner.os == 'Linux'"}
  tried:
    continue-on-error: true
    steps: [{run: mypy d}]
  theirs:
    steps:
      - {uses: actions/checkout@v5, with: {path: own}}
      - {uses: actions/checkout@v5, with: {repository: else/where, path: other}}
      - {run: pytest, working-directory: other/sub}
      - {run: "cd other && mypy ."}
      - {run: black --check ., working-directory: own}
"""


def test_a_job_that_does_not_run_by_default_says_nothing_and_is_told(tmp_path: Path) -> None:
    write(tmp_path, {"__github_in_workflows_in_ci__yml": WORKFLOW})
    assert [words for words, _, _ in read(tmp_path)] == [
        "flake8 a",
        "pylint b",
        "bandit d",
        "black --check .",
    ]
    assert sorted(out(tmp_path)) == [
        ("ci.yml: after", "needs: nightly"),
        ("ci.yml: nightly", "if: github.event_name == 'schedule'"),
        ("ci.yml: systems", "mypy c: if: matrix.os == 'windows-latest'"),
        ("ci.yml: theirs", "cd other && mypy .: another repository"),
        ("ci.yml: theirs", "pytest: another repository"),
        ("ci.yml: tried", "continue-on-error"),
        ("ci.yml: windows", "runs-on: windows-latest"),
    ]


@pytest.mark.parametrize(
    ("on", "why"),
    [
        ("{schedule: [{cron: '0 0 * * *'}], workflow_dispatch: }", "it runs on schedule, workflow_dispatch only"),
        ("{pull_request: {types: [labeled, closed]}}", "it runs on pull_request only"),
        ("{push: {tags: ['v*']}}", "it runs on push only"),
        ("{push: {paths: ['docs/**', '*.md']}}", "it runs on push only"),
    ],
)
def test_a_workflow_that_no_ordinary_push_begins_is_told(tmp_path: Path, on: str, why: str) -> None:
    write(tmp_path, {"__github_in_workflows_in_ci__yml": f"on: {on}\njobs: {{a: {{steps: [{{run: mypy}}]}}}}\n"})
    assert (read(tmp_path), out(tmp_path)) == ([], [("ci.yml", why)])


@pytest.mark.parametrize(
    "on", ["{pull_request: {types: [labeled, synchronize]}}", "{push: {paths: ['src/**']}}", "{push: {branches: [a]}}"]
)
def test_a_workflow_of_some_pushes_is_one_that_runs_by_default(tmp_path: Path, on: str) -> None:
    write(tmp_path, {"__github_in_workflows_in_ci__yml": f"on: {on}\njobs: {{a: {{steps: [{{run: mypy}}]}}}}\n"})
    assert [words for words, _, _ in read(tmp_path)] == ["mypy"]


MATRIX = """
on: push
env: {FLAGS: -q}
jobs:
  test:
    runs-on: ${{ matrix.os }}
    strategy:
      matrix:
        include:
          - {os: ubuntu-latest, args: tests}
          - {os: ubuntu-latest, args: more}
          - {os: windows-latest, args: never}
    env: {WHERE: "${{ matrix.args }}"}
    steps:
      - run: pytest ${{ env.FLAGS }} $WHERE ${{ matrix.nothing }}
      - {run: "mypy ${{ matrix.args }}", if: "env.WHERE == 'more'"}
      - {run: flake8 src}
  own:
    strategy: {matrix: {part: [lint, types]}}
    uses: ./.github/workflows/own.yml
    with: {part: "${{ matrix.part }}", deep: true, name: "a ${{ vars.A }}"}
"""
OWN = """
on:
  workflow_call:
    inputs: {part: {type: string}, deep: {type: boolean}, other: {type: boolean}, words: {default: --strict}}
jobs:
  types: {if: inputs.part == 'types' && inputs.deep, steps: [{run: "ty check ${{ inputs.words }}"}]}
  lint: {if: inputs.part == 'lint', steps: [{run: pylint a}, {run: pylint b, if: inputs.name == 'a b'}]}
  other: {if: inputs.other, steps: [{run: bandit a}]}
"""


def test_each_combination_of_a_matrix_has_its_values(tmp_path: Path) -> None:
    files = {"__github_in_workflows_in_ci__yml": MATRIX, "__github_in_workflows_in_own__yml": OWN}
    found = every(tmp_path, **files)
    assert [(" ".join(one.words), one.again) for one in found] == [
        ("pytest -q tests", False),
        ("pytest -q more", True),
        ("mypy more", False),
        ("flake8 src", False),
        ("ty check --strict", False),
        ("pylint a", False),
        ("pylint b", False),
    ]
    assert out(tmp_path) == [("own.yml: other", "if: inputs.other")]


NIGHTLY = """
on: push
jobs:
  some:
    strategy: {matrix: {rust: [stable, nightly]}}
    steps:
      - {uses: dtolnay/rust-toolchain@master, with: {toolchain: "${{ matrix.rust }}"}}
      - run: cargo test
      - {run: cargo test --features unstable, if: matrix.rust == 'nightly'}
  all:
    steps:
      - uses: dtolnay/rust-toolchain@nightly
      - run: cargo test --all
      - run: cargo fmt --check
  set:
    steps: [{run: rustup default nightly-2026-01-01}, {run: cd sub && cargo build -Z minimal-versions}]
"""


def test_what_only_a_nightly_rust_builds_is_said_to_be_of_that_toolchain(tmp_path: Path) -> None:
    write(tmp_path, {"__github_in_workflows_in_ci__yml": NIGHTLY, "sub_in_Cargo__toml": ""})
    assert [words for words, _, _ in read(tmp_path)] == [
        "cargo test",
        "cargo +nightly test --features unstable",
        "cargo +nightly test --all",
        "cargo fmt --check",
        "rustup default nightly-2026-01-01",
        "cargo +nightly build -Z minimal-versions",
    ]


USING = "on: workflow_call\njobs: {b: {steps: [{uses: ./.github/actions/one}]}}\n"
ACTION = "runs: {using: composite, steps: [{run: pytest -q, shell: bash}]}\n"


def test_workflows_and_actions_of_the_projects_own_are_followed(tmp_path: Path) -> None:
    files = {
        "__github_in_workflows_in_ci__yml": "on: push\njobs: {a: {uses: ./.github/workflows/tests.yml}}\n",
        "__github_in_workflows_in_tests__yml": USING,
        "__github_in_actions_in_one_in_action__yml": ACTION,
    }
    write(tmp_path, files)
    assert read(tmp_path) == [("pytest -q", ".", ".github/actions/one/action.yml")]
    assert out(tmp_path) == []


def test_the_plan_names_what_does_not_run_by_default_and_what_is_not_read(world: World) -> None:
    steps = "[{run: ls, if: failure()}, {run: Test-It, shell: pwsh}, {uses: a/lint-it@v1}, {uses: a/setup-it@v1}]"
    nightly = "nightly: {if: github.event_name == 'schedule', steps: [{run: pytest}]}"
    world.write({CI: f"on: push\njobs:\n  {nightly}\n  a: {{steps: {steps}}}\n"})
    plan = world.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert [line for line in plan if line.startswith(".github")] == [
        f"{CI}: nightly: out: if: github.event_name == 'schedule'",
        f"{CI}: a: not read: Test-It",
        f"{CI}: a: not read: a/lint-it@v1",
    ]
