"""The hooks by which pytest is told in Python what it collects, runs and reports: configuration, where fixtures are
none. A hook that only says which markers there are says nothing of a test."""

import re

_NAMES = (
    rb"(?:pytest_(?:collect|ignore|runtest|pyfunc|configure|cmdline|load_initial|make_collect|pycollect|report"
    rb"|sessionfinish|deselected|itemcollected|unconfigure)\w*|collect_ignore(?:_glob)?|pytest_plugins)\b"
)
# what begins so, with the lines that belong to it: those further in, and the end of its brackets
_BLOCK = (
    rb"(?m)^([ \t]*)(?:(?:async[ \t]+)?def[ \t]+|from[ \t][^\n#]{0,200}?\bimport[ \t][^\n#]{0,200}?\b)?("
    + _NAMES
    + rb")[^\n]*((?:\n(?:\1[)\]}][^\n]*|\1[ \t]+[^\n]*|[ \t]*#[^\n]*|[ \t]*(?=\n|\Z)))*)"
)
_MARKERS = rb"(?:\s*(?:\"\"\"[^\"]*\"\"\"|\w+\.addinivalue_line\([^()]*\)))+\s*"


def texts(path: str, content: bytes) -> dict[str, str]:
    """What counts of a file, by a name such as "conftest.py [pytest_runtest_call]"."""
    if not path.endswith(".py") or (b"pytest_" not in content and b"collect_ignore" not in content):
        return {}
    found: dict[str, str] = {}
    for match in re.finditer(_BLOCK, content.replace(b"\r\n", b"\n")):
        if re.fullmatch(_MARKERS, match[3]) and match[2] == b"pytest_configure":
            continue
        lines = (line.strip() for line in match[0].decode("utf-8", "surrogateescape").split("\n"))
        name = f"{path} [{match[2].decode()}]"
        found[name] = found.get(name, "") + "\n".join(line for line in lines if line and line[0] != "#")
    return found
