"""cancel-loop: end a loop."""


def main() -> int:
    """Run the command; the exit code."""
    from untilgreen import cli
    from untilgreen.settings import packages

    refused = packages.unfit("cancel-loop")
    if refused is not None:
        return refused
    cli.prepare("cancel-loop")
    from untilgreen.cli import cancel

    return cancel.main()
