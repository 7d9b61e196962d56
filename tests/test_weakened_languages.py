"""Suppressions, tests and configuration of every language that is known: what counts, and what does not."""

import itertools
import json
import time
from functools import partial
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tables
from eventually import quickest
from loops import in_english
from test_text import read
from untilgreen.core.verdict import baseline
from untilgreen.project.fakes import checker_configs, shapes, text

# --- suppressions: file, kind, lines that count, lines that do not ---------------------------------------------------

KINDS = [
    (file, kind, counts.splitlines(), others.splitlines())
    for file, kind, counts, others in (
        case.values for case in tables.rows("suppressions", "file", "kind", "counts", "counts not")
    )
]
KINDS += tables.literal("weakened-languages", "kinds")
COUNTED = [(file, kind, line) for file, kind, lines, _ in KINDS for line in lines]
PASSED_OVER = [(file, kind, line) for file, kind, _, lines in KINDS for line in lines]


@pytest.mark.parametrize(("file", "kind", "line"), COUNTED)
def test_a_suppression_of_any_language_counts_once_as_its_kind(tmp_path: Path, file: str, kind: str, line: str) -> None:
    found = read(tmp_path, {file: f"first\n{line}\nlast\n"})
    assert found.suppressions == {kind: 1}


@pytest.mark.parametrize(("file", "kind", "line"), PASSED_OVER)
def test_what_only_looks_like_a_suppression_does_not_count(tmp_path: Path, file: str, kind: str, line: str) -> None:
    assert read(tmp_path, {file: f"first\n{line}\nlast\n"}).suppressions == {}


def test_every_kind_of_suppression_has_its_lines() -> None:
    tested = {(file.rpartition(".")[2], kind) for file, kind, _, _ in KINDS}
    older = {"noqa", "type: ignore", "pyright: ignore", "mypy: ignore-errors", "ruff: noqa", "ruff: ignore"}
    older |= {"flake8: noqa", "nosec", "skip", "xfail", "no_type_check"}  # in test_text.py
    for suffixes in ({"py", "pyi"}, {"js", "ts", "tsx", "mjs", "cts", "vue", "svelte"}, {"go"}, {"rs"}):
        known = {kind.name for suffix in (*suffixes, "*") for kind in shapes.kinds_in("silences", suffix)}
        elsewhere = (
            {"ast-grep-ignore", "nosemgrep", "gosec:disable", "revive:disable"} if "py" not in suffixes else set()
        )
        assert known - older - elsewhere <= {kind for suffix, kind in tested if suffix in suffixes}


@pytest.mark.parametrize("name", ["README.md", "a.txt", "Makefile", "a.json", "a.css.map", "noext"])
def test_in_files_of_no_language_nothing_counts(tmp_path: Path, name: str) -> None:
    lines = "# noqa\n// eslint-disable\n// @ts-ignore\n//nolint\n#[allow(x)]\n// NOLINT\n# rubocop:disable all\n"
    assert read(tmp_path, {name: lines}).suppressions == {}


def test_a_suppression_counts_in_files_of_its_own_language_only(tmp_path: Path) -> None:
    lines = "x # noqa\n// eslint-disable\n//nolint\n#[allow(x)]\n// NOLINT\n"
    found = read(tmp_path, {"a.py": lines, "b.ts": lines, "c.go": lines, "d.rs": lines, "e.c": lines})
    assert found.suppressions == {"noqa": 1, "eslint-disable": 1, "nolint": 1, "#[allow]": 1, "NOLINT": 1}


def test_suppressions_far_apart_and_close_together_all_count(tmp_path: Path) -> None:
    far = "x = 1;\n" * 200
    line = "f() // eslint-disable-line\n"
    found = read(tmp_path, {"a.js": line * 3 + far + line + far + line + "g();" * 500 + line, "b.js": line[:-1]})
    assert found.suppressions == {"eslint-disable": 7}


# --- tests -----------------------------------------------------------------------------------------------------------

JEST = tables.text("weakened-languages", "jest")
GO = tables.text("weakened-languages", "go")
PYTEST = tables.text("weakened-languages", "pytest")


@pytest.mark.parametrize(("names", "content", "count"), tables.rows("tests-counted", "names", "content", "count"))
def test_tests_are_counted_where_their_runner_looks_for_them(names: list[str], content: str, count: int) -> None:
    assert [shapes.counted(name, content.encode())[0] for name in names] == [count] * len(names)


