"""golangci-lint: where it is chosen, and how either version of it is called."""

from pathlib import Path

import pytest

import tables
from test_green import CI, workflow
from test_green_runners import chosen
from untilgreen.checkers.other.go import GOLANGCI_LINT as CHECKER
from untilgreen.core.model.outcome import Found, Output, Setting
from untilgreen.project.tree.layout import Layout

MODULE = {"go.mod": "module example.invalid/a\n", "a.go": "package a\n"}
SECOND = {".golangci.yml": 'version: "2"\n'}
ACTION = tables.text("golangci-lint", "action")


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (MODULE, ["go-vet"]),
        (MODULE | SECOND, ["go-vet", "golangci-lint"]),
        (MODULE | {".golangci.toml": ""}, ["go-vet", "golangci-lint"]),
        (SECOND | {f"sub/{name}": text for name, text in MODULE.items()}, ["go-vet@sub", "golangci-lint@sub"]),
        (
            MODULE | {CI: workflow("golangci-lint run -v --timeout 5m --out-format=github-actions ./...")},
            ["go-vet", f"golangci-lint --timeout 5m ./... ({CI}: check)"],
        ),
        (MODULE | {"Makefile": "lint:\n\tgolangci-lint fmt\n"}, ["go-vet"]),
        (
            {CI: ACTION, **{f"sub/{name}": text for name, text in MODULE.items()}},
            ["go-vet@sub", f"golangci-lint --timeout=5m ./... ({CI}: check)"],
        ),
    ],
    ids=["nobody", "configured", "another form", "from above", "called", "to format", "the action"],
)
def test_it_is_a_check_where_the_project_chose_it(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert chosen(tmp_path, files, "static") == expected


@pytest.mark.parametrize(
    ("files", "root", "expected"), tables.literal("golangci-lint", "the configuration tells the version")
)
def test_the_configuration_tells_the_version(
    tmp_path: Path, files: dict[str, str], root: str, expected: tuple[str, str]
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    found = CHECKER.variant(Layout(str(tmp_path), tuple(files)), root)
    assert (found, CHECKER.argv(Setting("/t", "/project", variant=found))[2]) == expected


def test_a_path_is_told_from_the_folder_of_the_configuration() -> None:
    said = '{"Issues":[{"FromLinter":"a","Text":"b","Pos":{"Filename":"sub/a.go","Line":3}}]}\n1 issues:\n* a: 1\n'
    found = CHECKER.parse(Output(1, said, ""), Setting("/t", "/project/sub", variant="2 .."))
    assert isinstance(found, Found)
    assert [(one.file, one.line, one.rule) for one in found.diagnostics] == [("../sub/a.go", 3, "a")]
