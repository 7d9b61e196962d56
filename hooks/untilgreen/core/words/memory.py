"""A loop's memory: what a model reads that knows nothing of the rounds before, in the words of seeds 000 and 001. Pure.

All that others wrote in it is masked and stripped, and every part is bounded, so that the whole is.
"""

import re
from collections.abc import Sequence

from untilgreen.core import secrets
from untilgreen.core.foreign import one_line, strip
from untilgreen.core.record import NamedTuple
from untilgreen.core.secrets import safe
from untilgreen.core.words.brief import LIMIT

TOLD = 4_000  # characters that a session is told when it has forgotten its loop
_LINE, _FEEDBACK = 1_200, 1_500  # of these: its first line, and the feedback
_OUTPUT = 1_200  # characters of the agent's last message
# of so many characters in all each part may take this many; what is left is for the rounds before
_WHOLE = 8_000
_ROOM = {"task": 1_500, "message": 300, "files": 1_000, "tools": 1_000, "errors": 1_500, "output": _OUTPUT}
_TITLE = "# Ralph Loop Summary"
_PREVIOUS = "## Previous Summary"
_NONE = "(none)"
_READ = 16_384  # characters of a text of others that are looked at
_MOST, _LONGEST = 50, 200  # entries of a list, and characters of one
# what else lies in a session's folder
_FILES = "loop_state|edits|session|journal|team|last_stop|checking|cost"
_TAKEN = rf"({_FILES})\.|(loops|originals|released)$|.*\.(tmp|lock)$"
_USUAL = ("ralph-summary.md", "ralph-feedback.md", "ralph-iteration.json")
NAME = rf"^(?!{_TAKEN})[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$"


class LastRound(NamedTuple):
    """How a round went. `candidate`: why the loop ends with it, "" where it goes on; `matched`: the agent's message was
    closed by the marker; `tools`: name, command and whether it did its work, the newest last."""

    number: int
    candidate: str
    matched: bool
    message: str
    files: tuple[str, ...]
    tools: tuple[tuple[str, str, bool], ...]
    errors: tuple[str, ...]
    output: str


class Opening(NamedTuple):
    """What is known when a round begins. `rules`: what ends the loop, and how such work is done; `around`: the text
    that the task stands in; `messages`: the newest last."""

    task: str
    rules: Sequence[str] = ()
    around: str = ""
    summary: str = ""
    feedback: str = ""
    messages: Sequence[str] = ()


def prompt(known: Opening) -> str:
    """What an agent is told that `untilgreen run` started anew for a round, in seed 001's sections, each of them where
    there is something to say."""
    said = [cut(strip(one).strip(), LIMIT // len(known.messages)) for one in known.messages]
    parts = {
        "## Task": known.task,
        "## Plan": cut(strip(known.around).strip(), LIMIT),
        "## Stop Rules": "\n".join(known.rules),
        "## Ralph Summary": cut(without_task(strip(known.summary)), LIMIT),
        "## Ralph Feedback": cut(_without(known.feedback, known.rules), LIMIT),
        "## Recent Messages": "\n\n---\n\n".join(said),
    }
    return "\n\n".join(f"{title}\n{text}" for title, text in parts.items() if text) + "\n"


def _without(feedback: str, rules: Sequence[str]) -> str:
    """The feedback without what else is told; the rules say it in the spelling that counts."""
    return strip("\n".join(line for line in feedback.split("\n") if line not in rules)).strip()


def is_name(name: str) -> bool:
    """Whether a file of the memory may be called that: it lies in the session's folder, and is no other's there."""
    return name in _USUAL or (len(name) <= 100 and re.fullmatch(NAME, name.lower()) is not None)


def summary(task: str, last: LastRound, former: str, most: int) -> str:
    """The summary in Markdown, of at most so many characters. `former`: the one of the round before."""
    room = {part: min(most * share // _WHOLE, _OUTPUT if part == "output" else most) for part, share in _ROOM.items()}
    # the newest commands: those that come last are the ones that count
    tools = [f"{name} ({command}): {'passed' if ok else 'failed'}" for name, command, ok in reversed(last.tools)]
    how = (
        f"## Iteration {last.number}",
        f"Stop candidate: {last.candidate or 'none'}",
        f"Completion marker: {'matched' if last.matched else 'not found'}",
        f"Stop message: {_quoted(one_line(last.message), room['message']) or 'none'}",
    )
    parts = [
        _TITLE,
        f"## Objective\n{_quoted(task, room['task']) or _NONE}",
        "\n".join(how),
        f"## Files Changed\n{_listed(last.files, room['files'])}",
        f"## Tool Results\n{_listed(tools, room['tools'])}",
        f"## Errors\n{_listed(last.errors, room['errors'])}",
        f"## Last Output (truncated)\n{_quoted(last.output, room['output']) or _NONE}",
    ]
    text = "\n\n".join((*parts, f"{_PREVIOUS}\n"))
    return f"{text}{cut(_rounds(former), most - len(text) - 1) or _NONE}\n"


def _rounds(former: str) -> str:
    """The rounds of a summary, the newest first, one level below it; one that was compressed is taken as it is."""
    if not former.startswith(_TITLE):
        return former.strip()
    newest, _, before = without_task(former).partition(f"\n{_PREVIOUS}\n")
    told = f"\n{newest.strip()}".replace("\n## ", "\n### ")[1:]
    return told if before.strip() in ("", _NONE) else f"{told}\n\n{before.strip()}"


def without_task(summary: str) -> str:
    """The summary from its newest round on; as it is where it was compressed."""
    return summary[max(0, summary.find("\n## Iteration ")) :].strip() if summary.startswith(_TITLE) else summary.strip()


def told(line: str, summary: str, feedback: str, rules: Sequence[str]) -> str:
    """What a session is told that forgot its loop: `line`, which names the task, what was kept, what ends it."""
    line, feedback = cut(line, _LINE), cut(_without(feedback, rules), _FEEDBACK)
    end = f"\n\n## Ralph Feedback\n{feedback}" if feedback else ""
    end += "\n\n" + "\n".join(rules) if rules else ""
    head = f"{line}\n\n## Ralph Summary\n"
    kept = cut(without_task(strip(summary)), TOLD - len(head) - len(end))
    return f"{head}{kept}{end}" if kept else f"{line}{end}"


def fit(texts: Sequence[str], room: int) -> tuple[str, ...]:
    """Texts of others, each in one line of so many characters at most, without what is secret in them."""
    return tuple(cut(text, room) for text in secrets.masked([one_line(text[:_READ]) for text in texts]))


def _quoted(text: str, room: int) -> str:
    """Text of others, of which no line is a heading."""
    text = safe(text[:_READ])
    return cut((re.sub(r"(?m)^(\s{0,3})#", r"\1\#", text) if "#" in text else text).strip(), room)


def _listed(texts: Sequence[str], room: int) -> str:
    """A list of as many as there is room for, and how many there are more."""
    lines: list[str] = []
    for text in fit(texts[:_MOST], _LONGEST):
        room -= len(text) + 3
        if room < 0:
            break
        lines.append(f"- {text}")
    more = len(texts) - len(lines)
    return "\n".join((*lines, *([f"- … and {more} more"] if more else []))) or f"- {_NONE}"


def cut(text: str, room: int) -> str:
    return text if len(text) <= room else f"{text[: max(0, room - 1)].rstrip()}…"[: max(0, room)]
