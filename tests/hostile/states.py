"""State of a loop that runs in a project of our own, a trap in a line: what somebody put in its place."""

import json
from typing import Any

from .harness import Files, fifo, folder, link, sparse

# fmt: off
S = ".untilgreen/sessions/{session}"
TRAPS: dict[str, Files] = {
    "no state at all": {f"{S}/loop_state.json": ""},
    "half a document": {f"{S}/loop_state.json": '{"schema_version": 2, "loop_id"'},
    "a document of a list": {f"{S}/loop_state.json": "[" * 100_000 + "]" * 100_000},
    "a document of null bytes": {f"{S}/loop_state.json": b"\0" * 4096},
    "an endless document": {f"{S}/loop_state.json": link("/dev/zero")},
    "a document of sixteen gigabytes": {f"{S}/loop_state.json": sparse},
    "a document that is a pipe": {f"{S}/loop_state.json": fifo},
    "a document that is a folder": {f"{S}/loop_state.json": folder},
    "a document that is in the home": {f"{S}/loop_state.json": link("{home}/.bashrc")},
    "edits that are endless": {f"{S}/edits.json": link("/dev/zero")},
    "edits that are a pipe": {f"{S}/edits.json": fifo},
    "edits that are nested": {f"{S}/edits.json": '{"a":' * 50_000},
    "a session that is endless": {f"{S}/session.json": link("/dev/zero")},
    "a session that is a pipe": {f"{S}/session.json": fifo},
    "a session that is nested": {f"{S}/session.json": "[" * 100_000},
    "a session of large numbers": {f"{S}/session.json": '{"prompts": 1e999, "turn_started": NaN}'},
    "a journal in the home": {f"{S}/journal.jsonl": link("{home}/.bashrc")},
    "a journal that is a pipe": {f"{S}/journal.jsonl": fifo},
    "a journal that is a device": {f"{S}/journal.jsonl": link("/dev/full")},
    "a summary in the home": {f"{S}/ralph-summary.md": link("{home}/.bashrc"), f"{S}/ralph-feedback.md": link("{home}/.bashrc")},
    "locks that are pipes": {f"{S}/state.lock": fifo, f"{S}/stop.lock": fifo},
    "locks that are folders": {f"{S}/state.lock": folder, f"{S}/stop.lock": folder},
    "locks in the home": {f"{S}/state.lock": link("{home}/new"), f"{S}/stop.lock": link("{home}/new")},
    "originals in the home": {f"{S}/originals": link("{home}/victim")},
    "the session in the home": {S: link("{home}/victim")},
    "the sessions in the home": {".untilgreen/sessions": link("{home}/victim")},
    "marks in ~/bin": {".untilgreen/called": link("{home}/bin")},
    "marks that are pipes": {".untilgreen/called/stop-loop": fifo, ".untilgreen/called/session-loop": fifo},
    "types in the home": {".untilgreen/types": link("{home}/victim")},
    "the log in the home": {".untilgreen/untilgreen.log": link("{home}/.bashrc"), f"{S}/session.json": "{"},
    "a configuration that is endless": {".untilgreen/config.json": link("/dev/zero")},
    "a configuration that is a pipe": {".untilgreen/config.json": fifo},
    "a configuration that is nested": {".untilgreen/config.json": '{"settings": ' + "[" * 100_000},
    "a configuration that moves the state": {".untilgreen/config.json": '{"settings": {"state_dir": "~/.ssh"}}'},
    "a configuration that moves it to a null": {".untilgreen/config.json": '{"settings": {"state_dir": "\\u0000"}}'},
    "a configuration of lists": {".untilgreen/config.json": '{"settings": [], "checks": {}, "state_dir": 3}'},
    "an off file that is a pipe": {".untilgreen/off": fifo},
    "waiting loops that are pipes": {".untilgreen/next/x.json": fifo, ".untilgreen/next/y.json": link("/dev/zero")},
    "a state folder that is a file": {".untilgreen": "x"},
    "a state folder that is a repository": {".untilgreen/.git/HEAD": "ref: refs/heads/x\n", ".untilgreen/.git/config": "[core]\n\tworktree = {home}\n"},
    "a waiting loop with the name of the session": {".untilgreen/next/{session}.json": "{}"},
    "a waiting loop with a name of dots": {".untilgreen/next/....json": "{}", ".untilgreen/next/.json": "[]"},
    "a parked note that is a path": {".untilgreen/parked/1": "../../../home/victim"},
    "a journal of one line": {f"{S}/journal.jsonl": "x" * 5_000_000},
    "marks that are folders": {".untilgreen/called/stop-loop": folder, ".untilgreen/called/session-loop": folder},
    "a trace that is a pipe": {f"{S}/last_stop.json": fifo, ".untilgreen/last_stop.json": fifo},
    "notes on what runs that are a pipe": {f"{S}/checking.json": fifo},
    "originals of ours that are links": {f"{S}/originals/x": link("{home}/.bashrc"), f"{S}/released": link("{home}/victim")},
    "a work tree that is elsewhere": {".git/config": "[core]\n\tworktree = {home}\n"},
    "a git folder that is elsewhere": {".git": "gitdir: {home}/victim\n"},
    "a git folder that is endless": {".git": link("/dev/zero")},
    "git's index is endless": {".git/index": link("/dev/zero")},
    "a state folder in the home": {".untilgreen": link("{home}/victim")},
}
# fields of the loop's document
FIELDS: dict[str, dict[str, Any]] = {
    "a round below zero": {"iteration": -(10**9)},
    "a round without end": {"iteration": 10**400},
    "a round that is half one": {"iteration": 1.5},
    "a round that is true": {"iteration": True},
    "times without end": {"round_started": 1e308, "elapsed_seconds": 1e308},
    "times before all": {"round_started": -1e308, "elapsed_seconds": -1e308},
    "times that are no numbers": {"round_started": float("nan"), "elapsed_seconds": float("inf")},
    "moments that are none": {"started_at": "\ud800", "last_iteration_at": "z" * 100_000, "updated_at": ""},
    "a task of a million letters": {"task_description": "<promise>" * 111_111},
    "a loop's name that is a path": {"loop_id": "../../../../home/victim/x"},
    "another project": {"project": "/"},
    "a plan of nothing": {"plan": []},
    "a plan of every shape": {"plan": [None, 1, [], {}]},
    "a plan of a check that nobody knows": {"plan": [{"name": "a", "checker": "../x", "stage": "x", "root": "/", "tool": "/bin/true"}]},
    "a plan with another tool": {"plan": [{"name": "a", "checker": "custom", "stage": "custom", "root": "../..", "tool": "/bin/true"}]},
    "texts in another folder": {"settings": {"lang": "../../../../../../etc/passwd"}},
    "a pattern without end": {"settings": {"success_regex": "(a+)+$", "blocked_regex": "(" * 10_000}},
    "a check without a command": {"settings": {"checks": {"a": {"command": []}}}},
    "a check with a null in its command": {"settings": {"checks": {"a": {"command": ["tr\0ue"]}}}},
    "snapshots of every shape": {"snapshots": [None, {}, {"iteration": "a"}]},
    "a hundred thousand snapshots": {"snapshots": [{"iteration": n, "timestamp": "x"} for n in range(100_000)]},
    "a version from before": {"schema_version": 0},
    "a version that is a text": {"schema_version": "2"},
    "a state that nobody knows": {"status": "\x1b[2J"},
}


def changed(text: str, fields: dict[str, Any]) -> str:
    """A document with other fields; those of its settings are put beside the others there."""
    document = json.loads(text)
    settings = document.get("settings", {}) | fields.get("settings", {})
    return json.dumps(document | fields | {"settings": settings})
