"""Suppressions, tests and configuration of every language that is known: what counts, and what does not."""

import itertools
import json
import time
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import tables
from untilgreen.core.model.snapshot import Text
from untilgreen.core.verdict import weakened
from untilgreen.project.fakes import checker_configs, definitions, suppressions, text


def read(root: Path, contents: dict[str, str | bytes]) -> Text:
    """Write these files and read them as a project's."""
    for name, content in contents.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(content.encode() if isinstance(content, str) else content)
    return text.read(str(root), tuple(contents), time.monotonic() + 60)


# --- suppressions: file, kind, lines that count, lines that do not ---------------------------------------------------

KINDS: list[tuple[str, str, list[str], list[str]]] = [
    (
        "a.py",
        "pyright: basic",
        ["# pyright: basic", "#pyright:standard, reportFoo=true"],
        ["# pyright: strict", "basic = pyright"],
    ),
    (
        "a.py",
        "pyright: report=false",
        ["# pyright: reportPrivateUsage=false", "# pyright: strict, reportAny = none", "# pyright: reportAny=warning"],
        ["# pyright: reportAny=true", "# pyright: reportAny=error", "# set reportAny=false for pyright"],
    ),
    (
        "a.py",
        "mypy: allow",
        [
            "# mypy: allow-untyped-defs",
            "# mypy: disallow-any-expr, no-strict-optional",
            "# mypy: warn_return_any = False",
            "# mypy:allow_any_generics",
            "# mypy: follow-imports=skip",
        ],
        ["# mypy: disallow-any-expr", "# mypy: no-implicit-optional", "# mypy: strict", "# mypy does not allow-any"],
    ),
    ("a.py", "ty: ignore", ["x = f()  # ty: ignore", "f()  # ty:ignore[call]"], ["# duty: ignore it", "ty.ignore()"]),
    ("a.pyi", "pyre-ignore", ["x: int = f()  # pyre-ignore[9]", "# pyre-fixme: later"], ["# pyre-strict"]),
    ("a.py", "pytype: disable", ["f()  # pytype: disable=foo", "# pytype: skip-file"], ["# pytype: enable=foo"]),
    (
        "a.py",
        "pylint: disable",
        ["f()  # pylint: disable=foo", "# noted; pylint:disable-next=foo", "# pylint: skip-file"],
        ["# pylint: enable=foo", "pylint: disable=foo", "# pylint is here to disable nothing"],
    ),
    ("a.py", "importorskip", ["np = pytest.importorskip('numpy')"], ["importorskip = 1"]),
    (
        "a.py",
        "expectedFailure",
        ["@unittest.expectedFailure", "    @expectedFailure"],
        ["from unittest import expectedFailure"],
    ),
    ("a.py", "__test__", ["    __test__ = False", "__test__: bool = False"], ["__test__ = True"]),
    ("a.py", "ast-grep-ignore", ["f()  # ast-grep-ignore", "# ast-grep-ignore: no-eval"], ["run('ast-grep-ignore')"]),
    ("a.py", "nosemgrep", ["f()  # nosemgrep", "f()  # nosemgrep: rule", "f()  # nosem"], ["# see nosemgrep"]),
    ("a.ipynb", "noqa", ['"import os  # noqa\\n",'], ['"noqa"']),
    (
        "a.js",
        "eslint-disable",
        [
            "/* eslint-disable */",
            "/*eslint-disable no-console*/",
            "/*\n  eslint-disable\n*/",
            "f() // eslint-disable-line no-console",
            "  // eslint-disable-next-line",
            "{/* eslint-disable-next-line react/no-danger */}",
        ],
        ["/* eslint-enable */", "const s = 'eslint-disable'", "// eslint-disabled", "// no eslint-disable here"],
    ),
    (
        "a.ts",
        "eslint: off",
        ["/* eslint no-console: off */", '/* eslint "no-alert": 0, eqeqeq: 2 */', '/*eslint quotes: ["off", 1]*/'],
        ["/* eslint no-console: error */", '/* eslint indent: ["error", 0] */', "/* eslint: 0 problems */ x"],
    ),
    ("a.mjs", "oxlint-disable", ["// oxlint-disable-next-line no-eval"], ["oxlint-disable"]),
    ("a.ts", "tslint:disable", ["/* tslint:disable */", "// tslint:disable-next-line"], ["// tslint:enable"]),
    (
        "a.tsx",
        "biome-ignore",
        [
            "// biome-ignore lint/suspicious/noExplicitAny: x",
            "/** biome-ignore-all lint: x */"[:2] + " biome-ignore-all lint: x */",
            "// biome-ignore-start lint: x",
            "{/* biome-ignore lint: x */}",
        ],
        ["// biome-ignore-end lint: x", "biome-ignore"],
    ),
    ("a.ts", "deno-lint-ignore", ["// deno-lint-ignore no-explicit-any", "// deno-lint-ignore-file"], ["deno-lint"]),
    ("a.svelte", "svelte-ignore", ["<!-- svelte-ignore a11y -->", "// svelte-ignore x"], ["svelte-ignore"]),
    (
        "a.ts",
        "@ts-ignore",
        ["// @ts-ignore", "//@ts-ignore: later", "/* @ts-ignore */", "/**\n * @ts-ignore\n */", "{/* @ts-ignore */}"],
        ["const a = '@ts-ignore'", "// never write @ts-ignore", "// @ts-check", "// @ts-ignored"],
    ),
    ("a.vue", "@ts-expect-error", ["// @ts-expect-error", "<!-- @ts-expect-error -->"], ["@ts-expect-error"]),
    ("a.cts", "@ts-nocheck", ["// @ts-nocheck", "/* @ts-nocheck */"], ["ts-nocheck"]),
    ("a.vue", "@vue-ignore", ["<!-- @vue-ignore -->", "<!-- @vue-expect-error x -->"], ["@vue-ignore"]),
    (
        "a.test.ts",
        ".only",
        [
            "it.only('a', f)",
            "  describe.only('a', f)",
            "test.concurrent.only('a', f)",
            "test.describe.only('a', f)",
            "it.only.each([1])('a', f)",
            "Deno.test.only('a', f)",
            "fit('a', f)",
            "fdescribe(`a`, f)",
            "fit.each([1])('a', f)",
            "test('a', { only: true }, f)",
        ],
        ["model.fit('a')", "query.only('a')", "fit(data)", "outfit('a')", "split.only('a')", "x = { only: true }"],
    ),
    (
        "a.spec.js",
        ".skip",
        [
            "it.skip('a', f)",
            "describe.skip('a', f)",
            "test.skip.each([1])('a', f)",
            "it.skipIf(true)('a', f)",
            "xit('a', f)",
            'xtest("a", f)',
            "xdescribe('a', f)",
            "    this.skip()",
            "  t.skip('later')",
            "test.fixme('a', f)",
            "Deno.test.ignore('a', f)",
            "test('a', { skip: true }, f)",
            "test('a', { timeout: 3, skip: 'later' }, f)",
        ],
        ["cursor.skip(10)", "exit('a')", "list.skip", "test('a', { skip: false }, f)", "_xit('a')"],
    ),
    ("a.test.js", ".todo", ["it.todo('a')", "test.todo('a')"], ["list.todo('a')", "// todo"]),
    ("a.test.js", ".failing", ["it.failing('a', f)", "it.fails('a', f)", "test.fail()"], ["assert.fail(1)", "x.fails"]),
    (
        "a.go",
        "nolint",
        ["x() //nolint", "x() // nolint: errcheck", "//nolint:errcheck,govet // why", "///nolint"],
        ["// nolinting", "// no nolint here", "nolint := 1"],
    ),
    ("a.go", "lint:ignore", ["//lint:ignore SA1000 why", "//lint:file-ignore U1000 why"], ["// lint:ignore SA1000"]),
    ("a.go", "nosec", ["x() // #nosec G101", "x() /* #nosec */"], ["// nosec"]),
    (
        "a_test.go",
        "t.Skip",
        ['\tt.Skip("x")', "\tt.SkipNow()", '\tb.Skipf("%d", 1)', '\ttb.Skip("x")', '\ts.T().Skip("x")'],
        ["r.Skip(3)", "t.Skipped()", "t.SkipAll()", "cat.Skip()", "t.skip()"],
    ),
    (
        "a.go",
        "go:build ignore",
        ["//go:build ignore", "// +build ignore", "//go:build ignore && linux"],
        ["//go:build linux", "// see //go:build ignore", "//go:build !ignored"],
    ),
    (
        "a.go",
        "go:build tag",
        ["//go:build never", "//go:build linux && never", "//go:build (darwin && wip)", "//go:build linuxx"],
        [
            "//go:build linux && cgo && !never",
            "//go:build windows || never",
            "//go:build !(a && b)",
            "//go:build go1.21",
            "//go:build tools",
            "//go:build goexperiment.x",
            "//go:build",
            "// the //go:build never",
            "//go:buildnever",
        ],
    ),
    ("a_test.go", "nolint", ["//nolint"], ["//go:build integration", "//go:build never"]),
    (
        "a.rs",
        "#[allow]",
        ["#[allow(dead_code)]", "#![allow(clippy::all)]", "#[cfg_attr(test, allow(unused))]", "#[ allow (x)]"],
        ["#[allowed(x)]", "allow(x)", "#[deny(x)]", "#[cfg_attr(test, deny(unused))]"],
    ),
    ("a.rs", "#[expect]", ["#[expect(unused)]", "#![expect(unused)]"], ['x.expect("y")', "expect(1)"]),
    (
        "a.rs",
        "#[ignore]",
        ["#[ignore]", '#[ignore = "slow"]', "#[cfg_attr(miri, ignore)]"],
        ["#[ignored]", "ignore()", "#[serde(ignore)]"],
    ),
    ("a.rs", "#[cfg(any())]", ["#[cfg(any())]", "#[cfg(false)]"], ["#[cfg(any(unix))]", "#[cfg(test)]"]),
    ("a.cc", "NOLINT", ["f(); // NOLINT", "// NOLINTNEXTLINE(x)", "// NOLINTBEGIN"], ["// NOLINTEND", "NOLINT"]),
    (
        "a.h",
        "pragma diagnostic ignored",
        ['#pragma GCC diagnostic ignored "-Wall"', '#pragma clang diagnostic ignored "-Wx"'],
        ["#pragma GCC diagnostic push", "#pragma once"],
    ),
    ("a.cpp", "pragma warning disable", ["#pragma warning(disable : 4996)"], ["#pragma warning(push)"]),
    ("a.c", "cppcheck-suppress", ["// cppcheck-suppress unused"], ["cppcheck-suppress"]),
    ("a.cc", "GTEST_SKIP", ["  GTEST_SKIP();"], ["GTEST_SKIP"]),
    ("a.cc", "DISABLED_", ["TEST(A, DISABLED_B) {", "TEST_F(DISABLED_A, B) {"], ["TEST(A, B) {", "int DISABLED_ = 1;"]),
    (
        "A.java",
        "@SuppressWarnings",
        ['@SuppressWarnings("all")', '@SuppressFBWarnings("X")'],
        ["@Suppressed", "SuppressWarnings"],
    ),
    ("A.kt", "@SuppressWarnings", ['@file:Suppress("x")', '@Suppress("x")'], ["@Suppressor"]),
    ("A.java", "@Disabled", ["@Disabled", '@Disabled("x")', "@DisabledOnOs(LINUX)"], ["@Disable", "setDisabled()"]),
    ("A.java", "@Ignore", ["@Ignore", '@Ignore("x")'], ["@JsonIgnore", "@IgnoreExtraProperties"]),
    ("A.scala", "@nowarn", ["@nowarn"], ["nowarn"]),
    ("A.java", "NOPMD", ["f(); // NOPMD"], ["NOPMD"]),
    ("A.java", "NOSONAR", ["f(); // NOSONAR"], ["NOSONAR"]),
    ("A.java", "CHECKSTYLE:OFF", ["// CHECKSTYLE:OFF"], ["// CHECKSTYLE:ON"]),
    ("A.cs", "pragma warning disable", ["#pragma warning disable CS0168"], ["#pragma warning restore CS0168"]),
    ("A.cs", "nullable disable", ["#nullable disable"], ["#nullable enable"]),
    ("A.cs", "[SuppressMessage]", ['[SuppressMessage("a", "b")]'], ["SuppressMessages"]),
    ("A.cs", "[Ignore]", ["[Ignore]", '[Ignore("x")]'], ["[JsonIgnore]"]),
    ("A.cs", "Skip =", ['[Fact(Skip = "x")]', '[Theory(DisplayName = "a", Skip="x")]'], ["Skip = 1", "[A] Skip = 1"]),
    ("a.rb", "rubocop:disable", ["f # rubocop:disable Lint/Foo", "# rubocop:todo all"], ["# rubocop:enable all"]),
    ("a.rb", "typed: false", ["# typed: false", "# typed: ignore"], ["# typed: strict", "x = 1 # typed: false"]),
    (
        "a.rb",
        "skip",
        ["  skip", "  skip 'x'", "xit 'a' do", "  xdescribe('a') do", "it 'a', skip: true do"],
        ["skip = 1", "skip_it", "list.skip(1)", "it 'a', skip: false do"],
    ),
    ("a.rb", "pending", ["  pending 'x'", "  pending"], ["pending = 1", "pending.each"]),
    ("a.rb", ":focus", ["it 'a', :focus do", "it 'a', focus: true do", "fit 'a' do"], ["find(':focus')", "fit = 1"]),
    ("a.php", "@phpstan-ignore", ["// @phpstan-ignore-next-line", "/** @phpstan-ignore x */"], ["// phpstan"]),
    ("a.php", "@psalm-suppress", ["/** @psalm-suppress X */"], ["psalm-suppress"]),
    ("a.php", "phpcs:ignore", ["// phpcs:ignore", "# phpcs:disable"], ["// phpcs:enable"]),
    ("a.php", "markTestSkipped", ["$this->markTestSkipped('x');", "self::markTestIncomplete();"], ["markTest()"]),
    ("a.swift", "swiftlint:disable", ["// swiftlint:disable:next x"], ["// swiftlint:enable x"]),
    ("a.swift", "XCTSkip", ['throw XCTSkip("x")', "try XCTSkipIf(true)"], ["XCTSkipped"]),
    ("a.swift", ".disabled", ["@Test(.disabled()) func a() {", '@Suite("a", .disabled())'], ["button.disabled(true)"]),
    (
        "a.sh",
        "shellcheck disable",
        ["# shellcheck disable=SC2086", "# shellcheck source=x disable=SC1"],
        ["# shellcheck source=x", "shellcheck disable=x"],
    ),
    (
        "deploy/values.yaml",
        "yamllint disable",
        ["# yamllint disable", "a:  1  # yamllint disable-line rule:colons", "# yamllint disable-file"],
        ["# yamllint enable", "yamllint: disable", "# yamllint disabled it"],
    ),
    (
        "deploy/Dockerfile",
        "hadolint ignore",
        ["# hadolint ignore=DL3006", "# hadolint global ignore=DL3006,DL3008"],
        ["# hadolint shell=bash", "RUN hadolint ignore=x"],
    ),
    ("Dockerfile.dev", "hadolint ignore", ["# hadolint ignore=DL3006"], []),
    ("web.Dockerfile", "hadolint ignore", ["# hadolint ignore=DL3006"], []),
]
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
        known = {kind.name for suffix in suffixes for kind in suppressions.KINDS[suffix]}
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

