"""The checkers, on recorded output of real tools and with the real tools of this environment."""

import json
import os
import subprocess
import sysconfig
from pathlib import Path
from typing import Any

import pytest

import archives
import tables
from outcomes import as_data
from untilgreen import checkers
from untilgreen.checkers import custom
from untilgreen.checkers.answer import Malformed, first_line, relative, tail
from untilgreen.checkers.checker import Checker, outcome
from untilgreen.checkers.python import ruff
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import CheckSetting

CASES = [f"{name}/{case}" for name in sorted(checkers.NAMES) for case in archives.cases(name)]


def recorded(case: str) -> tuple[Checker, Output, Setting]:
    tool, version, sample = case.split("/")
    stdout, stderr, report = (archives.text(case, part) for part in ("stdout", "stderr", "report.xml"))
    said = Output(int(archives.text(case, "code")), stdout, stderr, report=report)
    known = json.loads((archives.OUTPUTS / tool / "settings.json").read_text())
    wanted = {"root": ".", **known.get(sample, {}), **known.get(f"{version}/{sample}", {})}
    root = os.path.normpath(os.path.join("/project", wanted.pop("root")))
    return checkers.get(tool), said, Setting(tool=f"/tool/bin/{tool}", root=root, **wanted)


# versions, where no more can be installed; golangci-lint's are written after its documentation
FEWER = {"actionlint": 2, "cargo-build": 2, "gofmt": 1, "golangci-lint": 2}


@pytest.mark.parametrize("case", CASES)
def test_recorded_output_of_a_real_tool_ends_as_the_recorded_outcome(case: str) -> None:
    assert as_data(outcome(*recorded(case))) == json.loads(archives.text(case, "outcome.json"))


@pytest.mark.parametrize("name", checkers.NAMES)
def test_every_checker_has_a_clean_a_found_and_a_broken_case_of_each_version(name: str) -> None:
    versions = archives.versions(name)
    kinds = {
        version: {case: type(outcome(*recorded(f"{name}/{version}/{case}"))) for case in ("clean", "found", "broken")}
        for version in versions
    }
    expected = {"clean": Clean, "found": Found, "broken": Broken}
    assert (len(versions) >= FEWER.get(name, 3), kinds) == (True, dict.fromkeys(versions, expected))


def test_every_sample_is_recorded_for_every_version() -> None:
    wanted = {
        f"{tool}/{version}/{sample}"
        for tool in checkers.NAMES
        for sample in archives.samples(tool)
        for version in archives.versions(tool)
    }
    assert set(CASES) == wanted


@pytest.mark.parametrize("name", checkers.NAMES)
def test_a_checker_bears_the_name_it_is_found_by(name: str) -> None:
    assert checkers.get(name).name == name


# --- command lines --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted", "words"), tables.literal("checkers", "a tool is asked for what machines read")
)
def test_a_tool_is_asked_for_what_machines_read_and_never_to_edit(name: str, wanted: Any, words: str) -> None:
    argv = checkers.get(name).argv(Setting(tool="T", root="/project", **wanted))
    said = ["--exclude" if word.startswith("--exclude=.svn,") else word for word in argv]
    assert " ".join(said) == words


# --- what every checker's answer goes through -----------------------------------


def answering(result: Outcome | Malformed) -> Checker:
    def parse(_output: Output, _setting: Setting) -> Outcome:
        if isinstance(result, Malformed):
            raise result
        return result

    return Checker(
        name="tool", stage="static", seconds=1, argv=lambda setting: (setting.tool,), parse=parse, roots=lambda *_: ()
    )


FINDING = Diagnostic("tool", "a.py", 1, "R1", "error", "wrong")


