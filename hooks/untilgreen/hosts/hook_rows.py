"""What is started when: the calls of our executables at a host's events."""

from untilgreen.core.record import NamedTuple

EDIT = ("post-tool-lint", "--with", "lsp,ast-grep")  # one process does what the three for an edit do
_STOPS = ("Stop", "AfterAgent", "TaskCompleted", "TeammateIdle")
_PROMPTS = ("UserPromptSubmit", "BeforeAgent")


class HookRow(NamedTuple):
    """The executables that one of the host's events starts, for tools that fit the matcher, within these seconds; each
    with the words that it takes beside the usual ones."""

    event: str
    matcher: str
    executables: tuple[str, ...]
    seconds: int


def rows(edits: str, shell: str, *events: str) -> tuple[HookRow, ...]:
    """What is started at these events of a host; `edits`, `shell`: what its tools match."""
    found: list[HookRow] = []
    for event in events:
        if event in _STOPS:
            found.append(HookRow(event, "", ("stop-loop",), 600))
        elif event == "PostToolUseFailure":
            found.append(HookRow(event, "", ("post-tool-bash",), 10))
        elif event in ("PostToolUse", "AfterTool"):
            found += [HookRow(event, edits, (" ".join(EDIT),), 30), HookRow(event, shell, ("post-tool-bash",), 10)]
        else:
            found.append(HookRow(event, "", ("session-loop",), 150 if event in _PROMPTS else 10))
    return tuple(found)
