"""The project as text: what silences a check, how many tests are defined, how the checkers are configured.

Reading shows what a green check does not: that it is green because somebody told it to look away.
"""

import os
import re
import stat
import time
from collections.abc import Iterator, Sequence

from untilgreen import sections
from untilgreen.core.model import Text
from untilgreen.core.seal import blake2b
from untilgreen.project import within

_MOST = 5 * 1024 * 1024  # bytes read of one file; what somebody wrote by hand is shorter

# kind, a word that must be in the file, what is counted; all in lower case, as the text is when it is searched.
# Here and below expressions are plain texts: `re` compiles what is needed when it is needed.
_KINDS = (
    ("noqa", b"noqa", rb"#[ \t]*noqa\b"),
    ("type: ignore", b"ignore", rb"#[ \t]*type:[ \t]*ignore\b"),
    ("pyright: ignore", b"pyright", rb"#[ \t]*pyright:[ \t]*ignore\b"),
    ("mypy: ignore-errors", b"mypy", rb"#[ \t]*mypy:[^#\n]*\b(?:ignore[-_]errors|disable[-_]error[-_]code)\b"),
    ("ruff: noqa", b"ruff", rb"#[ \t]*ruff[ \t]*:[ \t]*noqa\b"),
    ("ruff: ignore", b"ruff", rb"#[ \t]*ruff[ \t]*:[ \t]*(?:ignore|file-ignore|disable)\b"),
    ("flake8: noqa", b"flake8", rb"#[ \t]*flake8[:=][ \t]*noqa\b"),
    ("nosec", b"nosec", rb"#[ \t]*nosec\b"),
    ("skip", b"skip", rb"\bmark\.skip(?:if)?\b|\bpytest\.skip\(|\bunittest\.skip|@skip(?:if|unless)?\b|\.skiptest\("),
    ("xfail", b"xfail", rb"\bmark\.xfail\b|\bpytest\.xfail\("),
    ("no_type_check", b"no_type_check", rb"@[\w.]*\bno_type_check\b"),
)
_TEST = rb"(?m)^[ \t]*(?:async[ \t]+)?def[ \t]+test"

_WHOLE = (
    *("ruff.toml", ".ruff.toml", "mypy.ini", ".mypy.ini"),
    *("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini", "untilgreen.toml"),
)
_IN_PART = {
    "pyproject.toml": r"tool\.(?:ruff|mypy|pytest|untilgreen)(?:\.|$)",
    "setup.cfg": r"mypy|(?:tool:pytest|pytest|flake8)$",
    "tox.ini": r"mypy|(?:tool:pytest|pytest|flake8)$",
}
_CONFIGURATION = (*_WHOLE, *_IN_PART)


def read(root: str, files: Sequence[str], deadline: float) -> Text:
    """Count and fingerprint the project's text. `files`: posix paths relative to the root.

    `deadline` is a value of time.monotonic(); when it passes, the rest stays unread and `complete` is False.
    Files that cannot be read are as if they were empty, and so is what lies outside of the root, by a link.
    """
    suppressions: dict[str, int] = {}
    config: dict[str, str] = {}
    tests = 0
    folders: dict[str, bool] = {}
    # git may ignore a configuration that the tools read all the same
    for path in sorted({*files, *_CONFIGURATION}):
        if time.monotonic() >= deadline:
            return Text(suppressions, tests, config)
        name = path.rpartition("/")[2]
        if not (name in _CONFIGURATION or name.endswith((".py", ".pyi"))):
            continue
        content = _content(root, path, folders)
        if content is None:
            continue
        if name in _CONFIGURATION:
            config.update(_configuration(path, name, content))
        else:
            for kind, count in _silenced(content):
                suppressions[kind] = suppressions.get(kind, 0) + count
            if name.startswith("test_") or name.endswith("_test.py"):
                tests += len(re.findall(_TEST, content))
    return Text(suppressions, tests, config, complete=True)


def _silenced(content: bytes) -> Iterator[tuple[str, int]]:
    lower = content.lower()
    for kind, word, pattern in _KINDS:
        if word in lower and (count := len(re.findall(pattern, lower))):
            yield kind, count


def _configuration(path: str, name: str, content: bytes) -> dict[str, str]:
    """The fingerprints of one file by name: of the file as a whole, or of the sections that are the checkers'."""
    text = content.decode("utf-8", "surrogateescape")
    parts = sections.toml(text) if name.endswith(".toml") else sections.ini(text)
    if name in _WHOLE:
        return {path: _fingerprint(repr(sorted(parts.items())))}
    return {f"{path} [{part}]": _fingerprint(body) for part, body in parts.items() if re.match(_IN_PART[name], part)}


def _fingerprint(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogateescape"), digest_size=12).hexdigest()


def _content(root: str, path: str, folders: dict[str, bool]) -> bytes | None:
    """The file's bytes; None when there is no such file.

    Empty when it cannot be read or leads out of the project by a link: a new configuration is new all the
    same. `folders` keeps what is known of them, as each file of a folder asks again.
    """
    full, folder = os.path.join(root, path), path.rpartition("/")[0]
    try:
        info = os.lstat(full)
        if stat.S_ISDIR(info.st_mode):
            return None
        if folder not in folders:
            folders[folder] = within(root, os.path.join(root, folder))
        linked = stat.S_ISLNK(info.st_mode)
        if not folders[folder] or (linked and not within(root, full)) or not os.path.isfile(full):
            return b""
        with open(full, "rb") as stream:
            return stream.read(_MOST)
    except FileNotFoundError:
        return None
    except OSError:
        return b""