JEST = """
import { it } from 'x';
describe('group', () => {
  beforeEach(() => {});
  it('adds', () => { expect(1 + 1).toBe(2); });
  test("is async", async () => { await f(); });
  it.only('is alone', function () { f(); });
  it.skip(`waits`, (done) => { f(done); });
  xit('is left out', () => { f(); });
  it.each([1, 2])('takes %d', (n) => { f(n); });
  test.each`a | b
    ${1} | ${2}`('takes a table', ({ a, b }) => { f(a, b); });
  for (const name of names) it(name, () => { f(name); });
  // it('is commented out', () => { f(); });
  /*
  it('is commented out too', () => { f(); });
  */
  it('has http://a.b in it', () => { f("/* no comment", '//'); });
});
expect(/x/.test('it')).toBe(true);
mytest('x', f); audit('x'); test.describe('x', f);
"""
GO = """package a

import "testing"

func TestA(t *testing.T) { a(t) }
func Test_b(t *testing.T) {
	a(t)
}
func (s *Suite) TestC() { s.a() }
func FuzzD(f *testing.F) { f.Fuzz(a) }
func Testify() {}
func helper(t *testing.T) {}
/*
func TestE(t *testing.T) { a(t) }
*/
// func TestF(t *testing.T) { a(t) }
"""
RUST = """
pub fn add<'a>(x: &'a str) -> char { '"' }

#[cfg(test)]
mod tests {
    #[test]
    fn a() { assert_eq!(add("x"), '"'); }
    #[tokio::test(flavor = "multi_thread")]
    async fn b() { c().await; }
    #[rstest]
    #[case(1)]
    fn d(#[case] n: u32) { e(n); }
    #[rstest]
    #[tokio::test]
    async fn f() { e(1).await; }
    // #[test]
    // fn g() { e(1); }
    /* #[test]
    fn h() { e(1); } */
    #[testing]
    fn i() {}
}
"""
PYTEST = '''
import pytest

class TestA:
    def test_a(self) -> None:
        """Says what it does."""
        assert a()

    @pytest.mark.parametrize("x", [1, 2])
    async def test_b(self, x: int = f(g(1)), *, y: "dict[str, int]" = {}) -> dict[str, int]:
        pass
        return a(x)

def test_c(): a()
# def test_d(): a()
def test_e():

    # first this

    if a():
        pass
def helper(): pass
'''


