"""Draw the house from its imports: `docs/_static/house.svg` (rooms) and `stop.svg` (what a stop of a loop passes);
and the first table of `real-projects.md` as bars: `projects.svg`.

    python docs/draw.py

Only imports and that table are read; nothing of the package is run. A test compares the pictures with the code.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

DOCS = Path(__file__).parent
PACKAGE = DOCS.parent / "hooks" / "untilgreen"
# highest first; tests/test_repository.py holds that imports go down
ROOMS = ("entry", "cli", "api", "loops", "settings", "checks", "checkers", "state")
ROOMS += ("hosts", "project", "core")
# what a stop of a loop loads one after the other; each brings what it imports at its top
ROAD = ("entry", "loops.stop.dispatch", "loops.stop.road", "loops.stop.in_loop", "loops.stop.evidence")
_WIDTH, _ROOM, _LOW, _GAP, _LEFT, _BAR = 920, 54, 34, 12, 20, 680
_LIGHT = {"paper": "#fff", "room": "#eef3f8", "ink": "#24292f", "dim": "#636c76"}
_LIGHT |= {"green": "#1a7f37", "red": "#cf222e", "amber": "#9a6700"}
_DARK = {"paper": "#0d1117", "room": "#21262d", "ink": "#e6edf3", "dim": "#9198a1"}
_DARK |= {"green": "#3fb950", "red": "#ff7b72", "amber": "#d29922"}
_KEY = (
    '<text x="12" y="20" class="ink">seconds of the checks <tspan class="green">as green</tspan>, '
    '<tspan class="red">as red</tspan>, <tspan class="dim">and of the commands by hand</tspan></text>'
)
_ARROWHEAD = (
    '<defs><marker id="a" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
    '<path d="M0 0 8 4 0 8z" class="dim"/></marker></defs>'
)


def modules() -> dict[str, Path]:
    """Every module by its dotted name below the package."""
    names = {path: ".".join(path.relative_to(PACKAGE).with_suffix("").parts) for path in sorted(PACKAGE.rglob("*.py"))}
    return {name.removesuffix(".__init__"): path for path, name in names.items() if name != "__init__"}


def imported(path: Path, known: Mapping[str, Path], *, at_the_top: bool = False) -> Iterator[str]:
    """The modules of the package that a module imports, inside its functions too or only `at_the_top`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in tree.body if at_the_top else ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "untilgreen":
            base = (node.module or "").removeprefix("untilgreen").lstrip(".")
            for alias in node.names:
                name = f"{base}.{alias.name}".lstrip(".")
                yield name if name in known else base


def room(name: str) -> str:
    """The room of a module."""
    return name.partition(".")[0]


def arrows(graph: Mapping[str, set[str]]) -> set[tuple[str, str]]:
    """From room to room, each once."""
    return {(room(one), room(other)) for one, others in graph.items() for other in others if room(one) != room(other)}


def reached(tops: Mapping[str, set[str]], road: tuple[str, ...]) -> set[str]:
    """The modules of a road, and all that is imported with them."""
    found: set[str] = set()
    left = list(road)
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += tops[name]
    return found


def purpose(name: str, known: Mapping[str, Path]) -> str:
    """The first sentence of a room's own docstring."""
    text = ast.get_docstring(ast.parse(known[name].read_text(encoding="utf-8"))) or ""
    sentence = " ".join(text.split()).partition(". ")[0].rstrip(".").replace("`", "")
    return sentence.partition(": ")[2] or sentence


def drawn(rooms: Mapping[str, str], links: set[tuple[str, str]], title: str) -> str:
    """Rooms with a line of text each, from the top floor down, and their arrows at the right."""
    names = [name for name in ROOMS if name in rooms]
    floor = _ROOM if any("\n" in text for text in rooms.values()) else _LOW
    top = {name: 10 + number * (floor + _GAP) for number, name in enumerate(names)}
    height = 10 + len(names) * (floor + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" font-family="sans-serif" role="img">',
        f"<title>{escape(title)}</title>",
        _style(),
        _ARROWHEAD,
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
    ]
    for name in names:
        y = top[name]
        parts.append(f'<rect class="room" x="{_LEFT}" y="{y}" width="{_BAR}" height="{floor}" rx="6"/>')
        parts.append(f'<text class="ink" x="{_LEFT + 14}" y="{y + 22}" font-size="17" font-weight="bold">{name}</text>')
        parts += [
            f'<text class="ink" x="{_LEFT + 110}" y="{y + 22 + 20 * line}" font-size="12">{escape(text)}</text>'
            for line, text in enumerate(rooms[name].split("\n"))
        ]
    parts += [_arc(top, floor, *link) for link in sorted(links) if link[0] in top and link[1] in top]
    return "\n".join([*parts, "</svg>", ""])


