"""What people test with and no checker here reads: named with its command where nothing runs it, else run, and its
failing tests read from the report that it leaves."""

import json
import os
import shutil
import subprocess
from collections.abc import Mapping

import pytest

from test_green import CI, begun, left, workflow
from world import World

MAVEN = "pom.xml, but Maven is not one of ours: --check 'test=mvn -q test'"
SERVED = "on: push\njobs:\n  check:\n    services: {db: {image: postgres}}\n    steps:\n      - run: mvn -B verify\n"
CTEST = 'sh -c "cmake --build build && ctest --test-dir build"'
CMAKE = "cmake_minimum_required(VERSION 3.10)\nproject(a NONE)\nenable_testing()\n"
RAKE = "Gemfile, but Ruby is not one of ours: --check 'test=bundle exec rake test'"


@pytest.fixture
def bare(world: World) -> World:
    """A world in which no program of these is there."""
    world.env["PATH"] = str(world.programs)
    return world


def named(world: World) -> list[str]:
    """What `check` says of them, and `--explain-plan`, which is the same."""
    said = world.run("untilgreen", "check").stdout.splitlines()
    planned = world.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    found = [line for line in said if "is not one of ours" in line]
    assert [line for line in planned if "is not one of ours" in line] == found
    return found


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"pom.xml": ""}, MAVEN),
        ({"pom.xml": "", "mvnw": ""}, MAVEN.replace("mvn -q", "./mvnw -q")),
        ({"pom.xml": "", CI: SERVED}, MAVEN.replace("mvn -q test", "mvn -B verify")),
        (
            {"build.gradle.kts": "", "gradlew": ""},
            "build.gradle.kts, but Gradle is not one of ours: --check 'test=./gradlew test'",
        ),
        ({"shop.sln": "", "src/a.csproj": ""}, "shop.sln, but .NET is not one of ours: --check 'test=dotnet test'"),
        ({"Gemfile": "", "test/a_test.rb": ""}, RAKE),
        ({"Gemfile": "", "spec/models/a_spec.rb": ""}, RAKE.replace("rake test", "rspec")),
        (
            {"phpunit.xml.dist": ""},
            "phpunit.xml.dist, but PHPUnit is not one of ours: --check 'test=vendor/bin/phpunit'",
        ),
        ({"test/a/b.bats": ""}, "test/a/b.bats, but bats is not one of ours: --check 'test=bats -r test'"),
        (
            {"CMakeLists.txt": "project(a)\nenable_testing()\n"},
            f"CMakeLists.txt, but CTest is not one of ours: --check 'test={CTEST}'",
        ),
        ({"mix.exs": ""}, "mix.exs, but Elixir is not one of ours: --check 'test=mix test'"),
    ],
)
def test_what_no_check_runs_is_named_with_its_command(bare: World, files: Mapping[str, str], expected: str) -> None:
    bare.write(files)
    assert named(bare) == [expected]


@pytest.mark.parametrize(
    "files",
    [
        {"tests/data/pom.xml": "", "test_a.py": "def test_a(): ...\n"},  # what tests are fed with
        {"CMakeLists.txt": "project(a)\n"},  # it has no tests
        {"Gemfile": "gem 'jekyll'\n"},
        {"pom.xml": "", CI: workflow("mvn -B verify")},  # CI's own call is run as it is
        {"pom.xml": "", "Makefile": "test:\n\t./all-tests\n"},
        {"package.json": '{"scripts": {"test": "bats test"}}', "test/a.bats": ""},
        {"pom.xml": "", "untilgreen.toml": '[checks.unit]\ncommand = "mvn test"\n'},
    ],
)
def test_nothing_is_named_where_something_runs_it_or_it_is_not_the_projects(
    bare: World, files: Mapping[str, str]
) -> None:
    bare.write(files)
    assert named(bare) == []


