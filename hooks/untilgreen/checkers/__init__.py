"""The checkers by name. A new one is one file, one line in this table, and its recorded outputs. Commands of the user's
own (`checks.NAME.command`, `--check`) are read by `untilgreen.checkers.custom`."""

from collections.abc import Collection
from importlib import import_module

from untilgreen.checkers.checker import Checker
from untilgreen.project.tree.layout import MANIFESTS, Layout

_ESLINT = (
    *(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts")),
    *(f".eslintrc{suffix}" for suffix in ("", ".js", ".cjs", ".json", ".yml", ".yaml")),
)
_PACK = ("*.py", "*.pyi", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts", "*.go")

# in the order in which checks are run and told: the module that a checker is written in, as its name in capitals or as
# CHECKER, and what tells without loading it that it may apply: file names, or `*.suffix`, one of which is in every such
# project, () where only a call of the project's says so
_TABLE: dict[str, tuple[str, tuple[str, ...]]] = {
    "ruff": ("python.ruff", ("*.py", "*.pyi")),
    "ruff-format": ("formatters", ()),
    "black": ("formatters", ()),
    "isort": ("formatters", ()),
    "flake8": ("python.linters", (".flake8", "tox.ini", *MANIFESTS)),
    "pylint": ("python.linters", ("pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml", "tox.ini", *MANIFESTS)),
    "mypy": ("python.type_checkers", ("*.py", "*.pyi")),
    "pyright": ("python.type_checkers", ("pyrightconfig.json", "pyproject.toml")),
    "basedpyright": ("python.type_checkers", ("pyproject.toml",)),
    "ty": ("python.type_checkers", ("ty.toml", "pyproject.toml")),
    "bandit": ("python.linters", (".bandit", "pyproject.toml")),
    "ast-grep": ("other.ast_grep", _PACK),
    "tsc": ("js.tsc", ("tsconfig.json", "jsconfig.json")),
    "svelte-check": ("js.linters", ("*.svelte",)),
    "astro-check": ("js.linters", ("*.astro",)),
    "eslint": ("js.eslint", (*_ESLINT, "package.json")),
    "biome": ("js.linters", ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc", "package.json")),
    "oxlint": ("js.linters", (".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.json", "oxlint.config.ts", "package.json")),
    "prettier": ("formatters", ()),
    "xo": ("js.eslint", ("package.json",)),
    "standard": ("js.linters", ("package.json",)),
    "npm-script": ("command", ()),
    "linter": ("command", ()),
    "pre-commit": ("other.pre_commit", ()),
    "hook": ("other.pre_commit", ()),
    "shellcheck": ("other.linters", (".shellcheckrc", "shellcheckrc")),
    "hadolint": ("other.linters", (".hadolint.yaml", ".hadolint.yml")),
    "actionlint": ("other.linters", (".github/actionlint.yaml", ".github/actionlint.yml")),
    "yamllint": ("other.linters", (".yamllint", ".yamllint.yaml", ".yamllint.yml")),
    "go-vet": ("other.go", ("go.mod",)),
    "golangci-lint": ("other.go", ("go.mod",)),
    "cargo-check": ("other.cargo", ("Cargo.toml",)),
    "cargo-build": ("other.cargo", ()),
    "cargo-clippy": ("other.cargo", ("Cargo.toml",)),
    "builder": ("command", ()),
    "pytest": ("python.pytest_", ("*.py", "pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml")),
    "unittest": ("python.unittest_", ("*.py",)),
    "django-test": ("python.unittest_", ("manage.py",)),
    "go-test": ("other.go_test", ("go.mod",)),
    "cargo-test": ("other.cargo_test", ("Cargo.toml",)),
    "npm-test": ("js.npm_test", ("package.json",)),
    "runner": ("command", ()),
}

# only where tests are asked for
_TESTS = ("pytest", "unittest", "django-test", "go-test", "cargo-test", "npm-test", "runner")
NAMES: tuple[str, ...] = tuple(_TABLE)


def get(name: str) -> Checker:
    """The checker of that name; its module is loaded now. KeyError where there is none."""
    module = import_module(f"untilgreen.checkers.{_TABLE[name][0]}")
    checker: Checker = getattr(module, name.upper().replace("-", "_"), None) or module.CHECKER
    return checker


def candidates(layout: Layout, *, tests: bool, called: Collection[str] = ()) -> list[Checker]:
    """The checkers that may apply to such a project, and those of the programs that it calls; without `tests` none that
    runs them."""
    rows = ((name, signs) for name, (_, signs) in _TABLE.items() if tests or name not in _TESTS)
    return [get(name) for name, signs in rows if name in called or any(map(layout.has, signs))]
