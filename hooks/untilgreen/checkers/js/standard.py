"""standard and xo: linters of JavaScript that bring their rules along, chosen in package.json.

Learned from standard 15.0.1, 16.0.4 and 17.1.2: where there is nothing to say it says nothing, and its exit code is the
evidence; the rule is told with `--verbose` alone. Learned from xo 0.54.2, 0.60.0 and 1.2.3: eslint's JSON.
"""

import re

from untilgreen.checkers.answer import findings, matched, refusal
from untilgreen.checkers.checker import Checker, Files
from untilgreen.checkers.js import eslint
from untilgreen.checkers.js.javascript import JAVASCRIPT, TYPESCRIPT, keyed
from untilgreen.core.model.outcome import Outcome, Output, Setting

_XO = (*(f"xo.config.{suffix}" for suffix in ("js", "mjs", "cjs", "ts")), ".xo-config", ".xo-config.json")
_LINE = r"(?m)^ +(?P<file>\S.*?):(?P<line>\d{1,9}):(?P<column>\d{1,9}): (?P<message>.+?)(?: \((?P<rule>[\w@/-]+)\))?$"


def argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--verbose", *setting.call, *setting.files)


def parse(output: Output, _setting: Setting) -> Outcome:
    found = [matched(one, rule="standard") for one in re.finditer(_LINE, output.stdout)]
    if output.code not in (0, 1) or (output.code and not found):
        raise refusal(output, r"(?m)^.*Error: .+|^(?!standard: |\s*$).+")
    return findings(found)


STANDARD = Checker(
    name="standard",
    argv=argv,
    parse=parse,
    roots=keyed("standard", (), JAVASCRIPT),
    package="npm:standard",
    serves=("lint_clean",),
    files=Files(edit="lint", patterns=JAVASCRIPT, by_file=True),
    leaves_out="--fix --verbose -v",
)


def _xo_argv(setting: Setting) -> tuple[str, ...]:
    return (setting.tool, "--reporter=json", *setting.call, *setting.files)


def _xo_parse(output: Output, setting: Setting) -> Outcome:
    if not re.search(r"(?m)^\[", output.stdout):
        raise refusal(output, r"(?m)^\w*Error: .+")
    return eslint.parse(output, setting, cure="")


XO = STANDARD._replace(
    name="xo",
    argv=_xo_argv,
    parse=_xo_parse,
    roots=keyed("xo", _XO, (*JAVASCRIPT, *TYPESCRIPT)),
    package="npm:xo",
    files=STANDARD.files._replace(patterns=(*JAVASCRIPT, *TYPESCRIPT)),
    leaves_out="--fix --open --quiet --reporter= --print-config=",
    strict=r"--max-warnings[= ]0\b",
)
