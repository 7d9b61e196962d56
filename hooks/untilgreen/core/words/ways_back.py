"""How the work of a loop is undone, as it is told at its end. Pure."""

from untilgreen.core.model.loop import Loop
from untilgreen.core.verdict import progress
from untilgreen.core.words.lines import Words

_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_")


def told(loop: Loop, store: str, words: Words) -> tuple[str, ...]:
    """The command, and the line that does it by hand, for a shell in the project; nothing where nothing changed.
    `store`: the store's path relative to the project, "" where there is no git to read it."""
    refs = {one.iteration: one.ref for one in loop.history.snapshots}
    newest = loop.history.snapshots[-1].ref if loop.history.snapshots else ""
    if newest == loop.start.start_ref:
        return ()
    best = progress.best_round(loop)
    word, ref = ("best", refs[best]) if best and refs[best] not in ("", newest) else ("start", loop.start.start_ref)
    lines = [words["rollback"].format(command=command(loop, word), word=word)]
    if store:
        lines.append(
            words["by_git"].format(command=f"git --git-dir={_quoted(store)} --work-tree=. checkout {ref} -- .")
        )
    return tuple(lines)


def command(loop: Loop, word: str) -> str:
    """What goes back to a round, or to another tree that was kept."""
    return f"untilgreen rollback --to {word} --session {_quoted(loop.loop_id)}"


def _quoted(word: str) -> str:
    """A word for a shell."""
    if word and _PLAIN.issuperset(word):
        return word
    return "'" + word.replace("'", "'\"'\"'") + "'"
