"""A loop as one page of HTML: no network, no script, light and dark, on a screen and on paper."""

from collections.abc import Iterable, Iterator
from html import escape

from untilgreen.cli.story.show import NOT_KEPT, about, sign, time, title, words, worked
from untilgreen.core.model.check import STAGES
from untilgreen.core.words.story import Ran, Round, Story

_MOST = 500  # items of a round that are listed
_WIDE, _HIGH, _FOOT, _ROOM = 360, 120, 132, 16  # of the chart, its bars, and of two numbers beside each other
_HEAD = '<th scope="col">check</th><th scope="col">said</th><th scope="col">took</th>'
_KEY = '<svg viewBox="0 0 8 8" aria-hidden="true"><rect class="{stage}" width="8" height="8"/></svg> {stage}'
_CLASSES = {"✓": "good", "✗": "bad"}
_STYLE = """\
:root { color-scheme: light dark; --text: #1c1c1e; --page: #fff; --soft: #5c5c66; --line: #d4d4dc; --card: #f6f6f8;
  --red: #b3261e; --green: #146c2e; --amber: #7a4b00; --static: #5b6bc0; --build: #b26a00; --tests: #b3405f;
  --judged: #00796b }
@media (prefers-color-scheme: dark) { :root {
  --text: #ececf1; --page: #16161a; --soft: #a6a6b2; --line: #3a3a44; --card: #202027;
  --red: #ff8a80; --green: #7bd88f; --amber: #ffcc80; --static: #9fa8da; --build: #ffb74d; --tests: #f48fb1;
  --judged: #80cbc4 } }
body { margin: 0; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, sans-serif }
main { max-width: 60rem; margin: auto; padding: 1rem; overflow-wrap: anywhere }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem; margin: 2rem 0 .5rem } h3 { font-size: 1rem; margin: 0 }
pre, li { font: .875rem/1.5 ui-monospace, monospace; white-space: pre-wrap }
section, pre { background: var(--card); border: 1px solid var(--line); padding: .75rem 1rem; break-inside: avoid }
section { margin: .75rem 0 } ul { padding: 0; margin: .5rem 0; list-style: none }
td, th { text-align: left; padding: 0 1.5rem 0 0 } .soft, figcaption { color: var(--soft) }
.bad, .new { color: var(--red) } .good, .fixed { color: var(--green) } .but { color: var(--amber) }
figure { margin: 1rem 0; max-width: 40rem } figure > svg { width: 100% } figcaption svg { width: .8em }
text { fill: var(--soft); font-size: 10px; text-anchor: middle } line { stroke: var(--line) }
.static { fill: var(--static) } .build { fill: var(--build) } .tests { fill: var(--tests) }
.judged, .hooks, .review { fill: var(--judged) }
"""
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<main>
{body}</main>
</body>
</html>
"""


def html(story: Story) -> str:
    """The whole page."""
    return _PAGE.format(title=escape(story.loop_id), style=_STYLE, body="".join(_body(story)))


def _body(story: Story) -> Iterator[str]:
    yield f"<h1>{escape(story.outcome)}</h1>\n"
    yield f'<p class="soft">{escape(about(story))}</p>\n'
    if story.task:
        yield f"<h2>Task</h2>\n<pre>{escape(story.task)}</pre>\n"
    yield f"<h2>What was asked for</h2>\n{_list(('', line) for line in story.asked)}"
    if story.history:
        yield f"<h2>Left, round by round</h2>\n{_chart(story.rounds)}"
    yield f"<h2>Rounds</h2>\n{''.join(map(_round, story.rounds))}"


def _round(one: Round) -> str:
    items = [("new" if item.new else "", f"{'+' if item.new else ' '} {item.text}") for item in one.items[:_MOST]]
    items += [("", f"... and {len(one.items) - _MOST} more")] if len(one.items) > _MOST else []
    items += [("", NOT_KEPT)] if one.left and not one.items else []
    items += [("fixed", f"- {fixed}") for fixed in one.fixed[:_MOST]]
    items += [("fixed", f"... and {len(one.fixed) - _MOST} more fixed")] if len(one.fixed) > _MOST else []
    items += [("but", f"! not a clean pass: {but}") for but in one.but]
    checks = "".join(map(_check, one.checks))
    table = f"<table>\n<tr>{_HEAD}</tr>\n{checks}</table>\n" if checks else ""
    work = _list(("soft", line) for line in worked(one.work, _MOST))
    return f"<section>\n<h3>{escape(title(one))}</h3>\n{table}{work}{_list(items)}</section>\n"


def _check(check: Ran) -> str:
    drawn = sign(check)
    name = f'<span class="{_CLASSES.get(drawn, "soft")}">{drawn}</span> {escape(check.name)}'
    return f"<tr><td>{name}</td><td>{words(check)}</td><td>{time(check)}</td></tr>\n"


def _list(lines: Iterable[tuple[str, str]]) -> str:
    """Lines of text, each with its class."""
    rows = "".join(f'<li class="{name}">{escape(text)}</li>\n' for name, text in lines)
    return f"<ul>\n{rows}</ul>\n" if rows else ""


def _chart(rounds: tuple[Round, ...]) -> str:
    """A bar a round, of its stages; a plus where more may be hidden."""
    most = max(1, *(sum(one.stages.values()) for one in rounds))
    step = _WIDE / len(rounds)
    bars = "".join(_bar(one, n * step, step, _HIGH / most) for n, one in enumerate(rounds))
    told = ", ".join(f"round {one.number}: {one.left}" for one in rounds)
    keys = " ".join(_KEY.format(stage=stage) for stage in STAGES if any(one.stages[stage] for one in rounds))
    return (
        f'<figure>\n<svg viewBox="0 0 {_WIDE} {_FOOT + 14}" role="img" aria-label="{escape(told)}">\n'
        f'<line x2="{_WIDE}" y1="{_FOOT}" y2="{_FOOT}"/>\n{bars}</svg>\n'
        f"<figcaption>What was left, by stage: {keys}</figcaption>\n</figure>\n"
    )


def _bar(one: Round, x: float, step: float, unit: float) -> str:
    top, parts = float(_FOOT), ""
    for stage in STAGES:
        high = one.stages[stage] * unit
        top -= high
        place = f'x="{x + step * 0.15:.1f}" y="{top:.1f}" width="{step * 0.7:.1f}" height="{high:.1f}"'
        parts += f'<rect class="{stage}" {place}/>\n' if high else ""
    texts = ((f"{one.left}{'+' if one.hidden else ''}", top - 2), (one.number, _FOOT + 11)) if step >= _ROOM else ()
    return parts + "".join(f'<text x="{x + step / 2:.1f}" y="{y:.1f}">{text}</text>\n' for text, y in texts)
