"""Run one tool several times, one after the other, as one check: `in_turn.py TOOL -- words … -- words …`.

A process of its own that imports nothing of ours, in the process group of its check. What the tool says goes through;
after each run comes a line `untilgreen: exit code 2: <the last word>`. The exit code is the highest one.
"""

import subprocess
import sys


def main(words: list[str]) -> int:
    tool, worst = words[0], 0
    for group in _groups(words[1:]):
        code = subprocess.run((tool, *group), stdin=subprocess.DEVNULL, check=False).returncode
        print(f"untilgreen: exit code {code}: {group[-1]}", flush=True)
        worst = max(worst, code if code >= 0 else 128 - code)  # of a signal as a shell tells it
    return worst


def _groups(words: list[str]) -> list[list[str]]:
    """What stands after each "--"; an empty group is none."""
    groups: list[list[str]] = []
    for word in words:
        if word == "--":
            groups.append([])
        else:
            groups[-1].append(word)
    return [group for group in groups if group]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
