"""Which files each edit hook has something to say about, known without loading a single checker.

Every edit asks, most of them of texts that no checker reads.
"""

_PYTHON = (".py", ".pyi")
_SCRIPTS = (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx", ".mts", ".cts")
_WEB = (".vue", ".svelte", ".astro", ".json", ".jsonc", ".css", ".graphql", ".gql")

# hook to (the kind of check that it runs, the suffixes of the files that have one)
HOOKS = {
    "post-tool-lint": ("lint", frozenset({*_PYTHON, ".ipynb", *_SCRIPTS, *_WEB})),
    "post-tool-lsp": ("types", frozenset({*_PYTHON, *_SCRIPTS, ".go", ".rs"})),
    "post-tool-ast-grep": ("security", frozenset({*_PYTHON, *_SCRIPTS, ".go"})),
}


def suffix(path: str) -> str:
    """The suffix of a file's name, with its dot; "" without one."""
    name = path.rpartition("/")[2]
    return name[name.rindex(".") :] if "." in name else ""
