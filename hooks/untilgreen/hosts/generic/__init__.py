"""Any host without an adapter of its own."""

from untilgreen.hosts.generic import wire
from untilgreen.hosts.host import Facts, Host

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.shape import Vocabulary


class _Generic:
    name = wire.NAME
    facts = Facts(title="a host without an adapter", known_by=("QWEN_PROJECT_DIR", "GEMINI_SESSION_ID"))
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def last_message(self, _transcript: str) -> None:
        return None

    def last_failure(self, _transcript: str) -> None:
        return None

    def acts(self, _transcript: str) -> tuple[()]:
        return ()

    def usage(self, *_: object) -> None:
        return None

    def commands(self) -> None:
        return None

    def vocabulary(self) -> "Vocabulary":
        from untilgreen.hosts.generic import vocabulary

        return vocabulary.VOCABULARY

    def health(self) -> None:
        return None

    def settings(self) -> None:
        return None


HOST: Host = _Generic()
