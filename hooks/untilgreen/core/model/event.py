"""A hook call: what a host tells us, in which session, and what the process says back."""

from untilgreen.core.record import Literal, NamedTuple

# a verdict, "context" (a text for the model beside the prompt), or what keeps the prompt from the model: "answer" (its
# user sees the answer; only where the event says that one is shown) and "refuse" (its user sees why)
Kind = Literal["allow", "continue", "release", "context", "answer", "refuse"]


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


class TurnFailure(NamedTuple):
    """Why a turn ended without a stop: the model could not be asked."""

    #: the host's own word, as "rate_limit", "overloaded", "authentication_failed", "unknown"
    kind: str
    #: what its user saw, as "API Error: 400 …"
    text: str = ""


class ToolUse(NamedTuple):
    """A call of one of the agent's tools that is over."""

    #: the host's name of the tool
    name: str
    ok: bool = True
    #: of a shell its command line
    command: str = ""
    #: of an edit the file, as the host names it
    path: str = ""
    #: 0 where the host does not tell
    seconds: float = 0.0
    id: str = ""
    #: of a tool that is neither a shell nor an edit what it was called on: a file, a URL, a pattern
    about: str = ""
    #: of a shell; None where the host does not tell
    exit_code: int | None = None
    #: the end of what it printed, or why it failed
    output: str = ""
    #: it goes on in the background, or was interrupted: how it ends is not known
    open_end: bool = False
    #: its user, or a rule of theirs, kept it from being done: no failure of its own
    refused: bool = False


class Event(NamedTuple):
    """One hook call of one host, in our words."""

    #: "stop", "prompt", "edit", "session-start", "session-end", "failure" (a turn that ended without a stop), "tool" (a
    #: call of a tool, no edit, is over), "task" (a teammate calls its task done), "idle" (a teammate wants to rest) or
    #: "other"
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
    #: where there is no transcript: what the host says at its end that its models used, in tokens and USD
    billed_tokens: int = 0
    billed_cost: float | None = None
    agent_id: str = ""
    permission_mode: str = ""
    #: why a session starts ("startup", "resume", "clear", "compact", "fork") or ends
    source: str = ""
    client: str = ""
    tasks: tuple[Task, ...] = ()
    #: the host says that a stop hook already made this turn go on
    turn_goes_on: bool = False
    #: how many stops of one turn the host lets be held, whatever tools are called in between; 0 for no limit
    most_holds: int = 0
    #: this version of the host can go on without calling that an error
    quiet: bool = False
    #: how this version shows its user what a hook answers in the model's place: a word of the adapter's own, "": it
    #: does not
    answers: str = ""
    #: the files that one call of a tool wrote
    edits: tuple[Edit, ...] = ()
    #: the prompt is the host's own, no words of the user
    notification: bool = False
    failure: TurnFailure | None = None
    #: the tool whose call is over, of an edit, too
    used: ToolUse | None = None
    #: the teammate that calls its task done, or wants to rest, by its name; its team; that task's id
    teammate: str = ""
    team: str = ""
    task: str = ""


class Place(NamedTuple):
    """Where the files of one session are."""

    #: the project's root
    root: str
    #: the state folder
    base: str
    #: the name of the session's folder
    session: str

    @property
    def folder(self) -> str:
        """The session's own folder."""
        return f"{self.base}/sessions/{self.session}"

    def file(self, name: str) -> str:
        """The path of one of the session's files."""
        return f"{self.folder}/{name}"


class Session(NamedTuple):
    """`session.json`: what is known of a session beside its loop. session-loop writes it, and a stop that ends a
    turn."""

    #: how many prompts its user sent while a loop ran or waited; a host's own notifications do not count
    prompts: int = 0
    #: the number of the prompt that began the newest turn; a prompt typed while a turn runs begins none
    turn: int = 0
    #: that prompt's id, "" where the host sends none
    turn_id: str = ""
    #: seconds since the epoch
    turn_started: float = 0.0
    #: the work tree's fingerprint when the turn began
    tree: str = ""
    #: the prompt id of the host's newest notification
    notified: str = ""
    #: the number of the newest turn that a stop ended
    rested: int = 0
    #: the number of the newest turn in which a loop's first stop came
    stopped: int = 0
    #: "go on" or "stop", where that is all that the newest prompt says
    wish: str = ""
    #: the fingerprint of the newest prompt and its id
    newest: str = ""
    #: when it came, in seconds since the epoch
    newest_at: float = 0.0
    #: the host's process id, "" when unknown
    client: str = ""
    #: when that process took the session up
    client_since: str = ""
    #: the folder in which its host was started: there it finds the session again
    began_in: str = ""
    started_at: str = ""
    ended_at: str = ""
    #: others were told that it left a loop
    orphan_told: bool = False
    #: its root; several projects may share a state folder
    project: str = ""


class Message(NamedTuple):
    """What is said."""

    #: for the agent; at a release, an answer and a refusal for the user
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
