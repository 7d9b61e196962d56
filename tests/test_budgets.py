"""Budgets of tokens and dollars: what the host's transcripts say, what it costs, and when a loop ends by it."""

import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from untilgreen import hosts
from untilgreen.core.model.settings import Price
from untilgreen.core.model.snapshot import ReadSoFar, Used
from untilgreen.core.words import spending
from world import Answer, World

RECORDED = Path(__file__).parent / "payloads" / "claude-code" / "2.1.330" / "transcripts"
START, LATER = "2026-11-21T20:00:00.000000Z", "2099-01-01T00:00:00.000Z"
MODEL = "claude-opus-5-5"


def line(name: str, output: int = 50, *, at: str = LATER, model: str = MODEL, **usage: Any) -> str:
    """An answer as the host writes it; `name`: the ids of its message and its request."""
    message, _, request = name.partition("/")
    counts = {"input_tokens": 1_000, "output_tokens": output} | usage
    said = {"id": message, "type": "message", "role": "assistant", "model": model, "content": [], "usage": counts}
    return json.dumps({"type": "assistant", "timestamp": at, "requestId": request, "message": said}) + "\n"


def read(transcript: Path, before: Mapping[str, ReadSoFar] | None = None, since: str = START) -> dict[str, ReadSoFar]:
    found = hosts.get("claude-code").usage(str(transcript), (), before or {}, since)
    assert found is not None
    return found


def used(records: Mapping[str, ReadSoFar]) -> dict[str, Used]:
    """Model to all that it used."""
    total: dict[str, Used] = {}
    for record in records.values():
        for model, one in (*record.used.items(), *record.newest.values()):
            total[model] = Used(*map(sum, zip(total.get(model, Used()), one, strict=True)))
    return total


HOUR: Any = {"cache_creation": {"ephemeral_1h_input_tokens": 30, "ephemeral_5m_input_tokens": 20}}
LINES: dict[str, tuple[list[str], dict[str, Used]]] = {
    "each block of an answer repeats it": ([line("a/1", 1), line("a/1", 50)], {MODEL: Used(1_000, 50)}),
    "a line that comes again says no more": ([line("a/1", 50), line("a/1", 1)], {MODEL: Used(1_000, 50)}),
    "an answer between its blocks": ([line("a/1", 1), line("b/2"), line("a/1")], {MODEL: Used(2_000, 100)}),
    "another request is another answer": ([line("a/1"), line("a/2")], {MODEL: Used(2_000, 100)}),
    "requests without an id": ([line("a"), line("a"), line("b")], {MODEL: Used(2_000, 100)}),
    "the cache": (
        [line("a", cache_creation_input_tokens=50, cache_read_input_tokens=7, **HOUR)],
        {MODEL: Used(1_000, 50, 20, 30, 7)},
    ),
    "a cache whose time is not told": ([line("a", cache_creation_input_tokens=9)], {MODEL: Used(1_000, 50, 9)}),
    "two models, one with its date": (
        [line("a", model="claude-haiku-4-5-20251001"), line("b", speed="fast")],
        {"claude-haiku-4-5": Used(1_000, 50), f"{MODEL} fast": Used(1_000, 50)},
    ),
    "a price by the length of the prompt": (
        [line("a", model="claude-haiku-5-5", cache_read_input_tokens=99_001)],
        {"claude-haiku-5-5 long": Used(1_000, 50, 0, 0, 99_001)},
    ),
    "what was before the loop": ([line("a", at="2026-11-21T19:59:59.999Z"), line("b")], {MODEL: Used(1_000, 50)}),
    "no model's": ([line("a", model="<synthetic>"), '{"usage": 1}\n', "[]\n", '{"type": "assistant"}\n'], {}),
    "no number of tokens": ([line("a", 10**400)], {MODEL: Used(1_000, 10**12)}),
    "no numbers": ([line("a", -5, cache_read_input_tokens=True, cache_creation="x")], {MODEL: Used(1_000)}),
    "a line that is being written": ([line("a"), line("b")[:-9]], {MODEL: Used(1_000, 50)}),
}


@pytest.mark.parametrize(("lines", "expected"), LINES.values(), ids=LINES)
def test_what_models_used_is_read_from_the_transcript(
    tmp_path: Path, lines: list[str], expected: dict[str, Used]
) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text("".join(lines))
    assert used(read(path)) == expected


