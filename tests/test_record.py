"""`untilgreen record`: payloads kept as fixtures, and no secret in them."""

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from untilgreen.core import redaction
from untilgreen.core.redaction import Person
from untilgreen.hosts import guess
from untilgreen.hosts.claude_code import wire as claude_code
from untilgreen.state import recording
from world import REPOSITORY, Answer, World

RED = ("--no-zero-errors", "--check", "a=false")
PERSON = Person("/home/ada", "ada", "/home/ada/secret-plans", "some-session", "salt")
LETTERS = "abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789"


def kept(world: World) -> list[Path]:
    return sorted((world.project / ".untilgreen" / "recorded").glob("*.json"))


def record(world: World, *words: str) -> Answer:
    return world.run("untilgreen", "record", *words)


def test_while_it_is_on_every_call_is_kept_and_then_no_more(red: World) -> None:
    red.start("x", *RED)
    folder = red.project / ".untilgreen" / "recorded"
    red.stop()
    assert kept(red) == []
    assert record(red, "start") == Answer(
        0, f"untilgreen: payloads are kept in {folder} until untilgreen record stop\n", ""
    )
    assert red.stop().held
    red.prompt("hello")
    red.edit("app.py", "import os\n", env={"UNTILGREEN_DISABLE": "1"}, session_id=red.session)
    red.stop(env={"CLAUDE_CODE_SESSION_ID": red.session, "UNTILGREEN_DISABLE": "1"})
    names = ["001-Stop.json", "002-UserPromptSubmit.json", "003-PostToolUse.json", "004-Stop.json"]
    assert [path.name for path in kept(red)] == names
    assert record(red, "list") == Answer(0, "\n".join((*names, "untilgreen: recording, 4 kept\n")), "")
    assert record(red, "stop") == Answer(0, f"untilgreen: recording ended; 4 payloads are in {folder}\n", "")
    red.stop()
    assert len(kept(red)) == 4
    assert record(red, "stop") == Answer(0, "untilgreen: nothing is being recorded here\n", "")
    assert [path.stat().st_mode & 0o777 for path in kept(red)] == [0o600] * 4


def test_a_fixture_names_neither_the_user_nor_the_session_nor_the_folder_and_holds_no_secret(red: World) -> None:
    red.start("x", *RED)
    record(red, "start")
    secrets = ["hunter2hunter2", "sk-ant-api03-" + LETTERS, "ghp_" + LETTERS[:36], "ada@lovelace.example"]
    message = "PASSWORD={}\nkey {}\nAuthorization: token {}\n{}".format(*secrets)
    red.stop(message, prompt_id="8d1c5a1c-0d39-4e51-9f43-2b7c1d5a9f10")
    red.stop(message, prompt_id="8d1c5a1c-0d39-4e51-9f43-2b7c1d5a9f10")
    texts = [path.read_text() for path in kept(red)]
    for gone in (*secrets, red.session, str(red.project), str(red.home), "8d1c5a1c"):
        assert gone not in "".join(texts)
    first, second = ({**json.loads(text), "stdin": json.loads(json.loads(text)["stdin"])} for text in texts)
    assert first == second
    payload = first["stdin"]
    session = payload["session_id"]
    assert first == {
        "event": "Stop",
        "executable": "stop-loop",
        "env": {},
        "stdin": {
            "session_id": session,
            "transcript_path": "/home/user/.claude/projects/project/transcript.jsonl",
            "cwd": "/work/project",
            "permission_mode": "default",
            "hook_event_name": "Stop",
            "stop_hook_active": False,
            "last_assistant_message": "PASSWORD=REDACTED\nkey REDACTED\nAuthorization: REDACTED\nuser@example.invalid",
            "background_tasks": [],
            "session_crons": [],
            "prompt_id": payload["prompt_id"],
        },
    }


