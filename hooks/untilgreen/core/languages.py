"""Which files each edit hook has something to say about, known without loading a single checker.

Every edit asks, most of them of texts that no checker reads.
"""

from collections.abc import Sequence

_PYTHON = (".py", ".pyi")
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_WEB = (".vue", ".svelte", ".astro", ".json", ".jsonc", ".css", ".graphql", ".gql")

# hook to (the kind of check that it runs, the patterns of the files that have one)
HOOKS = {
    "post-tool-lint": ("lint", (*_PYTHON, ".ipynb", *_SCRIPTS, *_WEB)),
    "post-tool-lsp": ("types", (*_PYTHON, *_SCRIPTS, ".go", ".rs")),
    "post-tool-ast-grep": ("security", (*_PYTHON, *_SCRIPTS, ".go")),
}


def fits(path: str, patterns: Sequence[str]) -> bool:
    """Whether one of the patterns is for this file: `.py` for its suffix, `Dockerfile` or `Dockerfile.*` for its name,
    `.github/workflows/*.yml` for the end of its path. A pattern has one `*` at most, which stands for no `/`."""
    parts = path.split("/")
    return any(_fits("/".join(parts[-1 - pattern.count("/") :]), pattern) for pattern in patterns)


def _fits(end: str, pattern: str) -> bool:
    if pattern[0] == "." and "/" not in pattern:
        return end.endswith(pattern)
    before, star, after = pattern.partition("*")
    if not star:
        return end == pattern
    return end.startswith(before) and end.endswith(after) and len(end) >= len(pattern)
