"""What people type: a command a file. This file is read before any package is looked for, so it imports none."""

import os


def main() -> int:
    """`untilgreen`."""
    from untilgreen.settings import packages

    refused = packages.unfit("untilgreen")
    if refused is not None:
        return refused
    prepare("untilgreen")
    from untilgreen.cli import root

    return root.main()


def asking(name: str) -> str:
    """The variable by which a shell asks this command for the words that may come next, as click calls it."""
    return ("_" + name + "_COMPLETE").replace("-", "_").upper()


def prepare(name: str) -> None:
    """Where a shell asks so, let click answer with what we know; it does so before anything else, and exits."""
    if asking(name) in os.environ:
        from untilgreen.cli import completion

        completion.prepare()
