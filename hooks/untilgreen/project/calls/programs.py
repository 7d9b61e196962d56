"""The program that a call starts, without what only starts it, and the variables that go with it."""

import os
import re
from collections.abc import Iterable

from untilgreen.core.model.check import OwnCall
from untilgreen.core.shell.wrappers import started

_PYTHON = re.compile(r"^(?:.*/)?(?:python|pypy|py)[\d.]*(?:\.exe)?$")
_PYTHON_OPTIONS = re.compile(r"^-(?:[bBdEiIOPqsSuvx]+|X|W)$|^-[XW].+")
_PYTHON_MODULE = re.compile(r"^-[bBdEiIOPqsSuvx]*m$")
_GO_TEST = ("gotestsum", "richgo", "gotest")  # those that print what `go test` says in another way
_SAME = {"py.test": "pytest", "pre_commit": "pre-commit"}  # other names of programs
# what cargo does otherwise by another toolchain; rustfmt and clippy say much the same in all of them
_BUILT = ("build", "check", "test", "run", "bench", "doc", "miri", "rustc", "nextest")
_PLAINLY = {"test", "clippy", "--workspace", "--all", "--lib", "--tests", "--all-targets", "--release", "--locked"}
_NIGHTLY = re.compile(r"RUSTUP_TOOLCHAIN=nightly|RUSTFLAGS=(?:.* )?-Z")
# where programs lie, secrets, and what says how somebody installs, reports or prints
_KEPT_BACK = re.compile(
    r"PATH|HOME|TERM|CI|RUST_BACKTRACE|PWD|(?:PIP|UV|TOX|NOX|HATCH|POETRY|CIBW|COVERAGE|COV"
    r"|CODECOV|GITHUB|UNTILGREEN|npm_config"
    r"|NPM_CONFIG|RUFF_OUTPUT)_.*|.*(?:TOKEN|SECRET|PASSW|CREDENTIAL|COLOR|COLOUR).*|(?:.*_)?(?:API)?KEY"
)
_LONGEST = 1_000  # characters of a value


def unwrapped(call: OwnCall) -> OwnCall:
    """Without what only starts the tool: the environment's runner, the interpreter, coverage."""
    call = _with_module(call)
    while words := call.words:
        if _PYTHON.match(words[0]):
            rest = words[1:]
            while rest and _PYTHON_OPTIONS.match(rest[0]):
                rest = rest[2 if rest[0] in ("-X", "-W") else 1 :]
            if not (rest and _PYTHON_MODULE.match(rest[0])):
                return call._replace(words=("python", *map(os.path.normpath, rest[:1]), *rest[1:]))
            call = call._replace(words=rest[1:], module=True)
        elif words[0].endswith(".py"):
            return call._replace(words=("python", os.path.normpath(words[0]), *words[1:]))
        elif known := started(words):
            behind, sets, in_place = known
            env = carried((*call.env, *(sets if os.path.basename(words[0]) in ("env", "cross-env") else ())))
            if os.path.basename(words[0]) == "coverage":
                call = call._replace(measured=words[2:])
            call = call._replace(words=behind, whole=call.whole and in_place, env=env)
        else:
            name = re.sub(r"(?<=.)@[\w.^~-]+$", "", os.path.basename(words[0]))  # `npx prettier@3`
            path = words[0] if "/" in words[0] else ""
            if name == "go":  # which takes --race for -race
                words = tuple(re.sub(r"^--(?=\w)", "-", word) for word in words)
            if name in _GO_TEST:
                rest = words[words.index("--") + 1 :] if "--" in words else words[1:]
                return call._replace(words=("go", "test", *(rest[1:] if rest[:1] == ("test",) else rest)))
            return by_toolchain(call._replace(words=(_SAME.get(name, name), *words[1:]), path=path))
    return call


def beside(call: OwnCall) -> OwnCall | None:
    """Of `cargo hack test --each-feature`, which needs a tool of its own, what runs without it; None of other calls."""
    tool, words = call.words[:2], call.words[2:]
    if tool != ("cargo", "hack") or words[:1] not in (("test",), ("clippy",)) or {"-Z", "--target"} & {*words}:
        return None
    return call._replace(words=("cargo", *(word for word in words if word in _PLAINLY)))


def _with_module(call: OwnCall) -> OwnCall:
    """The call without those options in front of `-m` that only a shell could tell."""
    program, end = os.path.basename(call.words[0]), call.words.index("-m") if "-m" in call.words else 0
    if call.whole or not end or not (program == "coverage" or _PYTHON.match(program)):
        return call
    words = (*(word for word in call.words[:end] if "$" not in word), *call.words[end:])
    return call._replace(words=words, whole=not any("$" in word for word in words))


def by_toolchain(call: OwnCall) -> OwnCall:
    """A call of cargo that needs a nightly toolchain, as one that says so."""
    nightly = "-Z" in call.words or any(map(_NIGHTLY.match, call.env))
    named = call.words[:1] == ("cargo",) and call.words[1:2] and call.words[1] in _BUILT and nightly
    return call._replace(words=("cargo", "+nightly", *call.words[1:])) if named else call


def carried(assignments: Iterable[str]) -> tuple[str, ...]:
    """Of words like `NAME=value` those that go with a call, the last of each name. One whose value only a shell or CI
    could tell (`$HOME`, `{envtmpdir}`, `${{ matrix.x }}`) does not."""
    found = dict(word.partition("=")[::2] for word in assignments)
    known = ((name, value) for name, value in found.items() if not re.search(r"[$`{\0\n]", value))
    return tuple(
        f"{name}={value}"
        for name, value in known
        if len(value) < _LONGEST and re.fullmatch(r"[A-Za-z_]\w*", name) and not _KEPT_BACK.fullmatch(name)
    )
