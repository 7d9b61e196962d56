"""What a host tells us, and what the process says back."""

from typing import Literal, NamedTuple

# a verdict, "context" (a text for the model beside the prompt), or "refuse" (the prompt is not sent)
Kind = Literal["allow", "continue", "release", "context", "refuse"]


class Task(NamedTuple):
    """Something that runs in the background while the agent wants to stop."""

    id: str
    #: "agent" (a sub-agent), "shell" or "wakeup" (a one-shot timer)
    kind: str
    #: the shell's command line, "" for the others
    command: str = ""


class Edit(NamedTuple):
    """A file that the agent wrote with one of the host's edit tools."""

    #: as the host names it
    path: str
    #: its text before that: "" where there was no such file, None when the host does not tell
    before: str | None = None


class Event(NamedTuple):
    """One hook call of one host, in our words."""

    #: "stop", "prompt", "edit", "session-start", "session-end" or "other"
    name: str
    host: str
    #: the host's id as sent, "" when there is none (a person runs the hook by hand)
    session: str = ""
    cwd: str = ""
    prompt_id: str = ""
    prompt: str = ""
    #: the agent's last message, None when the host did not send the key at all
    message: str | None = None
    messages: tuple[str, ...] | None = None
    transcript: str = ""
    agent_id: str = ""
    permission_mode: str = ""
    #: why a session starts ("startup", "resume", "clear", "compact", "fork") or ends
    source: str = ""
    client: str = ""
    tasks: tuple[Task, ...] = ()
    #: the host says that a stop hook already made this turn go on
    turn_goes_on: bool = False
    #: this version of the host can go on without calling that an error
    quiet: bool = False
    #: the files that one call of a tool wrote
    edits: tuple[Edit, ...] = ()
    #: the prompt is the host's own, no words of the user
    notification: bool = False


class Message(NamedTuple):
    """What is said."""

    #: for the agent; at a release and a refusal for the user
    text: str = ""
    #: always for the user
    notice: str = ""
    #: go on without the word error, where the host can
    quiet: bool = False


class Reply(NamedTuple):
    """What the process says to the host: two streams and an exit code."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""
