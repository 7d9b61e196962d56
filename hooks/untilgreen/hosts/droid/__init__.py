"""Factory Droid: by its documents and others' records, nobody ran it here."""

from untilgreen.core.shape import Vocabulary
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.droid import wire
from untilgreen.hosts.host import Facts, Host


class _Droid(Adapter):
    name = wire.NAME
    facts = Facts(
        title="Factory Droid",
        program="droid",
        typed="untilgreen:",
        never_run=True,
        cannot=("Hooks are read when it starts, and changed ones must be reviewed in its /hooks.",),
    )
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def vocabulary(self) -> Vocabulary:
        from untilgreen.hosts.generic import vocabulary

        return vocabulary.VOCABULARY


HOST: Host = _Droid()
