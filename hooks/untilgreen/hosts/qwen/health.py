"""What Qwen Code's settings make of our hooks. Learned from 0.24.4."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence

from untilgreen.core.findings import BROKEN, Finding, readable
from untilgreen.hosts.hook_health import SWITCHES, HookHealth, loaded, trusts
from untilgreen.hosts.host import Source
from untilgreen.hosts.qwen.settings import SETTINGS
from untilgreen.hosts.reading import table_in


class _QwenHealth(HookHealth):
    SETTINGS = SETTINGS

    def silences(
        self, found: Sequence[Source], root: str, env: Mapping[str, str], shown: Callable[[str], str]
    ) -> Iterator[Finding]:
        """The switch for all hooks, and trust in folders, where its user asked for that."""
        said = next((one for one in found if "disableAllHooks" in one.settings), None)  # the strongest file decides
        if said and said.settings["disableAllHooks"] is True:
            path = shown(said.scope.path)
            what = f'"disableAllHooks" is true in {path}: the host runs no hook'
            yield Finding(SWITCHES, BROKEN, what, f'edit {path}: take "disableAllHooks" out')
        asks = any(table_in(table_in(one.settings, "security"), "folderTrust").get("enabled") is True for one in found)
        rules = loaded(os.path.join(SETTINGS.folder("user", root, env), "trustedFolders.json"))
        if asks and any(one.scope.name == "local" for one in self.ours(found)) and not trusts(rules, root):
            what = f"{readable(root)} is no trusted folder: the host runs no hook of it"
            yield Finding(SWITCHES, BROKEN, what, f"start qwen in {readable(root)} and trust the folder")


HEALTH = _QwenHealth()
