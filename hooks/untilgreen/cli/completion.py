"""`untilgreen completion`: click's scripts and protocol; what a value may be is said by the flag before it."""

import os
from collections.abc import Iterable, Sequence

import click
from click import shell_completion

from untilgreen.cli import terminal
from untilgreen.cli.options import Choice
from untilgreen.core.errors import UserError
from untilgreen.loops.begin import listing, starting
from untilgreen.settings.keys import SETTINGS
from untilgreen.state import catalogue
from untilgreen.state.place import base_of

COMMANDS = ("untilgreen", "start-loop", "cancel-loop")


@click.command("completion", epilog='Example: eval "$(untilgreen completion bash)"')
@click.argument("shell", type=Choice(("bash", "zsh", "fish")))
def command(shell: str) -> None:
    """Print the script that completes our commands in a shell.

    They are untilgreen, start-loop and cancel-loop.

    \b
    In ~/.bashrc:                   eval "$(untilgreen completion bash)"
    In ~/.zshrc, after compinit:    eval "$(untilgreen completion zsh)"
    In ~/.config/fish/config.fish:  untilgreen completion fish | source
    """
    click.echo(script(shell))


def script(shell: str) -> str:
    kind = _SHELLS[shell]
    return "\n\n".join(kind(click.Command(name), {}, name, terminal.asking(name)).source().strip() for name in COMMANDS)


class _Values(shell_completion.ShellComplete):
    """Completes the value after a flag; click does the rest."""

    def get_completions(self, args: list[str], incomplete: str) -> "list[shell_completion.CompletionItem[str]]":
        words, begun, joined = list(args), incomplete, ""
        if begun.startswith("--") and "=" in begun:  # shells differ in where they break a word
            flag, _, begun = begun.partition("=")
            joined = f"{flag}="
            words.append(flag)
        elif begun == "=":
            begun = ""
        elif words[-1:] == ["="]:
            words.pop()
        flag = words[-1] if words else ""
        if flag in _PATHS:
            return [shell_completion.CompletionItem(begun, type=_PATHS[flag])]
        if "--" in words or not (flag in _CHOICES or flag == "--session"):
            return super().get_completions(args, incomplete)
        try:
            found = _CHOICES.get(flag) or _sessions(self.prog_name, words)
        except (UserError, OSError):  # no such project: nothing to offer
            found = []
        return [shell_completion.CompletionItem(joined + value) for value in found if value.startswith(begun)]


_SHELLS: dict[str, type[shell_completion.ShellComplete]] = {
    kind.name: type(kind.name, (_Values, kind), {})
    for kind in (shell_completion.BashComplete, shell_completion.ZshComplete, shell_completion.FishComplete)
}


def prepare() -> None:
    """Tell click to complete with what is known here."""
    for name, kind in _SHELLS.items():
        shell_completion.add_completion_class(kind, name)


def _sessions(name: str, words: Sequence[str]) -> Iterable[str]:
    """The sessions at work here for a start, those that had a loop for `show`, else those with one; and the next."""
    given = words[words.index("--project") + 1] if "--project" in words[:-1] else ""
    root = starting.root_of(os.path.expanduser(given), os.environ)
    base = base_of(root, os.environ)
    if name == "start-loop" or words[:1] == ["start"]:
        return [*(place.session for place, _ in listing.live_sessions(base, root)), "next"]
    over = words[:1] == ["show"]
    found = [kept.loop.session_id for kept in listing.everything(base, root)[0] if kept.loop.active or over]
    return dict.fromkeys(session or "next" for session in found)


_CHOICES = {
    option.flag: choices
    for option in SETTINGS.options
    if option.value and (choices := SETTINGS.keys[option.key].choices)
}
_CHOICES["--context"] = catalogue.contexts()
_PATHS = {"--project": "dir", "--task-file": "file", "--target": "file"}
