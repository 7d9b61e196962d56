"""The judge of a loop's criteria in words: which program it is, and how it is asked.

Its process is a check's: in a group of its own, ended with it, our hooks off in it. Beside that it must not take part
in the session that it judges: the host's variables are taken away, and the host's own judge runs without the project's
settings, outside of the project.
"""

import os
import time
from collections.abc import Callable, Mapping, Sequence

from untilgreen import hosts
from untilgreen.checkers.answer import tail
from untilgreen.checks import asking
from untilgreen.checks.asking import Program, newest
from untilgreen.checks.run import processes
from untilgreen.core.errors import UserError
from untilgreen.core.model.check import Absent
from untilgreen.core.model.loop import Loop
from untilgreen.core.model.outcome import Output
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import Any, NamedTuple
from untilgreen.core.words import judgement
from untilgreen.hosts.facts import Facts
from untilgreen.project import tools, trust

NO_TIME = "no time left"


class Answer(NamedTuple):
    """What came of one question: what the judge said, or why there is nothing to read."""

    said: judgement.JudgeWords | str
    tail: str
    seconds: float


def name(settings: Settings) -> str:
    """The judge's program, as it is called."""
    return (settings.judge.command or (host(),))[0]


def host() -> str:
    """The usual host's program, as it is called: what is named where none of them is there."""
    return hosts.get(hosts.DEFAULT).facts.program


def absent(loop: Loop) -> Absent:
    """Why a judge that was not there does not judge."""
    return Absent("missing", name(loop.settings))


def found(loop: Loop, env: Mapping[str, str], *, allow_absent: bool) -> Loop:
    """The loop with the judge's program, where it has one. Raises UserError where that is not there and the start named
    a criterion."""
    if not (loop.for_a_judge or loop.settings.judge.progress):
        return loop
    loop = loop.put(loop.checks._replace(judge=_program(loop, env)))
    if not loop.checks.judge and loop.asked.completion_criteria.judge and not allow_absent:
        cure = "install it, set judge.command, leave --judge out, or give --allow-absent"
        raise UserError(f"--judge: {absent(loop).reason}", cure)
    return loop


def _program(loop: Loop, env: Mapping[str, str]) -> str:
    """Its absolute path, "" where it is not there. A command of the project's own may lie in the project; the host's is
    looked for outside of it."""
    command = loop.settings.judge.command
    return asking.find(command[0], loop.project, loop.checks.asked, env) if command else hosts_own(loop.project, env)


def _asked() -> tuple[Facts, ...]:
    """The hosts that can judge, in their order: the usual one first."""
    return tuple(facts for name in hosts.ADAPTERS if (facts := hosts.get(name).facts).headless)


def hosts_own(root: str, env: Mapping[str, str]) -> str:
    """The absolute path of the program of the first host that is there, as `_program`."""
    return next(filter(None, (_there(facts, root, env) for facts in _asked())), "")


def _there(facts: Facts, root: str, env: Mapping[str, str]) -> str:
    usual = os.pathsep.join(facts.places).replace("~", env.get("HOME", ""))
    places = (env, {"PATH": usual})
    return next(filter(None, (tools.on_path(facts.program, root, one, trusted=False) for one in places)), "")


def ask(
    loop: Loop,
    flag: str,
    questions: Sequence[Sequence[judgement.Exhibit]],
    env: Mapping[str, str],
    until: float,
    idle: Callable[[], bool],
) -> list[Answer]:
    """The answer to each question, all asked at once. `flag` as in `judgement.prompt`; `until` and `idle` as in
    `processes.run`. Raises processes.Interrupted, trust.Unread, OSError."""
    if until - time.monotonic() < 1:
        return [Answer(NO_TIME, "", 0.0) for _ in questions]
    own = loop.settings.judge
    prompts = [judgement.prompt(flag, exhibits, fence(exhibits)) for exhibits in questions]
    if own.command:
        called = commands_own((loop.checks.judge, *own.command[1:]), loop.project, env)
    else:
        called = headless(loop.checks.judge, judgement.schema(flag), env)
    outputs = asking.ask(loop.project, called._replace(seconds=own.seconds), prompts, env, until, idle)
    return [_answer(output, flag) for output in outputs]


def commands_own(argv: tuple[str, ...], root: str, env: Mapping[str, str]) -> Program:
    """A command of the project's own, outside of the session that it judges."""
    return Program(argv, root, _environment(env))


def headless(program: str, schema: str, env: Mapping[str, str]) -> Program:
    """The host's own program, without tools and hooks, outside of the project."""
    words = {"{schema}": schema, "{system}": judgement.SYSTEM}
    trust.make_private(trust.folder(env))
    facts = next((one for one in _asked() if one.program == os.path.basename(program)), _asked()[0])
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


def _answer(output: Output, flag: str) -> Answer:
    found = opened(output.stdout, flag)
    why = output.why
    if not why and output.code != 0:
        told = found.get("result") if isinstance(found, dict) else None
        why = f"exit code {output.code}" + (f": {told}" if isinstance(told, str) and told else "")
    said = why or judgement.read(found, flag)
    return Answer(said, tail(output) if isinstance(said, str) else "", output.seconds)


def opened(text: str, flag: str) -> Any:
    """The last JSON object that was printed; of a host's document what it holds, where that has no `flag`. None where
    there is none."""
    found = newest(text)
    if not isinstance(found, dict) or flag in found or found.get("is_error"):
        return found
    if isinstance(found.get("structured_output"), dict):
        return found["structured_output"]
    return newest(found["result"]) if isinstance(found.get("result"), str) else found
