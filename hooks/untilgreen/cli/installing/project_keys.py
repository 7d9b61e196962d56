"""Keys that `init` sets in a project's configuration."""

import os
import re
import tomllib
from collections.abc import Mapping

from untilgreen.cli.installing.changes import Change
from untilgreen.cli.installing.settings_file import content
from untilgreen.core.errors import UserError


def changed(root: str, keys: Mapping[str, str]) -> list[Change]:
    """The project's configuration, which is a valid one, with these keys: the file that there is, else a new
    untilgreen.toml. Raises UserError where it has a form that is for people to edit."""
    own, shared = os.path.join(root, "untilgreen.toml"), os.path.join(root, "pyproject.toml")
    here, there = content(own), content(shared)
    if not keys:
        return []
    if here is None and there and "untilgreen" in tomllib.loads(there.decode()).get("tool", {}):
        return [Change(shared, there, _edited(shared, there.decode(), r"(?m)^\[tool\.untilgreen\].*\n", keys))]
    return [Change(own, here, _edited(own, (here or b"").decode(), r"\A", keys))]


def _edited(path: str, text: str, head: str, keys: Mapping[str, str]) -> bytes:
    """With these keys: each where it stands, else behind what `head` finds. Raises UserError."""
    wanted = tomllib.loads(text)
    table = wanted if head == r"\A" else wanted["tool"]["untilgreen"]
    new = {key: value for key, value in keys.items() if key not in table}
    for key, value in keys.items() - new.items():
        text = re.sub(rf"""(?m)^({key}\s*=\s*)(["']).*?\2""", rf'\1"{value}"', text)
    lines = "".join(f'{key} = "{value}"\n' for key, value in new.items())
    text = re.sub(head, lambda match: match.group() + lines, text, count=1)
    table.update(keys)
    try:
        done = tomllib.loads(text) == wanted
    except tomllib.TOMLDecodeError:
        done = False
    if not done:
        raise UserError(f"{path} cannot be edited in the form that it has", f"set {', '.join(keys)} there by hand")
    return text.encode()
