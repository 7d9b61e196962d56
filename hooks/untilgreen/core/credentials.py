"""What looks like a secret in a text: known forms of tokens and keys, and what stands behind a name that says so. Pure,
and linear in the text's length.

It rather takes too much than too little, but never the closing tag of a marker.
"""

import re

REDACTED = "REDACTED"

_STRONG = re.compile(
    r"(?:api|access|private)[_-]?key|secret|token|passw(?:or)?d|passphrase|pwd|credential|cookie|signature"
    r"|conn(?:ection)?[ _-]?str|auth(?!or(?!i[sz]))",  # no author
    re.IGNORECASE,
)
_WEAK = frozenset(("pass", "pw", "pin", "dsn"))  # secret as a word of a name
_WEAKER = frozenset(("key", "sig"))  # and these beside another word, or where names of parameters stand
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

# no letter before it; but the end of a colour code, or of an escaped line break, is none
_START = r"(?:(?<![A-Za-z0-9])|(?<=\[m)|(?<=\[\dm)|(?<=[\[;]\d\dm)|(?<=;\dm)|(?<=\\[nrt]))"
_WHOLE = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY.*?(?:-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----|\Z)"
    r"|PuTTY-User-Key-File-.*?(?:Private-MAC:\s*\w+|\Z)"
    r"|hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]+|discord(?:app)?\.com/api/webhooks/[\w/-]+"
    r"|AGE-SECRET-KEY-\w+|github_pat_\w{8,}|GOCSPX-[\w-]{8,}|dckr_pat_[\w-]{8,}"
    rf"|{_START}(?:(?:sk|pk|rk)[-_][\w-]{{16,}}|gh[pousr]_\w{{16,}}|gl[a-z]{{2,6}}-[\w.-]{{12,}}|xox[a-z]-[\w-]{{10,}}"
    r"|xapp-[\w-]{8,}|(?:AKIA|ASIA)[0-9A-Z]{16}|AIza[\w-]{30,}|ya29\.[\w-]{16,}|SG\.[\w-]{16,}\.[\w-]{16,}"
    r"|eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*)?|npm_\w{16,}|pypi-[\w-]{16,}|hf_\w{16,}|gsk_\w{8,}|xai-[\w-]{8,}"
    r"|pplx-[\w-]{8,}|r8_\w{8,}|hv[sbr]\.[\w-]{8,}|dp\.[a-z]{2,5}\.[\w.-]{8,}|shp[a-z]{2}_\w{8,}|do[a-z]_v1_\w{8,}"
    r"|dapi[0-9a-f]{16,}[\d-]*|lin_(?:api|oauth)_\w{8,}|whsec_[\w+/=-]{8,}|(?:SK|AC)[0-9a-f]{24,}|key-[0-9a-z]{16,}"
    r"|(?:figd|sbp|sntrys|rubygems)_[\w-]{8,}|nvapi-[\w-]{8,}|tskey-[\w-]{8,}|ATATT3[\w=-]{8,})",
    re.DOTALL,
)
_TAIL = re.compile(r"-----END [A-Z ]*PRIVATE KEY[A-Z ]*-----")  # of a key whose beginning was cut off
_BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=\\ \r\n\t"
_AFTER = tuple(  # what stays, then the secret
    re.compile(rf"(?P<stays>{stays}){value}", re.IGNORECASE | re.MULTILINE)
    for stays, value in (
        (r"\b(?:bearer|basic)\s{1,8}", r"[\w.~+/=-]{8,}"),
        (r"://[^\s/:@]{0,200}:", r"[^\s/]{1,300}(?=@)"),
        (r"(?<!\S)(?:-u|--user|--proxy-user)(?:=|[ \t]{0,4})\\*[\"']?[^\s:\"']{1,100}:", r"[^\s\"'<]+"),
        (r"(?:^[ \t]{0,40}|\b(?:login|account)\s{1,4}\S{1,100}\s{1,4})password[ \t]{1,8}", r"(?![=:|>])[^\r\n\"'<]+"),
    )
)
_TYPED = re.compile(r"^.*\b(?:mysql|mariadb|sshpass|plink|pscp|docker|podman|mongo|redis)\w*\b.*$", re.MULTILINE)
_SHORT_OPTION = re.compile(r"(?P<stays>(?<!\S)-(?:p|pw)[ \t]{0,2})[^\s-][^\s<]*")
_ELEMENT = re.compile(r"(?P<stays><(?P<name>[\w.:-]{1,60})(?:\s[^<>]{0,200})?>)[^<]{1,4000}(?=</)")
_PAIR = re.compile(
    r"""(?P<stays>\b(?:name|key)\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?(?P<name>[\w.-]{1,80})\\*["']?\s{0,4},?\s{0,40}"""
    r"""-?\s?\\*["']?value\\*["']?\s{0,4}[:=]\s{0,4}\\*["']?)[^"'\\\r\n<]{1,4000}""",
    re.IGNORECASE,
)
_COLOUR = r"(?:\x1b\[[\d;]{0,20}[A-Za-z]){0,4}+"
_SPACE = rf"{_COLOUR}[ \t]{{0,4}}{_COLOUR}"
_ANNOTATED = r":[ \t]{0,4}(?:\w{1,30}\[)?(?:str|bytes|string|int|Any|SecretStr|text)\]?[ \t|\w]{0,20}=(?!=)"
_NAMED = re.compile(
    rf"""(?<![\w.-])(?P<name>[\w.-]++){_COLOUR}(?P<shut>\\*["']?)\]?{_SPACE}"""
    rf"""(?:(?P<sep>(?i:{_ANNOTATED})|!?={{1,3}}>?|:=|:(?!:)){_SPACE}(?:\s{{1,80}}(?=\\*["']))?|(?P<gap>(?<=[ \t])))"""
)
_FIRST = re.compile(
    r"(?:^|[\r\n]|\\n)[ \t>#$*+-]*(?:(?:export|set|setx|env|arg|declare|readonly|local|const|let|var|-\w)[ \t]+)*\Z",
    re.IGNORECASE,
)
_BEFORE = 60  # characters in which a line's first name is looked for
_BLOCK = re.compile(r"[|>][-+\d]{0,3}[ \t]*\r?\n")
_CLOSING = re.compile(r"</(?:ralph|jikime|promise)", re.IGNORECASE)
_LINE = re.compile(r"[^\r\n]{0,20000}")
_QUOTE = re.compile(r"""\\*["']""")
_QUOTE_OR_END = re.compile(r"""\\*["']|[\r\n]""")
_BRACKETED = re.compile(r"[(\[{][^)\]}\r\n<]{0,4000}[)\]}]?")
_BARE = re.compile(r"(?:[^\s<]|<(?!/))+")
_ITEM = re.compile(r"[^\s,}\]<]+")  # a number in JSON
_HEADER = re.compile(r"""[^\r\n"'\\<]+""")


