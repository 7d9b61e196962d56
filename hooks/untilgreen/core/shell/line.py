"""A command line, read as a shell would read it and never run: its simple commands, and whose exit code the line has.

What only a shell could tell (variables, substitutions, patterns) is marked, never guessed at. What stands in
here-documents, in comments and in quotes is no command; what stands in `$(…)` is one.
"""

import re
from collections.abc import Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.shell.words import PATTERN, ShellWord, WordReader

_LONGEST = 20_000  # characters
_DEEPEST = 30  # groups and substitutions in one another
_LONGEST_VALUE = 1_000  # characters of a variable
_MOST = 500  # commands in one group

_GROUPS = {"(": ")", "{": "}", "if": "fi", "case": "esac", **dict.fromkeys(("for", "while", "until", "select"), "done")}
_HEADED = ("for", "select", "case")  # what stands behind is no command
_PASSING_ON = ((ShellWord("tee"),), (ShellWord("cat"),))
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_SKIPPED = ("then", "do", "else", "elif")
_ASKING = ("if", "elif", "while", "until")  # what stands behind is asked; its failure ends nothing
_ROUNDS = 30  # of one loop over fixed words


class Simple(NamedTuple):
    words: tuple[ShellWord, ...]
    #: where it stands: relative to where the line begins, or absolute; "" where only a shell could tell
    folder: str = "."
    own_exit: bool = True  #: the line fails if it fails, and succeeds only if it ran and did
    #: it runs whenever the line comes to it: it stands in no condition and no loop, and not behind `||`
    sure: bool = True
    counts: bool = True  #: its failure goes on: not so in front of `||`, `|` and `&`, in a condition, in `$(…)`
    env: tuple[str, ...] = ()  #: what was exported before it, where variables are known
    asked: bool = False  #: it stands in the condition that an `if` asks first


class CommandLine(NamedTuple):
    commands: tuple[Simple, ...]
    closed: bool  #: every quote and every group ends: a shell would run it


class _Link(NamedTuple):
    """A simple command or a group, with the operator behind it: "" where none is yet."""

    commands: list[Simple]
    operator: str = ""
    negated: bool = False
    asked: bool = False


class _Compound(NamedTuple):
    opened: str
    maybe: bool  #: a definition, a condition, a loop: that the line succeeds does not say that it ran
    folder: str
    items: list[_Link]
    asks: str = ""  #: the word behind which its condition stands, while that is read
    variable: str = ""  #: of a loop over fixed words, which is read as its rounds
    rounds: tuple[str, ...] = ()  #: the words of those that are to come
    start: int = 0  #: where its body begins


def read(text: str, variables: dict[str, str] | None = None, options: Sequence[ShellWord] = ()) -> CommandLine:
    """The simple commands of a line, in order. Never raises; what cannot be read is not `closed`.

    With `variables` those that are known have their values, and what the line sets is kept there. `options`: the
    shell's, as `set` takes them.
    """
    reader = _Reader(text[:_LONGEST], 0, ".", variables)
    reader.note([ShellWord("set"), *options])
    commands = reader.commands("")
    return CommandLine(tuple(commands), reader.closed and len(text) <= _LONGEST)


