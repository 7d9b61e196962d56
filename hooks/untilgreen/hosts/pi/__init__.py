"""Pi."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.pi import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.hosts.host import Facts, Host, SettingsFiles


class _Pi(Adapter):
    name = wire.NAME
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts.pi.facts import FACTS

        return FACTS

    def settings(self) -> "SettingsFiles":
        from untilgreen.hosts.pi.settings import SETTINGS

        return SETTINGS


HOST: "Host" = _Pi()