def test_what_was_recorded_can_be_exported_and_simulated(red: World) -> None:
    red.start("x", *RED)
    record(red, "start")
    red.stop("all done")
    red.edit("app.py", "import os\n")
    out = red.home / "fixtures"
    assert record(red, "export", str(out)) == Answer(0, f"untilgreen: 2 payloads written to {out}\n", "")
    stop, edit = sorted(out.iterdir())
    assert [path.stat().st_mode & 0o777 for path in (stop, edit)] == [0o600] * 2
    told = json.loads(red.run("untilgreen", "simulate", "--json", "--session", red.session, str(stop)).stdout)
    assert told["answers"][0]["stop"]["step"] == 12
    told = json.loads(red.run("untilgreen", "simulate", "--json", str(edit)).stdout)
    assert "F401" in told["answers"][0]["stdout"]
    again = record(red, "export", str(out))
    assert again == Answer(1, "", f"untilgreen: error: {out} is not empty; name a new folder\n")


def test_without_anything_recorded_there_is_nothing_to_export(red: World) -> None:
    told = record(red, "export", str(red.home / "x"))
    assert (told.code, told.stderr.partition(" in ")[0]) == (1, "untilgreen: error: nothing was recorded")
    assert not (red.home / "x").exists()


def test_only_the_newest_are_kept_and_none_that_is_huge(tmp_path: Path) -> None:
    folder = tmp_path / "recorded"
    folder.mkdir()
    (folder / "on").write_text("salt\n")
    for number in range(recording.MOST + 5):
        payload = json.dumps({"hook_event_name": "Stop", "session_id": "s", "number": number})
        recording.keep(str(tmp_path), "stop-loop", payload.encode(), {"CLAUDE_PROJECT_DIR": str(tmp_path)})
    recording.keep(str(tmp_path), "stop-loop", b"x" * (recording.LARGEST + 1), {})
    names = [name for _, name in recording.numbered(str(folder))]
    assert names == [f"{number:03d}-Stop.json" for number in range(6, recording.MOST + 6)]


def test_a_folder_that_cannot_be_written_disturbs_no_session(red: World) -> None:
    red.start("x", *RED)
    record(red, "start")
    (red.project / ".untilgreen" / "recorded" / "on").unlink()
    (red.project / ".untilgreen" / "recorded" / "on").mkdir()
    assert red.stop().held
    log = (red.project / ".untilgreen" / "untilgreen.log").read_text()
    assert "a payload was not recorded: IsADirectoryError" in log


def secret(prefix: str, least: int) -> st.SearchStrategy[str]:
    return st.text(LETTERS, min_size=least, max_size=60).map(lambda text: prefix + "X7q" + text)


RANDOM = st.text(LETTERS, min_size=21, max_size=60).map("aB3dE5gH7j".__add__)
WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
# (how it stands in the text, the secret)
PUT_IN = st.one_of(
    st.tuples(
        st.sampled_from(["{}", "use {} here", "x={}", "'{}'", '{{"a": "{}"}}', "\n{}\n"]),
        st.one_of(
            secret("sk-", 16),
            secret("sk-ant-api03-", 20),
            secret("ghp_", 20),
            secret("github_pat_", 20),
            secret("glpat-", 16),
            secret("xoxb-", 12),
            secret("npm_", 30),
            secret("pypi-", 20),
            secret("hf_", 20),
            secret("AIza", 32),
            st.text("ABCDEFGHIJ0123456789", min_size=16, max_size=16).map("AKIA".__add__),
        ),
    ),
    st.tuples(
        st.sampled_from(
            [
                "API_KEY={}",
                "export GITHUB_TOKEN={}",
                "password: {}",
                'password = "{}"',
                "'db_password': '{}'",
                '\\"client_secret\\": \\"{}\\"',
                "curl --token {} x",
                "Authorization: Bearer {}",
                "authorization: basic {}",
                "postgres://ada:{}@db.example/x",
                "Cookie: {}",
            ]
        ),
        st.text(LETTERS, min_size=8, max_size=40).map("Zq".__add__),
    ),
    st.tuples(st.sampled_from(["KEY={}", "seed: {}", 'x="{}"']), RANDOM),
    st.tuples(
        st.just("-----BEGIN RSA PRIVATE KEY-----\n{}\n-----END RSA PRIVATE KEY-----"),
        RANDOM,
    ),
)


