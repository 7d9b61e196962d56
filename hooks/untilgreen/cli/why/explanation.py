"""How a stop is explained: from its trace (see `untilgreen.events.trace`) to lines for people. Pure."""

from typing import Any

from untilgreen.core import brief, report

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
_COUNTED = (("error", "error"), ("security", "security finding"), ("test", "failing test"), ("warning", "warning"))


def early(step: int, session: str, why: str, at: str, project: str) -> dict[str, Any]:
    """The trace of a stop that ended before its payload was understood, of which only this is known."""
    steps = [{"step": key, "answer": _answer(key, step, why), "ms": None} for key in NAMES]
    verdict = "allow" if step else "unjudged"
    decision = {"step": step, "verdict": verdict, "reason": why, "text": "", "steps": steps, "checks": []}
    return {"at": at, "session": session, "project": project, **decision}


def _answer(key: int | str, decisive: int, why: str) -> str:
    if key == decisive:
        return f"yes: {why}"
    return "no" if isinstance(key, int) and key < decisive else "not asked"


def named(trace: dict[str, Any]) -> dict[str, Any]:
    """The trace with the names of its steps, and the verdict in one sentence."""
    steps = [{"name": NAMES.get(one["step"], ""), **one} for one in trace["steps"]]
    return trace | {"steps": steps, "sentence": sentence(trace)}


def sentence(trace: dict[str, Any]) -> str:
    """The verdict in one sentence."""
    verdict = _VERDICTS.get(trace["verdict"], trace["verdict"])
    step = f"step {trace['step']} ({NAMES.get(trace['step'], '')}): " if trace["step"] else ""
    return _one_line(f"{verdict}: {step}{trace['reason']}")


def lines(trace: dict[str, Any]) -> list[str]:
    """Which stop, the steps with answers and times, the checks, the verdict."""
    return [*_head(trace), "", *_steps(trace), *_checks(trace["checks"]), "", *_end(trace)]


def _head(trace: dict[str, Any]) -> list[str]:
    loop, payload = trace.get("loop"), trace.get("payload") or {}
    kind = {"loop": "loop", "auto": "no loop, edits watched"}.get(loop["mode"], loop["mode"]) if loop else ""
    of = f", {kind}, round {loop['iteration']}/{loop['max_iterations']}" if loop else ""
    head = [f"stop of session {trace['session'] or 'unknown'} at {trace['at'][:19]}Z{of}"]
    if payload.get("message"):
        head.append(f'the agent said: "{payload["message"]}"')
    return [_one_line(line) for line in head]


def _steps(trace: dict[str, Any]) -> list[str]:
    rows = [("step", "", "ms", "answer")]
    for one in trace["steps"]:
        number = "" if one["step"] == "checks" else str(one["step"])
        answer = f"{len(trace['checks'])} asked" if one["answer"] == "asked" else one["answer"]
        rows.append((number, NAMES.get(one["step"], ""), _number(one["ms"]), _one_line(answer)))
    table = [f"{number:>4}  {name:<20}{took:>10}  {answer}" for number, name, took, answer in rows]
    times = (("start_ms", "until the payload was read"), ("save_ms", "to save"), ("total_ms", "in all"))
    told = [f"{_number(trace[key])} ms {what}" for key, what in times if trace.get(key) is not None]
    return [*table, "", ", ".join(told)] if told else table


def _checks(checks: list[dict[str, Any]]) -> list[str]:
    if not checks:
        return []
    width = max(len(one["name"]) for one in checks)
    return [
        "",
        "checks",
        *(
            _one_line(
                f"{one['name']:<{width}}  {one['seconds']:8.2f} s  {_outcome(one)}, in {one['root']}{_tool(one)}", 2
            )
            for one in checks
        ),
    ]


def _outcome(check: dict[str, Any]) -> str:
    counts, tests = check["counts"], check["tests"]
    told = [_plural(counts[key], name) for key, name in _COUNTED if counts.get(key)]
    other = sum(count for key, count in counts.items() if key not in dict(_COUNTED))
    told += [_plural(other, "note")] if other else []
    told += [f"{_plural(tests['run'], 'test')} ran"] if tests else []
    told += [check["reason"]] if check["reason"] else []
    return f"{check['outcome']}: {', '.join(told)}" if told else str(check["outcome"])


def _tool(check: dict[str, Any]) -> str:
    return f", {check['tool']}" if check["tool"] else ""


def _end(trace: dict[str, Any]) -> list[str]:
    said = [f"said: {trace['text']}"] if trace["text"] else []
    return [sentence(trace), *(_one_line(line) for line in said)]


def _plural(count: int, name: str) -> str:
    return f"{count} {name}" if count == 1 else f"{count} {name}s"


def _number(milliseconds: float | None) -> str:
    return "" if milliseconds is None else f"{milliseconds:.1f}"


def _one_line(text: str, indent: int = 0) -> str:
    return " " * indent + brief.printable(report.cleaned(text).replace("\n", " "))