class _Reader(WordReader):
    def __init__(self, text: str, depth: int, folder: str, variables: dict[str, str] | None = None) -> None:
        super().__init__(text, variables)
        self.depth, self.folder = depth, folder
        self.errexit = self.pipefail = self.looping = False
        self.exported: list[str] = []
        self.inside: list[Simple] = []  # the commands in substitutions of the words just read

    def commands(self, closing: str) -> list[Simple]:
        """What stands before `closing`, which is ")" of a substitution or "" for the end."""
        groups, defines = [_Compound("", self.depth > 0, self.folder, [])], False
        while True:
            words, operator = self._next(groups)
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

    def _pattern(self, group: _Compound) -> list[ShellWord]:
        """No words: `a | b)` in a `case` is no command, nor is what was read of it already."""
        while group.items and group.items[-1].operator == "|":
            group.items.pop()
        return []

    def _next(self, groups: list[_Compound]) -> tuple[list[ShellWord], str]:
        words, operator = self._words(), self._operator()
        if operator == ")" and groups[-1].opened == "case":
            words = self._pattern(groups[-1])
        return self._next(groups) if self._again(groups, words) else (words, operator)

    def _add(self, groups: list[_Compound], words: list[ShellWord], *, maybe: bool) -> None:
        """Put a simple command into its group, and open and close groups by the reserved words in front of it."""
        negated, inside, self.inside = False, self.inside, []
        while words and words[0].known:
            first = words[0].text
            if first in _GROUPS and first != "(":
                groups.append(self._opened(words, maybe=maybe))
                words = [] if first in _HEADED else words
            elif len(groups) > 1 and first == _GROUPS[groups[-1].opened] != ")":
                self._leave(groups)
            elif first == "!":
                negated = True
            elif first not in _SKIPPED:
                break
            else:
                groups[-1] = groups[-1]._replace(asks=first if first in _ASKING else "")
            words = words[1:]
        if words or inside:
            self.note(words)
            if self.variables is not None:
                self._set(words, sure=not any(map(_is_conditional, groups)))
            one = [Simple(tuple(words), self.folder, env=tuple(self.exported))] if words else []
            commands = [*(other._replace(counts=False) for other in inside), *one]
            groups[-1].items.append(_Link(commands, "", negated or groups[-1].asks != "", groups[-1].asks == "if"))

    def _opened(self, words: list[ShellWord], *, maybe: bool) -> _Compound:
        """The group that a reserved word opens; where variables are known, a loop over fixed words runs its body."""
        first = words[0].text
        group = _Compound(
            first, maybe or first != "{", self.folder, [], first if first in _ASKING else "", start=self.place
        )
        if self.variables is None or first != "for" or self.looping or not 3 < len(words) <= 3 + _ROUNDS:
            return group
        values = [word.text for word in words[3:] if word.known and not PATTERN.search(word.text)]
        if len(words) - 3 != len(values) or words[2].text != "in":
            return group
        self.looping = True
        self.variables[words[1].text] = values[0]
        return group._replace(maybe=maybe, variable=words[1].text, rounds=tuple(values[1:]))

    def _again(self, groups: list[_Compound], words: list[ShellWord]) -> bool:
        """Go back to where a loop's body begins, with its next word, if there is one. A loop that may end earlier, as
        one that tries again does, is no more than a condition."""
        group = groups[-1]
        if not group.variable or self.variables is None or words[:1] != [ShellWord("done")]:
            return False
        ends = any(one.words[0].text in ("break", "continue") for item in group.items for one in item.commands)
        if ends or not group.rounds:
            self.looping = False
            groups[-1] = group._replace(maybe=group.maybe or ends)
            return False
        self.variables[group.variable], self.place = group.rounds[0], group.start
        groups[-1] = group._replace(rounds=group.rounds[1:])
        return True

    def note(self, words: list[ShellWord]) -> None:
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

    def _set(self, words: list[ShellWord], *, sure: bool) -> None:
        """Keep what assignments that stand alone set, and what is exported; what is set on a condition is not known."""
        exports = words[:1] == [ShellWord("export")]
        pairs, rest = assignments(words[1:] if exports or words[:1] == [ShellWord("readonly")] else words)
        variables = self.variables if self.variables is not None else {}
        for word in pairs if not rest else ():
            name, _, value = word.text.partition("=")
            variables.pop(name, None)
            if sure and word.known and len(value) <= _LONGEST_VALUE:
                variables[name] = value
        if exports and sure:
            self.exported += [word.text for word in pairs]

    def _leave(self, groups: list[_Compound]) -> None:
        group = groups.pop()
        if group.opened == "(":
            self.folder = group.folder
        elif group.maybe and self.folder != group.folder:
            self.folder = ""
        groups[-1].items.append(_Link(self._settled(group), "", groups[-1].asks != "", groups[-1].asks == "if"))

    def _settled(self, group: _Compound) -> list[Simple]:
        """The commands of a group that has been read, each knowing whose exit code the group has."""
        items, found = group.items, list[Simple]()
        for place, item in enumerate(items):
            hidden = group.maybe or item.negated or _instead(items, place) or self._hidden(items, place)
            always = item.asked or not _is_conditional(group)
            sure = always and not (_instead(items, place) or _hands_on(items, place))
            counts = not item.negated and _goes_on(items, place)
            for one in item.commands:
                own = one.own_exit and not hidden
                read = one._replace(own_exit=own, sure=one.sure and sure, counts=one.counts and counts)
                found.append(read._replace(asked=one.asked or item.asked))
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

    def _within(self, text: str, closing: str) -> int:
        """Read what stands in a substitution; how many characters it had."""
        if self.depth >= _DEEPEST:
            self.closed = False
            return len(text)
        known = None if self.variables is None else dict(self.variables)
        reader = _Reader(text, self.depth + 1, self.folder, known)
        self.inside += reader.commands(closing)
        self.closed = self.closed and reader.closed
        return reader.place


def assignments(words: Sequence[ShellWord]) -> tuple[list[ShellWord], Sequence[ShellWord]]:
    """The assignments in front of a command, and the command."""
    end = next((place for place, word in enumerate(words) if not _ASSIGNMENT.match(word.text)), len(words))
    return list(words[:end]), words[end:]


def _is_conditional(group: _Compound) -> bool:
    """Whether a group is a condition, a loop or an array; a function is there to be called."""
    return group.maybe and group.opened not in ("{", "")


def _goes_on(items: list[_Link], place: int) -> bool:
    """Whether what stands right behind an item lets its failure through: `| tee log`, `|| exit 1`; `&` lets none."""
    if items[place].operator == "&":
        return False
    if items[place].operator not in ("|", "|&", "||") or place + 1 == len(items):
        return True
    if items[place].operator == "||":  # what is tried again is what failed
        again = [one.words for one in items[place].commands] == [one.words for one in items[place + 1].commands]
        return again or _fails(items[place + 1])
    return _hands_on(items, place + 1)


def _hands_on(items: list[_Link], place: int) -> bool:
    """Whether an item is `| tee log`."""
    words = items[place].commands[0].words if items[place].commands else ()
    return place > 0 and items[place - 1].operator in ("|", "|&") and words[:1] in _PASSING_ON


def _instead(items: list[_Link], place: int) -> bool:
    """Whether an item runs only where another one failed."""
    while place and items[place - 1].operator in ("|", "|&"):
        place -= 1
    return place > 0 and items[place - 1].operator == "||"


def _fails(item: _Link) -> bool:
    """Whether it is sure that an item ends the line with a failure, or is one."""
    words = [word.text for word in item.commands[-1].words] if item.commands else []
    return words in (["false"], ["exit"]) or (words[:1] in (["exit"], ["return"]) and words[1:] not in ([], ["0"]))
