"""What a person is told about an installation: findings, each with its cure.

A cure is one thing that a person can do: `run: COMMAND` in a shell, in the project; `edit FILE: CHANGE`; or a sentence.
Words of a command can be pasted into a shell, and are harmless there and where they are printed.
"""

import shlex

from untilgreen.core.record import NamedTuple

OK, NOTE, WARNING, BROKEN = "ok", "note", "warning", "broken"


class Finding(NamedTuple):
    """One thing that was looked at. `level`: "ok", "note" (good to know), "warning" (it works, less well) or "broken"
    (the hooks will not do their work). `cure` is "" where there is nothing to do."""

    subject: str
    level: str
    what: str
    cure: str = ""


def run(*words: str) -> str:
    """A cure: this command."""
    return f"run: {' '.join(map(word, words))}"


def word(text: str) -> str:
    """One word, quoted; with control characters, or bytes that are no text, in the form `$'…'` of bash and zsh."""
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join("\\" + char if char in "\\'" else visible(char) for char in text) + "'"


def readable(path: str) -> str:
    """A path in a sentence: as it is, quoted only where it could not be read otherwise."""
    return path if path.isprintable() else word(path)


def visible(text: str) -> str:
    """Text without control characters: in their place stand the octal numbers of their bytes."""
    return "".join(char if char.isprintable() else _octal(char) for char in text)


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
