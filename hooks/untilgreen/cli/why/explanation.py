"""How a stop is explained: from its trace (see `untilgreen.loops.stop.trace`) to lines for people. Pure."""

from typing import Any

from untilgreen.core import foreign, secrets
from untilgreen.core.words import brief

NAMES: dict[int | str, str] = {
    1: "off",
    2: "not ours",
    3: "blocked marker",
    4: "completion marker",
    5: "the user goes first",
    6: "waiting",
    7: "nothing to judge",
    "checks": "checks",
    8: "loop gone",
    9: "criteria met",
    10: "limits",
    11: "stagnation",
    12: "continue",
}
_VERDICTS = {
    "allow": "the agent may stop",
    "continue": "the agent must go on",
    "release": "the agent may stop, and the loop is over",
    "unjudged": "the agent may stop, unjudged",
}
_COUNTED = {
    "error": "error",
    "security": "security finding",
    "test": "failing test",
    "warning": "warning",
    "info": "note",
}


def early(step: int, session: str, why: str, at: str, project: str) -> dict[str, Any]:
    """The trace of a stop that ended before its payload was understood, of which only this is known."""
    answers = {key: "no" if isinstance(key, int) and key < step else "not asked" for key in NAMES}
    answers |= {step: f"yes: {why}"} if step else {}
    steps = [{"step": key, "answer": answer, "ms": None} for key, answer in answers.items()]
    verdict = "allow" if step else "unjudged"
    decision = {"step": step, "verdict": verdict, "reason": why, "text": "", "steps": steps, "checks": []}
    return {"at": at, "session": session, "project": project, **decision}


def named(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace with the names of its steps, and the verdict in one sentence. What the agent said has no secrets."""
    trace = secrets.in_document(trace)
    steps = [{"name": NAMES.get(one["step"], ""), **one} for one in trace["steps"]]
    return trace | {"steps": steps, "sentence": sentence(trace)}


def sentence(trace: dict[str, Any]) -> str:
    """The verdict in one sentence."""
    verdict = _VERDICTS.get(trace["verdict"], trace["verdict"])
    step = f"step {trace['step']} ({NAMES.get(trace['step'], '')}): " if trace["step"] else ""
    return _one_line(f"{verdict}: {step}{trace['reason']}")


def lines(trace: dict[str, Any]) -> list[str]:
    """The verdict, then which stop, the steps with answers and times, the checks. Raises whatever a dict may raise that
    is no trace."""
    loop, message = trace.get("loop"), (trace.get("payload") or {}).get("message")
    kind = {"loop": "loop", "auto": "no loop, edits watched"}.get(loop["mode"], loop["mode"]) if loop else ""
    of = f", {kind}, round {loop['iteration']} of {loop['max_iterations']}" if loop else ""
    head = [f"stop of session {trace['session'] or 'unknown'} at {trace['at'][:19]}Z{of}"]
    head += [f'the agent said: "{message}"'] if message else []
    said = [f"said: {trace['text']}"] if trace["text"] else []
    told = [
        sentence(trace),
        *said,
        "",
        *head,
        "",
        *_steps(trace),
        *_checks(trace["checks"]),
        *(["", *trace["own_runs"]] if trace.get("own_runs") else []),
        *_hooks(trace.get("hooks", [])),
    ]
    return [_one_line(line) for line in told]


def _steps(trace: dict[str, Any]) -> list[str]:
    table = [f"step  {'':<20}{'ms':>10}  answer"]
    for one in trace["steps"]:
        number = "" if one["step"] == "checks" else one["step"]
        answer = f"{len(trace['checks'])} asked" if one["answer"] == "asked" else one["answer"]
        table.append(f"{number:>4}  {NAMES.get(one['step'], ''):<20}{_number(one['ms']):>10}  {answer}")
    times = (("start_ms", "until the payload was read"), ("save_ms", "to save"), ("total_ms", "in all"))
    told = [f"{_number(trace[key])} ms {what}" for key, what in times if trace.get(key) is not None]
    return [*table, "", ", ".join(told)] if told else table


def _checks(checks: list[dict[str, Any]]) -> list[str]:
    width = max((len(one["name"]) for one in checks), default=0)
    table = []
    for one in checks:
        tool = f", {one['tool']}" if one["tool"] else ""
        row = f"  {one['name']:<{width}}  {one['seconds']:8.2f} s  {_outcome(one)}, in {one['root']}{tool}"
        table.append(row)
    return ["", "checks", *table] if table else []


def _hooks(hooks: list[dict[str, Any]]) -> list[str]:
    width = max((len(one["name"]) for one in hooks), default=0)
    table = []
    for one in hooks:
        answer = f"{one['answer']}: {one['reason']}" if one["reason"] else one["answer"]
        table.append(f"  {one['priority']:>3}  {one['name']:<{width}}  {one['seconds']:8.2f} s  {answer}")
    return ["", "completion hooks, in their order", *table] if table else []


def _outcome(check: dict[str, Any]) -> str:
    told = [brief.plural(check["counts"][key], name) for key, name in _COUNTED.items() if check["counts"].get(key)]
    told += [f"{brief.plural(check['tests']['run'], 'test')} ran"] if check["tests"] else []
    told += [check["reason"]] if check["reason"] else []
    return f"{check['outcome']}: {', '.join(told)}" if told else str(check["outcome"])


def _number(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.1f}"


def _one_line(text: str) -> str:
    return foreign.printable(foreign.one_line(secrets.safe(text)))
