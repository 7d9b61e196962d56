"""VS Code: by its documents and others' records, nobody ran it here."""

from untilgreen.core.shape import Vocabulary
from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.host import Facts, Host
from untilgreen.hosts.vscode import wire


class _VsCode(Adapter):
    name = wire.NAME
    facts = Facts(
        title="VS Code",
        typed="untilgreen:",
        never_run=True,
        cannot=(
            "Its own agent only: sessions of Copilot, Claude and Codex in it run the hooks of those hosts.",
            "It tells no end of a session.",
        ),
    )
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def vocabulary(self) -> Vocabulary:
        from untilgreen.hosts.generic import vocabulary

        return vocabulary.VOCABULARY


HOST: Host = _VsCode()
