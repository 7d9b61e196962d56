"""What linters and compilers report in a form of many: SARIF 2.1.0, the XML of checkstyle, reviewdog's diagnostics,
`file:line:column: error: …`, and lines of a pattern of one's own.

SARIF was learned from ruff 0.15, bandit 1.9, and eslint 8.57 with its formatter 3.1: files are `file://` URIs or
relative paths; findings that a comment in the source accepts are in it with their `suppressions`; a file that could
not be parsed is a notification, while the results of the others look complete (bandit: among those on the
configuration, with `executionSuccessful` true).

checkstyle, which many linters write (eslint 8, shellcheck, phpcs, ktlint, …), from eslint 8.57 and shellcheck 0.11: a
file with nothing to say may be listed or not, so a document without files is no failure; a finding without a rule has
`source=""`.

Reviewdog's, one document (rdjson) or one diagnostic a line (rdjsonl), from ruff 0.15: the severity of all of them may
stand at the document's top. Its keys are those of a protobuf message: a list that is empty may be left out.

Lines were learned from gcc 12.2, shellcheck 0.11 and mypy: the rule stands in brackets at the end; `-Werror` writes it
as `-Werror=…`. From GNU ld 2.40 and gold 1.16: an object's source is named without a line unless it holds debugging
information; `gcc a.c` links an object with another name each time; libraries that are not found have no place. And for
people alone, from TypeScript 5.9, Go 1.19, rustc 1.95 and Python 3.11.
"""

import re
from collections.abc import Iterator

from untilgreen.checkers import time_limit
from untilgreen.checkers.answer import Malformed, Reading, finding, first_line, matched, severity_of
from untilgreen.checkers.documents import json_lines, json_object, string, tables, within, xml
from untilgreen.core.model.outcome import Diagnostic
from untilgreen.core.record import Any

_LEVELS = ("error", "warning", "note", "none")
_NOTIFICATIONS = ("toolExecutionNotifications", "toolConfigurationNotifications")
_WIDTH = 2_000  # characters of a line that a pattern sees: a minified file in a message would keep it busy for ever
_SECONDS = 2.0  # for all of a pattern's lines: some patterns would need more than a lifetime for one of them
_GCC = re.compile(
    r"^(?:(?P<file>(?:[A-Za-z]:[\\/])?[^\s:][^:\n]*):(?P<line>\d{1,9}):(?:(?P<column>\d{1,9}):)?|(?P<tool>[^\s:]+):)"
    r" (?P<kind>(?:fatal |internal compiler )?error|warning|note): (?P<message>.*)$"
)
_MISSED = re.compile(
    r"(?:^|: )(?:error: )?(?P<message>(?:undefined reference to|multiple definition of|(?P<lost>cannot find)) .*)"
)
_LD = re.compile(r"(?:^|[\\/-])ld(?:\.\w+)?$")
_TEMPORARY = re.compile(r"(?:^|(?<=[\s:]))[^\s:]*[\\/]cc\w{6}\.o(?::|$)")
_PLACE = re.compile(
    r"(?:[^:]+\.o:(?=[^(\d]))?(?P<file>(?:[A-Za-z]:(?=[\\/]))?[^:(][^:]*)(?P<part>:(?:(?P<line>\d{1,9})$|.+))?"
)
_SUMMARY = re.compile(r"(?:collect2|clang\S*): (?:ld returned|linker command failed)\b")
# a file, then its line and column in brackets: TypeScript, and .NET's compilers
_BRACKETED = r"(?m)^[ \t]*(?P<file>\S.*?)\({at}\): error (?P<rule>[A-Z]+\d+): (?P<message>.+)$"
_RUSTC = r"(?m)^error(?:\[(?P<rule>E\d+)\])?: (?P<message>.+)\n +--> (?P<file>[^\n]+?):{at}$"
_AT = r"(?P<line>\d{1,9})[:,](?P<column>\d{1,9})"
_PYTHON = (
    r"(?m)^(?:\*\*\*)? *File \"(?P<file>[^\"\n]+)\", line (?P<line>\d{1,9})\n(?:.*\n){1,3}?"
    r"(?P<rule>SyntaxError|IndentationError|TabError): (?P<message>.+)$"
)
# eslint, a file above its lines
_STYLISH = r"(?m)^(?P<file>/\S.*\.\w+)\n(?P<rows>(?: +\d{1,9}:\d{1,9} +(?:error|warning) .*\n?)+)"
_ROW = r" +(?P<line>\d+):(?P<column>\d+) +error +(?P<message>.+?)(?: {2,}(?P<rule>\S+))? *(?:\n|$)"
_HIDING = (_RUSTC, _PYTHON)  # what is wrong behind these is not looked at


