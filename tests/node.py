"""Packages from the npm registry for tests, one folder for each set of them."""

import fcntl
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
NEEDS = ("PATH", "LANG", "NODE_EXTRA_CA_CERTS", "HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY")
HOME = os.environ.get("HOME", "")
"""The developer's own, where npm's settings are: read at import, since tests run without it."""

SECONDS = 300
AXE = "axe-core@4.14.1"
FONTS = {"plain": "roboto", "mono": "roboto-mono"}
FONTS_VERSION = "5.3.0"


def axe() -> str:
    """The address of the script that finds what somebody could not read or reach on a page."""
    return (installed(AXE) / "node_modules" / "axe-core" / "axe.min.js").as_uri()


def fonts() -> list[tuple[str, str]]:
    """A font of each kind by its address, so that pages are measured in the same one on every machine."""
    folder = installed(*(f"@fontsource/{name}@{FONTS_VERSION}" for name in FONTS.values())) / "node_modules/@fontsource"
    files = {kind: folder / name / "files" / f"{name}-latin-400-normal.woff2" for kind, name in FONTS.items()}
    return [(kind, path.as_uri()) for kind, path in files.items()]


def installed(*packages: str) -> Path:
    """A folder whose `node_modules/.bin` has the executables of these packages, exact versions: "eslint@9.39.1".

    Downloaded the first time that exactly this set is asked for, into `$UNTILGREEN_NODE_CACHE` or `.cache/node` of
    the repository. Any number of processes may ask at once: one downloads, the others wait for it. The folder is
    everybody's: copy it or link to its `node_modules`, never write into it.
    """
    wanted = sorted(set(packages))
    vague = [package for package in wanted if not package.rpartition("@")[2][:1].isdigit()]
    assert wanted, "no package named"
    assert not vague, f"not exact: {', '.join(vague)}"
    cache = Path(os.environ.get("UNTILGREEN_NODE_CACHE") or REPOSITORY / ".cache" / "node")
    folder = cache / hashlib.sha256("\n".join(wanted).encode()).hexdigest()[:16]
    cache.mkdir(parents=True, exist_ok=True)
    with (cache / f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            _install(wanted, folder)
    return folder


def _install(packages: list[str], folder: Path) -> None:
    """All or nothing: a folder that exists is whole, an interrupted download is done again."""
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f".{folder.name}-") as temporary:
        new = Path(temporary) / "new"
        new.mkdir()
        (new / "package.json").write_text('{"private": true}\n', encoding="utf-8")
        words = ["npm", "--loglevel=error", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--save-exact"]
        settings = {name: value for name, value in os.environ.items() if name.lower().startswith("npm_config_")}
        kept = {name: value for name, value in os.environ.items() if name.upper() in NEEDS}
        done = subprocess.run(
            [*words, *packages],
            cwd=new,
            env={**kept, **settings, "HOME": HOME},
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=False,
        )
        assert done.returncode == 0, f"npm install {' '.join(packages)}: {done.stderr.strip()}"
        new.rename(folder)
