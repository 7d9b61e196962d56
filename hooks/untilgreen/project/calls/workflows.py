"""What GitHub's workflows run by themselves for a push or a pull request, and why the rest of them does not run."""

import os
import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.core.model.check import UnreadStep
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project import tables
from untilgreen.project.calls import chores, conditions, contexts, resolve
from untilgreen.project.calls.conditions import Context
from untilgreen.project.calls.documents import MOST, Step, Texts, is_other, some, strings, table, where

FOLDER = ".github/workflows"
_EVENTS = ("push", "pull_request", "merge_group", "pull_request_target")
_TYPES = {"opened", "synchronize", "reopened"}  # of a pull request, by default
_ACTIONS = dict(tables.read("tasks")["actions"])  # that run a tool: the words that they stand for
# what the name of an action says that it looks at, and what it says where it only prepares or publishes
_LOOKING = re.compile(r"lint|test|check(?!out)|typos|spell|audit|analy|validat|verif|lychee|fmt|format|clippy|vet\b")
_PREPARING = re.compile(
    r"setup|install|cache|upload|download|report|publish|release|comment|cov|result|changed|summary"
)
_COMMANDS = ("run", "command", "cmd")  # what actions call one that they are given
_DEEPEST = 3  # workflows and actions that use one another
_TIMES = 16  # combinations of a matrix that change the words of a step


class _JobScope(NamedTuple):
    """What holds for the steps of a job."""

    source: str
    contexts: tuple[Context, ...]  #: the events and the values of its matrix with which it runs
    variables: tuple[Any, ...]  #: tables of them, as they are written, the inner ones last
    folder: str = "."  #: where steps run that name no folder
    shell: object = None  #: and those that name no shell
    foreign: bool = False  #: it has services or a container, which are not here
    uses: int = 0  #: how many files use one another up to here


def read(texts: Texts) -> Iterator[Step | UnreadStep]:
    """Every step that runs by itself, in order, and what does not."""
    for name in texts.listed(FOLDER):
        if name.endswith((".yml", ".yaml")):
            document = texts.yaml(FOLDER, name)
            if isinstance(document, dict) and "jobs" in document:
                yield from _workflow(texts, document, name)


def _workflow(texts: Texts, document: dict[Any, Any], name: str) -> Iterator[Step | UnreadStep]:
    on = document.get("on", document.get(True))  # YAML 1.1 reads `on` as true
    said = on if isinstance(on, dict) else dict.fromkeys(strings(on))
    events = [event for event in _EVENTS if event in said and _is_ordinary(event, said[event])]
    if events and not is_other(name):
        yield from _jobs(texts, document, name, [Context(event) for event in events], 0)
    elif set(said) != {"workflow_call"}:
        why = "it is not there to check" if events else f"it runs on {', '.join(map(str, said)) or 'nothing'} only"
        yield UnreadStep(where(FOLDER, name), why, "out")


def _is_ordinary(event: str, said: object) -> bool:
    """Whether an event comes with every push to a branch, or to a pull request."""
    if not isinstance(said, dict):
        return True
    if event == "push" and "tags" in said and not {"branches", "branches-ignore"} & said.keys():
        return False
    if "**" in strings(said.get("branches-ignore")) or said.get("branches") == []:
        return False
    paths = strings(said.get("paths"))
    if paths and all(re.search(r"(?:^|/)docs?/|\.(?:md|rst|txt)$", path) for path in paths):
        return False
    return "types" not in said or not event.startswith("pull_request") or bool(_TYPES & {*strings(said["types"])})


def _jobs(
    texts: Texts, document: dict[Any, Any], file: str, given: Sequence[Context], uses: int
) -> Iterator[Step | UnreadStep]:
    jobs = dict(list(table(document, "jobs").items())[:MOST])
    everywhere = table(document, "defaults", "run")
    skipped: set[str] = set()
    chosen: dict[str, tuple[list[Context], str]] = {}
    for name, said in _in_turn(jobs):
        chosen[name] = _chosen(said, given, skipped) if not is_other(name) else ([], "it is not there to check")
        skipped |= {name} if chosen[name][1].startswith(("if: ", "needs: ")) else set()
    for name, said in jobs.items():
        ours, why = chosen.get(str(name), ([], ""))
        source = where(FOLDER, file, str(name))
        if why:
            yield UnreadStep(source, why, "out")
        if not ours:
            if (
                "github.repository" in why
            ):  # it runs where the project lives: where its tools are called nobody here knows
                runs = [one["run"] for one in some(said.get("steps")) if isinstance(one, dict) and "run" in one]
                yield from (Step(unknown(str(one)), "$UNKNOWN", source) for one in runs)
            continue
        inside = everywhere | table(said, "defaults", "run")
        job = _JobScope(
            source,
            tuple(ours),
            (document.get("env"), said.get("env")),
            str(inside.get("working-directory", ".")),
            inside.get("shell"),
            "services" in said or "container" in said,
            uses,
        )
        theirs = str(said.get("uses", ""))
        if theirs and not theirs.startswith("./") and (_LOOKING.search(theirs) or not _PREPARING.search(theirs)):
            yield UnreadStep(source, theirs)
        yield from _used(texts, theirs, said, job)
        yield from _steps(texts, some(said.get("steps")), job)


