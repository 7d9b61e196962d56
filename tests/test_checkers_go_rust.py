"""The checkers of Go and Rust: their command lines, where they apply, and answers that no recording holds."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import archives
from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.go import linters
from untilgreen.core.model import outcome as ends  # its Tests, imported by name, would be taken for a test class
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout

NAMES = ("go-vet", "go-test", "cargo-check", "cargo-clippy", "cargo-test")
SETTING = Setting("/tool", "/project", variant="example.com/shop")
Lay = Callable[[Mapping[str, str]], Layout]


@pytest.fixture
def lay(tmp_path: Path) -> Lay:
    """A layout of these files."""

    def laid(files: Mapping[str, str]) -> Layout:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        return Layout(str(tmp_path), sorted(files))

    return laid


def roots(name: str, layout: Layout, criteria: Criteria | None = None) -> list[str]:
    return list(checkers.get(name).roots(layout, criteria or Criteria()))


# --- command lines --------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("go-vet", "vet -json ./..."),
        ("go-test", "test -json ./..."),
        ("cargo-check", "check --workspace --all-targets --quiet --color=never --message-format=json"),
        ("cargo-clippy", "clippy --workspace --all-targets --quiet --color=never --message-format=json"),
        ("cargo-test", "test --workspace --no-fail-fast --color=never --message-format=json"),
    ],
)
def test_the_whole_module_or_workspace_is_looked_at(name: str, words: str) -> None:
    assert checkers.get(name).argv(SETTING) == ("/tool", *words.split())


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


# --- where they apply: Go -------------------------------------------------------

GO = "package p\n"


def test_every_module_is_a_root_of_its_own(lay: Lay) -> None:
    layout = lay({"go.mod": "", "main.go": GO, "tools/go.mod": "", "tools/t.go": GO, "go.work": "use ./tools\n"})
    assert roots("go-vet", layout) == [".", "tools"]


def test_a_module_whose_code_belongs_to_nested_modules_is_none(lay: Lay) -> None:
    layout = lay({"go.mod": "", "a/go.mod": "", "a/a.go": GO, "b/go.mod": "", "README.md": ""})
    assert roots("go-vet", layout) == ["a"]


@pytest.mark.parametrize("folder", ["vendor/x", "testdata", "testdata/x", "_old", ".hidden/x", "node_modules"])
def test_modules_that_go_passes_over_are_no_roots(lay: Lay, folder: str) -> None:
    layout = lay({f"{folder}/go.mod": "", f"{folder}/x.go": GO, "go.mod": "", "m.go": GO, "testdata/t.go": GO})
    assert roots("go-vet", layout) == ["."]


def test_a_module_whose_only_code_go_passes_over_is_none(lay: Lay) -> None:
    assert roots("go-vet", lay({"go.mod": "", "testdata/x.go": GO})) == []


def test_tests_run_in_the_modules_that_have_some(lay: Lay) -> None:
    layout = lay({"a/go.mod": "", "a/x/a_test.go": GO, "b/go.mod": "", "b/b.go": GO})
    assert roots("go-test", layout, Criteria(test_pass=True)) == ["a"]


def test_tests_asked_for_where_there_are_none_run_and_are_missed(lay: Lay) -> None:
    layout = lay({"a/go.mod": "", "a/a.go": GO})
    assert (roots("go-test", layout, Criteria(test_pass=True)), roots("go-test", layout, Criteria(preserve=True))) == (
        ["a"],
        [],
    )


@pytest.mark.parametrize(
    "text",
    [
        "module example.com/shop\n",
        '// comment\nmodule "example.com/shop" // more\n\ngo 1.19\n',
        "go 1.19\n\nmodule (\n\texample.com/shop\n)\n",
        "module `example.com/shop`\n",
    ],
)
def test_a_module_says_what_its_packages_are_called(lay: Lay, text: str) -> None:
    assert linters.module_path(lay({"a/go.mod": text}), "a") == "example.com/shop"


def test_a_module_that_cannot_be_read_has_no_name(lay: Lay) -> None:
    assert linters.module_path(lay({"go.mod": "go 1.19\n"}), ".") == linters.module_path(lay({}), "x") == ""


# --- where they apply: Rust -----------------------------------------------------

CRATE = '[package]\nname = "x"\n'
RS = "fn main() {}\n"


def test_a_workspace_covers_its_members(lay: Lay) -> None:
    layout = lay({"Cargo.toml": '[workspace]\nmembers = ["a"]\n', "a/Cargo.toml": CRATE, "a/src/lib.rs": RS})
    assert roots("cargo-check", layout) == ["."]


def test_a_package_is_a_workspace_by_an_empty_table_too(lay: Lay) -> None:
    manifest = CRATE + "[workspace.dependencies]\n"
    assert roots("cargo-check", lay({"Cargo.toml": manifest, "a/Cargo.toml": CRATE, "a/x.rs": RS})) == ["."]


def test_without_a_workspace_every_crate_is_a_root(lay: Lay) -> None:
    layout = lay({"Cargo.toml": CRATE, "x.rs": RS, "a/Cargo.toml": CRATE, "a/x.rs": RS, "b/Cargo.toml": CRATE})
    assert roots("cargo-check", layout) == [".", "a"]


def test_what_a_workspace_excludes_is_a_root_of_its_own(lay: Lay) -> None:
    workspace = '[workspace]\nmembers = ["a"]\nexclude = [\n  "own/", # not ours\n  \'deep\',\n]\n'
    layout = lay(
        {"w/Cargo.toml": workspace}
        | {f"w/{name}/Cargo.toml": CRATE for name in ("a", "own")}
        | {f"w/{name}/x.rs": RS for name in ("a", "own")}
    )
    assert roots("cargo-check", layout) == ["w", "w/own"]


def test_a_nested_workspace_is_a_root_of_its_own(lay: Lay) -> None:
    layout = lay({"Cargo.toml": "[workspace]\n", "fuzz/Cargo.toml": CRATE + "[workspace]\n", "fuzz/x.rs": RS})
    assert roots("cargo-check", layout) == [".", "fuzz"]


@pytest.mark.parametrize("folder", ["vendor/serde", "target/package", "node_modules/x"])
def test_crates_of_others_are_no_roots(lay: Lay, folder: str) -> None:
    assert roots("cargo-check", lay({f"{folder}/Cargo.toml": CRATE, f"{folder}/x.rs": RS})) == []


@pytest.mark.parametrize(
    "files",
    [
        {"clippy.toml": ""},
        {"a/.clippy.toml": ""},
        {"a/b/clippy.toml": ""},
        {"a/Cargo.toml": CRATE + '[lints.clippy]\nall = "warn"\n'},
        {"a/Cargo.toml": CRATE + '[lints]\nclippy.all = "warn"\n'},
        {"a/Cargo.toml": CRATE + '[lints]\nclippy = { all = "warn" }\n'},
        {"a/Cargo.toml": '[workspace.lints.clippy]\nall = "warn"\n'},
    ],
)
def test_clippy_applies_where_it_is_configured(lay: Lay, files: dict[str, str]) -> None:
    assert roots("cargo-clippy", lay({"a/Cargo.toml": CRATE, "a/b/x.rs": RS} | files)) == ["a"]


def test_clippy_applies_elsewhere_only_where_it_is_asked_for(lay: Lay) -> None:
    layout = lay({"a/Cargo.toml": CRATE, "a/x.rs": RS, "b/clippy.toml": ""})
    assert (roots("cargo-clippy", layout), roots("cargo-clippy", layout, Criteria(lint_clean=True))) == ([], ["a"])


@pytest.mark.parametrize(
    "text",
    [
        "#[test]\nfn a() {}\n",
        "#[tokio::test(flavor = 1)]\nasync fn a() {}\n",
        "#[rstest]\nfn a() {}\n",
        "#[cfg(test)]\nmod tests;\n",
        "    /// ```\n    /// x();\n    /// ```\n",
        "//! ```rust\n",
    ],
)
def test_tests_of_rust_are_found_by_reading(lay: Lay, text: str) -> None:
    layout = lay({"a/Cargo.toml": CRATE, "a/x.rs": text, "b/Cargo.toml": CRATE, "b/x.rs": RS})
    assert roots("cargo-test", layout, Criteria(preserve=True)) == ["a"]


def test_a_crate_without_tests_is_tested_only_where_tests_are_asked_for(lay: Lay) -> None:
    layout = lay({"Cargo.toml": CRATE, "x.rs": RS + "// tested(#[tests])\n"})
    assert (
        roots("cargo-test", layout, Criteria(preserve=True)),
        roots("cargo-test", layout, Criteria(test_pass=True)),
    ) == (
        [],
        ["."],
    )


def test_the_folders_above_an_edited_file_are_enough_to_find_its_root(tmp_path: Path, lay: Lay) -> None:
    lay({"go.mod": "", "Cargo.toml": CRATE, "a/b/c/d/x.go": GO, "a/b/c/d/x.rs": RS})
    layout = Layout(str(tmp_path), ("Cargo.toml", "a/b/c/d/x.go", "a/b/c/d/x.rs", "go.mod"), near=("a/b/c/d/x.go",))
    assert (roots("go-vet", layout), roots("cargo-check", layout)) == (["."], ["."])


# --- answers --------------------------------------------------------------------


def vet(stdout: str, stderr: str = "", code: int = 0) -> Outcome:
    return outcome(checkers.get("go-vet"), Output(code, stdout, stderr), SETTING)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (("",), "no package was analysed"),
        (("", "go: downloading example.org/x v1.0.0\n"), "no package was analysed"),
        (("{}\n", "go: go.mod file not found in current directory", 1), "exit code 1: go: go.mod file not found in current directory"),  # noqa: E501
        (("{}\n", "", 1), "exit code 1"),
        (("{}\n", "panic: out of luck\n\ngoroutine 1", 2), "exit code 2: panic: out of luck"),
        (("{}\n", "", 127), "exit code 127"),
        (('{\n\t"a": {\n',), "the answer ends in the middle of a package"),
        (("{}\n{",), "the answer ends in the middle of a package"),
        (("{}oops\n",), "the answer is not JSON: Extra data: line 1 column 3 (char 2)"),
        (('{\n"a": {"printf": {"error": "no types"}}\n}\n',), "printf failed on a: no types"),
        (('{\n"a": {"printf": [{"posn": "x.go:1:2"}]}\n}\n',), "the answer has another shape: message is missing"),
        (('{\n"a": [1]\n}\n',), "the answer has another shape: it is no object"),
    ],
)  # fmt: skip
def test_go_vet_without_evidence_of_work_is_broken(answer: tuple[Any, ...], reason: str) -> None:
    result = vet(*answer)
    assert isinstance(result, Broken)
    assert result.reason == reason


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


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (("",), "no tests were collected"),
        (("", "go: cannot find main module", 1), "exit code 1: go: cannot find main module"),
        (("ok\n",), "a JSON object on each line is expected, there is none"),
        (("{}\n[]\n",), "the answer has another shape: it is no object"),
        (('{"Action": 1}\n',), "the answer has another shape: Action is no text"),
        ((events({"Action": "run", "Test": "TestA"}),), "example.com/shop/a did not come to its end"),
        ((events({"Action": "pass"}),), "no tests were collected"),
        ((events({"Action": "pass", "Test": "TestA"}, {"Action": "pass"}), "", 1), "exit code 1"),
        ((events({"Action": "pass", "Test": "TestA"}, {"Action": "pass"}), "", 3), "exit code 3"),
    ],
)
def test_go_test_without_evidence_of_work_is_broken(answer: tuple[Any, ...], reason: str) -> None:
    result = go_test(*answer)
    assert isinstance(result, Broken)
    assert result.reason == reason


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


@pytest.mark.parametrize(
    ("result", "reason"),
    [
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
    ],
)  # fmt: skip
def test_cargo_without_evidence_of_work_is_broken(result: Outcome, reason: str) -> None:
    assert isinstance(result, Broken)
    assert result.reason == reason


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


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        (cargo_test(""), "exit code 101"),
        (cargo_test("", 0), "no tests were collected"),
        (cargo_test("running 1 test\n", 0), "a test binary ended before its result: running 1 test"),
        (cargo_test(LISTED + RESULT.format(2)), "2 failures announced, 1 read"),
        (cargo_test("running 1 test\n" + RESULT.format(1)), "1 failures announced, 0 read"),
        (cargo_test("running 1 test\n" + RESULT.format(0), stderr="error: test failed"), "exit code 101: error: test failed"),  # noqa: E501
    ],
)  # fmt: skip
def test_cargo_test_without_evidence_of_work_is_broken(result: Outcome, reason: str) -> None:
    assert isinstance(result, Broken)
    assert result.reason == reason


def test_failures_are_read_in_the_terse_format_too() -> None:
    expected = Diagnostic("cargo-test", "", 0, "a::b", "test", "no panic")
    assert cargo_test(LISTED + RESULT.format(1)) == Found((expected,), ends.Tests(2, 1))


def test_a_failure_beside_a_binary_that_was_cut_hides_others() -> None:
    result = cargo_test(LISTED + RESULT.format(1) + "running 7 tests\n")
    assert result == Found((Diagnostic("cargo-test", "", 0, "a::b", "test", "no panic", hides=True),), ends.Tests(2, 1))


# --- whatever they say ----------------------------------------------------------

VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def shaped(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Objects of a known shape, in which any value may be any other."""
    return st.fixed_dictionaries({}, optional={name: known | VALUES for name, known in fields.items()})


