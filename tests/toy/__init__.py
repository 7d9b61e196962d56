"""A host that nobody has: what docs/adding-a-host.md makes, step by step. test_toy_host.py puts it into a package."""

from untilgreen.hosts.host import Commands, Facts, Host, SettingsFiles

from . import wire


class _Toy:
    name = wire.NAME
    facts = Facts(title="Toy", block_cap=wire.CAP, cap_spans_tools=True)
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

    def commands(self) -> Commands:
        from . import commands

        return commands

    def health(self) -> None:
        return None

    def settings(self) -> SettingsFiles:
        from . import settings

        return settings


HOST: Host = _Toy()
