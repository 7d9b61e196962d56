"""What the agent itself ran and what went wrong with its tools, as hosts tell it: a record, and no word of ours."""

from untilgreen.core.record import NamedTuple


class Counts(NamedTuple):
    """What a summary counts: how many ran, and how many of them failed, or what was found."""

    run: int
    failed: int


class AgentRun(NamedTuple):
    """A run of tests, a linter, a type checker or a build by the agent: one entry for each kind of its command."""

    #: "test", "lint", "types" or "build"
    kind: str
    #: in one line, without secrets
    command: str
    #: where it ran; "" where nobody knows
    cwd: str
    #: "whole", "narrowed" to a part, or "unknown"
    scope: str
    #: None: not known
    success: bool | None
    #: of the whole command line, None where the host does not tell
    exit_code: int | None
    counts: Counts | None
    #: why it failed, as it said itself; "" where it did not
    error: str
    tool_name: str
    tool_use_id: str
    #: the sub-agent that ran it, "" for the agent itself
    agent_id: str
    iteration: int
    at: str
    #: files changed after it, as the last stop found
    stale: bool = False
    #: the work tree's fingerprint after it, "" where it was not to be had
    tree: str = ""
    #: as in `commands.SingleRun`
    words: tuple[str, ...] = ()


class ToolError(NamedTuple):
    """A call of a tool that failed: unresolved until the same tool does its work on the same."""

    tool: str
    #: the file, relative to the project where it lies there, the command, or what else the tool was called on
    about: str
    #: in one line, without secrets
    message: str
    at: str
    iteration: int
    #: "shell", "edit" or "other": the success of others nobody tells us
    what: str
    agent_id: str = ""
    #: as in `AgentRun`, of a command that checks something
    kinds: tuple[str, ...] = ()
    resolved: bool = False
