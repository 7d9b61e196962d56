"""How the project itself calls its tools: read from CI, tox, nox, pre-commit and its tables of scripts, never run.

What is called by default counts: workflows of a push or a pull request, tox's list, nox's sessions, the tasks `check`,
`test`, `lint` and `types`. CI's own words come first. Cold: a start reads it, and a loop keeps what was read.
"""

import os
from collections.abc import Iterator, Sequence

from untilgreen.core.model.check import OwnCall
from untilgreen.project.calls import commit_hooks, environments, resolve, scripts, workflows
from untilgreen.project.calls.documents import Step, Texts, strings, table, where

NAMES = ("check", "lint", "types", "typecheck", "type-check", "test", "tests", "format:check", "format-check")


def read(texts: Texts, packages: Sequence[str] = ()) -> tuple[OwnCall, ...]:
    """Every distinct call, in the order in which they count. `packages`: folders whose `npm test` counts, too."""
    found: dict[tuple[tuple[str, ...], str], OwnCall] = {}
    steps = (step for folder in packages for step in scripts.steps(texts, "npm", folder, "test") or ())
    for step in (*_steps(texts), *steps):
        for call in _placed(texts, step):
            found.setdefault((call.words, call.folder), call)
    for one in commit_hooks.calls(texts):
        for call in _placed(texts, one) if isinstance(one, Step) else (one,):
            if call.words[0] not in {words[0] for words, _ in found}:  # what others call has its scope, too
                found[call.words, call.folder] = call
    return tuple(found.values())


def _placed(texts: Texts, step: Step) -> Iterator[OwnCall]:
    """The calls of a step; one in no folder of the project (tox's own, `cd ..`) says only that its tool is chosen."""
    for call in resolve.calls(texts, step):
        yield call if _is_of_project(texts.root, call.folder) else call._replace(folder=".", whole=False)


def _is_of_project(root: str, folder: str) -> bool:
    if os.path.isabs(folder):
        return False
    hidden = folder != "." and any(part.startswith(".") for part in folder.split("/"))  # ".." too
    return not hidden and os.path.isdir(os.path.join(root, folder))


def _steps(texts: Texts) -> Iterator[Step]:
    yield from workflows.steps(texts)
    if service := table(commit_hooks.configured(texts), "ci"):  # pre-commit.ci, which has no workflow
        env = (f"SKIP={','.join(strings(service['skip']))}",) if service.get("skip") else ()
        yield Step("pre-commit run --all-files", ".", where(".", commit_hooks.FILES[0], "ci"), env=env)
    for name in environments.tox_defaults(texts, "."):
        yield Step(f"tox -e {name}", ".", "tox.ini")
    for name in environments.nox_defaults(texts, "."):
        yield Step(f"nox -s {name}", ".", "noxfile.py")
    for reader in scripts.READERS:
        for name in NAMES:
            yield from scripts.steps(texts, reader, ".", name) or ()