def test_it_is_told_at_the_start_by_init_and_at_an_end_that_nothing_checked(world: World) -> None:
    (world.programs / "mvn").symlink_to("/bin/true")
    world.write({"pom.xml": "<project/>\n"})
    line = f"{MAVEN} (mvn is installed)"
    assert line in world.run("untilgreen", "init").stdout.splitlines()
    begun = world.run("start-loop", "go on", "--session", world.session)
    assert line in begun.stdout.splitlines()
    world.write({"src/A.java": "class A {}\n"})
    assert world.stop().notice == f"■ ended unchecked: {line}"
    assert world.state["completion_reason"] == f"Green, but {line}"


@pytest.mark.parametrize(
    "name", [".circleci/config.yml", "azure-pipelines.yml", "Jenkinsfile", ".woodpecker/test.yaml"]
)
def test_a_ci_that_nobody_reads_is_named_where_no_other_is(bare: World, name: str) -> None:
    line = f"{name} is not read; name its checks with --check"
    bare.write({name: "script: make all-tests\n"})
    assert line in bare.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert line in bare.run("start-loop", "go on", "--session", bare.session).stdout.splitlines()
    bare.write({"a.txt": "work\n"})
    assert bare.stop().notice == f"■ ended unchecked: {line}"
    bare.write({CI: workflow("./all-tests")})
    assert line not in bare.run("untilgreen", "check", "--explain-plan").stdout.splitlines()


def test_steps_that_nobody_reads_are_counted_at_the_start_and_the_end_and_are_a_but_for_strict_alone(
    world: World,
) -> None:
    ci = workflow("ruff check", "docker run --rm shop ./probe", "pip install .", "cargo +beta test")
    world.write({"app.py": "VALUE = 1\n", CI: ci, ".github/workflows/more.yml": workflow("./built/probe.sh")})
    line = "not read: 3 steps of ci.yml, more.yml"
    assert line in world.run("untilgreen", "check").stdout.splitlines()
    assert json.loads(world.run("untilgreen", "check", "--json").stdout)["not_read"] == [line]
    assert line in world.run("start-loop", "go on", "--session", world.session).stdout.splitlines()
    world.write({"app.py": "VALUE = 2\n"})
    assert f" · ruff ✓ · {line}" in world.stop().notice
    assert (world.state["verified"], world.state["completion_reason"]) == (True, "All conditions satisfied")
    begun(world, "--strict")
    world.write({"app.py": "VALUE = 3\n"})
    assert world.stop().notice.startswith(f"✓ green, but {line} · after 1 round")
    assert (world.state["verified"], world.state["completion_reason"]) == (False, f"Green, but {line}")


def test_a_program_that_compares_with_what_git_knows_is_named_and_not_run(bare: World) -> None:
    tox = "[tox]\nenv_list = manifest\n[testenv:manifest]\ncommands = check-manifest\n"
    bare.write({"app.py": "VALUE = 1\n", "tox.ini": tox, ".venv/bin/check-manifest": "#!/bin/sh\nexit 1\n"})
    (bare.project / ".venv/bin/check-manifest").chmod(0o755)
    plan = bare.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert [line for line in plan if "manifest" in line] == ["tox.ini: manifest: not read: check-manifest"]


def test_a_script_of_ci_that_looks_at_the_work_tree_is_named_and_not_run_and_one_line_stands_for_all_of_a_script(
    bare: World,
) -> None:
    asks = "import subprocess, sys\nsys.exit(bool(subprocess.check_output(['git', 'status', '--porcelain'])))\n"
    many = "#!/bin/sh\nfail() { exit 1; }\nprobe --first\nprobe --then\nruff check\nfail\n"
    ci = workflow("python ci/unchanged.py", "ci/many.sh", "bash -c 'ruff check'", "echo ok >> $GITHUB_OUTPUT")
    bare.write({"app.py": "VALUE = 1\n", CI: ci, "ci/unchanged.py": asks, "ci/many.sh": many})
    plan = bare.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert [line for line in plan if "not read" in line or "unchanged" in line] == [
        f"{CI}: check: not read: python ci/unchanged.py",
        "ci/many.sh: not read: probe --first …",
    ]


