"""Pi's settings of ours: an extension, `.pi/extensions/untilgreen.ts` of a project or of the user's folder, and our
commands as prompt templates, `.pi/prompts/untilgreen:loop.md`. Pi passes a line on to extensions as it was typed
before it expands it.
"""

import os
from collections.abc import Mapping

from untilgreen.hosts import bridge_file
from untilgreen.hosts.bridge_file import BridgeFile
from untilgreen.hosts.hook_groups import folder_of
from untilgreen.hosts.host import Scope
from untilgreen.hosts.pi import FACTS


class _PiSettings(BridgeFile):
    HOST = "pi"
    FILE = "pi.ts"

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        found = ((name, self.folder(name, root, env)) for name in self.SCOPES)
        return tuple(Scope(name, os.path.join(folder, "extensions", "untilgreen.ts")) for name, folder in found)

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        user = folder_of(env, FACTS.config_dir, os.path.join(".pi", "agent"))
        return user if scope == "user" else os.path.join(root, ".pi")

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], commands: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        folder = self.folder(scope, root, env)
        ours = bridge_file.commands_of(os.path.join(folder, "prompts"), commands)
        skills = {os.path.join(folder, "skills", "until-green", name): text.encode() for name, text in skill.items()}
        return ours | skills


SETTINGS = _PiSettings()
