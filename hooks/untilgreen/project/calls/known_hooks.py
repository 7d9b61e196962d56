"""The manifests of well-known hooks: what pre-commit runs of them where a configuration leaves something out.

As in the newest `.pre-commit-hooks.yaml` of each repository. Where a project's own is installed, that one counts.
"""

from untilgreen.core.record import NamedTuple


class Manifest(NamedTuple):
    """What a hook's repository says of it."""

    entry: str
    args: str = ""
    types: str = "file"
    types_or: str = ""
    exclude_types: str = ""
    files: str = ""
    pass_filenames: bool = True
    language: str = ""  #: "" where it has an environment of its own


_PYTHON = "python pyi"
_RUFF = Manifest("ruff check --force-exclude", types_or="python pyi jupyter")
_BLACK = Manifest("black", types_or=_PYTHON)
_BIOME = Manifest(
    "biome check --files-ignore-unknown=true --no-errors-on-unmatched",
    types="text",
    files=r"\.(jsx?|tsx?|c(js|ts)|m(js|ts)|d\.(ts|cts|mts)|jsonc?|css|svelte|vue|astro|graphql|gql)$",
)
_SHFMT = Manifest("shfmt", "--write", types="shell", exclude_types="csh tcsh")
_GOLANGCI = Manifest("golangci-lint run", types="go", pass_filenames=False)
_ACTIONLINT = Manifest("actionlint", types="yaml", files=r"^\.github/workflows/")
HOOKS = {
    "mypy": Manifest("mypy", "--ignore-missing-imports --scripts-are-modules", types_or=_PYTHON),
    "pyright": Manifest("pyright", types_or=_PYTHON),
    "basedpyright": Manifest("basedpyright", types_or=_PYTHON),
    **dict.fromkeys(("ruff", "ruff-check"), _RUFF),
    "ruff-format": _RUFF._replace(entry="ruff format --force-exclude"),
    "black": _BLACK,
    "black-jupyter": _BLACK._replace(types_or="python pyi jupyter"),
    "isort": Manifest("isort", "--filter-files", types_or="cython pyi python"),
    "flake8": Manifest("flake8", types="python"),
    "pylint": Manifest("pylint", types="python"),
    "bandit": Manifest("bandit", types="python"),
    "codespell": Manifest("codespell", types="text"),
    "typos": Manifest("typos", "--write-changes --force-exclude", types="text"),
    "prettier": Manifest("prettier --write --ignore-unknown", types="text"),
    "eslint": Manifest("eslint", types="javascript"),
    "biome-check": _BIOME,
    **{
        f"biome-{name}": _BIOME._replace(entry=_BIOME.entry.replace("check", name)) for name in ("ci", "format", "lint")
    },
    "shellcheck": Manifest("shellcheck", types="shell", exclude_types="zsh"),
    **dict.fromkeys(("shfmt", "shfmt-src"), _SHFMT),
    "yamllint": Manifest("yamllint", types="file yaml"),
    "actionlint": _ACTIONLINT,
    "actionlint-system": _ACTIONLINT._replace(language="system"),
    "hadolint": Manifest("hadolint", types="dockerfile", language="system"),
    "markdownlint": Manifest("markdownlint", types="markdown"),
    "markdownlint-cli2": Manifest("markdownlint-cli2", types="markdown"),
    "golangci-lint": _GOLANGCI._replace(args="--new-from-rev HEAD --fix"),
    "golangci-lint-full": _GOLANGCI._replace(args="--fix"),
}
# by the program and the word behind it: what makes a formatter only look. It fails as a hook where it would write
_LOOKING = {
    **dict.fromkeys(
        ("black", "isort", "prettier", "ruff format", "autoflake", "docformatter", "pyproject-fmt"), "--check"
    ),
    "shfmt": "-d",
    "yapf": "--diff",
}
_WRITING = {"--fix", "--fix-only", "--write", "--write-changes", "--in-place", "--apply"}
_SHORT = dict.fromkeys(("codespell", "typos", "prettier", "shfmt"), "-w") | dict.fromkeys(
    ("autoflake", "docformatter", "yapf"), "-i"
)


def looking(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words of a hook in the form in which its tool changes nothing: it fails for the same files."""
    program, short = words[0], _SHORT.get(words[0])
    kept = tuple(word for word in words if word not in _WRITING and word != short)
    form = _LOOKING.get(program) or _LOOKING.get(" ".join(words[:2]))
    if form is None or form in kept:
        return kept
    first = 1 if program in _LOOKING else 2
    return (*kept[:first], form, *kept[first:])
