"""A host that took Claude Code's hooks over and that nobody ran with us: by the documents of several, and said so."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.claude_like import wire
from untilgreen.hosts.facts import Facts

HOST = Adapter(
    wire,
    Facts(
        "a host like Claude Code",
        typed="untilgreen:",
        never_run=True,
        cannot=("It is held in the form that most such hosts document; nobody ran untilgreen with them.",),
    ),
)