@pytest.mark.parametrize(
    ("names", "content", "count"),
    tables.rows("tests-counted", "names", "content", "count"),
)
def test_tests_are_counted_where_their_runner_looks_for_them(names: list[str], content: str, count: int) -> None:
    assert [definitions.counted(name, content.encode())[0] for name in names] == [count] * len(names)


@pytest.mark.parametrize(
    ("name", "content"),
    tables.rows("full-tests", "name", "content"),
)
def test_a_test_that_does_something_is_not_empty(name: str, content: str) -> None:
    assert definitions.counted(name, content.encode())[1] == 0


@pytest.mark.parametrize(
    ("name", "content"),
    tables.rows("emptied-tests", "name", "content"),
)
def test_a_test_that_holds_nothing_is_counted_as_emptied(tmp_path: Path, name: str, content: str) -> None:
    found = read(tmp_path, {name: content})
    assert (found.tests, found.suppressions) == (1, {"emptied test": 1})


def test_three_emptied_tests_are_named_and_counted(tmp_path: Path) -> None:
    before = "".join(f"def test_{n}():\n    assert f({n})\n\n\n" for n in range(5))
    after = before
    for n in range(3):
        after = after.replace(f"    assert f({n})\n", "    pass\n")
    then, now = read(tmp_path, {"test_a.py": before}), read(tmp_path, {"test_a.py": after})
    assert weakened.compare(then, now, 0, 0) == (("3 new emptied test",), 3, 0)


