"""tsc, eslint and biome: where they apply, how they are called, and what is no answer of theirs."""

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from untilgreen import checkers
from untilgreen.checkers import in_turn
from untilgreen.checkers.answer import tail
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.js.javascript import with_comments
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Output, Setting
from untilgreen.core.model.settings import Criteria
from untilgreen.project.tree.layout import Layout

ROOT = "/project"


def layout(project: Path, files: Mapping[str, str], near: tuple[str, ...] = ()) -> Layout:
    for name, text in files.items():
        (project / name).parent.mkdir(parents=True, exist_ok=True)
        (project / name).write_text(text)
    return Layout(str(project), sorted(files), near)


def places(name: str, project: Path, files: Mapping[str, str]) -> dict[str, str]:
    """Where a checker applies, and what the configuration there says about how to call it."""
    found, checker = layout(project, files), checkers.get(name)
    return {root: checker.variant(found, root) for root in checker.roots(found, Criteria())}


# --- JSON with comments -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{}", {}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('{"a": 1, // one\n "b": [1, 2,], /* two\n, */ }', {"a": 1, "b": [1, 2]}),
        (
            '{"a": "// no comment", "b": "/* nor */ this,]", "c": "\\",}//"}',
            {"a": "// no comment", "b": "/* nor */ this,]", "c": '",}//'},
        ),
        ('{"a": 1} /* open', {"a": 1}),
        ('{"a": "open', None),
        ("[1]", None),
        ("", None),
    ],
)
def test_configuration_with_comments_and_last_commas_is_read(text: str, expected: dict[str, Any] | None) -> None:
    assert with_comments(text) == expected


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-9, 9)
    | st.text(max_size=8)
    | st.sampled_from(["//", "/*", "*/", ",]", '"']),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=5), JSON, max_size=3), st.booleans())
def test_what_has_no_comments_is_read_as_json(value: dict[str, Any], ascii_only: bool) -> None:
    assert with_comments(json.dumps(value, ensure_ascii=ascii_only)) == value


@given(st.text(alphabet='{}[]",:/*\\\n a1'))
def test_any_text_is_an_object_or_none(text: str) -> None:
    assert isinstance(with_comments(text), dict | None)


@pytest.mark.parametrize("piece", ["/*", '"', '\\"', ", ", "[", "//", '{"'])
def test_a_long_configuration_is_read_in_no_time(piece: str) -> None:
    assert with_comments(piece * 200_000) is None


# --- where they apply ---------------------------------------------------------------------------------------


PLACES = [
    (name, *row.values) for name in ("tsc", "eslint") for row in tables.rows(f"{name}-roots", "files", "expected")
]
PLACES += [
    ("biome", {"biome.json": "{}"}, {}),
    ("biome", {"biome.json": "{}", "a.ts": "", "web/biome.json": "{}", "web/a.ts": ""}, {".": ""}),
    ("biome", {"web/biome.jsonc": "{}", "web/a.css": "", "api/a.ts": ""}, {"web": ""}),
]


@pytest.mark.parametrize(("name", "files", "expected"), PLACES)
def test_a_tool_applies_where_it_is_configured_and_has_files(
    name: str, files: dict[str, str], expected: dict[str, str], tmp_path: Path
) -> None:
    assert places(name, tmp_path, files) == expected


# --- tsc: how -----------------------------------------------------------------------------------------

FORM = ("--noEmit", "--emitDeclarationOnly", "false", "--incremental", "--tsBuildInfoFile", os.devnull)
CALL = (*FORM, "--pretty", "false", "--diagnostics")


def test_tsc_writes_nothing() -> None:
    tsc, setting = checkers.get("tsc"), Setting(tool="/t/tsc", root=ROOT)
    assert tsc.argv(setting) == ("/t/tsc", *CALL, "-p", ".")
    assert tsc.argv(setting._replace(variant="alone jsconfig.json")) == ("/t/tsc", *CALL, "-p", "jsconfig.json")