@settings(max_examples=300, deadline=None)
@given(WORDS, PUT_IN, WORDS)
@example("", ("password: {}", "Zqaaaaaaaa"), "")
def test_no_secret_that_was_put_in_survives(before: str, put_in: tuple[str, str], after: str) -> None:
    form, word = put_in
    payload = {"hook_event_name": "Stop", "tool_input": {"command": f"{before} {form.format(word)} {after}"}}
    event, text = recording.fixture("stop-loop", json.dumps(payload).encode(), {"HOME": "/home/ada"}, "/p", "salt")
    assert word not in text
    assert (event, json.loads(json.loads(text)["stdin"]).keys()) == ("Stop", payload.keys())


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), WORDS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(WORDS, inner, max_size=3)),
    max_leaves=10,
)


@settings(max_examples=100, deadline=None)
@given(st.sampled_from(["api_key", "apiKey", "GITHUB_TOKEN", "password", "x-auth", "set-cookie"]), RANDOM, VALUES)
def test_what_stands_under_a_secret_name_is_gone_however_deep(key: str, word: str, other: Any) -> None:
    payload = {"other": other, "deep": [{key: word}, {key: {"inner": [word]}}]}
    assert word not in json.dumps(redaction.redacted(payload, PERSON))


@settings(max_examples=100, deadline=None)
@given(VALUES)
def test_any_payload_gives_a_fixture(value: Any) -> None:
    _, text = recording.fixture("stop-loop", json.dumps(value).encode(), {}, "/p", "salt")
    assert isinstance(json.loads(json.loads(text)["stdin"]), type(value))


def test_a_payload_that_is_none_is_kept_as_text() -> None:
    event, text = recording.fixture("stop-loop", b'{"api_key": "swordfish', {}, "/p", "salt")
    assert (event, json.loads(text)["stdin"]) == ("unknown", '{"api_key": "REDACTED"')


@pytest.mark.parametrize(
    ("told", "shown"),
    [
        ("/home/ada/secret-plans/app.py", "/work/project/app.py"),
        ("/home/ada/notes of ada", "/home/user/notes of user"),
        ("-home-ada-secret-plans", "-work-project"),
        ("def add(a, b): return a + b  # author: x", "def add(a, b): return a + b  # author: x"),
        ("sorted(found, key=lambda one: one.name)", "sorted(found, key=lambda one: one.name)"),
        ("commit 0c4e7f0", "commit 0c4e7f0"),
        ("max_tokens: int", "max_tokens: REDACTED"),
        ("session some-session", f"session {redaction.pseudonym('some-session', 'salt')}"),
    ],
)
def test_places_names_and_ids_are_replaced_and_other_text_is_left(told: str, shown: str) -> None:
    assert redaction.text(told, PERSON) == shown