def test_moving_and_renaming_files_weakens_nothing(tmp_path: Path) -> None:
    one = read(tmp_path / "1", {"a.test.ts": JEST, "a.ts": "// @ts-ignore\n", "test_a.py": PYTEST, "a_test.go": GO})
    two = read(
        tmp_path / "2", {"tests/b.ts": JEST, "src/c.ts": "// @ts-ignore\n", "t/b_test.py": PYTEST, "b/b_test.go": GO}
    )
    assert weakened.compare(one, two, 0, 0) == ((), 0, 0)


# --- configuration ---------------------------------------------------------------------------------------------------

WHOLE = [
    "pyrightconfig.json",
    "ty.toml",
    ".bandit",
    "bandit.yaml",
    ".flake8",
    ".pylintrc",
    "pylintrc",
    "tsconfig.json",
    "tsconfig.build.json",
    "jsconfig.json",
    "eslint.config.js",
    "eslint.config.mjs",
    "eslint.config.ts",
    ".eslintrc",
    ".eslintrc.json",
    ".eslintrc.cjs",
    ".eslintrc.yml",
    ".eslintignore",
    "biome.json",
    "biome.jsonc",
    "jest.config.js",
    "jest.config.ts",
    "jest.config.json",
    "vitest.config.ts",
    "vitest.config.mts",
    "vitest.workspace.ts",
    "playwright.config.ts",
    ".mocharc.json",
    "deno.json",
    ".oxlintrc.json",
    "oxlint.config.ts",
    ".isort.cfg",
    ".prettierrc",
    ".prettierignore",
    "prettier.config.mjs",
    ".xo-config.json",
    "eslint-suppressions.json",
    ".golangci.yml",
    ".golangci.yaml",
    ".golangci.toml",
    ".golangci.json",
    ".pre-commit-config.yaml",
    "clippy.toml",
    ".clippy.toml",
    "sgconfig.yml",
    ".rubocop.yml",
    ".rubocop_todo.yml",
    ".clang-tidy",
    ".shellcheckrc",
    ".hadolint.yaml",
    ".yamllint",
    "deploy/.yamllint.yml",
    ".github/actionlint.yaml",
    "phpstan.neon",
    "ruff.toml",
    "mypy.ini",
    ".ignore",
    "src/.ignore",
    "a/.basedpyright/baseline.json",
    "packages/a/tsconfig.json",
]