def test_what_known_programs_run_that_is_none_of_theirs_is_named_and_what_prepares_or_npm_tests_anyway_is_not(
    bare: World,
) -> None:
    steps = ("cargo hack test", "go run example.org/staticcheck ./...", "git -C sub fetch", "vitest run --coverage")
    package = '{"scripts": {"test": "vitest"}}'
    many = "    strategy: {matrix: {target: [a, b]}}\n"
    crossed = workflow("cross test --target ${{ matrix.target }}").replace("    steps:", f"{many}    steps:")
    bare.write({"package.json": package, CI: workflow(*steps), ".github/workflows/more.yml": crossed})
    plan = bare.run("untilgreen", "check", "--explain-plan").stdout.splitlines()
    assert [line.partition(" not read: ")[2] for line in plan if "not read" in line] == [
        "cargo hack test",
        "go run example.org/staticcheck ./...",
        "cross test --target a",
    ]


def test_it_is_not_told_where_no_tests_are_asked_for(bare: World) -> None:
    bare.write({"pom.xml": ""})
    assert bare.run("untilgreen", "check", "--no-tests").stdout == (
        "✗ could not be judged · there is nothing here to check\n"
    )


# as surefire writes it; a runner of .NET's tests
SUREFIRE = """<?xml version="1.0" encoding="UTF-8"?>
<testsuite name="shop.TotalTest" tests="2" errors="0" skipped="0" failures="1">
  <testcase name="adds" classname="shop.TotalTest" time="0.01"/>
  <testcase name="rounds" classname="shop.TotalTest" time="0.02">
    <failure message="expected: &lt;2&gt; but was: &lt;3&gt;" type="org.opentest4j.AssertionFailedError">trace</failure>
  </testcase>
</testsuite>
"""
TRX = """<?xml version="1.0" encoding="utf-8"?>
<TestRun id="1" xmlns="http://microsoft.com/schemas/VisualStudio/TeamTest/2010"><Results>
  <UnitTestResult testName="Shop.TotalTest.Adds" outcome="Passed"/>
  <UnitTestResult testName="Shop.TotalTest.Rounds" outcome="Failed"><Output><ErrorInfo>
    <Message>Assert.Equal() Failure</Message>
    <StackTrace>   at Shop.TotalTest.Rounds() in ROOT/TotalTest.cs:line 7</StackTrace>
  </ErrorInfo></Output></UnitTestResult>
</Results></TestRun>
"""
WRITES = "#!/bin/sh\nmkdir -p {0}\ncp report {0}/{1}\necho BUILD FAILURE\nexit 1\n"


@pytest.mark.parametrize(
    ("program", "call", "place", "report", "expected"),
    [
        (
            *("mvn", "mvn -B verify", "core/target/surefire-reports/TEST-a.xml", SUREFIRE),
            "mvn: shop.TotalTest::rounds expected: <2> but was: <3>",
        ),
        (
            *("gradle", "gradle check", "build/test-results/test/TEST-a.xml", SUREFIRE),
            "test: shop.TotalTest::rounds expected: <2> but was: <3>",
        ),
        (
            *("dotnet", "dotnet test --logger trx", "Shop.Tests/TestResults/a.trx", TRX),
            "TotalTest.cs:7: Shop.TotalTest.Rounds Assert.Equal() Failure",
        ),
        (
            *("phpunit", "phpunit --log-junit build/junit.xml", "build/junit.xml", SUREFIRE),
            "test: shop.TotalTest::rounds expected: <2> but was: <3>",
        ),
    ],
)
def test_failing_tests_are_read_from_the_report_of_this_run(
    world: World, program: str, call: str, place: str, report: str, expected: str
) -> None:
    (world.programs / program).write_text(WRITES.format(*place.rpartition("/")[::2]))
    (world.programs / program).chmod(0o755)
    ci, name = program in ("mvn", "dotnet"), program if program in ("mvn", "dotnet") else "test"
    files = {"report": report.replace("ROOT", str(world.project)), "TotalTest.cs": "\n" * 9}
    world.write(files | ({CI: workflow(call)} if ci else {}))
    begun(world, *([] if ci else ["--check", f"test={call}"]))
    assert world.stop().held
    assert left(world) == [expected]
    assert world.state["snapshots"][-1]["ran"] == {name: 2}
    # a report of an earlier run says nothing of this one
    (world.programs / program).write_text("#!/bin/sh\n[ -e fixed ] && exit 0\necho out of memory\nexit 3\n")
    os.utime(world.project / place, (1, 1))
    world.write({"work.txt": "more"})
    assert world.stop().held
    assert [one.partition("exit-3 ")[2] for one in left(world)] == ["out of memory"]
    # nor does one that leaves none miss any test
    world.write({"fixed": ""})
    assert (world.stop().code, world.state["verified"]) == (0, True)


