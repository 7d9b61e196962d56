"""What a check says of a file that was just written: kept in `current`, and told to its writer. Pure."""

from collections.abc import Iterable, Mapping, Sequence

from untilgreen.core.foreign import one_line
from untilgreen.core.model.check import Check, kind_of
from untilgreen.core.model.outcome import Broken, Diagnostic, Found, Outcome
from untilgreen.core.model.snapshot import FileDetail, Snapshot
from untilgreen.core.secrets import place
from untilgreen.core.verdict import measure
from untilgreen.core.words.brief import counted

_MOST = 20  # findings of one answer
_ROOM = 4_000  # characters of one answer
_RANK = {"security": 0, "error": 0, "warning": 1}


def refreshed(
    current: Snapshot, check: str, found: Iterable[Diagnostic], files: Iterable[str] | None, now: str
) -> Snapshot:
    """`current` with what `check` says of these files in place of what it said before; None: of every file. Replaced,
    never added: a file that is mended leaves no count behind. A file has one answer of each tool, from whichever root
    it was asked: an edit does not look far enough to know of all roots that a stop sees."""
    named: dict[str, list[Diagnostic]] = {}
    for one in found:
        named.setdefault(one.file, []).append(one)
    details = {detail.path: detail for detail in current.file_details}
    looked_at = set(files) if files is not None else {*details, *named}
    changes = dict.fromkeys(("error", "warning", "info", "security"), 0)
    for path in sorted(looked_at):
        before = details.get(path, FileDetail(path))
        new = measure.by_check(named.get(path, ())).get(check, {})
        old = [name for name in before.by_check if name == check or (files is not None and _tool(name) == _tool(check))]
        for severity in changes:
            replaced = sum(before.by_check[name].get(severity, 0) for name in old)
            changes[severity] += new.get(severity, 0) - replaced
        by_check = {name: counts for name, counts in before.by_check.items() if name not in old}
        details[path] = measure.detail(path, by_check | ({check: new} if new else {}))
    return current._replace(
        timestamp=now,
        error_count=max(0, current.error_count + changes["error"]),
        warning_count=max(0, current.warning_count + changes["warning"]),
        info_count=max(0, current.info_count + changes["info"]),
        security_issues=max(0, current.security_issues + changes["security"]),
        file_details=tuple(detail for _, detail in sorted(details.items()) if detail.by_check),
    )


def after(current: Snapshot, results: Iterable[tuple[Check, Outcome, Iterable[str] | None]], now: str) -> Snapshot:
    """`current` with what checks say of the files that each looked at; None: its whole root."""
    outcomes = dict(current.outcomes)
    for check, outcome, files in results:
        outcomes[check.name] = kind_of(outcome)
        if not isinstance(outcome, Broken):
            found = outcome.diagnostics if isinstance(outcome, Found) else ()
            current = refreshed(current, check.name, found, files, now)
    return current._replace(outcomes=outcomes)


def _tool(check: str) -> str:
    return check.partition("@")[0]


def is_new(found: Diagnostic, lines: frozenset[str] | None) -> bool:
    """Whether a finding is on a line that was not there before; `lines`: those of the text before, None: not known. A
    finding without a line is taken for an old one: nothing says that the edit made it."""
    return lines is not None and found.source != "" and found.source not in lines


def lines_of(text: str | None) -> frozenset[str] | None:
    """The lines of a text in the form of `Diagnostic.source`."""
    return None if text is None else frozenset(line.strip()[:300] for line in text.split("\n"))


def feedback(new: Sequence[Diagnostic], before: Mapping[str, str | None], words: Mapping[str, str]) -> str:
    """What a session brought into files, for their writer, by severity and line; "" without findings. `before`: the
    files, and the text of each before this edit, None when it is not known: then nothing is called new."""
    if not new:
        return ""
    ranked = sorted(new, key=lambda one: (_RANK.get(one.severity, 2), one.line))
    key = "edit_found" if None in before.values() else "edit_new"
    head = counted(words, key, len(new), file=", ".join(place(file, 0) for file in before))
    listed, room = [one_line(head)], _ROOM
    for one in ranked[:_MOST]:
        text = one_line(measure.describe(one, column=True))[:400]
        if len(text) > room:
            break
        listed.append(text)
        room -= len(text) + 1
    left = len(new) + 1 - len(listed)
    return "\n".join([*listed, words["more"].format(n=left)] if left else listed)