@pytest.mark.parametrize("path", WHOLE)
def test_a_checkers_own_file_is_known_as_a_whole(tmp_path: Path, path: str) -> None:
    one, two = (read(tmp_path, {path: content}).config for content in ("", "[a]\nb = 1\n"))
    assert (list(one), list(two)) == ([path], [path])
    assert one != two


@pytest.mark.parametrize("path", WHOLE)
def test_a_checkers_own_file_is_read_when_git_ignores_it(tmp_path: Path, path: str) -> None:
    read(tmp_path, {path: ""})
    seen = text.read(str(tmp_path), (), time.monotonic() + 60)
    assert list(seen.config) == ([] if "/" in path else [path])


@pytest.mark.parametrize(
    "path", ["tsconfig.tsbuildinfo", "my.eslintrc", "config.json", "package-lock.json", "config.toml", "baseline.json"]
)
def test_other_files_are_no_configuration(tmp_path: Path, path: str) -> None:
    assert read(tmp_path, {path: '{"scripts": {"test": "x"}}'}).config == {}


PACKAGE = {"name": "a", "version": "1.0.0", "scripts": {"test": "jest", "lint": "eslint ."}, "jest": {"bail": 1}}


def names(root: Path, path: str, *contents: str) -> list[str]:
    """What reads as changed when the contents of this file come one after the other."""
    seen = [read(root, {path: content}) for content in contents]
    return [what for then, now in itertools.pairwise(seen) for what in weakened.compare(then, now, 0, 0)[0]]


