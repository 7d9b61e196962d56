"""What Gemini CLI's settings make of our hooks. Learned from 0.61.0."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, Finding, readable
from untilgreen.hosts.gemini.settings import SETTINGS
from untilgreen.hosts.hook_health import SWITCHES, HookHealth, loaded, trusts
from untilgreen.hosts.host import Source
from untilgreen.hosts.reading import table_in

_TRUST = "GEMINI_CLI_TRUST_WORKSPACE"


class _GeminiHealth(HookHealth):
    NEEDED = ("AfterAgent", "BeforeAgent")
    SETTINGS = SETTINGS

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, those that `/hooks disable` named, and trust in the folder."""
        for one in found:
            path, switches = shown(one.scope.path), table_in(one.settings, "hooksConfig")
            if switches.get("enabled") is False:
                what = f'"hooksConfig.enabled" is false in {path}: the host runs no hook'
                yield Finding(SWITCHES, BROKEN, what, f"edit {path}: take it out")
            named = switches.get("disabled")
            off = [name for name in (named if isinstance(named, list) else ()) if "untilgreen" in str(name)]
            if off:
                what = f'"hooksConfig.disabled" in {path} switches off: {", ".join(map(str, off))}'
                yield Finding(SWITCHES, BROKEN, what, f"edit {path}: take {'it' if len(off) == 1 else 'them'} out")
        if any(one.scope.name == "local" for one in self.ours(found)) and not self._is_trusted(found, root, env):
            what = f"{readable(root)} is no trusted folder: the host runs no hook of it"
            yield Finding(SWITCHES, BROKEN, what, f"start gemini in {readable(root)} and trust the folder")

    def _is_trusted(self, found: Sequence[Source], root: str, env: Mapping[str, str]) -> bool:
        if env.get(_TRUST) in ("true", "false"):
            return env[_TRUST] == "true"
        asks = (table_in(table_in(one.settings, "security"), "folderTrust").get("enabled") for one in found)
        if next((one for one in asks if isinstance(one, bool)), True) is False:
            return True
        return trusts(loaded(os.path.join(SETTINGS.folder("user", root, env), "trustedFolders.json")), root)


HEALTH = _GeminiHealth()