def names_secret(name: str) -> bool:
    """Whether what has this name is a secret."""
    name = name[-80:]
    words = {word.lower() for word in _WORDS.findall(name)}
    return bool(words & _WEAK or words & _WEAKER or _STRONG.search(name))


def hidden(told: str) -> str:
    """A text without the secrets that are known by their form or their name."""
    told = known_forms(told)
    for pattern in _AFTER:
        told = pattern.sub(_without, told)
    told = _TYPED.sub(lambda line: _SHORT_OPTION.sub(_without, line[0]), told)
    for pattern in (_ELEMENT, _PAIR):
        told = pattern.sub(lambda found: _without(found) if names_secret(found["name"]) else found[0], told)
    return _assigned(told)


def known_forms(told: str) -> str:
    """A text without tokens and keys that are known by their form alone."""
    pieces = _TAIL.split(_WHOLE.sub(REDACTED, told))
    return REDACTED.join((*(piece.rstrip(_BASE64) for piece in pieces[:-1]), pieces[-1]))


def _without(found: "re.Match[str]") -> str:
    return f"{found['stays']}{REDACTED}"


def _assigned(told: str) -> str:
    """The text without what is assigned to the name of a secret: `NAME=x`, `"name": "x"`, `--name x` and the like."""
    parts: list[str] = []
    taken = position = 0
    while found := _NAMED.search(told, position):
        position = found.end("name")
        if not _is_meant(told, found):
            continue
        quote, end = _value(told, found)
        if end > found.end():
            parts += [told[taken : found.end()], quote, REDACTED, quote]
            taken = position = end
    return "".join((*parts, told[taken:]))


def _is_meant(told: str, found: "re.Match[str]") -> bool:
    """Whether a name, with what stands round it, is that of a secret."""
    name, start = found["name"], found.start()
    if found["sep"] is None and not name.startswith("-"):
        return False
    if name.lower() in _WEAKER:
        return bool(found["shut"]) or told[max(0, start - 1) : start] in ("?", "&", ";") or _is_first(told, start)
    place = found["sep"] == ":" and "." in name and told[found.end() : found.end() + 1].isdigit()  # token.py:12
    return not place and names_secret(name)


def _is_first(told: str, start: int) -> bool:
    """Whether the line begins here, but for `export` and the like."""
    since = max(0, start - _BEFORE)
    before = told[told.rfind("\n", since, start) + 1 or since : start]
    return len(before) < _BEFORE and _FIRST.search(before) is not None


def _value(told: str, found: "re.Match[str]") -> tuple[str, int]:
    """The quote before a value, "" without one, and where the value ends, its quote included."""
    at, quoted = found.end(), bool(found["shut"])
    if found["sep"] is None and told[at : at + 1] == "-":
        return "", at
    block = _BLOCK.match(told, at)
    if block and found["sep"] == ":":
        return "", _block_end(told, found.start(), block.end())
    quote = _QUOTE.match(told, at)
    if _is_first(told, found.start()) and not quoted and found["sep"] is not None:
        rest = _line(told, at)
        closing = _CLOSING.search(rest)
        return "", at + len(rest[: closing.start() if closing else None].rstrip())
    if quote:
        return quote[0], _closing(told, quote)
    header = found["name"].lower().endswith(("authorization", "cookie"))
    for pattern in (_HEADER,) if header else (_BRACKETED, _ITEM if quoted else _BARE):
        value = pattern.match(told, at)
        if value:
            return "", value.end()
    return "", at


def _closing(told: str, opening: "re.Match[str]") -> int:
    """Behind the quote that closes; quotes of text within have more backslashes. Else the line's end."""
    depth = len(opening[0]) - 1
    for one in _QUOTE_OR_END.finditer(told, opening.end()):
        if one[0] in "\r\n":
            return one.start()
        deeper = len(one[0]) - 1
        if one[0][-1] == opening[0][-1] and (deeper <= depth if depth else deeper % 2 == 0):
            return one.end()
    return len(told)


def _block_end(told: str, start: int, at: int) -> int:
    """The end of the lines from `at` on that are indented more than the line of the name at `start`."""
    since = told.rfind("\n", max(0, start - _BEFORE), start) + 1
    least = _indent(told[since:start]) if since or start < _BEFORE else 0
    while at < len(told):
        line = _line(told, at)
        if line.strip() and _indent(line) <= least:
            break
        at += len(line) + 1
    return min(at, len(told) + 1) - 1


def _line(told: str, at: int) -> str:
    line = _LINE.match(told, at)
    return line[0] if line else ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
