"""A work tree of its own for a run: linked to the repository, beside it, on a new branch. It is left where it is."""

import os
import subprocess
from collections.abc import Mapping

from untilgreen.core.errors import UserError
from untilgreen.core.findings import word
from untilgreen.core.foreign import one_line
from untilgreen.project.toplevel import within
from untilgreen.project.tree import worktree


def make(root: str, branch: str, env: Mapping[str, str]) -> str:
    """Make it from the newest commit; its path. Raises UserError."""
    path = f"{root}.{branch.replace('/', '-')}"
    _git(root, env, "worktree", "add", "--quiet", "-b", branch, path)
    return os.path.realpath(path)


def drop(root: str, path: str, branch: str, env: Mapping[str, str]) -> None:
    """Take away one in which nothing began. Raises UserError."""
    _git(root, env, "worktree", "remove", "--force", path)
    _git(root, env, "branch", "-D", "--quiet", branch)


def there(root: str, path: str, file: str) -> str:
    """A file of the repository as it lies in the work tree; the file itself where it is not there."""
    inner = os.path.join(path, os.path.relpath(os.path.realpath(file), root))
    return inner if within(root, file) and os.path.exists(inner) else file


def begun(root: str, path: str, branch: str) -> list[str]:
    """What is said of a new one, a line each."""
    left_out = ["what is not committed here is not in it"] if worktree.changed(root) else []
    return [f"work tree: {path}, branch {branch}", *left_out]


def told(root: str, path: str, branch: str) -> list[str]:
    """What is to be done with it when the run is over, a line each."""
    here, tree = word(root), word(path)
    return [
        f"the work is in {path}, on branch {branch}",
        f"to keep it: git -C {tree} add -A && git -C {tree} commit, then git -C {here} merge {branch}",
        f"to drop it: git -C {here} worktree remove --force {tree} && git -C {here} branch -D {branch}",
    ]


def _git(root: str, env: Mapping[str, str], *words: str) -> None:
    ours = {key: value for key, value in env.items() if key not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE")}
    try:
        done = subprocess.run(
            ["git", "-C", root, *words], env=ours, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
    except OSError as error:
        raise UserError(f"git cannot be run: {error.strerror}", "install it, or leave out --worktree") from None
    if done.returncode:
        said = one_line(done.stderr.decode("utf-8", "replace").strip())
        raise UserError(f"git worktree: {said}", "solve that, or leave out --worktree")
