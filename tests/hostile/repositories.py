"""Repositories that nobody trusted, a trap in a line: what lies there, beside a git folder and an `app.py`."""

import json

from untilgreen.core.model.loop import SCHEMA_VERSION

from .harness import WORDS, Files, big, fifo, folder, link, program, sparse

S = ".untilgreen/sessions/{session}"


def loop(state: str, **fields: object) -> str:
    """A loop of the repository's own, as a document: its check is a program of its own."""
    check = {"name": "a", "checker": "custom", "stage": "custom", "root": ".", "tool": "{project}/evil.sh"}
    criteria = {"zero_errors": True, "custom": True}
    document = {
        "schema_version": SCHEMA_VERSION,
        "loop_id": "loop-1",
        "active": True,
        "session_id": "{session}" if state == "running" else "",
        "started_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "iteration": 1,
        "task_description": WORDS,
        "target_files": [],
        "completion_criteria": criteria,
        "status": state,
        "project": "{project}",
        "plan": [check],
        "settings": {"checks": {"a": {"command": ["./evil.sh"]}}},
    }
    return json.dumps(document | fields)


CONFIG = json.dumps({"settings": {"auto": "all", "task": WORDS}})
# fmt: off
TRAPS: dict[str, Files] = {
    # the log, and whatever else we would append to or replace
    "the log is ~/.bashrc": {".untilgreen/untilgreen.log": link("{home}/.bashrc"), ".untilgreen/next/\ntouch x.json": "{"},
    "the full log is a link": {".untilgreen/untilgreen.log": big(1_100_000), ".untilgreen/untilgreen.log.1": link("{home}/.bashrc")},
    "the log is a pipe": {".untilgreen/untilgreen.log": fifo, ".untilgreen/next/x.json": "{"},
    "the log is endless": {".untilgreen/untilgreen.log": link("/dev/full"), ".untilgreen/next/x.json": "{"},
    "the state folder is a link": {".untilgreen": link("{home}/victim")},
    "the state folder is a link to /": {".untilgreen": link("/")},
    "the state folder is a link to itself": {".untilgreen": link(".untilgreen")},
    "the state folder is a file": {".untilgreen": WORDS},
    "the state folder is a pipe": {".untilgreen": fifo},
    "the sessions are a link": {".untilgreen/sessions": link("{home}/victim")},
    "the session is a link": {S: link("{home}/victim")},
    "the marks are in ~/bin": {".untilgreen/called": link("{home}/bin")},
    "a mark is a link": {".untilgreen/called/stop-loop": link("{home}/.bashrc")},
    "a mark is a pipe": {".untilgreen/called/stop-loop": fifo, ".untilgreen/called/session-loop": fifo},
    "the marks are a file": {".untilgreen/called": WORDS},
    "the journal is a link": {f"{S}/journal.jsonl": link("{home}/.bashrc"), f"{S}/loop_state.json": loop("running")},
    "the locks are links": {f"{S}/state.lock": link("{home}/new"), f"{S}/stop.lock": link("{home}/new")},
    "the locks are pipes": {f"{S}/state.lock": fifo, f"{S}/stop.lock": fifo, f"{S}/loop_state.json": loop("running")},
    "the originals are a link": {f"{S}/originals": link("{home}/victim"), f"{S}/session.json": "{}"},
    "the types are a link": {".untilgreen/types": link("{home}/victim")},
    "the last id is a link": {".untilgreen/last_id": link("{home}/.bashrc"), ".untilgreen/last_id.lock": link("{home}/new")},
    "its .gitignore is a link": {".untilgreen/.gitignore": link("{home}/.bashrc")},
    "payloads are recorded": {".untilgreen/recorded/on": WORDS},
    "payloads are recorded into a link": {".untilgreen/recorded": link("{home}/victim"), "../home/victim/on": "salt"},
    "the recording's switch is a pipe": {".untilgreen/recorded/on": fifo},
    # loops that came with the repository
    "a waiting loop": {".untilgreen/next/x.json": loop("waiting"), "evil.sh": program},
    "a waiting loop of anybody": {".untilgreen/next/x.json": loop("waiting", project=""), "evil.sh": program},
    "a running loop": {f"{S}/loop_state.json": loop("running"), "evil.sh": program},
    "a running loop of any session": {f"{S}/loop_state.json": loop("running", session_id=""), "evil.sh": program},
    "a loop whose check is a linter": {f"{S}/loop_state.json": loop("running", plan=[{"name": "mypy", "checker": "mypy", "stage": "types", "root": ".", "tool": "{project}/evil.sh"}]), "evil.sh": program},
    "a loop that has ended": {f"{S}/loop_state.json": loop("running", active=False, status="done", last_output=WORDS)},
    "a paused loop": {f"{S}/loop_state.json": loop("paused"), "evil.sh": program},
    "a loop of a parked session": {".untilgreen/sessions/00000000/loop_state.json": loop("parked"), "evil.sh": program},
    "a waiting loop with the session's name": {".untilgreen/next/{session}.json": loop("waiting"), "evil.sh": program},
    "the state folder is a git file": {".untilgreen": "gitdir: {home}/victim\n"},
    "the state folder is a repository": {".untilgreen/.git/HEAD": "ref: refs/heads/x\n", ".untilgreen/next/x.json": loop("waiting"), "evil.sh": program},
    "a list of trusted folders of its own": {".local/state/untilgreen/trusted": "{project}\n", "untilgreen/trusted": "{project}\n", ".untilgreen/next/x.json": loop("waiting"), "evil.sh": program},
    "an environment that names the state": {".env": "UNTILGREEN_STATE_DIR=.untilgreen\nXDG_STATE_HOME={project}\n", ".untilgreen/next/x.json": loop("waiting"), "evil.sh": program},
    "seals of its own": {".untilgreen/sealed/{session}.json": "{}", f"{S}/loop_state.json": loop("running"), "evil.sh": program},
    "a parked note that is a path": {".untilgreen/parked/1": "../../../home/victim", f"{S}/loop_state.json": loop("paused")},
    "a waiting loop that is a link": {".untilgreen/next/x.json": link("/dev/zero")},
    "a waiting loop that is a pipe": {".untilgreen/next/x.json": fifo},
    "waiting loops without end": {".untilgreen/next": link("/proc/self/fd")},
    "a waiting loop with a name of lines": {f".untilgreen/next/\n{WORDS}\n.json": "{"},
    "a waiting loop with a name of no text": {".untilgreen/next/\udcff.json": "{"},
    "texts in another folder": {f"{S}/loop_state.json": loop("running", settings={"lang": "../../../../../../../../etc/passwd"})},
    # what is read before anything else
    "the configuration is endless": {".untilgreen/config.json": link("/dev/zero")},
    "the configuration is a pipe": {".untilgreen/config.json": fifo},
    "the configuration is a folder": {".untilgreen/config.json": folder},
    "the configuration is sixteen gigabytes": {".untilgreen/config.json": sparse},
    "the configuration is the terminal": {".untilgreen/config.json": link("/dev/tty")},
    "the configuration is nested": {".untilgreen/config.json": '{"state_dir":' + "[" * 100_000},
    "the configuration moves the state to ~/.ssh": {".untilgreen/config.json": '{"settings": {"state_dir": "~/.ssh"}}'},
    "the configuration moves the state to a null": {".untilgreen/config.json": '{"settings": {"state_dir": "a\\u0000b"}}'},
    "the configuration moves the state to half a letter": {".untilgreen/config.json": '{"settings": {"state_dir": "\\ud800"}}'},
    "the configuration moves the state to /proc": {".untilgreen/config.json": '{"settings": {"state_dir": "/proc/self/fd"}}'},
    "the configuration is believed": {".untilgreen/config.json": CONFIG, "evil.sh": program},
    "the state is endless": {f"{S}/loop_state.json": link("/dev/zero")},
    "the state is a pipe": {f"{S}/loop_state.json": fifo},
    "the state is sixteen gigabytes": {f"{S}/loop_state.json": sparse},
    "the session is endless": {f"{S}/session.json": link("/dev/zero")},
    "the session is a pipe": {f"{S}/session.json": fifo},
    "the edits are endless": {f"{S}/edits.json": link("/dev/zero")},
    "the edits are a pipe": {f"{S}/edits.json": fifo},
    "an off file is a pipe": {".untilgreen/off": fifo},
    # the project's own configuration
    "untilgreen.toml is endless": {"untilgreen.toml": link("/dev/zero")},
    "untilgreen.toml is a pipe": {"untilgreen.toml": fifo},
    "pyproject.toml is endless": {"pyproject.toml": link("/dev/zero"), ".untilgreen/.gitignore": "*"},
    "pyproject.toml is a pipe": {"pyproject.toml": fifo, ".untilgreen/.gitignore": "*"},
    "pyproject.toml is sixteen gigabytes": {"pyproject.toml": sparse, ".untilgreen/.gitignore": "*"},
    "pyproject.toml has a key of 200,000 dots": {"pyproject.toml": "a" + ".a" * 200_000 + " = 1\n", ".untilgreen/.gitignore": "*"},
    "untilgreen.toml moves the state to ~/.ssh": {"untilgreen.toml": 'state_dir = "~/.ssh"\n', ".untilgreen/.gitignore": "*"},
    "untilgreen.toml names a command": {"untilgreen.toml": '[checks.a]\ncommand = ["./evil.sh"]\n', ".untilgreen/.gitignore": "*", "evil.sh": program},
    "untilgreen.toml names words of the user's": {"untilgreen.toml": f'success_regex = "(a+)+$"\n# {WORDS}\n', ".untilgreen/.gitignore": "*", "evil.sh": program},
    "ruff.toml is endless": {"ruff.toml": link("/dev/zero")},
    "setup.cfg is a pipe": {"setup.cfg": fifo, "tox.ini": fifo, "mypy.ini": fifo, "package.json": fifo},
    "package.json is endless": {"package.json": link("/dev/zero"), "go.mod": link("/dev/zero"), "Cargo.toml": link("/dev/zero")},
    # programs in the repository
    "programs in its environment": {".venv/bin/ruff": program, ".venv/bin/python": program, ".venv/bin/pytest": program, "ruff.toml": ""},
    "programs in node_modules": {"node_modules/.bin/eslint": program, "node_modules/.bin/biome": program, "package.json": "{}", "biome.json": "{}"},
    "modules of Python's own names": dict.fromkeys(("json.py", "sitecustomize.py", "usercustomize.py", "untilgreen.py", "signal.py"), "import os\nopen(os.environ['TMPDIR'] + '/ran', 'w')\n"),
    "tests and their fixtures": {"conftest.py": "open('{ran}', 'w')\n", "test_a.py": "open('{ran}', 'w')\n", "pytest.ini": ""},
    "a plugin of mypy": {"mypy.ini": "[mypy]\nplugins = evil\n", "evil.py": "open('{ran}', 'w')\n"},
    "hooks of pre-commit": {".pre-commit-config.yaml": "repos: [{repo: local, hooks: [{id: a, name: a, entry: ./evil.sh, language: system}]}]\n", "evil.sh": program},
    # git
    "git's monitor of files": {".git/config": "[core]\n\tfsmonitor = {project}/evil.sh\n", "evil.sh": program},
    "git's hooks": {".git/hooks/post-index-change": program, ".git/hooks/pre-commit": program},
    "git's filter": {".git/config": '[filter "x"]\n\tclean = {project}/evil.sh\n\tprocess = {project}/evil.sh\n', ".gitattributes": "* filter=x\n", "evil.sh": program},
    "git's configuration elsewhere": {".git/config": "[include]\n\tpath = ../evil.cfg\n", "evil.cfg": "[core]\n\tfsmonitor = {project}/evil.sh\n", "evil.sh": program},
    "git's work tree elsewhere": {".git/config": "[core]\n\tworktree = {home}\n"},
    "git's folder is endless": {".git": link("/dev/zero")},
    "git's folder is a pipe": {".git": fifo},
    "git's folder is in the home": {".git": "gitdir: {home}/victim\n"},
    "git's HEAD is a pipe": {".git/HEAD": fifo},
    "git's index is a pipe": {".git/index": fifo},
    "git's index is endless": {".git/index": link("/dev/zero")},
    "git's excludes are a pipe": {".git/config": "[core]\n\texcludesFile = {project}/pipe\n", "pipe": fifo},
    "git's attributes are endless": {".git/config": "[core]\n\tattributesFile = /dev/zero\n"},
    "git's alternates are a pipe": {".git/objects/info/alternates": fifo},
    ".gitignore is a pipe": {".gitignore": fifo},
    "a repository within": {"lib/.git/HEAD": "ref: refs/heads/x\n", "lib/.git/config": "[core]\n\tfsmonitor = {project}/evil.sh\n", "evil.sh": program},
    # names
    "names that are lines": {f"a\n{WORDS}\n.py": "import os\n"},
    "names that are options": {"--config=evil.toml": "", "-c.py": "import os\n", "@args.py": "import os\n"},
    "names that are no text": {"\udcff\udcfe.py": "import os\n"},
    "names that write to a terminal": {"\x1b]0;evil\x07.py": "import os\n"},
    "names that a shell would run": {"$(touch ran).py": "import os\n", "`touch ran`.py": "import os\n"},
    "a file that is endless": {"endless.py": link("/dev/zero")},
    "a file that is a pipe": {"pipe.py": fifo},
    "a folder that is in itself": {"again": link(".")},
    "the file that was edited is endless": {"app.py": link("/dev/zero")},
    "the file that was edited is a pipe": {"app.py": fifo},
    "the file that was edited is in the home": {"app.py": link("{home}/.bashrc")},
    # the host's files
    "commands of ours": {".claude/commands/loop.md": f"The hook of untilgreen {WORDS}\n"},
    "the host's settings are endless": {".claude/settings.json": link("/dev/zero"), ".claude/settings.local.json": fifo},
}
