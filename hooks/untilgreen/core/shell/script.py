"""Shell text of a project, read as far as it can be known without running it: its simple commands.

A word that only a shell could tell (`$NAME`, `$(…)`, `${{ matrix.python }}`) is never guessed at: the command that
holds it is not `whole`. What stands in `if`, `for`, `while` and `case` is passed over.
"""

import re
from collections.abc import Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.shell.line import assignments, read
from untilgreen.core.shell.words import ShellWord

_MOVING = ("cd", "pushd", "export", "readonly")  # their effect is known to what stands behind them
_PASSED_OVER = ("time", "exec", "command")


class Command(NamedTuple):
    """A simple command."""

    #: without the assignments in front and without redirections
    words: tuple[str, ...]
    #: where it runs, relative to where the text begins
    folder: str = "."
    #: every word is known, and the folder too
    whole: bool = True
    #: its failure fails the text: not so in front of `||` and `|`
    counts: bool = True
    #: the assignments in front, and those that were exported before
    env: tuple[str, ...] = ()


def commands(text: str) -> list[Command]:
    """The simple commands of a text, in order, but for `cd`; those inside of conditions and loops are left out, and
    the one in which a quote or a group never ends."""
    line = read(text, {"@": "", "*": ""})  # a script is called without words
    found = []
    for one in line.commands if line.closed else line.commands[:-1]:
        env, rest = assignments(one.words)
        words = _named(rest)
        if one.sure and words and words[0].text not in ("", *_MOVING):
            rooted = one.folder.startswith(("/", "~", "\\")) or one.folder[1:2] == ":"
            whole = one.folder != "" and not rooted and all(word.known for word in words)
            folder = "." if rooted else one.folder or "."
            texts, set_ = tuple(word.text for word in words), tuple(word.text for word in env)
            found.append(Command(texts, folder, whole, one.counts, (*one.env, *set_)))
    return found


def _named(words: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """The words of the program itself; where it lies is no matter: `${PREFIX}ruff`, `$PYTHON -m pytest`."""
    while words and words[0].text in _PASSED_OVER:
        words = words[1:]
    if not words or words[0].known:
        return words
    name = re.sub(r"^(?:\$\w+|\$\{[^}]*\}|/)*", "", words[0].text)
    module = [word.text for word in words[1:2]] == ["-m"]
    return [ShellWord("python" if module else name, module or name.isidentifier()), *words[1:]]
