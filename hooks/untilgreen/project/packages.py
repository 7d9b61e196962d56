"""What a package.json says of the packages that its scripts need."""

import json
import os
import re
from collections.abc import Sequence

from untilgreen.project import files

_LARGEST = 1024 * 1024
_LISTS = ("dependencies", "devDependencies")


def called(folder: str, command: Sequence[str]) -> list[str]:
    """The packages on the lists of a folder's (absolute) package.json that a command line names; of `npm run NAME`
    those that the script names. None where there is no such file, or it cannot be read."""
    try:
        manifest = json.loads(files.read(os.path.join(folder, "package.json"), _LARGEST, follow=True))
        line = manifest["scripts"][command[2]] if tuple(command[:2]) == ("npm", "run") else " ".join(command)
        words = set(re.findall(r"[@\w./-]+", line))
        return [name for kind in _LISTS for name in manifest.get(kind, {}) if name in words]
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return []
