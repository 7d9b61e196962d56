"""The judge of a loop's criteria in words: which program it is, how it is asked, and what it says at a stop.

It is asked once all else is met, so it never turns a red check green.
Its process is a check's: in a group of its own, ended with it, our hooks off in it. Beside that it must not take part
in the session that it judges: the host's variables are taken away, and the host's own judge runs without the project's
settings, outside of the project.
"""

import os
import time
from collections.abc import Mapping, Sequence

from untilgreen import hosts
from untilgreen.checkers.answer import tail
from untilgreen.checks import asking
from untilgreen.checks.asking import Program, newest
from untilgreen.checks.run import processes
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import WHOLE, Absent, Check
from untilgreen.core.model.groups import Against
from untilgreen.core.model.loop import Loop, Release
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found, Outcome, Output
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.record import Any
from untilgreen.core.verdict import policy
from untilgreen.core.words import judgement
from untilgreen.hosts.facts import Facts
from untilgreen.loops import back
from untilgreen.loops.stop.payload import message_of
from untilgreen.loops.stop.steps import Stop, StopStep, would_end
from untilgreen.project import tools, trust
from untilgreen.state import clock, under_way

NO_TIME = "no time left"
_NOBODY = ("unchecked", "unserved", "unserved_there", "unread_ci", "not_read")  # that nothing was there to look
NOT_YET = "not judged yet: the judge is asked once all else is met"
_UNKEPT = "(not known: the work tree was not kept)"
_DIFF = 30.0  # seconds for git to tell it


def host() -> str:
    """The usual host's program, as it is called: what is named where none of them is there."""
    return hosts.get(hosts.DEFAULT).facts.program


def absent(loop: Loop) -> Absent:
    """Why a judge that was not there does not judge."""
    return Absent("missing", (loop.settings.judge.command or (host(),))[0])


def found(loop: Loop, env: Mapping[str, str], *, allow_absent: bool) -> Loop:
    """The loop with the judge's program. Raises UserError where that is missing and the start named a criterion."""
    if not (loop.for_a_judge or loop.settings.judge.progress):
        return loop
    own = loop.settings.judge.command  # may lie in the project; the host's is looked for outside of it
    called = asking.find(own[0], loop.project, loop.checks.asked, env) if own else hosts_own(loop.project, env)
    loop = loop.put(loop.checks._replace(judge=called))
    if not loop.checks.judge and loop.asked.completion_criteria.judge and not allow_absent:
        cure = "install it, set judge.command, leave --judge out, or give --allow-absent"
        raise UserError(f"--judge: {absent(loop).reason}", cure)
    return loop


def _judging_hosts() -> tuple[Facts, ...]:
    """The hosts that can judge, in their order: the usual one first."""
    return tuple(facts for name in hosts.ADAPTERS if (facts := hosts.get(name).facts).headless)


def hosts_own(root: str, env: Mapping[str, str]) -> str:
    """The absolute path of the program of the first host that is there; "" where none is."""
    home = env.get("HOME", "")
    places = (
        (one.program, path)
        for one in _judging_hosts()
        for path in (env, {"PATH": os.pathsep.join(one.places).replace("~", home)})
    )
    return next(filter(None, (tools.on_path(name, root, path, trusted=False) for name, path in places)), "")


def commands_own(argv: tuple[str, ...], root: str, env: Mapping[str, str]) -> Program:
    """A command of the project's own, outside of the session that it judges."""
    return Program(argv, root, _environment(env))


def headless(program: str, schema: str, env: Mapping[str, str]) -> Program:
    """The host's own program, without tools and hooks, outside of the project."""
    words = {"{schema}": schema, "{system}": judgement.SYSTEM}
    trust.make_private(trust.folder(env))
    facts = next((one for one in _judging_hosts() if one.program == os.path.basename(program)), _judging_hosts()[0])
    argv = (program, *(words.get(word, word) for word in facts.headless))
    return Program(argv, trust.folder(env), _environment(env))


def _environment(env: Mapping[str, str]) -> dict[str, str]:
    """The host's environment without what names the session that is judged."""
    facts = [hosts.get(one).facts for one in hosts.ADAPTERS]
    theirs = tuple(start for one in facts for start in one.variables)
    needed = {name for one in facts for name in one.needed}
    starts = tuple(name for name in needed if name.endswith("_"))

    def stays(key: str) -> bool:
        return key in needed or key.startswith(starts) or not key.startswith(theirs)

    return processes.environment({key: value for key, value in env.items() if stays(key)})


def fence(exhibits: Sequence[judgement.Exhibit]) -> str:
    """A word that is in nothing of what is shown: who wrote that cannot know it."""
    while True:
        word = f"fence-{os.urandom(16).hex()}"
        if not any(word in one.text for one in exhibits):
            return word


def opened(text: str, flag: str) -> Any:
    """The last JSON object that was printed; of a host's document what it holds, where that has no `flag`."""
    found = newest(text)
    if not isinstance(found, dict) or flag in found or found.get("is_error"):
        return found
    if isinstance(found.get("structured_output"), dict):
        return found["structured_output"]
    return newest(found["result"]) if isinstance(found.get("result"), str) else found


# --- at a stop


