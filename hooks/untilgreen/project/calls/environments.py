"""What tox and nox run by default: the commands of tox's environments, the literal words of nox's sessions."""

import ast
import itertools
import os
import re
import shlex
from collections.abc import Iterator, Mapping

from untilgreen.core.record import Any
from untilgreen.project.calls.documents import Step, Texts, ini_of, is_other, of_table, strings, table, where

_LONGEST = 100_000  # characters that one reference stands for
_NESTED = 4  # substitutions inside of one another
_BRACES = re.compile(r"\{([^{}]*)\}")
_LINE = re.compile(r"^(?:(?P<factors>[\w!,.-]+(?:\{[^}]*\}[\w!,.-]*)*):\s+)?(?P<words>.*)$")
_PYTHON = re.compile(r"^(py|pypy|cpython)[\d.]*t?$")


def tox(texts: Texts, folder: str, name: str) -> list[Step] | None:
    """The commands of an environment of tox; None where it has none of that name."""
    if is_other(name):
        return []
    steps = _of_toml(texts, folder, name)
    return _of_ini(texts, folder, name) if steps is None else steps


def tox_defaults(texts: Texts, folder: str) -> list[str]:
    """The environments that tox runs by itself."""
    file, document = _toml(texts, folder)
    if file:
        return list(strings(document.get("env_list")))
    _, sections, prefix = _ini(texts, folder)
    own = sections.get(prefix + "tox") or sections.get("tox", {})
    return [name for item in _split(own.get("envlist", own.get("env_list", ""))) for name in _product(item)]


def _toml(texts: Texts, folder: str) -> tuple[str, dict[str, Any]]:
    """The file in which tox is configured in TOML, "" where none is, and what it says."""
    if texts.text(folder, "tox.toml") is not None:
        return "tox.toml", table(texts.toml(folder, "tox.toml"))
    own = table(texts.toml(folder, "pyproject.toml"), "tool", "tox")
    return ("pyproject.toml", own) if own and "legacy_tox_ini" not in own else ("", {})


def _of_toml(texts: Texts, folder: str, name: str) -> list[Step] | None:
    file, document = _toml(texts, folder)
    base, own = table(document, "env_run_base"), table(document, "env", name)
    if not file or not (own or _PYTHON.match(name) or name in strings(document.get("env_list"))):
        return None
    inside = str(own.get("change_dir", base.get("change_dir", ".")))
    commands = own.get("commands", base.get("commands")) or ()
    lines = (shlex.join(filter(None, map(_word, line))) for line in commands if isinstance(line, list))
    said = table(own if "set_env" in own else base, "set_env")
    env = of_table({key: _placed(value, inside) for key, value in said.items() if isinstance(value, str)})
    inside = os.path.normpath(os.path.join(folder, inside))
    return [Step(line, inside, where(folder, file, name), env=env) for line in lines]


def _placed(text: str, inside: str) -> str:
    """The value of a variable, with tox's folder as it is called from where the commands run."""
    up = os.path.relpath(".", inside)
    return _braces(re.sub(r"\{(?:toxinidir|tox_root)\}", up, text))


def _word(word: Any) -> str:
    if isinstance(word, str):
        return _braces(word)
    return "" if isinstance(word, dict) and word.get("replace") == "posargs" else "$UNKNOWN"


def _ini(texts: Texts, folder: str) -> tuple[str, dict[str, dict[str, str]], str]:
    """The file in which tox is configured as INI, "" where none is, its sections, and what stands before tox's own."""
    if texts.text(folder, "tox.ini") is not None:
        return "tox.ini", texts.ini(folder, "tox.ini"), ""
    legacy = table(texts.toml(folder, "pyproject.toml"), "tool", "tox").get("legacy_tox_ini")
    if isinstance(legacy, str):
        return "pyproject.toml", ini_of(legacy), ""
    sections = texts.ini(folder, "setup.cfg")
    return ("setup.cfg", sections, "tox:") if "tox:tox" in sections else ("", {}, "")


def _of_ini(texts: Texts, folder: str, name: str) -> list[Step] | None:
    file, sections, _ = _ini(texts, folder)
    ours = (one for one in sections if one.startswith("testenv:"))
    named = (one for one in ours if any(name in _product(item) for item in _split(one[8:])))
    own = next((sections[one] for one in named), None)
    known = own is not None or _PYTHON.match(name.split("-", maxsplit=1)[0]) or name in tox_defaults(texts, folder)
    if not file or not known:
        return None
    settings = sections.get("testenv", {}) | (own or {})
    inside = settings.get("changedir", settings.get("change_dir", "."))
    inside = "." if inside in ("{toxinidir}", "{tox_root}") else _braces(inside)
    factors = {*name.split("-")}
    lines = _lines(_referred(settings.get("commands", ""), sections).replace("\\\n", " "), factors)
    said = _referred(settings.get("setenv", settings.get("set_env", "")), sections)
    pairs = (line.partition("=") for line in _lines(said, factors, inside) if "=" in line)
    env = tuple(f"{key.strip()}={value.strip()}" for key, _, value in pairs)
    source = where(folder, file, name if own is not None else "testenv")
    inside = os.path.normpath(os.path.join(folder, inside))
    return [Step(line, inside, source, env=env) for line in lines]


