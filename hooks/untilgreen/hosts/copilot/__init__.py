"""GitHub Copilot CLI (measured on 1.0.102).

In: one JSON object, `{"hook_event_name", "session_id", "timestamp", "cwd", ...}` for events that are registered as
`Stop`, `UserPromptSubmit`; registered as `agentStop`, `userPromptSubmitted` the same in camelCase, without the event's
name and with its own names of tools. A stop adds `transcript_path`, `stop_reason`, `stop_hook_active`, and no message.
Sub-agents' prompts, calls of tools and stops come too: with an id of their own as session, and `parent_agent_id`.

Out: `{"decision": "block", "reason"}` on stdout makes the agent go on, whatever the exit code. Exit 2 shows stderr to
its user as a warning, and decides nothing: both together are a hold with a line for the user. What a failed tool's
hook writes there goes to the model. Further keys are ignored.
"""

import json
import os
import re
from collections.abc import Mapping

from untilgreen.core.document import well_formed
from untilgreen.core.model.event import Edit, Event, Kind, Message, Reply, ToolUse
from untilgreen.core.record import Any
from untilgreen.hosts.reading import END, event_of, is_over, path_of, table_in, text_in, tool_use

NAME = "copilot"
HOME = "COPILOT_HOME"  # the variable that moves its folder
CAP = 8  # holds of one turn that it honours
_USED = {"PostToolUse": True, "PostToolUseFailure": False}
# a text that only this camelCase payload has -> the event; the first that is there
_CAMEL = {"stopReason": "Stop", "source": "SessionStart", "reason": "SessionEnd", "prompt": "UserPromptSubmit"}
_TOOLS = {"bash": "Bash", "create": "Write", "edit": "Edit", "view": "Read"}
_EDIT_TOOLS = ("Edit", "Write")
_ENDED = re.compile(r"\n?<shellId: \S+ completed with exit code (-?\d{1,9})>\s*\Z", re.ASCII)
_NEW = "Created file "  # it refuses to create one that is there
_NOTIFICATION = "<system_notification>"
# a skill that somebody typed, as the hook gets it
_SKILL = re.compile(
    r'The user explicitly invoked the "/[^"]*" skill\..*?<skill-context [^>]*>\n(.*)\n</skill-context>', re.DOTALL
)
ASIDE = "<!-- for the agent -->"  # in our skills: what follows is no part of the line


def read(payload: dict[str, Any], env: Mapping[str, str], default_event: str = "other") -> Event:
    payload = _snake(payload) if text_in(payload, "sessionId") else payload
    host_event = text_in(payload, "hook_event_name")
    printed = text_in(table_in(payload, "tool_result"), "text_result_for_llm")
    edits: tuple[Edit, ...] = ()
    if is_over(payload, "PostToolUse", default_event) and text_in(payload, "tool_name") in _EDIT_TOOLS:
        # what an edit found there is not told
        edits = tuple(Edit(path, "" if printed.startswith(_NEW) else None) for path in [path_of(payload)] if path)
    used = _used(payload, printed, _USED[host_event]) if host_event in _USED else None
    event = event_of(payload, NAME, default_event, edits, used)
    # a prompt with an agent is what the main agent asked of it
    name = "other" if event.name == "prompt" and event.agent_id else event.name
    session, prompt = text_in(payload, "parent_agent_id") or event.session, _typed(event.prompt)
    home = env.get(HOME, "") or os.path.join(env.get("HOME") or os.path.expanduser("~"), ".copilot")
    safe = re.fullmatch(r"[\w-]+", session, re.ASCII)
    transcript = os.path.join(home, "session-state", session, "events.jsonl") if safe else ""
    return event._replace(
        name=name,
        session=session,
        prompt=prompt,
        transcript=event.transcript or transcript,  # only stops are told
        source="startup" if event.source == "new" else event.source,
        most_holds=CAP,
        answers="handled" if name == "prompt" else "",
        notification=prompt.startswith(_NOTIFICATION),
    )


def write(event: Event, verdict: Kind, message: Message) -> Reply:
    text, notice = well_formed(message.text), well_formed(message.notice)
    answer: dict[str, Any] = {}
    if verdict == "release":
        notice = "\n".join(filter(None, (text, notice)))
    elif verdict == "context":
        answer = {"additionalContext": text}
    elif verdict == "answer":
        answer = {"handled": True, "responseContent": text}
    elif verdict in ("continue", "refuse"):
        answer = {"decision": "block", "reason": text}
    elif verdict != "allow":
        raise ValueError(f"no such verdict: {verdict}")
    if event.used is not None and not event.used.ok:  # the model would get it
        notice = ""
    return Reply(2 if notice else 0, json.dumps(answer) if answer else "", notice)


def _snake(payload: dict[str, Any]) -> dict[str, Any]:
    """A camelCase payload in the form of the other, which some have in parts."""
    found = {re.sub(r"[A-Z]", lambda sign: f"_{sign[0].lower()}", key): value for key, value in payload.items()}
    name, tool = text_in(payload, "hook_event_name"), text_in(payload, "toolName")
    printed = text_in(table_in(payload, "toolResult"), "textResultForLlm")
    after_tool = "PostToolUse" if printed else "PostToolUseFailure" if text_in(payload, "error") else ""
    event = name or next((_CAMEL[key] for key in _CAMEL if text_in(payload, key)), after_tool)
    result = {"text_result_for_llm": printed}
    given = {"tool_name": _TOOLS.get(tool, tool), "tool_input": payload.get("toolArgs"), "tool_result": result}
    return found | given | {"hook_event_name": event or None}


def _typed(prompt: str) -> str:
    """The prompt; of a skill that was typed and is one of ours the line that it stands for.

    Headless a line with a slash comes as it was typed.
    """
    body = _SKILL.match(prompt)
    paragraphs = body[1].partition(ASIDE)[0].strip().split("\n\n") if body else []
    for at, paragraph in enumerate(paragraphs):  # before ours the host names the skill's folder and its files
        if paragraph.startswith("untilgreen:"):
            return "\n\n".join(paragraphs[at:]).strip()
    return prompt


def _used(payload: dict[str, Any], printed: str, ok: bool) -> ToolUse:
    """The call of a tool that is over. Of a shell the exit code closes what it printed, and a code other than 0 is no
    failure to the host; a command that goes on in the background has none."""
    used = tool_use(payload, _EDIT_TOOLS, ok=ok, shells=("Bash",))
    if not ok:
        return used._replace(output=text_in(payload, "error")[-END:])
    if not used.command:
        return used
    ended = _ENDED.search(printed)
    code, output = int(ended[1]) if ended else None, printed[: ended.start()] if ended else printed
    return used._replace(ok=code in (0, None), exit_code=code, output=output[-END:], open_end=ended is None)
