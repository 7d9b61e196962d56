"""Kiro: by its documents and others' records, nobody ran it here."""

from untilgreen.core.shape import Vocabulary
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.host import Facts, Host
from untilgreen.hosts.kiro import wire


class _Kiro(Adapter):
    name = wire.NAME
    facts = Facts(
        title="Kiro",
        program="kiro-cli",
        typed="untilgreen:",
        never_run=True,
        cannot=(
            "A stop tells neither the last message nor whether the turn was held before: no marker ends a loop there.",
            "A stop comes when it asks its user a question, too; one document calls it not blocking.",
            "No channel for a message to the user at a stop.",
        ),
    )
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def vocabulary(self) -> Vocabulary:
        from untilgreen.hosts.generic import vocabulary

        return vocabulary.VOCABULARY


HOST: Host = _Kiro()
