"""What `init` puts into a project for one person, kept out of what git shows of it: lines of `info/exclude`."""

import os
from collections.abc import Sequence

from untilgreen.cli.installing import files
from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.settings_file import content
from untilgreen.project import git


def planned(root: str, settings: str, wanted: Sequence[str]) -> list[Change]:
    """The change of `info/exclude` for the settings file and these files of ours; none where git has no say here, or
    ignores them already."""
    code, told = git.end(git.start(root, "rev-parse", "--git-path", "info/exclude"))
    path = os.path.join(root, os.fsdecode(told.rstrip(b"\n")))
    if code != 0 or os.path.realpath(path) != path or not os.path.isdir(os.path.dirname(os.path.dirname(path))):
        return []
    shown = [one for one in (settings, *wanted) if not git.ignored(root, os.path.relpath(one, root))]
    lines = dict.fromkeys(_line(root, one) for one in shown)
    before = content(path)
    text = before or b""
    have = text.split(b"\n")
    new = b"".join(line + b"\n" for line in lines if line not in have)
    return [Change(path, before, text + (b"\n" if text and not text.endswith(b"\n") else b"") + new)] if new else []


def _line(root: str, path: str) -> bytes:
    """The pattern for a file, or for the folder that is ours alone."""
    name = os.path.relpath(path, root)
    for folder in (files.COMMANDS, files.SKILL):
        before, found, _ = name.partition(f"{folder}{os.sep}")
        if found:
            name = f"{before}{found}"
    return os.fsencode(f"/{name}")