@pytest.mark.parametrize(
    ("after", "expected"),
    [
        (PACKAGE | {"dependencies": {"left-pad": "1"}, "version": "2"}, []),
        (dict(reversed(PACKAGE.items())), []),
        (PACKAGE | {"scripts": {"lint": "eslint .", "test": "jest"}}, []),
        (PACKAGE | {"scripts": {"test": "true", "lint": "eslint ."}}, ["changed package.json [scripts]"]),
        (
            PACKAGE | {"eslintConfig": {}, "vitest": {}},
            ["new package.json [eslintConfig]", "new package.json [vitest]"],
        ),
        ({"name": "a"}, ["removed package.json [jest]", "removed package.json [scripts]"]),
    ],
)
def test_of_a_package_json_only_the_checkers_keys_count(tmp_path: Path, after: object, expected: list[str]) -> None:
    assert names(tmp_path, "package.json", json.dumps(PACKAGE), json.dumps(after, indent=4)) == expected


@pytest.mark.parametrize("content", ["{", "[]", "1", "", '{"scripts": ' + "[" * 200_000])
def test_a_package_json_that_is_none_is_taken_as_a_whole(tmp_path: Path, content: str) -> None:
    assert names(tmp_path, "package.json", content, f"{content} ]") == ["changed package.json"]