def test_configurations_with_references_are_checked_one_after_the_other() -> None:
    setting = Setting(tool="/t/tsc", root=ROOT, variant="refers app/a b.json\nalone lib/tsconfig.json")
    assert checkers.get("tsc").argv(setting) == (
        *(sys.executable, "-I", str(in_turn.__file__), "/t/tsc"),
        *("--", *CALL, "--explainFiles", "-p", "app/a b.json"),
        *("--", *CALL, "--explainFiles", "-p", "lib/tsconfig.json"),
        *("--", "-b", "--dry", "--pretty", "false", "."),
    )


def test_a_build_that_the_project_calls_is_called_as_it_is_and_never_for_one_file() -> None:
    tsc, setting = checkers.get("tsc"), Setting(tool="/t/tsc", root=ROOT, call=("--build", "app", "--force", "-w"))
    assert tsc.argv(setting) == ("/t/tsc", "-b", "app", "--force", "--verbose", "--pretty", "false")
    assert tsc.argv(setting._replace(files=("a.ts",))) == (), "of one file that says too little"


@pytest.mark.parametrize(
    ("script", "groups", "code", "said"),
    [
        (
            'echo "out $@"; cat; exit $1',
            ("--", "0", "a b", "--", "2", "c", "--", "1", "d"),
            2,
            ["out 0 a b", "exit code 0: a b", "out 2 c", "exit code 2: c", "out 1 d", "exit code 1: d"],
        ),
        ("kill -9 $$", ("--", "a"), 137, ["exit code -9: a"]),
    ],
)
def test_a_tool_that_is_run_several_times_says_all_of_it_and_ends_with_the_highest_code(
    script: str, groups: tuple[str, ...], code: int, said: list[str], tmp_path: Path
) -> None:
    tool = tmp_path / "tool"
    tool.write_text(f"#!/bin/sh\n{script}\n")
    tool.chmod(0o755)
    # without site-packages: the plugin's Python does not have untilgreen installed
    words = [sys.executable, "-I", "-S", str(in_turn.__file__), str(tool), *groups]
    done = subprocess.run(words, input="not for it", capture_output=True, text=True, timeout=30, check=False)
    lines = [line.removeprefix("untilgreen: ") for line in done.stdout.splitlines()]
    assert (done.returncode, lines, done.stderr) == (code, said, "")
    assert done.stdout.count("untilgreen: exit code ") == groups.count("--")


# --- tsc: what it says --------------------------------------------------------------------------------

ENDED = "Total time:  0.10s\n"
ERROR = "a.ts(1,7): error TS2322: Type 'string' is not assignable to type 'number'.\n  More of it.\n"
TWO = "alone a.json\nalone b.json"


def test_a_file_of_two_configurations_is_told_once() -> None:
    text = f"{ERROR}untilgreen: exit code 1: a.json\n{ERROR}untilgreen: exit code 1: b.json\n"
    expected = Diagnostic("tsc", "a.ts", 1, "TS2322", "error", "Type 'string' is not assignable to type 'number'.")
    found = Found((expected._replace(column=7),))
    assert outcome(checkers.get("tsc"), Output(1, text, ""), Setting("/t", ROOT, variant=TWO)) == found


FRESH = "lib/out/a.d.ts\n  File is output of project reference source 'lib/a.ts'\na.ts\n  Matched by include pattern\n"


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("Project '/project/tsconfig.json' is up to date", Clean()),
        (
            "A non-dry build would build project '/project/b/tsconfig.json'",
            "checked against what was built before the last change: run `t -b` in /project (/project/b/tsconfig.json)",
        ),
    ],
)
def test_what_another_project_was_built_from_must_be_its_newest_text(said: str, expected: Clean | str) -> None:
    text = f"{FRESH}{ENDED}untilgreen: exit code 0: tsconfig.json\n{said}\nuntilgreen: exit code 0: .\n"
    result = outcome(checkers.get("tsc"), Output(0, text, ""), Setting("/t", ROOT, variant="refers tsconfig.json"))
    assert (result.reason if isinstance(result, Broken) else result) == expected


@pytest.mark.parametrize(
    ("codes", "hiding"),
    [
        ([1005], [1005]),
        ([1005, 8010, 17008], [1005, 8010, 17008]),
        ([1005, 2322], []),  # types were looked at, so 1005 was no error of the syntax
        ([1484], []),
        ([6133, 2307], []),
        ([6305, 2322], [6305]),
    ],
)
def test_only_what_keeps_tsc_from_looking_at_types_hides_others(codes: list[int], hiding: list[int]) -> None:
    text = "".join(f"a.ts({code},1): error TS{code}: m\n" for code in codes)
    result = outcome(checkers.get("tsc"), Output(2, text, ""), Setting("/t", ROOT))
    assert isinstance(result, Found)
    assert [one.line for one in result.diagnostics if one.hides] == hiding


