"""What an agent is told that `untilgreen run` started anew for a round: it knows nothing of those before. Pure."""

from collections.abc import Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.record import NamedTuple
from untilgreen.core.words import memory

_ROOM = 9_000  # characters of the summary, of the feedback, and of the messages: as much as a held agent is told


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
    """The prompt: seed 001's sections, each of them where there is something to say."""
    said = [memory.cut(strip(one).strip(), _ROOM // len(known.messages)) for one in known.messages]
    parts = {
        "## Task": known.task or "(none given)",
        "## Plan": memory.cut(strip(known.around).strip(), _ROOM),
        "## Stop Rules": "\n".join(known.rules),
        "## Ralph Summary": memory.cut(memory.without_task(strip(known.summary)), _ROOM),
        "## Ralph Feedback": memory.cut(strip(known.feedback).strip(), _ROOM),
        "## Recent Messages": "\n\n---\n\n".join(said),
    }
    return "\n\n".join(f"{title}\n{text}" for title, text in parts.items() if text) + "\n"
