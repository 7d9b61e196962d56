"""The packages that the cold paths need, and what to do where this Python lacks one.

This file is read before any of them is looked for, and by Pythons that are too old for the rest: a checkout is run by
whatever `python3` there is.
"""

import os
import sys

_OLDEST = (3, 11)
# the module that shows that a package is there, and what to ask pip for: pydantic 1 has no core of its own
_PACKAGES = {"click": "click", "orjson": "orjson", "pydantic_core": "pydantic>=2"}


def unfit(name: str) -> "int | None":
    """Say why this Python cannot run the command `name`; the exit code then, None where it can."""
    if sys.version_info < _OLDEST:
        version = ".".join(map(str, sys.version_info[:2]))
        why = "Python 3.11 or newer is needed, and this is " + version
        sys.stderr.write(name + " failed: " + why + ". Fix: put a newer python3 first on PATH\n")
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
    import shlex
    import sysconfig

    python = sys.executable or "python3"
    cure = "run " + shlex.join((python, "-m", "pip", "install", *lacking))
    # the system keeps its own Python to itself (PEP 668)
    if sys.prefix == sys.base_prefix and os.path.exists(
        os.path.join(sysconfig.get_path("stdlib"), "EXTERNALLY-MANAGED")
    ):
        cure = "put one that has them first on PATH: pip may not change this one"
    return os.path.basename(python) + " has no " + ", ".join(lacking) + ". Fix: " + cure
