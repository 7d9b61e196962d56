"""Shell text, read as far as it can be read without running it: the simple commands and what their words are.

A word that only a shell could tell (`$NAME`, `$(…)`, `${{ matrix.python }}`) is never guessed at: the command that
holds it is not `whole`. What stands in `if`, `for`, `while` and `case` is passed over.
"""

import itertools
import os
import re
from collections.abc import Iterator, Mapping

from untilgreen.core.record import NamedTuple

_TOKEN = re.compile(
    r"""(?P<space>(?:[ \t\r]|\\\r?\n)+)
      | (?P<comment>(?<![^\s;&|(])\#[^\n]*)
      | (?P<here><<-?\s*(?P<quote>['"]?)(?P<end>\w+)(?P=quote))
      | (?P<redirect>\d*(?:>>|>\||<>|<<<|[<>])(?:&[\d-])?|&>>?)
      | (?P<operator>&&|\|\||;;|\|&|[;|&()\n])
      | (?P<word>(?:\$\{\{.*?\}\}|\$\((?:[^()]|\([^()]*\))*\)|\$\{[^}]*\}|`[^`]*`|[$]
               |'[^']*'|"(?:[^"\\]|\\.|\\\n)*"|\\.|[^\s'"\\;|&()<>$`])+)""",
    re.VERBOSE | re.DOTALL,
)
_PIECES = re.compile(
    r"""'(?P<single>[^']*)'|"(?P<double>(?:[^"\\]|\\.)*)"|\\(?P<escaped>.)|(?P<plain>[^'"\\]+)""", re.DOTALL
)
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*=")
_NAME = re.compile(r"\$(?:(\w+|[@*])|\{(\w+)\})")
_LONGEST = 10_000  # characters of one word
_OPENING = {"if": "fi", "for": "done", "while": "done", "until": "done", "case": "esac", "select": "done"}
_PASSING_ON = ("tee", "cat")
_FAILING = ("exit", "false", "return")
_PASSED_OVER = ("then", "do", "else", "{", "}", "!", "time", "exec", "command")


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


class Step(NamedTuple):
    """Shell text that the project runs."""

    text: str
    #: where it runs, relative to the project
    folder: str
    #: whence it comes, for people
    source: str
    #: the script of a package.json in which it stands
    script: str = ""
    #: the variables that are set for it, `NAME=value` each
    env: tuple[str, ...] = ()


class _Piece(NamedTuple):
    text: str
    known: bool


def commands(text: str) -> list[Command]:
    """The simple commands of a text, in order, but for `cd`; those inside of conditions and loops are left out."""
    found: list[Command] = []
    variables: dict[str, str] = {"@": "", "*": ""}  # a script is called without words
    folders, folder, before = [], ".", ""
    for words, operator, env in _unconditional(text, variables):
        first = words[0].text if words else ""
        if found and ((before == "|" and first in _PASSING_ON) or (before == "||" and first in _FAILING)):
            found[-1] = found[-1]._replace(counts=True)
        elif first == "cd":
            folder = _moved(folder, words[1:])
        elif before != "||":
            found += [one._replace(env=env) for one in _command(words, folder, counts=operator not in ("|", "||"))]
        if operator == "(":
            folders.append(folder)
        elif operator == ")" and folders:
            folder = folders.pop()
        before = operator
    return found


def _unconditional(text: str, variables: dict[str, str]) -> Iterator[tuple[list[_Piece], str, tuple[str, ...]]]:
    """The words of each simple command outside of conditions and loops, the operator behind it, and its environment;
    what is set on the way is kept in `variables`."""
    closing: list[str] = []
    exported: list[str] = []
    for raw, operator in _simple(text):
        words = [word for one in raw for word in _expanded(one, variables)]
        first = words[0].text if words else ""
        if first in _OPENING:
            closing.append(_OPENING[first])
        elif closing:
            for one in raw:  # what is set on a condition is not known
                variables.pop(one.partition("=")[0], None)
            closing = closing[:-1] if first == closing[-1] else closing
        else:
            env, rest = _assigned(words, variables)
            exported += env if first == "export" else ()
            yield rest, operator, (*exported, *env) if rest else ()


def _assigned(words: list[_Piece], variables: dict[str, str]) -> tuple[list[str], list[_Piece]]:
    """The assignments in front, and the words behind them; those that stand alone are remembered."""
    rest = words[1:] if words and words[0].text in ("export", "readonly") else words
    assignments = list(itertools.takewhile(lambda word: _ASSIGNMENT.match(word.text), rest))
    rest = rest[len(assignments) :]
    for word in assignments if not rest else ():
        name, _, value = word.text.partition("=")
        variables.pop(name, None)
        if word.known:
            variables[name] = value
    return [word.text for word in assignments], rest


def _moved(folder: str, words: list[_Piece]) -> str:
    """The folder after `cd`; "" where only a shell could tell."""
    if len(words) != 1 or not words[0].known or os.path.isabs(words[0].text) or not folder:
        return ""
    return os.path.normpath(os.path.join(folder, words[0].text))


def _simple(text: str) -> Iterator[tuple[list[str], str]]:
    """The words of each simple command as they are written, and the operator behind it."""
    words: list[str] = []
    position, skip = 0, False
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:  # a quote that never closes: nothing from here on is known
            return
        position = match.end()
        if match["here"]:
            ends = re.compile(rf"\n[ \t]*{re.escape(match['end'])}[ \t]*(?=\n|\Z)").search(text, position)
            position = ends.end() if ends else len(text)
        elif match["redirect"]:
            skip = match["redirect"][-1] in "<>|"
        elif match["word"]:
            if not skip:
                words.append(match["word"])
            skip = False
        elif match["operator"]:
            yield words, match["operator"]
            words = []
    yield words, ""


def _expanded(raw: str, variables: Mapping[str, str]) -> list[_Piece]:
    """A word, or several where a variable that stands for several is not quoted, or none where it is empty."""
    whole = _NAME.fullmatch(raw)
    if whole and (whole[1] or whole[2]) in variables:
        return [_Piece(text, True) for text in variables[whole[1] or whole[2]].split()]
    if raw in ('"$@"', '"$*"'):
        return []
    text, known = "", True
    for piece in _PIECES.finditer(raw):
        if piece["single"] is not None:
            text += piece["single"]
            continue
        part = piece["plain"] or piece["escaped"] or piece["double"] or ""
        if piece["escaped"] is None:
            part = _NAME.sub(lambda name: variables.get(name[1] or name[2], name[0]), part)
            known = known and not re.search(r"[$`]", part)
        if len(text) + len(part) > _LONGEST:  # a variable that doubles itself line after line
            return [_Piece(text[:_LONGEST], False)]
        text += re.sub(r"\\([\"\\$`\n])", r"\1", part) if piece["double"] is not None else part
    return [_Piece(text, known)]


def _command(words: list[_Piece], folder: str, *, counts: bool) -> list[Command]:
    while words and words[0].text in _PASSED_OVER:
        words = words[1:]
    if words and not words[0].known:  # where a tool lies is no matter: `${PREFIX}ruff`, `$PYTHON -m pytest`
        name = re.sub(r"^(?:\$\w+|\$\{[^}]*\}|/)*", "", words[0].text)
        module = [word.text for word in words[1:2]] == ["-m"]
        words = [_Piece("python" if module else name, module or name.isidentifier()), *words[1:]]
    whole = folder != "" and all(word.known for word in words)
    texts = tuple(word.text for word in words)
    return [Command(texts, folder or ".", whole, counts)] if texts and texts[0] else []
