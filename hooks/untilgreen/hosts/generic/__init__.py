"""Any host without an adapter of its own."""

from untilgreen.hosts.generic import wire
from untilgreen.hosts.host import Facts, Host


class _Generic:
    name = wire.NAME
    facts = Facts(title="a host without an adapter")
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    def last_message(self, _transcript: str) -> None:
        return None

    def commands(self) -> None:
        return None

    def settings(self) -> None:
        return None


HOST: Host = _Generic()
