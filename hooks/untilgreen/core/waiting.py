"""Waiting: does the agent stop only until something in the background is over?

A sub-agent, a test run or a timer wakes the session again, so judging now would be too early. A dev server or a
watcher never ends: it is no reason to let go. Command lines are read, never run, and a wrong guess costs at most
two stops; so reading them is rough (no expansion, here-documents count as commands) and never fails.
"""

import re
from collections.abc import Sequence

from untilgreen.core.foreign import strip
from untilgreen.core.model.event import Task

_LONGEST = 1000  # characters of a command line that are read: a host sends no more
_SHOWN = 60  # and that are shown
_REMEMBERED = 1_000  # tasks

_TOOLS = {  # check or build something whatever their arguments are
    *("pytest", "py.test", "unittest", "mypy", "pyright", "basedpyright", "pyre", "ty", "ruff", "flake8", "pylint"),
    *("bandit", "tox", "nox", "build", "compileall", "pre-commit", "prek", "semgrep", "ast-grep", "shellcheck"),
    *("tsc", "vue-tsc", "eslint", "oxlint", "stylelint", "svelte-check", "jest", "vitest", "mocha", "ava", "webpack"),
    *("ctest", "ninja", "golangci-lint", "staticcheck", "gotestsum", "phpunit", "phpstan", "rspec", "rubocop"),
    *("hadolint", "actionlint", "yamllint", "standard", "xo"),
}
_VERBS = {  # tools that do so with this first word, or with this option
    *("cargo test", "cargo t", "cargo build", "cargo b", "cargo check", "cargo c", "cargo clippy", "cargo nextest"),
    *("go test", "go build", "go vet", "dotnet test", "dotnet build", "swift test", "swift build", "zig build"),
    *("mix test", "mix compile", "stack test", "stack build", "cabal test", "cabal build", "bazel test", "bazel build"),
    *("meson test", "meson compile", "cmake --build", "deno test", "deno check", "deno lint", "uv build"),
    *("poetry build", "poetry check", "docker build", "biome check", "biome ci", "biome lint", "playwright test"),
    *(
        "cypress run",
        "vite build",
        "next build",
        "next lint",
        "black --check",
        "isort --check-only",
        "isort --check",
        "prettier --check",
        "node --test",
        "untilgreen wait",
        "untilgreen check",
    ),
}
_HAVE_VERBS = {entry.partition(" ")[0] for entry in _VERBS}
_JVM = {"gradle", "gradlew", "mvn", "mvnw"}
_TASK_RUNNERS = _JVM | {"make", "gmake", "rake", "just", "task", "sbt", "turbo", "nx", "lerna", "hatch", "poe"}
_SCRIPT_RUNNERS = {"npm", "pnpm", "yarn", "bun"}
_SCRIPT_OPTIONS = ("-w", "--workspace", "--prefix", "-C", "-F", "--filter", "--dir", "--cwd")  # these take a value
_PREFIXES: dict[str, tuple[str, ...]] = {  # what may stand before a command, and its options that take a value
    **dict.fromkeys(("if", "then", "elif", "else", "do", "!", "{", "nohup", "command", "exec", "stdbuf"), ()),
    **dict.fromkeys(("poetry run", "pdm run", "pipenv run", "rye run", "bundle exec", "mise exec"), ()),
    **dict.fromkeys(("pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "bun x", "bunx", "coverage run"), ()),
    **dict.fromkeys(("npx", "npm exec"), ("-p", "--package", "-w", "--workspace")),
    **dict.fromkeys(("uvx", "pipx run"), ("--from", "--spec", "--with", "-p", "--python")),
    "uv run": ("-p", "--python", "--with", "--extra", "--group", "--project", "--directory", "--package", "--env-file"),
    "conda run": ("-n", "--name", "-p", "--prefix"),
    **dict.fromkeys(("sudo", "env"), ("-u", "-g", "-C")),
    **dict.fromkeys(("nice", "ionice", "time", "timeout"), ("-c", "-n", "-o", "-s", "--signal", "-k", "--kill-after")),
}
_CHECKING = _TOOLS | {
    *("test", "tests", "spec", "unit", "e2e", "check", "checks", "lint", "typecheck", "types"),
    *("compile", "all", "verify", "validate", "coverage", "ci"),
}
_STAYING = {"watch", "dev", "serve", "server", "start", "preview", "storybook", "runserver"}

_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_NUMBER = re.compile(r"\d+(?:\.\d+)?[smhd]?")
_PYTHON = re.compile(r"(?:python|pypy|py)[\d.]*w?")
_WATCH = re.compile(r"--?watch(?:-?all)?(?:=(?!false).*)?|--continuous|--looponfail", re.IGNORECASE | re.DOTALL)
_TOKEN = re.compile(
    r"(?P<blank>[ \t\r]+|\\\n|\#[^\n]*|\d*[<>]&\d+-?)"
    r"|(?P<redirection>&>>?|\d*(?:<{1,3}-?|>[>|&]?))"
    r"|(?P<cut>[;&|()`\n])"
    r"""|(?P<word>(?:[^\s;&|()<>"'\\`]+|"(?:\\.|[^"\\])*"?|'[^']*'?|\\.?)+)""",
    re.DOTALL,
)
_QUOTED = re.compile(r"""\\(.?)|"((?:\\.|[^"\\])*)"?|'([^']*)'?""", re.DOTALL)


def awaited(tasks: Sequence[Task], waited: dict[str, int], limit: int = 2) -> tuple[dict[str, int], str] | None:
    """How often each id was waited for by now, and what is waited for, in words. None when there is nothing to wait
    for, or when all of it was waited for `limit` times already: what never ends must not hold back the verdict."""
    ending = [task for task in tasks if task.kind != "shell" or is_check(task.command)]
    worth_it = {task.id: task for task in ending if waited.get(task.id, 0) < limit}
    if not worth_it:
        return None
    counts = {**waited, **{key: waited.get(key, 0) + 1 for key in worth_it}}
    return dict([*counts.items()][-_REMEMBERED:]), ", ".join(map(_named, worth_it.values()))


def _named(task: Task) -> str:
    if task.kind == "shell":
        line = " ".join(strip(task.command).split())
        return line if len(line) <= _SHOWN else f"{line[: _SHOWN - 3]}..."
    name = {"agent": "sub-agent", "wakeup": "timer"}.get(task.kind, task.kind)
    return strip(f"{name} {task.id}")


def is_check(command: str) -> bool:
    """Whether this command line tests, checks or builds something and then ends. Quotes may be unbalanced: hosts clip
    long command lines."""
    commands = _commands(command[:_LONGEST])
    kinds = {"server" if words[0] in ("while", "until") else _kind(words) for words in commands}
    return "check" in kinds and "server" not in kinds


def _kind(words: list[str]) -> str:
    """What one simple command is: "check", "server" (it never ends) or ""."""
    words = _without_prefixes(words)
    if not words:
        return ""
    tool = words[0].rpartition("/")[2].removesuffix(".exe").removesuffix(".cmd")
    arguments = words[1:]
    if any(map(_WATCH.fullmatch, arguments)) or ("-w" in arguments and tool in ("tsc", "vue-tsc", "webpack")):
        return "server"
    if tool in ("bash", "sh", "zsh", "dash"):
        return _of_shell(arguments)
    if _PYTHON.fullmatch(tool):
        return _of_python(arguments)
    if tool in _TOOLS:
        return "server" if arguments and arguments[0] in _STAYING else "check"
    if tool in _HAVE_VERBS:
        first = next((word for word in arguments if not word.startswith(("-", "+"))), "")
        verbs = [first, *(word for word in arguments if word.startswith("-"))]
        if any(f"{tool} {verb}" in _VERBS for verb in verbs):
            return "check"
        return "server" if first in _STAYING else ""
    if tool in _SCRIPT_RUNNERS:
        return _of_script_runner(tool, arguments)
    if tool in _TASK_RUNNERS:
        return _of_goals(tool, arguments)
    return _of_names([tool]) if "/" in words[0] or tool.endswith((".sh", ".py")) else ""


def _of_names(names: list[str]) -> str:
    """By the words in the names of scripts, goals and the like: `test:unit`, `build-all`, `./run-tests.sh`."""
    words = {word for name in names for word in re.split(r"[^a-z0-9]+", name.lower())}
    if words & _STAYING:
        return "server"
    return "check" if words & _CHECKING else ""


def _of_goals(tool: str, arguments: list[str]) -> str:
    if tool in _JVM:
        stays = any(word == "-t" or word.lower().endswith(("run", "dev", "exec:java")) for word in arguments)
        return "server" if stays else "check"
    goals = [word for word in _without_options(arguments, ("-C", "-f", "-j")) if not _ASSIGNMENT.fullmatch(word)]
    return _of_names(goals) if goals else "check" if tool in ("make", "gmake", "rake") else ""


def _of_shell(arguments: list[str]) -> str:
    rest = _without_options(arguments, ("-o",))
    options = arguments[: len(arguments) - len(rest)]
    if any(option.endswith("c") for option in options):  # also -lc, -ec
        return "check" if rest and is_check(rest[0]) else ""
    return _of_names(rest[:1])


def _of_python(arguments: list[str]) -> str:
    arguments = _without_options(arguments, ("-W", "-X"), but="-m")
    if arguments[:1] in (["-m"], ["manage.py"], ["setup.py"]):
        return _kind(arguments[1:]) or _of_names(arguments[1:2])
    return _of_names(arguments[:1])


def _of_script_runner(tool: str, arguments: list[str]) -> str:
    names = _without_options(arguments, _SCRIPT_OPTIONS)
    names = names[2:] if names[:1] == ["workspace"] else names
    if names[:1] in (["run"], ["run-script"]):
        names = _without_options(names[1:], _SCRIPT_OPTIONS)
    elif names[:1] in (["t"], ["tst"]):
        return "check"
    elif tool == "npm" and names[:1] not in (["test"], ["start"]):
        return ""  # `npm ci` installs
    return _of_names(names[:1]) or _kind(names)


def _without_prefixes(words: list[str]) -> list[str]:
    while words:
        if words[0] == "-m":
            return ["python", *words]
        length = 2 if " ".join(words[:2]) in _PREFIXES else 1
        options = _PREFIXES.get(" ".join(words[:length]))
        if options is not None:
            words = _without_options(words[length:], options, but="-m")
        elif _ASSIGNMENT.fullmatch(words[0]):
            words = words[1:]
        else:
            break
    return words


def _without_options(words: list[str], valued: tuple[str, ...], but: str = "") -> list[str]:
    """The words without leading options, their values (of `valued`) and bare numbers, up to the option `but`."""
    place = 0
    while place < len(words) and words[place] != but and (words[place][:1] == "-" or _NUMBER.fullmatch(words[place])):
        place += 2 if words[place] in valued else 1
    return words[place:]


def _commands(line: str) -> list[list[str]]:
    """The simple commands of a line as lists of words, without quotes, redirections and comments."""
    commands: list[list[str]] = [[]]
    is_file = False
    for token in _TOKEN.finditer(line):
        if token.lastgroup == "cut":
            commands.append([])
        elif token.lastgroup == "word" and not is_file:
            commands[-1].append(_QUOTED.sub(r"\1\2\3", token[0]))
        if token.lastgroup != "blank":
            is_file = token.lastgroup == "redirection"
    return [words for words in commands if words]
