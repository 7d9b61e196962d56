"""How the project calls its tools, with the scripts of package.json that look at the code and that no checker reads."""

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress

from untilgreen import checkers
from untilgreen.checkers import command, time_limit
from untilgreen.checkers.checker import Checker, takes
from untilgreen.checkers.js import npm_script, tsc
from untilgreen.checkers.python import unittest_
from untilgreen.checks.plan import builds, commit_hooks, uncalled
from untilgreen.core.model.check import COMMAND_LINES, ENGINES, HOOK_FILES, OwnCall, UnreadStep
from untilgreen.core.model.settings import Criteria
from untilgreen.core.shell.scopes import of_goal
from untilgreen.project import calls, tools
from untilgreen.project.calls import chores, resolve, workspaces
from untilgreen.project.calls.documents import Step, Texts, table
from untilgreen.project.tree.layout import Layout

_SECONDS = 5.0
_FIXING = ("--fix", "--write", "-w", "fix", "--fix-type", "lint-staged", "migrate")
_ASKING = re.compile(r"--(?:check|list|diff|dry)|\s-l")  # with which a formatter writes nothing
_IDLE = ("echo", "rm", "rimraf", "mkdir", "cp", "svelte-kit")
_PROGRAMS = {"gnumakefile": "make", "makefile": "make", "justfile": "just", "taskfile": "task"}
_TASK = re.compile(
    r"(?:(?P<folder>.+)/)?(?P<file>(?:GNUm|m|M)akefile|[jJ]ustfile|[tT]askfile\.ya?ml): (?P<name>tests?|check)"
)
# an environment for tests, and none of many
_TESTING = re.compile(r"(?:tox|nox)\n[^\n]*\n(?:(?:py|pypy)\d*(?:-[^\n,]*)?|[^\n,]*test[^\n,]*)")
_RUNNING = {"coverage", "tox", "nox", "poe", "npm", "pnpm", "yarn", "bun", "django-admin", "vite", "rollup", "webpack"}
_RUNNING |= {"tsup", "esbuild", "next", "swc", "babel", "parcel", "turbo", "nx", "lerna", "jupyter", "unittest"}
_FILE = re.compile(r"[\w./][\w./-]*\.[a-z]{1,4}")  # one that is not there is made by what runs before
# what known programs run that is none of theirs: a tool, another toolchain
_APART = re.compile(
    r"cargo (?:\+|(?:hack|nextest|deny|audit|machete|udeps|vet|semver-checks|miri|careful)\b)|go (?:run|tool) "
)
# what a script asks or tells that means something in CI alone: whether the work tree is clean, what comes next
_ON_CI = re.compile(r"\bgit\W{1,6}(?:diff|status)\b|GITHUB_(?:OUTPUT|ENV|PATH|STEP_SUMMARY|EVENT_|BASE_REF|HEAD_REF)")
# what a task needs that is not here, or that is no test, or asks what git knows: it is not run as it stands
_ELSEWHERE = {*builds.ELSEWHERE, "pre-commit", "prek", "git", "check-manifest", *_FIXING}


def read(root: str, files: Sequence[str]) -> tuple[OwnCall, ...]:
    """Every distinct call; of what cannot be read the script as a whole (`npm run lint`), or what is left of it. What a
    package does before its tests counts, too, unless the same is done for the whole project. A project that takes too
    long to read (its tasks call one another without end) says nothing."""
    return with_sources(root, files)[0]


def with_sources(root: str, files: Sequence[str]) -> tuple[tuple[OwnCall, ...], tuple[str, ...]]:
    """The same, and every file and folder (relative to the root) that was looked for, be it there or not."""
    texts = Texts(root)
    with suppress(time_limit.TooLong), time_limit.within(_SECONDS, "the project's calls took too long to read"):
        return _read(texts, files), texts.sources
    return (), texts.sources