def _referred(text: str, sections: Mapping[str, Mapping[str, str]], depth: int = 0) -> str:
    """The text with `{[section]key}` filled in."""

    def value(match: re.Match[str]) -> str:
        found = sections.get(match[1], {}).get(match[2])
        if found is None or depth > 5:
            return "$UNKNOWN"
        text = _referred(found, sections, depth + 1)
        return text if len(text) < _LONGEST else "$UNKNOWN"

    return re.sub(r"\{\[([^\]]+)\](\w+)\}", value, text)


def _lines(text: str, factors: set[str], inside: str = ".") -> Iterator[str]:
    """The lines that count with these factors of an environment's name."""
    for line in text.split("\n"):
        match = _LINE.match(line.strip())
        words = _placed(match["words"], inside) if match else ""
        if match and words and not words.startswith("-"):
            wanted = [one.split("-") for one in _product(match["factors"] or "")]
            if any(all((one.lstrip("!") in factors) != one.startswith("!") for one in each if one) for each in wanted):
                yield words.removeprefix("!").strip()


def _braces(text: str) -> str:
    """tox's own substitutions: what the user's words or variables would replace has its default, what is not known is a
    `$`."""

    def value(match: re.Match[str]) -> str:
        name, _, default = match[1].partition(":")
        if name == "env" and ":" in default:
            return default.partition(":")[2]
        if name == "posargs":
            return default
        if name in ("toxinidir", "tox_root"):
            return "."
        return {"envpython": "python", "envbindir": "bin", "env_bin_dir": "bin", "/": "/"}.get(name, "$UNKNOWN")

    for _ in range(_NESTED):
        text = _BRACES.sub(value, text)
    return text.strip()


def _split(text: str) -> list[str]:
    """The items of a list of environments, on lines or between commas; a comma in braces is no end."""
    return [item for item in re.split(r"[\s,]+(?![^{]*\})", re.sub(r"#.*", "", text)) if item]


def _product(item: str) -> list[str]:
    """`py{310,311}-{a,b}` as its names."""
    parts = [part.strip("{}").split(",") if part.startswith("{") else [part] for part in re.split(r"(\{[^}]*\})", item)]
    return ["".join(chosen).strip() for chosen in itertools.islice(itertools.product(*parts), 64)]


def nox_defaults(texts: Texts, folder: str) -> list[str]:
    """The sessions that nox runs by itself: those that `nox.options.sessions` names, else all but `default=False`."""
    tree = texts.python(folder, "noxfile.py")
    if tree is None:
        return []
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "nox.options.sessions":
            named = _literal(node.value)
            return list(strings(list(named) if isinstance(named, list | tuple) else None))
    return [name for name, _, default in _sessions(tree) if default]


def nox(texts: Texts, folder: str, name: str) -> list[Step] | None:
    """The commands of a session: `session.run(…)` with literal words; None where there is none of that name."""
    if is_other(name):
        return []
    tree = texts.python(folder, "noxfile.py")
    for known, function, _ in _sessions(tree) if tree is not None else ():
        if known == name:
            source = where(folder, "noxfile.py", name)
            return [Step(line, inside, source, env=env) for line, inside, env in _runs(function, folder)]
    return None


def _sessions(tree: ast.Module) -> Iterator[tuple[str, ast.FunctionDef, bool]]:
    for node in tree.body:
        for one in node.decorator_list if isinstance(node, ast.FunctionDef) else ():
            call = one if isinstance(one, ast.Call) else None
            if ast.unparse(call.func if call else one) in ("nox.session", "session", "nox_poetry.session"):
                words = {word.arg: _literal(word.value) for word in call.keywords} if call else {}
                assert isinstance(node, ast.FunctionDef)
                yield str(words.get("name") or node.name), node, words.get("default", True) is not False


def _runs(function: ast.FunctionDef, folder: str) -> Iterator[tuple[str, str, tuple[str, ...]]]:
    for one in function.body:  # in a condition or a loop only nox can tell
        statement = one.body[0] if isinstance(one, ast.With) else one
        call = statement.value if isinstance(statement, ast.Expr) else None
        if not isinstance(call, ast.Call):
            continue
        method = ast.unparse(call.func)
        if method == "session.chdir" and call.args and isinstance(moved := _literal(call.args[0]), str):
            folder = os.path.normpath(os.path.join(folder, moved))
        if method in ("session.run", "session.run_always"):
            env = next((_literal(word.value) for word in call.keywords if word.arg == "env"), None)
            words = (
                _literal(node)
                for node in call.args
                if not (isinstance(node, ast.Starred) and "posargs" in ast.unparse(node))
            )
            line = " ".join(shlex.quote(word) if isinstance(word, str) else "$UNKNOWN" for word in words)
            yield line, folder, of_table(env) if isinstance(env, dict) else ()


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
