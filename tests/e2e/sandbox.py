"""A place for one host: its own home, settings, project and environment, nothing of the caller's."""

import json
import os
import shutil
import signal
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path

KEY = "dummy-test-key"
QUIET = {
    "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    "DISABLE_TELEMETRY": "1",
    "DISABLE_AUTOUPDATER": "1",
    "DISABLE_ERROR_REPORTING": "1",
    "CLAUDE_CODE_DISABLE_OFFICIAL_MARKETPLACE_AUTOINSTALL": "1",  # else 2.1.150 fetches plugins from the network
    "IS_SANDBOX": "1",  # root may use it
}
FILES = {"README.md": "# demo\n", "app.py": "def add(a, b):\n    return a - b\n", "ruff.toml": ""}


def answers(project: Path) -> dict[str, object]:
    """What Claude Code keeps of the first run's questions: a theme, this key, trust in the project."""
    return {
        "hasCompletedOnboarding": True,
        "theme": "dark",
        "customApiKeyResponses": {"approved": [KEY], "rejected": []},
        "projects": {str(project): {"hasTrustDialogAccepted": True}},
    }


class Sandbox:
    """Folders below `root`, and the environment `env` of whatever runs there, with the model at `url`.

    `settings` becomes the project's `.claude/settings.json`, `local` its `.claude/settings.local.json`; `files` maps
    paths in the project to texts (one that starts with `#!` is made executable). `path` goes before the PATH, `env`
    over the environment. What the files say at the start is the project's only commit, but for the local settings.
    `name` is the project's folder below `root`.
    """

    def __init__(
        self,
        root: Path,
        url: str,
        *,
        settings: Mapping[str, object] | None = None,
        local: Mapping[str, object] | None = None,
        files: Mapping[str, str] | None = None,
        env: Mapping[str, str] | None = None,
        path: Sequence[Path] = (),
        name: str = "project",
    ) -> None:
        root = root.resolve()
        self.project, self.home, self.config, self.temporary = (root / n for n in (name, "home", "config", "tmp"))
        for folder in (self.project, self.home, self.config, self.temporary):
            folder.mkdir(parents=True)
        self.env = self._environment(url, path, env or {})
        self._accept_everything()
        self.write({**FILES, **(files or {})})
        if settings is not None:
            self.write({".claude/settings.json": json.dumps(settings, indent=2)})
        self._commit()
        if local is not None:
            self.write({".claude/settings.local.json": json.dumps(local, indent=2)})

    def write(self, files: Mapping[str, str]) -> None:
        """Puts files into the project."""
        for name, text in files.items():
            file = self.project / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
            if text.startswith("#!"):
                file.chmod(0o755)

    def launch(self, extra: Mapping[str, str] | None = None) -> tuple[dict[str, str], str]:
        """An environment for one launch, and the mark in it by which `reap` knows what came of that launch."""
        mark = f"SANDBOX_LAUNCH={self.home}:{uuid.uuid4()}"
        name, _, value = mark.partition("=")
        return {**self.env, **(extra or {}), name: value}, mark

    def reap(self, mark: str = "") -> None:
        """Kills what is left of one launch, or of all: processes with the mark in their environment (Linux)."""
        wanted = f"\0{mark or f'HOME={self.home}'}\0".encode()
        for process in Path("/proc").glob("[0-9]*"):
            try:
                if wanted in b"\0" + (process / "environ").read_bytes():
                    os.kill(int(process.name), signal.SIGKILL)
            except OSError:  # gone, or another user's
                continue

    def _environment(self, url: str, path: Sequence[Path], extra: Mapping[str, str]) -> dict[str, str]:
        """Nothing of the caller's but the place of git."""
        git = shutil.which("git")
        assert git, "git is not installed"
        places = [*map(str, path), "/usr/local/bin", "/usr/bin", "/bin", str(Path(git).parent)]
        return {
            "PATH": os.pathsep.join(dict.fromkeys(places)),
            "HOME": str(self.home),
            "LANG": "C.UTF-8",
            "TERM": "dumb",
            "TMPDIR": str(self.temporary),
            **self._of_host(url),
            **extra,
        }

    def _of_host(self, url: str) -> dict[str, str]:
        """What the host needs to know beside that."""
        return {"CLAUDE_CONFIG_DIR": str(self.config), "ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": KEY, **QUIET}

    def _accept_everything(self) -> None:
        """What answering the first run's questions leaves behind: a theme, this key, trust in the project."""
        (self.config / ".claude.json").write_text(json.dumps(answers(self.project)), encoding="utf-8")

    def _commit(self) -> None:
        author = ("-c", "user.name=Test", "-c", "user.email=test@example.invalid")
        env = {**self.env, "GIT_CONFIG_NOSYSTEM": "1"}
        for step in (["init", "-q", "-b", "main"], ["add", "-A"], [*author, "commit", "-qm", "start"]):
            subprocess.run(["git", *step], cwd=self.project, env=env, check=True, stdout=subprocess.DEVNULL)
        (self.project / ".git/info/exclude").write_text(".claude/settings.local.json\n", encoding="utf-8")