def judge_criteria(stop: Stop, _step: StopStep, until: float) -> Stop:
    """What the checks brought, with what the judge says of its criteria. Raises as `_ask`."""
    loop, found, before = stop.loop, stop.evidence, stop.evidence.snapshot
    if not would_end(stop):
        first = bool(before.items) and not loop.history.snapshots
        return stop._replace(evidence=found._replace(told=(*found.told, NOT_YET))) if first else stop
    if not loop.checks.judge:
        return stop._replace(evidence=found._replace(left_out=(*found.left_out, Against("missing", absent(loop).name))))
    alone = not {"clean", "found"}.intersection(before.outcomes.values())
    named = bool(loop.asked.completion_criteria.judge)
    if alone:  # where the start named it that is no matter of the agent's, and `strict` does not hold for it
        rest = tuple(one for one in found.left_out if one.kind not in _NOBODY)
        found = found._replace(left_out=rest if named else (*rest, Against("unnamed")))
        found = found._replace(unsteady=(*found.unsteady, Against("alone")) if named else found.unsteady)
    if not (found.against and policy.is_strict(loop)):
        shown = beside(stop, diff_of(stop, loop.start.start_ref, until))
        questions = [(one, [judgement.of_criterion(one), *shown]) for one in loop.for_a_judge]
        under_way.Notes(stop.call.place, {}).turned(_check(loop), WHOLE)
        said = _ask(stop, judgement.SUCCESS, questions, until)
        # where nobody looked but it ends unchecked, as if nobody had
        unseen = alone and not named and all(one.success for one in said)
        found = found._replace(snapshot=before._replace(judged=said) if unseen else judgement.counted(before, said))
    return stop._replace(evidence=found)


def judge_progress(stop: Stop, _step: StopStep, _until: float) -> Stop:
    """One more round for a loop stuck by its numbers, if the judge sees progress; no word is none. Raises as `_ask`."""
    loop, evidence, stuck = stop.loop, stop.evidence, stop.verdict
    limit = loop.asked.completion_criteria.stagnation_limit
    if not isinstance(stuck, Release) or stuck.loop.end.stop_reason != "stagnant":
        return stop
    is_told = bool(evidence.snapshot.items) or loop.asked.promise_only
    if not is_told or loop.rounds.given_rounds >= limit or not loop.checks.judge:
        return stop
    snapshots = loop.history.snapshots
    since = snapshots[-limit].ref if len(snapshots) >= limit else loop.start.start_ref
    shown = [judgement.rounds(stuck.loop), *beside(stop, diff_of(stop, since, stop.until))]
    [said] = _ask(stop, judgement.PROGRESS, [("progress", shown)], stop.until)
    if not said.success:
        return stop
    more = loop.rounds.given_rounds + 1
    after = policy.counted(loop, evidence, clock.iso(time.time()))
    after = after.put(after.rounds._replace(given_rounds=more))
    line = f"the judge sees progress, round {more} of {limit} that it gives: {said.reason}"
    evidence = evidence._replace(told=(*evidence.told, line))
    return stop._replace(evidence=evidence, verdict=policy.next_round(after, after.updated_at))


def _ask(
    stop: Stop, flag: str, questions: Sequence[tuple[str, Sequence[judgement.Exhibit]]], until: float
) -> tuple[Judgement, ...]:
    """What comes of each question, a criterion and what is shown, all asked at once. `flag` as in `judgement.prompt`.
    Raises processes.Interrupted, trust.Unread, OSError."""
    loop, env, own = stop.loop, stop.call.env, stop.loop.settings.judge
    outputs = [Output(None, "", "", why=NO_TIME)] * len(questions)
    if until - time.monotonic() >= 1:
        if own.command:
            called = commands_own((loop.checks.judge, *own.command[1:]), loop.project, env)
        else:
            called = headless(loop.checks.judge, judgement.SCHEMA[flag], env)
        prompts = [judgement.prompt(flag, shown, fence(shown)) for _, shown in questions]
        called = called._replace(seconds=own.seconds)
        outputs = asking.ask(loop.project, called, prompts, env, until, stop.unwanted)
    told = zip(questions, outputs, strict=True)
    return tuple(_judgement(stop, flag, criterion, output) for (criterion, _), output in told)


def diff_of(stop: Stop, since: str, until: float) -> str:
    """What changed since that commit, which is kept; in brackets why that is not known."""
    now = stop.evidence.snapshot
    if not (since and now.ref):
        return _UNKEPT
    seconds = max(0.0, min(_DIFF, until - time.monotonic()))
    try:
        return back.between(stop.call.place, since, now.ref, seconds).decode("utf-8", "replace")
    except UserError as error:
        return f"(not known: {error.reason})"


def beside(stop: Stop, diff: str) -> list[judgement.Exhibit]:
    message = message_of(stop.call.event, stop.call.place)
    return judgement.exhibits(stop.loop, stop.evidence.snapshot, stop.evidence.ends.items(), diff, message)


def _check(loop: Loop) -> Check:
    """The judge, as it is told beside the checks."""
    return Check(judgement.NAME, judgement.NAME, ".", judgement.STAGE, loop.checks.judge)


def _judgement(stop: Stop, flag: str, criterion: str, output: Output) -> Judgement:
    """What the judge said of a criterion; it is noted beside the checks."""
    check, found, why = _check(stop.loop), opened(output.stdout, flag), output.why
    if not why and output.code != 0:
        told = found.get("result") if isinstance(found, dict) else None
        why = f"exit code {output.code}" + (f": {told}" if isinstance(told, str) and told else "")
    said = why or judgement.read(found, flag)
    ending = tail(output) if isinstance(said, str) else ""
    one = judgement.judged(stop.loop, criterion, said, ending, output.seconds)
    outcome: Outcome = Clean() if one.success else Broken(one.reason)
    if one.success is False:
        outcome = Found((Diagnostic(check.name, "", 0, "", "error", one.reason),))
    stop.trace.checked(check, outcome, one.seconds, f"{one.shown} ({one.criterion})")
    return one
