"""A command line, read as a shell would read it and never run: its simple commands, and whose exit code the line has.

What only a shell could tell (variables, substitutions, patterns) is marked, never guessed at. What stands in
here-documents, in comments and in quotes is no command; what stands in `$(…)` is one.
"""

import re

from untilgreen.core.record import NamedTuple

_LONGEST = 20_000  # characters
_DEEPEST = 30  # groups and substitutions in one another
_MOST = 500  # commands in one group

_BLANK = re.compile(r"(?:[ \t\r]|\\\r?\n)+")
_COMMENT = re.compile(r"#[^\n]*")
_REDIRECTION = re.compile(r"&>>?|\d*(?:<<<|<<-?|<>|[<>]&|>>|>\||[<>](?!\())")
_OPERATOR = re.compile(r"&&|\|\||;;&?|;&|\|&|[;|&()\n]")
_PLAIN = re.compile(r"""[^ \t\r\n;&|()<>"'\\`$]+""")
_QUOTED = re.compile(r"""[^"\\`$]+""")
_SINGLE = re.compile(r"'([^']*)'")
_ESCAPES = re.compile(r"\$'((?:\\.|[^'\\])*)'", re.DOTALL)
_VARIABLE = re.compile(r"\$(?:\{[^}]{0,999}\}|\w+|[@*#?$!-])")
_PATTERN = re.compile(r"[*?]|\[[^][]{1,99}\]|\{[^{},.]{0,99}[,.]")
_FOLDER = re.compile(r"\\(?=[\w.-])")  # in `.venv\Scripts\pytest.exe`

_GROUPS = {"(": ")", "{": "}", "if": "fi", "case": "esac", **dict.fromkeys(("for", "while", "until", "select"), "done")}
_HEADED = ("for", "select", "case")  # what stands behind is no command
_SKIPPED = ("then", "do", "else", "elif")


class ShellWord(NamedTuple):
    """A word without its quotes."""

    text: str
    #: no variable, substitution or pattern is in it
    known: bool = True


class Simple(NamedTuple):
    """A simple command."""

    words: tuple[ShellWord, ...]
    #: where it stands: relative to where the line begins, or absolute; "" where only a shell could tell
    folder: str = "."
    #: the line fails if it fails, and succeeds only if it ran and did
    own_exit: bool = True


class CommandLine(NamedTuple):
    """A whole command line."""

    commands: tuple[Simple, ...]
    #: every quote and every group ends: a shell would run it
    closed: bool


class _Link(NamedTuple):
    """A simple command or a group, with the operator behind it: "" where none is yet."""

    commands: list[Simple]
    operator: str = ""
    negated: bool = False


class _Compound(NamedTuple):
    opened: str
    #: a definition, a condition, a loop: that the line succeeds does not say that it ran
    maybe: bool
    folder: str
    items: list[_Link]


def read(text: str, *, errexit: bool = False, pipefail: bool = False) -> CommandLine:
    """The simple commands of a line, in order. Never raises; what cannot be read is not `closed`."""
    reader = _Reader(text[:_LONGEST], 0, ".")
    reader.errexit, reader.pipefail = errexit, pipefail
    commands = reader.commands("")
    return CommandLine(tuple(commands), reader.closed and len(text) <= _LONGEST)