@pytest.mark.parametrize(
    ("result", "output", "expected"),
    [
        (Clean(), Output(0, "", ""), Clean()),
        (Found((FINDING,)), Output(1, "", ""), Found((FINDING,))),
        (Found((FINDING,)), Output(0, "", ""), Found((FINDING,))),
        (Clean(), Output(1, "out\n", "err\n"), Broken("exit code 1 and no findings", "err\nout")),
        (Found(()), Output(2, "", ""), Broken("exit code 2 and no findings")),
        (Clean(), Output(None, "half", "", why="timed out after 120 s"), Broken("timed out after 120 s", "half")),
        (Clean(), Output(None, "", ""), Broken("did not end")),
        (Clean(), Output(0, "", "", why="said more than 64 MB"), Broken("said more than 64 MB")),
        (Clean(), Output(-9, "", ""), Broken("ended by signal 9")),
        (Malformed("no JSON\nat all"), Output(0, "hm", ""), Broken("no JSON", "hm")),
    ],
)
def test_only_a_clean_run_or_findings_are_not_broken(
    result: Outcome | Malformed, output: Output, expected: Outcome
) -> None:
    assert outcome(answering(result), output, Setting("/t", "/project")) == expected


def test_a_tail_holds_the_end_of_both_streams_without_blank_lines() -> None:
    many = "".join(f"{n}\n\n" for n in range(100))
    assert (
        tail(Output(1, many, "only\n")).split("\n"),
        tail(Output(1, many, many)).split("\n"),
        tail(Output(1, "", many)).split("\n"),
    ) == (
        ["only", *map(str, range(81, 100))],
        [*map(str, range(90, 100)), *map(str, range(90, 100))],
        [*map(str, range(80, 100))],
    )
    # it is cut at its beginning
    assert tail(Output(1, "a" * 5000 + "b", "")) == "a" * 1999 + "b"


def test_a_first_line_is_not_blank_and_bounded() -> None:
    assert (first_line("\n  \n  one two \nthree"), first_line("x" * 9, 4), first_line("\n")) == ("one two", "xxxx", "")


def test_a_path_below_the_root_is_relative_and_any_other_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    link = str(tmp_path / "link")
    assert [
        relative(f"{link}/a/b.py", link),
        relative(f"{tmp_path.resolve()}/real/b.py", link),
        relative("/elsewhere/b.py", link),
        relative("a/b.py", link),
        relative("/a.py", "/"),
    ] == ["a/b.py", "b.py", "/elsewhere/b.py", "a/b.py", "a.py"]


# --- ruff -----------------------------------------------------------------------


@pytest.mark.parametrize(("severity", "codes"), tables.literal("checkers", "letters before the digits decide how"))
def test_letters_before_the_digits_decide_how_severe_a_ruff_code_is(severity: str, codes: list[str]) -> None:
    assert {code: ruff.severity(code) for code in codes} == dict.fromkeys(codes, severity)


