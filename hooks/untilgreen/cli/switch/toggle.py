"""`untilgreen toggle`."""

from untilgreen.cli import switch

command = switch.named(
    "toggle",
    "Switch the hooks off where they are on, else on.\n\n"
    "What counts is what is so now, by its own file or a wider one. See `untilgreen on` and `untilgreen off`.",
)
