"""A green loop with a receipt, for tests of what others make of it."""

import subprocess
from pathlib import Path

from world import Answer, World

WHO = "dev@example.invalid"


class Proved:
    """A green loop, committed; its developer signs with an SSH key. `clone` is somebody else's checkout."""

    def __init__(self, folder: Path) -> None:
        self.world, self.folder = World(folder), folder
        project = {"shop.py": "import os\n", ".gitignore": ".ruff_cache/\n", "ruff.toml": "line-length = 100\n"}
        self.world.write(project)
        self.world.commit()
        self.world.init()
        self.world.start("task", "--preset", "strict", "--only", "lint")
        self.world.write({"shop.py": "VALUE = 1\n"})
        assert self.world.stop().notice.startswith("✓ green")
        self.world.env["GIT_CONFIG_GLOBAL"] = str(folder / "gitconfig")
        self.run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key"))
        self.allowed = folder / "allowed_signers"
        self.allowed.write_text(f"{WHO} {(folder / 'key.pub').read_text()}")
        self.clone = folder / "clone"

    def run(self, *words: str, cwd: Path | None = None, stdin: bytes = b"") -> bytes:
        where = cwd or self.world.project
        return subprocess.run(words, cwd=where, env=self.world.env, check=True, capture_output=True, input=stdin).stdout

    def signs(self, key: str) -> None:
        """Git signs with this key, or with none."""
        self.run("git", "config", "--global", "gpg.format", "ssh")
        self.run("git", "config", "--global", "user.signingkey", key)

    def verify(self, *words: str, cwd: Path | None = None) -> Answer:
        allowed = ("--allowed-signers", str(self.allowed))
        return self.world.run("untilgreen", "verify", *allowed, *words, cwd=cwd)

    def written(self) -> tuple[Path, Path]:
        """A receipt as a file outside of the project, and its signature."""
        path = self.folder / "receipt.json"
        assert self.world.run("untilgreen", "receipt", "--out", str(path)).code == 0
        return path, self.folder / "receipt.json.sig"