def _in_turn(jobs: Mapping[Any, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The jobs, those first that others need."""
    left = {str(name): said for name, said in jobs.items() if isinstance(said, dict)}
    while left:
        ready = [name for name, said in left.items() if not {*strings(said.get("needs"))} & left.keys()]
        for name in ready or [*left]:  # jobs that need one another run never, and GitHub says so
            yield name, left.pop(name)


def _chosen(said: dict[str, Any], given: Sequence[Context], skipped: set[str]) -> tuple[list[Context], str]:
    """Where a job runs by default, with each combination of its matrix, and why it runs nowhere."""
    condition = said.get("if", True)
    needs = next((one for one in strings(said.get("needs")) if one in skipped), "")
    if "environment" in said:
        return [], "it deploys"
    if needs and not re.search(r"always|cancelled|failure", str(condition)):
        return [], f"needs: {needs}"
    known = [one._replace(matrix=each) for one in given for each in contexts.combinations(said, one)]
    ours = [one for one in known if not contexts.is_for_windows(said, one)]
    if not ours:
        return [], f"runs-on: {said.get('runs-on', '')}"
    wanted = [one for one in ours if conditions.holds(condition, one)]
    if not wanted:
        return [], f"if: {condition}"
    allowed = said.get("continue-on-error", False)
    holding = [one for one in wanted if conditions.value(allowed, one) is not True]
    return holding, "" if holding else "continue-on-error"


def _steps(texts: Texts, steps: list[Any], job: _JobScope) -> Iterator[Step | UnreadStep]:
    """The steps of a job, in the folders of this project: a checkout puts it, or another one, into a folder."""
    places: dict[str, bool] = {}
    for said in steps:
        if not isinstance(said, dict):
            continue
        if str(said.get("uses", "")).startswith("actions/checkout@"):
            given = table(said, "with")
            theirs = str(given.get("repository", ""))
            places[posixpath.normpath(str(given.get("path", ".")))] = not theirs or "github." in theirs
            continue
        scopes = [contexts.with_variables(one, (*job.variables, said.get("env"))) for one in job.contexts]
        condition = said.get("if", True)
        ran = [one for one in scopes if conditions.holds(condition, one[0])]
        allowed = said.get("continue-on-error", False)
        folder = str(said.get("working-directory", job.folder)).removeprefix("${{ github.workspace }}/")
        place = next((one for one in places if one != "." and _is_below(one, folder, str(said.get("run", "")))), ".")
        why = f"if: {condition}" if not ran else ""
        if ran and all(conditions.value(allowed, one) is True for one, _ in ran):
            why = "continue-on-error"
        elif ran and not places.get(place, True):
            why = "another repository"
        if why:
            yield from [UnreadStep(job.source, f"{_shown(said)}: {why}", "out")] if _judges(said) else []
            continue
        job = job._replace(contexts=contexts.with_toolchain(said, job.contexts))
        if place != "." and not os.path.isdir(os.path.join(texts.root, place)):
            folder = posixpath.relpath(folder, place) if folder.startswith(place) else folder
        yield from _each(texts, {"shell": job.shell, **said, "working-directory": folder}, job, ran)


def _each(
    texts: Texts, said: dict[str, Any], job: _JobScope, ran: Sequence[tuple[Context, tuple[str, ...]]]
) -> Iterator[Step | UnreadStep]:
    """A step with the values of each combination of the matrix, once where they say the same."""
    known: list[Any] = []
    nightly = all(contexts.is_nightly(one) for one, _ in ran)
    for context, env in ran:
        filled = {
            name: conditions.filled(one, context) if isinstance(one, str) else one
            for name, one in said.items()
            if name in ("run", "shell", "working-directory")
        }
        given = {name: conditions.given(one, context) for name, one in table(said, "with").items()}
        sets = (*env, "RUSTUP_TOOLCHAIN=nightly") if nightly else env
        if (filled, given, sets) not in known and len(known) < _TIMES:
            known.append((filled, given, sets))
            folder = re.sub(r"\$\{\{.*?\}\}", "$UNKNOWN", str(filled["working-directory"]))
            step = Step("", os.path.normpath(folder), job.source, env=sets, again=len(known) > 1)
            yield from _step(texts, said | filled | {"with": given}, step, job._replace(contexts=(context,)))


def _judges(said: Mapping[str, Any]) -> bool:
    """Whether a step may find something wrong, as far as its words say; an action may be given a command."""
    given = table(said, "with")
    run = next((one for one in (said.get("run"), *map(given.get, _COMMANDS)) if isinstance(one, str)), None)
    if run is not None:
        return not all(chores.is_chore(one.words) for one in resolve.commands(Step(run, ".", "")))
    uses = str(said.get("uses", "")).partition("@")[0]
    return bool(_LOOKING.search(uses)) and not _PREPARING.search(uses)


def _is_below(place: str, folder: str, run: str) -> bool:
    inside = posixpath.normpath(folder)
    moved = re.search(rf"(?m)(?:^|[;&(]\s*|^\s+)cd\s+(?:\./)?{re.escape(place)}(?:[/\s;&]|$)", run)
    return inside == place or inside.startswith(f"{place}/") or moved is not None


def _shown(said: Mapping[str, Any]) -> str:
    """A step in a few words: its name, its command, or its action."""
    text = str(said.get("name") or said.get("run") or said.get("uses") or "").strip()
    first, more = text.partition("\n")[::2]
    return f"{first} …" if more else first


def _step(texts: Texts, said: dict[str, Any], step: Step, job: _JobScope) -> Iterator[Step | UnreadStep]:
    run, uses, folder, shell = said.get("run"), str(said.get("uses", "")), step.folder, said.get("shell")
    if isinstance(run, str):
        posix = shell is None or re.match(r"(?:bash|sh)(?:$|\s)", str(shell))
        if "$" in folder or os.path.isabs(folder) or not posix:
            yield from [UnreadStep(step.source, _shown(said))] if _judges(said) else []
            if "$" in folder:  # that its tools are called somewhere is known all the same
                yield step._replace(text=unknown(run))
        else:  # in a container, or beside a service, it has what is not here: the tool is known, its call is not
            yield step._replace(text=unknown(run) if job.foreign else run)
        return
    given = table(said, "with")
    if action := _ACTIONS.get(uses.partition("@")[0]):
        rest = str(given.get("args", given.get("options", "")) or "")
        folder = os.path.normpath(str(given.get("working-directory", folder)))
        yield step._replace(text=f"{action} {rest}".strip(), folder=folder)
    elif uses.startswith("./"):
        yield from _used(texts, uses, said, job._replace(variables=(*job.variables, said.get("env"))))
    elif _judges(said):
        yield UnreadStep(step.source, _shown(said))


def _used(texts: Texts, uses: str, said: dict[str, Any], job: _JobScope) -> Iterator[Step | UnreadStep]:
    """The steps of a workflow or an action of the project's own, with the inputs that it is given."""
    if not uses.startswith("./") or job.uses >= _DEEPEST:
        return
    path, deeper = posixpath.normpath(uses.partition("@")[0]), job.uses + 1
    if path.startswith(f"{FOLDER}/"):
        document = texts.yaml(FOLDER, path.rpartition("/")[2])
        if isinstance(document, dict):
            on = document.get("on", document.get(True))
            ours = contexts.with_inputs(table(on, "workflow_call", "inputs"), said, job.contexts)[:_TIMES]
            yield from _jobs(texts, document, path.rpartition("/")[2], ours, deeper)
        return
    for name in ("action.yml", "action.yaml"):
        document = texts.yaml(path, name)
        ours = contexts.with_inputs(table(document, "inputs"), said, job.contexts)[:_TIMES]
        steps = some(table(document, "runs").get("steps"))
        yield from _steps(texts, steps, job._replace(source=where(path, name), contexts=tuple(ours), uses=deeper))


def unknown(text: str) -> str:
    """A text of which no command is known to its end."""
    return re.sub(r"(?<=\S)[ \t]*(?=\n|$)", " $UNKNOWN", text)
