"""Texts read closely, where something stands against a green: what silences a check where it does, and tests that only
went along with a module. Cold."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable

from untilgreen.core.trees import Entry, Tree
from untilgreen.core.verdict import proof
from untilgreen.project.fakes import shapes, text

# what a module of Python or JavaScript takes from another one of the project
_TAKEN = (
    r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+))[\w ,.*()]*\n"
    r"|^(?:(?:import|export|const|let|var)\b|\})[\w {},*$=]*(?:\bfrom|\brequire\(|\bimport\()[ \t]*[\"']"
    r"(\.[^\"'\n]+)[\"']\)?;?\n"
)


def silenced(path: str, content: bytes) -> Counter[str]:
    """The kinds in a file's text and how often: no marker that stands in a string, no test in a comment."""
    known = shapes.unaliased(path, content.lower() if path.endswith(shapes.IN_ANY_CASE) else content)
    code, said = _apart(path, known)
    found = Counter[str]()
    for kind in shapes.kinds(path):
        commented = re.match(shapes.pattern("is a comment").encode(), kind.pattern)
        for name, count in text.counted((kind,), said if commented else code):
            found[name] += count
    found["emptied test"] += shapes.counted(path, _apart(path, content)[0])[1]
    return found


def _apart(path: str, content: bytes) -> tuple[bytes, bytes]:
    """A text in two: its code with no more than words in strings, and its comments."""
    piece = shapes.patterns_in("hides", path.rpartition(".")[2]).get("piece")
    if piece is None:
        return content, content
    comments = list[bytes]()

    def bare(match: re.Match[bytes]) -> bytes:
        if re.match(rb"#|/[/*]|<!--", match[0]):
            comments.append(match[0])
            return b""
        return match[0] if re.fullmatch(rb"\W{0,4}[\w.:/-]*\W{0,4}", match[0]) else match[0][:1] + match[0][-1:]

    return re.sub(piece, bare, content), b"\n".join(comments)


def along(start: Tree, now: Tree, read: Callable[[Entry], bytes]) -> frozenset[str]:
    """The files of tests that only went along: the modules of the product that they took have another name now."""
    tests, found = proof.of_tests({*start, *now}), set[str]()
    gone, new = (
        {f"/{_module(path)}" for path in {*one} - {*other} - tests} for one, other in ((start, now), (now, start))
    )
    for path in sorted(one for one in start if gone and new and proof.is_suite(one) and start[one] != now.get(one)):
        name = path.rpartition("/")[2]
        for other in [path] if path in now else [one for one in {*now} - {*start} if one.rpartition("/")[2] == name]:
            texts = [read(entry).decode("utf-8", "replace") for entry in (start[path], now[other])]
            then, after = (_taken(text, where) for text, where in zip(texts, (path, other), strict=True))
            known = ((then - after, gone), (after - then, new))
            moved = all(any(one.endswith(f"/{it}") for one in some) for taken, some in known for it in taken)
            if moved and re.sub(_TAKEN, "", texts[0]) == re.sub(_TAKEN, "", texts[1]):
                found |= {path, other}
    return frozenset(found)


def _module(path: str) -> str:
    return re.sub(r"(?:/__init__|/index)?\.\w+$", "", path)


def _taken(text: str, path: str) -> set[str]:
    """The modules that a file takes, as paths without an ending."""
    found = [(one[1] or one[2] or "", one[3]) for one in re.finditer(_TAKEN, text)]
    place = posixpath.dirname(path)
    return {
        _module(posixpath.normpath(posixpath.join(place, near))) if near else name.replace(".", "/")
        for name, near in found
    }
