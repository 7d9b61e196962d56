"""Commands that prepare, tell or publish something and judge nothing: what CI runs around its checks. Their words are
the rows of `templates/chores.txt`."""

import itertools
import re
from collections.abc import Sequence
from functools import cache

from untilgreen.project import tables

# the names of scripts that prepare or publish, and of those that write
_PREPARING = re.compile(
    r"(?:(?:pre|post)?(?:install|build|publish|pack)|get|fetch|set-?up|clone|use|set|switch|patch|make|create|add"
    r"|remove|write|fix|apply|replace|rename|convert|export|strip|bootstrap|prepare|provision|deploy|publish|release"
    r"|upload|download|docs?|clean|configure|generate|gen|update|sync|bump|version|changelog|build|bench|migrate|seed"
    r"|start|serve|stop|collectstatic|compilemessages|loaddata|flush|runserver|createsuperuser)(?![a-z])"
)
_ASKING = {"--version", "-V", "--help", "-h", "version"}


def prepares(path: str) -> bool:
    """Whether a script's name says that it prepares, publishes or writes something; or its folder, that it takes times
    or makes documentation."""
    return re.search(r"(?:^|/)(?:bench\w*|docs?)/", path.lower()) is not None or any(
        _PREPARING.match(word) for word in re.split(r"[._/]|(?<!set)-", path.rpartition("/")[2].lower())
    )


@cache
def _always() -> frozenset[str]:
    """The programs that judge nothing, whatever their words are."""
    return frozenset(itertools.chain(*tables.words("chores", "always").values()))


def is_chore(words: Sequence[str]) -> bool:
    """Whether a command judges nothing, as far as its words say."""
    name = words[0].rpartition("/")[2] if words else ":"
    rest = [word for word in words[1:] if not word.startswith("+")]
    if name == "sudo":
        return is_chore(rest)
    if name in _always() or (rest and rest[0] in _ASKING) or (len(rest) == 1 and rest[-1] in _ASKING):
        return True
    if name == "git" and rest[:1] == ["-C"]:
        rest = rest[2:]
    plain = [word for word in rest if not word.startswith("-")]
    for known, after in ((" ".join((name, *plain[:1])), plain[1:]), (name, plain)):
        if (judging := tables.words("chores", "with").get(known)) is not None:
            return not {*after[:1], *rest[:1], *([] if rest else ["-"])}.isdisjoint(judging)
    return False
