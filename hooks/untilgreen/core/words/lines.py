"""What every text is made with: the words of a catalogue, plurals, sentences, how much an agent is told. Pure."""

from collections.abc import Mapping

LIMIT = 9_000  # characters to the agent; a host passes on a megabyte uncut

Words = Mapping[str, str]
RALPH = "continue"  # a catalogue that has this word speaks in lines of its own
CONTINUATION = "continuation"  # one that has this begins with a text of its own
PROMISE = "completion_promise"  # one that has this tells its markers in lines of its own


def counted(words: Words, key: str, n: int, **values: object) -> str:
    """A text about a number: catalogues part the form for one from the form for more by two bars."""
    forms = words[key].split("||")
    return forms[0 if n == 1 else -1].format(n=n, **values)


def sentence(text: str, words: Words) -> str:
    """The text with its full stop."""
    return words["sentence"].format(text=text)
