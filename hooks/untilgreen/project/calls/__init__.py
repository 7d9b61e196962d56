"""How the project itself calls its tools: read from CI, tox, nox, pre-commit and its tables of scripts, never run.

What is called by default counts: workflows of a push or a pull request, tox's list, nox's sessions, the tasks `check`,
`test`, `lint` and `types`. CI's own words come first. Cold: a start reads it, and a loop keeps what was read.
"""

import os
import re
import shlex
from collections.abc import Iterator, Sequence

from untilgreen.core.model.check import OwnCall
from untilgreen.core.record import Any
from untilgreen.project.calls import commit_hooks, environments, resolve, scripts
from untilgreen.project.calls.documents import Step, Texts, is_other, of_table, strings, table, where

NAMES = ("check", "lint", "types", "typecheck", "type-check", "test", "tests", "format:check", "format-check")
_FOLDER = ".github/workflows"
_EVENTS = ("push", "pull_request", "merge_group", "pull_request_target")
# actions that run a tool, and the words that they stand for; `args` or `options` of the step come behind them
_ACTIONS = {
    "pre-commit/action": ("pre-commit", "run", "--all-files"),
    "astral-sh/ruff-action": ("ruff", "check"),
    "chartboost/ruff-action": ("ruff", "check"),
    "psf/black": ("black", "--check", "."),
    "isort/isort-action": ("isort", "--check", "."),
    "jakebailey/pyright-action": ("pyright",),
    "golangci/golangci-lint-action": ("golangci-lint", "run"),
    "j178/prek-action": ("prek", "run", "--all-files"),
}
_MOST = 100  # jobs, steps: a file of YAML may name one list a million times
_JOBS = ("default", "include", "stages", "variables", "workflow", "image", "services", "cache", "before_script")


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
    yield from _of_ci(texts)
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


# --- what CI runs for a push or a pull request, on GitHub and on GitLab


def _of_ci(texts: Texts) -> Iterator[Step]:
    """Every step of a shell that CI runs by itself."""
    for name in texts.listed(_FOLDER):
        if name.endswith((".yml", ".yaml")) and not is_other(name):
            yield from _workflow(texts, name)
    yield from _gitlab(texts)


def _workflow(texts: Texts, name: str) -> Iterator[Step]:
    document = texts.yaml(_FOLDER, name)
    on = document.get("on", document.get(True)) if isinstance(document, dict) else None  # YAML 1.1 reads `on` as true
    events = on if isinstance(on, dict) else dict.fromkeys(strings(on))
    wanted = [event for event in _EVENTS if event in events]
    if not wanted or all(_only_tags(events[event]) for event in wanted):
        return
    everywhere = table(document, "defaults", "run").get("working-directory", ".")
    for job, said in list(table(document, "jobs").items())[:_MOST]:
        if not isinstance(said, dict) or said.get("continue-on-error") is True or "environment" in said:
            continue
        if is_other(str(job)):
            continue
        inside = table(said, "defaults", "run").get("working-directory", everywhere)
        foreign = "services" in said or "container" in said
        for step in _some(said.get("steps")):
            if isinstance(step, dict) and step.get("continue-on-error") is not True:
                env = of_table(*(table(one, "env") for one in (document, said, step)))
                yield from _step(step, str(inside), where(_FOLDER, name, str(job)), env, foreign)


def _only_tags(event: Any) -> bool:
    return isinstance(event, dict) and "tags" in event and "branches" not in event


def _step(step: dict[Any, Any], inside: str, source: str, env: tuple[str, ...], foreign: bool) -> Iterator[Step]:
    folder, run = str(step.get("working-directory", inside)), step.get("run")
    if "$" in folder or os.path.isabs(folder) or step.get("shell") not in (None, "bash", "sh"):
        return
    if isinstance(run, str):
        # in a container, or beside a service, it has what is not here: the tool is known, its call is not
        yield Step(_unknown(run) if foreign else run, os.path.normpath(folder), source, env=env)
    action = _ACTIONS.get(str(step.get("uses", "")).partition("@")[0])
    if action:
        given = step.get("with") if isinstance(step.get("with"), dict) else {}
        assert isinstance(given, dict)
        rest = str(given.get("args", given.get("options", "")) or "")
        folder = str(given.get("working-directory", folder))
        yield Step(f"{shlex.join(action)} {rest}".strip(), os.path.normpath(folder), source, env=env)


def _unknown(text: str) -> str:
    return re.sub(r"(?<=\S)[ \t]*(?=\n|$)", " $UNKNOWN", text)


def _gitlab(texts: Texts) -> Iterator[Step]:
    document = texts.yaml(".", ".gitlab-ci.yml")
    for job, said in list(table(document).items())[:_MOST]:
        if (
            not isinstance(said, dict)
            or job in _JOBS
            or str(job).startswith(".")
            or is_other(str(job))
            or said.get("allow_failure") is True
        ):
            continue
        if "tags" in strings(said.get("only")) or "environment" in said or said.get("when") == "manual":
            continue
        lines = _flat(said.get("script"))
        text = "\n".join(lines)
        env = of_table(table(document, "variables"), table(said, "variables"))
        source = where(".", ".gitlab-ci.yml", str(job))
        yield Step(_unknown(text) if "services" in said else text, ".", source, env=env)


def _some(value: Any) -> list[Any]:
    return value[:_MOST] if isinstance(value, list) else []


def _flat(value: Any, deep: int = 3) -> list[str]:
    if isinstance(value, list):
        return [line for one in _some(value) for line in _flat(one, deep - 1)] if deep else []
    return [value] if isinstance(value, str) else []
