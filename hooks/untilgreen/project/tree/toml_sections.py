"""Configuration files as sections, by reading only: no TOML parser is loaded, and none would accept half of them; and
JSON as its users write it.

Comments, blank lines, the layout of values and the choice between headers, dotted keys and inline tables
make no difference. Text that is not TOML (or INI) gives some sections, never an error.
"""

import json
import re
from collections.abc import Iterable, Iterator

# A string without its end goes on to the end of the line (of the text, with three quotes): so no text takes
# long. No possessive repeats: the first releases of Python 3.11 match too little with them.
_PIECE = (
    r"(?s)"
    r'(?:"""[^"\\]*(?:(?:\\.?|"(?!""))[^"\\]*)*(?:"{3,5}|\Z)|"[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?'
    r"|'''[^']*(?:'(?!'')[^']*)*(?:'{3,5}|\Z)|'[^'\n]*'?)"
    r"|(?P<space>#[^\n]*|[ \t\r\f\v\ufeff]+)|\n|[^\s\"'#\[\]{}=,.]+|."
)
# strings go first: they may hold what looks like a comment
_JSON_STRING = r'(?s)("[^"\\\n]*(?:\\[^\n][^"\\\n]*)*"?)'
_JSON_COMMENT = r"|//[^\n]*|/\*.*?(?:\*/|\Z)|[ \t\r\n]+"
_OPENING, _CLOSING = frozenset("[{"), frozenset("]}")
_BETWEEN = frozenset("[].")
_DEEPEST = 8  # inline tables in inline tables; below that they are plain values


def toml(text: str) -> dict[str, str]:
    """Dotted section name to its `key=value` lines; `""` holds what stands before the first header.

    `[tool] mypy.strict = true`, `tool = {mypy = {strict = true}}` and `[tool.mypy] strict = true` are one
    and the same. A table of an array begins with the line `[]`.
    """
    found: dict[str, list[str]] = {}
    header: tuple[str, ...] = ()
    for tokens in _split((match[0] for match in re.finditer(_PIECE, text) if match.lastgroup != "space"), "\n"):
        if tokens[0] == "[":
            header = _keys(tokens)
            found.setdefault(".".join(header), []).extend(["[]"] if tokens[:2] == ["[", "["] else [])
        else:
            _add(found, header, tokens)
    return {name: "\n".join(lines) for name, lines in found.items()}


def ini(text: str) -> dict[str, str]:
    """Section name to its lines, continuation lines with one space before them."""
    found: dict[str, list[str]] = {}
    header = ""
    for line in text.lstrip("\ufeff").split("\n"):
        bare = line.strip()
        if not bare or bare[0] in "#;":
            continue
        if line[0] == "[" and "]" in line:
            header = line[1 : line.rindex("]")].strip()
            found.setdefault(header, [])
        else:
            found.setdefault(header, []).append(" " + bare if line[0].isspace() else bare)
    return {name: "\n".join(lines) for name, lines in found.items()}


def jsonc(text: str) -> object:
    """JSON with comments and commas at the end, as TypeScript has them. Raises ValueError, RecursionError."""
    bare = re.sub(_JSON_STRING + _JSON_COMMENT, r"\1", text.removeprefix("\ufeff"))
    bare = re.sub(_JSON_STRING + r"|,(?=[\]}])", r"\1", bare)
    document: object = json.loads(bare, strict=False)
    return document


def _split(tokens: Iterable[str], end: str) -> Iterator[list[str]]:
    """What stands between the ends of lines, or between the commas of an inline table."""
    part: list[str] = []
    depth = 0
    for one in tokens:
        depth += (one in _OPENING) - (one in _CLOSING)
        # a header ends with its line even when its bracket does not close
        if one == end and (depth <= 0 or part[:1] == ["["]):
            if part:
                yield part
            part, depth = [], 0
        elif one != "\n":
            part.append(one)
    if part:
        yield part


def _keys(tokens: list[str]) -> tuple[str, ...]:
    return tuple(token[1:-1] if token[0] in "\"'" else token for token in tokens if token not in _BETWEEN)


def _add(found: dict[str, list[str]], header: tuple[str, ...], tokens: list[str]) -> None:
    """Put one `key = value` where it belongs: dotted keys and inline tables are sections of their own."""
    equals = tokens.index("=") if "=" in tokens else len(tokens)
    path, value = header + _keys(tokens[:equals]), tokens[equals + 1 :]
    if value[:1] == ["{"] and len(path) < _DEEPEST:
        found.setdefault(".".join(path), [])
        for part in _split(value[1:-1] if value[-1] == "}" else value[1:], ","):
            _add(found, path, part)
    else:
        found.setdefault(".".join(path[:-1]), []).append(f"{''.join(path[-1:])}={' '.join(value)}")
