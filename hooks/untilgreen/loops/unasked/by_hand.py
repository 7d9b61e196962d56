"""`echo '{}' | stop-loop`: no session, so nothing is stored; the whole project is judged, the answer is for a person.

The verdict is JSON on stdout, the text goes to stderr. The same project gives the same answer, however often.
"""

import json
import time

from untilgreen.checks.plan import planning
from untilgreen.checks.run import checking
from untilgreen.core import foreign
from untilgreen.core.model.check import Absent
from untilgreen.core.model.event import Reply
from untilgreen.core.model.groups import Against
from untilgreen.core.model.outcome import Broken, Result
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import baseline, measure
from untilgreen.core.verdict.policy import green_reason
from untilgreen.core.words import brief, notices
from untilgreen.core.words.brief import Words
from untilgreen.loops.stop.payload import Call, marker_of, notice
from untilgreen.loops.unasked.new_findings import scope_of
from untilgreen.project.tree import worktree
from untilgreen.settings import effective
from untilgreen.state import catalogue, clock


def judge(call: Call) -> Reply:
    """A stop without a session: static and security checks, never tests; a broken check never holds."""
    if call.refused:
        return _reply("allow", None, call.refused, f"untilgreen: nothing was judged: {call.refused}")
    settings = effective.effective(call.place.root, call.env)
    if isinstance(settings, str):
        return notice(f"nothing was judged: {settings}", call)
    marker, words = marker_of(call, settings), catalogue.words(settings)
    if marker is not None and marker.kind == "blocked":
        text = foreign.one_line(words["blocked"].format(why=marker.reason))
        return _reply("release", "blocked", marker.reason, text)
    if marker is not None and settings.markers.marker == "trust":
        text = words["unchecked"].format(why=words["declared"])
        return _reply("release", "complete", "Declared done", text, verified=False)
    seconds = float(call.options.get("deadline") or settings.deadline)
    root = call.place.root
    scope = scope_of(root, settings, call.env, worktree.changed(root))
    planned = planning.plan(scope, worktree.files(root))
    return _verdict(checking.run(scope, planned, checking.Watch(time.monotonic() + seconds)), words)


def _verdict(results: tuple[Result, ...], words: Words) -> Reply:
    snapshot = measure.snapshot(results, measure.Standard(measure.UNASKED), 0, clock.iso(time.time()))
    broken = tuple(foreign.one_line(f"{check.name}: {o.reason}") for check, o in results if isinstance(o, Broken))
    english, but = catalogue.english(), (*(Against("said", one) for one in broken), *baseline.left_out(results))
    findings = brief.without_broken(snapshot)
    if findings.items:
        text = notices.unasked_feedback(findings, None, words, brief.tell_against(words, but))
        return _reply("continue", None, None, text, snapshot)
    if all(isinstance(o, Absent) for _, o in results):
        reason = brief.but(english, but) or "no check applies here"
        return _reply("allow", None, reason, f"untilgreen: nothing was judged: {reason}", snapshot)
    if broken:
        reason = "; ".join(broken)
        return _reply("release", "error", reason, f"untilgreen: not green: {reason}", snapshot)
    reason = green_reason(but, english)
    text = notices.by_hand(snapshot, but, words)
    return _reply("release", "complete", reason, text, snapshot, verified=not but)


def _reply(
    verdict: str,
    stop_reason: str | None,
    reason: str | None,
    text: str,
    snapshot: Snapshot | None = None,
    verified: bool | None = None,
) -> Reply:
    facts = {"verdict": verdict, "stop_reason": stop_reason, "completion_reason": reason, "verified": verified}
    if snapshot is not None:
        names = ("error_count", "warning_count", "info_count", "security_issues", "outcomes")
        facts |= {name: getattr(snapshot, name) for name in names}
    return Reply(2 if verdict == "continue" else 0, json.dumps(facts), text)
