"""The formatters in their check form: they only look, and have one finding for each file that they would write anew.

A file that one cannot parse is told beside what it says of the others. Learned from:

- black 22.12.0, 24.10.0 and 26.10.1: such a file is exit code 123. Where there is no file, and where `quiet` is
  configured, there is no summary.
- gofmt 1.19.8: it lists the files on stdout, exit code 0. What it cannot parse is a line on stderr, exit code 2, and so
  is a path that is not there.
- isort 5.12.0, 6.1.0 and 9.0.2: where there is nothing to say it says nothing. What it cannot parse it leaves alone. A
  path that is not there is one that it calls broken, and exit code 1. A configuration that it cannot read is a
  warning, and exit code 0.
- prettier 2.8.8, 3.4.2 and 3.10.1: a line on stderr for each file. A file that it cannot parse is exit code 2, and so
  are a configuration that it cannot read and a pattern that fits no file.
- ruff 0.4.10, 0.11.13 and 0.17.6: it says `Would reformat: FILE`, and later a diagnostic with its place. A file that
  it cannot parse is exit code 2. A folder without files is exit code 0. Newer versions take Markdown too.
"""

import re
from collections.abc import Sequence

from untilgreen.checkers.answer import Malformed, finding, findings, refusal
from untilgreen.checkers.checker import Checker, Files, Ours
from untilgreen.core.model.outcome import Found, Outcome, Output, Setting
from untilgreen.core.record import NamedTuple
from untilgreen.project import tables
from untilgreen.project.tree.layout import folder_of, passed_over


class Words(NamedTuple):
    """What a formatter says, as expressions over its lines of stdout and stderr."""

    would: str  #: of a file that it would write anew: `file`
    done: str = ""  #: that it came to its end: `count` is of such files, where it says it
    unread: str = r"(?!)"  #: of a file that it cannot parse: `file`, `line` and `message`
    refused: str = r"(?!)"  #: that it did not do its work
    cure: str = ""  #: no expression: the command that writes what it would


_CURE = 100  # characters of one with the words of the project's call


def formatter(name: str) -> Checker:
    """The formatter of this name in its check form, as its section of `templates/formatters.txt` has it."""
    said = dict[str, str](tables.read("formatters")[name])
    words, check_form = Words(**{key: said[key] for key in Words._fields if key in said}), said["check_form"]
    return Checker(
        name,
        argv=lambda setting: (setting.tool, *(setting.call or (check_form.partition(" ")[0], "."))),
        parse=lambda output, setting: _read(words, output, _cure(words.cure, setting.call, check_form)),
        roots=lambda _layout, _criteria: (),
        package=said.get("package", ""),
        serves=("lint_clean",),
        files=Files(patterns=tuple(said["patterns"].split())),
        leaves_out=said["leaves_out"],
        fails_by_all=True,
        check_form=check_form,
    )


def _cure(command: str, call: Sequence[str], check_form: str) -> str:
    """The command that mends it, with the options and places of the project's own call."""
    import shlex  # nothing else of a check needs it

    whole = shlex.join([*command.split(), *(word for word in call if word not in check_form.split())])
    return whole if len(whole) <= _CURE else command


def _read(words: Words, output: Output, cure: str) -> Outcome:
    said = f"{output.stdout}\n{output.stderr}"
    if re.search(words.refused, said):
        raise refusal(output, words.refused)
    would = re.finditer(words.would, said)
    found = [finding((one["file"],), "format", "warning", "it would be reformatted", cure=cure) for one in would]
    done = re.search(words.done, said)
    if done is None and not found:
        raise refusal(output, r".+")
    announced = int((done.groupdict() if done else {}).get("count") or 0)
    if len(found) < announced:
        raise Malformed(f"{announced} files announced, {len(found)} read")
    for one in re.finditer(words.unread, said):
        at, message = one.group("file", "line"), one["message"] or "it cannot be parsed"
        found.append(finding(at, "syntax", "error", message, hides=True))
    return findings(found)


BLACK, ISORT, PRETTIER = map(formatter, ("black", "isort", "prettier"))
RUFF_FORMAT = formatter("ruff-format")._replace(
    argv=lambda setting: (setting.tool, "format", "--no-cache", *(setting.call or ("--check", "."))),
    programs=("ruff",),
    subcommand=("format",),
    harmless=True,
)


def _gofmt(setting: Setting) -> tuple[str, ...]:
    from glob import glob  # nothing else of a check needs it

    words = [word for word in setting.call or ("./...",) if word not in ("-l", "-d")]
    named = (glob(word, root_dir=setting.root) if "*" in word else ["." if word == "./..." else word] for word in words)
    return (setting.tool, "-l", *(one for found in named for one in found))


_LISTED = formatter("gofmt")


def _of_packages(output: Output, setting: Setting) -> Outcome:
    """Where it is packages that are looked at, nothing of what lies where the go command looks for none."""
    found = _LISTED.parse(output, setting)
    if not isinstance(found, Found) or "./..." not in (setting.call or ("./...",)):
        return found
    return findings([one for one in found.diagnostics if not passed_over(folder_of(one.file))])


GOFMT = _LISTED._replace(argv=_gofmt, parse=_of_packages, harmless=True, ours=Ours(words=("./...",), by_output=True))
