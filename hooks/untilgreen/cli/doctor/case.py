"""The project that the doctor looks at, as far as every subject needs to know it."""

import os
from collections.abc import Mapping
from typing import NamedTuple

from untilgreen.cli.doctor import cures
from untilgreen.core.errors import UserError
from untilgreen.core.model import Settings
from untilgreen.loops import starting
from untilgreen.project import toplevel, trust
from untilgreen.settings import config_json, load
from untilgreen.state.place import base_of, root_of


class Case(NamedTuple):
    """`root`: the project; `base`: its state folder, which need not exist; `fault`: why its configuration cannot be
    used ("" where it can), `settings` are the defaults then; `refused`: why it can be no project, or "". `here`: a
    command without --project means this project; `blocked`: scope to what its settings file needs before `init`."""

    root: str
    env: Mapping[str, str]
    base: str
    settings: Settings
    fault: str
    trusted: bool
    refused: str
    here: bool
    blocked: Mapping[str, str] = {}

    def command(self, *words: str) -> str:
        """A cure: our command for this project, for the shell that the person sits at."""
        more = () if self.here else ("--project", self.root)
        return cures.run(*words, *more)

    def key(self, line: str, table: str = "") -> str:
        """A cure: a line in the project's configuration, in the file that it has (or an untilgreen.toml)."""
        own = config_json.SOURCES[1]
        if os.path.exists(os.path.join(self.root, own)) or self.settings == Settings():
            return f"edit {own}{f', [{table}]' if table else ''}: {line}"
        return f"edit pyproject.toml, [tool.untilgreen{f'.{table}' if table else ''}]: {line}"

    def shown(self, path: str) -> str:
        """A path as a person knows it: relative to the project, or to the home folder."""
        if toplevel.within(self.root, os.path.dirname(path)):
            return cures.name(os.path.relpath(path, self.root))
        home = self.env.get("HOME", "")
        return cures.name(f"~/{os.path.relpath(path, home)}" if home and path.startswith(f"{home}/") else path)


def of(given: str, env: Mapping[str, str]) -> Case:
    """The case of `--project`, or of the current folder. Raises UserError where there is no such folder."""
    root = starting.root_of(given, env)
    fault, settings, base = "", Settings(), base_of(root, env)
    try:
        settings = load.load(root)
        base = starting.place_of(root, "next", env).base
    except UserError as error:
        fault = str(error)
    return Case(
        root,
        env,
        base,
        settings,
        fault,
        trust.trusted(root, env),
        toplevel.refused(root, env),
        here=_current(env) == root,
    )


def _current(env: Mapping[str, str]) -> str:
    """The project of a command without --project; "" where the current folder is gone."""
    try:
        return root_of(env)
    except FileNotFoundError:
        return ""