L30 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5"
HEX = "0123456789abcdef" * 2
SHORT = "zQ7x"
# (a text, what must not be left of it)
LEAKS: list[tuple[str, tuple[str, ...]]] = [
    *(
        (f"\x1b[32m{token}\x1b[0m and {token}", (token[-8:],))
        for token in (
            *(f"xapp-1-A0B1-{L30}", f"https://hooks.slack.com/services/T0/B0/{L30}", f"gsk_{L30}", f"xai-{L30}"),
            *(f"https://discord.com/api/webhooks/12345/{L30}", f"pplx-{L30}", f"r8_{L30}", f"hvs.{L30}"),
            *(f"dp.pt.{L30}", f"shpat_{HEX}", f"dop_v1_{HEX}", f"dapi{HEX}", f"lin_api_{L30}", f"GOCSPX-{L30}"),
            *(f"whsec_{L30}", f"gldt-{L30}", f"SK{HEX}", f"key-{HEX}", f"AGE-SECRET-KEY-1{L30.upper()}"),
        )
    ),
    *(
        (f"A=b\n{prefix}{name}={secret}\nHOME=x", tuple(secret.split()[-1:]))
        for prefix in ("", "export ", "  - ")
        for name in ("DB_PASS", "PASS", "pw", "SIGNING_KEY", "ENCRYPTION_KEY", "PIN", "PASSWORD", "key")
        for secret in (SHORT, "hunter&zebra1", "hunter,zebra1", "hunter;zebra1", "hunter)zebra1", 'hunter"zebra1')
    ),
    ("PASSWORD=correct horse zebra", ("correct", "horse", "zebra")),
    ("see http://x/y?key=zQ7x and ?a=1&sig=wV6y", ("zQ7x", "wV6y")),
    ('{"connectionString": "zQ7x", "sig": "wV6y", "key": "uT5s"}', ("zQ7x", "wV6y", "uT5s")),
    ('[{"name":"DB_PASSWORD","value":"zQ7x"}]', ("zQ7x",)),
    ('<add key="DbPassword" value="zQ7x y"/>', ("zQ7x",)),
    ('{"password": "hun\\"ter2 zebra", "b": 1}', ("ter2", "zebra")),
    ('"{\\"password\\": \\"hun\\\\\\"ter2 zebra\\"}"', ("ter2", "zebra")),
    ('{"a": {"password": 12345678}}', ("12345678",)),
    ("postgres://bob:hunter2@Sw0rd!@db/x", ("hunter2", "Sw0rd")),
    ('PASSWORD: str = "zQ7x"', ("zQ7x",)),
    ('x = get(url, auth=("bob","zQ7x"))', ("zQ7x",)),
    ("db:\n  password: |\n    zQ7x\n    wV6y\n  user: x", ("zQ7x", "wV6y")),
    ("curl -s -u bob:zQ7x http://x", ("zQ7x",)),
    ("mysql -h db -pzQ7x shop", ("zQ7x",)),
    ("sshpass -p zQ7x ssh x", ("zQ7x",)),
    ("machine x\nlogin bob\npassword zQ7x", ("zQ7x",)),
    ("docker login -u bob -p zQ7x hub", ("zQ7x",)),
    ("machine x login bob password zQ7x", ("zQ7x",)),
    ("<a><password>zQ7x</password></a>", ("zQ7x",)),
    (f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n{L30}\nshort\nPrivate-MAC: {HEX}\n", (L30, "short", HEX)),
    (f"{L30 * 2}\n{L30 * 2}\nAb3=\n-----END RSA PRIVATE KEY-----\n", (L30, "Ab3=")),
    ("john%40corp.com", ("john", "corp")),
    ("ada_backup, ADA and ada", ("ada", "ADA")),
    ("PASSWORD\x1b[0m=\x1b[31mzQ7x\x1b[0m", ("zQ7x",)),
    (f"the word {L30} stands alone", (L30,)),
    ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", ("bPxRfi",)),
]


@pytest.mark.parametrize(("told", "secrets"), LEAKS, ids=[repr(told)[:60] for told, _ in LEAKS])
def test_no_known_form_of_a_secret_passes_in_what_a_tool_said(told: str, secrets: tuple[str, ...]) -> None:
    payload = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"stdout": told}}
    env = {"HOME": "/home/ada", "USER": "ada"}
    for text in (told, f"first line\n{told}\nlast line"):
        payload["tool_response"] = {"stdout": text}
        _, kept = recording.fixture("post-tool-lint", json.dumps(payload).encode(), env, "/p", "salt")
        stdout = json.loads(json.loads(kept)["stdin"])["tool_response"]["stdout"]
        assert [secret for secret in secrets if secret in stdout] == []


@pytest.mark.parametrize(
    "value",
    [
        {"password": 12345678},
        {"pin": "12345678"},
        {"sig": "12345678"},
        {"key": ["12345678"]},
        {"connectionString": {"x": 12345678}},
        {"env": [{"name": "DB_PASSWORD", "value": "12345678"}]},
        {"dbPass": 12345678.0},
    ],
)
def test_what_is_no_text_goes_too(value: Any) -> None:
    assert "12345678" not in json.dumps(redaction.redacted({"tool_response": value}, PERSON))