# --- eslint -------------------------------------------------------------------------------------------


def test_eslint_looks_at_all_or_at_some_files_or_at_a_text() -> None:
    eslint, setting = checkers.get("eslint"), Setting(tool="/t/eslint", root=ROOT)
    call = ("/t/eslint", "--no-color", "--format", "json")
    assert eslint.argv(setting) == (*call, ".")
    assert eslint.argv(setting._replace(variant=".js,.ts")) == (*call, "--ext", ".js,.ts", ".")
    apart = (*call, "--ignore-pattern", "web/**", "--ignore-pattern", r"a b/\(c\) \[d\]/**")
    assert eslint.argv(setting._replace(variant="\nweb\na b/(c) [d]")) == (*apart, ".")
    assert eslint.argv(setting._replace(files=("a.js", "b/c.js"))) == (*call, "a.js", "b/c.js")
    assert eslint.argv(setting._replace(stdin="a.ts", variant=".js")) == (*call, "--stdin", "--stdin-filename", "a.ts")


def test_a_configuration_is_enough_where_the_rest_has_others() -> None:
    output = Output(0, json.dumps([{"filePath": f"{ROOT}/eslint.config.js", "messages": []}]), "")
    eslint, setting = checkers.get("eslint"), Setting("/t", ROOT)
    assert outcome(eslint, output, setting._replace(variant="\nweb")) == Clean()
    assert isinstance(outcome(eslint, output, setting), Broken)


def entry(**fields: Any) -> str:
    message = {"ruleId": "r", "severity": 2, "message": "m", "line": 3} | fields
    return json.dumps([{"filePath": f"{ROOT}/a.js", "messages": [message]}])


@pytest.mark.parametrize(
    ("fields", "resolves", "expected"),
    [
        ({}, True, ("r", "error", False)),
        ({"severity": 1}, True, ("r", "warning", False)),
        ({"severity": 3}, True, ("r", "error", False)),
        ({"ruleId": None, "fatal": True}, True, ("parsing", "error", True)),
        ({"ruleId": None}, True, ("eslint", "error", False)),
        ({"ruleId": "import/no-unresolved"}, True, ("import/no-unresolved", "error", False)),
        ({"ruleId": "import/no-unresolved"}, False, ("import/no-unresolved", "warning", False)),
    ],
)
def test_eslints_severity_and_what_hides(
    fields: dict[str, Any], resolves: bool, expected: tuple[str, str, bool]
) -> None:
    rule, severity, hides = expected
    result = outcome(checkers.get("eslint"), Output(1, entry(**fields), ""), Setting("/t", ROOT, resolves=resolves))
    assert result == Found((Diagnostic("eslint", "a.js", 3, rule, severity, "m", hides=hides),))


# --- biome --------------------------------------------------------------------------------------------


def test_biome_shows_every_finding_and_takes_files() -> None:
    biome, setting = checkers.get("biome"), Setting(tool="/t/biome", root=ROOT)
    call = ("/t/biome", "lint", "--colors=off", "--reporter=json", "--max-diagnostics=none")
    assert biome.argv(setting) == (*call, ".")
    assert biome.argv(setting._replace(files=("a.ts",))) == (*call, "--no-errors-on-unmatched", "a.ts")


def biome_says(*diagnostics: dict[str, Any], looked_at: int = 5, left_out: int = 0) -> str:
    summary = {"changed": 0, "unchanged": looked_at, "diagnosticsNotPrinted": left_out}
    return json.dumps({"summary": summary, "diagnostics": diagnostics})


def biome_finding(**fields: Any) -> dict[str, Any]:
    location = {"path": "a.ts", "start": {"line": 2, "column": 1}}
    return {"category": "lint/a/b", "severity": "error", "message": "m", "location": location} | fields


