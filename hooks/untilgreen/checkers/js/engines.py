"""Which tasks turbo and nx say failed in the packages of a workspace, and what each printed. Learned from turbo 2.11,
nx 21.6 and 24.0. A task that passed before prints what it printed then."""

import posixpath
import re

from untilgreen.checkers.answer import Reading, relative
from untilgreen.checkers.js import on_terminal
from untilgreen.core.model.outcome import Diagnostic, Found, Output, Tests
from untilgreen.core.shell.scopes import of_goal

_FAILED = r"(?m)^Failed: +(\S+#.+)$|^Failed tasks:\n\n((?:- .+\n?)+)"  # turbo's, nx's
_OF_NX = r"(?m)^(?:. +)?> nx run {}(?:  \[.+\])?\n((?:.*\n)*?)(?=(?:. +)?> nx run |[✔✖] +nx run | NX  |\Z)"
# how many tasks came from a cache, and of how many: turbo's words, nx's
_CACHED = r"(?m)^Cached: +(\d+) cached, (\d+) total$|^Nx read the output from the cache .* (\d+) out of (\d+) tasks\.$"
# where a package lies: by turbo, by npm, by pnpm; and what these say around what a task itself says
_FOLDER = r"(?m)\bcommand \((/[^)\n]+)\)|^npm (?:error|ERR!) path (/.+)$|^> \S+@\S* \S+ (/.+)$"
_AROUND = r"(?m)^(?:npm (?:error|ERR!) |cache (?:hit|miss|bypass), |> | *(?:ERROR|WARNING) +command |\s*ELIFECYCLE ).*$"


def read(output: Output, root: str) -> Reading | None:
    """What failed, and how many tests ran; None for what neither of them printed, and no runner of tests."""
    text = f"{output.stdout}\n{output.stderr}"
    tests = on_terminal.read(text)
    failed = [task for one in re.findall(_FAILED, text) for task in re.findall(r"[^\s,]*\w[^\s,]*", "".join(one))]
    if not failed:
        return tests
    found, counted = dict.fromkeys(tests.diagnostics if tests else ()), (tests and tests.tests) or Tests(0, 0)
    for task in dict.fromkeys(failed):
        said = _said(text, task)
        if not (theirs := on_terminal.read(said)) or not theirs.diagnostics:
            own, more = _found(said, task, root)
            found |= dict.fromkeys(own)
            counted = counted._replace(run=counted.run + more.run, failed=counted.failed + more.failed)
    return Reading(tuple(found), counted)


def from_cache(text: str) -> str:
    """Which of them took all that it says from its cache, "" for none."""
    numbers = [[*filter(None, one)] for one in re.findall(_CACHED, re.sub(r"\x1b\[[\d;]*m", "", text))]
    engine = "nx" if "\nNx read " in text else "turbo"
    return engine if numbers and all(n == of for n, of in numbers) else ""


def _said(text: str, task: str) -> str:
    prefix = re.escape(task.replace("#", ":"))
    lines = re.findall(rf"(?m)^(?:{prefix}|{re.escape(task)}): ?(.*)$", text)
    return "\n".join(lines or re.findall(_OF_NX.format(prefix), text)) + "\n"


def _found(said: str, task: str, root: str) -> tuple[list[Diagnostic], Tests]:
    """What runners of tests, compilers and eslint tell in a task's output, or its end; and how many tests that are."""
    from untilgreen.checkers import custom

    place = re.search(_FOLDER, said)
    folder = relative(next(filter(None, place.groups())), root) if place else ""
    own = custom.ended(Output(1, re.sub(_AROUND, "", said), ""), root, fine=False)
    tested, found = of_goal(re.split("[#:]", task)[-1])[0] == "test", list[Diagnostic]()
    for one in own.diagnostics if isinstance(own, Found) else ():
        if one.rule == "exit-1":
            file = folder and f"{folder}/package.json"
            found.append(one._replace(file=file, rule=task, severity="test" if tested else "error"))
        else:
            inside = one.file.startswith(f"{folder}/")
            found.append(one if inside else one._replace(file=posixpath.join(folder, one.file)))
    return found, own.tests or Tests(tested, tested)