@pytest.mark.parametrize(
    "told",
    [
        "src/untilgreen/core/redaction_2.py and tests/payloads/claude-code/2.1.330/a00-smoke.01-SessionStart.json",
        "Linux-6.1.0-18-cloud-x86_64-with-glibc2.36, cpython-312-x86_64-linux-gnu",
        "test_every_recorded_stop_can_be_simulated_2 passed",
        "<jikime>DONE</jikime>",
        "the monkey: it typed",
        "src/token.py:12:5: F401 unused",
    ],
)
def test_words_of_code_and_paths_stay(told: str) -> None:
    assert redaction.text(told, PERSON) == told


@pytest.mark.parametrize("tag", ["<ralph>BLOCKED: no password: zQ7x</ralph>", "<ralph>BLOCKED: the\nTOKEN=a b</ralph>"])
def test_a_marker_is_closed_as_it_was(tag: str) -> None:
    shown = redaction.text(f"text\n\n{tag}", Person("/home/ralph", "ralph", "/p", "", "salt"))
    assert shown.endswith("REDACTED</ralph>")
    assert "<ralph>BLOCKED: " in shown


PAYLOADS = sorted((REPOSITORY / "tests" / "payloads").rglob("*.json"))


def test_of_every_recorded_payload_the_hooks_understand_the_same() -> None:
    for path in PAYLOADS:
        recorded = json.loads(path.read_text())
        payload = json.loads(recorded["stdin"])
        if not isinstance(payload, dict):
            continue
        for user in ("ada", "stop", "edit", "session", "default"):
            person = Person("/tmp/home", user, "/tmp/project", str(payload.get("session_id", "")), "salt")
            shown = redaction.redacted(payload, person)
            assert guess.foreign(shown, {}) == guess.foreign(payload, {}), path.name
            kept, was = claude_code.read(shown, {}), claude_code.read(payload, {})
            assert (kept.name, kept.permission_mode, kept.source) == (was.name, was.permission_mode, was.source)
            assert [(one.kind, one.command) for one in kept.tasks] == [(one.kind, one.command) for one in was.tasks]
            paths = [one.path.replace("/tmp/", "/work/", 1) for one in was.edits]
            assert [one.path for one in kept.edits] == paths


def test_the_same_id_gets_the_same_name_in_one_recording_and_another_in_the_next() -> None:
    first, again, other = (redaction.pseudonym("x", salt) for salt in ("a", "a", "b"))
    assert first == again != other


def test_long_texts_take_no_long_time() -> None:
    pieces = [
        *("token", "--", "a-", "token=a ", '"token": "a", ', "token: |\n", "a=b ", "://a:", "key='", "-u a:"),
        *(
            "mysql -p",
            "\\ntoken=</ralph>",
            "aB1" * 9 + " ",
            "<a ",
            "name=token,value=",
            "password ",
            "-----END PRIVATE KEY-----",
        ),
        *("AAAAbbbb1111\n", " " * 80 + "\n", "\x1b[0m", "token ", "token(", "bearer ", "a@", "PuTTY-User-Key-File-"),
        *("-----BEGIN PRIVATE KEY", "login a password ", "token='\\\\"),
    ]
    for piece in pieces:
        # a tenth of the largest payload: what is not linear would take a minute of the whole one
        text = piece * (recording.LARGEST // 10 // len(piece))
        began = time.process_time()
        recording.fixture("stop-loop", json.dumps({"text": text}).encode(), {}, "/p", "salt")
        assert time.process_time() - began < 1, piece


def test_a_payload_on_stdin_is_kept_without_its_secrets(red: World) -> None:
    payload = json.dumps(red.payload(last_assistant_message="the key is sk-ant-api03-" + "Ab1" * 20))
    answer = red.run("untilgreen", "record", stdin=payload)
    path = Path(answer.stdout.strip())
    assert (answer.code, answer.stderr, path.name) == (0, "", "001-Stop.json")
    text = path.read_text(encoding="utf-8")
    assert "Ab1Ab1" not in text
    assert red.session not in text
    assert red.run("untilgreen", "simulate", str(path)).code == 0


def test_without_a_payload_record_says_what_it_takes(red: World) -> None:
    line = "untilgreen: error: give a payload on stdin, or a command: start, stop, list, export\n"
    assert red.run("untilgreen", "record") == (1, "", line)
