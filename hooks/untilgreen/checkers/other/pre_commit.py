"""pre-commit and prek: the hooks that nothing else here looks for, in a copy of the project, as they may edit it. And
the project's own hooks, each by itself, where these programs, or what they would have to install, are not there.

Learned from pre-commit 4.7 and prek 0.5: a configuration that cannot be read ends with 1, as findings do, with no line
that says how a hook went; prek indents what a hook printed. A call is the whole command line.
"""

import itertools
import os
import re
from collections.abc import Sequence

from untilgreen.checkers import in_copy
from untilgreen.checkers.answer import Malformed, failed, findings, pieces, refusal
from untilgreen.checkers.checker import Checker
from untilgreen.checkers.command import NOT_RUN
from untilgreen.core.model.outcome import Clean, Diagnostic, Found, Outcome, Output, Setting

NAME = "pre-commit"
PROGRAMS = (NAME, "prek")
_VALUED = ("-c", "--config", "--hook-stage", "--stage")
_LEFT_OUT = ("--color", "-s", "--source", "--from-ref", "-o", "--origin", "--to-ref")  # with a value
_HOOK = re.compile(r"(?m)^(?P<name>\S.*?)\.{3,}(?:\(.*\))?(?P<word>Passed|Failed|Skipped)$")
_FACT = re.compile(r"- (?:hook id|duration|exit code): |- files were modified by this hook$")
_COMPLAINT = r"(?m)^(?:An (?:unexpected )?error has occurred: .+|error: .+|No hook with id .+)"
_WIDTH = 300  # characters of one line


def own(words: Sequence[str]) -> tuple[str, ...] | None:
    """The words of a project's call as those of this checker, for all files; None where they are none."""
    if words[:1] not in [(name,) for name in PROGRAMS] or words[1:2] != ("run",):
        return None
    kept, rest = list[str](), list(words[2:])
    while rest:
        word = rest.pop(0)
        if word == "--files":
            break
        if word in _VALUED:
            kept += [word, *rest[:1]]
        elif not word.startswith("-") or word.partition("=")[0] in _VALUED:
            kept.append(word)
        if word in (*_VALUED, *_LEFT_OUT):
            rest = rest[1:]
    return (NAME, *words[:2], *kept)


def named(call: Sequence[str]) -> list[str]:
    """The hooks that such a call names; none where it runs all of them."""
    pairs = itertools.pairwise(call[1:])
    return [word for before, word in pairs if not word.startswith("-") and before not in _VALUED]


def argv(setting: Setting) -> tuple[str, ...]:
    words = (*setting.call[1:], "--all-files", "--color=never")
    # they remember every configuration that they saw: the copy's is none to remember
    own = os.path.join(setting.root, ".pre-commit-config.yaml")
    named_there = any(word.partition("=")[0] in ("-c", "--config") for word in setting.call)
    words += ("--config", own) if os.path.isfile(own) and not named_there else ()
    return in_copy.argv(_copy(setting), setting.tool, *words)


def _copy(setting: Setting) -> str:
    folder, name = os.path.split(setting.report)
    return os.path.join(folder, f"copy-{name.partition('.')[0]}")


def parse(output: Output, setting: Setting) -> Outcome:
    if output.code not in (0, 1):
        raise refusal(output, _COMPLAINT)
    hooks = pieces(_HOOK, output.stdout)
    found = tuple(_failed(hook, said, output, setting) for hook, said in hooks if hook["word"] == "Failed")
    if output.code and not found:
        raise refusal(output, _COMPLAINT)
    if not hooks:
        raise Malformed("no hook ran")
    return findings(found)


def _hook_argv(setting: Setting) -> tuple[str, ...]:
    first = setting.call[0]  # a script of the project's is the copy's there
    return in_copy.argv(_copy(setting), first if os.sep in first else setting.tool, *setting.call[1:])


def _hook(output: Output, setting: Setting) -> Outcome:
    """As pre-commit sees it: a hook fails by its exit code, and where it changes a file."""
    changed = in_copy.changed(output.stdout)
    if output.code in NOT_RUN or output.stderr.startswith("error: git lists no file here"):
        raise refusal(output, r".+")
    if not output.code:
        return Clean()
    said = _words(_plain(output.stdout, setting), changed)
    return Found((failed(Output(output.code, said, output.stderr), "error"),))


def _plain(text: str, setting: Setting) -> list[str]:
    """The lines of an output, without ours and without the place of the copy."""
    return [line for line in text.replace(f"{_copy(setting)}/", "").split("\n") if not line.startswith("untilgreen: ")]


def _failed(hook: re.Match[str], said: str, output: Output, setting: Setting) -> Diagnostic:
    lines = _plain(said, setting)
    facts = [line for line in lines if _FACT.match(line)]
    name = next((fact.partition(": ")[2] for fact in facts if fact.startswith("- hook id: ")), hook["name"])
    changed = in_copy.changed(output.stdout) if any("modified" in fact for fact in facts) else []
    text = _words([line for line in lines if line not in facts], changed)
    cure = f"{setting.call[0]} run {name} --all-files" if changed else ""
    return failed(Output(1, text, ""), "error")._replace(rule=name, cure=cure)


def _words(lines: Sequence[str], changed: Sequence[str]) -> str:
    """What a hook said; for `Fixing app.py`, which reads as if it were done, what it would change."""
    named = [one for one in changed if any(one in line for line in lines)] or changed
    would = f"it would change files: {', '.join(named)}"[:_WIDTH] if changed else ""
    return "\n".join((*(line for line in lines if line and not line.endswith(tuple(changed))), would))


CHECKER = Checker(
    name=NAME,
    argv=argv,
    parse=parse,
    roots=lambda _layout, _criteria: (),
    serves=("lint_clean",),
    leaves_out="",
    title=lambda call: call[0],
    one_finding=True,
)


HOOK = CHECKER._replace(
    name="hook",
    argv=_hook_argv,
    parse=_hook,
    title=lambda call: re.sub(
        r"[^\w.]+", "-", os.path.basename(call[1] if call[0] == "python" and call[1:] else call[0])
    ),
)
