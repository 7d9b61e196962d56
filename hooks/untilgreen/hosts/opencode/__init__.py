"""OpenCode."""

from untilgreen.hosts.opencode import wire

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.shape import Vocabulary
    from untilgreen.hosts.host import Commands, Facts, Health, Host, SettingsFiles


class _OpenCode:
    name = wire.NAME
    read = staticmethod(wire.read)
    write = staticmethod(wire.write)

    @property
    def facts(self) -> "Facts":
        from untilgreen.hosts.opencode.facts import FACTS

        return FACTS

    def last_message(self, _transcript: str) -> None:
        return None

    def last_failure(self, _transcript: str) -> None:
        return None

    def acts(self, _transcript: str) -> tuple[()]:
        return ()

    def usage(self, *_: object) -> None:
        return None

    def commands(self) -> "Commands":
        from untilgreen.hosts import typed

        return typed

    def vocabulary(self) -> "Vocabulary":
        from untilgreen.hosts.opencode.vocabulary import VOCABULARY

        return VOCABULARY

    def health(self) -> "Health | None":
        return None

    def settings(self) -> "SettingsFiles":
        from untilgreen.hosts.opencode.settings import SETTINGS

        return SETTINGS


HOST: "Host" = _OpenCode()
