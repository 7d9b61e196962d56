"""Programs that go by their exit code: what each is for, and the words of which one must follow where it does other
things too. Those that a checker of their own reads are in the table of checkers."""

from collections.abc import Collection, Sequence

_LINT = {
    **dict.fromkeys(("pycodestyle", "pydocstyle", "pyflakes", "pylama", "prospector", "doc8", "rstcheck"), ""),
    **dict.fromkeys(("codespell", "typos", "vulture", "interrogate", "refurb", "slotscheck", "darglint"), ""),
    **dict.fromkeys(("lint-imports", "deptry", "zizmor", "staticcheck", "revive", "rubocop"), ""),
    **dict.fromkeys(("usort", "ufmt"), "check"),
    **dict.fromkeys(("reuse", "fixit", "buf"), "lint"),
    **dict.fromkeys(("docformatter", "autoflake", "pyproject-fmt", "toml-sort"), "--check -c --check-diff -cd"),
    "yapf": "--diff -d",
    "autopep8": "--exit-code",
    "djlint": "--check --lint",
    "taplo": "check lint --check",
    "shfmt": "-d --diff",
    "cargo fmt": "--check",
    "terraform fmt": "-check --check",
}
_TYPES = {"pytype": "", "pyrefly": "check", "pyre": "check"}
_TEST = {
    **dict.fromkeys(("zope-testrunner", "nose2", "nosetests", "trial", "green", "ward", "behave", "robot"), ""),
    **dict.fromkeys(("ctest", "bats", "prove", "rspec", "phpunit", "busted"), ""),
    **dict.fromkeys(("dotnet", "mix", "swift", "deno", "bun", "meson", "zig", "bazel"), "test"),
    **dict.fromkeys(("mvn", "mvnw"), "test verify"),
    **dict.fromkeys(("gradle", "gradlew"), "test check"),
    **dict.fromkeys(("stestr", "testr"), "run"),
    "rake": "test spec",
}
_BUILD = {
    **dict.fromkeys(("cargo", "go", "uv", "poetry", "pdm", "hatch", "flit", "dotnet", "swift", "zig"), "build"),
    **dict.fromkeys(("mvn", "mvnw"), "compile package verify install"),
    **dict.fromkeys(("gradle", "gradlew"), "build assemble"),
    "cmake": "--build",
}
BY_EXIT_CODE: dict[str, dict[str, str]] = {"lint": _LINT, "types": _TYPES, "test": _TEST, "build": _BUILD}
# how the tests of Python are run
PYTHONS = ("zope-testrunner", "nose2", "nosetests", "trial", "green", "ward", "stestr", "testr")
# of npm: what only looks at the code, the runners of tests that are read, and others
NPM_LINTERS = (
    *("eslint", "tslint", "jshint", "jscs", "standard", "semistandard", "ts-standard", "xo", "oxlint", "biome"),
    *("prettier", "stylelint", "markdownlint", "markdownlint-cli2", "remark", "alex", "cspell", "htmlhint", "dtslint"),
    *("tsd", "attw", "publint", "knip", "depcheck", "dprint", "ls-lint", "editorconfig-checker", "eclint", "madge"),
    *("vue-tsc", "svelte-check", "flow", "commitlint", "type-coverage", "size-limit", "sort-package-json"),
    "dependency-check",
)
NPM_RUNNERS = ("jest", "vitest", "mocha", "ava", "tap", "tape")
NPM_TESTING = ("playwright", "cypress", "karma", "wtr", "web-test-runner", "jasmine", "uvu")
# with these a linter writes, or a program only tells something
_WRITING = {"-w", "--write-changes", "--write", "--in-place", "--inplace", "--fix", "--autofix", "-A", "--autocorrect"}
_ASKING = {"--version", "--help", "-h"}
TELLING = _ASKING | {"--show-only", "-N", "--list-tests"}
_LEFT = {"lint": _WRITING | _ASKING, "types": _WRITING | _ASKING, "test": TELLING, "build": set[str]()}


def does(words: Sequence[str], kinds: Collection[str]) -> str:
    """Which of the kinds ("lint", "types", "test", "build") a call is of; "" for none."""
    for kind in kinds:
        needed = BY_EXIT_CODE[kind].get(words[0], BY_EXIT_CODE[kind].get(" ".join(words[:2])))
        if needed is not None and not _LEFT[kind] & set(words) and (not needed or set(needed.split()) & set(words[1:])):
            return kind
    return ""
