"""At a green that would end the loop: whether somebody wrote by hand what an installer writes, or what a user does."""

import os
from collections.abc import Collection, Iterator, Sequence

from untilgreen.core.model.groups import Against
from untilgreen.core.words import brief
from untilgreen.loops.stop.steps import Stop, StopStep
from untilgreen.project import tools
from untilgreen.project.installed import node, python
from untilgreen.project.installed.written import SOURCES, is_newer
from untilgreen.project.toplevel import above
from untilgreen.state import clock

_SECONDS = 2.0  # for comparing content, of each environment
_SETTINGS = (".npmrc", ".config/go/env", ".mypy.ini", ".config/mypy/config", ".config/ruff/ruff.toml")
_ABOVE = (".cargo/config.toml", ".cargo/config", "go.work", "ruff.toml", ".ruff.toml", "pyproject.toml")


def look(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """What was written by hand since the start stands against the green."""
    project, found, names = stop.loop.project, stop.evidence, list[str]()
    for place, edited in _looks(stop, clock.milliseconds(stop.loop.started_at) / 1_000):
        try:
            names += edited
        except (OSError, ValueError, LookupError, TypeError, AttributeError):  # it is no more what an installer left
            names.append(place)
    home = f"{stop.call.env.get('HOME', '')}/"
    shown = [name.removeprefix(f"{project}/").replace(home, "~/", 1) for name in sorted({*names})]
    told = (Against("edited", brief.listed(shown, 3), len(shown)),) if shown else ()
    return stop._replace(evidence=found._replace(weakened=(*found.weakened, *told)))


def _looks(stop: Stop, moment: float) -> Iterator[tuple[str, Iterator[str]]]:
    env, project, checks = stop.call.env, stop.loop.project, stop.loop.checks
    home, roots = env.get("HOME", ""), {os.path.normpath(os.path.join(project, one.root)) for one in checks.plan}
    cache = env.get("npm_config_cache") or f"{home}/.npm"
    prefixes = [os.path.dirname(os.path.dirname(one.tool)) for one in checks.plan]
    prefixes += [path for root in roots for path in tools.environments_of(root, project, env, checks.asked)]
    for prefix in {os.path.realpath(path) for path in (*prefixes, f"{home}/.local")}:
        yield prefix, python.written_by_hand(prefix, moment, project, _SECONDS)
    listed = stop.listing.files if stop.listing else ()
    yield project, python.instead_of_sources(project, frozenset(listed), moment)
    roots |= {os.path.dirname(os.path.join(project, path)) for path in listed if path.endswith("package.json")}
    packages = {path for root in roots if (path := tools.node_modules(root, project))}
    for folder in {*map(os.path.realpath, packages)}:
        yield folder, node.written_by_hand(folder, moment, project, cache, _SECONDS)
    yield project, _nearer(listed, packages, project, moment)
    settings = [f"{home}/{name}" for name in _SETTINGS]
    settings += [f"{folder}/{name}" for folder in {home, *above(project)} for name in _ABOVE]
    yield home, (path for path in settings if is_newer(path, moment))


def _nearer(listed: Sequence[str], packages: Collection[str], project: str, moment: float) -> Iterator[str]:
    """New packages that lie nearer to a source file than those of the same name where `packages` are installed."""
    sources = (path for path in listed if path.endswith(SOURCES))
    folders = {os.path.dirname(os.path.join(project, path)) for path in sources} if packages else set()
    for folder in {tools.node_modules(one, project) for one in folders} - {"", *packages}:
        for name in os.listdir(folder):
            there = any(os.path.exists(os.path.join(one, name)) for one in packages)
            if there and is_newer(os.path.join(folder, name), moment):
                yield os.path.join(folder, name)
