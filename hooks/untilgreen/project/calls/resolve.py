"""From what a project runs to the tools that it calls: wrappers are taken away, references are followed."""

import itertools
import os
import re
import shlex
from collections.abc import Iterator, Sequence

from untilgreen.core.model.check import OwnCall
from untilgreen.core.shell.line import Simple, assignments, read
from untilgreen.core.shell.words import ShellWord
from untilgreen.project import tables
from untilgreen.project.calls import environments, programs, scripts, workspaces
from untilgreen.project.calls.documents import Step, Texts, is_other, table, where
from untilgreen.project.tools import WRAPPERS

_DEEPEST = 8  # references from one task to the next
_MOVING = ("cd", "pushd", "export", "readonly")  # their effect is known to what stands behind them
_ASKING = ("test", "[", "[[", "grep", "diff", "exit")
_PLAIN = ("set", "shopt", "echo", "printf", "test", "[", "[[", "exit", "true", ":", "trap", "unset", "local", "ulimit")
_SHELL = re.compile(r"#!.*\b(?:ba|da|z|k)?sh\b")
_FUNCTION = re.compile(r"(?m)^\s*(?:function\s+)?([\w-]+)\s*\(\s*\)")
_CALLS = tables.read("tasks")["calls"]
_TASKS = [(tuple(words.split()), reader) for reader, openings in _CALLS for words in openings.split(", ")]
_SEVERAL = ("make", "gmake", "just", "task", "run-s", "run-p", "npm-run-all")  # they take names of several tasks
# how steps are read, which are run where none is named, by which options some are, what stands between those, and the
# variable that names them where no option does
_ENVIRONMENTS = {
    "tox": (environments.tox, environments.tox_defaults, ("-e", "--env"), ",", "TOXENV="),
    "nox": (
        environments.nox,
        environments.nox_defaults,
        ("-s", "--session", "--sessions", "-e"),
        r"[\s,]+",
        "NOXSESSION=",
    ),
}
# and tools
_RUN_TOOLS = (("pnpm",), ("yarn",), ("yarn", "run"), ("bun", "run"), ("pdm", "run"), ("hatch", "run"), ("pixi", "run"))
# of concurrently: one command ends the others, or not all of them count; and options with a value
_UNEVEN = r"-k$|--kill|-s$|--success|-r$|--raw|--restart"
_NAMED_SIDES = ("-n", "--names", "-c", "--prefix-colors", "-p", "--prefix", "-m", "--max-processes")
_OWN = ("install", "i", "add", "ci", "audit", "publish", "pack", "version", "config", "set", "dedupe", "store", "env",
    "info", "why", "list", "remove", "up", "link", "test", "npm", "plugin", "workspaces")  # fmt: skip


def commands(step: Step) -> Iterator[OwnCall]:
    """The simple commands of a step that run and whose failure counts, but for `cd`; the one in which a quote or a
    group never ends is left out. A word that only a shell could tell (`$NAME`, `$(…)`, `${{ matrix.python }}`) is never
    guessed at: the command that holds it is not `whole`."""
    lists = False
    for one, call in _simple(step):
        if _lists(call.words) and one.sure and not one.counts:
            lists = True
            yield call
        elif one.sure and one.counts and not _lists(call.words) and not (lists and call.words[0] in _ASKING):
            yield call


def in_doubt(step: Step) -> Iterator[tuple[Simple, OwnCall]]:
    """The other ones, inside of conditions and loops, or in front of `|| true`: as they are read, and as calls."""
    for one, call in _simple(step):
        if not ((one.sure or one.counts) if _lists(call.words) else (one.sure and one.counts)):
            yield one, call


def _lists(words: Sequence[str]) -> bool:
    """gofmt lists what it would write and fails by nothing: it is a check where the list is asked for."""
    return words[0] == "gofmt" and not {"-l", "-d"}.isdisjoint(words)


def _simple(step: Step) -> Iterator[tuple[Simple, OwnCall]]:
    line = read(step.text, _variables(step))
    functions = {"", *_MOVING, *_FUNCTION.findall(step.text)}
    for one in line.commands if line.closed else line.commands[:-1]:
        sets, rest = assignments(one.words)
        words = _named(rest)
        if not words or words[0].text in functions:
            continue
        rooted = one.folder.startswith(("/", "~", "\\")) or one.folder[1:2] == ":"
        whole = one.folder != "" and not rooted and all(word.known for word in words)
        folder = os.path.normpath(os.path.join(step.folder, "." if rooted else one.folder))
        env = programs.carried((*step.env, *one.env, *(word.text for word in sets)))
        secret = any("secrets." in one and "secrets.GITHUB_TOKEN" not in one for one in step.env)
        call = OwnCall(tuple(word.text for word in words), folder, step.source, whole, script=step.script, env=env)
        yield one, call._replace(secret=secret, again=step.again)


