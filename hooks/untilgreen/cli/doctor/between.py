"""What stands between the host and a hook: shims of version managers, and runners that look for an environment."""

import os
from collections.abc import Sequence

_MANAGERS = ("pyenv", "asdf", "mise", "rtx", "volta")
_RUNNERS = (("uv", "run"), ("uvx",), ("pipx", "run"), ("poetry", "run"), ("pdm", "run"), ("hatch", "run"), ("npx",))


def manager(words: Sequence[str], program: str, path: str) -> str:
    """The version manager or runner that stands between the host and the hook, "" where there is none."""
    for runner in _RUNNERS:
        if tuple(words[: len(runner)]) == runner:
            return " ".join(runner)
    if os.path.basename(path) in _MANAGERS:  # mise and volta link their own binary under every name
        return os.path.basename(path)
    if not os.path.isfile(program):
        return ""
    try:
        with open(program, "rb") as file:
            text = file.read(4096)
    except OSError:
        return ""
    if not text.startswith(b"#!"):
        return ""
    lines = text.decode("utf-8", "replace").split("\n")[1:]
    return next((name for name in _MANAGERS for line in lines if f"{name} exec" in line or f"{name} x " in line), "")