def _read(texts: Texts, files: Sequence[str]) -> tuple[OwnCall, ...]:
    layout = Layout(texts.root, files)
    packages = [folder for folder in npm_script.with_scripts(layout) if folder != "."]
    found = tuple(tsc.cleaned([_named(_by_engine(texts, one)) for one in calls.read(texts, packages)]))
    known = [checkers.get(name) for name in checkers.NAMES if name != "npm-script"]
    found, apart_tests = uncalled.settled(texts, layout, found, known)
    found = commit_hooks.called(texts, found, known, _named)
    above = [one.words for one in found if one.folder == "."]
    whole = [checker for checker in known if "." in _homes(checker, layout) or takes([checker], *above)]
    apart = [one.folder not in packages or one.source.startswith(calls.CI) for one in found]
    # one of a package that the whole project answers for says only that its tool runs there, too
    theirs = [
        one if own or not takes(whole, one.words) else one._replace(folder="$", whole=False)
        for one, own in zip(found, apart, strict=True)
    ]
    placed = [one for one in theirs if "$" not in one.folder]
    tests = tuple(_tests(texts, layout, placed, known))
    told = (*theirs, *_unread(placed, known), *tests)
    told += tuple(_alone(texts, placed, known, told[len(theirs) :]))
    return (*told, *builds.before_tests(texts, layout), *builds.called(texts, layout, placed), *apart_tests)


def _named(one: OwnCall) -> OwnCall:
    """A call of a runner of tests, or of a linter, by the name of its checker; what package.json says is npm's."""
    words = None if one.script else unittest_.django_call(one.words)
    if one.whole and not one.script:
        words = words or command.testing(one.words, module=one.module) or command.linting(one.words)
    return one._replace(words=words) if words else tsc.placed(one) if one.whole else one


def _by_engine(texts: Texts, one: OwnCall) -> OwnCall:
    """A task of turbo or nx that looks at code, or runs tests other than the package's own: by its checker's name."""
    task, said = one.words[-1].rpartition("=")[2], " ".join(one.words)
    if one.words[0] not in ENGINES or not one.whole or re.search(r"\[|affected", said):
        return one
    kind = of_goal(task)[0] if workspaces.is_installed(texts, one) else ""
    own = npm_script.parts(table(texts.json(one.folder, "package.json"), "scripts"))
    if kind == "test" and any({one.words[0], task} <= {*command.split()} for command, _ in own):
        return one
    checker = {"test": "runner", "lint": "linter", "types": "linter"}.get(kind)
    return one._replace(words=(checker, *one.words), script="") if checker else one


def _tests(texts: Texts, layout: Layout, found: Sequence[OwnCall], known: Sequence[Checker]) -> Iterator[OwnCall]:
    """Tasks and environments for tests in which nothing can be read, as they stand: `make check`; of tox and nox one,
    and only where nothing else runs tests."""
    testing = [checker for checker in known if checker.stage == "tests"]
    looking = [checker for checker in known if checker.stage != "build"]
    for source in dict.fromkeys(one.source for one in found):
        calls = [one.words for one in found if one.source == source]
        task, idle = _TASK.fullmatch(source), all(words[0] in _IDLE for words in calls)
        if task and not idle and not takes(known, *calls) and _ELSEWHERE.isdisjoint(itertools.chain(*calls)):
            words = (_PROGRAMS[task["file"].lower().partition(".")[0]], task["name"])
            parts = resolve.calls(texts, Step(" ".join(words), task["folder"] or ".", source))
            others = [_named(one) for one in parts if one.source != source and one.words[0] not in _IDLE]
            own = [one for one in found if one.source == source and not _prepares(one)]
            checked = all(takes(looking, one.words) or _TASK.fullmatch(one.source) for one in others)
            apart = others and checked and all(one.whole for one in own)
            # of a task that runs others, which are all checks already, what it does itself
            whole = OwnCall(("runner", *words), task["folder"] or ".", source)
            theirs = (one._replace(words=("runner", *_as_run(one))) for one in own)
            yield from theirs if apart else [whole]
            testing = []
    if takes(testing, *(one.words for one in found)) or any(_homes(one, layout) for one in testing):
        return
    for one in found if testing else ():
        if _TESTING.fullmatch("\n".join(one.words)):
            yield one._replace(words=("runner", *one.words), apart=True)
            return


