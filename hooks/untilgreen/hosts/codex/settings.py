"""Codex CLI's files of hooks, and our entries in them: values in, values out.

`.codex/hooks.json` of the project, which it reads where the project is trusted, and that of `$CODEX_HOME`; both count.
A command is a line for the user's login shell. Each entry runs only once its user trusted it: see `health`.
"""

import os
from collections.abc import Mapping

from untilgreen.hosts.codex.facts import FACTS
from untilgreen.hosts.hook_groups import HookGroups, HookRow, folder_of
from untilgreen.hosts.host import Scope
from untilgreen.project import toplevel

MAIN = "main"
FOLDER = ".codex"

_HIDDEN = "policy:\n  allow_implicit_invocation: false\n"  # the agent does not see it: only its user may call it


class _CodexSettings(HookGroups):
    HOST = "codex"
    ROWS = (
        HookRow("Stop", "", ("stop-loop",), 600),
        HookRow("PostToolUse", "apply_patch", ("post-tool-lint", "post-tool-lsp", "post-tool-ast-grep"), 30),
        HookRow("PostToolUse", "Bash", ("post-tool-bash",), 10),
        HookRow("UserPromptSubmit", "", ("session-loop",), 150),
        HookRow("SessionStart", "", ("session-loop",), 10),
        HookRow("SessionEnd", "", ("session-loop",), 3),  # it gives no more
    )

    def scopes(self, root: str, env: Mapping[str, str]) -> tuple[Scope, ...]:
        home = folder_of(env, FACTS.config_dir, FOLDER)
        return Scope("local", os.path.join(root, FOLDER, "hooks.json")), Scope("user", os.path.join(home, "hooks.json"))

    def linked(self, root: str) -> tuple[Scope, ...]:
        """In a linked work tree the hooks of the main one: 0.169.0 runs them there, and not the tree's own."""
        main = toplevel.main_tree(root)
        return (Scope(MAIN, os.path.join(main, FOLDER, "hooks.json")),) if main else ()

    def folder(self, scope: str, root: str, env: Mapping[str, str]) -> str:
        return folder_of(env, FACTS.config_dir, FOLDER) if scope == "user" else os.path.join(root, FOLDER)

    def texts(
        self, scope: str, root: str, env: Mapping[str, str], texts: Mapping[str, str], skill: Mapping[str, str]
    ) -> dict[str, bytes]:
        """Skills: it has no other commands of one's own."""
        ours = {os.path.join("until-green", name): text for name, text in skill.items()}
        for name, text in texts.items():
            called = f"{FACTS.typed.lstrip('$')}{name}"
            ours[os.path.join(called, "SKILL.md")] = text.replace("---\n", f"---\nname: {called}\n", 1)
            ours[os.path.join(called, "agents", "openai.yaml")] = _HIDDEN
        skills = os.path.join(self.folder(scope, root, env), "skills")
        return {os.path.join(skills, name): text.encode() for name, text in ours.items()}


SETTINGS = _CodexSettings()
