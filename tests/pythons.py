"""Other Pythons of this machine: on PATH, or where pyenv and uv keep them."""

import os
import shutil
import subprocess
from functools import cache
from pathlib import Path

HOME = Path(os.environ.get("HOME", ""))
"""The developer's own: read at import, since tests run without it."""

KEPT = (".pyenv/versions/{}.*/bin/python{}", ".local/share/uv/python/cpython-{}.*/bin/python{}")


@cache
def found(version: str) -> str:
    """The interpreter of a version like "3.12", "" where there is none."""
    kept = (path for pattern in KEPT for path in sorted(HOME.glob(pattern.format(version, version))))
    places = (shutil.which(f"python{version}") or "", *map(str, kept))
    return next((place for place in places if place and _runs(place)), "")


def _runs(place: str) -> bool:
    try:
        return subprocess.run([place, "-c", ""], capture_output=True, timeout=60, check=False).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False
