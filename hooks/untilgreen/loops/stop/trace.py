"""Why a stop went as it did: which step of the verdict decided, what took how long, what every check said.

`last_stop.json`, in the session's folder (in the state folder itself where nothing is kept of the session), for those
who ask later:

    {"at", "pid", "session", "project", "loop": {"loop_id", "mode", "iteration", "max_iterations"} or null,
     "payload": {"prompt_id", "permission_mode", "agent_id", "stop_hook_active", "message"},
     "step": 0 to 12 (0: a fault came first), "verdict": "allow", "continue", "release" or "unjudged", "reason", "text",
     "steps": [{"step": 1 to 12 or "checks", "answer", "ms": number or null}], "start_ms", "save_ms", "total_ms",
     "checks": [{"name", "outcome", "counts", "tests", "reason", "root", "tool", "seconds"}],
     "hooks": [{"name", "priority", "answer", "reason", "seconds"}]}

It is advice, no state: written without fsync, and a fault in writing it changes no verdict.
"""

import json
import os
import time

from untilgreen.core import secrets
from untilgreen.core.foreign import printable
from untilgreen.core.model.check import kind_of
from untilgreen.core.model.event import Reply
from untilgreen.core.model.loop import Allow, Known, Loop, Verdict
from untilgreen.core.record import Any
from untilgreen.loops.stop.payload import Call
from untilgreen.state import clock, log, store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.core.model.check import Check
    from untilgreen.core.model.outcome import Outcome
    from untilgreen.core.verdict.completion import Decision

FILE = "last_stop.json"
BUSY = "another stop of this session is being judged: they are one"
TWICE = "another registration of ours held this stop: they are one"
TOO_OLD = "it began before the last stop was counted: they are one"
GONE = "the loop is gone, cancelled or at another round by now"
CHECKS = 7.5  # the checks come between the steps 7 and 8
_ORDER = (*range(1, 8), CHECKS, *range(8, 13))
_SHOWN, _READ = 200, 4_096  # characters of the agent's message, and of those in which a secret is looked for


