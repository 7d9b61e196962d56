"""What a checker is: how to call a tool, and how to read its answer."""

import json
import os
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from untilgreen.core.model import Broken, Clean, Criteria, Found, Outcome, Output, Setting
from untilgreen.project.layout import Layout

MESSAGE = 500  # characters of one diagnostic's message
_LINES, _CHARACTERS = 20, 2_000  # of a tail


class Malformed(Exception):
    """The output was not understood, or says that the tool did not do its work; the message says what."""


def _plain(_layout: Layout, _root: str) -> str:
    return ""


def _all(output: Output) -> Output:
    return output


class Checker(NamedTuple):
    """One tool.

    `stage` is "static", "build" or "tests"; `seconds` the time it may take unless configured. `argv` gives the
    command line, run in `Setting.root`. `parse` reads what came of it: a Clean or a Found, else it raises
    Malformed; it never guesses. `roots` says where in a project it applies, as folders relative to it ("." first);
    the criteria tell what is asked for by name. `variant`: what a root's configuration says about how to call it.

    `programs`: the tool's file names where they are not the checker's name, the first that is found is used.
    `serves`: the criteria of which it is what was asked for. `edit`: the hook that runs it at every edit ("lint",
    "types", "security"), and `suffixes` the files for which it does. `by_file`: it can be told the files to look at;
    `by_stdin`: it reads one file's text from stdin. `harmless`: it executes nothing out of the project, so it may
    look at one that nobody trusted. `python`: it wants to know the project's interpreter. `covers`: a checker whose
    findings are all among its own, and which is left out where both would run. `words`: the part of an output that is
    for people; a Broken check shows the end of it.
    """

    name: str
    stage: str
    seconds: float
    argv: Callable[[Setting], tuple[str, ...]]
    parse: Callable[[Output, Setting], Outcome]
    roots: Callable[[Layout, Criteria], Sequence[str]]
    programs: tuple[str, ...] = ()
    serves: tuple[str, ...] = ()
    edit: str = ""
    suffixes: tuple[str, ...] = ()
    by_file: bool = False
    by_stdin: bool = False
    variant: Callable[[Layout, str], str] = _plain
    harmless: bool = False
    python: bool = False
    covers: str = ""
    words: Callable[[Output], Output] = _all


def outcome(checker: Checker, output: Output, setting: Setting) -> Outcome:
    """What the check ends as. Everything that is neither a clean run nor findings is Broken, with its reason."""
    if setting.report:  # a file of ours that is gone by now, under another name each time
        lines = output.stdout.split("\n")
        output = output._replace(stdout="\n".join(line for line in lines if setting.report not in line))
    reason = unfinished(output)
    if reason:
        return Broken(reason, tail(checker.words(output)))
    try:
        result = checker.parse(output, setting)
    except Malformed as unclear:
        return Broken(first_line(str(unclear)), tail(checker.words(output)))
    nothing = isinstance(result, Clean) or (isinstance(result, Found) and not result.diagnostics)
    if nothing and output.code != 0:
        return Broken(f"exit code {output.code} and no findings", tail(checker.words(output)))
    return result


def unfinished(output: Output) -> str:
    """Why the process never came to an end of its own, "" if it did."""
    if output.why:
        return first_line(output.why)
    if output.code is None:
        return "did not end"
    return f"ended by signal {-output.code}" if output.code < 0 else ""


def refusal(output: Output, complaint: re.Pattern[str]) -> Malformed:
    """The exit code, with the first line of the tool's own words that matches `complaint`."""
    words = complaint.search(output.stderr) or complaint.search(output.stdout)
    return Malformed(f"exit code {output.code}" + (f": {words[0].strip()}" if words else ""))


def json_answer(text: str) -> Any:
    """What a tool answered in JSON. Raises Malformed."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise Malformed(f"the answer is not JSON: {error}") from error


def json_list(text: str) -> list[Any]:
    """What a tool answered as a list in JSON. Raises Malformed."""
    answer = json_answer(text)
    if not isinstance(answer, list):
        raise Malformed("the answer is not a JSON list")
    return answer


def tail(output: Output) -> str:
    """The last lines, at most 2,000 characters of them."""
    return "\n".join(last_lines(output))[-_CHARACTERS:]


def last_lines(output: Output) -> list[str]:
    """The last 20 lines of stderr and stdout together, blank ones left out, neither drowning the other."""
    errors, out = _lines(output.stderr), _lines(output.stdout)
    errors = errors[-max(_LINES // 2, _LINES - len(out)) :]
    return errors + (out[len(errors) - _LINES :] if len(errors) < _LINES else [])


def first_line(text: str, limit: int = MESSAGE) -> str:
    """The first line that is not blank, of at most `limit` characters."""
    for line in text.split("\n"):
        if line.strip():
            return line.strip()[:limit]
    return ""


def relative(path: str, root: str) -> str:
    """`path` as a posix path below `root`; a path outside of it, or relative already, is left where it is.

    Tools ask the system for their working directory and print it without symbolic links, so both forms of
    `root` are tried.
    """
    if os.path.isabs(path):
        for base in (root, os.path.realpath(root)):
            if path.startswith(base.rstrip(os.sep) + os.sep):
                path = path[len(base.rstrip(os.sep)) + 1 :]
                break
    return path.replace(os.sep, "/")


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.split("\n") if line.strip()]
