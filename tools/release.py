"""What a release is made of: two files that anybody can build again, one version, and the changelog's own words.

    python tools/release.py dist          build them into dist/, twice, and ask the index's own tools (make dist)
    python tools/release.py notes v0.1.0  the text of that release; exit code 1 if anything says another version

The version stands in `pyproject.toml`. The manifests that hosts and npm read repeat it, since they cannot ask.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
DIST = REPOSITORY / "dist"
UNDATED = "Unreleased"


def version(folder: Path = REPOSITORY) -> str:
    """The one that `pyproject.toml` states."""
    return str(tomllib.loads((folder / "pyproject.toml").read_text("utf-8"))["project"]["version"])


def repeated(folder: Path = REPOSITORY) -> dict[str, str]:
    """The manifests that repeat the version of the package: path to what each says."""
    found = {}
    patterns = (".*plugin/*.json", ".github/plugin/*.json", "plugins/*/*.json", "npm/package.json")
    for path in sorted(path for pattern in patterns for path in folder.glob(pattern)):
        manifest = json.loads(path.read_text("utf-8"))
        if manifest.get("name") == "untilgreen" and "version" in manifest:
            found[str(path.relative_to(folder))] = str(manifest["version"])
    return found


def section(name: str, changelog: str) -> str:
    """What the changelog says of a version, without its heading; "" where it has none."""
    found = re.search(rf"(?ms)^## \[{re.escape(name)}\][^\n]*\n(.*?)(?=^## |\Z)", changelog)
    return found[1].strip() if found else ""


def wrong(tag: str, folder: Path = REPOSITORY) -> Iterator[str]:
    """Why this tag is no release of what is in the folder, a line each."""
    stated, changelog = version(folder), (folder / "CHANGELOG.md").read_text("utf-8")
    if tag != f"v{stated}":
        yield f"the tag is {tag}, and pyproject.toml says {stated}"
    yield from (
        f"{path} says {said}, and pyproject.toml {stated}" for path, said in repeated(folder).items() if said != stated
    )
    if not section(stated, changelog):
        yield f"CHANGELOG.md says nothing of {stated}"
    if section(UNDATED, changelog):
        yield f"CHANGELOG.md has lines under {UNDATED}: move them to {stated}"


def notes(tag: str) -> int:
    """Print the text of the release; the exit code."""
    if found := list(wrong(tag)):
        print(*found, sep="\n", file=sys.stderr)
        return 1
    print(section(version(), (REPOSITORY / "CHANGELOG.md").read_text("utf-8")))
    return 0


def dist() -> int:
    """Build the wheel and the source distribution, and check them; the exit code."""
    shutil.rmtree(DIST, ignore_errors=True)
    first = built(REPOSITORY, DIST)
    with tempfile.TemporaryDirectory() as name:
        again = built(unpacked(next(DIST.glob("*.tar.gz")), Path(name)), Path(name, "again"))
    if first != again:
        print(f"two builds differ: {', '.join(sorted(first.keys() | again.keys()))}", file=sys.stderr)
        return 1
    files = [str(DIST / name) for name in first]
    ask("twine", "check", "--strict", *files)
    ask("check_wheel_contents", *(name for name in files if name.endswith(".whl")))
    return 0


def built(source: Path, out: Path) -> dict[str, bytes]:
    """What the build front end makes of a folder, with the back end that is pinned: names to bytes.

    The wheel is made of the source distribution.
    """
    ask("build", "--no-isolation", "--outdir", str(out), str(source), env=os.environ | dated())
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


def unpacked(sdist: Path, folder: Path) -> Path:
    """The source distribution as another machine has it: elsewhere, with other modes."""
    mask = os.umask(0o077)
    try:
        with tarfile.open(sdist) as archive:
            archive.extractall(folder, filter="data")
    finally:
        os.umask(mask)
    return folder / sdist.name.removesuffix(".tar.gz")


def dated() -> dict[str, str]:
    """The time that stands for all files: the commit's, so that every build of it is the same."""
    if "SOURCE_DATE_EPOCH" in os.environ or not (REPOSITORY / ".git").exists():
        return {}  # without either the build back end has a time of its own, always the same
    words = ("git", "-C", str(REPOSITORY), "log", "-1", "--format=%ct")
    return {"SOURCE_DATE_EPOCH": subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()}


def ask(module: str, *words: str, env: dict[str, str] | None = None) -> None:
    """Run a tool that is beside this interpreter. Raises SystemExit where it says no."""
    done = subprocess.run([sys.executable, "-m", module, *words], env=env, capture_output=True, text=True, check=False)
    print(f"{module}: {'ok' if done.returncode == 0 else done.stdout + done.stderr}")
    if done.returncode:
        sys.exit(done.returncode)


if __name__ == "__main__":
    if sys.argv[1:] == ["dist"]:
        sys.exit(dist())
    if sys.argv[1:2] == ["notes"] and len(sys.argv) == 3:
        sys.exit(notes(sys.argv[2]))
    sys.exit(__doc__)
