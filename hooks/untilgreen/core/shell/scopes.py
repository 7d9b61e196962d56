"""What a run checks by the name of its goal (`test:unit`, `lint`, `check-types`), and what the words behind a tool make
of it: the whole, a part, what nobody can tell, or nothing at all."""

import re
from collections.abc import Iterable, Sequence

from untilgreen.core.shell.programs import IDLE, KnownTool
from untilgreen.core.shell.words import ShellWord

_TEST = {"test", "tests", "testing", "spec", "specs", "pytest", "jest", "vitest", "unittest", "rspec", "phpunit", "tst"}
_PARTS = {"unit", "e2e", "integration", "functional", "acceptance", "smoke", "component"}
_KINDS = {
    **dict.fromkeys(_TEST | _PARTS, "test"),
    **dict.fromkeys(("lint", "lints", "linter", "linting", "eslint", "ruff", "flake8", "pylint", "clippy"), "lint"),
    **dict.fromkeys(("stylelint", "vet", "rubocop", "golangci", "oxlint", "shellcheck"), "lint"),
    **dict.fromkeys(("typecheck", "typechecks", "types", "tsc", "mypy", "pyright", "typing", "typescript"), "types"),
    **dict.fromkeys(("type", "typed", "phpstan", "psalm", "basedpyright"), "types"),
    **dict.fromkeys(("build", "compile", "bundle", "assemble"), "build"),
}
# a name with one of these never ends, or does something else
_OTHERS = {
    *("watch", "dev", "serve", "server", "start", "preview", "storybook", "ui", "open", "debug", "install", "setup"),
    *("clean", "deps", "dependencies", "docs", "doc", "fixtures", "data", "db", "list", "help", "init", "update"),
    *("upgrade", "report", "format", "fmt", "shell", "logs", "up", "down", "env", "gen", "generate", "new", "create"),
    *("publish", "release", "deploy", "migrate", "seed", "reset", "image", "prepare", "runserver"),
}
_NEUTRAL = {
    *("run", "all", "ci", "full", "coverage", "cov", "once", "check", "checks", "fix", "prod", "production", "strict"),
    *("verbose", "go", "py", "python", "js", "ts", "code", "project", "the", "sh", "race", "ruby"),
}
_NARROW = _PARTS | {"fast", "quick", "changed", "affected", "staged", "related", "single", "one", "failed", "slow"}
_WATCH = re.compile(r"--?watch(?:-?all)?|--continuous|--looponfail", re.IGNORECASE)


def of_goal(goal: str) -> tuple[str, str]:
    """The kind of a goal, "" where its name says none, and what it looks at: "whole", "narrowed" or "unknown"."""
    words = re.findall(r"[a-z0-9]+", re.sub(r"(?<=[a-z])(?=[A-Z])", "-", goal).lower())
    kinds = [_KINDS[word] for word in words if word in _KINDS]
    if not kinds or not _OTHERS.isdisjoint(words):
        return "", "unknown"
    kind = kinds[0]
    if kind == "test" and words[0] in _TEST and {"types", "lint"} & set(kinds):
        kind = next(one for one in kinds if one != "test")  # `test:types`
    if not _NARROW.isdisjoint(words):
        return kind, "narrowed"
    return kind, "whole" if {*words} <= _NEUTRAL | _KINDS.keys() else "unknown"


def of_goals(goals: Iterable[str]) -> tuple[set[str], str]:
    """The kinds of several goals, and what all of those look at together."""
    found = [of_goal(goal) for goal in goals]
    return {kind for kind, _ in found if kind}, worst(scope for kind, scope in found if kind)


def worst(scopes: Iterable[str]) -> str:
    """What several look at: a part is a part, whatever is not known of the others."""
    found = set(scopes)
    return next((scope for scope in ("narrowed", "unknown") if scope in found), "whole")


def scope(tool: KnownTool, words: Sequence[ShellWord]) -> str:
    """What a run with these words looks at: "whole", "narrowed", "unknown"; "" where it checks nothing, or watches."""
    valued, whole, narrows, widens = (set(one.split()) for one in (tool.valued, tool.whole, tool.narrows, tool.widens))
    idle = (IDLE | set(tool.idle.split())) - valued
    found, place, wide, first = ["whole"], 0, False, True
    while place < len(words):
        word, place = words[place], place + 1
        name, equals, value = word.text.partition("=")
        if word.text == "--":
            if not tool.passes:
                break
        elif name[:1] == "-" and len(name) > 1:
            watches = name in idle or word.text in idle or _WATCH.fullmatch(name)
            if watches and value.lower() not in ("false", "0", "no"):
                return ""
            name, alone = (name, not equals) if name in narrows | valued | widens else _letters(tool, word.text)
            wide = wide or name in widens
            alone = alone and name in narrows | valued and place < len(words) and words[place].text[:1] != "-"
            value = words[place].text if alone else value
            found += ["narrowed"] if name in narrows and value not in whole else []
            place += alone
        elif word.known and first and name in idle:
            return ""
        elif not word.known or re.search(r"[*?$`]", word.text):
            found.append("unknown")
        elif word.text in widens:
            wide = True
        elif word.text not in whole:
            found.append("narrowed")
        first = first and name[:1] == "-"
    return worst([*found, *([] if wide or "unknown" in found else [tool.bare])])


def _letters(tool: KnownTool, text: str) -> tuple[str, bool]:
    """The option that a word of letters ends with, as `-k` of `-xvk`; whether its value is the next word."""
    if not tool.letters or not re.match(r"-[A-Za-z]", text):
        return text.partition("=")[0], "=" not in text
    known = {*tool.narrows.split(), *tool.valued.split()}
    for place, letter in enumerate(text[1:], 2):
        if f"-{letter}" in known:
            return f"-{letter}", place == len(text)
        if not letter.isalpha():
            break
    return text, False
