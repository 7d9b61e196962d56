"""The checkers of Go and Rust: their command lines, where they apply, and answers that no recording holds."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.other import go
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout

NAMES = ("go-vet", "go-test", "cargo-check", "cargo-clippy", "cargo-test")
SETTING = Setting("/tool", "/project", variant="example.com/shop")
Lay = Callable[..., Layout]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """A layout of these files, with the usual text of their kind or with these."""

    def laid(names: str, texts: Mapping[str, str] = {}) -> Layout:
        usual = {name: next((text for end, text in TEXTS.items() if name.endswith(end)), "") for name in names.split()}
        for name, text in {**usual, **texts}.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return Layout(str(tmp_path), sorted({**usual, **texts}))

    return laid


# --- command lines --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("go-vet", ("static", ("go",), ("lint_clean", "type_check"), "types", (".go",))),
        ("go-test", ("tests", ("go",), ("test_pass",), "", (".go",))),
        ("cargo-check", ("build", ("cargo",), ("type_check",), "types", (".rs",))),
        ("cargo-clippy", ("build", (), ("lint_clean",), "", (".rs",))),
        ("cargo-test", ("tests", ("cargo",), ("test_pass",), "", (".rs",))),
    ],
)
def test_each_serves_the_criteria_that_it_is_asked_for_by(name: str, expected: object) -> None:
    checker = checkers.get(name)
    assert (checker.stage, checker.programs, checker.serves, checker.files.edit, checker.files.patterns) == expected


# --- where they apply -----------------------------------------------------------

CRATE = '[package]\nname = "x"\n'
TEXTS = {".go": "package p\n", ".rs": "fn main() {}\n", "Cargo.toml": CRATE}
WORKSPACE = '[workspace]\nmembers = ["a"]\nexclude = [\n  "own/", # not ours\n  \'deep\',\n]\n'


@pytest.mark.parametrize(
    ("name", "files", "texts", "expected"),
    [
        # every module is a root of its own; one whose code belongs to nested modules, or is passed over by go, is none
        ("go-vet", "go.mod main.go tools/go.mod tools/t.go", {"go.work": "use ./tools\n"}, ". tools"),
        ("go-vet", "go.mod a/go.mod a/a.go b/go.mod README.md", {}, "a"),
        ("go-vet", "go.mod testdata/x.go", {}, ""),
        *(
            ("go-vet", f"{folder}/go.mod {folder}/x.go go.mod m.go testdata/t.go", {}, ".")
            for folder in ("vendor/x", "testdata", "testdata/x", "_old", ".hidden/x", "node_modules")
        ),
        ("go-test", "a/go.mod a/x/a_test.go b/go.mod b/b.go", {}, "a"),
        ("go-test", "a/go.mod a/a.go", {}, ""),
        # a workspace covers its members, but for those that it excludes; a nested one is a root of its own
        ("cargo-check", "a/Cargo.toml a/src/lib.rs", {"Cargo.toml": '[workspace]\nmembers = ["a"]\n'}, "."),
        ("cargo-check", "a/Cargo.toml a/x.rs", {"Cargo.toml": CRATE + "[workspace.dependencies]\n"}, "."),
        ("cargo-check", "Cargo.toml x.rs a/Cargo.toml a/x.rs b/Cargo.toml", {}, ". a"),
        (
            "cargo-check",
            "w/a/Cargo.toml w/own/Cargo.toml w/a/x.rs w/own/x.rs",
            {"w/Cargo.toml": WORKSPACE},
            "w w/own",
        ),
        (
            "cargo-check",
            "fuzz/x.rs",
            {"Cargo.toml": "[workspace]\n", "fuzz/Cargo.toml": CRATE + "[workspace]\n"},
            ". fuzz",
        ),
        *(
            ("cargo-check", f"{folder}/Cargo.toml {folder}/x.rs", {}, "")
            for folder in ("vendor/serde", "target/package", "node_modules/x")
        ),
        # clippy is configured there, below or above
        *(
            ("cargo-clippy", "a/Cargo.toml a/b/x.rs", texts, "a")
            for texts in (
                *({name: ""} for name in ("clippy.toml", "a/.clippy.toml", "a/b/clippy.toml")),
                {"a/Cargo.toml": CRATE + '[lints.clippy]\nall = "warn"\n'},
                {"a/Cargo.toml": CRATE + '[lints]\nclippy.all = "warn"\n'},
                {"a/Cargo.toml": CRATE + '[lints]\nclippy = { all = "warn" }\n'},
                {"a/Cargo.toml": '[workspace.lints.clippy]\nall = "warn"\n'},
            )
        ),
        ("cargo-clippy", "a/Cargo.toml a/x.rs b/clippy.toml", {}, ""),
        # tests of Rust are found by reading
        *(
            ("cargo-test", "a/Cargo.toml b/Cargo.toml b/x.rs", {"a/x.rs": text}, "a")
            for text in (
                "#[test]\nfn a() {}\n",
                "#[tokio::test(flavor = 1)]\nasync fn a() {}\n",
                "#[rstest]\nfn a() {}\n",
                "#[cfg(test)]\nmod tests;\n",
                "    /// ```\n    /// x();\n    /// ```\n",
                "//! ```rust\n",
            )
        ),
        ("cargo-test", "Cargo.toml", {"x.rs": "fn main() {}\n// tested(#[tests])\n"}, ""),
    ],
)
def test_a_checker_applies_where_its_code_is(
    lay: Lay, name: str, files: str, texts: dict[str, str], expected: str
) -> None:
    assert list(checkers.get(name).roots(lay(files, texts), Criteria(preserve=True))) == expected.split()


@pytest.mark.parametrize(
    ("name", "criteria", "files"),
    [
        ("go-test", Criteria(test_pass=True), "a/go.mod a/a.go"),
        ("cargo-test", Criteria(test_pass=True), "a/Cargo.toml a/x.rs"),
        ("cargo-clippy", Criteria(lint_clean=True), "a/Cargo.toml a/x.rs b/clippy.toml"),
    ],
)
def test_what_is_asked_for_by_name_runs_where_nothing_calls_for_it(
    lay: Lay, name: str, criteria: Criteria, files: str
) -> None:
    assert list(checkers.get(name).roots(lay(files), criteria)) == ["a"]


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("module example.com/shop\n", "example.com/shop"),
        ('// comment\nmodule "example.com/shop" // more\n\ngo 1.19\n', "example.com/shop"),
        ("go 1.19\n\nmodule (\n\texample.com/shop\n)\n", "example.com/shop"),
        ("module `example.com/shop`\n", "example.com/shop"),
        ("go 1.19\n", ""),
    ],
)
def test_a_module_says_what_its_packages_are_called(lay: Lay, text: str, path: str) -> None:
    assert [go.module_path(lay("", {"a/go.mod": text}), name) for name in ("a", "x")] == [path, ""]


def test_the_folders_above_an_edited_file_are_enough_to_find_its_root(tmp_path: Path, lay: Lay) -> None:
    lay("go.mod Cargo.toml a/b/c/d/x.go a/b/c/d/x.rs")
    layout = Layout(str(tmp_path), ("Cargo.toml", "a/b/c/d/x.go", "a/b/c/d/x.rs", "go.mod"), near=("a/b/c/d/x.go",))
    assert [checkers.get(name).roots(layout, Criteria()) for name in ("go-vet", "cargo-check")] == [["."], ["."]]


# --- answers --------------------------------------------------------------------


def vet(stdout: str, stderr: str = "", code: int = 0) -> Outcome:
    return outcome(checkers.get("go-vet"), Output(code, stdout, stderr), SETTING)


def test_a_file_that_is_analysed_again_with_its_tests_is_told_once() -> None:
    finding = [{"posn": "/project/a/a.go:3:4", "message": "wrong"}, {"posn": "/project/a/a.go:3:9", "message": "wrong"}]
    reports = ({"a": {"printf": finding}}, {"a [a.test]": {"printf": finding[:1]}})
    text = "".join(json.dumps(one, indent="\t") + "\n" for one in reports)
    wrong = Diagnostic("go-vet", "a/a.go", 3, "printf", "error", "wrong")
    assert vet(text) == Found(tuple(wrong._replace(column=column) for column in (4, 9)))


def events(*described: dict[str, object]) -> str:
    return "".join(json.dumps({"Package": "example.com/shop/a"} | one) + "\n" for one in described)


def go_test(stdout: str, stderr: str = "", code: int = 0) -> Outcome:
    return outcome(checkers.get("go-test"), Output(code, stdout, stderr), SETTING)


def test_a_failing_test_is_found_although_another_package_did_not_end() -> None:
    text = events(
        {"Action": "fail", "Test": "TestA"}, {"Action": "fail"}, {"Action": "run", "Package": "example.com/shop/b"}
    )
    expected = Diagnostic("go-test", "a", 0, "TestA", "test", "failed", hides=True)
    assert go_test(text, code=1) == Found((expected,), ends.Tests(1, 1))


def test_a_package_of_another_module_has_no_folder() -> None:
    text = events({"Action": "fail", "Test": "TestA", "Package": "example.com/shopping"}, {"Action": "pass"})
    result = go_test(text + events({"Action": "fail", "Package": "example.com/shopping"}), code=1)
    assert isinstance(result, Found)
    assert [one.file for one in result.diagnostics] == [""]


def lines(*described: dict[str, object]) -> str:
    return "".join(json.dumps(one) + "\n" for one in described)


def message(**body: object) -> dict[str, object]:
    whole = {"level": "error", "message": "wrong", "code": None, "spans": []} | body
    return {"reason": "compiler-message", "manifest_path": "/project/a/Cargo.toml", "message": whole}


def span(file: str, **more: object) -> dict[str, object]:
    place = {"file_name": file, "line_start": 3, "column_start": 4, "is_primary": True, "label": None}
    return place | {"expansion": None} | more


MADE: dict[str, object] = {"reason": "compiler-artifact", "manifest_path": "/project/a/Cargo.toml"}
GOOD: dict[str, object] = {"reason": "build-finished", "success": True}
BAD: dict[str, object] = {"reason": "build-finished", "success": False}


def check(*described: dict[str, object], stderr: str = "", code: int = 0) -> Outcome:
    return outcome(checkers.get("cargo-check"), Output(code, lines(*described), stderr), SETTING)


def test_what_macros_print_between_the_messages_is_passed_over() -> None:
    text = "hello\n{oops\n{}\n[1]\n" + lines(MADE, GOOD)
    assert outcome(checkers.get("cargo-check"), Output(0, text, ""), SETTING) == Clean()


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("a/src/lib.rs", "a/src/lib.rs"),  # a member, told from the workspace's root
        ("src/lib.rs", "a/src/lib.rs"),  # a crate outside of the workspace, told from its own folder
        ("b/src/lib.rs", "b/src/lib.rs"),  # another member's source, for a macro of it
        ("/project/target/out.rs", "target/out.rs"),
        ("/elsewhere/x.rs", "/elsewhere/x.rs"),
    ],
)
def test_the_compilers_paths_are_told_from_the_root(file: str, expected: str) -> None:
    other = MADE | {"manifest_path": "/project/b/Cargo.toml"}
    result = check(other, message(spans=[span(file)]), BAD, code=101)
    found = Diagnostic("cargo-check", expected, 3, "error", "error", "wrong", hides=True, column=4)
    assert result == Found((found,))


def test_a_crate_above_the_root_keeps_its_own_path() -> None:
    away = message(spans=[span("src/lib.rs")], level="warning") | {"manifest_path": "/elsewhere/c/Cargo.toml"}
    result = check(away, GOOD)
    found = Diagnostic("cargo-check", "/elsewhere/c/src/lib.rs", 3, "warning", "warning", "wrong", column=4)
    assert result == Found((found,))


def test_a_finding_in_a_macro_of_the_standard_library_is_told_where_it_was_called() -> None:
    called = span("/rustc/0ab1/library/core/src/macros.rs", expansion={"span": span("src/lib.rs", line_start=9)})
    result = check(message(spans=[called], code={"code": "E0277"}), BAD, code=101)
    found = Diagnostic("cargo-check", "a/src/lib.rs", 9, "E0277", "error", "wrong", hides=True, column=4)
    assert result == Found((found,))


def test_a_compiler_that_crashes_is_an_error_without_a_place() -> None:
    result = check(message(level="error: internal compiler error"), BAD, code=101)
    expected = Diagnostic("cargo-check", "", 0, "error: internal compiler error", "error", "wrong", hides=True)
    assert result == Found((expected,))


def cargo_test(text: str, code: int = 101, stderr: str = "") -> Outcome:
    return outcome(checkers.get("cargo-test"), Output(code, lines(MADE, GOOD) + text, stderr), SETTING)


RESULT = "test result: FAILED. 1 passed; {} failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
LISTED = "running 2 tests\n.F\nfailures:\n\n---- a::b stdout ----\nno panic\n\nfailures:\n    a::b\n\n"


def test_failures_are_read_in_the_terse_format_too() -> None:
    expected = Diagnostic("cargo-test", "", 0, "a::b", "test", "no panic")
    assert cargo_test(LISTED + RESULT.format(1)) == Found((expected,), ends.Tests(2, 1))


def test_a_failure_beside_a_binary_that_was_cut_hides_others() -> None:
    result = cargo_test(LISTED + RESULT.format(1) + "running 7 tests\n")
    assert result == Found((Diagnostic("cargo-test", "", 0, "a::b", "test", "no panic", hides=True),), ends.Tests(2, 1))


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (vet(""), "no package was analysed"),
        (vet("", "go: downloading example.org/x v1.0.0\n"), "no package was analysed"),
        (vet("{}\n", "go: go.mod file not found in current directory", 1), "exit code 1: go: go.mod file not found in current directory"),  # noqa: E501
        (vet("{}\n", "", 1), "exit code 1"),
        (vet("{}\n", "panic: out of luck\n\ngoroutine 1", 2), "exit code 2: panic: out of luck"),
        (vet("{}\n", "", 127), "exit code 127"),
        (vet('{\n\t"a": {\n'), "the answer ends in the middle of a package"),
        (vet("{}\n{"), "the answer ends in the middle of a package"),
        (vet("{}oops\n"), "the answer is not JSON: Extra data: line 1 column 3 (char 2)"),
        (vet('{\n"a": {"printf": {"error": "no types"}}\n}\n'), "printf failed on a: no types"),
        (vet('{\n"a": {"printf": [{"posn": "x.go:1:2"}]}\n}\n'), "the answer has another shape: message is missing"),
        (vet('{\n"a": [1]\n}\n'), "the answer has another shape: it is no object"),
        (go_test(""), "no tests were collected"),
        (go_test("", "go: cannot find main module", 1), "exit code 1: go: cannot find main module"),
        (go_test("ok\n"), "a JSON object on each line is expected, there is none"),
        (go_test("{}\n[]\n"), "the answer has another shape: it is no object"),
        (go_test('{"Action": 1}\n'), "the answer has another shape: Action is no text"),
        (go_test(events({"Action": "run", "Test": "TestA"})), "example.com/shop/a did not come to its end"),
        (go_test(events({"Action": "pass"})), "no tests were collected"),
        (go_test(events({"Action": "pass", "Test": "TestA"}, {"Action": "pass"}), "", 1), "exit code 1"),
        (go_test(events({"Action": "pass", "Test": "TestA"}, {"Action": "pass"}), "", 3), "exit code 3"),
        (check(), "exit code 0"),
        (check(MADE), "exit code 0"),
        (check(GOOD), "nothing was compiled"),
        (check(MADE, GOOD, code=101), "exit code 101"),
        (check(MADE, BAD), "exit code 0"),
        (check(BAD, code=101, stderr="error: no such command\n"), "exit code 101: error: no such command"),
        (check(message(level="warning"), BAD, code=101), "exit code 101"),
        (check(message(spans=[{"is_primary": True}]), BAD, code=101), "the answer has another shape: file_name is missing"),  # noqa: E501
        (check(message(spans=3), BAD, code=101), "the answer has another shape: spans is no list"),
        (check(message(spans=[span("a.rs", line_start="x")]), BAD, code=101), "the answer has another shape: line_start is no number"),  # noqa: E501
        (cargo_test(""), "exit code 101"),
        (cargo_test("", 0), "no tests were collected"),
        (cargo_test("running 1 test\n", 0), "a test binary ended before its result: running 1 test"),
        (cargo_test(LISTED + RESULT.format(2)), "2 failures announced, 1 read"),
        (cargo_test("running 1 test\n" + RESULT.format(1)), "1 failures announced, 0 read"),
        (cargo_test("running 1 test\n" + RESULT.format(0), stderr="error: test failed"), "exit code 101: error: test failed"),  # noqa: E501
    ],
)  # fmt: skip
def test_without_evidence_of_work_an_answer_is_broken(result: Outcome, reason: str) -> None:
    assert isinstance(result, Broken)
    assert result.reason == reason


@pytest.mark.parametrize(
    ("name", "stdout", "tail"),
    [
        ("cargo-test", lines(MADE, GOOD) + "running 1 test\n" + '{"reason":"comp', "err\nrunning 1 test"),
        ("cargo-check", lines(MADE) + '{"printed": "by a macro"}\n', 'err\n{"printed": "by a macro"}'),
        ("go-test", events({"Action": "output", "Output": "1\n"}, {"Output": 2}) + '{"Time":"', 'err\n1\n{"Time":"'),
        ("go-test", "[1]\nplain\n", "err\n[1]\nplain"),
    ],
)  # fmt: skip
def test_what_a_broken_check_shows_is_for_people(name: str, stdout: str, tail: str) -> None:
    output = Output(None, stdout, "err\n", why="timed out after 480 s")
    assert outcome(checkers.get(name), output, SETTING) == Broken("timed out after 480 s", tail)


def test_a_race_is_told_where_the_projects_code_reads_what_another_writes() -> None:
    text = (Path(__file__).parent / "values" / "printed-go-1.19.8-race.txt").read_text(encoding="utf-8")
    found = Diagnostic("go-test", "pkg/sum.go", 13, "TestSum", "test", "WARNING: DATA RACE")
    setting = SETTING._replace(variant="example.com/gomod")
    assert outcome(checkers.get("go-test"), Output(1, text, ""), setting) == Found((found,), ends.Tests(4, 1))
