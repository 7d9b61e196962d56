"""The end of a process that `untilgreen run` started: a stop of the run's own session, judged as any other.

The runner stands for a host: it hears the verdict in the words of Claude Code's hooks, whoever the agent is.
"""

import json
import time
from collections.abc import Mapping

from untilgreen import hosts
from untilgreen.core.model.event import Event, Place
from untilgreen.core.record import NamedTuple
from untilgreen.loops.run.agent import AgentSaid
from untilgreen.loops.stop import dispatch
from untilgreen.loops.stop.payload import called


class JudgedRound(NamedTuple):
    """What came of it: whether the agent is to go on, what it is told then, and what its user is told."""

    goes_on: bool
    feedback: str
    told: str


def judge(place: Place, session: str, host: str, said: AgentSaid, env: Mapping[str, str]) -> JudgedRound:
    """Judge what the agent left behind. `host`: who it is. Raises as a stop does."""
    event = Event("stop", host, session, place.root, message=said.text)
    event = event._replace(billed_tokens=said.tokens, billed_cost=said.cost)
    call = dispatch.with_unsaid(called(hosts.get(hosts.DEFAULT), event, place, env, {}))
    reply = dispatch.of_session(call, time.time())
    told = json.loads(reply.stdout).get("systemMessage", "") if reply.stdout else ""
    return JudgedRound(reply.code == 2, reply.stderr, told)
