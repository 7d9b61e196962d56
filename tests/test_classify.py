"""What a shell command is evidence of: a table of labelled examples, and whose exit code the line has."""

import json
import time
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tables
from untilgreen.core.shell import classify
from untilgreen.core.shell.classify import Recognised, SingleRun
from world import REPOSITORY, Answer, World

Label = tuple[list[str], str]

TABLE = tomllib.loads((REPOSITORY / "tests" / "commands.toml").read_text(encoding="utf-8"))
LABELS: dict[str, Label] = {
    command: ([] if kinds == "nothing" else kinds.split(), scope)
    for kinds, scopes in TABLE.items()
    for scope, examples in scopes.items()
    for command in examples
}
NOTHING = {command for command, (kinds, _) in LABELS.items() if not kinds}

OWN = tables.literal("classify", "own")
NOT_OWN = tables.literal("classify", "not own")


def test_there_are_examples_enough_of_both() -> None:
    assert len(LABELS) - len(NOTHING) >= 150
    assert len(NOTHING) >= 100
    assert sum(len(examples) for scopes in TABLE.values() for examples in scopes.values()) == len(LABELS)


@pytest.mark.parametrize("kinds", TABLE)
def test_a_command_is_known_by_its_kinds_and_what_it_looks_at(kinds: str) -> None:
    expected = {command: LABELS[command] for scope in TABLE[kinds].values() for command in scope}
    found = {command: classify.of(command) for command in expected}
    assert {command: (list(one.kinds), one.scope) for command, one in found.items()} == expected


def test_the_executable_says_so_too(world: World) -> None:
    answer = world.run("untilgreen", "classify", "--json", stdin="".join(f"{json.dumps(one)}\n" for one in LABELS))
    assert (answer.code, answer.stderr) == (0, "")
    assert [json.loads(line) for line in answer.stdout.splitlines()] == [
        {"command": command, "kinds": kinds, "scope": scope} for command, (kinds, scope) in LABELS.items()
    ]


def test_a_line_is_a_command_or_a_json_string_of_one(world: World) -> None:
    lines = '"cd app\\nnpm test"\n\n"C:/my tools/pytest.exe" -q\r\n"echo"\nmypy src; ruff check'
    answer = world.run("untilgreen", "classify", stdin=lines)
    assert answer == Answer(
        0,
        "test         whole     cd app npm test\n"
        "nothing                \n"
        'test         whole     "C:/my tools/pytest.exe" -q\n'
        "nothing                echo\n"
        "lint, types  narrowed  mypy src; ruff check\n",
        "",
    )
    assert world.run("untilgreen", "classify", "--json", stdin=b'\xff\n"\\ud800 &"') == Answer(
        0,
        '{"command": "\\ufffd", "kinds": [], "scope": "unknown"}\n'
        '{"command": "\\ud800 &", "kinds": [], "scope": "unknown"}\n',
        "",
    )
    assert world.run("untilgreen", "classify") == Answer(0, "", "")


def test_the_exit_code_of_a_line_is_that_of_its_checks_or_another() -> None:
    assert [line for line in OWN if not classify.of(line).own_exit] == []
    assert [line for line in NOT_OWN if classify.of(line).own_exit or not classify.of(line).kinds] == []


def test_every_run_of_a_line_is_told_with_the_folder_that_it_ran_in() -> None:
    assert classify.of("cd web && npm run lint; cd ../api && (cd x; pytest -k a); tsc | cat") == Recognised(
        "cd web && npm run lint; cd ../api && (cd x; pytest -k a); tsc | cat",
        ("test", "lint", "types"),
        "narrowed",
        own_exit=False,
        folder="",
        parts=(
            SingleRun(("lint",), "whole", own_exit=False, folder="web", words=("npm", "run", "lint")),
            SingleRun(("test",), "narrowed", own_exit=False, folder="web/../api/x", words=("pytest", "-k", "a")),
            SingleRun(("types",), "whole", own_exit=False, folder="web/../api", words=("tsc",)),
        ),
    )
    folders = {
        line: classify.of(line).folder for line in ("cd /a && pytest", "cd $X && pytest", "bash -c 'cd a; pytest'")
    }
    assert folders == {"cd /a && pytest": "/a", "cd $X && pytest": "", "bash -c 'cd a; pytest'": "a"}


@given(
    st.text(max_size=80)
    | st.lists(st.sampled_from([*LABELS, *"'\"\\;&|()<>` \n#${}=-!", "<<EOF", "$(", "if ", "fi"]), max_size=8).map(
        "".join
    )
)
def test_no_text_makes_it_raise(command: str) -> None:
    found = classify.of(command)
    assert (found.command, bool(found.kinds)) == (command, bool(found.parts))


@given(st.sampled_from([one for one in LABELS if not set(one) & set("'\"\\$`<>\n!#") and one.strip()]), st.data())
def test_quotes_change_nothing(command: str, data: st.DataObject) -> None:
    words = command.split(" ")
    plain = [
        place for place, word in enumerate(words) if word.isalnum() and word not in ("if", "then", "fi", "for", "do")
    ]
    for place in plain:
        words[place] = data.draw(st.sampled_from(["{}", "'{}'", '"{}"', "''{}"])).format(words[place])
    quoted = classify.of(" ".join(words))
    assert quoted._replace(command=command) == classify.of(command)


@given(st.sampled_from([one for one in LABELS if "'" not in one and "\\" not in one]))
def test_a_shell_around_it_changes_nothing(command: str) -> None:
    assert classify.of(f"bash -c '{command}'")._replace(command=command) == classify.of(command)


@pytest.mark.parametrize(
    "unit", ["$(", "(a;", "{ ", "a&&", "python -m coverage run ", "[", "eval ", "pytest;", "`", "<<a "]
)
def test_a_hostile_command_line_is_read_at_once_or_not(unit: str) -> None:
    began = time.process_time()
    assert not classify.of(unit * 100_000 + "\npytest").kinds
    assert time.process_time() - began < 5  # measured: less than half a second