class Trace:
    """What is noted while one stop is judged. `began`: when this process was created, in seconds since the epoch."""

    def __init__(self, began: float) -> None:
        self.began = began
        self._loop: Loop | None = None
        self._mode = ""
        self.checks: list[dict[str, Any]] = []
        #: what the agent ran itself in this round, in a line; none where it ran nothing
        self.own_runs: tuple[str, ...] = ()
        #: the completion hooks that were asked
        self.hooks: list[dict[str, Any]] = []
        self._decision: dict[str, Any] = {
            "step": 0,
            "verdict": "unjudged",
            "reason": "the stop was not judged to its end: a fault, which the log tells, or a signal",
            "text": "",
        }
        self._asked = self._answered = self._checked = 0.0
        self._took: dict[float | str, float] = {}
        self._created = self._since = time.monotonic() - max(0.0, time.time() - began)

    def of(self, known: Known) -> None:
        """What is known of the session: its loop, or the rounds of its edits."""
        turn = None if known.running or not known.edits else known.edits.turn
        self._loop = turn or known.loop
        self._mode = "loop" if not turn and known.loop and known.loop.begun else "auto"

    def took(self, phase: float | str) -> None:
        """The time since the last phase was this one's: a step, the checks, "start" or "save"."""
        now = time.monotonic()
        self._took[phase] = round((now - self._since) * 1000, 3)
        self._since = now

    def passed(self, step: float) -> None:
        """As `took`; and the answer of this step, and of all before it, was no."""
        self.took(step)
        if step < CHECKS:  # what comes next are the checks
            self._checked = self._since
        self._asked = max(self._asked, step)

    def answered(self, name: str, priority: int, decision: "Decision") -> None:
        """A completion hook, the loop itself or its review said whether the agent may stop."""
        from untilgreen.core.verdict.completion import AskedHook, one_line  # few loops have either

        began, self._answered = self._answered or self._checked, time.monotonic()
        answer, said = ("broken", decision.broken) if decision.broken else (decision.action, decision.reason)
        one = AskedHook(name, priority, answer, one_line(said), round(self._answered - began, 3))
        self.hooks.append(one._asdict())
        self.took("hooks")  # so that it is not the time of a step

    def decided(self, step: int, verdict: str, reason: str, text: str = "") -> None:
        """StopStep `step` answered yes; a later call takes the decision back. `text`: what is said because of it."""
        self._decision = {"step": step, "verdict": verdict, "reason": reason, "text": text.partition("\n")[0]}

    def allowed(self, step: int, reason: str) -> Reply:
        """StopStep `step` lets go; the silence that says so."""
        self.decided(step, "allow", reason)
        return Reply()

    def judged(self, verdict: Verdict, text: str) -> None:
        """The verdict is saved, and `text` will be said."""
        self.took("save")
        if isinstance(verdict, Allow):
            reason = verdict.reason
        else:
            from untilgreen.core.words import brief  # a stop in a loop has it anyhow

            loop = verdict.loop
            newest = None if loop.asked.promise_only else loop.history.newest
            now = f"{brief.describe_left(newest)}; " if newest else ""
            begins = f"round {loop.rounds.iteration} of {loop.settings.max_iterations} begins"
            reason = loop.end.completion_reason or f"{now}{begins}"
        self.decided(verdict.step, kind_of(verdict), reason, text)

    def checked(self, check: "Check", outcome: "Outcome", seconds: float, said: str = "") -> None:
        """A check came to its end. `said`: more of it, in words."""
        from untilgreen.core.model.outcome import Clean, Found  # where checks ran it is loaded

        counts: dict[str, int] = {}
        for one in outcome.diagnostics if isinstance(outcome, Found) else ():
            counts[one.severity] = counts.get(one.severity, 0) + 1
        tests = outcome.tests if isinstance(outcome, Clean | Found) else None
        why, missed = getattr(outcome, "reason", ""), getattr(outcome, "not_run", None)
        if missed is not None:
            why = f"what failed last ran first, {missed:,} others did not run"
        self.checks.append(
            {
                "name": check.name,
                "outcome": kind_of(outcome),
                "counts": counts,
                "tests": tests._asdict() if tests else None,
                "reason": said or why,
                "root": check.root,
                "tool": check.tool,
                "seconds": seconds,
            }
        )

    def keep(self, call: Call) -> None:
        """Write it down where state is kept."""
        folder = call.place.folder if os.path.isdir(call.place.folder) else call.place.base
        if not os.path.isdir(folder):
            return
        try:
            store.write_text(os.path.join(folder, FILE), json.dumps(self._document(call)), durable=False)
        except OSError as error:
            log.write(call.place.base, f"what happened at the last stop is not known to explain: {error}")

    def _document(self, call: Call) -> dict[str, Any]:
        event, loop, message = call.event, self._loop, call.event.message or ""
        return {
            "at": clock.iso(time.time()),
            "pid": os.getpid(),
            "session": event.session,
            "project": call.place.root,
            "loop": {
                "loop_id": loop.loop_id,
                "mode": self._mode,
                "iteration": loop.rounds.iteration,
                "max_iterations": loop.settings.max_iterations,
            }
            if loop
            else None,
            "payload": {
                "prompt_id": event.prompt_id,
                "permission_mode": event.permission_mode,
                "agent_id": event.agent_id,
                "stop_hook_active": event.turn_goes_on,
                "message": printable(" ".join(secrets.masked((message[:_READ],))[0].split())[:_SHOWN]),
            },
            **self._decision,
            "steps": [self._step(number) for number in _ORDER],
            "start_ms": self._took.get("start"),
            "save_ms": self._took.get("save"),
            "total_ms": round((time.monotonic() - self._created) * 1000, 3),
            "checks": self.checks,
            "own_runs": list(self.own_runs),
            "hooks": self.hooks,
        }

    def _step(self, number: float) -> dict[str, Any]:
        decisive, checked = self._decision["step"], self._asked >= CHECKS
        last = max(decisive, CHECKS) if checked else (decisive or self._asked)
        # a fault is the answer of step 12, even where it comes before most others
        asked = number <= last and (number <= self._asked or checked or decisive < CHECKS)
        answer = ("asked" if number == CHECKS else "no") if asked else "not asked"
        if number == decisive:
            answer = f"yes: {self._decision['reason']}"
        took = self._took.get(number) if answer != "not asked" else None
        return {"step": "checks" if number == CHECKS else number, "answer": answer, "ms": took}