@pytest.mark.parametrize("cut", range(1, 12))
def test_reading_goes_on_where_it_ended_wherever_that_was(tmp_path: Path, cut: int) -> None:
    whole = "".join(line(f"{n // 2}", n) for n in range(24)).encode()
    path, records = tmp_path / "s.jsonl", dict[str, ReadSoFar]()
    for part in range(1, cut + 1):
        path.write_bytes(whole[: len(whole) * part // cut])
        records = read(path, records)
    assert used(records) == {MODEL: Used(12_000, sum(range(1, 24, 2)))}
    assert records["s.jsonl"].offset == len(whole)
    assert len(records["s.jsonl"].newest) == 8
    path.write_text(line("anew"))
    assert used(read(path, records)) == {MODEL: Used(1_000, 50)}, "a file that shrank is another one"


def test_sub_agents_are_read_too_and_records_that_are_gone_stay(tmp_path: Path) -> None:
    main, agents = tmp_path / "s.jsonl", tmp_path / "s" / "subagents"
    agents.mkdir(parents=True)
    main.write_bytes((RECORDED / "f00-subagent-main.jsonl").read_bytes())
    agent = agents / "agent-1.jsonl"
    agent.write_bytes((RECORDED / "f00-subagent.jsonl").read_bytes())
    records = read(main)
    assert (used(records), list(records)) == ({MODEL: Used(5_000, 250)}, ["s.jsonl", "s/subagents/agent-1.jsonl"])
    assert read(main, records)["s/subagents/agent-1.jsonl"].newest == {}, "what has ended is kept as one number"
    agent.unlink()
    assert used(read(main, records)) == {MODEL: Used(5_000, 250)}
    main.unlink()
    with pytest.raises(FileNotFoundError):
        read(main, records)


OWN = {"claude-": Price(1, 2), "claude-opus": Price(10, 20, 1, 2, 0)}
COSTS: dict[str, tuple[dict[str, Used], Mapping[str, Price], float, tuple[str, ...]]] = {
    "each kind by its price": ({MODEL: Used(1_000_000, 100_000, 200_000, 300_000, 10_000_000)}, {}, 11.4, ()),
    "an unknown model is never free": ({"claude-next-9": Used(5), MODEL: Used(1_000_000)}, {}, 4.0, ("claude-next-9",)),
    "a name that only begins alike": ({"claude-opus-5-7": Used(5)}, {}, 0.0, ("claude-opus-5-7",)),
    "nothing used": ({"claude-next-9": Used()}, {}, 0.0, ()),
    "the longest of one's own": ({MODEL: Used(1_000_000, 0, 1_000_000, 1_000_000, 9_000_000)}, OWN, 13.0, ()),
    "the usual for the cache": ({"claude-x": Used(0, 0, 1_000_000, 1_000_000, 1_000_000)}, OWN, 3.35, ()),
}


@pytest.mark.parametrize(("tokens", "own", "cost", "unpriced"), COSTS.values(), ids=COSTS)
def test_what_it_costs(
    tokens: dict[str, Used], own: Mapping[str, Price], cost: float, unpriced: tuple[str, ...]
) -> None:
    told, unknown = spending.cost(tokens, own)
    assert told == pytest.approx(cost)
    assert unknown == unpriced


@pytest.fixture
def transcript(red: World) -> Path:
    return red.home / "transcript.jsonl"


def begin(world: World, *options: str, code: int = 0, env: Mapping[str, str] | None = None) -> Answer:
    answer = world.run("start-loop", "mend it", "--session", world.session, *options, env=env)
    assert answer.code == code, answer
    return answer


def append(path: Path, *lines: str) -> None:
    with path.open("a") as file:
        file.writelines(lines)


def usage(world: World) -> list[dict[str, Any]]:
    return [one["usage"] for one in world.state["snapshots"]]


def ended(world: World, answer: Answer) -> tuple[bool, str, str, str]:
    """Whether it is over, its state's reason, and the first line of the message."""
    state = world.state
    return answer.held, state["stop_reason"], state["completion_reason"], answer.notice.partition("\n")[0]


def test_a_loop_ends_at_the_stop_at_which_its_tokens_are_used_up(red: World, transcript: Path) -> None:
    assert "10 rounds, 60 min of work, 2.5k tokens, " in begin(red, "--max-tokens", "2500").stdout
    append(transcript, line("a"))
    assert red.stop().held
    append(transcript, line("b"), line("b"), line("c", 450)[:-20])
    assert red.stop().held, "a line that is being written does not count yet"
    append(transcript, line("c", 450)[-20:])
    assert ended(red, red.stop()) == (
        False,
        "budget",
        "Token budget reached (3.55k of 2.5k)",
        "■ stopped: token budget used up (3.55k of 2.5k) · 1 left: ruff 1 · left 1 1 1 · 3.55k tokens, $0.023",
    )
    assert (red.state["final_status"], red.state["status"]) == ("STOPPED", "failed")
    assert usage(red) == [
        {"tokens": 1050, "cost": 0.005},
        {"tokens": 1050, "cost": 0.005},
        {"tokens": 1450, "cost": 0.013},
    ]


def test_green_at_the_stop_that_goes_beyond_the_budget_is_a_success(red: World, transcript: Path) -> None:
    begin(red, "--max-tokens", "10")
    append(transcript, line("a"))
    red.write({"app.py": "X = 1\n"})
    assert red.stop().notice.splitlines()[0].endswith(" · 1.05k tokens, $0.005")
    assert red.state["stop_reason"] == "complete"


def test_dollars_end_a_loop_and_a_resumed_one_has_all_of_them_again(red: World, transcript: Path) -> None:
    begin(red, "--max-cost", "0.01")
    append(transcript, line("a"), line("b"))
    told = "Cost budget reached ($0.01 of $0.01)"
    assert ended(red, red.stop())[1:3] == ("budget", told)
    append(transcript, line("between", at="2026-01-01T00:00:00.000Z"))
    assert red.run("untilgreen", "resume").code == 0
    append(transcript, line("c"))
    assert red.stop().held
    append(transcript, line("d"))
    assert ended(red, red.stop())[1:3] == ("budget", told)
    assert red.state["spending"]["tokens"] == 4_200


def test_what_was_spent_before_clear_counts(red: World, transcript: Path) -> None:
    begin(red, "--max-tokens", "2000")
    (red.home / f"{red.session}.jsonl").write_text(line("a"))  # no stop came after it
    old = red.session
    red.event("SessionEnd", reason="clear")
    red.session = "5b0c3f4e-4f0e-4c41-9d5e-0c5d7f0a9f22"
    red.event("SessionStart", source="clear")
    append(transcript, line("b"))
    assert ended(red, red.stop())[1:3] == ("budget", "Token budget reached (2.1k of 2k)")
    assert sorted(red.state["spending"]["records"]) == [f"{old}.jsonl", "transcript.jsonl"]


@pytest.mark.parametrize(
    ("options", "written", "first", "reason"),
    [
        (("--max-tokens", "9999"), "", "Use unknown: the host's record says nothing new", "Use could not be read"),
        (
            ("--max-cost", "9"),
            line("a", model="gpt-9"),
            "Cost unknown: no price for gpt-9 (key prices)",
            "Cost is not known: no price for gpt-9",
        ),
    ],
)
def test_a_budget_that_cannot_be_measured_is_told_and_ends_the_loop_at_the_second_stop(
    red: World, transcript: Path, options: tuple[str, ...], written: str, first: str, reason: str
) -> None:
    begin(red, *options)
    if written:
        append(transcript, written)
    held = red.stop()
    assert held.held
    assert first in held.notice
    append(transcript, written.replace('"a"', '"b"'))
    assert ended(red, red.stop())[1:3] == ("budget", reason)
    assert [one["cost"] for one in usage(red)] == ([0.0, 0.0] if not written else [None, None])


def test_the_users_own_prices_count(red: World, transcript: Path) -> None:
    red.write({"untilgreen.toml": '[prices."gpt-9"]\ninput = 1000\noutput = 2000\n'})
    begin(red, "--max-cost", "2")
    append(transcript, line("a", model="gpt-9-mini"))
    assert red.stop().held
    assert usage(red) == [{"tokens": 1_050, "cost": 1.1}]


def test_a_price_of_nothing_is_refused(red: World) -> None:
    red.write({"untilgreen.toml": '[prices."gpt-9"]\ninput = 1000\n'})
    told = begin(red, "--max-cost", "2", code=64).stderr
    assert "prices.gpt-9 is" in told
    assert "give a price with input and output, in USD for a million tokens" in told


def test_a_budget_is_refused_in_the_shell_of_a_host_that_does_not_tell(red: World) -> None:
    told = begin(red, "--max-cost", "2", code=64, env={"CODEX_THREAD_ID": "c"}).stderr
    assert told == (
        "start-loop failed: --max-cost: Codex CLI does not tell what its models use. "
        "Fix: limit the loop by --max-iterations or --max-minutes\n"
    )


@pytest.fixture
def status_line(red: World) -> Callable[[float], object]:
    """The host redraws its status line and says what the session cost so far."""
    return lambda total: subprocess.run(
        [sys.executable, "-m", "untilgreen.loops.heard.status_line"],
        input=json.dumps({"session_id": red.session, "cwd": str(red.project), "cost": {"total_cost_usd": total}}),
        env=red.env | {"CLAUDE_PROJECT_DIR": str(red.project)},
        check=True,
        text=True,
        capture_output=True,
    )


def test_the_status_lines_own_total_counts_where_it_is_shown(
    red: World, transcript: Path, status_line: Callable[[float], object]
) -> None:
    begin(red, "--max-cost", "1")
    append(transcript, line("a", model="gpt-9"))
    for total in (5.0, 5.25):
        status_line(total)
    assert red.stop().held
    assert usage(red) == [{"tokens": 1_050, "cost": 0.25}], "what the session cost before does not count"
    append(transcript, line("b", model="gpt-9"))
    status_line(0.5)  # a new process of the host counts anew
    status_line(0.75)
    assert ended(red, red.stop())[1:3] == ("budget", "Cost budget reached ($1.00 of $1.00)")


def test_a_loop_without_a_budget_keeps_and_reads_nothing_of_it(
    red: World, transcript: Path, status_line: Callable[[float], object]
) -> None:
    begin(red)
    append(transcript, line("a"))
    status_line(5.0)
    assert red.stop().held
    assert (red.state["spending"], red.state["snapshots"][0]["usage"]) == (None, None)
    assert not (red.folder / "cost.json").exists()


def test_use_is_told_without_a_budget_where_that_is_asked_for(red: World, transcript: Path) -> None:
    begin(red, "--usage", "--max-iterations", "1")
    append(transcript, line("a"))
    assert red.stop().notice.splitlines()[0].endswith("left 1 · 1.05k tokens, $0.005")


def test_a_round_that_is_the_best_so_far_earns_another_and_no_text_counts_beyond_the_rounds(red: World) -> None:
    red.write({"app.py": "import os\nimport sys\nimport json\n"})
    begin(red, "--adaptive", "--max-iterations", "2")
    assert red.stop().held
    red.write({"app.py": "import os\nimport sys\n"})
    held = red.stop()
    more = "One more round than was asked for: this one was the best so far"
    assert held.notice.startswith("✗ round 2 of 3 · 4 → 2 left · ")
    assert (more in held.notice, more in held.stderr) == (True, True)
    assert held.stderr.startswith("Not green yet: 2 left after round 2 of 3 · ruff 2\n")
    shown = red.run("untilgreen", "show").stdout
    assert "limits: 2 rounds, up to 4 while each is the best so far, " in shown
    over = red.stop()
    assert ended(red, over)[1:3] == ("max-iterations", "Max iterations reached (3)")
    assert red.run("untilgreen", "resume").stdout.startswith(
        "untilgreen: loop opened again, it had ended as out of rounds"
    )
    assert (red.state["iteration"], red.state["max_iterations"], red.state["extended"]) == (4, 5, 0)


CLAUDE = """#!/bin/sh
cat >/dev/null
echo '{"type": "result", "result": "Done.", "session_id": "x", "total_cost_usd": 0.3, "modelUsage": {
"claude-opus-5-5": {"inputTokens": 700, "outputTokens": 50, "cacheReadInputTokens": 250, "costUSD": 0.2},
"gpt-9": {"outputTokens": 100, "contextWindow": 100000, "costUSD": 0.1}}}' | tr -d '\\n'
"""


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (("--max-tokens", "2000"), "Token budget reached (2.2k of 2k)"),
        (("--max-cost", "0.5"), "Cost budget reached ($0.60 of $0.50)"),
    ],
)
def test_a_run_adds_up_what_its_agents_say(red: World, options: tuple[str, ...], reason: str) -> None:
    program = red.programs / "claude"
    program.write_text(CLAUDE)
    program.chmod(0o755)
    answer = red.run("untilgreen", "run", "Mend it", *options, "--json")
    found = json.loads(answer.stdout)
    assert (answer.code, found["stop_reason"], found["iterations"]) == (5, "budget", 2)
    path = red.project / ".untilgreen" / "sessions" / found["session_id"] / "loop_state.json"
    state = json.loads(path.read_text())
    assert state["completion_reason"] == reason
    assert [one["usage"] for one in state["snapshots"]] == [{"tokens": 1_100, "cost": 0.3}] * 2


def test_a_run_with_a_command_of_ones_own_takes_no_budget(red: World) -> None:
    answer = red.run("untilgreen", "run", "Mend it", "--command", "cat", "--max-tokens", "9")
    assert (answer.code, "does not tell what its models use" in answer.stderr) == (64, True)
    assert not (red.project / ".untilgreen").exists()


def test_a_run_ends_a_process_whose_round_takes_too_long(red: World) -> None:
    red.write({"untilgreen.toml": "iteration_minutes = 0.03\n"})
    answer = red.run("untilgreen", "run", "Mend it", "--command", "sleep 600", "--json")
    assert (answer.code, json.loads(answer.stdout)["stop_reason"]) == (5, "max-wall-time")
    assert " min, and has 0.03 · 1 left: ruff 1 · " in answer.stderr
