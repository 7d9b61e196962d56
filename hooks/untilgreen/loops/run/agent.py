"""The agent that `untilgreen run` starts: which program, in which environment, and what it says at its end."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from untilgreen import hosts
from untilgreen.checks.run import processes
from untilgreen.core.errors import UserError, meant
from untilgreen.core.foreign import plain
from untilgreen.core.model.event import Place, TurnFailure
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Output
from untilgreen.core.record import NamedTuple
from untilgreen.core.secrets import safe
from untilgreen.core.words.memory import Opening
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.records import Closing
from untilgreen.loops.heard import announcing
from untilgreen.project import tools
from untilgreen.settings.values import command_words, shown
from untilgreen.state import catalogue, memory, runs, store
from untilgreen.state.place import RUN
from untilgreen.state.runs import RunRecord

PROMPT, CHAT = "{prompt}", "{chat}"
_GRACE = 5.0  # seconds between SIGTERM and SIGKILL: a host writes down what it did
_LONGEST = 365 * 86_400.0  # seconds of a process without a limit
LIMIT, OVERLOADED = "rate_limit", "overloaded"
_MESSAGE = 200_000  # characters of a message, its end; and of its errors
_LIMIT_WORDS = (
    r"(?i)\brate.?limit|usage limit|\bhit your (?:\w+ )?limit|(?<!context )limit reached|too many requests"
    r"|\b429\b"
)
_OVERLOADED_WORDS = r"(?i)\boverloaded|\b5(?:00|02|03|04|29)\b|internal server error|service unavailable|bad gateway"
_STATUS = {401: "authentication_failed", 403: "authentication_failed", 429: LIMIT}


class AgentSaid(NamedTuple):
    """The agent's last message; `failure` where it was not the model's. `late`: its time was up. `cost` is in USD."""

    text: str = ""
    failure: TurnFailure | None = None
    late: bool = False
    tokens: int = 0
    cost: float | None = None


def of_host(name: str, args: tuple[str, ...], root: str, env: Mapping[str, str]) -> tuple[str, ...]:
    """What starts the host; `args`: what its user adds. Raises UserError."""
    refuse("--host", name)
    facts = hosts.get(name).facts
    return (program(facts, root, env, "or give --command"), *facts.run, *args)


def refuse(flag: str, name: str) -> None:
    """Raise UserError where this is no host that can be started."""
    names = [one for one in hosts.ADAPTERS if hosts.get(one).facts.run]
    if name not in names:
        raise UserError(f"{flag} is {shown(name)}{meant(name, names)}", f"give one of {', '.join(names)}")


def program(facts: Facts, root: str, env: Mapping[str, str], instead: str = "") -> str:
    """The host's program by its path, not one of the project's own: nobody asked for that. Raises UserError."""
    found = tools.on_path(facts.program, root, env, trusted=False)
    if not found:
        cure = ", ".join(filter(None, (f"install {facts.title}", instead)))
        raise UserError(f"{facts.program} is not on the PATH", cure)
    return found


def permission(name: str, args: Sequence[str]) -> str:
    """What is said where its user gave the host no word: nobody is there whom it could ask; "" for nothing."""
    facts = hosts.get(name).facts
    if args or not facts.unattended:
        return ""
    return f"nobody is there to ask: if {facts.title} may not work by its settings, add: -- {facts.unattended}"


def of_command(command: str, args: tuple[str, ...]) -> tuple[str, ...]:
    """What starts an agent of the user's own. Raises UserError."""
    called, *rest = command_words(command)
    program = shutil.which(called)
    if program is None:
        raise UserError(f"--command: {shown(called)} is not there", "name a program on the PATH, or by its path")
    return (os.path.abspath(program), *rest, *args)


def outside(env: Mapping[str, str]) -> dict[str, str]:
    """The environment without what names a session of a host that may be around us, and without another run."""
    facts = [hosts.get(name).facts for name in hosts.ADAPTERS]
    theirs = {RUN, *(name for one in facts for name in (*one.known_by, one.client))}
    return {key: value for key, value in env.items() if key not in theirs and not key.startswith(hosts.private())}


def chat(run: RunRecord, env: Mapping[str, str]) -> str:
    """The file in which the agent keeps what was said in this run, "" for one that begins each round anew."""
    return runs.path(env, run.session, ".chat") if any(CHAT in word for word in run.argv) else ""