def all_unread(root: str, found: Sequence[OwnCall]) -> tuple[UnreadStep, ...]:
    """What the project runs and no check here answers for, unless it judges nothing. `found`: its calls."""
    texts = Texts(root)
    return tuple(dict.fromkeys((*calls.unread(texts), *_unread_calls(texts, found), *_in_doubt(texts, found))))


def _unread_calls(texts: Texts, found: Sequence[OwnCall]) -> Iterator[UnreadStep]:
    known = [checkers.get(name) for name in checkers.NAMES]
    run, programs = [one for one in found if one.words[0] in COMMAND_LINES], _known_programs(known)
    unread: dict[str, list[str]] = {}
    for one in _not_taken(texts, [one for one in found if "$" not in one.folder], known, run):
        apart = _APART.match(" ".join(one.words)) is not None
        script = one.words[0] in command.INTERPRETERS and not _is_chore(one)
        own = script and _is_file(texts, one.folder, "".join(one.words[1:2]))
        task = "" if one.source.startswith(calls.CI) else one.source.partition(": ")[2]
        if one.again or _prepares(one) or chores.prepares(task):
            continue
        if (apart or own or one.words[0] not in programs) and not _is_tested(texts, one):
            unread.setdefault(one.source, []).append(" ".join(_as_run(one)))
    for source, lines in unread.items():  # of a script or a task its first line is enough
        if source.startswith(calls.CI):
            yield from (UnreadStep(source, line) for line in lines)
        else:
            yield UnreadStep(source, f"{lines[0]} …" if lines[1:] else lines[0])


def _is_tested(texts: Texts, one: OwnCall) -> bool:
    """Whether it runs tests as `npm test` does there."""
    if one.words[0] in command.INTERPRETERS:
        return False
    return any(part.words[0] == one.words[0] for part in uncalled.parts(texts, one.folder))


def _in_doubt(texts: Texts, found: Sequence[OwnCall]) -> Iterator[UnreadStep]:
    """What would be a check, but runs on a condition alone, or its failure is let through (`|| true`)."""
    known = [checkers.get(name) for name in checkers.NAMES]
    done, programs = {(one.words, one.folder) for one in found}, _known_programs(known) | uncalled.ASKED
    for step, simple, call in ((one, *pair) for one in calls.run(texts) for pair in resolve.in_doubt(one)):
        parts = [_named(one) for one in resolve.called(texts, call)]
        new = [one for one in parts if (one.words, one.folder) not in done and not (one.again or _prepares(one))]
        checks = any(takes(known, one.words) or one.path for one in new)
        if checks or (simple.counts and any(one.words[0] not in programs for one in new)):
            out = simple.sure and not simple.asked
            why = "its failure does not count" if out else "it runs on a condition"
            own = (word for word in call.env if word not in step.env)
            yield UnreadStep(step.source, f"{' '.join((*own, *call.words))}: {why}", "out" if out else "step")


def _prepares(one: OwnCall) -> bool:
    return chores.is_chore(one.words) or chores.prepares(one.words[0]) or one.words[0] in _IDLE


def _not_taken(
    texts: Texts, found: Sequence[OwnCall], known: Sequence[Checker], run: Sequence[OwnCall]
) -> Iterator[OwnCall]:
    """The calls that no checker takes. `run`: what is run as it stands, with all of its parts."""
    lines = [one._replace(words=one.words[1:]) for one in run]
    parts = (part for one in lines for part in resolve.calls(texts, Step(" ".join(one.words), one.folder, one.source)))
    done = {(_as_run(one), one.folder) for one in (*lines, *parts)}
    for one in found:
        taken = takes(known, one.words) or (_as_run(one), one.folder) in done or one.source.startswith(HOOK_FILES)
        if not (taken or one.script):
            yield one