@pytest.mark.needs("ctest")
def test_failing_tests_of_ctest_are_read(world: World) -> None:
    for name in ("cmake", "ctest"):
        (world.programs / name).symlink_to(shutil.which(name) or "")
    tests = 'add_test(NAME good COMMAND sh -c "exit 0")\nadd_test(NAME bad COMMAND sh -c "echo wrong; exit 3")\n'
    world.write({"CMakeLists.txt": CMAKE + tests, ".gitignore": "build\n"})
    subprocess.run(["cmake", "-S", ".", "-B", "build"], cwd=world.project, check=True, capture_output=True)
    begun(world, "--check", "test=ctest --test-dir build --output-junit report.xml")
    assert world.stop().held
    assert left(world) == ["test: bad wrong"]


@pytest.mark.needs("ctest")
@pytest.mark.parametrize("call", ["ctest --test-dir build --output-on-failure", "cd build && ctest"])
def test_what_ctest_runs_is_built_before(world: World, call: str) -> None:
    for name in ("cmake", "ctest", "make"):
        (world.programs / name).symlink_to(shutil.which(name) or "")
    built = "add_custom_command(OUTPUT a COMMAND cp ${CMAKE_SOURCE_DIR}/a.txt a DEPENDS ${CMAKE_SOURCE_DIR}/a.txt)\n"
    tests = "add_custom_target(all_of_it ALL DEPENDS a)\nadd_test(NAME fine COMMAND grep fine a)\n"
    world.write({"CMakeLists.txt": CMAKE + built + tests, "a.txt": "fine\n", ".gitignore": "build\n"})
    for words in (["-S", ".", "-B", "build"], ["--build", "build"]):
        subprocess.run(["cmake", *words], cwd=world.project, check=True, capture_output=True)
    world.write({CI: workflow("cmake -B build", "cmake --build build", call)})
    begun(world, a__txt="wrong\n")
    assert world.stop().held
    assert left(world) == ["ctest@build: fine Failed" if "cd" in call else "ctest: fine Failed"]
    world.write({"a.txt": "fine again\n"})
    assert (world.stop().code, world.state["verified"]) == (0, True)


@pytest.mark.needs("bats")
def test_failing_tests_of_bats_are_read(world: World) -> None:
    (world.programs / "bats").symlink_to(shutil.which("bats") or "")
    world.write(
        {"test/a.bats": "@test 'adds' {\n  true\n}\n@test 'rounds' {\n  [ 2 = 3 ]\n}\n", CI: workflow("bats test")}
    )
    begun(world)
    assert world.stop().held
    assert left(world) == ["test/a.bats:5: rounds `[ 2 = 3 ]' failed"]
    world.write({"test/a.bats": "@test 'adds' {\n  true\n}\n"})
    assert world.stop().code == 0
    assert world.state["snapshots"][-1]["ran"] == {"bats": 1}
