"""What Toy's payloads are made of: all that a recording keeps of them as it is."""

from untilgreen.core.shape import Vocabulary, words

VOCABULARY = Vocabulary(
    keys=words("text files was"),
    words={"what": words("turn_done user_said wrote hello bye")},
    ids=words("conversation"),
    paths=words("folder path"),
    messages=words("text"),
)
