"""The checkers by name. A new one is one file, one line in this table, and its recorded outputs.

Commands of the user's own (`checks.NAME.command`, `--check`) are no entry here: their command line and the exit
codes that mean "fine" come with them. `untilgreen.checkers.custom` reads what they say.
"""

from collections.abc import Collection
from importlib import import_module

from untilgreen.checkers.checker import Checker
from untilgreen.core.record import NamedTuple
from untilgreen.project.tree.layout import MANIFESTS, Layout


class Row(NamedTuple):
    """Where a checker is written, and what tells without loading it that it may apply.

    `signs`: file names, or `*.suffix`, one of which is in every such project, () where only a call of the project's
    says so; `tests`: only where they are asked for.
    """

    module: str
    signs: tuple[str, ...]
    tests: bool = False
    name: str = "CHECKER"


_ESLINT = (
    *(f"eslint.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts", "mts", "cts")),
    *(f".eslintrc{suffix}" for suffix in ("", ".js", ".cjs", ".json", ".yml", ".yaml")),
)
_PACK = ("*.py", "*.pyi", "*.js", "*.jsx", "*.mjs", "*.cjs", "*.ts", "*.tsx", "*.mts", "*.cts", "*.go")

# in the order in which checks are run and told
_TABLE = {
    "ruff": Row("python.ruff", ("*.py", "*.pyi")),
    "ruff-format": Row("formatters", (), name="RUFF"),
    "black": Row("formatters", (), name="BLACK"),
    "isort": Row("formatters", (), name="ISORT"),
    "flake8": Row("python.linters", (".flake8", "tox.ini", *MANIFESTS), name="FLAKE8"),
    "pylint": Row(
        "python.linters",
        ("pylintrc", ".pylintrc", "pylintrc.toml", ".pylintrc.toml", "tox.ini", *MANIFESTS),
        name="PYLINT",
    ),
    "mypy": Row("python.type_checkers", ("*.py", "*.pyi"), name="MYPY"),
    "pyright": Row("python.type_checkers", ("pyrightconfig.json", "pyproject.toml"), name="PYRIGHT"),
    "basedpyright": Row("python.type_checkers", ("pyproject.toml",), name="BASEDPYRIGHT"),
    "ty": Row("python.type_checkers", ("ty.toml", "pyproject.toml"), name="TY"),
    "bandit": Row("python.linters", (".bandit", "pyproject.toml"), name="BANDIT"),
    "ast-grep": Row("other.ast_grep", _PACK),
    "tsc": Row("js.tsc", ("tsconfig.json", "jsconfig.json")),
    "svelte-check": Row("js.linters", ("*.svelte",), name="SVELTE"),
    "astro-check": Row("js.linters", ("*.astro",), name="ASTRO"),
    "eslint": Row("js.eslint", (*_ESLINT, "package.json")),
    "biome": Row(
        "js.linters", ("biome.json", "biome.jsonc", ".biome.json", ".biome.jsonc", "package.json"), name="BIOME"
    ),
    "oxlint": Row(
        "js.linters",
        (".oxlintrc.json", ".oxlintrc.jsonc", "oxlint.json", "oxlint.config.ts", "package.json"),
        name="OXLINT",
    ),
    "prettier": Row("formatters", (), name="PRETTIER"),
    "xo": Row("js.eslint", ("package.json",), name="XO"),
    "standard": Row("js.linters", ("package.json",), name="STANDARD"),
    "npm-script": Row("command", (), name="SCRIPTS"),
    "linter": Row("command", (), name="LINTERS"),
    "pre-commit": Row("other.pre_commit", ()),
    "shellcheck": Row("other.linters", (".shellcheckrc", "shellcheckrc"), name="SHELLCHECK"),
    "hadolint": Row("other.linters", (".hadolint.yaml", ".hadolint.yml"), name="HADOLINT"),
    "actionlint": Row("other.linters", (".github/actionlint.yaml", ".github/actionlint.yml"), name="ACTIONLINT"),
    "yamllint": Row("other.linters", (".yamllint", ".yamllint.yaml", ".yamllint.yml"), name="YAMLLINT"),
    "go-vet": Row("go.linters", ("go.mod",), name="GO_VET"),
    "golangci-lint": Row("go.linters", ("go.mod",), name="GOLANGCI"),
    "cargo-check": Row("rust.cargo", ("Cargo.toml",), name="CHECK"),
    "cargo-clippy": Row("rust.cargo", ("Cargo.toml",), name="CLIPPY"),
    "builder": Row("command", (), name="BUILDERS"),
    "pytest": Row(
        "python.pytest_", ("*.py", "pytest.ini", "pytest.toml", "tox.ini", "setup.cfg", "pyproject.toml"), tests=True
    ),
    "unittest": Row("python.unittest_", ("*.py",), tests=True, name="UNITTEST"),
    "django-test": Row("python.unittest_", ("manage.py",), tests=True, name="DJANGO"),
    "go-test": Row("go.go_test", ("go.mod",), tests=True),
    "cargo-test": Row("rust.cargo_test", ("Cargo.toml",), tests=True),
    "npm-test": Row("js.npm_test", ("package.json",), tests=True),
    "runner": Row("command", (), tests=True, name="RUNNERS"),
}

NAMES: tuple[str, ...] = tuple(_TABLE)


def get(name: str) -> Checker:
    """The checker of that name; its module is loaded now. KeyError where there is none."""
    row = _TABLE[name]
    checker: Checker = getattr(import_module(f"untilgreen.checkers.{row.module}"), row.name)
    return checker


def candidates(layout: Layout, *, tests: bool, called: Collection[str] = ()) -> list[Checker]:
    """The checkers that may apply to such a project, and those of the programs that it calls; without `tests` none that
    runs them."""
    rows = ((name, row) for name, row in _TABLE.items() if tests or not row.tests)
    return [get(name) for name, row in rows if name in called or any(map(layout.has, row.signs))]
