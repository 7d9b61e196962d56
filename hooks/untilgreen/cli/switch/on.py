"""`untilgreen on`."""

from untilgreen.cli import switch

command = switch.named(
    "on",
    "Switch the hooks on.\n\n"
    "An on file says so even where a wider off file is there: the session's own goes before the project's, and that "
    "before yours. Not while a stop is judged.",
)
