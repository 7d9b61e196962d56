"""`astro check`: what it tells people, with the files of its last lines as the evidence that it looked at something.

Learned from @astrojs/check 0.5, 0.9.4 and 0.9.10: it has no form for machines, and colours it always. It looks at
`.astro` files alone.
"""

import re

from untilgreen.checkers.answer import findings, matched, refusal
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.js.javascript import depending
from untilgreen.core.model.outcome import Outcome, Output, Setting

_PATTERNS = (".astro",)
_COLOURS = r"\x1b\[[0-9;]*m"
_COUNT = r"\s*\n- (?P<{}>\d{{1,9}}) {}s?"
_RESULT = r"(?m)^Result \((?P<files>\d{1,9}) files?\):" + "".join(
    _COUNT.format(f"{one}s", one) for one in ("error", "warning")
)
_LINE = (
    r"(?m)^(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}) - (?P<severity>error|warning|hint)"
    r"(?: (?P<rule>[\w-]+\([\w-]+\)|[\w-]+))?: (?P<message>.*)$"
)


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "check", *setting.call)


def parse(output: Output, _setting: Setting) -> Outcome:
    said = re.sub(_COLOURS, "", output.stdout)
    result = re.search(_RESULT, said)
    if result is None:
        raise refusal(output, r"(?m)\[ERROR\] .+|^.*\bError\b.*: .+|^.*not supported by Astro.*|^\[\w*error\w*\] .+")
    found = [matched(one, rule="astro") for one in re.finditer(_LINE, said)]
    hints = sum(one.severity == "info" for one in found)  # which it does not always show
    return findings(found, int(result["errors"]) + int(result["warnings"]) + hints, files=int(result["files"]))


CHECKER = Checker(
    name="astro-check",
    argv=argv,
    parse=parse,
    roots=depending("@astrojs/check", _PATTERNS),
    programs=("astro",),
    package="npm:@astrojs/check",
    serves=("type_check",),
    files=Files(patterns=_PATTERNS),
    subcommand=("check",),
    leaves_out="--watch",
    strict=r"--minimumFailingSeverity[= ](?:warning|hint)\b",
)
