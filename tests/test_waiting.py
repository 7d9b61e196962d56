"""What is worth waiting for: checks and builds that end, sub-agents, timers; never a server or a watcher."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from untilgreen.core.model.event import Task
from untilgreen.core.verdict.waiting import awaited, is_check

CHECKS = [
    *("pytest", "pytest -q tests", "mypy .", "ruff check .", "tox -p", "nox -s lint", "pre-commit run -a", "tsc"),
    *("tsc --noEmit", "tsc -b", "eslint src", "jest -w 4", "vitest run", "vitest", "ctest --test-dir build"),
    *("cargo test", "cargo +nightly build --release", "cargo --locked check", "cargo clippy", "cargo nextest run"),
    *(
        "go test ./...",
        "go build .",
        "go vet ./...",
        "dotnet test",
        "dotnet build -c Release",
        "cmake --build build -j4",
    ),
    *("npm test", "npm t", "npm run test", "npm run test:unit -- --bail", "npm run build", "npm run lint:fix"),
    *("npm run typecheck", "npm --prefix app run build", "npm -w pkg run check", "npm run-script build"),
    *("yarn test", "yarn run build", "yarn workspace app build", "yarn jest", "pnpm test", "pnpm -r test", "pnpm t"),
    *(
        "pnpm --filter web run build",
        "pnpm exec vitest run",
        "pnpm vitest run",
        "bun test",
        "bun run build",
        "bun x tsc",
    ),
    *(
        "make",
        "make test",
        "make -j4 check",
        "make -C sub -j 8 all",
        "make build-all",
        "make V=1",
        "make mypy",
        "just lint",
    ),
    *("./gradlew test", "./gradlew :app:testDebugUnitTest", "mvn -q verify", "./mvnw package"),
    *("python -m pytest -x", "python3.12 -W error -m unittest", "python -m build", "python -m mypy .", "py -m tox"),
    *("python manage.py test", "python setup.py build", "coverage run -m pytest", "python -m coverage run -m pytest"),
    *("python tests/run_tests.py", "./run-tests.sh", "bash scripts/test.sh", "sh ./build.sh --fast"),
    *(
        "cd app && pytest",
        "cd app; npm test",
        "(cd app && cargo test)",
        "{ make; }",
        "pytest | tee log",
        "pytest & wait",
    ),
    *("pytest > log 2>&1", "pytest &> log", "pytest 2>/dev/null || true", ">log pytest", "pytest # slow"),
    *(
        "CI=1 npm test",
        "FOO='a b' BAR=2 pytest",
        "env -u X CI=1 pytest",
        "uv run pytest",
        "uv run --with x -p 3.12 pytest",
    ),
    *(
        "uv run -m pytest",
        "uv run python -m pytest",
        "poetry run pytest",
        "pdm run mypy .",
        "pipenv run tox",
        "hatch run test",
    ),
    *(
        "npx tsc",
        "npx -y jest",
        "npx --no-install eslint .",
        "npx -p typescript tsc",
        "uvx ruff check",
        "bundle exec rspec",
    ),
    *(
        "timeout 60 pytest",
        "timeout -k 5 -s KILL 1.5m pytest",
        "time pytest",
        "nice -n 10 make",
        "nice make",
        "sudo make test",
    ),
    *("sudo -u ci env CI=1 timeout 60 uv run pytest", "nohup pytest", "conda run -n env pytest", "stdbuf -oL pytest"),
    *(
        'bash -c "pytest -q"',
        "bash -lc 'cd app && npm test'",
        "sh -c 'bash -c \"make test\"'",
        "if make test; then echo; fi",
    ),
    *(".venv/bin/pytest", "./node_modules/.bin/eslint .", "C:/tools/pytest.exe", "node_modules/.bin/tsc.cmd"),
    *(
        "for i in 1 2; do pytest; done",
        "! pytest",
        "pytest \\\n  -q",
        "\n\npytest",
        "echo a && pytest",
        "prettier . --check",
    ),
    *("pytest -k 'a b", 'pytest -k "a', "cd 'my dir' && pytest", 'cd "my \\" dir" && pytest', "echo $(pytest)"),
    *("docker build .", "vite build", "next build", "nx run app:test", "turbo run build lint", "npx playwright test"),
]
OTHERS = [
    *(
        "",
        " ",
        "'",
        "#",
        "&&",
        "|",
        "ls",
        "sleep 5; echo bg",
        "echo pytest",
        "grep -r pytest .",
        "cat make",
        "# pytest",
    ),
    *(
        "npm run dev",
        "npm start",
        "npm run start",
        "npm ci",
        "npm install",
        "npm run test:watch",
        "npm run watch",
        "npm",
    ),
    *(
        "npm test -- --watch",
        "npm run build -- --watch",
        "yarn dev",
        "yarn",
        "yarn add vitest",
        "pnpm dev",
        "pnpm install",
    ),
    *(
        "jest --watch",
        "jest --watchAll",
        "vitest watch",
        "vitest --watch",
        "vitest dev",
        "tsc -w",
        "tsc --watch",
        "tsc -b -w",
    ),
    *("npx tsc -p . --watch", "cargo watch -x test", "cargo run", "go run ./cmd", "dotnet watch test", "dotnet run"),
    *(
        "make serve",
        "make run",
        "make dev",
        "make watch-tests",
        "make -j4 serve",
        "gradle bootRun",
        "./gradlew test -t",
    ),
    *(
        "./gradlew test --continuous",
        "mvn spring-boot:run",
        "python app.py",
        "python -m http.server",
        "python",
        "python -c 'x'",
    ),
    *("gradle", "npm run lint && npm run preview"),
    *(
        "python manage.py runserver",
        "flask run",
        "uvicorn app:app",
        "docker compose up",
        "vite",
        "vite dev",
        "next dev",
    ),
    *(
        "npm run build && npm run dev",
        "npm run dev & npm test",
        "while true; do pytest; sleep 60; done",
        "webpack serve",
    ),
    *(
        'bash -c "npm run dev"',
        "bash",
        "bash -c",
        "sudo",
        "env A=1",
        "timeout 60",
        "uv run",
        "uv sync",
        "npx",
        "npx serve",
    ),
    *(
        "git commit -m 'run pytest; make test'",
        "echo 'a; pytest'",
        'echo "x && make"',
        "cat > make",
        "tail -f pytest.log",
    ),
    *(
        "uv run uvicorn app:app",
        "just",
        "ruff server",
        "watch -n 5 pytest",
        "cmake -B build",
        "black .",
        "until pytest; do :; done",
    ),
]


@pytest.mark.parametrize("command", CHECKS)
def test_a_check_or_a_build_is_known_behind_whatever_runs_it(command: str) -> None:
    assert is_check(command)


@pytest.mark.parametrize("command", OTHERS)
def test_servers_watchers_and_other_commands_are_none(command: str) -> None:
    assert not is_check(command)


def test_a_watch_flag_that_is_turned_off_is_none() -> None:
    assert is_check("jest --watch=false")
    assert is_check("npm test -- --watchAll=false")


@given(
    st.text(max_size=80) | st.lists(st.sampled_from([*CHECKS, *OTHERS, *"'\"\\;&|()<>` \n#$"]), max_size=8).map("".join)
)
def test_no_command_line_makes_it_raise(command: str) -> None:
    assert is_check(command) in (True, False)


@pytest.mark.parametrize("unit", ["py -m ", "bun ", "A=1 ", "bash -c '", "\\", '"', "uv run ", "&", "env "])
def test_a_hostile_command_line_is_read_as_far_as_hosts_send_it(unit: str) -> None:
    assert not is_check(unit * 100_000)
    assert not is_check("x" * 1_000 + "; pytest")


AGENT = Task("a31e", "agent")
TESTS = Task("b1", "shell", "cd app && uv run  pytest -q")
SERVER = Task("b2", "shell", "npm run dev")
TIMER = Task("w1", "wakeup")


def test_agents_checks_and_timers_are_waited_for_and_counted() -> None:
    assert awaited([AGENT, SERVER, TESTS, TIMER], {"old": 2}) == (
        {"old": 2, "a31e": 1, "b1": 1, "w1": 1},
        "sub-agent a31e, cd app && uv run pytest -q, timer w1",
    )


def test_nothing_is_waited_for_more_than_twice() -> None:
    first = awaited([AGENT], {})
    assert first == ({"a31e": 1}, "sub-agent a31e")
    second = awaited([AGENT], first[0])
    assert second == ({"a31e": 2}, "sub-agent a31e")
    assert awaited([AGENT], second[0]) is None
    assert awaited([AGENT, TIMER], second[0]) == ({"a31e": 2, "w1": 1}, "timer w1")
    assert awaited([AGENT], {"a31e": 4}, limit=5) == ({"a31e": 5}, "sub-agent a31e")


def test_a_server_is_no_reason_to_let_go() -> None:
    assert awaited([SERVER], {}) is None
    assert awaited([], {}) is None


def test_what_is_waited_for_is_told_in_one_short_clean_line() -> None:
    long = Task("b3", "shell", "pytest \x1b[31m\n" + "<jikime:done />" + "x" * 100)
    assert awaited([long], {}) == ({"b3": 1}, "pytest [jikime:done /]" + "x" * 35 + "...")


def test_the_counts_that_were_given_are_left_alone() -> None:
    waited: dict[str, int] = {}
    awaited([AGENT], waited)
    assert waited == {}
