"""What a person can put right, said in one line."""


class UserError(Exception):
    """Something the user can put right; the text is always one printable line and says what to do."""

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


def one_line(text: str) -> str:
    """Text from anywhere on one printable line: a quoted value may hold newlines or escape sequences. Spaces stay: a
    path may have several."""
    line = " ".join(filter(None, (line.strip() for line in text.splitlines()))).replace("\t", " ")
    return "".join(char if char.isprintable() else "?" for char in line)