def sarif(text: str) -> Reading:
    """The results of all runs, but suppressed and passed ones. Raises Malformed, also where the tool broke off."""
    document = json_object(text)
    version = document.get("version")
    if version != "2.1.0":
        raise Malformed(f"SARIF 2.1.0 is expected, the version is {str(version)[:20]}")
    runs = tables(document, "runs")
    if not runs:
        raise Malformed("there is no run in it")
    for run in runs:
        for invocation in tables(run, "invocations", missing=[]):
            told = (one for name in _NOTIFICATIONS for one in tables(invocation, name, missing=[]))
            trouble = next((one for one in told if one.get("level") == "error"), None)
            if trouble or invocation.get("executionSuccessful") is False:
                where = _place(trouble, run)[0], string(trouble, "message", "text")
                raise Malformed(": ".join(filter(None, ("the tool did not do all of its work", *where))))
    return Reading(tuple(found for run in runs for found in _results(run)))


def _results(run: dict[str, Any]) -> Iterator[Diagnostic]:
    if not isinstance(run.get("results"), list):
        raise Malformed("a run has no results: nothing was looked for")
    # the rules that its tool describes, its own before those of its extensions
    components = [within(run, "tool", "driver"), *tables(run, "tool", "extensions", missing=[])]
    rules = [rule for component in components for rule in tables(component, "rules", missing=[])]
    by_id = {string(rule, "id"): rule for rule in reversed(rules)}
    for result in filter(_counts, tables(run, "results")):
        name = string(result, "ruleId") or string(result, "rule", "id")
        by_place = within(rules, result.get("ruleIndex", -1)) if not name else None
        rule = by_place or by_id.get(name) or by_id.get(name.rpartition("/")[0])
        message = string(result, "message", "text") or string(result, "message", "markdown")
        general = string(rule, "shortDescription", "text")
        name = name or string(rule, "id")
        yield finding(_place(result, run), name, _severity(result, rule), message or general)


def _counts(result: dict[str, Any]) -> bool:
    """Not suppressed, not passed, still there. A suppression that is under review or rejected is none."""
    suppressions = tables(result, "suppressions", missing=[])
    accepted = all(one.get("status", "accepted") == "accepted" for one in suppressions)
    gone = result.get("kind") in ("pass", "notApplicable") or result.get("baselineState") == "absent"
    return not gone and not (suppressions and accepted)


def _severity(result: dict[str, Any], rule: Any) -> str:
    for properties in (within(result, "properties"), within(rule, "properties")):
        tags = within(properties, "tags")
        tagged = isinstance(tags, list) and any(str(tag).lower() == "security" for tag in tags)
        if tagged or within(properties, "security-severity") is not None:
            return "security"
    level = result.get("level")
    if level is None and result.get("kind", "fail") != "fail":
        level = "none"  # open, review, informational: somebody should have a look
    general = within(rule, "defaultConfiguration", "level")
    return severity_of(next((one for one in (level, general) if one in _LEVELS), "warning"))


def _place(result: Any, run: dict[str, Any]) -> tuple[Any, ...]:
    where = within(result, "locations", 0, "physicalLocation")
    uri, region = string(where, "artifactLocation", "uri"), within(where, "region")
    base = string(run, "originalUriBaseIds", string(where, "artifactLocation", "uriBaseId"), "uri")
    return _path(uri, base), within(region, "startLine"), within(region, "startColumn")


def _path(uri: str, base: str) -> str:
    from urllib.parse import unquote  # needed for a report only

    if uri and base and not re.match(r"[A-Za-z][\w+.-]+:", uri):
        uri = f"{base.rstrip('/')}/{uri}"
    if uri.lower().startswith("file:"):
        uri = re.sub(r"^(?://(?:localhost)?(?=/))?(?:/(?=[A-Za-z]:/))?", "", uri[len("file:") :])
    return unquote(uri)


def checkstyle(text: str) -> Reading:
    """Every `<error>` with its file; the rule is its `source`. Raises Malformed, also where checkstyle itself could
    not look at a file (`<exception>`)."""
    top = xml(text)
    if top.tag != "checkstyle":
        raise Malformed(f"the document is no checkstyle report but <{top.tag}>")
    found = []
    for file in top.iter("file"):
        name = file.get("name", "")
        if (crash := file.find("exception")) is not None:
            raise Malformed(f"{name} was not looked at: {first_line(crash.text or '')}")
        for error in file.iter("error"):
            word, at = error.get("severity", "error"), (name, error.get("line"), error.get("column"))
            if word != "ignore":
                found.append(finding(at, error.get("source", ""), severity_of(word), error.get("message", "")))
    return Reading(tuple(found))


