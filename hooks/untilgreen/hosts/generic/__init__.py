"""Any host without an adapter of its own."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.generic import wire
from untilgreen.hosts.host import Facts, Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.shape import Vocabulary


class _Generic(Adapter):
    name = wire.NAME
    facts = Facts(title="a host without an adapter", known_by=("QWEN_PROJECT_DIR", "GEMINI_SESSION_ID"))
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def commands(self) -> None:
        return None

    def vocabulary(self) -> "Vocabulary":
        from untilgreen.hosts.generic import vocabulary

        return vocabulary.VOCABULARY


HOST: Host = _Generic()
