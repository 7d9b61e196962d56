"""Where Python code lives in a project: what its linters and type checkers have in common."""

from untilgreen.project.layout import Layout, any_below, below_any, outermost

MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", "ruff.toml", ".ruff.toml", "requirements.txt", "tox.ini")
SUFFIXES = (".py", ".pyi")


def python(layout: Layout) -> list[str]:
    """The roots of Python code; one is enough where the project's is Python's: tools find nested configurations."""
    files = layout.ending(*SUFFIXES)
    nested = outermost(folder for folder in layout.marked(MARKERS) if any_below(files, folder))
    at_root = "." in layout.marked(MARKERS) or any(not below_any(path, nested) for path in files)
    return (["."] if at_root else nested) if files else []
