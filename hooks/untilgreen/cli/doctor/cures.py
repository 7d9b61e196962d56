"""Words of a command as a person can paste them into a shell; what is printed of them is harmless there and here."""

import shlex


def run(*words: str) -> str:
    """A cure: this command."""
    return f"run: {' '.join(map(word, words))}"


def word(text: str) -> str:
    """One word, quoted; with control characters, or bytes that are no text, in the form `$'…'` of bash and zsh."""
    if text.isprintable():
        return shlex.quote(text)
    return "$'" + "".join("\\" + char if char in "\\'" else visible(char) for char in text) + "'"


def name(path: str) -> str:
    """A path in a sentence: as it is, quoted only where it could not be read otherwise."""
    return path if path.isprintable() else word(path)


def visible(text: str) -> str:
    """Text without control characters: in their place stand the octal numbers of their bytes."""
    return "".join(char if char.isprintable() else _octal(char) for char in text)


def _octal(char: str) -> str:
    return "".join(f"\\{byte:03o}" for byte in char.encode("utf-8", "surrogateescape"))