@pytest.mark.parametrize(("name", "content"), tables.rows("full-tests", "name", "content"))
def test_a_test_that_does_something_is_not_empty(name: str, content: str) -> None:
    assert shapes.counted(name, content.encode())[1] == 0


@pytest.mark.parametrize(("name", "content"), tables.rows("emptied-tests", "name", "content"))
def test_a_test_that_holds_nothing_is_counted_as_emptied(tmp_path: Path, name: str, content: str) -> None:
    found = read(tmp_path, {name: content})
    assert (found.tests, found.suppressions) == (1, {"emptied test": 1})


def test_three_emptied_tests_are_named_and_counted(tmp_path: Path) -> None:
    before = "".join(f"def test_{n}():\n    assert f({n})\n\n\n" for n in range(5))
    after = before
    for n in range(3):
        after = after.replace(f"    assert f({n})\n", "    pass\n")
    then, now = read(tmp_path, {"test_a.py": before}), read(tmp_path, {"test_a.py": after})
    assert in_english(baseline.compare(then, now, 0, 0)) == (("3 new emptied test",), 3, 0)


def test_moving_and_renaming_files_weakens_nothing(tmp_path: Path) -> None:
    one = read(tmp_path / "1", {"a.test.ts": JEST, "a.ts": "// @ts-ignore\n", "test_a.py": PYTEST, "a_test.go": GO})
    two = read(
        tmp_path / "2", {"tests/b.ts": JEST, "src/c.ts": "// @ts-ignore\n", "t/b_test.py": PYTEST, "b/b_test.go": GO}
    )
    assert baseline.compare(one, two, 0, 0) == ((), 0, 0)


# --- configuration ---------------------------------------------------------------------------------------------------

WHOLE = tables.literal("weakened-languages", "whole")


@pytest.mark.parametrize("path", WHOLE)
def test_a_checkers_own_file_is_known_as_a_whole_at_the_root_when_git_ignores_it_too(tmp_path: Path, path: str) -> None:
    one, two = (read(tmp_path, {path: content}).config for content in ("", "[a]\nb = 1\n"))
    assert (list(one), list(two)) == ([path], [path])
    assert one != two
    assert list(text.read(str(tmp_path), (), time.monotonic() + 60).config) == ([] if "/" in path else [path])


@pytest.mark.parametrize(
    "path", ["tsconfig.tsbuildinfo", "my.eslintrc", "config.json", "package-lock.json", "config.toml", "baseline.json"]
)
def test_other_files_are_no_configuration(tmp_path: Path, path: str) -> None:
    assert read(tmp_path, {path: '{"scripts": {"test": "x"}}'}).config == {}


PACKAGE = {"name": "a", "version": "1.0.0", "scripts": {"test": "jest", "lint": "eslint ."}, "jest": {"bail": 1}}


def names(root: Path, path: str, *contents: str) -> list[str]:
    """What reads as changed when the contents of this file come one after the other."""
    seen = [read(root, {path: content}) for content in contents]
    return [what for then, now in itertools.pairwise(seen) for what in in_english(baseline.compare(then, now, 0, 0))[0]]


@pytest.mark.parametrize(
    ("after", "expected"), tables.literal("weakened-languages", "of a package json only the checkers")
)
def test_of_a_package_json_only_the_checkers_keys_count(tmp_path: Path, after: object, expected: list[str]) -> None:
    assert names(tmp_path, "package.json", json.dumps(PACKAGE), json.dumps(after, indent=4)) == expected


@pytest.mark.parametrize("content", ["{", "[]", "1", "", '{"scripts": ' + "[" * 200_000])
def test_a_package_json_that_is_none_is_taken_as_a_whole(tmp_path: Path, content: str) -> None:
    assert names(tmp_path, "package.json", content, f"{content} ]") == ["changed package.json"]


@pytest.mark.parametrize(("path", "one", "two"), tables.literal("weakened-languages", "what no checker reads makes no"))
def test_what_no_checker_reads_makes_no_difference(tmp_path: Path, path: str, one: str, two: str) -> None:
    assert names(tmp_path, path, one, two) == []


@pytest.mark.parametrize(
    ("path", "one", "two", "expected"), tables.rows("read-by-checkers", "path", "one", "two", "expected")
)
def test_what_a_checker_reads_makes_a_difference(tmp_path: Path, path: str, one: str, two: str, expected: str) -> None:
    assert names(tmp_path, path, one, two) == [expected]


