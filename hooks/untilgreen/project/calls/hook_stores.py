"""The stores of pre-commit and prek: which hooks are installed there, only read.

Learned from pre-commit 4.7 and prek 0.5.
"""

import os
import re
from collections.abc import Mapping
from contextlib import closing
from itertools import product

from untilgreen.core.record import Any, NamedTuple
from untilgreen.project.calls.documents import Texts, strings


class Wanted(NamedTuple):
    """What a hook needs: as its repository and, over that, the configuration say."""

    repository: str
    revision: str
    language: str
    version: str
    dependencies: tuple[str, ...]


class _PreCommit:
    """pre-commit's store: a database of the repositories, with their environments inside of them."""

    greps = True  #: its own Python looks for patterns

    def __init__(self, texts: Texts, env: Mapping[str, str]) -> None:
        path = env.get("PRE_COMMIT_HOME") or _cache(env, "pre-commit")
        self._texts = texts
        self._rows = _rows(os.path.join(path, "db.db")) if texts.text(path, "db.db") is not None else []

    def clone(self, url: str, revision: str) -> str:
        return next((path for name, ref, path in self._rows if (name, ref) == (url, revision)), "")

    def place(self, said: Wanted) -> str:
        """The folder of the hook's environment, "" where it is not installed."""
        name = ":".join(filter(None, (said.repository, ",".join(said.dependencies))))
        local, ending = said.repository == "local", f"-{said.version}" if said.version else ""
        folders = [path for known, ref, path in self._rows if known == name and (local or ref == said.revision)]
        places = [
            os.path.join(path, one) for path in folders for one in self._texts.listed(path) if one.endswith(ending)
        ]
        marks = (".install_state_v2", ".install_state_v1")
        there = (place for place, mark in product(places, marks) if os.path.isfile(os.path.join(place, mark)))
        return next(there, "")


def _rows(path: str) -> list[tuple[str, str, str]]:
    """Repository, revision and folder; what cannot be read is not known to be there."""
    import urllib.parse

    try:
        import sqlite3
    except ImportError:  # a Python that was built without it
        return []
    place = f"file:{urllib.parse.quote(path)}?mode=ro"
    try:
        with closing(sqlite3.connect(place, uri=True)) as database:
            return list(database.execute("SELECT repo, ref, path FROM repos"))
    except sqlite3.Error:
        return []


class _Prek:
    """prek's store: a folder for each environment and each repository, with a document of what it is."""

    greps = False

    def __init__(self, texts: Texts, env: Mapping[str, str]) -> None:
        path = env.get("PREK_HOME") or _cache(env, "prek")
        self._clones = _documents(texts, os.path.join(path, "repos"), ".prek-repo.json")
        self._hooks = _documents(texts, os.path.join(path, "hooks"), ".prek-hook.json")

    def clone(self, url: str, revision: str) -> str:
        wanted = {"repo": url, "rev": revision}
        return next((folder for folder, one in self._clones.items() if wanted.items() <= one.items()), "")

    def place(self, said: Wanted) -> str:
        """As of pre-commit."""
        repository = None if said.repository == "local" else {"url": said.repository, "rev": said.revision}
        there = (
            place
            for place, one in self._hooks.items()
            if (one.get("language"), one.get("repo")) == (said.language, repository)
            and set(strings(one.get("dependencies"))) == {*said.dependencies}
            and str(one.get("language_version", "")).startswith(re.sub(r"^[a-z]+", "", said.version))
        )
        return next(there, "")


Store = _PreCommit | _Prek


def of(program: str, texts: Texts, env: Mapping[str, str]) -> Store:
    return _Prek(texts, env) if program == "prek" else _PreCommit(texts, env)


def _documents(texts: Texts, folder: str, name: str) -> dict[str, dict[str, Any]]:
    found = ((os.path.join(folder, one), texts.json(os.path.join(folder, one), name)) for one in texts.listed(folder))
    return {path: document for path, document in found if isinstance(document, dict)}


def _cache(env: Mapping[str, str], name: str) -> str:
    return os.path.join(env.get("XDG_CACHE_HOME") or os.path.join(env.get("HOME", "/"), ".cache"), name)
