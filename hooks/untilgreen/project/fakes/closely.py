"""Texts read closely at a green: what silences a check where it does, tests that only went along with a module, and
code that a check may not see any more. Cold."""

import posixpath
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from untilgreen.core.model.groups import Against
from untilgreen.core.trees import Entry, Tree
from untilgreen.core.verdict import proof
from untilgreen.project.fakes import shapes, text

# what a module of Python or JavaScript takes from another one of the project
_TAKEN = (
    r"(?m)^[ \t]*(?:from[ \t]+([\w.]+)[ \t]+import\b|import[ \t]+([\w.]+))[\w ,.*()]*\n"
    r"|^(?:(?:import|export|const|let|var)\b|\})[\w {},*$=]*(?:\bfrom|\brequire\(|\bimport\()[ \t]*[\"']"
    r"(\.[^\"'\n]+)[\"']\)?;?\n|^package \w+\n"
)
# an import of JavaScript in either form: the names that it binds, and the module
_IMPORT = (
    r"(?m)^(?:import|const|let|var)\b([\w\s{},:*$]*?)(?:=\s*require\(|\bfrom\b)"
    r"\s*[\"'](?:node:)?([^\"'\n]+)[\"']\)?;?\n"
)


def silenced(path: str, content: bytes) -> Counter[str]:
    """The kinds in a file's text and how often: no marker that stands in a string, no test in a comment."""
    known = shapes.unaliased(path, content.lower() if path.endswith(shapes.IN_ANY_CASE) else content)
    code, said = _apart(path, known)
    kinds, comment = shapes.kinds(path), re.compile(shapes.pattern("is a comment").encode())
    found = _counted([kind for kind in kinds if comment.match(kind.pattern)], said)
    found += _counted([kind for kind in kinds if not comment.match(kind.pattern)], code)
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


def along(
    start: Tree, now: Tree, read: Callable[[Entry], bytes], running: Callable[[str], bool] = bool
) -> frozenset[str]:
    """The files of tests that only went along: the modules of the product that they took have another name now, or they
    take the same ones in another form. `running`: whether a file of tests runs."""
    tests, found = proof.of_tests({*start, *now}), set[str]()
    gone, new = (
        {f"/{_module(path)}" for path in {*one} - {*other} - tests} for one, other in ((start, now), (now, start))
    )
    for path in sorted(one for one in start if proof.is_suite(one) and start[one] != now.get(one)):
        for other in [path] if path in now else filter(proof.is_suite, {*now} - {*start}):
            texts = [read(entry).decode("utf-8", "replace") for entry in (start[path], now[other])]
            then, after = (_taken(text, where) for text, where in zip(texts, (path, other), strict=True))
            known = ((then - after, gone), (after - then, new))
            moved = all(any(one.endswith(f"/{it}") for one in some) for taken, some in known for it in taken)
            if path.endswith(".go"):  # with all that lay beside it
                moved = posixpath.dirname(path) not in {posixpath.dirname(one) for one in now if one.endswith(".go")}
            same = moved and gone and new and re.sub(_TAKEN, "", texts[0]) == re.sub(_TAKEN, "", texts[1])
            formed = other == path and re.search(r"[jt]sx?$", path) and _imported(texts[0]) == _imported(texts[1])
            if (same or formed) and running(other):
                found |= {path, other}
    return frozenset(found)


def doors(start: Tree, now: Tree, read: Callable[[Entry], bytes], unlisted: Mapping[str, bytes]) -> list[Against]:
    """What a check may not see any more of each file of the start, if it was red there: code that stands where none
    looks (`unlisted`: files that git ignores), and what is silent for a type checker."""
    fresh = {path: read(entry) for path, entry in now.items() if start.get(path) != entry} | {**unlisted}
    found = list[Against]()
    for path in sorted(one for one in start if start[one] != now.get(one) and shapes.kinds(one)):
        suffix, then = path.rpartition(".")[2], read(start[path])
        was, stays = (_lines(_apart(path, one)[0]) for one in (then, fresh.get(path, b"")))
        lost = {line for line in _lines(then) if (code := _code(path, line)) in was and code not in stays}
        heirs = [path] if path in now else []
        for other in fresh:
            known, comments = map(_lines, _apart(path, fresh[other]))
            held = lost & _lines(fresh[other]) - comments
            if len(held) < max(2, len(lost) / 3) or re.match(shapes.pattern("page"), other):
                continue
            hidden = other in unlisted or re.match(shapes.pattern("left out"), other) or not shapes.kinds(other)
            if hidden or sum(_code(path, line) not in known for line in held) * 2 >= len(lost):
                found.append(Against("unseen", f"{other} '…'" if other == path else other, place=path))
            heirs += [] if hidden or other == path else [other]
        kinds = (*shapes.kinds_in("doors", suffix), *shapes.kinds_in("dropped", suffix))
        before = _counted(kinds, _apart(path, then)[0])
        after = sum((_counted(kinds, _apart(path, fresh[one])[0]) for one in heirs), Counter[str]())
        dropped = {kind.name for kind in shapes.kinds_in("dropped", suffix) if before[kind.name]}
        grown = ((name, count) for name, count in (after - before).items() if name not in dropped)
        found += [Against("silent", name, count, place=path) for name, count in grown]
    return found


def _imported(text: str) -> tuple[str, list[tuple[frozenset[str], str]]]:
    """A text without its imports, and what they bind of which modules."""
    found = [(frozenset(re.findall(r"[\w$]+", names)) - {"as"}, path) for names, path in re.findall(_IMPORT, text)]
    return re.sub(_IMPORT, "", text), sorted(found, key=lambda one: (one[1], *sorted(one[0])))


def _counted(kinds: Sequence[shapes.Kind], code: bytes) -> Counter[str]:
    found = Counter[str]()
    for name, count in text.counted(kinds, code):
        found[name] += count
    return found


def _lines(code: bytes) -> set[bytes]:
    """The lines that say something."""
    return {bare for line in code.split(b"\n") if len(bare := line.strip()) > 8}


def _code(path: str, line: bytes) -> bytes:
    """What is left of a line where it is code."""
    return _apart(path, line)[0].strip()


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
