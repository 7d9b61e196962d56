"""What the payloads of our bridges are made of: a recording keeps it."""

from collections.abc import Mapping

from untilgreen.core.shape import Vocabulary, words

_KEYS = words(
    "client_pid stop_hook_active tool_input tool_response output is_error exit_code originalFile edits timeout"
)
_EVENTS = words("Stop StopFailure UserPromptSubmit SessionStart SessionEnd PostToolUse")


def vocabulary(
    tools: str, sources: str, told: Mapping[str, frozenset[str]], ids: str = "", keys: str = "", folders: str = ""
) -> Vocabulary:
    """That of a host with these tools, words for why a session begins or ends, and variables `told`."""
    known = {"hook_event_name": _EVENTS, "tool_name": words(tools), "source": words(sources), "reason": words(sources)}
    known["bridge"] = words("pi opencode")
    return Vocabulary(
        keys=_KEYS | words(keys),
        words={**known, "prompt": words("untilgreen:loop /untilgreen:loop"), **told},
        ids=words("session_id prompt_id tool_use_id") | words(ids),
        paths=words("cwd transcript_path path filePath"),
        folders=words(folders),
        messages=words("last_assistant_message"),
    )
