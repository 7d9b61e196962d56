"""What the formatters share: they only look, and have one finding for each file that they would write anew."""

import re

from untilgreen.checkers.answer import Malformed, finding, line_of, refusal
from untilgreen.checkers.checker import Checker
from untilgreen.core.model.outcome import Clean, Found, Outcome, Output, Setting
from untilgreen.core.record import NamedTuple


class Words(NamedTuple):
    """What a formatter says, as expressions over its lines of stdout and stderr."""

    #: of a file that it would write anew: `file`
    would: str
    #: that it came to its end: `count` is of such files, where it says it
    done: str
    #: of a file that it cannot parse: `file`, `line` and `message`
    unread: str = r"(?!)"
    #: that it did not do its work
    refused: str = r"(?!)"


def formatter(
    name: str, words: Words, *, check_form: str, patterns: tuple[str, ...], package: str, leaves_out: str
) -> Checker:
    """A formatter in its check form. `check_form`, `leaves_out`: as in `Checker`."""

    def argv(setting: Setting) -> tuple[str, ...]:
        return (setting.tool, *(setting.call or (check_form.partition(" ")[0], ".")))

    def parse(output: Output, _setting: Setting) -> Outcome:
        return _read(words, output)

    one = Checker(name, argv, parse, lambda _layout, _criteria: (), package=package, serves=("lint_clean",))
    return one._replace(
        files=one.files._replace(patterns=patterns), leaves_out=leaves_out, fails_by_all=True, check_form=check_form
    )


def _read(words: Words, output: Output) -> Outcome:
    said = f"{output.stdout}\n{output.stderr}"
    if re.search(words.refused, said):
        raise refusal(output, words.refused)
    found = [
        finding(one["file"], 0, "format", "warning", "it would be reformatted")
        for one in re.finditer(words.would, said)
    ]
    done = re.search(words.done, said)
    if done is None and not found:
        raise refusal(output, r".+")
    announced = int((done.groupdict() if done else {}).get("count") or 0)
    if len(found) < announced:
        raise Malformed(f"{announced} files announced, {len(found)} read")
    for one in re.finditer(words.unread, said):
        message = one["message"] or "it cannot be parsed"
        found.append(finding(one["file"], line_of(one["line"]), "syntax", "error", message, hides=True))
    return Found(tuple(found)) if found else Clean()