def _variables(step: Step) -> dict[str, str]:
    """The variables whose values are known: those that are set for a step, and the words that a script gets, where no
    function of its own gets others. What is no script gets none."""
    known = (one.partition("=") for one in step.env if not re.search(r"[$`]", one))
    found = {name: value for name, _, value in known}
    given = step.given or ()
    if step.given is not None and not _FUNCTION.search(step.text):
        found |= {str(place): word for place, word in itertools.zip_longest(range(1, 10), given, fillvalue="")}
    return found | dict.fromkeys("@*", " ".join(given))


def _named(words: Sequence[ShellWord]) -> Sequence[ShellWord]:
    """The words of the program itself; where it lies is no matter: `${PREFIX}ruff`, `$PYTHON -m pytest`."""
    while words and words[0].text in ("time", "exec", "command"):
        words = words[1:] if words[1:2] not in ((ShellWord("-v"),), (ShellWord("-V"),)) else []
    if not words or words[0].known or words[0].text.startswith("${{"):
        return words
    name = re.sub(r"^(?:\$\w+|\$\{[^}]*\}|/)*", "", words[0].text)
    module = [word.text for word in words[1:2]] == ["-m"]
    return [ShellWord("python" if module else name, module or name.isidentifier()), *words[1:]]


def calls(texts: Texts, step: Step, depth: int = 0) -> Iterator[OwnCall]:
    for call in commands(step):
        yield from called(texts, call, depth)


def called(texts: Texts, call: OwnCall, depth: int = 0) -> Iterator[OwnCall]:
    """The same of one command."""
    if not call.words or depth > _DEEPEST:
        return
    steps = _script(texts, call)
    if steps is None:
        call = _placed(texts, programs.unwrapped(call))
        # `env` alone starts nothing
        if not call.words or (call.words[0] in _ENVIRONMENTS and any(map(is_other, call.words))):
            return
        steps = _script(texts, call._replace(words=(call.path or call.words[0], *call.words[1:])))
    scripted = steps is not None
    if steps is None:
        steps = _inline(call) or _side_by_side(call) or _environments(texts, call) or _by_task(texts, call)
        steps = steps or _tasks(texts, call)
    known: list[OwnCall] = []
    for step in steps or ():
        found = list(calls(texts, step, depth + 1))
        if step.behind and found:
            found[-1] = found[-1]._replace(words=(*found[-1].words, *step.behind))
        known += (_inside(call, one) for one in found)
    if steps is None or (not known and (call.words[0] in _ENVIRONMENTS or not call.whole)):
        yield call  # of an environment, or a task, whose commands cannot be read it is all that is known
        yield from filter(None, (programs.beside(call),))
    elif scripted and all(one.words[0] in _PLAIN for one in known):  # of a script in which no tool stands alone, too
        if call.words[0] not in (".", "source"):
            yield _placed(texts, call._replace(path=call.path or (call.words[0] if "/" in call.words[0] else "")))
        return
    yield from known


def _inside(outer: OwnCall, one: OwnCall) -> OwnCall:
    """A call that another one comes to, with what goes with that; tox passes on what its configuration names."""
    env = programs.carried((*(outer.env if outer.words[0] != "tox" else ()), *one.env))
    whole, again = one.whole and outer.whole, one.again or outer.again
    return programs.by_toolchain(one._replace(whole=whole, env=env, again=again))


def _placed(texts: Texts, call: OwnCall) -> OwnCall:
    """The call; only of a file of the project's own, which nobody installed there, the path is kept."""
    path, top = os.path.normpath(call.path), os.path.dirname(os.path.dirname(call.path))
    place = os.path.normpath(os.path.join(call.folder, path))
    outside = os.path.isabs(path) or place.startswith("..") or "node_modules" in place.split("/")
    own = call.path and not outside and os.path.isfile(os.path.join(texts.root, place))
    installed = own and texts.text(os.path.join(call.folder, top), "pyvenv.cfg") is not None
    return call._replace(path=path if own and not installed else "")


def _script(texts: Texts, call: OwnCall) -> list[Step] | None:
    """The text of a shell script of the project's own; None where the words call none."""
    words = call.words[1:] if call.words[0] in ("bash", "sh", ".", "source") else call.words
    own = words and "/" in words[0] and _placed(texts, call._replace(path=words[0])).path
    text = texts.text(call.folder, words[0]) if own else None
    if text is None or not _SHELL.match(text) or os.path.basename(words[0]) in WRAPPERS:
        return None
    source = where(".", os.path.normpath(os.path.join(call.folder, words[0])))
    return [Step(text, call.folder, source, given=words[1:])]


