"""Codex CLI: what it says, the exact answers, whom it trusts, and what its records tell."""

import json
import os
from pathlib import Path

import pytest

from untilgreen import hosts
from untilgreen.core.model.event import Event, Kind, Message, Tokens, TurnFailure
from untilgreen.hosts.codex import install as trusted
from untilgreen.hosts.host import Scope, Source

CODEX = hosts.get("codex")
RECORDED = Path(__file__).parent / "payloads" / "codex" / "0.169.0"


def test_a_sub_agent_s_stop_never_passes_for_the_main_agent_s() -> None:
    assert CODEX.read({"hook_event_name": "SubagentStop"}, {}, "stop").agent_id == "sub-agent"
    assert CODEX.read({"hook_event_name": "SubagentStop", "agent_id": "a1"}, {}, "stop").agent_id == "a1"


@pytest.mark.parametrize("line", ["$untilgreen-loop  fix it all", "untilgreen:loop fix it", "/untilgreen:loop fix it"])
def test_a_skill_and_the_plain_words_are_commands_of_ours(line: str) -> None:
    commands = CODEX.commands()
    assert commands is not None
    assert commands.is_ours(line, "", {})
    assert commands.NAMES[line.split(maxsplit=1)[0]] == "loop"
    assert not commands.is_ours(f"say {line}", "", {})
    assert not commands.is_ours("", "", {})


@pytest.mark.parametrize(("kind", "event"), [("continue", "stop"), ("context", "prompt")])
def test_no_text_is_longer_than_the_host_passes_on(kind: Kind, event: str) -> None:
    answer = json.loads(CODEX.write(Event(event, "codex"), kind, Message(("é" * 50 + "\n") * 200)).stdout)
    text = answer.get("reason") or answer["hookSpecificOutput"]["additionalContext"]
    assert 9_800 < len(text.encode()) <= CODEX.facts.most_feedback == 10_000


# --- trust ----------------------------------------------------------------------


def test_the_hash_of_an_entry_is_the_one_by_which_the_host_trusts_it() -> None:
    """Recorded: what `Trust all and continue` wrote for these settings."""
    recorded = json.loads((RECORDED / "trust" / "hashes.json").read_text(encoding="utf-8"))
    assert trusted.hashes("/tmp/project/.codex/hooks.json", recorded["settings"]) == recorded["trusted"]


TRUST_ALL = "start codex here and answer `Hooks need review` with `Trust all and continue`"
NO_HOOK = "Codex runs no hook that its user does not trust, and"


def examined(tmp_path: Path, state: str, project: str = 'trust_level = "trusted"') -> list[tuple[str, str]]:
    """What silences our hooks in the project at `tmp_path`, and its cure."""
    files, path = CODEX.settings(), tmp_path / ".codex" / "hooks.json"
    assert files is not None
    settings = files.merged({}, files.entries(lambda name: (f"/opt/{name}", ["--host", "codex"]), 0))
    keys = trusted.hashes(str(path), settings)
    stop = next(key for key in keys if ":stop:" in key)
    notes = "".join(f"[hooks.state.{json.dumps(key)}]\ntrusted_hash = {json.dumps(keys[key])}\n" for key in keys)
    home = tmp_path / "home"
    home.mkdir()
    config = {"all": notes, "none": "", "changed": notes.replace(keys[stop], "sha256:0")}
    config["off"] = notes.replace(f'{keys[stop]}"\n', f'{keys[stop]}"\nenabled = false\n')
    text = f"[projects.{json.dumps(str(tmp_path))}]\n{project}\n" + config.get(state, state + notes)
    (home / "config.toml").write_text(text, encoding="utf-8")
    source = Source("codex", Scope("local", str(path)), settings)
    found = files.silenced([source], str(tmp_path), {"CODEX_HOME": str(home)}, os.path.basename)
    return [(one.what, one.cure) for one in found]


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("all", []),
        ("none", [(f"{NO_HOOK} none of the hooks in hooks.json is trusted yet", TRUST_ALL)]),
        (
            "changed",
            [(f"{NO_HOOK} not each hook (stop-loop on Stop) in hooks.json is trusted as it is now", TRUST_ALL)],
        ),
        (
            "off",
            [
                (
                    f"{NO_HOOK} not each hook (stop-loop on Stop) in hooks.json is switched on",
                    "in codex: type /hooks and switch them on",
                )
            ],
        ),
        (
            "[features]\nhooks = false\n",
            [
                (
                    "hooks = false in [features] of config.toml: the host runs no hook",
                    "edit config.toml: take it out",
                )
            ],
        ),
    ],
)
def test_the_doctor_names_what_its_user_has_yet_to_trust(
    tmp_path: Path, state: str, found: list[tuple[str, str]]
) -> None:
    assert examined(tmp_path, state) == found


def test_a_project_that_is_not_trusted_runs_no_hook_of_its_own(tmp_path: Path) -> None:
    what = f"Codex does not trust {tmp_path} yet, and reads no hooks of the project"
    assert examined(tmp_path, "all", 'trust_level = "untrusted"') == [
        (what, f"start codex in {tmp_path} and trust the folder")
    ]


# --- records --------------------------------------------------------------------


def test_a_record_tells_the_last_message_and_what_was_done() -> None:
    path = str(RECORDED / "sessions" / "tools.jsonl")
    assert CODEX.last_message(path) == "Done."
    assert CODEX.last_failure(path) is None
    acts = CODEX.acts(path)
    assert [act.edited for act in acts if act.edited] == ["/tmp/project/app.py", "/tmp/project/app.py"]
    assert [act.command for act in acts if act.command] == ["sleep 2; echo late; exit 4"]
    assert [act.tokens for act in acts if act.tokens] == [Tokens(1000, 0, 50)] * 4


def test_a_record_tells_why_a_turn_ended_without_an_answer() -> None:
    path = str(RECORDED / "sessions" / "failed.jsonl")
    assert CODEX.last_message(path) is None
    words = "exceeded retry limit, last status: 429 Too Many Requests"
    assert CODEX.last_failure(path) == TurnFailure("response_too_many_failed_attempts", words)
