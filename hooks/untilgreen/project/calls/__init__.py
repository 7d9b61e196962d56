"""How the project itself calls its tools: read from CI, tox, nox, pre-commit and its tables of scripts, never run.

What is called by default counts: workflows of a push or a pull request, tox's list, nox's sessions, the tasks `check`,
`test`, `lint` and `types`. CI's own words come first. Cold: a start reads it, and a loop keeps what was read.
"""

import os
import re
from collections.abc import Iterable, Iterator, Sequence

from untilgreen.core.model.check import HOOK_FILES, OwnCall
from untilgreen.core.record import Any
from untilgreen.project.calls import commit_hooks, environments, resolve, scripts
from untilgreen.project.calls.documents import Step, Texts, is_other, of_table, strings, table, where

NAMES = ("check", "lint", "types", "typecheck", "type-check", "test", "tests", "format:check", "format-check")
_FOLDER = ".github/workflows"
_EVENTS = ("push", "pull_request", "merge_group", "pull_request_target")
# actions that run a tool, and the words that they stand for; `args` or `options` of the step come behind them
_ACTIONS = {
    "pre-commit/action": "pre-commit run --all-files",
    "astral-sh/ruff-action": "ruff check",
    "chartboost/ruff-action": "ruff check",
    "psf/black": "black --check .",
    "isort/isort-action": "isort --check .",
    "jakebailey/pyright-action": "pyright",
    "golangci/golangci-lint-action": "golangci-lint run",
    "j178/prek-action": "prek run --all-files",
}
_MOST = 100  # jobs, steps: a file of YAML may name one list a million times
_CI = (f"{_FOLDER}/", ".gitlab-ci.yml")
_JOBS = ("default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script")


def read(texts: Texts, packages: Sequence[str] = ()) -> tuple[OwnCall, ...]:
    """Every distinct call, in the order in which they count. `packages`: folders whose `npm test` counts, too."""
    found: dict[tuple[tuple[str, ...], str], OwnCall] = {}
    steps = (step for folder in packages for step in scripts.steps(texts, "npm", folder, "test") or ())
    for step in (*_steps(texts), *steps):
        for call in _placed(texts, resolve.calls(texts, step)):
            found.setdefault((call.words, call.folder), call)
    others = tuple(found.values())
    hooks = tuple(_hooks(texts, others))
    if commit_hooks.configured(texts) and not any(one.source.startswith(_CI) or _runs_hooks(one) for one in others):
        # where no CI says what is green the hooks do
        others += tuple(resolve.calls(texts, Step("pre-commit run --all-files", ".", HOOK_FILES[0])))
    return (*others, *hooks)


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
        yield call if own else call._replace(folder=".", whole=False)


def _steps(texts: Texts) -> Iterator[Step]:
    for name in texts.listed(_FOLDER):
        if name.endswith((".yml", ".yaml")) and not is_other(name):
            yield from _workflow(texts.yaml(_FOLDER, name), name)
    yield from _gitlab(texts.yaml(".", ".gitlab-ci.yml"))
    if service := table(commit_hooks.configured(texts), "ci"):  # pre-commit.ci, which has no workflow
        env = (f"SKIP={','.join(strings(service['skip']))}",) if service.get("skip") else ()
        yield Step("pre-commit run --all-files", ".", where(".", HOOK_FILES[0], "ci"), env=env)
    for name in environments.tox_defaults(texts, "."):
        yield Step(f"tox -e {name}", ".", "tox.ini")
    for name in environments.nox_defaults(texts, "."):
        yield Step(f"nox -s {name}", ".", "noxfile.py")
    for reader in scripts.READERS:
        for name in NAMES:
            yield from scripts.steps(texts, reader, ".", name) or ()


# --- what CI runs by itself for a push or a pull request, on GitHub and on GitLab


def _workflow(document: Any, name: str) -> Iterator[Step]:
    on = document.get("on", document.get(True)) if isinstance(document, dict) else None  # YAML 1.1 reads `on` as true
    events = on if isinstance(on, dict) else dict.fromkeys(strings(on))
    wanted = [events[event] for event in _EVENTS if event in events]
    if all(isinstance(one, dict) and "tags" in one and "branches" not in one for one in wanted):
        return
    everywhere = table(document, "defaults", "run").get("working-directory", ".")
    for job, said in _jobs(table(document, "jobs")):
        if said.get("continue-on-error") is True:
            continue
        inside = table(said, "defaults", "run").get("working-directory", everywhere)
        foreign = "services" in said or "container" in said
        for step in _some(said.get("steps")):
            if isinstance(step, dict) and step.get("continue-on-error") is not True:
                env = of_table(*(table(one, "env") for one in (document, said, step)))
                yield from _step(step, str(inside), Step("", "", where(_FOLDER, name, job), env=env), foreign)


def _jobs(said: dict[Any, Any]) -> Iterator[tuple[str, dict[Any, Any]]]:
    """The jobs that check; a deployment names its environment."""
    for job, one in list(said.items())[:_MOST]:
        if isinstance(one, dict) and "environment" not in one and not is_other(str(job)):
            yield str(job), one


def _step(said: dict[Any, Any], inside: str, step: Step, foreign: bool) -> Iterator[Step]:
    folder, run = str(said.get("working-directory", inside)), said.get("run")
    if "$" in folder or os.path.isabs(folder) or said.get("shell") not in (None, "bash", "sh"):
        return
    if isinstance(run, str):
        # in a container, or beside a service, it has what is not here: the tool is known, its call is not
        yield step._replace(text=_unknown(run) if foreign else run, folder=os.path.normpath(folder))
    if action := _ACTIONS.get(str(said.get("uses", "")).partition("@")[0]):
        given = table(said, "with")
        rest = str(given.get("args", given.get("options", "")) or "")
        folder = os.path.normpath(str(given.get("working-directory", folder)))
        yield step._replace(text=f"{action} {rest}".strip(), folder=folder)


def _unknown(text: str) -> str:
    return re.sub(r"(?<=\S)[ \t]*(?=\n|$)", " $UNKNOWN", text)


def _gitlab(document: Any) -> Iterator[Step]:
    for job, said in _jobs(table(document)):
        own = job not in _JOBS and not job.startswith(".") and "tags" not in strings(said.get("only"))
        if own and said.get("allow_failure") is not True and said.get("when") != "manual":
            text = "\n".join(_flat(said.get("script")))
            env = of_table(table(document, "variables"), table(said, "variables"))
            text = _unknown(text) if "services" in said else text
            yield Step(text, ".", where(".", ".gitlab-ci.yml", job), env=env)


def _some(value: Any) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else []


def _flat(value: Any, deep: int = 3) -> list[str]:
    if isinstance(value, list):
        return [line for one in _some(value) for line in _flat(one, deep - 1)] if deep else []
    return [value] if isinstance(value, str) else []
