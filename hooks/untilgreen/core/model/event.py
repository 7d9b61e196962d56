"""A hook call: what a host tells us, in which session, and what the process says back."""

from untilgreen.core.record import Literal, NamedTuple

# a verdict, "context" (a text for the model beside the prompt), or what keeps the prompt from the model: "answer" (its
# user sees the answer; only where the event says that one is shown) and "refuse" (its user sees why)
Kind = Literal["allow", "continue", "release", "context", "answer", "refuse"]


class Task(NamedTuple):
    """Something that runs in the background while the agent wants to stop."""

    id: str
    kind: str  #: "agent" (a sub-agent), "shell" or "wakeup" (a one-shot timer)
    command: str = ""  #: the shell's command line, "" for the others


class Edit(NamedTuple):
    """A file that the agent wrote with one of the host's edit tools."""

    path: str  #: as the host names it
    before: str | None = None  #: its text before: "" where there was no such file, None when the host does not tell


class TurnFailure(NamedTuple):
    """Why a turn ended without a stop: the model could not be asked."""

    kind: str  #: the host's own word, as "rate_limit", "overloaded", "authentication_failed", "unknown"
    text: str = ""  #: what its user saw, as "API Error: 400 …"


class ToolUse(NamedTuple):
    """A call of one of the agent's tools that is over."""

    name: str  #: the host's name of the tool
    ok: bool = True
    command: str = ""  #: of a shell its command line
    path: str = ""  #: of an edit the file, as the host names it
    seconds: float = 0.0  #: 0 where the host does not tell
    id: str = ""
    about: str = ""  #: of a tool that is neither a shell nor an edit what it was called on: a file, a URL, a pattern
    exit_code: int | None = None  #: of a shell; None where the host does not tell
    output: str = ""  #: the end of what it printed, or why it failed
    open_end: bool = False  #: it goes on in the background, or was interrupted: how it ends is not known
    refused: bool = False  #: its user, or a rule of theirs, kept it from being done: no failure of its own


class Event(NamedTuple):
    """One hook call of one host, in our words."""

    #: "stop", "prompt", "edit", "session-start", "session-end", "failure" (a turn ended without a stop), "interrupt"
    #: (its user broke it off), "tool" (a call of a tool is over), "task" (a teammate calls its task done), "idle" (a
    #: teammate wants to rest) or "other"
    name: str
    host: str
    session: str = ""  #: the host's id as sent, "" when there is none (a person runs the hook by hand)
    cwd: str = ""
    prompt_id: str = ""
    prompt: str = ""
    message: str | None = None  #: the agent's last message, None when the host did not send the key at all
    messages: tuple[str, ...] | None = None
    transcript: str = ""
    billed_tokens: int = 0  #: without a transcript: what the host says at its end that its models used, in tokens, USD
    billed_cost: float | None = None
    agent_id: str = ""
    permission_mode: str = ""
    source: str = ""  #: why a session starts ("startup", "resume", "clear", "compact", "fork") or ends
    client: str = ""
    tasks: tuple[Task, ...] = ()
    turn_goes_on: bool = False  #: the host says that a stop hook already made this turn go on
    most_holds: int = 0  #: how many stops of one turn the host lets be held, whatever tools are called; 0: no limit
    quiet: bool = False  #: this version of the host can go on without calling that an error
    answers: str = ""  #: how this version shows its user our answer instead of the model's: the adapter's word
    edits: tuple[Edit, ...] = ()  #: the files that one call of a tool wrote
    notification: bool = False  #: the prompt is the host's own, no words of the user
    failure: TurnFailure | None = None
    used: ToolUse | None = None  #: the tool whose call is over, of an edit, too
    teammate: str = ""  #: the teammate that calls its task done, or wants to rest, by name; its team; that task's id
    team: str = ""
    task: str = ""


class Place(NamedTuple):
    """Where the files of one session are."""

    root: str  #: the project's root
    base: str  #: the state folder
    session: str  #: the name of the session's folder

    @property
    def folder(self) -> str:
        return f"{self.base}/sessions/{self.session}"

    def file(self, name: str) -> str:
        return f"{self.folder}/{name}"


class Session(NamedTuple):
    """`session.json`: what is known of a session beside its loop, by session-loop and a stop that ends a turn."""

    prompts: int = 0  #: how many prompts its user sent while a loop ran or waited, the host's notifications aside
    turn: int = 0  #: the number of the prompt that began the newest turn; a prompt typed while a turn runs begins none
    turn_id: str = ""  #: that prompt's id, "" where the host sends none
    turn_started: float = 0.0  #: seconds since the epoch
    tree: str = ""  #: the work tree's fingerprint when the turn began
    notified: str = ""  #: the prompt id of the host's newest notification
    rested: int = 0  #: the number of the newest turn that a stop ended
    stopped: int = 0  #: the number of the newest turn in which a loop's first stop came
    wish: str = ""  #: "go on" or "stop", where that is all that the newest prompt says
    newest: str = ""  #: the fingerprint of the newest prompt and its id
    newest_at: float = 0.0  #: when it came, in seconds since the epoch
    client: str = ""  #: the host's process id, "" when unknown
    client_since: str = ""  #: when that process took the session up
    began_in: str = ""  #: the folder in which its host was started: there it finds the session again
    started_at: str = ""
    ended_at: str = ""
    orphan_told: bool = False  #: others were told that it left a loop
    project: str = ""  #: its root; several projects may share a state folder


class Message(NamedTuple):
    """What is said."""

    text: str = ""  #: for the agent; at a release, an answer and a refusal for the user
    notice: str = ""  #: always for the user
    quiet: bool = False  #: go on without the word error, where the host can


class Reply(NamedTuple):
    """What the process says to the host: two streams and an exit code."""

    code: int = 0
    stdout: str = ""
    stderr: str = ""


class Tokens(NamedTuple):
    """What models read and wrote."""

    read: int = 0  #: that they had not read before
    cached: int = 0  #: that the cache had
    written: int = 0


class Act(NamedTuple):
    """A file written, a command run in a shell, or a model's answer."""

    at: str  #: ISO 8601, in UTC
    edited: str = ""  #: the file, as the host names it
    command: str = ""
    tokens: Tokens | None = None
