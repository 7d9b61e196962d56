"""What a host tells us, and what the process says back."""

from typing import Literal, NamedTuple

# a verdict, "context" (a text for the model beside the prompt), or "refuse" (the prompt is not sent)
Kind = Literal["allow", "continue", "release", "context", "refuse"]


class Task(NamedTuple):
    """Something that runs in the background while the agent wants to stop.

    `kind` is "agent" (a sub-agent), "shell" or "wakeup" (a one-shot timer);
    `command` is the shell's command line, "" for the others.
    """

    id: str
    kind: str
    command: str = ""


class Edit(NamedTuple):
    """A file that the agent wrote with one of the host's edit tools.

    `path` is the host's word for it. `before`: its text before that, "" where there was no such file; None when the
    host does not tell.
    """

    path: str
    before: str | None = None


class Event(NamedTuple):
    """One hook call of one host, in our words.

    `name`: "stop", "prompt", "edit", "session-start", "session-end" or "other".
    `session`: the host's id as sent; "" when there is none (somebody runs the hook by hand).
    `message`: the agent's last message; None when the host did not send the key at all.
    `notification`: the prompt is the host's own, no words of the user.
    `source`: why a session starts ("startup", "resume", "clear", "compact", "fork") or ends.
    `turn_goes_on`: the host says that a stop hook already made this turn go on.
    `quiet`: this version of the host can be told to go on without calling that an error.
    `edits`: the files that one call of a tool wrote.
    """

    name: str
    host: str
    session: str = ""
    cwd: str = ""
    prompt_id: str = ""
    prompt: str = ""
    message: str | None = None
    messages: tuple[str, ...] | None = None
    transcript: str = ""
    agent_id: str = ""
    permission_mode: str = ""
    source: str = ""
    client: str = ""
    tasks: tuple[Task, ...] = ()
    turn_goes_on: bool = False
    quiet: bool = False
    edits: tuple[Edit, ...] = ()
    notification: bool = False


class Message(NamedTuple):
    """What is said. `text` is for whom the kind is for: the agent, or at a release and a refusal the user; `notice` is
    always for the user. `quiet`: go on without the word error, where the host can."""

    text: str = ""
    notice: str = ""
    quiet: bool = False


class Reply(NamedTuple):
    """What the process says to the host: two streams and an exit code."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""
