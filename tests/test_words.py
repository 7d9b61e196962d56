"""The typed `/untilgreen:loop ...` line."""

import pytest

import tables
from untilgreen.core.errors import UserError
from untilgreen.hosts.claude_code.commands import NAMES
from untilgreen.loops.begin.options import Request
from untilgreen.loops.heard.words import command_of, parse, with_mentions

HERE = {"src/services/", "src/a.py", "b.py", "odd.", "README.md"}.__contains__


@pytest.mark.parametrize(
    ("text", "request_"),
    [
        # the examples that people know from the loops they come from
        ('"Fix all TypeScript errors"', Request(task="Fix all TypeScript errors")),
        ('" Fix it "', Request(task=" Fix it ")),
        (
            '"Remove security vulnerabilities" --max-iterations 5 --zero-security',
            Request(
                task="Remove security vulnerabilities",
                settings={"max_iterations": 5},
                criteria=frozenset({"zero_security"}),
            ),
        ),
        (
            '@src/services/ "Fix all lint errors" --zero-warnings',
            Request(
                task='@src/services/ "Fix all lint errors"',
                targets=("src/services/",),
                criteria=frozenset({"zero_warnings"}),
            ),
        ),
        (
            '"Fix failing tests" --tests-pass --max-iterations 10',
            Request(task="Fix failing tests", criteria=frozenset({"test_pass"}), settings={"max_iterations": 10}),
        ),
        ("--cancel", Request(cancel=True)),
        (
            '"Fix all TypeScript errors in src/" --max-iterations=25 --completion-promise=ALL_FIXED',
            Request(
                task="Fix all TypeScript errors in src/",
                settings={"max_iterations": 25, "completion_promise": "ALL_FIXED"},
            ),
        ),
        # flags anywhere, with every form of a value
        ("", Request()),
        ("  \n ", Request()),
        ("fix --max-iterations 3 the bug", Request(task="fix the bug", settings={"max_iterations": 3})),
        ("fix it --max-iterations=08", Request(task="fix it", settings={"max_iterations": 8})),
        ("-m 7 fix it", Request(task="fix it", settings={"max_iterations": 7})),
        ('-t "fix it" --strict', Request(task="fix it", settings={"strict": True})),
        ("--task 'fix it'", Request(task="fix it")),
        ('--task="fix it" --replace', Request(task="fix it", replace=True)),
        ("--completion-promise='ALL DONE' go", Request(task="go", settings={"completion_promise": "ALL DONE"})),
        ('--completion-promise="" go', Request(task="go", settings={"completion_promise": ""})),
        (
            "--check 'unit=pytest -q' --criteria type_check --criteria custom go",
            Request(task="go", checks=(("unit", ("pytest", "-q")),), criteria=frozenset({"type_check", "custom"})),
        ),
        ("--target src --target=docs go", Request(task="go", targets=("src", "docs"))),
        ("-- fix the --bogus flag", Request(task="fix the --bogus flag")),
        ("--strict -- fix the --bogus flag", Request(task="fix the --bogus flag", settings={"strict": True})),
        ("try git checkout -- file", Request(task="try git checkout -- file")),
        ('-- "--bogus"', Request(task="--bogus")),
        # short flags only with a value that fits
        ('git commit -m "x" and -m', Request(task='git commit -m "x" and -m')),
        ("sort -t , file", Request(task="sort -t , file")),
        # quotes
        ('"the --bogus flag"', Request(task="the --bogus flag")),
        ("'the --bogus flag' --strict", Request(task="the --bogus flag", settings={"strict": True})),
        ('fix the "--bogus" flag', Request(task='fix the "--bogus" flag')),
        ('"a" and "b"', Request(task='"a" and "b"')),
        ("don't stop, it's late --strict", Request(task="don't stop, it's late", settings={"strict": True})),
        ("'don't do it'", Request(task="don't do it")),
        ('5" wide --strict', Request(task='5" wide', settings={"strict": True})),
        ('"unclosed --strict', Request(task='"unclosed', settings={"strict": True})),
        ('"', Request(task='"')),
        ('""', Request(task="")),
        ('" two  spaces "', Request(task=" two  spaces ")),
    ],
)
def test_a_typed_line_becomes_a_request(text: str, request_: Request) -> None:
    assert parse(text, HERE) == request_


@pytest.mark.parametrize("task", tables.literal("words", "a task comes back verbatim with flags"))
def test_a_task_comes_back_verbatim_with_flags_at_its_ends(task: str) -> None:
    assert parse(f"--strict {task} --max-iterations 3\n", HERE) == Request(
        task=task, settings={"strict": True, "max_iterations": 3}
    )


def test_a_flag_takes_its_own_line_with_it() -> None:
    assert parse("one\n--strict\n\n  two", HERE) == Request(task="one\ntwo", settings={"strict": True})


@pytest.mark.parametrize(("text", "message"), tables.literal("words", "what cannot be typed is refused"))
def test_what_cannot_be_typed_is_refused_with_a_way_out(text: str, message: str) -> None:
    with pytest.raises(UserError) as refused:
        parse(text, HERE)
    assert str(refused.value) == message


@pytest.mark.parametrize(("task", "targets"), tables.literal("words", "at words are targets only if they"))
def test_at_words_are_targets_only_if_they_exist_and_stay_in_the_task(task: str, targets: tuple[str, ...]) -> None:
    assert parse(task, HERE) == Request(task=task, targets=targets)


def test_mentions_come_after_the_targets_of_flags_and_only_once() -> None:
    asked = Request(task="@b.py and @src/a.py", targets=("src/a.py",))
    assert with_mentions(asked, HERE) == asked._replace(targets=("src/a.py", "b.py"))


@pytest.mark.parametrize(("prompt", "command"), tables.literal("words", "only exact names are commands"))
def test_only_exact_names_are_commands(prompt: str, command: tuple[str, str] | None) -> None:
    assert command_of(prompt, NAMES) == command
