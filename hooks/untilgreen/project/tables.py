"""The tables of `templates/*.txt`: rows in sections. Cold: a hook that only notes something reads none."""

import os
from functools import cache

from untilgreen.project.files import templates_folder


@cache
def read(name: str) -> dict[str, list[list[str]]]:
    """The rows of a table by the titles of their sections, "" for those above the first one; each row in its parts.

    ` :: ` stands between parts, `# ` in front of a comment, `[…]` around a title. A line that begins with six spaces
    goes on with the one before it. Raises OSError.
    """
    with open(os.path.join(templates_folder(), f"{name}.txt"), encoding="utf-8") as file:
        lines = file.read().replace("\n      ", "").split("\n")
    found: dict[str, list[list[str]]] = {"": []}
    rows = found[""]
    for line in lines:
        if line[:1] == "[" and line[-1:] == "]" and " :: " not in line:
            rows = found.setdefault(line[1:-1], [])
        elif line and line[:2] not in ("# ", "#"):
            rows.append(line.split(" :: "))
    return found


@cache
def words(name: str, section: str) -> dict[str, list[str]]:
    """The rows of a section whose first part is a name and whose second part is a list of words."""
    return {row[0]: row[1].split() for row in read(name)[section]}