SPANS = st.lists(
    shaped(
        file_name=st.sampled_from(["src/lib.rs", "/rustc/x.rs"]),
        line_start=st.integers(),
        column_start=st.integers(),
        is_primary=st.booleans(),
        label=st.text(),
        expansion=st.fixed_dictionaries({"span": VALUES}),
    ),
    max_size=2,
)
BODIES = shaped(
    level=st.sampled_from(["error", "warning", "note"]), message=st.text(), code=shaped(code=st.text()), spans=SPANS
)
MESSAGES = shaped(
    reason=st.sampled_from(["compiler-message", "compiler-artifact", "build-finished"]),
    manifest_path=st.just("/project/a/Cargo.toml"),
    target=shaped(name=st.text(), src_path=st.text(), doctest=st.booleans()),
    message=BODIES,
    success=st.booleans(),
)
EVENTS = shaped(
    Action=st.sampled_from(["run", "output", "pass", "fail", "skip", "build-output"]),
    Package=st.sampled_from(["example.com/shop", "example.com/shop/a"]),
    Test=st.sampled_from(["TestA", "TestA/b", ""]),
    Output=st.sampled_from(["--- FAIL: TestA (0.00s)\n", "    a_test.go:3: no\n", "panic: x\n", "a.go:1:2: no\n"]),
    OutputType=st.just("error"),
)


