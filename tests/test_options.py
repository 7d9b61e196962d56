"""`start-loop` in a shell: flags to a Request, and how the command ends."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner

import tables
from untilgreen.cli import options
from untilgreen.cli.errors import run
from untilgreen.core.errors import UserError
from untilgreen.loops.begin.options import OPTIONS, Request
from untilgreen.settings.keys import SETTINGS


def asked(*args: str) -> Request:
    """What the command hands to its callback; errors as they are raised."""
    got: list[Request] = []
    options.command(got.append).main(args=list(args), prog_name="start-loop", standalone_mode=False)
    return got[0]


def do_nothing(_: Request) -> None:
    pass


def ended(capsys: pytest.CaptureFixture[str], *args: str) -> tuple[int, str, str]:
    code = run(options.command(do_nothing), args)
    streams = capsys.readouterr()
    return code, streams.out, streams.err


@pytest.mark.parametrize(("args", "fields"), tables.literal("options", "flags and words become a request"))
def test_flags_and_words_become_a_request(args: Sequence[str], fields: dict[str, Any]) -> None:
    assert asked(*args) == Request(**fields)


NO_NUMBERS = ("1_0", "٣", "+3", "-3", "", " 3", "0x8", "1e3", "9" * 5000)
NUMBERS = [(option.flag, SETTINGS.types[option.key] is float) for option in OPTIONS if option.value in ("N", "USD")]


@pytest.mark.parametrize(("flag", "value"), [(flag, value) for flag, _ in NUMBERS for value in NO_NUMBERS])
def test_a_number_is_decimal_ascii_digits(flag: str, value: str) -> None:
    with pytest.raises(UserError, match=rf"^{flag}: .* is not a (whole )?number"):
        asked(f"{flag}={value}")


@pytest.mark.parametrize(("flag", "parts"), NUMBERS)
def test_a_flag_takes_the_number_that_its_key_takes(flag: str, parts: bool) -> None:
    key = flag[2:].replace("-", "_")
    if parts:
        assert asked(flag, "0.5") == Request(settings={key: 0.5})
    else:
        with pytest.raises(UserError, match=" is not a whole number of at most nine digits"):
            asked(flag, "0.5")


def test_a_switch_with_a_value_as_go_writes_it_is_refused_with_what_to_write() -> None:
    for value in ("true", "false"):
        with pytest.raises(UserError) as refused:
            asked(f"--zero-errors={value}")
        fix = "write --zero-errors alone, or for false write --no-zero-errors"
        assert str(refused.value) == f"--zero-errors takes no value. Fix: {fix}"


@pytest.mark.parametrize(("args", "message"), tables.literal("options", "what cannot be asked is refused"))
def test_what_cannot_be_asked_is_refused_with_what_can(args: Sequence[str], message: str) -> None:
    with pytest.raises(UserError) as refused:
        asked(*args)
    assert str(refused.value) == message


@pytest.mark.parametrize(("command", "operator"), tables.literal("options", "a shell operator in a check"))
def test_a_shell_operator_in_a_check_is_an_error_that_suggests_sh(command: str, operator: str) -> None:
    with pytest.raises(UserError) as refused:
        asked("--check", f"unit={command}")
    assert str(refused.value) == (
        f"--check unit: {operator} is for a shell, and the command runs without one. "
        f"Fix: quote it, or use sh -c '{command}'"
    )


@pytest.mark.parametrize(("command", "words"), tables.literal("options", "quoted operators are words of a check"))
def test_quoted_operators_are_words_of_a_check(command: str, words: tuple[str, ...]) -> None:
    assert asked("--check", f"unit={command}") == Request(checks=(("unit", words),))


def test_a_task_file_is_taken_verbatim(tmp_path: Path) -> None:
    text = 'Fix $(this) "and that"\n\n  --max-iterations 3 is text here\n'
    (tmp_path / "task.md").write_bytes(text.encode())
    assert asked("--task-file", str(tmp_path / "task.md"), "-m", "2") == Request(
        task=text, settings={"max_iterations": 2}
    )


def test_a_task_may_come_from_stdin() -> None:
    got: list[Request] = []
    CliRunner().invoke(options.command(got.append), ["--task-file", "-"], input="über alles\n")
    assert got == [Request(task="über alles\n")]


def test_a_task_file_that_cannot_be_read_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "latin").write_bytes(b"\xfc")
    with pytest.raises(UserError, match="No such file or directory"):
        asked("--task-file", str(tmp_path / "none"))
    with pytest.raises(UserError, match="it is not UTF-8 text"):
        asked("--task-file", str(tmp_path / "latin"))


def test_bytes_that_are_no_text_do_not_reach_the_state() -> None:
    assert asked("fix \udcff") == Request(task="fix ?")


@pytest.mark.parametrize("args", [("--bogus",), ("--task",), ("--strict=1",), ("--max-iterations", "x")])
def test_a_usage_error_is_exit_64_and_one_line(capsys: pytest.CaptureFixture[str], args: Sequence[str]) -> None:
    code, out, err = ended(capsys, *args)
    assert (code, out, err.count("\n"), err.startswith(("start-loop: ", "start-loop failed: "))) == (64, "", 1, True)


def test_control_characters_of_a_value_do_not_reach_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(capsys, "--marker", "a\nb\x1b[31m") == (
        64,
        "",
        'start-loop failed: --marker is "a\\nb\\u001b[31m". Fix: give one of trust, verify, require\n',
    )


def test_help_names_every_option_and_version_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, err = ended(capsys, "--help")
    missing = [option.flag for option in OPTIONS if f"{option.flag} " not in out.replace("\n", " ")]
    assert (code, err, missing) == (0, "", [])
    code, out, err = ended(capsys, "--version")
    assert (code, out.count("\n"), out.startswith("start-loop, version "), err) == (0, 1, True, "")


def test_the_callback_decides_the_exit_code() -> None:
    assert [run(options.command(do_nothing), []), run(options.command(lambda _: 1), [])] == [0, 1]


def test_a_bug_is_exit_3_with_its_traceback_in_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    def bug(request: Request) -> int:
        raise ZeroDivisionError("two\nlines")

    log: list[str] = []

    def kept(trace: str) -> str:
        log.append(trace)
        return "/some/log"

    code = run(options.command(bug), [], kept)
    assert (code, len(log), log[0].endswith("ZeroDivisionError: two\nlines\n")) == (3, 1, True)
    assert capsys.readouterr().err == (
        "start-loop failed: a bug in untilgreen: ZeroDivisionError: two lines. "
        "Fix: report it with the traceback that is in /some/log\n"
    )


@pytest.mark.parametrize("ending", [KeyboardInterrupt, click.Abort])
def test_an_interrupt_is_exit_130(ending: type[BaseException]) -> None:
    def interrupted(request: Request) -> int:
        raise ending

    assert run(options.command(interrupted), []) == 130


def test_a_user_error_of_the_callback_is_exit_64(capsys: pytest.CaptureFixture[str]) -> None:
    def refuse(request: Request) -> int:
        raise UserError("not here", "go there")

    assert (run(options.command(refuse), []), capsys.readouterr().err) == (
        64,
        "start-loop failed: not here. Fix: go there\n",
    )
