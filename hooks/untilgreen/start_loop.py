"""start-loop: begin a loop."""


def main() -> int:
    """Run the command; the exit code."""
    from untilgreen import cli
    from untilgreen.settings import packages

    refused = packages.unfit("start-loop")
    if refused is not None:
        return refused
    cli.prepare("start-loop")
    from untilgreen.cli import start

    return start.main()
