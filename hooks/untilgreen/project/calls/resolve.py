"""From what a project runs to the tools that it calls: wrappers are taken away, references are followed."""

import fnmatch
import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence

from untilgreen.core.model.check import OwnCall
from untilgreen.core.shell.line import assignments, read
from untilgreen.core.shell.words import ShellWord
from untilgreen.core.shell.wrappers import started
from untilgreen.project.calls import environments, scripts
from untilgreen.project.calls.documents import Step, Texts, is_other, table, where

_DEEPEST = 8  # references from one task to the next
_MOVING = ("cd", "pushd", "export", "readonly")  # their effect is known to what stands behind them
_SETTING = ("env", "cross-env")  # wrappers that set variables
_SHELL = re.compile(r"#!.*\b(?:ba|da|z|k)?sh\b")
_PYTHON = re.compile(r"^(?:.*/)?(?:python|pypy|py)[\d.]*(?:\.exe)?$")
_PYTHON_OPTIONS = re.compile(r"^-(?:[bBdEiIOPqsSuvx]+|X|W)$|^-[XW].+")
# a file's reader -> the words that call its tasks, the longer ones first; nothing behind them is its default task
_NPM = ("npm run", "npm run-script", "npm", "pnpm run", "pnpm", "yarn run", "yarn", "bun run")
_CALLING = {
    "make": ("make", "gmake"),
    "just": ("just",),
    "task": ("task",),
    "npm": (*_NPM, "run-s", "run-p", "npm-run-all"),
    "poe": ("poe",),
    "pdm": ("pdm run",),
    "hatch": ("hatch run",),
}
_TASKS = [(tuple(words.split()), reader) for reader, openings in _CALLING.items() for words in openings]
_SEVERAL = ("make", "gmake", "just", "task", "run-s", "run-p", "npm-run-all")  # they take names of several tasks
_RUN_TOOLS = (("pnpm",), ("yarn",), ("yarn", "run"), ("bun", "run"), ("pdm", "run"), ("hatch", "run"))  # and tools
_OWN = ("install", "i", "add", "ci", "audit", "publish", "pack", "version", "config", "set", "dedupe", "store", "env")
# where programs lie, secrets, and what says how somebody installs, reports or prints
_KEPT_BACK = re.compile(
    r"PATH|HOME|TERM|CI|RUST_BACKTRACE|PWD|(?:PIP|UV|TOX|NOX|HATCH|POETRY|CIBW|COVERAGE|COV"
    r"|CODECOV|GITHUB|UNTILGREEN|npm_config"
    r"|NPM_CONFIG|RUFF_OUTPUT)_.*|.*(?:TOKEN|SECRET|PASSW|CREDENTIAL|COLOR|COLOUR).*|(?:.*_)?(?:API)?KEY"
)
_LONGEST = 1_000  # characters of a value


def commands(step: Step) -> Iterator[OwnCall]:
    """The simple commands of a step whose failure counts, but for `cd`; those inside of conditions and loops are left
    out, and the one in which a quote or a group never ends. A word that only a shell could tell (`$NAME`, `$(…)`,
    `${{ matrix.python }}`) is never guessed at: the command that holds it is not `whole`."""
    line = read(step.text, {"@": "", "*": ""})  # a script is called without words
    for one in line.commands if line.closed else line.commands[:-1]:
        sets, rest = assignments(one.words)
        words = _named(rest)
        if not (one.sure and one.counts and words) or words[0].text in ("", *_MOVING):
            continue
        rooted = one.folder.startswith(("/", "~", "\\")) or one.folder[1:2] == ":"
        whole = one.folder != "" and not rooted and all(word.known for word in words)
        folder = os.path.normpath(os.path.join(step.folder, "." if rooted else one.folder))
        env = _carried((*step.env, *one.env, *(word.text for word in sets)))
        yield OwnCall(tuple(word.text for word in words), folder, step.source, whole, script=step.script, env=env)


