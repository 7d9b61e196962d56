"""The options of a start as click knows them."""

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

import click

from untilgreen.cli import errors
from untilgreen.core.errors import UserError, meant
from untilgreen.loops.options import Request, offered, request
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.table import Option, Table
from untilgreen.settings.values import shown


def command(callback: Callable[[Request], int | None], table: Table = SETTINGS) -> click.Command:
    """`untilgreen start`, and `start-loop`. `callback` returns the exit code, None for 0; to be run by `errors.run`.
    A task's `@path` words are no targets yet: only the caller knows the project (`words.with_mentions`)."""

    options = offered(table)

    def invoke(words: tuple[str, ...], **found: Any) -> int | None:
        given = {option.flag: _found(found[option.name]) for option in options}
        asked = {flag: answers for flag, answers in given.items() if answers}
        return callback(request(asked, " ".join(words) if words else None, table))

    start = _StartLoop(
        "start-loop",
        params=[click.Argument(["words"], nargs=-1, metavar="[WORDS]..."), *map(_parameter, options)],
        callback=invoke,
        help="Keep the agent at work until the checks pass.\n\n"
        "The loop also ends when the agent gets no closer, or when its rounds or its time are used up. The task is "
        "WORDS. `untilgreen start` and `start-loop` are one command.",
        epilog="Example: untilgreen start --max-iterations 5 'Make the tests pass'",
    )
    return click.version_option(version())(start)


class _StartLoop(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            advice = f"if it belongs to the task, put -- and then the task at the end: {ctx.command_path} -- 'the task'"
            raise UserError(f"no such option {error.option_name}{errors.near(error)}", advice) from None


def _parameter(option: Option) -> click.Option:
    names = [option.flag, option.short] if option.short else [option.flag]
    told = option.help.replace("`", "")  # the words are those of the pages, too
    if not option.value:
        return click.Option(names, is_flag=True, help=told)
    return click.Option(names, multiple=True, metavar=option.value, help=told)


def _found(value: Any) -> Sequence[str]:
    """click's answer, a bool or a tuple of strings, as the values of `request`."""
    return value if isinstance(value, tuple) else [""] * value


class Choice(click.Choice):  # type: ignore[type-arg]  # click 8.1 takes none
    """One of a few words; another is told as everywhere, with the word that was meant."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The word. Raises UserError."""
        del ctx
        if value not in self.choices:
            name = param.opts[0] if param else "it"
            reason = f"{name} is {shown(value)}{meant(value, self.choices)}"
            raise UserError(reason, f"give one of {', '.join(self.choices)}")
        return str(value)


def version() -> str:
    """The installed version."""
    try:
        return metadata.version("untilgreen")
    except metadata.PackageNotFoundError:
        return "(not installed)"  # a bare checkout
