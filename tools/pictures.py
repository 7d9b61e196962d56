"""Pictures of a terminal: the golden screen `tests/screens/NAME.txt` becomes `docs/_static/screen-NAME.svg`.

    python tools/pictures.py

Only the screens that a page shows are drawn. A picture follows the reader's light or dark scheme, brings no font and
loads nothing: every run of text is as wide as its columns, whatever the font. Goldens hold `N s` for a time, which
differs from run to run; a picture shows `1.2 s`.
"""

import re
import unicodedata
from collections.abc import Iterator, Mapping
from pathlib import Path
from xml.sax.saxutils import escape

REPOSITORY = Path(__file__).resolve().parent.parent
SCREENS = REPOSITORY / "tests" / "screens"
STATIC = REPOSITORY / "docs" / "_static"
_COLUMN, _ROW, _EDGE, _LEAST = 8.4, 20, 18, 45
_LIGHT = {"paper": "#fff", "ink": "#24292f", "dim": "#636c76", "you": "#f1f3f5", "good": "#1a7f37", "bad": "#cf222e"}
_DARK = {"paper": "#0d1117", "ink": "#e6edf3", "dim": "#9198a1", "you": "#21262d", "good": "#3fb950", "bad": "#ff7b72"}
_FONT = "14px ui-monospace,SFMono-Regular,Menlo,Consolas,DejaVu Sans Mono,monospace"
_YOU = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT} "
# the host's own marks and its "Stop says:"; our signs, with their words where they open what is said; lines of a diff
_SAYS = r"(?:(?<=^.)|(?<=^    .)|(?<=says: .))[^·]*"
_MARKS = re.compile(
    rf"(?P<dim>^ *[⎿●](?: +\w[\w ]* says:)?|[─│╭╮╰╯├┤┌┐└┘]+)"
    rf"|(?P<good>[✓✔](?:{_SAYS})?|^ +\d+ \+.*)|(?P<bad>[✗■](?:{_SAYS})?|^ +\d+ -.*)"
)


def picture(screen: str, title: str) -> str:
    """A screen as SVG: its rows of text, the user's own words on a ground of their own."""
    rows = [row.rstrip() for row in re.sub(r"\bN s\b", "1.2 s", screen).rstrip("\n").split("\n")]
    columns = max(_LEAST, *(_columns(row) for row in rows))
    width, height = round(columns * _COLUMN) + 2 * _EDGE, len(rows) * _ROW + 2 * _EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" width="{width}">',
        f"<title>{escape(title)}</title>",
        f"<style>{_style(_LIGHT)}\n@media(prefers-color-scheme:dark){{{_style(_DARK)}}}\ntext{{font:{_FONT}}}</style>",
        f'<rect class="paper" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>',
    ]
    for number, row in enumerate(rows):
        top = _EDGE + number * _ROW
        if row.startswith(_YOU):
            ground = f'x="{_EDGE - 8}" y="{top}" width="{width - 2 * _EDGE + 16}" height="{_ROW}" rx="4"'
            parts.append(f'<rect class="you" {ground}/>')
        parts += [_text(run, at, top + 15, kind) for run, at, kind in _runs(row)]
    return "\n".join([*parts, "</svg>", ""])


def _style(colours: Mapping[str, str]) -> str:
    """Plain rules: a viewer that knows no media query, or no variables, shows it light."""
    rules = "".join(f".{name}{{fill:{colour}}}" for name, colour in colours.items())
    return f"{rules}.paper{{stroke:{colours['dim']}}}.corner{{stroke:{colours['dim']};fill:none}}"


def _runs(row: str) -> Iterator[tuple[str, int, str]]:
    """Pieces of a row with the column where each begins, and what it is: one of `_MARKS`, "" for plain text."""
    end = 0
    for mark in _MARKS.finditer(row):
        yield from _words(row, end, mark.start(), "")
        yield from _words(row, mark.start(), mark.end(), mark.lastgroup or "")
        end = mark.end()
    yield from _words(row, end, len(row), "")


def _words(row: str, begin: int, end: int, kind: str) -> Iterator[tuple[str, int, str]]:
    """Between wide gaps: so a run is never only blanks, and columns stay where they are."""
    for run in re.finditer(r"\S+(?: \S+)*", row[begin:end]):
        yield run[0], _columns(row[: begin + run.start()]), kind


def _text(run: str, at: int, y: int, kind: str) -> str:
    x = _EDGE + at * _COLUMN
    if run.startswith("⎿"):  # hardly a font has it
        rest = run[1:].lstrip()
        corner = f'<path class="corner" d="M{x + 3:.1f} {y - 13}v9h6"/>'
        return corner + (_text(rest, at + len(run) - len(rest), y, kind) if rest else "")
    length = _columns(run) * _COLUMN
    place = f'class="{kind or "ink"}" x="{x:.1f}" y="{y}" textLength="{length:.1f}"'
    return f'<text {place} lengthAdjust="spacingAndGlyphs">{escape(run)}</text>'


def _columns(text: str) -> int:
    """As a terminal counts them: wide characters take two, marks above others none."""
    return sum(0 if unicodedata.combining(one) else 1 + (unicodedata.east_asian_width(one) in "WF") for one in text)


def shown() -> set[str]:
    """The names of the screens that a page shows, or the site on a phone."""
    pages = (REPOSITORY / "README.md", STATIC / "site.css", *sorted((REPOSITORY / "docs").glob("*.md")))
    return {name for page in pages for name in re.findall(r"[/\"]screen-([\w-]+)\.svg", page.read_text("utf-8"))}


def pictures() -> dict[str, str]:
    """File name to picture."""
    return {
        f"screen-{name}.svg": picture(
            (SCREENS / f"{name}.txt").read_text(encoding="utf-8"), f"A terminal: {name.replace('-', ' ')}"
        )
        for name in sorted(shown())
    }


if __name__ == "__main__":
    for name, text in pictures().items():
        (STATIC / name).write_text(text, encoding="utf-8")
        print((STATIC / name).relative_to(REPOSITORY))