@pytest.mark.parametrize(
    ("location", "file", "line", "column"),
    [
        ({"path": {"file": "./a.ts"}, "span": [8, 9], "sourceCode": "é = 1;\n\nx"}, "a.ts", 2, 1),
        ({"path": {"file": "a.ts"}, "span": [7, 8], "sourceCode": "\né = 1;"}, "a.ts", 2, 6),
        ({"path": "a.ts", "start": {"line": 2, "column": 6}}, "a.ts", 2, 6),
        ({"path": {"file": f"{ROOT}/a.ts"}, "span": None, "sourceCode": None}, "a.ts", 0, 0),
        ({"path": None, "start": {"line": 0, "column": 0}}, "", 0, 0),
    ],
)
def test_biomes_places_are_lines_and_columns_whatever_its_version(
    location: dict[str, Any], file: str, line: int, column: int
) -> None:
    text = biome_says(biome_finding(location=location, category="parse", severity="fatal"))
    assert outcome(checkers.get("biome"), Output(1, text, ""), Setting("/t", ROOT)) == Found(
        (Diagnostic("biome", file, line, "parse", "error", "m", hides=True, column=column),)
    )


# --- both linters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "output", "reason"),
    [
        ("eslint", Output(0, "", ""), "the answer is not JSON: Expecting value: line 1 column 1 (char 0)"),
        ("eslint", Output(0, "{}", ""), "the answer has another shape: it is no list"),
        ("eslint", Output(0, "[]", ""), "no file but its own configuration: nothing was looked at"),
        ("eslint", Output(0, entry(ruleId=None, severity=1, message="File ignored because."), ""), "no file but its own configuration: nothing was looked at"),  # noqa: E501
        ("eslint", Output(1, "[1]", ""), "the answer has another shape: it is no object"),
        ("eslint", Output(1, entry(line="1"), ""), "the answer has another shape: line is no number"),
        ("eslint", Output(2, "", "\nOops! Something went wrong! :(\n\nESLint: 9.39.5\n\nError: no plugin\n    at x"), "exit code 2: Error: no plugin"),  # noqa: E501
        ("eslint", Output(2, "", "(node:7) ESLintIgnoreWarning: old\n(Use `node` to see)\nNo files."), "exit code 2: No files."),  # noqa: E501
        ("biome", Output(0, "", ""), "exit code 0"),
        ("biome", Output(0, biome_says(looked_at=1), ""), "no files but its own configuration were processed: nothing was looked at"),  # noqa: E501
        ("biome", Output(1, biome_says(biome_finding(), left_out=3), ""), "3 findings were left out"),
        ("biome", Output(1, biome_says(), ""), "exit code 1 and no findings"),
        ("biome", Output(1, '{"summary": 1}', ""), "the answer has another shape: summary.changed is missing"),
        ("biome", Output(1, "", "configuration ━━\n\n  × Biome exited.\n"), "exit code 1: × Biome exited."),
        ("biome", Output(2, biome_says(), "error: no such option\n"), "exit code 2: error: no such option"),
    ],
)  # fmt: skip
def test_an_answer_that_is_none_of_the_linters_is_broken(name: str, output: Output, reason: str) -> None:
    assert outcome(checkers.get(name), output, Setting("/t", ROOT)) == Broken(reason, tail(output))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("eslint", entry(ruleId=None, severity=1, message="File ignored because no configuration was supplied.")),
        ("biome", biome_says(looked_at=0)),
    ],
)
def test_a_named_file_that_the_configuration_leaves_out_is_clean(name: str, text: str) -> None:
    assert outcome(checkers.get(name), Output(0, text, ""), Setting("/t", ROOT, files=("a.js",))) == Clean()


WORDS = ["a.ts(1,2): ", "error TS", "2322: m\n", "1005: m\n", "untilgreen: exit code ", "0: a\n", "18003: n\n"]
PIECES = st.sampled_from([*WORDS, ENDED, FRESH])


@given(st.lists(PIECES | st.text(max_size=4)).map("".join), st.sampled_from(["", TWO, "refers a\nalone b", "x\ny"]))
def test_any_text_of_tsc_ends_as_an_outcome(text: str, variant: str) -> None:
    result = outcome(checkers.get("tsc"), Output(1, text, text), Setting("/t", ROOT, variant=variant))
    assert isinstance(result, Found | Broken)