@pytest.mark.parametrize(
    ("output", "reason"),
    [
        (Output(0, "", ""), "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
        (Output(0, "{}", ""), "the answer has another shape: it is no list"),
        (Output(1, "[]", ""), "exit code 1 and no findings"),
        (Output(1, "[1]", ""), "the answer has another shape: message is missing"),
        (Output(1, '[{"code": 1}]', ""), "the answer has another shape: code is no text"),
        (Output(0, "[]", "error: Panicked while linting a.py: a bug"), "exit code 0: error: Panicked while linting a.py: a bug"),  # noqa: E501
        (Output(127, "", "pyenv: ruff: command not found"), "exit code 127"),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_ruffs_is_broken(output: Output, reason: str) -> None:
    result = outcome(checkers.get("ruff"), output, Setting("/t", "/project"))
    assert result == Broken(reason, tail(output))


# --- what is odd ----------------------------------------------------------------

CELL = {"code": "F401", "filename": "/project/n.ipynb", "message": "m", "location": {"row": 3}, "cell": 2}
NOTE = "a.py:1: error: A  [a]\na.py:2: note: b: error: c\nFound 2 errors in 1 file (checked 1 source file)\n"
TEST = '<testcase classname="a" name="b" file="a.py" line="0"'
TWICE = f'{TEST}/>{TEST}><error message="m"/></testcase>{TEST}><error message="m"/></testcase>'
TEARDOWN = '<testcase classname="a.B" name="c" file="a.py"><skipped/><error>\nm\n</error></testcase>'
ONE = ends.Tests(run=1, failed=1)


@pytest.mark.parametrize(
    ("name", "stdout", "report", "expected"),
    [
        ("ruff", json.dumps([CELL]), "", Found((Diagnostic("ruff", "n.ipynb", 0, "F401", "error", "cell 2: m"),))),
        ("mypy", NOTE, "", Found((Diagnostic("mypy", "a.py", 1, "a", "error", "A"), Diagnostic("mypy", "a.py", 2, "note", "info", "b: error: c")))),  # noqa: E501
        ("pytest", "", TWICE, Found((Diagnostic("pytest", "a.py", 1, "b", "test", "m"),), ONE)),
        ("pytest", "", TEARDOWN, Found((Diagnostic("pytest", "a.py", 0, "B::c", "test", "m"),), ONE)),
    ],
    ids=["a notebook's cell", "a note that quotes an error", "a test reported twice", "a skipped test's teardown"],
)  # fmt: skip
def test_what_is_odd_is_read_as_the_tool_means_it(name: str, stdout: str, report: str, expected: Found) -> None:
    report = f'<testsuites><testsuite name="pytest">{report}</testsuite></testsuites>'
    assert outcome(checkers.get(name), Output(1, stdout, "", report), Setting("/t", "/project")) == expected


# --- the user's own commands ----------------------------------------------------


def finding(rule: str, message: str) -> Found:
    return Found((Diagnostic("smoke", "", 0, rule, "error", message),))


@pytest.mark.parametrize(
    ("output", "ok", "expected"),
    [
        (Output(0, "all well", ""), (0,), Clean()),
        (Output(3, "", ""), (0, 3), Clean()),
        (Output(0, "", ""), (3,), finding("exit-0", "it printed nothing")),
        (Output(1, "out\n", "err\n"), (0,), finding("exit-1", "err\nout")),
        (Output(1, "x" * 1000, ""), (0,), finding("exit-1", "x" * 300)),
        (Output(126, "", "no"), (0,), Broken("could not be executed", "no")),
        (Output(127, "", "no"), (0,), Broken("command not found", "no")),
        (Output(127, "", ""), (0, 127), Clean()),
        (Output(-11, "", ""), (0,), Broken("ended by signal 11")),
        (Output(None, "", "", why="timed out after 480 s"), (0,), Broken("timed out after 480 s")),
        (Output(0, "", "", why="said more than 64 MB"), (0,), Broken("said more than 64 MB")),
    ],
)
def test_the_exit_code_of_a_command_decides(output: Output, ok: tuple[int, ...], expected: Outcome) -> None:
    assert custom.outcome_of("smoke", output, CheckSetting(ok=ok)) == expected


def test_a_failing_command_shows_its_last_twenty_lines() -> None:
    lines = [str(n) * 200 for n in range(30)]
    assert custom.outcome_of("smoke", Output(1, "\n".join(lines), ""), CheckSetting()) == finding(
        "exit-1", "\n".join(line[:300] for line in lines[-20:])
    )


# --- the real tools of this environment -----------------------------------------


def check(name: str, root: Path, **wanted: Any) -> Outcome:
    """Run the real tool in `root`, as a stop would."""
    report = root.parent / f"{root.name}-report.xml"
    tool = os.path.join(sysconfig.get_path("scripts"), name)
    setting = Setting(tool=tool, root=str(root), report=str(report), **wanted)
    checker = checkers.get(name)
    env = {"PATH": os.defpath, "HOME": str(root.parent), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}
    ended = subprocess.run(
        checker.argv(setting), cwd=root, env=env, capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    text = report.read_text("utf-8") if report.exists() else ""
    return outcome(checker, Output(ended.returncode, ended.stdout, ended.stderr, text), setting)


def project(tmp_path: Path, **files: str) -> Path:
    root = tmp_path / "project"
    root.mkdir()
    for name, text in files.items():
        (root / name.replace("__", ".")).write_text(text)
    return root


MESSY = "import os\n\n\ndef f(x: int) -> str:\n    return x\n\n\ndef test_f() -> None:\n    assert f(1) == ''\n"


# of `import os` alone
UNUSED = Diagnostic(
    "ruff", "app.py", 1, "F401", "error", "`os` imported but unused", column=8, cure="ruff check --fix"
)  # fmt: skip
# each of the others has its real tool in a test file of its own
PYTHONS = ("ruff", "mypy", "pytest")


@pytest.mark.parametrize("name", PYTHONS)
def test_one_bad_line_in_pyproject_breaks_each_tool(name: str, tmp_path: Path) -> None:
    root = project(tmp_path, test_app__py="def test_it() -> None: ...\n", pyproject__toml="x = [\n")
    assert isinstance(check(name, root), Broken)


def test_a_syntax_error_hides_other_findings(tmp_path: Path) -> None:
    root = project(tmp_path, test_app__py=MESSY + "def g(:\n")
    hiding = {}
    for name in PYTHONS:
        result = check(name, root)
        assert isinstance(result, Found)
        hiding[name] = all(one.hides for one in result.diagnostics)
    assert hiding == dict.fromkeys(PYTHONS, True)


def test_configuration_that_ignores_everything_leaves_both_linters_clean(tmp_path: Path) -> None:
    # the checkers read the project's configuration; that it has changed is noticed elsewhere
    ignoring = {"ruff__toml": '[lint]\nignore = ["ALL"]\n', "mypy__ini": "[mypy]\nignore_errors = True\n"}
    root = project(tmp_path, test_app__py=MESSY, **ignoring)
    assert (check("ruff", root), check("mypy", root)) == (Clean(), Clean())


def test_ruff_leaves_the_files_as_they_are(tmp_path: Path) -> None:
    root = project(tmp_path, app__py="import os\n", ruff__toml="fix = true\nfix-only = true\nunsafe-fixes = true\n")
    check("ruff", root)
    assert sorted(path.name for path in root.iterdir()) == ["app.py", "ruff.toml"]
    assert (root / "app.py").read_text() == "import os\n"


def test_paths_are_relative_to_a_root_that_is_a_symbolic_link(tmp_path: Path) -> None:
    project(tmp_path, app__py="import os\n")
    link = tmp_path / "link"
    link.symlink_to("project")
    assert check("ruff", link) == Found((UNUSED,))


def test_a_conftest_that_exits_breaks_pytest_whatever_its_code(tmp_path: Path) -> None:
    root = project(tmp_path, test_app__py="def test_it() -> None: ...\n")
    results = []
    for code in (0, 1, 3):
        (root / "conftest.py").write_text(f"raise SystemExit({code})\n")
        results.append(type(check("pytest", root)))
    assert results == [Broken, Broken, Broken]


def test_parallel_tests_are_reported_as_others_are(tmp_path: Path) -> None:
    text = "def test_one() -> None: ...\n\n\ndef test_two() -> None:\n    assert False\n"
    root = project(tmp_path, test_app__py=text, pytest__ini="[pytest]\naddopts = -n 2 -x\n")
    assert check("pytest", root) == Found(
        (Diagnostic("pytest", "test_app.py", 4, "test_two", "test", "assert False"),), ends.Tests(run=2, failed=1)
    )


def test_no_module_is_loaded_before_it_is_needed() -> None:
    code = (
        "import sys; from untilgreen import checkers; before = set(sys.modules);"
        "assert not any(name.startswith('untilgreen.checkers.python') for name in before);"
        "[checkers.get(name) for name in checkers.NAMES];"
        "print(sorted({'xml', 'tomllib', 'dataclasses', 'pathlib', 'subprocess'} & set(sys.modules)))"
    )
    python = os.path.join(sysconfig.get_path("scripts"), "python")
    source = str(Path(checkers.__file__).parents[2])
    ended = subprocess.run(
        [python, "-c", code], env={"PYTHONPATH": source}, capture_output=True, text=True, check=False
    )
    assert (ended.stdout, ended.stderr) == ("[]\n", "")


@pytest.mark.parametrize(
    ("checker", "said"), [(values["checker"], values) for _, values in tables.cases("no-evidence")]
)
def test_without_evidence_of_work_an_answer_is_broken(checker: str, said: dict[str, Any]) -> None:
    output = Output(said["code"], said.get("stdout", ""), said.get("stderr", ""), report=said.get("report", ""))
    setting = Setting("/t", "/project", variant=said.get("variant", ""))
    assert outcome(checkers.get(checker), output, setting) == Broken(said["reason"], tail(output))