# --- any text --------------------------------------------------------------------------------------------------------

PATHS = ["test_a.py", "a.test.ts", "a_test.go", "a.rs", "A.java", "A.cs", "a.cc", "a_spec.rb", "ATest.php", "a.swift"]
PATHS += ["a.vue", "a.sh", *WHOLE, "package.json", "Cargo.toml", "pyproject.toml", "vite.config.ts"]
SILENCING = [kind.word for one in shapes.rows() if "silences" in one for kind in shapes.kinds_in(*one)]
PIECES = sorted(
    {
        *SILENCING,
        *b"# ~//~/*~*/~\n~ ~def test_a(~):~    pass~\"\"\"~'~`~{~}~(~)~it('a', () => {~#[test]~#[~]".split(b"~"),
        *b"fn a() {~func TestA(~\\~=~:~\xff~,~extends~preset~extend~import~from~require~./a~../~- ~/~.".split(b"~"),
    }
)


@given(path=st.sampled_from(PATHS), content=st.lists(st.sampled_from(PIECES) | st.binary(max_size=4)).map(b"".join))
@example(path="a.rs", content=b"\\")
def test_any_text_is_counted(path: str, content: bytes) -> None:
    tests, empty = shapes.counted(path, content)
    assert empty >= 0
    assert tests >= 0
    if checker_configs.configures(path):
        assert all(checker_configs.references(path, checker_configs.read(path, content)))
        assert all(name.startswith(path) for name in checker_configs.read(path, content).fingerprints())


@given(st.integers(0, 4), st.integers(0, 4), st.sampled_from(["test_a.py", "a.test.ts", "a_test.go", "a.rs"]))
def test_empty_tests_and_full_ones_are_told_apart(full: int, empty: int, path: str) -> None:
    bodies = {
        "test_a.py": ("def test_{}():\n    f({})\n\n", "def test_{}():\n    pass\n\n"),
        "a.test.ts": ("it('{}', () => {{ f({}); }});\n", "it('{}', () => {{ }});\n"),
        "a_test.go": ("func Test{}(t *testing.T) {{\n\tf({})\n}}\n", "func Test{}(t *testing.T) {{\n}}\n"),
        "a.rs": ("#[test]\nfn t{}() {{ f({}); }}\n", "#[test]\nfn t{}() {{ }}\n"),
    }
    one, other = bodies[path]
    source = "".join(one.format(n, n) for n in range(full)) + "".join(other.format(n) for n in range(empty))
    assert shapes.counted(path, source.encode()) == (full + empty, empty)


HARD = tables.literal("weakened-languages", "hard")


@pytest.mark.parametrize("path", ["test_a.py", "a.test.ts", "a_test.go", "a.rs", "a.cc", "A.java", "A.cs", "a_spec.rb"])
def test_no_text_takes_long_to_count(tmp_path: Path, path: str) -> None:
    starts = (b"", b"it('a', () => {", b"def test_a():\n", b"#[test]\nfn a() {", b"/* eslint ", b"# mypy: ")
    for piece in HARD:
        for start in starts:
            content = start + piece * (15_000 // len(piece))
            (tmp_path / path).write_bytes(content)
            read = partial(text.read, str(tmp_path), (path,), time.monotonic() + 60)
            assert quickest(read, 0.12) < 0.12, (start, piece)


REFERRING = (
    b"extends:~extends: ~extends:\n- a\n~extends: [~import ~import(~import\n~from \"./~extend = ~\nextend='a'\n"
    b'~import "./a~import "./a"~- ~-~{"extends": ['
).split(b"~")


@pytest.mark.parametrize(
    "piece", [b'"', b'"\\', b"/*", b"//", b"{", b"[", b",]", b'{"a":', b" ", b"\\", b"'", *REFERRING]
)
def test_no_configuration_takes_long_to_read(piece: bytes) -> None:
    for path in ("tsconfig.json", "package.json", "eslint.config.js", ".golangci.yml", "Cargo.toml", ".flake8"):
        assert quickest(partial(referred, path, piece * (120_000 // len(piece))), 0.4) < 0.4, path


def referred(path: str, content: bytes) -> None:
    assert all(place for place in checker_configs.references(path, checker_configs.read(path, content)))
