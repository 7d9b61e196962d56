"""A stop that must be held, sent through a registered hook as the host would: in a folder of its own, with a loop whose
one check is red. Nothing of it stays."""

import json
import os
import re
import tempfile
import time
from collections.abc import Mapping, Sequence

from untilgreen import hosts
from untilgreen.checks.run import processes
from untilgreen.cli.doctor.case import last_words
from untilgreen.cli.installing import targets
from untilgreen.core.errors import UserError
from untilgreen.core.model.outcome import Output
from untilgreen.hosts.bridge_file import BridgeFile
from untilgreen.loops.begin import starting
from untilgreen.loops.begin.options import Request

_SESSION = "00000000-0000-4000-8000-000000000000"
_LOOP = Request("hold a test stop", checks=(("red", ("false",)),))
_SECONDS = 20.0  # for the stop
_SWITCHES = ("UNTILGREEN_", "JIKIME_DISABLE_")  # they are told of by themselves
_HOLDS = re.compile(r'"decision":\s*"(?:block|deny)"')


def is_known(host: str) -> bool:
    """Whether it is known how a stop of the host looks: as that of the others."""
    return bool(targets.settings(host).ROWS)


def held(host: str, words: Sequence[str], env: Mapping[str, str]) -> tuple[float, str]:
    """The seconds of the stop, and why it was not held, "" where it was. `words`: what starts the hook."""
    try:
        answer = _answer(host, words, env)
    except (OSError, UserError) as error:
        return 0.0, str(error)
    holds = answer.code == 2 or (answer.code == 0 and _HOLDS.search(answer.stdout))
    return answer.seconds, "" if holds else last_words(answer)


def _answer(host: str, words: Sequence[str], env: Mapping[str, str]) -> Output:
    settings = targets.settings(host)
    with tempfile.TemporaryDirectory(prefix="untilgreen-") as folder:
        project = os.path.join(os.path.realpath(folder), "project")
        os.mkdir(project)
        told = {"hook_event_name": settings.ROWS[0].event, "session_id": _SESSION, "cwd": project}
        told |= {"last_assistant_message": "Done."}
        told |= {"bridge": host} if isinstance(settings, BridgeFile) else {}
        payload = os.path.join(folder, "payload.json")
        with open(payload, "w", encoding="utf-8") as file:
            json.dump(told, file)
        ours = processes.environment({name: value for name, value in env.items() if not name.startswith(_SWITCHES)})
        ours |= {"XDG_STATE_HOME": folder, "UNTILGREEN_DISABLE": "", **hosts.variables(_SESSION, project, host)}
        starting.start(_LOOP, project, _SESSION, ours, host=host)
        stop = processes.Job("stop", tuple(words), project, _SECONDS, stdin=payload)
        return processes.run((stop,), ours, time.monotonic() + _SECONDS)["stop"]
