"""Builds: `npm run build`, `make build`, `uv build`, `go build`, as the project calls them or as its manifests have it.

The exit code decides; where it stopped is read from what compilers and runners of tests print, else the last lines are
one finding. A call is the whole command line. What a build leaves behind lies where it always does, but for Go's
programs and Python's packages: nobody wants these from a check, and nothing else is built from them.
"""

import itertools
import os
from collections.abc import Sequence

from untilgreen.checkers import known_outputs
from untilgreen.checkers.answer import Malformed, failed, last_lines
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Found, Outcome, Output, Setting

NAME = "builder"
# programs that build, with the words of which one must follow
_PROGRAMS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("cargo", "go", "uv", "poetry", "pdm", "hatch", "flit", "dotnet", "swift", "zig"), ("build",)),
    **dict.fromkeys(("mvn", "mvnw"), ("compile", "package", "verify", "install")),
    **dict.fromkeys(("gradle", "gradlew"), ("build", "assemble")),
    "cmake": ("--build",),
}
# the same by others where they are not there
_INSTEAD = {
    **dict.fromkeys(("pnpm", "yarn", "bun"), ("npm",)),
    "pyproject-build": ("uv",),
}
_OUT = {"pyproject-build": "--outdir", "uv": "--out-dir", "poetry": "--output", "pdm": "--dest"}
_NOT_RUN = (126, 127)  # what a shell answers for a command that it could not run


def own(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a project's call as those of this checker; None where they build nothing that it knows of."""
    if words[0] == "build":  # python -m build
        return (NAME, "pyproject-build", *words[1:])
    wanted = _PROGRAMS.get(words[0], ())
    return (NAME, *words) if set(wanted) & set(words[1:]) else None


def argv(setting: Setting) -> tuple[str, ...]:
    call = setting.call
    if call[:2] == ("go", "build"):
        rest = (word for before, word in itertools.pairwise(call[1:]) if "-o" not in (before, word))
        return (setting.tool, "build", "-o", os.devnull, *rest)
    name = os.path.basename(setting.tool)
    words = ("build", *call[1:]) if (call[0], name) == ("pyproject-build", "uv") else call[1:]
    if name == "npm":  # nor what npm itself has to tell
        return (setting.tool, "run", "--silent", *words[1:])
    option = _OUT.get(name, "")
    if option and not any(word.partition("=")[0] in (option, "-o", "-d") for word in words):
        return (setting.tool, *words, option, f"{setting.report}-built")
    return (setting.tool, *words)


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code in _NOT_RUN:
        raise Malformed(": ".join((f"exit code {output.code}", *last_lines(output)[-1:])))
    reading = known_outputs.read(output, setting.root)
    if not output.code:
        return Clean(known_outputs.passed(reading))
    # a test that fails within it keeps it from being built, and is no more than that here
    found = tuple(one._replace(severity="error") for one in reading.diagnostics)
    return Found(found or (failed(output, "error"),), reading.tests)


def title(call: Sequence[str]) -> str:
    """What a check is called: `npm-build`, `make-build`, `go-build`, `mvn-package`, `tsc-build`."""
    name = "python" if call[0] == "pyproject-build" else call[0]
    words = [word for word in call[1:] if word in ("all", *_PROGRAMS.get(call[0], ()))]
    return f"{name}-{(words or ['build'])[0].lstrip('-')}"


def programs_by(call: Sequence[str]) -> tuple[str, ...]:
    """The file names of the program of a call, the first that is there is used."""
    return tuple(dict.fromkeys((*(("vue-tsc",) if call[0] == "tsc" else ()), call[0], *_INSTEAD.get(call[0], ()))))


CHECKER = Checker(
    name=NAME,
    stage="build",
    argv=argv,
    parse=parse,
    roots=lambda _layout, _criteria: (),
    serves=("build_success",),
    leaves_out="",
    title=title,
    programs_by=programs_by,
    one_finding=True,
)
