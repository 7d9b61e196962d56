"""Any host without an adapter of its own."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.generic import wire
from untilgreen.hosts.host import Facts, Host


class _Generic(Adapter):
    name = wire.NAME
    facts = Facts(title="a host without an adapter", known_by=("QWEN_PROJECT_DIR", "GEMINI_SESSION_ID"))
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def commands(self) -> None:
        return None


HOST: Host = _Generic()