def _arc(top: Mapping[str, int], floor: int, one: str, other: str) -> str:
    begin, end = top[one] + floor * 0.62, top[other] + floor * 0.38
    x = _LEFT + _BAR
    out = x + 24 + 0.33 * (end - begin)
    curve = f"M{x} {begin:.0f} C{out:.0f} {begin:.0f} {out:.0f} {end:.0f} {x + 3} {end:.0f}"
    return f'<path d="{curve}" class="arc" marker-end="url(#a)"/>'


def _style(more: str = "") -> str:
    """The colours of the reader's light or dark scheme."""
    light, dark = ("".join(f".{name}{{fill:{one}}}" for name, one in them.items()) for them in (_LIGHT, _DARK))
    lines = f".room{{stroke:{_LIGHT['dim']}}}.arc{{fill:none;stroke:{_LIGHT['dim']};opacity:.55}}"
    return f"<style>{light}@media(prefers-color-scheme:dark){{{dark}}}{lines}{more}</style>"


def wrapped(words: list[str], room_for: int = 88) -> str:
    """Words on at most two lines; what has no room is counted."""
    first, rest = "", list(words)
    while rest and len(f"{first}, {rest[0]}") < room_for:
        first = f"{first}, {rest.pop(0)}".removeprefix(", ")
    second = ""
    while rest and len(f"{second}, {rest[0]}") < room_for:
        second = f"{second}, {rest.pop(0)}".removeprefix(", ")
    return "\n".join(filter(None, (first, second + (f" and {len(rest)} more" if rest else ""))))


def projects() -> list[tuple[str, str, float, float, bool]]:
    """The rows of the first table: project, verdict as published, seconds of checks, by hand, whether they agree."""
    _, _, table = (DOCS / "real-projects.md").read_text(encoding="utf-8").partition("| --- |")
    found = []
    for row in table.partition("\n\n")[0].splitlines()[1:]:
        name, _, verdict, *_, times = (cell.strip() for cell in row.strip("|").split("|"))
        ours, by_hand = (float(seconds) for seconds in re.findall(r"[\d.]+(?= s)", times))
        found.append((name, verdict.replace("*", ""), ours, by_hand, "**" not in row))
    return found


def bars(rows: Sequence[tuple[str, str, float, float, bool]]) -> str:
    """A project a row: for how long its checks ran, in the colour of the verdict, and its own commands below."""
    scale = 150 / max(max(ours, by_hand) for _, _, ours, by_hand, _ in rows)
    agree = sum(same for *_, same in rows)
    title = f"{len(rows)} projects: on {agree} the verdict was that of the project's own commands, in every state"
    height = 50 + 20 * len(rows)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 440 {height}" width="440" role="img">',
        f"<title>{escape(title)}</title>",
        _style("text{font:12px sans-serif}"),
        f'<rect class="paper" width="440" height="{height}" rx="8"/>',
        _KEY,
    ]
    for number, (name, verdict, ours, by_hand, same) in enumerate(rows):
        y = 34 + 20 * number
        kind = verdict if same and verdict in ("green", "red") else "amber"
        parts.append(f'<text x="12" y="{y + 12}" class="ink">{escape(name)}</text>')
        for down, seconds, drawn in ((2, ours, kind), (9, by_hand, "dim")):
            size = f'width="{max(1.0, seconds * scale):.1f}" height="6"'
            parts.append(f'<rect class="{drawn}" x="170" y="{y + down}" {size}/>')
        parts.append(f'<text x="332" y="{y + 12}" class="ink">{ours:.1f} s, {by_hand:.1f} s</text>')
    return "\n".join([*parts, "</svg>", ""])


def pictures() -> dict[str, str]:
    """File name to picture."""
    known = modules()
    graph = {name: set(imported(path, known)) - {name} for name, path in known.items()}
    house = {name: purpose(name, known) for name in ROOMS}
    road = reached({name: set(imported(path, known, at_the_top=True)) for name, path in known.items()}, ROAD)
    there = {
        name: wrapped(sorted({one.split(".")[1] for one in road if room(one) == name and "." in one}))
        for name in ROOMS
        if any(room(one) == name for one in road)
    }
    passed = {name: others & road for name, others in graph.items() if name in road}
    return {
        "house.svg": drawn(house, arrows(graph), "The rooms of the package, and which use which"),
        "projects.svg": bars(projects()),
        "stop.svg": drawn(there | {"entry": "every process begins and ends here"}, arrows(passed), "A stop of a loop"),
    }


def main() -> None:
    """Write the pictures."""
    for name, picture in pictures().items():
        (DOCS / "_static" / name).write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
