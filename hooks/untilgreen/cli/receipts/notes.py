"""Receipts as git notes on the commits that they are about, in a ref that is pushed and fetched like any other."""

import os
import tempfile

from untilgreen.core.errors import UserError
from untilgreen.project.tree import git

REF = "refs/notes/untilgreen"
_LOOKED_AT = "200"  # commits before HEAD
_WHO = ("GIT_AUTHOR_", "GIT_COMMITTER_")


def commit_of(root: str, tree: str) -> str:
    """The newest commit that has this tree, of HEAD and those before it; "" where none has."""
    return next((commit for commit, its in _log(root) if its == tree), "")


def keep(root: str, commit: str, text: bytes) -> None:
    """Put a note on the commit, byte for byte, in the place of another. Raises UserError."""
    with tempfile.NamedTemporaryFile(prefix="untilgreen-") as file:
        file.write(text)
        file.flush()
        code, blob = git.end(git.start(root, "hash-object", "-w", "--stdin", "--no-filters", heard=file.name))
    who = {name: value for name, value in os.environ.items() if name.startswith(_WHO)}
    words = ("notes", f"--ref={REF}", "add", "-f", "-C", os.fsdecode(blob).strip(), commit)
    if code != 0 or git.end(git.start(root, *words, more=who))[0] != 0:
        reason = f"git did not take the note ({REF})"
        raise UserError(reason, "git config user.name NAME; git config user.email MAIL; or --out FILE")


def newest(root: str) -> bytes:
    """The note on HEAD, on the newest commit with HEAD's tree, else on the newest that has one; b"" where none has."""
    _, listed = git.end(git.start(root, "notes", f"--ref={REF}", "list"))
    notes = {commit: blob for blob, commit in (line.split() for line in os.fsdecode(listed).splitlines())}
    commits = _log(root)
    noted = [(commit, tree == commits[0][1]) for commit, tree in commits if commit in notes]
    for commit, _ in sorted(noted, key=lambda one: not one[1]):
        return git.end(git.start(root, "cat-file", "blob", notes[commit]))[1]
    return b""


def _log(root: str) -> list[tuple[str, str]]:
    """HEAD and the commits before it, the newest first, each with its tree."""
    words = ("log", "-n", _LOOKED_AT, "--no-show-signature", "--format=%H %T", "HEAD")
    lines = os.fsdecode(git.end(git.start(root, *words))[1]).splitlines()
    return [(commit, tree) for commit, tree in map(str.split, lines)]