def _as_run(one: OwnCall) -> tuple[str, ...]:
    return (one.path or one.words[0], *one.words[1:])


def _alone(
    texts: Texts, found: Sequence[OwnCall], known: Sequence[Checker], run: Sequence[OwnCall]
) -> Iterator[OwnCall]:
    """The project's own scripts, and the programs of its environment, that no checker takes: as they stand."""
    programs = _known_programs(known)
    for one in _not_taken(texts, found, known, run):
        words = _as_run(one)
        inside = not one.path and words[0] not in command.INTERPRETERS
        if one.apart or one.secret or not one.whole or _is_chore(one) or (inside and words[0] in programs):
            continue
        at = _program_at(words)
        made = any(_FILE.fullmatch(word) and not _is_file(texts, one.folder, word) for word in words[at:])
        if made or _ELSEWHERE & {*one.words} or (not inside and _ON_CI.search(texts.text(one.folder, words[at]) or "")):
            continue
        if _is_installed(texts, one.folder, words[at]) if inside else _is_file(texts, one.folder, words[at]):
            yield one._replace(words=command.alone(words))


def _program_at(words: Sequence[str]) -> int:
    """Where the program stands: behind its interpreter, if it has one."""
    return 1 if words[0] in command.INTERPRETERS and words[1:] else 0


def _is_chore(one: OwnCall) -> bool:
    """Whether a call judges nothing, as far as its words and the names of its script and of its job say."""
    words = _as_run(one)
    at = _program_at(words)
    asked = (*words[at : at + 2], one.source.partition(": ")[0])
    return chores.is_chore(one.words) or any(map(chores.prepares, asked))


def _is_file(texts: Texts, folder: str, path: str) -> bool:
    place = os.path.normpath(os.path.join(folder, path))
    return not (os.path.isabs(place) or place.startswith("..")) and os.path.isfile(os.path.join(texts.root, place))


def _is_installed(texts: Texts, folder: str, name: str) -> bool:
    """Whether the project's own environment has a program."""
    tool = tools.find(name, os.path.join(texts.root, folder), texts.root, os.environ, trusted=True, asked={})
    return tool is not None and tool.inside


def _known_programs(known: Iterable[Checker]) -> set[str]:
    """What is no check as it is called: known tools that write there, and programs that run or build others."""
    return {name for one in known for name in (one.name, *one.programs)} | command.KNOWN | _RUNNING


def _homes(checker: Checker, layout: Layout) -> Sequence[str]:
    return (checker.chosen_by or checker.roots)(layout, Criteria(green=True))


def _unread(found: Sequence[OwnCall], known: Sequence[Checker]) -> Iterator[OwnCall]:
    for folder, script in dict.fromkeys((one.folder, one.script) for one in found):
        theirs = [one for one in found if (one.folder, one.script) == (folder, script)]
        rest = [one for one in theirs if not takes(known, one.words) and not one.source.startswith(HOOK_FILES)]
        looking = npm_script.is_linting(script)
        if looking and rest == theirs and all(_looking(one) == one.words for one in rest):
            one, whole = rest[0], ("npm-script", "npm", "run", script)
            yield OwnCall(whole, folder, one.source, env=one.env, caller=one.caller)
            continue
        for one in rest:
            wanted = npm_script.is_linter(one.words) or (looking and one.words[0] not in _IDLE)
            if wanted and one.whole and (words := _looking(one)):
                yield OwnCall(("npm-script", *words), folder, one.source, env=one.env, caller=one.caller)


def _looking(one: OwnCall) -> tuple[str, ...]:
    """The words by which a call only looks at the code; none where it mends or formats it, or runs tests."""
    formats = {"fmt", "format"} & {*one.words} and not _ASKING.search(" ".join(one.words))
    other = formats or set(one.words) & set(_FIXING) or npm_script.is_test(one.words)
    return () if other else npm_script.looking(one.words)
