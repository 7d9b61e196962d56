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
_BRACES = re.compile(r"\{([^{}]*)\}")
_LINE = re.compile(r"^(?:(?P<factors>[\w!,.-]+(?:\{[^}]*\}[\w!,.-]*)*):\s+)?(?P<words>.*)$")
_PYTHON = re.compile(r"^(py|pypy|cpython)[\d.]*t?$")


def tox(texts: Texts, folder: str, name: str) -> list[Step] | None:
    """The commands of an environment of tox; None where it has none of that name."""
    if is_other(name):
        return []
    for read in (_tox_toml, _tox_ini):
        steps = read(texts, folder, name)
        if steps is not None:
            return steps
    return None


def tox_defaults(texts: Texts, folder: str) -> list[str]:
    """The environments that tox runs by itself."""
    for document in _tox_documents(texts, folder):
        return list(strings(table(document).get("env_list")))
    for sections, _, prefix in _tox_inis(texts, folder):
        own = sections.get(prefix + "tox") or sections.get("tox", {})
        return [name for item in _split(own.get("envlist", own.get("env_list", ""))) for name in _product(item)]
    return []


def _tox_documents(texts: Texts, folder: str) -> Iterator[Any]:
    if texts.text(folder, "tox.toml") is not None:
        yield texts.toml(folder, "tox.toml")
    own = table(texts.toml(folder, "pyproject.toml"), "tool", "tox")
    if own and "legacy_tox_ini" not in own:
        yield own


def _tox_toml(texts: Texts, folder: str, name: str) -> list[Step] | None:
    for document in _tox_documents(texts, folder):
        base, own = table(document, "env_run_base"), table(document, "env", name)
        if not own and not _PYTHON.match(name) and name not in strings(document.get("env_list")):
            return None
        commands = own.get("commands", base.get("commands"))
        inside = str(own.get("change_dir", base.get("change_dir", ".")))
        file = "tox.toml" if texts.text(folder, "tox.toml") is not None else "pyproject.toml"
        lines = [shlex.join(filter(None, map(_toml_word, line))) for line in commands or () if isinstance(line, list)]
        said = table(own if "set_env" in own else base, "set_env")
        env = of_table({key: _placed(value, inside) for key, value in said.items() if isinstance(value, str)})
        inside = os.path.normpath(os.path.join(folder, inside))
        return [Step(line, inside, where(folder, file, name), env=env) for line in lines]
    return None


def _placed(text: str, inside: str) -> str:
    """The value of a variable, with tox's folder as it is called from where the commands run."""
    up = os.path.relpath(".", inside)
    return _braces(re.sub(r"\{(?:toxinidir|tox_root)\}", up, text))


def _toml_word(word: Any) -> str:
    if isinstance(word, str):
        return _braces(word)
    return "" if isinstance(word, dict) and word.get("replace") == "posargs" else "$UNKNOWN"


def _tox_inis(texts: Texts, folder: str) -> Iterator[tuple[dict[str, dict[str, str]], str, str]]:
    yield from ((texts.ini(folder, "tox.ini"), "tox.ini", ""),) if texts.text(folder, "tox.ini") is not None else ()
    legacy = table(texts.toml(folder, "pyproject.toml"), "tool", "tox").get("legacy_tox_ini")
    if isinstance(legacy, str):
        yield ini_of(legacy), "pyproject.toml", ""
    sections = texts.ini(folder, "setup.cfg")
    if "tox:tox" in sections:
        yield sections, "setup.cfg", "tox:"


def _tox_ini(texts: Texts, folder: str, name: str) -> list[Step] | None:
    for sections, file, _ in _tox_inis(texts, folder):
        ours = (one for one in sections if one.startswith("testenv:"))
        named = (one for one in ours if any(name in _product(item) for item in _split(one[8:])))
        own = next((sections[one] for one in named), None)
        base = sections.get("testenv", {})
        if (
            own is None
            and not _PYTHON.match(name.split("-", maxsplit=1)[0])
            and name not in tox_defaults(texts, folder)
        ):
            return None
        settings = base | (own or {})
        inside = settings.get("changedir", settings.get("change_dir", "."))
        inside = "." if inside in ("{toxinidir}", "{tox_root}") else _braces(inside)
        text = _referred(settings.get("commands", ""), sections)
        source = where(folder, file, name if own is not None else "testenv")
        factors = set(name.split("-"))
        lines = list(_lines(text.replace("\\\n", " "), factors))
        said = _referred(settings.get("setenv", settings.get("set_env", "")), sections)
        pairs = (line.partition("=") for line in _lines(said, factors, inside) if "=" in line)
        env = tuple(f"{key.strip()}={value.strip()}" for key, _, value in pairs)
        return [Step(line, os.path.normpath(os.path.join(folder, inside)), source, env=env) for line in lines]
    return None


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
    for line in text.split("\n"):
        match = _LINE.match(line.strip())
        words = _placed(match["words"], inside) if match else ""
        if match is None or not words or words.startswith("-"):
            continue
        if match["factors"] and not any(_holds(one, factors) for one in _product(match["factors"])):
            continue
        yield words.removeprefix("!").strip()


def _holds(factor: str, factors: set[str]) -> bool:
    return all((one.lstrip("!") in factors) != one.startswith("!") for one in factor.split("-") if one)


def _braces(text: str) -> str:
    """tox's own substitutions: what the user's words would replace has its default, what is not known is a `$`."""

    def value(match: re.Match[str]) -> str:
        name, _, default = match[1].partition(":")
        if name == "posargs":
            return default
        if name in ("toxinidir", "tox_root"):
            return "."
        return {"envpython": "python", "envbindir": "bin", "env_bin_dir": "bin", "/": "/"}.get(name, "$UNKNOWN")

    return _BRACES.sub(value, _BRACES.sub(value, text)).strip()


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
        if method == "session.chdir" and call.args:
            moved = _literal(call.args[0])
            folder = os.path.normpath(os.path.join(folder, moved)) if isinstance(moved, str) else folder
        if method in ("session.run", "session.run_always"):
            env = next((_literal(word.value) for word in call.keywords if word.arg == "env"), None)
            words = " ".join(filter(None, map(_argument, call.args)))
            yield words, folder, of_table(env) if isinstance(env, dict) else ()


def _argument(node: ast.expr) -> str:
    if isinstance(node, ast.Starred):
        return "" if "posargs" in ast.unparse(node) else "$UNKNOWN"
    value = _literal(node)
    return shlex.quote(value) if isinstance(value, str) else "$UNKNOWN"


def _literal(node: ast.expr) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None