class _Reader:
    def __init__(self, text: str, depth: int, folder: str) -> None:
        self.text, self.depth, self.folder = text, depth, folder
        self.place, self.closed = 0, True
        self.errexit = self.pipefail = False
        self.here: list[str] = []  # the ends of here-documents that begin at the next line
        self.inside: list[Simple] = []  # the commands in substitutions of the words just read

    def commands(self, closing: str) -> list[Simple]:
        """What stands before `closing`, which is ")" of a substitution or "" for the end."""
        groups, defines = [_Compound("", self.depth > 0, self.folder, [])], False
        while True:
            words, operator = self._words(), self._operator()
            if operator == "(" and words:  # `name()`: what follows is its definition
                words, defines = [], True
            self._add(groups, words, maybe=defines)
            defines = defines and not words
            if operator == "(":
                groups.append(_Compound("(", defines, self.folder, []))
            elif operator == ")":
                if groups[-1].opened == "(":
                    self._leave(groups)
                elif closing and groups[-1].opened != "case":
                    break
                else:
                    self.closed = self.closed and groups[-1].opened == "case"
            elif groups[-1].items and not groups[-1].items[-1].operator:
                groups[-1].items[-1] = groups[-1].items[-1]._replace(operator=operator)
            if not operator or len(groups) + self.depth > _DEEPEST or len(groups[-1].items) > _MOST:
                self.closed = self.closed and not operator and not closing and len(groups) == 1
                break
        while len(groups) > 1:
            self._leave(groups)
        return self._settled(groups[0])

    def _add(self, groups: list[_Compound], words: list[ShellWord], *, maybe: bool) -> None:
        """Put a simple command into its group, and open and close groups by the reserved words in front of it."""
        negated, inside, self.inside = False, self.inside, []
        while words and words[0].known:
            first = words[0].text
            if first in _GROUPS and first != "(":
                groups.append(_Compound(first, maybe or first != "{", self.folder, []))
                words = [] if first in _HEADED else words
            elif len(groups) > 1 and first == _GROUPS[groups[-1].opened] != ")":
                self._leave(groups)
            elif first == "!":
                negated = True
            elif first not in _SKIPPED:
                break
            words = words[1:]
        if words or inside:
            self._noted(words)
            commands = [*inside, *([Simple(tuple(words), self.folder)] if words else [])]
            groups[-1].items.append(_Link(commands, negated=negated))

    def _noted(self, words: list[ShellWord]) -> None:
        """What a command changes for those behind it."""
        first, rest = (words[0].text, words[1:]) if words else ("", [])
        if first in ("cd", "pushd", "Set-Location"):
            to = rest[0].text if len(rest) == 1 and rest[0].known and rest[0].text != "-" else ""
            rooted = to.startswith(("/", "~", "\\")) or to[1:2] == ":"
            self.folder = to if rooted or not to or self.folder == "." else self.folder and f"{self.folder}/{to}"
        elif first == "set":
            options = [word.text for word in rest]
            self.pipefail = self.pipefail or "pipefail" in options
            self.errexit = self.errexit or any(re.fullmatch(r"-[a-z]*e[a-z]*", option) for option in options)

    def _leave(self, groups: list[_Compound]) -> None:
        group = groups.pop()
        if group.opened == "(":
            self.folder = group.folder
        elif group.maybe and self.folder != group.folder:
            self.folder = ""
        groups[-1].items.append(_Link(self._settled(group)))

    def _settled(self, group: _Compound) -> list[Simple]:
        """The commands of a group that has been read, each knowing whose exit code the group has."""
        items, found = group.items, list[Simple]()
        for place, item in enumerate(items):
            hidden = group.maybe or item.negated or _instead(items, place) or self._hidden(items, place)
            for one in item.commands:
                own = one.own_exit and not hidden
                found.append(one._replace(own_exit=own))
        return found

    def _hidden(self, items: list[_Link], place: int) -> bool:
        """Whether what stands behind an item can change the exit code that it gave."""
        errexit = self.errexit
        if items[place].operator in ("|", "|&") and place + 1 < len(items) and not self.pipefail:
            return True
        while place + 1 < len(items):
            operator, place = items[place].operator, place + 1
            if operator == "&&":
                errexit = False  # `set -e` looks at the last of them alone
            elif operator == "||":
                return not _fails(items[place])
            elif operator not in ("|", "|&"):
                return operator == "&" or not errexit
        return items[place].operator == "&"

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
            word = self._word()
            if skip.endswith(("<<", "<<-")):
                self.here.append(word.text)
            elif not skip:
                words.append(word)
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

    def _word(self) -> ShellWord:
        text, known, start = "", True, self.place
        while self.place < len(self.text):
            before = self.place
            if plain := self._taken(_PLAIN):
                text += plain[0]
                known = known and not _PATTERN.search(plain[0])
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
                text, known = text + self._expansion(), False
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
                text, known = text + self._expansion(), False
        self.closed = False
        return text, known

    def _expansion(self) -> str:
        """A variable or a substitution, as it is written; the commands in it are kept."""
        start = self.place
        if self.text[start] == "`":
            end = re.compile(r"`((?:\\.|[^`\\])*)`", re.DOTALL).match(self.text, start)
            self.place = end.end() if end else len(self.text)
            self._within(end[1] if end else self.text[start + 1 :], "")
            self.closed = self.closed and end is not None
        elif self.text[start + 1 : start + 2] == "(":
            self.place += 2 + self._within(self.text[start + 2 :], ")")
        elif not self._taken(_VARIABLE):
            self.place += 1
        return self.text[start : self.place]

    def _within(self, text: str, closing: str) -> int:
        """Read what stands in a substitution; how many characters it had."""
        if self.depth >= _DEEPEST:
            self.closed = False
            return len(text)
        reader = _Reader(text, self.depth + 1, self.folder)
        self.inside += reader.commands(closing)
        self.closed = self.closed and reader.closed
        return reader.place

    def _taken(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.match(self.text, self.place)
        self.place = match.end() if match else self.place
        return match


def _instead(items: list[_Link], place: int) -> bool:
    """Whether an item runs only where another one failed."""
    while place and items[place - 1].operator in ("|", "|&"):
        place -= 1
    return place > 0 and items[place - 1].operator == "||"


def _fails(item: _Link) -> bool:
    """Whether it is sure that an item ends the line with a failure, or is one."""
    words = [word.text for word in item.commands[-1].words] if item.commands else []
    return words in (["false"], ["exit"]) or (words[:1] in (["exit"], ["return"]) and words[1:] not in ([], ["0"]))