TSCONFIG = '{"compilerOptions": {"strict": true, "paths": {"@/*": ["./*"], "//x": ["/* y */"]}}, "files": ["a", "b"]}'


@pytest.mark.parametrize(
    ("path", "one", "two"),
    [
        ("tsconfig.json", TSCONFIG, TSCONFIG.replace(", ", ',\n  // note "x\n  /* and\n this */ ').replace("]", ",]")),
        ("tsconfig.json", '{"a": 1, "b": 2}', '\ufeff{\r\n"b": 2,\r\n"a": 1,\r\n}\r\n'),
        (".golangci.yml", "linters:\n  enable: [a]\n", "# note\n\nlinters:   \n  # note\n  enable: [a]\r\n"),
        ("eslint.config.js", "export default [\n  a,\n];\n", "// note\nexport default [\n\n  // note\n  a,\n];"),
        ("Cargo.toml", "[lints]\nrust.a = 'deny'\n", "# note\n[package]\n\n[lints]\nrust = { a = 'deny' }\n"),
        ("Cargo.toml", "[dependencies]\na = '1'\n", "[dependencies]\na = '2'\n[profile.dev]\nopt-level = 1\n"),
        ("vite.config.ts", "export default { plugins: [a()] }", "export default { plugins: [a(), b()] }"),
        ("pyproject.toml", "[tool.tyro]\na = 1\n", "[tool.tyro]\na = 2\n[tool.pyrightish]\nb = 1\n"),
    ],
)
def test_what_no_checker_reads_makes_no_difference(tmp_path: Path, path: str, one: str, two: str) -> None:
    assert names(tmp_path, path, one, two) == []


@pytest.mark.parametrize(
    ("path", "one", "two", "expected"),
    tables.rows("read-by-checkers", "path", "one", "two", "expected"),
)
def test_what_a_checker_reads_makes_a_difference(tmp_path: Path, path: str, one: str, two: str, expected: str) -> None:
    assert names(tmp_path, path, one, two) == [expected]


# --- any text --------------------------------------------------------------------------------------------------------

PATHS = ["test_a.py", "a.test.ts", "a_test.go", "a.rs", "A.java", "A.cs", "a.cc", "a_spec.rb", "ATest.php", "a.swift"]
PATHS += ["a.vue", "a.sh", *WHOLE, "package.json", "Cargo.toml", "pyproject.toml", "vite.config.ts"]
PIECES = sorted(
    {kind.word for kinds in suppressions.KINDS.values() for kind in kinds}
    | {
        b"# ",
        b"//",
        b"/*",
        b"*/",
        b"\n",
        b" ",
        b"def test_a(",
        b"):",
        b"    pass",
        b'"""',
        b"'",
        b"`",
        b"{",
        b"}",
        b"(",
    }
    | {b")", b"it('a', () => {", b"#[test]", b"#[", b"]", b"fn a() {", b"func TestA(", b"\\", b"=", b":", b"\xff", b","}
    | {b"extends", b"preset", b"extend", b"import", b"from", b"require", b"./a", b"../", b"- ", b"/", b"."}
)


