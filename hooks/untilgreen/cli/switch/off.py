"""`untilgreen off`."""

from untilgreen.cli import switch

command = switch.named(
    "off",
    "Switch the hooks off.\n\n"
    "While the off file is there, stops and edits are met with silence. A loop that runs holds nobody, and its user is "
    "told so once. A narrower on file wins. Not while a stop is judged.",
)
