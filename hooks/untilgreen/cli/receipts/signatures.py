"""Signatures by SSH keys, made and checked as git makes and checks its own: by the same settings, and `ssh-keygen -Y`.

Whoever has an `allowed_signers` file needs nothing of ours: `ssh-keygen -Y verify -n untilgreen` takes the same bytes.
"""

import os
import subprocess
import tempfile
from pathlib import Path

from untilgreen.core.errors import UserError
from untilgreen.core.record import NamedTuple
from untilgreen.project import tools, trust
from untilgreen.project.tree import git

NAMESPACE = "untilgreen"
BEGIN = b"-----BEGIN SSH SIGNATURE-----"
_HOW = "git config gpg.format ssh; git config user.signingkey ~/.ssh/id_ed25519.pub"


class Signer(NamedTuple):
    """Who stands for a text."""

    state: str  #: "signed"; "unsigned"; "edited": this is not what was signed; "unknown": nobody here knows the key
    who: str = ""
    key: str = ""  #: its kind and fingerprint; of a bundle the identity's issuer, or why it is not verified


def sign(root: str, text: bytes) -> tuple[bytes, str]:
    """The signature of these bytes, in armour; without one why: git signs with no SSH key here. Raises UserError."""
    key = _setting(root, "user.signingkey")
    if _setting(root, "gpg.format") != "ssh" or not key:
        return b"", f"git signs with no SSH key here: {_HOW}"
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as folder:
        path, literal = os.path.join(folder, "receipt"), key.removeprefix("key::")
        Path(path).write_bytes(text)
        if literal != key or key.startswith("ssh-"):  # the key itself; the agent of SSH has its other half
            key = os.path.join(folder, "key.pub")
            Path(key).write_text(f"{literal}\n", encoding="utf-8")
        key = os.path.join(root, key)
        code, said = _run(root, "sign", "-n", NAMESPACE, "-f", key, path)
        if code != 0:
            raise UserError(f"the receipt could not be signed: {said}", f"see to the key: {key}")
        return Path(f"{path}.sig").read_bytes(), ""


def check(root: str, text: bytes, signature: bytes, allowed: str | None) -> Signer:
    """Who signed these bytes. `allowed`: the file of those who may, None for git's own. Raises UserError."""
    if not signature:
        return Signer("unsigned")
    allowed = os.path.abspath(allowed) if allowed else os.path.join(root, _setting(root, "gpg.ssh.allowedSignersFile"))
    revoked = _setting(root, "gpg.ssh.revocationFile")
    more = ("-r", os.path.join(root, revoked)) if revoked else ()
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as folder:
        path = os.path.join(folder, "receipt.sig")
        Path(path).write_bytes(signature)
        code, said = _run(root, "check-novalidate", "-n", NAMESPACE, "-s", path, told=text)
        if code != 0:
            return Signer("edited")
        key = said.rpartition(" with ")[2].strip()
        if not os.path.isfile(allowed):
            return Signer("unknown", key=key)
        _, people = _run(root, "find-principals", "-f", allowed, "-s", path, told=text)
        for who in people.splitlines():
            words = ("-n", NAMESPACE, "-f", allowed, "-I", who, "-s", path, *more)
            if _run(root, "verify", *words, told=text)[0] == 0:
                return Signer("signed", who, key)
    return Signer("unknown", key=key)


def _setting(root: str, name: str) -> str:
    """What git's configuration says, a path in full; "" where it says nothing."""
    code, said = git.end(git.start(root, "config", "--type=path", "--get", name))
    return os.fsdecode(said).strip() if code == 0 else ""


def _run(root: str, *words: str, told: bytes = b"") -> tuple[int, str]:
    """The exit code of `ssh-keygen -Y`, or of the program that git has in its place, and what it said. A `.git` folder
    of somebody else names none. Raises UserError."""
    named = _setting(root, "gpg.ssh.program") if trust.trusted(root, os.environ) else ""
    program = named or tools.on_path("ssh-keygen", root, os.environ, trusted=False)
    if not program:
        raise UserError("ssh-keygen is not installed", "install OpenSSH 8.2 or later")
    done = subprocess.run([program, "-Y", *words], input=told, cwd=root, capture_output=True, check=False)
    return done.returncode, (done.stdout if done.returncode == 0 else done.stderr).decode("utf-8", "replace")
