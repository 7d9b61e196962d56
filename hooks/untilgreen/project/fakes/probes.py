"""Probes: tests that must fail, or pass, if the product does what the tests of the start ask for. Here in the texts of
JavaScript, Go and Rust, by the rows of `templates/probes.txt`: each test with another expectation, one more that fails,
and each from a process that looks like none of tests."""

import posixpath
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache

from untilgreen.core.record import NamedTuple
from untilgreen.project import files, tables
from untilgreen.project.fakes import shapes

#: another expectation, a test that fails, the test as it was, the test from a plain process
OTHER, CANARY, SAME, OUTSIDE = "other", "canary", "same", "outside"
SHIFTED = "shifted"  # what it expects, asked again with other numbers


class Probed(NamedTuple):
    text: bytes
    about: dict[str, tuple[str, str]]  #: the name of a test that is run to its kind, and the test that it is about
    beside: dict[str, str] = {}  #: the name of a file that lies in its folder to its text


_TOKENS = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'(?!\w)|`(?:\\.|[^`\\])*`|[()\[\]{},]", re.DOTALL
)
_LITERAL = re.compile(
    r"(?:(?P<number>-?\d[\d_]*(?:\.\d+)?(?:e-?\d+)?)(?:[iuf](?:8|16|32|64|128|size))?|(?P<word>true|false)"
    r"|(?P<quote>[\"'])(?:\\.|[^\\\n])*?(?P=quote))(?:\.to_string\(\)|\.into\(\)|n)?"
)
# what may stand before an assertion on its line: a test that has one line, or nothing but what it is called on
_STATEMENT = r"\s*(?:(?:test|it)\(.*=>\s*\{?\s*)?(?:await\s+)?(?:expect\(.*|\)|[\w.]*)(?:\.\w+)*"


def title_of(name: str) -> str:
    """The last part of a test's name."""
    return re.split(r" > |::", name)[-1]


def language(path: str) -> str:
    """Of a file of tests: "py", "go", "rs", "js", or "" where no probe is made in it."""
    suffix = path.rpartition(".")[2]
    return "js" if re.fullmatch(r"[cm]?[jt]sx?", suffix) else suffix if suffix in ("py", "go", "rs") else ""


@cache
def forms(kind: str) -> dict[str, str]:
    return {name: form.replace("«n»", "\n") for name, form in tables.read("probes")[kind]}


def program(name: str) -> str:
    """What asks tests from a process of its own."""
    return files.read(f"{files.templates_folder()}/{name}.txt", 100_000).decode()


def probed(
    path: str,
    text: str,
    names: Sequence[str],
    *,
    alone: bool,
    plain: str | None = "",
    start: Mapping[str, str | None] = {},
) -> Probed:
    """The file with probes of these tests. `alone`: with other expectations, and nothing else. `plain`: variables that
    a plain process has not, beside those of runners; None where there is no such process. `start`: the changed files of
    the product, as they were."""
    kind, about, sites, last = language(path), dict[str, tuple[str, str]](), list[tuple[int, int, str]](), 0
    beside, said = {} if alone or plain is None else _beside(path, kind, text, start), forms(kind)
    titles = Counter(found["title"] for found in re.finditer(said["test"], text))
    apart, file = " " if kind == "js" else "_", path.rpartition("/")[2]
    in_thread = kind == "rs" and not alone and not re.search(said["bound"], text)
    for found in re.finditer(said["test"], text):
        title, end = found["title"], _end(text, found.end())
        name = next((one for one in names if title_of(one) == title), "")
        if not name or end < last:
            continue
        own = list(expected(text, kind, found.end(), end))
        about |= {name: (OTHER, name)} if own else {}
        more = {"fails": CANARY} if last == 0 and not alone else {}
        more |= {"outside": OUTSIDE} if (beside or (in_thread and name == title)) and titles[title] == 1 else {}
        more |= {"shifted": SHIFTED} if len(beside) > 1 and titles[title] == 1 else {}
        for form, what in more.items():
            own.append((end, end, said[form].format(**found.groupdict(), body=text[found.end() : end], file=file)))
            about[f"{name}{apart}{(CANARY, OUTSIDE, SHIFTED).index(what)}"] = (what, name)
        about |= {f"{name}_2": (SAME, name)} if kind != "js" and "outside" in more else {}
        sites, last = [*sites, *own], end
    for begin, end, new in sorted(sites, reverse=True):
        text = text[:begin] + new + text[end:]
    place = posixpath.normpath(posixpath.join(posixpath.dirname(path), next(iter(beside), "")))
    behind = said.get("imports" if re.search(r"(?m)^import\b", text) else "behind", "") if beside else ""
    behind = behind.format(asking=said.get("asking", "").format(place=place, plain=plain))
    return Probed((text + behind).encode(), about, beside)


