"""How the project itself calls its tools: read from CI, tox, nox, pre-commit and its tables of scripts, never run.

What is called by default counts: workflows of a push or a pull request, tox's list, nox's sessions, the tasks `check`,
`test`, `lint` and `types`. CI's own words come first. Cold: a start reads it, and a loop keeps what was read.
"""

import itertools
import os
from collections.abc import Iterable, Iterator, Sequence

from untilgreen.core.model.check import HOOK_FILES, OwnCall, UnreadStep
from untilgreen.core.record import Any
from untilgreen.project.calls import commit_hooks, coverage, environments, known_hooks, resolve, scripts, workflows
from untilgreen.project.calls.documents import MOST, Step, Texts, is_other, of_table, some, strings, table, where

NAMES = ("check", "lint", "types", "typecheck", "type-check", "test", "tests", "format:check", "format-check")
CI = (".github/", ".gitlab-ci.yml", ".travis.yml")
_JOBS = ("default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script")


def read(texts: Texts, packages: Sequence[str] = ()) -> tuple[OwnCall, ...]:
    """Every distinct call, in the order in which they count. `packages`: folders whose `npm test` counts, too."""
    found: dict[tuple[tuple[str, ...], str, str], OwnCall] = {}
    groups = (("ci", of_ci(texts)), ("", _tasks(texts)), ("script", _scripts(texts, packages)))
    steps = ((caller, step) for caller, group in groups for step in group)
    for (caller, _), together in itertools.groupby(steps, key=lambda one: (one[0], one[1].source)):
        parts = (call for _, step in together for call in _placed(texts, resolve.calls(texts, step)))
        theirs = list(known_hooks.compared([call._replace(caller=caller) for call in parts]))
        coverage.of_one(coverage.asked(texts, theirs), found)
    others = tuple(found.values())
    hooks = tuple(_hooks(texts, others))
    if commit_hooks.configured(texts) and not any(one.source.startswith(CI) or _runs_hooks(one) for one in others):
        # where no CI says what is green the hooks do
        others += tuple(resolve.calls(texts, Step("pre-commit run --all-files", ".", HOOK_FILES[0])))
    return (*others, *hooks)


def unread(texts: Texts) -> tuple[UnreadStep, ...]:
    """What CI has that is none of these calls: what does not run by default, and steps that nobody here can read."""
    return tuple(one for one in workflows.read(texts) if isinstance(one, UnreadStep))


def _hooks(texts: Texts, others: Sequence[OwnCall]) -> Iterator[OwnCall]:
    """What the hooks of pre-commit call, but for what others call as well: that has its scope, too."""
    run = [one.words[0] for one in others if _runs_hooks(one)]
    for call in dict.fromkeys(_placed(texts, commit_hooks.calls(texts, *run[:1] or ["pre-commit"]))):
        alike = [one for one in others if _tool(one) == _tool(call)]
        if not alike or (run and not any(_plain(one) == _plain(call) for one in alike)):
            yield call


def _runs_hooks(call: OwnCall) -> bool:
    return call.words[0] in ("pre-commit", "prek") and call.words[1:2] == ("run",)


def _tool(call: OwnCall) -> tuple[str, ...]:
    """The program of a call, with the word behind it where that tells what it is for."""
    return call.words[: 2 if call.words[0] in ("ruff", "biome", "cargo", "python") else 1]


def _plain(call: OwnCall) -> list[str]:
    """The words of a call that say more than that all files are looked at."""
    return [word for word in call.words if word not in (".", "--force-exclude", "--filter-files")]


def _placed(texts: Texts, calls: Iterable[OwnCall]) -> Iterator[OwnCall]:
    """The calls; one in no folder of the project (tox's own, `cd ..`) says only that its tool is chosen."""
    for call in calls:
        hidden = call.folder != "." and any(part.startswith(".") for part in call.folder.split("/"))  # ".." too
        own = not (hidden or os.path.isabs(call.folder)) and os.path.isdir(os.path.join(texts.root, call.folder))
        yield call if own or "$" in call.folder else call._replace(folder=".", whole=False)


def run(texts: Texts) -> Iterator[Step]:
    """What runs by default, as it is written: CI's steps first."""
    yield from of_ci(texts)
    yield from _tasks(texts)
    yield from _scripts(texts)


def of_ci(texts: Texts) -> Iterator[Step]:
    yield from (step for step in workflows.read(texts) if isinstance(step, Step))
    yield from _gitlab(texts.yaml(".", ".gitlab-ci.yml"))
    if not texts.listed(workflows.FOLDER):  # else Travis is what ran before
        script = strings(table(texts.yaml(".", ".travis.yml")).get("script"))
        yield from [Step("\n".join(script), ".", ".travis.yml")] if script else []


def _scripts(texts: Texts, packages: Sequence[str] = ()) -> Iterator[Step]:
    for folder, name in (*((".", name) for name in NAMES), *((folder, "test") for folder in packages)):
        yield from scripts.steps(texts, "npm", folder, name) or ()


def _tasks(texts: Texts) -> Iterator[Step]:
    if service := table(commit_hooks.configured(texts), "ci"):  # pre-commit.ci, which has no workflow
        env = (f"SKIP={','.join(strings(service['skip']))}",) if service.get("skip") else ()
        yield Step("pre-commit run --all-files", ".", where(".", HOOK_FILES[0], "ci"), env=env)
    for name in environments.tox_defaults(texts, "."):
        yield Step(f"tox -e {name}", ".", "tox.ini")
    for name in environments.nox_defaults(texts, "."):
        yield Step(f"nox -s {name}", ".", "noxfile.py")
    for reader in (one for one in scripts.READERS if one != "npm"):
        for name in NAMES:
            yield from scripts.steps(texts, reader, ".", name) or ()


def _gitlab(document: Any) -> Iterator[Step]:
    for name, said in list(table(document).items())[:MOST]:
        job = str(name)
        if not isinstance(said, dict) or "environment" in said or is_other(job):
            continue  # a deployment names its environment
        own = job not in _JOBS and not job.startswith(".") and "tags" not in strings(said.get("only"))
        if own and said.get("allow_failure") is not True and said.get("when") != "manual":
            text = "\n".join(_flat(said.get("script")))
            env = of_table(table(document, "variables"), table(said, "variables"))
            text = workflows.unknown(text) if "services" in said else text
            yield Step(text, ".", where(".", ".gitlab-ci.yml", job), env=env)


def _flat(value: Any, deep: int = 3) -> list[str]:
    if isinstance(value, list):
        return [line for one in some(value) for line in _flat(one, deep - 1)] if deep else []
    return [value] if isinstance(value, str) else []
