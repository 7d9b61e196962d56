"""Cursor: by its documents and others' records, nobody ran it here."""

from untilgreen.core.shape import Vocabulary
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.cursor import wire
from untilgreen.hosts.host import Facts, Host


class _Cursor(Adapter):
    name = wire.NAME
    facts = Facts(
        title="Cursor",
        program="cursor-agent",
        block_cap=wire.CAP,
        cap_spans_tools=True,
        typed="untilgreen:",
        never_run=True,
        cannot=(
            "A stop tells no last message: no marker ends a loop there.",
            "Its command line calls no stop hook in print mode (cursor-agent -p).",
            "No channel for a message to the user at a stop.",
        ),
    )
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def vocabulary(self) -> Vocabulary:
        from untilgreen.hosts.generic import vocabulary

        return vocabulary.VOCABULARY


HOST: Host = _Cursor()
