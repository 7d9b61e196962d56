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
from untilgreen.core.model.outcome import Broken, Result
from untilgreen.core.model.snapshot import Snapshot
from untilgreen.core.verdict import measure, weakened
from untilgreen.core.words import feedback, left, notices
from untilgreen.core.words.lines import Words
from untilgreen.loops.stop.payload import Call, marker_of, notice
from untilgreen.project import trust
from untilgreen.project.tree import worktree
from untilgreen.settings import effective
from untilgreen.state import catalogue, clock


def judge(call: Call) -> Reply:
    """A stop without a session: static and security checks, never tests; a broken check never holds."""
    if call.refused:
        return _reply("allow", None, call.refused, text=f"untilgreen: nothing was judged: {call.refused}")
    settings = effective.effective(call.place.root, call.env)
    if isinstance(settings, str):
        return notice(f"nothing was judged: {settings}", call)
    marker, words = marker_of(call, settings), catalogue.words(settings)
    if marker is not None and marker.kind == "blocked":
        text = foreign.one_line(words["blocked"].format(why=marker.reason))
        return _reply("release", "blocked", marker.reason, text=text)
    if marker is not None and settings.markers.marker == "trust":
        text = words["unchecked"].format(why=words["declared"])
        return _reply("release", "complete", "Declared done", verified=False, text=text)
    seconds = float(call.options.get("deadline") or settings.deadline)
    root = call.place.root
    own = settings._replace(checks={name: planning.unasked(one) for name, one in settings.checks.items()})
    near, trusted = worktree.changed(root), trust.trusted(root, call.env)
    scope = planning.CheckScope(root, own, measure.UNASKED, call.env, trusted, near=near, unasked=planning.STATIC)
    scope = scope._replace(calls=effective.calls(root, call.env) if trusted else ())
    planned = planning.plan(scope, worktree.files(call.place.root))
    return _verdict(checking.run(scope, planned, checking.Watch(time.monotonic() + seconds)), words)


def _verdict(results: tuple[Result, ...], words: Words) -> Reply:
    now = clock.iso(time.time())
    snapshot = measure.snapshot(results, measure.Standard(measure.UNASKED), 0, now)
    broken = tuple(foreign.one_line(f"{check.name}: {o.reason}") for check, o in results if isinstance(o, Broken))
    but = broken + weakened.left_out(results)
    findings = left.without_broken(snapshot)
    if findings.items:
        text = feedback.unasked(findings, None, words, but)
        return _reply("continue", None, None, snapshot=snapshot, text=text)
    if all(isinstance(o, Absent) for _, o in results):
        reason = ", ".join(but) or "no check applies here"
        return _reply("allow", None, reason, snapshot=snapshot, text=f"untilgreen: nothing was judged: {reason}")
    if broken:
        reason = "; ".join(broken)
        return _reply("release", "error", reason, snapshot=snapshot, text=f"untilgreen: not green: {reason}")
    reason = "Green, but " + ", ".join(but) if but else "All conditions satisfied"
    text = notices.by_hand(snapshot, ", ".join(but), words)
    return _reply("release", "complete", reason, verified=not but, snapshot=snapshot, text=text)


def _reply(
    verdict: str,
    stop_reason: str | None,
    reason: str | None,
    *,
    verified: bool | None = None,
    snapshot: Snapshot | None = None,
    text: str,
) -> Reply:
    facts = {"verdict": verdict, "stop_reason": stop_reason, "completion_reason": reason, "verified": verified}
    if snapshot is not None:
        names = ("error_count", "warning_count", "info_count", "security_issues", "outcomes")
        facts |= {name: getattr(snapshot, name) for name in names}
    return Reply(2 if verdict == "continue" else 0, json.dumps(facts), text)
