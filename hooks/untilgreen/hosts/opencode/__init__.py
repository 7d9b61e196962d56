"""OpenCode."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.opencode import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.hosts.host import Facts, Host, SettingsFiles


class _OpenCode(Adapter):
    name = wire.NAME
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts.opencode.facts import FACTS

        return FACTS

    def settings(self) -> "SettingsFiles":
        from untilgreen.hosts.opencode.settings import SETTINGS

        return SETTINGS


HOST: "Host" = _OpenCode()
