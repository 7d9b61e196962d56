"""The options of a start as click knows them."""

from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any

import click

from untilgreen.cli import errors
from untilgreen.core.errors import UserError, meant
from untilgreen.loops.begin.options import OPTIONS, Request, offered, request
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.table import Option, Table
from untilgreen.settings.values import shown

_NOT_OF_A_RUN = ("--cancel", "--replace")  # its session is its own


def command(callback: Callable[[Request], int | None], table: Table = SETTINGS) -> click.Command:
    """`untilgreen start`, and `start-loop`. `callback` returns the exit code, None for 0; to be run by `errors.run`.
    A task's `@path` words are no targets yet: only the caller knows the project (`words.with_mentions`)."""
    start = _command(
        _StartLoop,
        "start-loop",
        offered(table),
        lambda given, words, _: callback(request(given, words, table)),
        "Keep the agent at work until the checks pass.\n\n"
        "The loop also ends when the agent gets no closer, or when its rounds or its time are used up. The task is "
        "WORDS. `untilgreen start` and `start-loop` are one command.",
        "Example: untilgreen start --max-iterations 5 'Make the tests pass'",
    )
    return click.version_option(version())(start)


def _command(
    kind: type[click.Command],
    name: str,
    offers: Sequence[Option],
    callback: Callable[[Mapping[str, Sequence[str]], str | None, dict[str, Any]], int | None],
    told: str,
    example: str,
    own: Sequence[click.Option] = (),
) -> click.Command:
    """A command that takes these options of a start, WORDS, and some of its `own`."""

    def invoke(words: tuple[str, ...], **found: Any) -> int | None:
        given = {option.flag: _found(found.pop(option.name)) for option in offers}
        asked = {flag: answers for flag, answers in given.items() if answers}
        return callback(asked, " ".join(words) if words else None, found)

    words = click.Argument(["words"], nargs=-1, metavar="[WORDS]...")
    return kind(name, params=[words, *map(_parameter, offers), *own], callback=invoke, help=told, epilog=example)


def running(
    callback: Callable[[Mapping[str, Sequence[str]], str | None, dict[str, Any]], int | None],
    own: Sequence[click.Option],
) -> click.Command:
    """`untilgreen run`. `callback` gets the flags of a start and the free words, as for `request`, and what its `own`
    options are, `args` among them: what follows `--`."""
    offers = [option for option in OPTIONS if option.flag not in _NOT_OF_A_RUN]
    return _command(
        _RunLoop,
        "run",
        offers,
        callback,
        "Start the agent anew for each round, until the checks pass.\n\n"
        "Each round is a process of its own, which knows the task, and what the rounds before left in a summary and a "
        "feedback; when it ends, its work is judged as at the stop of a loop. No hook need be registered. What "
        "follows `--` is given to the agent's command line.",
        "Example: untilgreen run 'Make the tests pass' -- --model opus",
        own,
    )


class _RunLoop(click.Command):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        behind = args.index("--") if "--" in args else len(args)
        rest = super().parse_args(ctx, args[:behind])
        ctx.params["args"] = tuple(args[behind + 1 :])
        return rest


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