def _inline(call: OwnCall) -> list[Step] | None:
    """The text of `bash -c TEXT`."""
    shell = call.words[0] in ("bash", "sh") and len(call.words) > 2 and re.fullmatch(r"-[a-z]*c", call.words[1])
    return [Step(call.words[2], call.folder, call.source, call.script)] if shell else None


def _side_by_side(call: OwnCall) -> list[Step] | None:
    """The commands that `concurrently` runs; None where one of them is there for the others, like a server."""
    if call.words[0] != "concurrently" or any(re.match(_UNEVEN, word) for word in call.words):
        return None
    pairs = itertools.pairwise(call.words)
    lines = [word for before, word in pairs if not word.startswith("-") and before not in _NAMED_SIDES]
    return [Step(re.sub(r"^(npm|pnpm|yarn|bun):", r"\1 run ", line), call.folder, call.source) for line in lines]


def _environments(texts: Texts, call: OwnCall) -> list[Step] | None:
    """The steps of the environments of tox or the sessions of nox that are called; None where the words call none."""
    tool, *words = call.words
    if tool not in _ENVIRONMENTS or (tool == "tox" and not {"-m", "-c", "--conf"}.isdisjoint(words)):
        return None  # labels, and configuration elsewhere
    steps, defaults, options, between, variable = _ENVIRONMENTS[tool]
    said = _values(words, options) or [one.removeprefix(variable) for one in call.env if one.startswith(variable)][-1:]
    wanted = [name for value in said for name in re.split(between, value) if name]
    if tool == "nox":
        wanted = [name.partition("(")[0].partition("-3")[0] for name in wanted]
    factors = {*_values(words, ("-f", "--factors"))} if tool == "tox" else set()
    if factors or not wanted:
        wanted = [name for name in defaults(texts, call.folder) if not factors or factors & {*name.split("-")}]
    return [step for name in wanted for step in steps(texts, call.folder, name) or ()]


def _values(words: Sequence[str], options: Sequence[str]) -> list[str]:
    found = [word.partition("=")[2] for word in words for option in options if word.startswith(f"{option}=")]
    return found + [after for option in options for word, after in itertools.pairwise(words) if word == option]


def _tasks(texts: Texts, call: OwnCall) -> list[Step] | None:
    """The steps of the tasks that are called; None where the words call no task."""
    call = workspaces.moved(call)
    if (packages := workspaces.selected(texts, call)) is not None:
        return [step for one in packages for step in _tasks(texts, one) or ()]
    for opening, reader in _TASKS:
        if call.words[: len(opening)] != opening:
            continue
        folder, names, behind = _names(call, len(opening))
        several = opening[0] in _SEVERAL or (opening[0] == "pnpm" and names[:1] != [] and names[0].startswith("/"))
        if reader == "npm":
            names = _scripts(texts, folder, names, opening)
        given = tuple(one for one in call.words if reader == "make" and one[0] != "-" and "=" in one)
        plain = reader in ("make", "just")
        known = [scripts.steps(texts, reader, folder, name, given) for name in (names or [""] * plain)]
        if plain and None in known[: None if several else 1]:
            return None
        option = call.words[len(opening) :][:1] and call.words[len(opening)].startswith("-")
        if opening in _RUN_TOOLS and known[:1] == [None] and option:
            return None
        if opening in _RUN_TOOLS and known[:1] == [None] and names[0] not in _OWN:
            return [Step(shlex.join(call.words[len(opening) :]), call.folder, call.source)]
        if opening[0] == "node":  # nothing before or behind the script
            known = [[one for one in steps or () if one.script in names] for steps in known]
        if not several:
            known, behind = known[:1], behind or tuple(names[1:])
        return [one for steps in known if steps for one in (*steps[:-1], steps[-1]._replace(behind=behind))]
    return None


def _by_task(texts: Texts, call: OwnCall) -> list[Step]:
    """The tasks of a call of turbo or nx, one by one."""
    parts = workspaces.tasks(texts, call)
    alone = parts == [call.words]
    return [] if alone else [Step(shlex.join(words), call.folder, call.source, call.script) for words in parts]


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
        elif call.words[0] == "pixi" and word in ("-e", "--environment") and rest:
            rest.pop(0)
        elif word in ("-f", "--filter", "-F", "--workspace", "-w") and rest:
            rest.pop(0)
            names.append("$UNKNOWN")
        elif not word.startswith("-") and "=" not in word:
            names.append(word)
    return folder, names, ()


def _scripts(texts: Texts, folder: str, names: Sequence[str], opening: tuple[str, ...]) -> list[str]:
    """The names of npm's scripts, patterns as those that they fit."""
    if opening == ("npm",):
        names = ["test", *names[1:]] if names[:1] in (["t"], ["tst"], ["test"]) else []
    known = table(texts.json(folder, "package.json"), "scripts")
    return [one for name in names for one in scripts.fitting(known, name)]
