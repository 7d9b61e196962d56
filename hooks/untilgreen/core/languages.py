"""Which files each edit hook has something to say about, known without loading a single checker.

Every edit asks, most of them of texts that no checker reads.
"""

from collections.abc import Sequence
from functools import cache

_PYTHON = (".py", ".pyi")
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_SHELL = (".sh", ".bash", ".dash", ".ksh")
_DOCKER = ("Dockerfile", "Dockerfile.*", ".Dockerfile", ".dockerfile")
_YAML = (".yml", ".yaml")
_WEB = (".vue", ".svelte", ".astro", ".json", ".jsonc", ".css", ".graphql", ".gql")

# hook to (the kind of check that it runs, the patterns of the files that have one); post-tool-lsp has its name from
# seed 004 and runs type checkers, no language server
HOOKS = {
    "post-tool-lint": ("lint", (*_PYTHON, ".ipynb", *_SCRIPTS, *_WEB, *_SHELL, *_DOCKER, *_YAML)),
    "post-tool-lsp": ("types", (*_PYTHON, *_SCRIPTS, ".go", ".rs")),
    "post-tool-ast-grep": ("security", (*_PYTHON, *_SCRIPTS, ".go")),
}


def fits(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns is for this file: `.py` for its suffix, `Dockerfile` or `Dockerfile.*` for its name,
    `.github/workflows/*.yml` for its whole path. A pattern has one `*` at most, which stands for no `/`."""
    suffixes, others = _told_apart(tuple(patterns))
    if path.endswith(suffixes) or not others:
        return path.endswith(suffixes)
    name = path.rpartition("/")[2]
    return any(_fits(path if "/" in pattern else name, pattern) for pattern in others)


@cache
def _told_apart(patterns: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    suffixes = tuple(one for one in patterns if one[0] == "." and "/" not in one)
    return suffixes, tuple(one for one in patterns if one not in suffixes)


def _fits(text: str, pattern: str) -> bool:
    before, star, after = pattern.partition("*")
    if not star:
        return text == pattern
    between = text[len(before) : len(text) - len(after)]
    return text.startswith(before) and text.endswith(after) and between != "" and "/" not in between