def _beside(path: str, kind: str, text: str, start: Mapping[str, str | None]) -> dict[str, str]:
    """What runs the tests of a file from a plain process, and the code of the start beside it; nothing where they may
    need what their runner does."""
    said = forms(kind)
    if kind == "rs" or re.search(said["bound"], text) or path.endswith(("ts", "tsx")):
        return {}
    if kind == "go":
        package = re.search(r"(?m)^package (\w+)$", text)
        return {f"plain_{package[1]}_test.go": program("plain.go").format(package=package[1])} if package else {}
    bound = " ".join(one["names"] or one["bound"] for one in re.finditer(said["runner"], text))
    if {*re.findall(r"\w+", bound)} - {"test", "it", "describe", "suite", "expect"}:
        return {}
    folder, own = posixpath.dirname(path), re.sub(said["runner"], "", text)
    # by its place it looks like no test
    place = re.split(r"(?:^|/)(?:tests?|__tests__|specs?|e2e)(?:/|$)", folder)[0]

    def near(match: re.Match[str]) -> str:
        where = posixpath.relpath(posixpath.join("/", folder, match[1]), f"/{place}")
        return match[0].replace(match[1], where if where[0] == "." else f"./{where}")

    twins = {one: _twin(one) for one, old in start.items() if old is not None and re.search(r"\.[cm]?js$", one)}
    others = {
        posixpath.relpath(twin, folder or "."): _at_start(one, start[one] or "", twins) for one, twin in twins.items()
    }
    own = re.sub(said["taken"], lambda match: _of_both(match, folder, twins), own)
    asked = program("plain.js").format(text=re.sub(shapes.pattern("imported"), near, own))
    asked = re.sub(r"(?m)^const expect = .*\n", "", asked) if re.search(said["expect"], own) else asked
    name = f"zz{zlib.crc32(path.encode()):x}.{path.rpartition('.')[2]}"
    return {posixpath.relpath(posixpath.join("/", place, name), f"/{folder}"): asked} | others


def _twin(path: str) -> str:
    """Where the code of the start lies, beside that of today."""
    return re.sub(r"(?=\.\w+$)", ".zz0", path)


def _module(folder: str, near: str, known: Collection[str]) -> str:
    """The file that a relative import leads to, one of these; else ""."""
    place = posixpath.normpath(posixpath.join(folder, near))
    return next((one for one in (place, f"{place}.js", f"{place}/index.js") if one in known), "")


def _at_start(path: str, text: str, twins: Mapping[str, str]) -> str:
    """A file of the start that takes others of the start."""
    folder = posixpath.dirname(path)

    def then(match: re.Match[str]) -> str:
        twin = twins.get(_module(folder, match[1], twins))
        return match[0].replace(match[1], f"./{posixpath.relpath(twin, folder or '.')}") if twin else match[0]

    return re.sub(shapes.pattern("imported"), then, text)


def _of_both(match: re.Match[str], folder: str, twins: Mapping[str, str]) -> str:
    """An import of a changed module, as one of both."""
    whole, bound, near = match[0], match["bound"] or match["names"], match["near"]
    twin = twins.get(_module(folder, near, twins))
    if not twin:
        return whole
    then, now = f"./{posixpath.relpath(twin, folder or '.')}", f"_now{match.start()}"
    if match["bound"]:
        return f'const {bound} = _both(require("{near}"), _plain === "2" && require("{then}"));'
    names = re.sub(r"\s+as\s+", ": ", bound) if bound[0] == "{" else bound.rpartition(" ")[2]
    part = ".default" if re.fullmatch(r"\w+", bound) else ""
    both = f'_both({now}, _plain === "2" && (await import("{then}"))){part}'
    return f'import * as {now} from "{near}";\nconst {names} = {both};'


def _end(text: str, at: int) -> int:
    """Where the bracket that opens at or behind this place is closed."""
    depth = 0
    for token in _TOKENS.finditer(text, at):
        depth += (token[0] in "([{") - (token[0] in ")]}") if len(token[0]) == 1 else 0
        if depth == 0 and token[0] in ")]}":
            return token.end()
    return len(text)


def expected(text: str, kind: str, begin: int, end: int) -> Iterator[tuple[int, int, str]]:
    """The literals that a test expects wherever it comes by, with others in their place: where a statement begins, no
    block is open, and none returned before."""
    depth, blocks = 0, set[int]()
    for token in _TOKENS.finditer(text, begin, end):
        depth += (token[0] == "{") - (token[0] == "}")
        blocks |= {token.start()} if depth > 1 else set()
    if leaves := re.compile(r"\breturn\b").search(text, begin, end):
        end = leaves.start()
    for found in re.compile(forms(kind)["equal"]).finditer(text, begin, end):
        before = text[text.rfind("\n", 0, found.start()) + 1 : found.start()]
        if found.end() in blocks or not re.fullmatch(_STATEMENT, before):
            continue
        sides = _arguments(text, found.end())[: 3 if kind == "go" else 2]
        whole = [one for one in sides if _LITERAL.fullmatch(text, *one)]
        if len(whole) == 1:
            yield (*whole[0], _other(text[slice(*whole[0])]))
    for form in ("unequal", "named"):
        for found in re.compile(forms(kind).get(form, r"(?!)")).finditer(text, begin, end):
            literal = found["literal"]
            yield (*found.span("literal"), _other(literal) if form == "unequal" else 'errors.New("q")')


def _arguments(text: str, at: int) -> list[tuple[int, int]]:
    """Where each argument of the call that opens here is."""
    depth, found, begin = 0, list[tuple[int, int]](), at + 1
    for token in _TOKENS.finditer(text, at):
        if len(token[0]) == 1:
            depth += (token[0] in "([{") - (token[0] in ")]}")
            if depth == 0 or (depth == 1 and token[0] == ","):
                part = text[begin : token.start()]
                found.append((begin + len(part) - len(part.lstrip()), begin + len(part.rstrip())))
                begin = token.end()
            if depth == 0:
                break
    return found


def _other(literal: str) -> str:
    """Another literal of this kind."""
    found = _LITERAL.fullmatch(literal)
    if found is None:
        return literal
    if found["word"]:
        return literal.replace(found["word"], "true" if found["word"] == "false" else "false")
    if found["number"] is None:
        return f"{found['quote']}q{literal[1:]}"
    number = found["number"].replace("_", "")
    return (
        str(float(number) + 1 if "." in number or "e" in number else int(number) + 1) + literal[len(found["number"]) :]
    )
