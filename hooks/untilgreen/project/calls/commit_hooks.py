"""The hooks of pre-commit, and which of them can run without installing anything.

Learned from pre-commit 4.7 and prek 0.5, which read the same configuration: what is not in their stores they install
when they run, the repositories of hooks that are skipped too. So the stores are asked, and only read.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import product

from untilgreen.core.model.check import OwnCall
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project.calls.documents import Step, Texts, strings, table, where

FILES = (".pre-commit-config.yaml", ".pre-commit-config.yml")
_MOST = 100  # repositories, hooks
_BARE = ("system", "script", "fail", "unsupported", "unsupported_script")  # languages that install nothing
_CONTAINERS = ("docker", "docker_image")
_OWN = ("local", "meta", "builtin")  # what stands where others name a repository
# the tools that hooks of pre-commit bring, by the hook's id
_TOOLS = {
    **{name: name for name in ("mypy", "flake8", "pylint", "bandit", "pyright", "eslint", "yamllint", "shellcheck")},
    **dict.fromkeys(("ruff", "ruff-check"), "ruff check"),
    "ruff-format": "ruff format --check",
    **{name: f"{name} --check ." for name in ("black", "isort", "prettier")},
}


class Hook(NamedTuple):
    """A hook that runs at a commit."""

    id: str
    installed: bool  #: what it needs is there
    apart: bool  #: it runs in a container


class _Said(NamedTuple):
    """What is said of a hook: in its repository, and over that in the configuration."""

    repository: str
    revision: str
    language: str
    version: str
    dependencies: tuple[str, ...]


def configured(texts: Texts) -> dict[str, Any]:
    """The document of the configuration; an empty one where there is none."""
    return next((found for name in FILES if (found := table(texts.yaml(".", name)))), {})


def read(texts: Texts, program: str, env: Mapping[str, str]) -> list[Hook]:
    """The hooks that `program` ("pre-commit" or "prek") runs at a commit."""
    document = configured(texts)
    store = _Prek(texts, env) if program == "prek" else _PreCommit(texts, env)
    return [one for repository in _tables(document.get("repos")) for one in _hooks(repository, document, store, texts)]


def _hooks(repository: dict[str, Any], document: dict[str, Any], store: "_Store", texts: Texts) -> Iterator[Hook]:
    url, revision = str(repository.get("repo", "")), str(repository.get("rev", ""))
    clone = "" if url in _OWN else store.clone(url, revision)
    brought = _tables(texts.yaml(clone, ".pre-commit-hooks.yaml")) if clone else []
    for hook in _tables(repository.get("hooks")):
        said = next((one for one in brought if one.get("id") == hook.get("id")), {}) | hook
        language = str(said.get("language", "")) if url not in _OWN[1:] else "system"
        stages = strings(said.get("stages")) or strings(document.get("default_stages"))
        version = str(said.get("language_version", table(document, "default_language_version").get(language, "")))
        words = tuple(map(str, strings(said.get("additional_dependencies"))))
        one = _Said(url, revision, language, "" if version == "default" else version, words)
        there = url in _OWN or clone != ""
        # of a hook that does not run then only the repository must be there
        if not stages or not {"commit", "pre-commit"}.isdisjoint(stages):
            here = there and (language in (*_BARE, *_CONTAINERS) or store.has(one))
            yield Hook(str(said.get("id", "")), here, language in _CONTAINERS)
        elif not there:
            yield Hook(str(said.get("id", "")), installed=False, apart=False)


def _tables(value: Any) -> list[dict[str, Any]]:
    return [one for one in value[:_MOST] if isinstance(one, dict)] if isinstance(value, list) else []


def calls(texts: Texts) -> Iterator[Step | OwnCall]:
    """The hooks that run at a commit: the project's own as they are written, others by the tool that they bring, with
    the patterns of the files that they are for."""
    for file in FILES:
        document = table(texts.yaml(".", file))
        repositories = _tables(document.get("repos"))
        for repository, hook in ((one, hook) for one in repositories for hook in _tables(one.get("hooks"))):
            name = str(hook.get("id", ""))
            source, arguments = where(".", file, name), strings(hook.get("args"))
            if "manual" in strings(hook.get("stages")):
                continue
            if repository.get("repo") == "local":
                yield Step(f"{hook.get('entry', '')} {shlex.join(arguments)}".strip(), ".", source)
            elif name in _TOOLS:
                files = (_pattern(hook, "files"), _pattern(hook, "exclude") or _pattern(document, "exclude"))
                yield OwnCall((*_TOOLS[name].split(), *arguments), ".", source, apart=True, files=files)


def _pattern(said: dict[Any, Any], key: str) -> str:
    found = said.get(key)
    return found if isinstance(found, str) and found != "^$" else ""


class _PreCommit:
    """pre-commit's store: a database of the repositories, with their environments inside of them."""

    def __init__(self, texts: Texts, env: Mapping[str, str]) -> None:
        path = env.get("PRE_COMMIT_HOME") or _cache(env, "pre-commit")
        self._texts = texts
        self._rows = _rows(os.path.join(path, "db.db")) if texts.text(path, "db.db") is not None else []

    def clone(self, url: str, revision: str) -> str:
        return next((path for name, ref, path in self._rows if (name, ref) == (url, revision)), "")

    def has(self, said: _Said) -> bool:
        name = ":".join(filter(None, (said.repository, ",".join(said.dependencies))))
        local, ending = said.repository == "local", f"-{said.version}" if said.version else ""
        folders = [path for known, ref, path in self._rows if known == name and (local or ref == said.revision)]
        places = (
            os.path.join(path, one) for path in folders for one in self._texts.listed(path) if one.endswith(ending)
        )
        marks = (".install_state_v2", ".install_state_v1")
        return said.language == "pygrep" or any(os.path.isfile(os.path.join(*one)) for one in product(places, marks))


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

    def __init__(self, texts: Texts, env: Mapping[str, str]) -> None:
        path = env.get("PREK_HOME") or _cache(env, "prek")
        self._clones = _documents(texts, os.path.join(path, "repos"), ".prek-repo.json")
        self._hooks = _documents(texts, os.path.join(path, "hooks"), ".prek-hook.json")

    def clone(self, url: str, revision: str) -> str:
        wanted = {"repo": url, "rev": revision}
        return next((folder for folder, one in self._clones.items() if wanted.items() <= one.items()), "")

    def has(self, said: _Said) -> bool:
        repository = None if said.repository == "local" else {"url": said.repository, "rev": said.revision}
        return any(
            (one.get("language"), one.get("repo")) == (said.language, repository)
            and set(strings(one.get("dependencies"))) == {*said.dependencies}
            and str(one.get("language_version", "")).startswith(re.sub(r"^[a-z]+", "", said.version))
            for one in self._hooks.values()
        )


_Store = _PreCommit | _Prek


def _documents(texts: Texts, folder: str, name: str) -> dict[str, dict[str, Any]]:
    found = ((os.path.join(folder, one), texts.json(os.path.join(folder, one), name)) for one in texts.listed(folder))
    return {path: document for path, document in found if isinstance(document, dict)}


def _cache(env: Mapping[str, str], name: str) -> str:
    return os.path.join(env.get("XDG_CACHE_HOME") or os.path.join(env.get("HOME", "/"), ".cache"), name)
