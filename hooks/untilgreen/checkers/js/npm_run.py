"""What else a package.json runs to look at the code, and nothing here can read: by the exit code.

`npm run lint` as it stands, or of a chain that other checkers read in part the rest, `stylelint src` (`npm exec -c`,
npm 7 and later). A call is the whole command line.
"""

import re
from collections.abc import Sequence

from untilgreen.checkers.answer import Malformed, failed, last_lines
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.js import npm_chain
from untilgreen.core.model.outcome import Clean, Found, Outcome, Output, Setting

NAME = "npm-script"
_NOT_RUN = (126, 127)  # what the shell answers for a command that it could not run
_TYPES = re.compile(r"(?:.+[:-])?(?:types?|type-?check|tsc)(?:[:-].+)?|flow|tsd|dtslint|type-coverage|vue-tsc")


def argv(setting: Setting) -> tuple[str, ...]:
    if tuple(setting.call[:2]) == ("npm", "run"):
        return (setting.tool, "run", "--silent", *setting.call[2:])
    import shlex

    return (setting.tool, *npm_chain.executed(shlex.join(setting.call)))


def parse(output: Output, _setting: Setting) -> Outcome:
    if not output.code:
        return Clean()
    if output.code in _NOT_RUN:
        raise Malformed(": ".join((f"exit code {output.code}", *last_lines(output)[-1:])))
    return Found((failed(output, "error"),))


def title(call: Sequence[str]) -> str:
    """What a check is called: `npm-lint` for `npm run lint`, `npm-stylelint` for `stylelint src`."""
    return f"npm-{_name(call)}"


def serves_by(call: Sequence[str]) -> tuple[str, ...]:
    """What a call answers, by the name of the script or of the program."""
    return ("type_check",) if _TYPES.fullmatch(_name(call)) else ("lint_clean",)


def _name(call: Sequence[str]) -> str:
    return call[2] if tuple(call[:2]) == ("npm", "run") else call[0]


CHECKER = Checker(
    name=NAME,
    argv=argv,
    parse=parse,
    roots=lambda _layout, _criteria: (),
    programs=("npm",),
    serves=("lint_clean", "type_check"),
    serves_by=serves_by,
    leaves_out="",
    title=title,
    one_finding=True,
)