def rdjson(text: str) -> Reading:
    """All diagnostics of a document; one without any severity is an error. Raises Malformed."""
    document = json_object(text)
    if "diagnostics" not in document and "source" not in document:
        raise Malformed("the document has neither diagnostics nor a source")
    general = string(document, "severity")
    return Reading(tuple(_reviewed(one, general) for one in tables(document, "diagnostics", missing=[])))


def rdjsonl(text: str) -> Reading:
    """The diagnostic of each line. An empty text has none. Raises Malformed."""
    return Reading(tuple(_reviewed(one, "") for one in json_lines(text)))


def _reviewed(one: dict[str, Any], general: str) -> Diagnostic:
    if "message" not in one and "location" not in one:
        raise Malformed("a diagnostic has neither a message nor a location")
    start = within(one, "location", "range", "start")
    return finding(
        (string(one, "location", "path"), within(start, "line"), within(start, "column")),
        string(one, "code", "value"),
        severity_of(string(one, "severity") or general or "error"),
        string(one, "message"),
    )


def gcc(text: str) -> Reading:
    """Errors, warnings and notes in the form of gcc, and of its linker. The rule is what the brackets at the end hold,
    else the word; "ld" for what the linker misses. What a tool says about no file has its name in the message."""
    lines = text.split("\n")
    found = [one for line in lines if (one := _linker(line) or _compiler(line))]
    # the compiler's word that its linker failed counts where no other error says why
    others = [one for one in found if not _SUMMARY.match(one.message)]
    return Reading(tuple(others if any(one.severity == "error" for one in others) else found))


def _compiler(line: str) -> Diagnostic | None:
    match = _GCC.match(line)
    if not match:
        return None
    message, kind = match["message"].rstrip(), match["kind"]
    rule = _rule(message)
    return finding(
        (match["file"] or "", match["line"], match["column"]),
        rule.replace("-Werror=", "-W") or kind.replace(" ", "-"),
        severity_of(kind),
        (message.removesuffix(f"[{rule}]") if rule else message) if match["file"] else f"{match['tool']}: {message}",
        hides=kind.startswith(("fatal", "internal")),
    )


def _rule(message: str) -> str:
    """What stands in brackets at the end, "" where that is no name: `array[3]` is none."""
    start = message.rfind(" [") + 2
    name = message[start:-1] if start > 1 and message.endswith("]") else ""
    return name if re.fullmatch(r"[\w.,=+/@-]*[A-Za-z][\w.,=+/@-]*", name[:200]) else ""


def _linker(line: str) -> Diagnostic | None:
    """What a line says is missing or there twice, with the rule "ld" and its file where one is named."""
    found = _MISSED.search(line)
    if not found:
        return None
    where = _TEMPORARY.sub("", line[: found.start()])
    by_linker = bool(_LD.search(where.partition(": ")[0]))
    place = _PLACE.fullmatch("" if by_linker and ": " not in where else where.rpartition(": ")[2])
    if not by_linker and (found["lost"] or not (place and place["part"])):
        return None
    return finding(place.group("file", "line") if place else ("",), "ld", "error", _TEMPORARY.sub("", found["message"]))


def matching(pattern: str, text: str) -> Reading:
    """One finding for each line in which `pattern` is found, as `matched` reads its groups. Raises Malformed for a
    pattern that does not compile, or needs more than two seconds."""
    lines = (line.rstrip("\r")[:_WIDTH] for line in text.split("\n"))
    try:
        with time_limit.within(_SECONDS, "the pattern takes too long"):
            compiled = re.compile(pattern, re.MULTILINE)
            matches = [match for match in map(compiled.search, lines) if match]
    except time_limit.TooLong as error:
        raise Malformed(str(error)) from error
    except (re.error, OverflowError, RecursionError) as error:
        raise Malformed(f"the pattern is no regular expression: {error}") from error
    return Reading(tuple(map(matched, matches)))


def printed(text: str) -> Iterator[Diagnostic]:
    """The errors in what compilers and eslint print for people, files as they are there."""
    from untilgreen.checkers.other import go

    yield from (one for one in gcc(text).diagnostics if one.severity == "error" and one.file)
    yield from (one for one in go.mistakes(text, "compile", "error") if one.file.endswith(".go"))
    for block in re.finditer(_STYLISH, text):
        yield from (
            matched(row, rule="eslint")._replace(file=block["file"]) for row in re.finditer(_ROW, block["rows"])
        )
    for pattern in (_BRACKETED, *_HIDING):
        for match in re.finditer(pattern.replace("{at}", _AT), text):
            yield matched(match, rule="compile", hides=pattern in _HIDING)
