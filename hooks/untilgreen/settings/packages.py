"""The packages that the cold paths need, and what to do where this Python lacks one.

This file is read before any of them is looked for, and by Pythons that are too old for the rest: a checkout is run by
whatever `python3` there is.
"""

import os
import sys

_OLDEST = (3, 11)
# the module that shows that a package is there, and what to ask pip for: pydantic 1 has no core of its own
_PACKAGES = {"click": "click", "orjson": "orjson", "pydantic_core": "pydantic>=2", "yaml": "pyyaml"}
_INSTALLERS = {"uv": ("tool", "install"), "pipx": ("install",)}


def unfit(name: str) -> "int | None":
    """Say why this Python cannot run the command `name`; the exit code then, None where it can."""
    if sys.version_info < _OLDEST:
        version = ".".join(map(str, sys.version_info[:2]))
        why = "Python 3.11 or newer is needed, and this is " + version
        sys.stderr.write(name + " failed: " + why + ". Fix: " + cure([]) + "\n")
        return 0
    why = missing()
    if why:
        sys.stderr.write(name + " failed: " + why + "\n")
    return 1 if why else None


def missing() -> str:
    """Which package this Python lacks and how to install it; "" when all are there."""
    from importlib.util import find_spec

    lacking = [package for module, package in _PACKAGES.items() if find_spec(module) is None]
    if not lacking:
        return ""
    return os.path.basename(sys.executable or "python3") + " has no " + ", ".join(lacking) + ". Fix: " + cure(lacking)


def cure(lacking: "list[str]") -> str:
    """One command that gets what this Python lacks. `lacking`: what to ask pip for; nothing where it is too old."""
    import shutil
    import sysconfig

    checkout = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    for program, words in _INSTALLERS.items():
        if shutil.which(program) and os.path.isfile(os.path.join(checkout, "pyproject.toml")):
            return "run " + _line(program, *words, checkout)
    if not lacking:
        return "install uv (https://docs.astral.sh/uv), or put a newer python3 first on PATH"
    python, words = sys.executable or "python3", ("-m", "pip", "install", *lacking)
    # the system keeps its own Python to itself (PEP 668)
    managed = os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    if sys.prefix != sys.base_prefix or not os.path.exists(managed):
        return "run " + _line(python, *words)
    plugins = os.environ.get("CLAUDE_PLUGIN_DATA")
    if not plugins:
        return "put one that has them first on PATH: pip may not change this one"
    # where hooks/launch looks
    own = os.path.join(plugins, "python")
    made = _line(python, "-m", "venv", own)
    return "run " + made + " && " + _line(os.path.join(own, "bin", "python"), *words)


def _line(*words: str) -> str:
    import shlex

    return " ".join(map(shlex.quote, words))  # `shlex.join` is newer than the oldest Python that comes here