@given(st.sampled_from(NAMES), st.lists(MESSAGES | EVENTS, max_size=6), st.sampled_from([0, 1, 101]), st.booleans())
def test_any_json_is_an_outcome(name: str, said: list[Any], code: int, ends: bool) -> None:
    text = lines(*said, *([GOOD if code == 0 else BAD] if ends else []))
    result = outcome(checkers.get(name), Output(code, text, text), SETTING)
    assert isinstance(result, Clean | Broken) or (isinstance(result, Found) and result.diagnostics)
    for one in result.diagnostics if isinstance(result, Found) else ():
        assert (one.check, one.line >= 0, bool(one.rule), "\n" in one.message, len(one.message) <= 520) == (
            name, True, True, False, True
        )  # fmt: skip


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


# what ends the first part of an answer that stands for something: behind it, a cut answer is a shorter one
EVIDENCE = {"go-vet": "{}", "cargo-test": "test result: "}


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
def test_an_answer_that_was_cut_is_never_clean(name: str, data: st.DataObject) -> None:
    case = f"{name}/{data.draw(st.sampled_from(archives.versions(name)))}/clean"
    stdout, stderr = (archives.text(case, part).rstrip() for part in ("stdout", "stderr"))
    answer = stdout or stderr  # go vet's was on stderr until 1.25
    most = answer.index(EVIDENCE[name]) if name in EVIDENCE else len(answer) - 1
    cut = answer[: data.draw(st.integers(0, most))]
    said = Output(0, cut, stderr) if stdout else Output(0, "", cut)
    assert isinstance(outcome(checkers.get(name), said, SETTING), Broken)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cargo-test", "thread 'a' panicked at '" * 5_000),
        ("cargo-test", lines(MADE, GOOD) + "running 1 test\n---- a stdout ----\n" + "thread 'a' panicked at '\n" * 20_000 + "\nfailures:\n    a\n\n" + RESULT.format(1)),  # noqa: E501
        ("cargo-test", lines(MADE, GOOD) + "running 1 test\n" + "failures:\n" * 20_000 + RESULT.format(1)),
        ("go-test", events({"Action": "output", "Test": "TestA", "Output": " " * 100_000})),
        ("go-vet", "a" * 200_000 + ".go:" * 1_000),
        ("go-vet", "{\n" * 100_000),
        ("cargo-check", '{"reason":' * 20_000),
    ],
)  # fmt: skip
def test_no_answer_takes_long(name: str, text: str) -> None:
    assert not isinstance(outcome(checkers.get(name), Output(1, text, text), SETTING), Clean)
