"""Run one tool several times, one after the other, as one check: `in_turn.py TOOL -- words … -- words …`.

A process of its own that imports nothing of ours (the plugin's Python does not have it installed), in the process group
of its check. What the tool says goes through; after each run comes a line `untilgreen: exit code 2: <the last word>`.
The exit code is the highest one.
"""

import os
import re
import sys

_ENDED = r"(?m)^untilgreen: exit code (-?\d{1,9}): .*\n?"


def argv(tool: str, *groups: tuple[str, ...]) -> tuple[str, ...]:
    """The command line that runs the tool with each group of words in turn."""
    words = (word for group in groups for word in ("--", *group))
    return (sys.executable, "-I", os.path.abspath(__file__), tool, *words)


def runs(stdout: str) -> list[tuple[int, str]]:
    """The exit code and the output of each run that came to its end, in turn."""
    parts = re.split(_ENDED, stdout)
    return [(int(code), text) for text, code in zip(parts[::2], parts[1::2], strict=False)]


def main(words: list[str]) -> int:
    import subprocess  # only the process of its own needs it
    from itertools import groupby

    tool, worst = words[0], 0
    groups = (list(group) for dashes, group in groupby(words[1:], "--".__eq__) if not dashes)
    for group in groups:
        code = subprocess.run((tool, *group), stdin=subprocess.DEVNULL, check=False).returncode
        print(f"untilgreen: exit code {code}: {group[-1]}", flush=True)
        worst = max(worst, code if code >= 0 else 128 - code)  # of a signal as a shell tells it
    return worst


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
