"""What a script, a target or a session checks, by its name: `test:unit`, `lint`, `check-types`, `build-all`."""

import re
from collections.abc import Iterable

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
_NEUTRAL = {"run", "all", "ci", "full", "coverage", "cov", "once", "check", "checks", "fix", "prod", "production"} | {
    *("strict", "verbose", "go", "py", "python", "js", "ts", "code", "project", "code", "the", "sh", "race", "ruby"),
}
_NARROW = _PARTS | {"fast", "quick", "changed", "affected", "staged", "related", "single", "one", "failed", "slow"}


def of(goal: str) -> tuple[str, str]:
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
    rest = [word for word in words if word not in _NEUTRAL and _KINDS.get(word) is None]
    return kind, "unknown" if rest else "whole"


def several(goals: Iterable[str]) -> tuple[set[str], str]:
    """The kinds of several goals, and what all of those look at together."""
    found = [of(goal) for goal in goals]
    return {kind for kind, _ in found if kind}, worst(scope for kind, scope in found if kind)


def worst(scopes: Iterable[str]) -> str:
    """What several look at: a part is a part, whatever is not known of the others."""
    found = set(scopes)
    return "narrowed" if "narrowed" in found else "unknown" if "unknown" in found else "whole"
