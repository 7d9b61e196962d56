"""The words of a shell line: quotes, escapes, variables, substitutions, redirections and here-documents.

What only a shell could tell (variables, substitutions, patterns) is marked, never guessed at.
"""

import re

from untilgreen.core.record import NamedTuple

_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECTION = re.compile(r"&>>?|\d*(?:<<<|<<-?|<>|[<>]&|>>|>\||[<>](?!\())")
_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;|&()\n]")
_PLAIN = re.compile(r"""[^ \t\r\n;&|()<>"'\\`$]+""")
_QUOTED = re.compile(r"""[^"\\`$]+""")
_SINGLE = re.compile(r"'([^']*)'")
_ESCAPES = re.compile(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{[^}]{0,999}\}|\w+|[@*#?$!-])")
# a variable that is a whole word: it may stand for several, or for none
_WHOLE = re.compile(r"""(?:\$(\w+|[@*])|\$\{(\w+|[@*])\}|"\$(?:[@*]|\{[@*]\})")(?=[ \t\r\n;&|()<>]|\Z)""")
PATTERN = re.compile(r"[*?]|\[[^][]{1,99}\]|\{[^{},.]{0,99}[,.]")
_FOLDER = re.compile(r"\\(?=[\w.-])")  # in `.venv\Scripts\pytest.exe`


class ShellWord(NamedTuple):
    """A word without its quotes."""

    text: str
    known: bool = True  #: no variable, substitution or pattern is in it


_NONE = ShellWord("", known=False)


class WordReader:
    """Reads words and operators, from `place` on."""

    def __init__(self, text: str, variables: dict[str, str] | None = None) -> None:
        self.text, self.place, self.closed = text, 0, True
        # those with a value that is known; None: no variable is, and a pattern is no known word either
        self.variables = variables
        self.here: list[str] = []  # the ends of here-documents that begin at the next line

    def _words(self) -> list[ShellWord]:
        """The words up to the next operator, without redirections and comments."""
        words: list[ShellWord] = []
        skip = ""
        while self.place < len(self.text):
            if self._taken(_BLANK) or self._taken(_COMMENT):
                continue
            redirection = self._taken(_REDIRECTION)
            if redirection:
                skip = redirection[0]
                continue
            if _OPERATOR.match(self.text, self.place):
                break
            found = self._values() or [self._word()]
            if skip.endswith(("<<", "<<-")):
                self.here.append(found[0].text)
            elif not skip:
                words += found if found != [_NONE] else []
            skip = ""
        return words

    def _operator(self) -> str:
        """The operator here, "" at the end; behind the end of a line its here-documents are skipped."""
        match = self._taken(_OPERATOR)
        if match and match[0] == "\n":
            for end in self.here:
                close = re.compile(rf"^\t*{re.escape(end)}\r?$", re.MULTILINE).search(self.text, self.place)
                self.place = close.end() if close else len(self.text)
            self.here = []
        return match[0] if match else ""

    def _values(self) -> list[ShellWord]:
        """The words that a variable here stands for; [_NONE] where it stands for none, [] where none is known."""
        whole = _WHOLE.match(self.text, self.place) if self.variables else None
        value = self.variables.get(whole[1] or whole[2] or "@") if whole and self.variables else None
        if whole is None or value is None:
            return []
        self.place = whole.end()
        return [ShellWord(one) for one in value.split()] or [_NONE]

    def _word(self) -> ShellWord:
        text, known, start = "", True, self.place
        while self.place < len(self.text):
            before = self.place
            if plain := self._taken(_PLAIN):
                text += plain[0]
                known = known and (self.variables is not None or not PATTERN.search(plain[0]))
            elif single := self._taken(_SINGLE) or self._taken(_ESCAPES):
                text += single[1]
            elif self.text[self.place] == '"':
                part, sure = self._double()
                text, known = text + part, known and sure
            elif before > start and self._taken(_FOLDER):
                text += "\\"
            elif self.text[self.place] == "\\":
                text += self.text[self.place + 1 : self.place + 2]
                self.place += 2
            elif self.text[self.place] in "$`<>" and (self.text[self.place] in "$`" or before == start):
                part, sure = self._expansion()
                text, known = text + part, known and sure
            elif self.text[self.place] == "'":
                self.place, self.closed = len(self.text), False
                text += self.text[before + 1 :]
            else:
                break
        return ShellWord(text, known)

    def _double(self) -> tuple[str, bool]:
        text, known = "", True
        self.place += 1
        while self.place < len(self.text):
            here = self.text[self.place]
            if here == '"':
                self.place += 1
                return text, known
            if here == "\\":
                following = self.text[self.place + 1 : self.place + 2]
                text += following if following in '"\\$`' else "" if following == "\n" else here + following
                self.place += 2
            elif plain := self._taken(_QUOTED):
                text += plain[0]
            else:
                part, sure = self._expansion()
                text, known = text + part, known and sure
        self.closed = False
        return text, known

    def _expansion(self) -> tuple[str, bool]:
        """The value of a variable that is known; else it or a substitution as it is written: its commands are kept."""
        start = self.place
        if self.text[start] == "`":
            end = re.compile(r"`((?:\\.|[^`\\])*)`", re.DOTALL).match(self.text, start)
            self.place = end.end() if end else len(self.text)
            self._within(end[1] if end else self.text[start + 1 :], "")
            self.closed = self.closed and end is not None
        elif self.text[start + 1 : start + 2] == "(":
            self.place += 2 + self._within(self.text[start + 2 :], ")")
        elif variable := self._taken(_VARIABLE):
            name, _, default = variable[0].strip("${}").partition(":-")
            value = self.variables.get(name) if self.variables else None
            value = default if value == "" and "$" not in default else value
            return (variable[0], False) if value is None else (value, True)
        else:
            self.place += 1
        return self.text[start : self.place], False

    def _within(self, text: str, closing: str) -> int:
        """Read what stands in a substitution; how many characters it had."""
        raise NotImplementedError

    def _taken(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place
        return match