def given(words: Sequence[str], prompt: str) -> tuple[tuple[str, ...], str]:
    """The words with the prompt in the place that they have for it, else what comes on stdin. Raises UserError."""
    if not any(PROMPT in word for word in words):
        return tuple(words), prompt
    if len(prompt.encode()) > processes.COMMAND or "\0" in prompt:
        raise UserError("the prompt is too long for a command line", f"leave out {PROMPT}: it comes on stdin then")
    return tuple(word.replace(PROMPT, prompt) for word in words), ""


def ask(
    run: RunRecord,
    prompt: str,
    env: Mapping[str, str],
    seconds: float,
    idle: Callable[[], bool],
    begun: Callable[[int], None],
) -> AgentSaid:
    """Start the agent with this prompt, and wait for its end (0: as long as it takes). `idle` as in `processes.run`;
    `begun` hears its process id. Raises UserError, OSError, processes.Interrupted."""
    argv, stdin = given([word.replace(CHAT, chat(run, env)) for word in run.argv], prompt)
    path = runs.path(env, run.session, ".prompt")
    store.write_text(path, stdin, durable=False)
    more = {RUN: run.session}
    job = processes.Job("agent", argv, run.project, seconds or _LONGEST, stdin=path, more=more, begun=begun)
    try:
        until = time.monotonic() + _LONGEST
        started = processes.run((job,), env, until, idle, _GRACE)
    finally:
        with suppress(FileNotFoundError):
            os.unlink(path)
    return read_answer(started["agent"], hosts.get(run.host).closing)


def read_answer(output: Output, closes: Callable[[str], Closing | None] | None) -> AgentSaid:
    """The answer of a process. `closes`: how its host tells it; None: all that it prints is the message."""
    found = closes(output.stdout) if closes else Closing(output.stdout)
    closing = found or Closing()
    said = AgentSaid(plain(closing.text).strip()[-_MESSAGE:], tokens=closing.tokens, cost=closing.cost)
    if output.late or closing.used_up:
        return said._replace(late=True)
    if output.code == 0 and found is not None and not closing.failed:
        return said
    return AgentSaid(said.text, _failure(output, found if closes else None, said.text))


def _failure(output: Output, found: Closing | None, text: str) -> TurnFailure:
    error = plain(output.stderr).strip()[-_MESSAGE:]
    why = plain(found.error).strip()[-_MESSAGE:] if found else ""
    said = why or (text if found and text else "\n".join(filter(None, (error, text))))
    code = output.code or 0
    ended = f"signal {-code}" if code < 0 else f"exit code {output.code}"
    ended = output.why or ("it answered without a result" if output.code == 0 else ended)
    status = found.status if found else 0
    kind = _STATUS.get(status, OVERLOADED if status >= 500 else "agent") if status else ""
    if not kind and re.search(_LIMIT_WORDS, said):
        kind = LIMIT
    elif not kind and re.search(_OVERLOADED_WORDS, said):
        kind = OVERLOADED
    return TurnFailure(kind or "agent", safe(": ".join(filter(None, ("" if found and said else ended, said)))))


def end_left_over(run: RunRecord) -> bool:
    """End the agent of a runner that was killed, before the run goes on; whether it still lived."""
    lived = _lives(run)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not _lives(run):
            break
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(run.child, number)
        until = time.monotonic() + _GRACE
        while _lives(run) and time.monotonic() < until:
            time.sleep(0.02)
    return lived


def created(pid: int) -> str:
    """When the process of this number was created, as the system says it; "" where none lives."""
    if sys.platform != "linux":
        told = subprocess.run(["ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, check=False)
        return told.stdout.decode("ascii", "replace").strip()
    try:
        with open(f"/proc/{pid}/stat", "rb") as stat:
            state, *fields = stat.read().rpartition(b")")[2].split()
        return "" if state == b"Z" else fields[18].decode("ascii")
    except (OSError, ValueError, IndexError):
        return ""


def _lives(run: RunRecord) -> bool:
    return run.child > 1 and run.child_since != "" and created(run.child) == run.child_since


def opening(place: Place, loop: Loop, first: str) -> Opening:
    """What an agent with an empty context is told: task, rules (`first` the first), and the memory of the loop."""
    words, known = catalogue.words(loop.settings), memory.known(place, loop)
    rules = (first, *announcing.criteria(loop, words), *announcing.for_the_agent(loop))
    return Opening(loop.task_description, rules, summary=known.summary, feedback=known.feedback)
