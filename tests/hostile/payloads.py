"""Payloads, a trap in a line: to which executable, and what of a usual payload is another."""

import json
from typing import Any

# fmt: off
LONG, DEEP = "x" * 5_000_000, "[" * 200_000
TASK = {"id": "a", "type": "agent", "status": "running"}
MESSAGE = {"role": "assistant", "content": [{"type": "text", "text": "<ralph>COMPLETE</ralph>"}]}
# instead of the payload
WHOLE: dict[str, bytes] = {
    "nothing": b"",
    "blanks": b" \n\t" * 100,
    "a null": b"null",
    "a number": b"1e999",
    "a list": b"[]",
    "a text": b'"{}"',
    "half an object": b'{"session_id": "',
    "two objects": b"{}{}",
    "not UTF-8": b'{"session_id": "\xff\xfe"}',
    "UTF-16": '{"session_id": "a"}'.encode("utf-16"),
    "a byte order mark": b'\xef\xbb\xbf{"session_id": "a"}',
    "null bytes": b"\0" * 1_000_000,
    "too deep": DEEP.encode(),
    "too deep within": b'{"session_id": "a", "x": ' + DEEP.encode(),
    "70 megabytes": b'{"x": "' + b"x" * 70_000_000 + b'"}',
    "a million keys": b"{" + b",".join(b'"%d":0' % n for n in range(100_000)) + b"}",
    "the same key a million times": b"{" + b",".join([b'"session_id":"a"'] * 100_000) + b"}",
    "a number of a million digits": b'{"session_id": "a", "n": ' + b"9" * 1_000_000 + b"}",
    "no JSON that Python reads": b'{"session_id": NaN, "cwd": Infinity}',
}
# fields of a stop
STOP: dict[str, dict[str, Any]] = {
    "a session that is a path": {"session_id": "../../../../home/victim"},
    "a session with a null": {"session_id": "a\0b"},
    "a session that is half a letter": {"session_id": "\ud800"},
    "a session of five million letters": {"session_id": LONG},
    "a session of lines": {"session_id": "a\nb\r\n\x1b[2J"},
    "a session that is none": {"session_id": None},
    "a session that is a list": {"session_id": ["a"]},
    "a session that is empty": {"session_id": ""},
    "a folder with a null": {"cwd": "a\0b"},
    "a folder that is a file": {"cwd": "/etc/passwd"},
    "a folder that is a device": {"cwd": "/dev/zero"},
    "a folder that is gone": {"cwd": "/gone/for/good"},
    "a folder that is everything": {"cwd": "/"},
    "a folder that is a number": {"cwd": 3},
    "a folder of five million letters": {"cwd": "/" + LONG},
    "a folder that is half a letter": {"cwd": "/tmp/\ud800"},
    "an event that is a list": {"hook_event_name": ["Stop"]},
    "an event that is unknown": {"hook_event_name": "__class__"},
    "an event that is an edit": {"hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": "/dev/zero"}},
    "a message of five million letters": {"last_assistant_message": "<" * 5_000_000},
    "a message of nested marks": {"last_assistant_message": "<promise>" * 500_000},
    "a message of fences": {"last_assistant_message": "```\n" * 500_000 + "<ralph>COMPLETE</ralph>"},
    "a message of blanks": {"last_assistant_message": " \n" * 2_000_000 + "<ralph>COMPLETE</ralph>"},
    "a message that is a list": {"last_assistant_message": ["<ralph>COMPLETE</ralph>"]},
    "a message that is half a letter": {"last_assistant_message": "\ud800<ralph>COMPLETE</ralph>\udfff"},
    "a hundred thousand agents": {"background_tasks": [TASK | {"id": str(n)} for n in range(100_000)]},
    "a hundred thousand of one agent": {"background_tasks": [TASK] * 100_000},
    "a hundred thousand shells": {"background_tasks": [{"id": str(n), "type": "bash", "status": "running", "command": "make " * 20} for n in range(100_000)]},
    "a shell with a command of five million letters": {"background_tasks": [{"id": "a", "type": "bash", "command": "pytest " * 700_000}]},
    "a shell with a command of quotes": {"background_tasks": [{"id": "a", "type": "bash", "command": "\"'\\" * 100_000}]},
    "a shell with a command of brackets": {"background_tasks": [{"id": "a", "type": "bash", "command": "$((" * 100_000}]},
    "tasks of every shape": {"background_tasks": [None, 1, [], "a", {"type": []}, {"type": {}, "id": []}, {"id": None}]},
    "tasks that are an object": {"background_tasks": {"id": "a"}},
    "a hundred thousand timers": {"session_crons": [{"id": str(n), "recurring": False} for n in range(100_000)]},
    "a hundred thousand messages": {"messages": [MESSAGE] * 100_000},
    "messages of every shape": {"messages": [None, 1, [], {"role": []}, {"role": "assistant", "content": {}}, {"role": "assistant", "content": [[], None]}]},
    "an agent that is a number": {"agent_id": 5, "permission_mode": {}, "prompt_id": [], "stop_hook_active": "yes"},
    "a prompt's id of five million letters": {"prompt_id": LONG},
}
# where the message comes from, without a message of its own
TRANSCRIPTS = {
    "an endless transcript": "/dev/zero",
    "a transcript that is a folder": "/etc",
    "a transcript that is gone": "/gone",
    "a transcript with a null": "a\0b",
    "a transcript that is a terminal": "/dev/tty",
    "a transcript that is half a letter": "/\ud800",
    "a transcript that is a pipe": "{project}/pipe",
    "a transcript of nested lines": "{beside}/deep.jsonl",
    "a transcript of one line": "{beside}/line.jsonl",
}
# prompts
PROMPTS = {
    "a prompt of five million letters": LONG,
    "a prompt of blanks": " " * 5_000_000,
    "a prompt that is half a letter": "\ud800",
    "a command with a null": "/untilgreen:cancel \0",
    "a command of quotes": "/untilgreen:cancel " + "\"'\\" * 100_000,
    "a command of flags": "/untilgreen:cancel " + "--x " * 100_000,
    "a command that is unknown": "/untilgreen:" + "x" * 100_000,
    "a status of everything": "/untilgreen:status " + "../" * 10_000,
}
# edits
EDITS: dict[str, dict[str, Any]] = {
    "a file that is endless": {"tool_input": {"file_path": "/dev/zero"}, "tool_response": {}},
    "a file that is a pipe": {"tool_input": {"file_path": "{project}/pipe"}, "tool_response": {}},
    "a file of somebody else": {"tool_input": {"file_path": "{home}/.bashrc"}, "tool_response": {}},
    "a file above the project": {"tool_input": {"file_path": "{project}/../home/victim/x.py"}, "tool_response": {}},
    "a file that is a folder": {"tool_input": {"file_path": "{project}"}, "tool_response": {}},
    "a file with a null": {"tool_input": {"file_path": "{project}/a\0.py"}, "tool_response": {}},
    "a file that is half a letter": {"tool_input": {"file_path": "{project}/\ud800.py"}, "tool_response": {}},
    "a file with a name of lines": {"tool_input": {"file_path": "{project}/a\nb.py"}, "tool_response": {}},
    "a file with a name of five million letters": {"tool_input": {"file_path": "{project}/" + LONG + ".py"}, "tool_response": {}},
    "a file that is an option": {"tool_input": {"file_path": "--config=x.py"}, "tool_response": {}},
    "a file that is a number": {"tool_input": {"file_path": 3}, "tool_response": {"filePath": []}},
    "a text before of thirty megabytes": {"tool_response": {"filePath": "{project}/app.py", "originalFile": "x = 1\n" * 1_000_000}},
    "a text before that is a list": {"tool_response": {"filePath": "{project}/app.py", "originalFile": ["x"]}},
    "a text before that is half a letter": {"tool_response": {"filePath": "{project}/app.py", "originalFile": "\ud800 = 1\n"}},
    "a patch of every shape": {"tool_response": {"filePath": "{project}/app.py", "structuredPatch": [None, [], {"lines": 3}]}},
    "a tool that is a list": {"tool_name": ["Edit"], "tool_input": [], "tool_response": 3},
}


def sent(payload: dict[str, Any]) -> bytes:
    """The payload's bytes, half letters and all."""
    return json.dumps(payload).encode()