@given(path=st.sampled_from(PATHS), content=st.lists(st.sampled_from(PIECES) | st.binary(max_size=4)).map(b"".join))
@example(path="a.rs", content=b"\\")
def test_any_text_is_counted(path: str, content: bytes) -> None:
    tests, empty = definitions.counted(path, content)
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
    assert definitions.counted(path, source.encode()) == (full + empty, empty)


HARD = [
    *[b"def test_a(", b"def test_a():\n", b'def test_a():\n    """', b"def test_a():\n    pass\n    ", b"    #\n"],
    *[b"it('a', () => {", b"it.each`", b"it('", b"it('a', {", b"it(", b"it.each(", b"it ", b"function ", b"function\n"],
    *[
        b"#[test]",
        b"#[test] ",
        b"#[cfg_attr(",
        b"#[cfg_attr(a, ",
        b"fn a() -> ",
        b"func TestA(t) {\n",
        b"func (s) Test",
    ],
    *[b"/*", b"//", b"/* ", b"////", b"\\", b'"\\', b"'\\", b"`\\", b"`", b"'", b'"', b"'\\'", b"\n", b" ", b"(", b"{"],
    *[b"# mypy: ", b"# pylint", b"# shellcheck ", b"#", b"# ", b"@", b"@.", b"it.it", b"it.a.", b"Deno.test.", b"skip"],
    *[
        b"/* eslint a: ",
        b"/* eslint ",
        b":",
        b": ",
        b"it({skip",
        b"it({ skip: false,",
        b"TEST(",
        b"[Fact(",
        b"@ts-ignore",
    ],
    *[b"@Test(", b"xit", b"fit", b"fit ", b"x", b"only:", b".only", b".skip", b"describe.", b"describe", b"report"],
]


@pytest.mark.parametrize("path", ["test_a.py", "a.test.ts", "a_test.go", "a.rs", "a.cc", "A.java", "A.cs", "a_spec.rb"])
def test_no_text_takes_long_to_count(tmp_path: Path, path: str) -> None:
    starts = (b"", b"it('a', () => {", b"def test_a():\n", b"#[test]\nfn a() {", b"/* eslint ", b"# mypy: ")
    for piece in HARD:
        for start in starts:
            content = start + piece * (30_000 // len(piece))
            (tmp_path / path).write_bytes(content)
            began = time.process_time()
            text.read(str(tmp_path), (path,), time.monotonic() + 60)
            assert time.process_time() - began < 0.25, (start, piece)


REFERRING = [
    b"extends:",
    b"extends: ",
    b"extends:\n- a\n",
    b"extends: [",
    b"import ",
    b"import(",
    b"import\n",
    b'from "./',
]
REFERRING += [b"extend = ", b"\nextend='a'\n", b'import "./a', b'import "./a"', b"- ", b"-", b'{"extends": [']


@pytest.mark.parametrize(
    "piece", [b'"', b'"\\', b"/*", b"//", b"{", b"[", b",]", b'{"a":', b" ", b"\\", b"'", *REFERRING]
)
def test_no_configuration_takes_long_to_read(piece: bytes) -> None:
    for path in ("tsconfig.json", "package.json", "eslint.config.js", ".golangci.yml", "Cargo.toml", ".flake8"):
        began = time.process_time()
        said = checker_configs.read(path, piece * (300_000 // len(piece)))
        assert all(place for place in checker_configs.references(path, said))
        assert time.process_time() - began < 1, path
