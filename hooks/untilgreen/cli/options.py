"""The options that commands share, and those of a start, as click knows them."""

import os
from collections.abc import Callable, Mapping, Sequence
from importlib import metadata
from typing import Any, TypeVar

import click
import orjson

from untilgreen.cli import errors
from untilgreen.core.errors import UserError, meant
from untilgreen.loops.begin import starting
from untilgreen.loops.begin.options import OPTIONS, Request, offered, refused_value, request
from untilgreen.project import tables
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.values import Option, Table, shown

_NOT_OF_A_RUN = ("--cancel", "--replace")  # its session is its own
_Command = TypeVar("_Command", bound=Callable[..., Any])
_Callback = Callable[[Mapping[str, Sequence[str]], str | None, dict[str, Any]], int | None]


def _root(context: click.Context, _option: click.Parameter, given: str) -> str:
    return given if context.resilient_parsing else starting.root_of(given, os.environ)


#: the option, for commands that take the folder of the project as `root`
project = click.option("--project", "root", default="", metavar="DIR", help="The project's folder.", callback=_root)
as_json = click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
_SIGNERS, FILE = "Who may sign a receipt; git's own file without it.", click.Path(exists=True, dir_okay=False)
allowed_signers = click.option("--allowed-signers", "allowed", type=FILE, metavar="FILE", help=_SIGNERS)
trust_config = click.option("--trust-config", type=FILE, metavar="FILE", help="Another sigstore: a ClientTrustConfig.")


def session(about: str, values: str = "ID") -> Callable[[_Command], _Command]:
    return click.option("--session", default="", metavar=values, help=about)


def command(callback: Callable[[Request], int | None], table: Table = SETTINGS) -> click.Command:
    """`untilgreen start`, and `start-loop`. `callback` returns the exit code, None for 0; to be run by `errors.run`.
    A task's `@path` words are no targets yet: only the caller knows the project (`words.with_mentions`)."""
    start = _command(
        _StartLoop,
        offered(table),
        lambda given, words, _: callback(request(given, words, table)),
        name="start-loop",
        help="Keep the agent at work until the checks pass.\n\n"
        "The loop also ends when the agent gets no closer, or when its rounds or its time are used up. The task is "
        "WORDS. `untilgreen start` and `start-loop` are one command.",
        epilog="Example: untilgreen start --max-iterations 5 'Make the tests pass'",
    )
    return click.version_option(version())(start)


def running(callback: _Callback, own: Sequence[click.Option]) -> click.Command:
    """`untilgreen run`. `callback` gets the flags of a start and the free words, as for `request`, and what its `own`
    options are, `args` among them: what follows `--`."""
    return _command(
        _RunLoop,
        [option for option in OPTIONS if option.flag not in _NOT_OF_A_RUN],
        callback,
        own,
        name="run",
        help="Start a new agent for each round, until the checks pass.\n\n"
        "Each round is a process of its own. It reads the task, a summary and the feedback of earlier rounds. When it "
        "ends, its work is judged as at a stop. It needs no hooks. What follows `--` goes to the agent's command line.",
        epilog="Example: untilgreen run 'Make the tests pass' -- --model opus",
    )


def _command(
    kind: type[click.Command],
    offers: Sequence[Option],
    callback: _Callback,
    own: Sequence[click.Option] = (),
    **about: Any,
) -> click.Command:

    def invoke(words: tuple[str, ...], **found: Any) -> int | None:
        # click answers with a bool or a tuple of strings
        values = {option.flag: found.pop(option.name) for option in offers}
        given = {flag: value if isinstance(value, tuple) else [""] for flag, value in values.items() if value}
        return callback(given, " ".join(words) if words else None, found)

    words = click.Argument(["words"], nargs=-1, metavar="[WORDS]...")
    return kind(params=[words, *map(_parameter, offers), *own], callback=invoke, **about)


class _Grouped(click.Command):
    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        known = tables.words("settings", "headings")
        headings = {flag: heading for heading, flags in known.items() for flag in flags}
        rows: dict[str, list[tuple[str, str]]] = {heading: [] for heading in known}
        for one in self.get_params(ctx):
            heading = next((headings[flag] for flag in one.opts if flag in headings), "What counts")
            if isinstance(one, click.Option) and (row := one.get_help_record(ctx)):
                rows[heading].append(row)
        for heading, theirs in rows.items():
            with formatter.section(heading):
                formatter.write_dl(theirs)


class BeforeArguments(click.Command):
    """A command with arguments for another program behind `--`: they are its parameter `args`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        behind = args.index("--") if "--" in args else len(args)
        rest = super().parse_args(ctx, args[:behind])
        ctx.params["args"] = tuple(args[behind + 1 :])
        return rest


class _RunLoop(_Grouped, BeforeArguments):
    pass


class _StartLoop(_Grouped):
    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            advice = f"if it belongs to the task, put -- and then the task at the end: {ctx.command_path} -- 'the task'"
            raise errors.Mistyped(f"no such option {error.option_name}{errors.near(error)}", advice) from None
        except click.BadOptionUsage as error:
            if error.message.endswith(" does not take a value."):
                raise refused_value(error.option_name) from None
            raise


def _parameter(option: Option) -> click.Option:
    names = [option.flag, option.short] if option.short else [option.flag]
    told = option.help.replace("`", "")  # the words are those of the pages, too
    if not option.value:
        return click.Option(names, is_flag=True, help=told)
    return click.Option(names, multiple=True, metavar=option.value, help=told)


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


def print_json(document: object) -> None:
    click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))


def version() -> str:
    try:
        return metadata.version("untilgreen")
    except metadata.PackageNotFoundError:
        return "(not installed)"  # a bare checkout