def _named(words: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """The words of the program itself; where it lies is no matter: `${PREFIX}ruff`, `$PYTHON -m pytest`."""
    while words and words[0].text in ("time", "exec", "command"):
        words = words[1:]
    if not words or words[0].known:
        return words
    name = re.sub(r"^(?:\$\w+|\$\{[^}]*\}|/)*", "", words[0].text)
    module = [word.text for word in words[1:2]] == ["-m"]
    return [ShellWord("python" if module else name, module or name.isidentifier()), *words[1:]]


def calls(texts: Texts, step: Step, depth: int = 0) -> Iterator[OwnCall]:
    """The tools that a step comes to."""
    for call in commands(step):
        yield from _called(texts, call, depth)


def _called(texts: Texts, call: OwnCall, depth: int) -> Iterator[OwnCall]:
    if not call.words or depth > _DEEPEST:
        return
    referred = _script(texts, call)
    if referred is None:
        call = _unwrapped(call)
        if not call.words:  # `env` alone starts nothing
            return
        if call.words[0] in ("tox", "nox") and any(map(is_other, call.words)):
            return
        referred = _tox(texts, call) or _nox(texts, call) or _task(texts, call)
    if referred is None:
        yield call
        return
    known = list(_referred(texts, call, referred, depth))
    if not known and call.words[0] in ("tox", "nox"):
        yield call  # all that is known of an environment whose commands cannot be read
    yield from known


def _referred(
    texts: Texts, call: OwnCall, steps: Sequence[tuple[Step, tuple[str, ...]]], depth: int
) -> Iterator[OwnCall]:
    for step, behind in steps:
        found = list(calls(texts, step, depth + 1))
        if behind and found:  # what follows `--` goes to the last command of a script
            found[-1] = found[-1]._replace(words=(*found[-1].words, *behind))
        outer = () if call.words[0] == "tox" else call.env  # tox passes on what its configuration names
        for one in found:
            yield one._replace(whole=one.whole and call.whole, env=_carried((*outer, *one.env)))


def _unwrapped(call: OwnCall) -> OwnCall:
    """Without what only starts the tool: the environment's runner, the interpreter, coverage."""
    while True:
        words = call.words
        if not words:
            return call
        if _PYTHON.match(words[0]):
            rest = _after_options(words[1:], _PYTHON_OPTIONS)
            if rest[:1] != ("-m",):
                return call._replace(words=("python", *map(os.path.normpath, rest[:1]), *rest[1:]))
            words = rest[1:]
        elif words[0].endswith(".py"):
            return call._replace(words=("python", os.path.normpath(words[0]), *words[1:]))
        else:
            known = started(words)
            if known is None:
                return call._replace(words=(os.path.basename(words[0]), *words[1:]))
            words, sets, in_place = known
            sets = sets if os.path.basename(call.words[0]) in _SETTING else ()
            call = call._replace(whole=call.whole and in_place, env=_carried((*call.env, *sets)))
        call = call._replace(words=words)


def _after_options(words: tuple[str, ...], options: re.Pattern[str]) -> tuple[str, ...]:
    while words and options.match(words[0]):
        words = words[2:] if words[0] in ("-X", "-W") else words[1:]
    return words


def _script(texts: Texts, call: OwnCall) -> list[tuple[Step, tuple[str, ...]]] | None:
    """The text of a shell script of the project's own; None where the words call none."""
    words = call.words[1:] if call.words[0] in ("bash", "sh") else call.words
    text = texts.text(call.folder, words[0]) if words and "/" in words[0] else None
    if text is None or not _SHELL.match(text):
        return None
    return [(Step(text, call.folder, where(".", os.path.normpath(os.path.join(call.folder, words[0])))), ())]


def _tox(texts: Texts, call: OwnCall) -> list[tuple[Step, tuple[str, ...]]] | None:
    if call.words[0] != "tox":
        return None
    defaults = environments.tox_defaults(texts, call.folder)
    names, factors = _values(call.words, ("-e", "--env")), _values(call.words, ("-f", "--factors"))
    if any(word in ("-m", "-c", "--conf") for word in call.words):
        return []  # labels, and configuration elsewhere
    wanted = [name for value in names for name in value.split(",")] or defaults
    if factors:
        wanted = [name for name in defaults if set(factors) & set(name.split("-"))]
    return [(step, ()) for name in wanted for step in environments.tox(texts, call.folder, name) or ()]


def _nox(texts: Texts, call: OwnCall) -> list[tuple[Step, tuple[str, ...]]] | None:
    if call.words[0] != "nox":
        return None
    names = _values(call.words, ("-s", "--session", "--sessions", "-e"))
    wanted = [name.partition("(")[0].partition("-3")[0] for value in names for name in re.split(r"[\s,]+", value)]
    wanted = wanted or environments.nox_defaults(texts, call.folder)
    return [(step, ()) for name in wanted for step in environments.nox(texts, call.folder, name) or ()]


def _values(words: Sequence[str], options: Sequence[str]) -> list[str]:
    found = [word.partition("=")[2] for word in words for option in options if word.startswith(f"{option}=")]
    for option in options:
        found += [words[at + 1] for at, word in enumerate(words[:-1]) if word == option]
    return found


def _task(texts: Texts, call: OwnCall) -> list[tuple[Step, tuple[str, ...]]] | None:
    """The steps of the tasks that are called; None where the words call no task."""
    for opening, reader in _TASKS:
        if call.words[: len(opening)] != opening:
            continue
        folder, names, behind = _names(call, len(opening))
        if reader == "npm":
            names = _scripts(texts, folder, names, opening)
        known = [scripts.steps(texts, reader, folder, name) for name in names]
        if opening in _RUN_TOOLS and known[:1] == [None] and names[0] not in _OWN:
            return [(Step(shlex.join(call.words[len(opening) :]), call.folder, call.source), ())]
        if opening[0] not in _SEVERAL:
            known, behind = known[:1], behind or tuple(names[1:])
        return [
            (step, behind if number == len(steps) else ())
            for steps in known
            if steps is not None
            for number, step in enumerate(steps, start=1)
        ]
    return None


def _names(call: OwnCall, taken: int) -> tuple[str, list[str], tuple[str, ...]]:
    """The folder, the names and the words behind `--` of a call of tasks."""
    folder, names = call.folder, list[str]()
    rest = list(call.words[taken:])
    while rest:
        word = rest.pop(0)
        if word == "--":
            return folder, names, tuple(rest)
        if word in ("-C", "--prefix", "--cwd", "--dir") and rest:
            folder = os.path.normpath(os.path.join(folder, rest.pop(0)))
        elif word in ("-f", "--filter", "-F", "--workspace", "-w") and rest:
            rest.pop(0)
            names.append("$UNKNOWN")
        elif not word.startswith("-") and "=" not in word:
            names.append(word)
    return folder, names, ()


def _scripts(texts: Texts, folder: str, names: Sequence[str], opening: tuple[str, ...]) -> list[str]:
    """The names of npm's scripts, `lint:*` as those that it fits."""
    if opening == ("npm",):
        names = ["test", *names[1:]] if names[:1] in (["t"], ["tst"], ["test"]) else []
    known = table(texts.json(folder, "package.json"), "scripts")
    return [
        one for name in names for one in (fnmatch.filter(known, name.replace("**", "*")) if "*" in name else [name])
    ]


def _carried(assignments: Iterable[str]) -> tuple[str, ...]:
    """Of words like `NAME=value` those that go with a call, the last of each name. One whose value only a shell or CI
    could tell (`$HOME`, `{envtmpdir}`, `${{ matrix.x }}`) does not."""
    found = dict(word.partition("=")[::2] for word in assignments)
    return tuple(f"{name}={value}" for name, value in found.items() if _goes(name, value))


def _goes(name: str, value: str) -> bool:
    known = len(value) < _LONGEST and not re.search(r"[$`{\0\n]", value)
    return known and re.fullmatch(r"[A-Za-z_]\w*", name) is not None and not _KEPT_BACK.fullmatch(name)
