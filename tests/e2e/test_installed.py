"""`untilgreen init`, a session on the real host, `untilgreen uninstall`: all is as it was before."""

import json
import os
import shlex
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

import installs
import near
from trees import Tree, tree
from world import BIN

from .host import Host, NewHost, Run
from .install import PINNED
from .scenes import CLEAN, FOUND, NEW_ONLY, UNUSED, edits, runs, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]

LOCAL = ".claude/settings.local.json"
WORK = (writes("broken.py", UNUSED), "Done.", edits("broken.py", UNUSED, CLEAN), "Mended.")
ODD = 'it\'s a "père" $HOME; touch PWNED'
SESSION = (
    *(f"config/{name}" for name in (".claude.json", ".last-cleanup", "backups", "file-history", "history.jsonl")),
    *(f"config/{name}" for name in ("plugins", "projects", "session-env", "sessions", "shell-snapshots")),
    *("home/.config", "home/.local/share", "tmp/cc-socks", f"tmp/claude-{os.getuid()}"),
)
"""What a session leaves behind by itself: the folders of the host (2.1.330 and 2.1.150, headless and interactive)."""

EARLY = 1.0  # seconds in which 2.1.330 takes no answer to a question: it goes to "No" instead
THEIRS = {
    "hooks": {
        event: [{"hooks": [{"type": "command", "command": f'echo {event} >> "$TMPDIR/theirs"'}]}]
        for event in ("Stop", "PostToolUse", "UserPromptSubmit")
    },
    "statusLine": {"type": "command", "command": "date"},
}
FOREIGN = json.dumps(THEIRS, indent=2) + "\n"
TABS = "\ufeff" + json.dumps(THEIRS, indent="\t").replace("\n", "\r\n") + "\r\n\r\n"
LINES = FOREIGN.replace('"hooks": {\n', '"hooks"  :{ "PreToolUse":[ ],\n', 1).replace("\n    ]", "]\n") + "  "
COMMENT = '{\n  // mine\n  "model": "opus"\n}\n'


NOBODY = 65_534


class Shown(NamedTuple):
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str


def person(host: Host, *words: str, folder: Path = BIN, under: Sequence[str] = ()) -> Shown:
    """A command of untilgreen that a person types in the project; `folder`: where it is, `under`: what runs it."""
    if folder == BIN and not under:
        [one] = near.run([near.Call(("untilgreen", *words))], host.env, host.project)
        return Shown(one.code, one.stdout.decode(), one.stderr.decode())
    done = subprocess.run(
        [*under, str(folder / "untilgreen"), *words],
        cwd=host.project,
        env=host.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    return Shown(done.returncode, done.stdout, done.stderr)


def done(shown: Shown) -> str:
    assert (shown.code, shown.err) == (0, ""), shown
    return shown.out


def everything(host: Host) -> Tree:
    """All below the sandbox, but what comes of a session: the agent's file, the host's own, what `THEIRS` wrote.

    Not the indexes of git either: looking at a work tree refreshes them.
    """
    own = (f"{host.project.name}/broken.py", f"{host.project.name}/.git/index", "project/.git/worktrees/linked/index")
    return tree(host.home.parent, (*SESSION, *own, "tmp/theirs"))


def status(host: Host) -> list[str]:
    words = ["git", "status", "--porcelain", "--ignored"]
    done = subprocess.run(words, cwd=host.project, env=host.env, capture_output=True, text=True, check=True)
    return sorted(done.stdout.splitlines())


def work(host: Host, prompt: str = "/untilgreen:loop") -> Run:
    """A session that is held once, mends it, and is let go."""
    run = host.run(f"{prompt} Add a module")
    assert (run.code, run.stderr, run.result["result"]) == (0, "", "Mended."), run
    told = [request.told for request in host.model.main]
    assert [
        (
            "untilgreen: loop started" in text,
            FOUND in text,
            ("Not green yet: " in text or "CONTINUE | Iteration: 2/10" in text),
        )
        for text in told
    ] == [(True, False, False), (False, True, False), (False, True, True), (False, False, False)]
    [file] = (host.project / ".untilgreen").glob("sessions/*/loop_state.json")
    loop = json.loads(file.read_text(encoding="utf-8"))
    assert [loop[key] for key in ("session_id", "iteration", "stop_reason", "verified")] == [
        *(run.session_id, 2, "complete"),
        True,
    ]
    return run


def comes_and_goes(
    host: Host,
    *words: str,
    back: Sequence[str] = (),
    prompt: str = "/untilgreen:loop",
    folder: Path = BIN,
    under: Sequence[str] = (),
) -> None:
    """init, the session, uninstall; all is as it was."""
    before, listed = everything(host), status(host)
    done(person(host, "init", *words, folder=folder, under=under))
    work(host, prompt)
    done(person(host, "uninstall", *back, folder=folder, under=under))
    assert everything(host) == before
    assert status(host) == sorted([*listed, "?? broken.py"])


def refused(host: Host, why: str, under: Sequence[str] = ()) -> None:
    """init says in one line why not, and leaves all as it is."""
    before, listed = everything(host), status(host)
    shown = person(host, "init", "--alias", "loop", "--statusline", "--quiet", under=under)
    assert (shown.code, shown.out, shown.err.count("\n")) == (64, "", 1)
    assert shown.err.startswith("untilgreen failed: ")
    assert shown.err.endswith(f"{why}\n")
    assert (everything(host), status(host)) == (before, listed)


def mounted(host: Host, mounts: str) -> list[str]:
    """What runs a command where these mounts are, and only there."""
    return ["unshare", "--mount", "sh", "-c", f'{mounts} && exec "$@"', "sh"]


def executable(host: Host, name: str, command: Sequence[str]) -> Path:
    """A file that runs this command."""
    path = host.temporary / name
    path.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n', encoding="utf-8")
    path.chmod(0o755)
    return path


def put(name: str, text: str) -> Callable[[Host], None]:
    def prepare(host: Host) -> None:
        path = host.home.parent / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(text.encode())
        path.chmod(0o640)
        if os.getuid() == 0:
            os.chown(path, NOBODY, NOBODY)

    return prepare


def linked(target: str, text: str) -> Callable[[Host], None]:
    """The settings are a link to a file elsewhere, where they are kept with others."""

    def prepare(host: Host) -> None:
        path = host.project / LOCAL
        file = (path.parent / target).resolve()
        for one in (path, file):
            one.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        path.symlink_to(target)

    return prepare


def worktree(host: Host) -> None:
    """The host works in a linked worktree."""
    main, host.project = host.project, host.home.parent / "linked"
    words = ["git", "worktree", "add", "-q", str(host.project)]
    subprocess.run(words, cwd=main, env=host.env, check=True, capture_output=True)


def nothing(host: Host) -> None:
    pass


class Form(NamedTuple):
    """What was there before, and how it is installed and taken back; `theirs`: hooks of others were there."""

    prepare: Callable[[Host], None] = nothing
    words: tuple[str, ...] = ()
    back: tuple[str, ...] = ()
    prompt: str = "/untilgreen:loop"
    name: str = "project"
    theirs: bool = False


NONE = Form(words=("--alias", "loop", "--statusline"), prompt="/loop 5m")
OTHERS = Form(
    put(f"project/{LOCAL}", FOREIGN), ("--statusline", "--alias", "jikime"), prompt="/jikime:loop", theirs=True
)
USERS = Form(
    put("config/settings.json", FOREIGN), ("--user", "--alias", "ralph"), ("--user",), "/ralph start", theirs=True
)
QUIET = ("--quiet", "--stop-timeout", "90")
FORMS = {
    "none": NONE,
    "foreign hooks": OTHERS,
    "tabs": Form(put(f"project/{LOCAL}", TABS), theirs=True),
    "a link in the repository": Form(linked("../dotfiles/claude.json", FOREIGN), ("--statusline",), theirs=True),
    "a link out of it": Form(linked("../../home/dotfiles/claude.json", LINES), QUIET, theirs=True),
    "an odd path": Form(name=ODD),
    "a linked worktree": Form(worktree),
    "the user's": USERS,
}


# what is written there is in test_installing and test_uninstall; "none" is in test_first_hour
MORE = (
    "none",
    "tabs",
    "foreign hooks",
    "a link in the repository",
    "a link out of it",
    "an odd path",
    "a linked worktree",
)


def check(new_host: NewHost, form: Form) -> None:
    host = new_host(WORK, path=[BIN], name=form.name)
    form.prepare(host)
    comes_and_goes(host, *form.words, back=form.back, prompt=form.prompt)
    log = host.temporary / "theirs"
    called = Counter(log.read_text(encoding="utf-8").split()) if form.theirs else Counter[str]()
    assert called == ({"Stop": 2, "PostToolUse": 2, "UserPromptSubmit": 1} if form.theirs else {})
    assert not (host.project / "PWNED").exists()


@NEW_ONLY
@pytest.mark.parametrize(
    "form",
    [pytest.param(form, id=name, marks=[pytest.mark.wide] if name in MORE else []) for name, form in FORMS.items()],
)
def test_all_is_as_it_was(new_host: NewHost, form: Form) -> None:
    check(new_host, form)


@pytest.mark.wide
@pytest.mark.parametrize("binary", [PINNED], indirect=True)
@pytest.mark.parametrize("form", [pytest.param(OTHERS, id="foreign hooks"), pytest.param(USERS, id="the user's")])
def test_all_is_as_it_was_with_an_older_host(new_host: NewHost, form: Form) -> None:
    check(new_host, form)


@pytest.mark.wide
@NEW_ONLY
def test_settings_with_a_comment_stay_and_the_users_registration_is_the_way_out(new_host: NewHost) -> None:
    host = new_host(WORK, path=[BIN])
    put(f"project/{LOCAL}", COMMENT)(host)
    refused(host, "; the host passes over settings with a comment. Fix: correct the file, then try again")
    comes_and_goes(host, "--user", back=["--user"])


@pytest.mark.wide
@NEW_ONLY
@pytest.mark.needs("mounts")
def test_a_folder_on_a_read_only_mount_stays_and_the_users_registration_is_the_way_out(new_host: NewHost) -> None:
    host = new_host(WORK, path=[BIN])
    put(f"project/{LOCAL}", FOREIGN)(host)
    folder = host.project / ".claude"
    under = mounted(host, f'mount --bind "{folder}" "{folder}" && mount -o remount,bind,ro "{folder}"')
    host.binary = executable(host, "claude", [*under, str(host.binary)])
    refused(
        host,
        f"{host.project / LOCAL}: it is read-only; nothing was changed. Fix: make it writable, or use --user",
        under,
    )
    comes_and_goes(host, "--user", "--statusline", back=["--user"], under=under)


@pytest.mark.wide
@NEW_ONLY
@pytest.mark.needs("mounts")
def test_settings_of_somebody_else_stay_and_the_users_registration_is_the_way_out(new_host: NewHost) -> None:
    host = new_host(WORK, path=[BIN])
    put(f"project/{LOCAL}", FOREIGN)(host)
    (host.project / LOCAL).chmod(0o644)
    under = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"]  # a root that may do no more than anybody
    host.binary = executable(host, "claude", [*under, str(host.binary)])
    refused(
        host,
        f"{host.project / LOCAL}: it is read-only; nothing was changed. Fix: make it writable, or use --user",
        under,
    )
    comes_and_goes(host, "--user", back=["--user"], under=under)


@NEW_ONLY
def test_in_a_linked_worktree_the_hooks_of_the_main_one_run_and_no_others(new_host: NewHost) -> None:
    host = new_host(WORK, path=[BIN])
    main = host.project
    done(person(host, "init"))
    worktree(host)
    cure = f"run `untilgreen uninstall --local --project {main}` first, or give --force"
    refused(host, f"the hooks are registered in {main / LOCAL} and would run twice. Fix: {cure}")
    work(host)
    assert done(person(host, "uninstall")) == "untilgreen: nothing is registered here\n"
    assert not (host.project / ".claude").exists()
    done(person(host, "uninstall", "--project", str(main)))
    assert not (main / ".claude").exists()


@NEW_ONLY
@pytest.mark.parametrize(
    ("by", "words"),
    [
        pytest.param("venv", (), id="venv", marks=pytest.mark.wide),
        pytest.param("pipx", ("--local", "--statusline"), id="pipx", marks=pytest.mark.wide),
        pytest.param("uv", ("--shared",), id="uv"),
    ],
)
def test_the_hooks_run_from_where_it_was_installed(new_host: NewHost, by: str, words: tuple[str, ...]) -> None:
    installation = installs.installed(by)
    host = new_host(WORK, path=[installation.bin, BIN])
    comes_and_goes(host, *words, folder=installation.bin)


@pytest.mark.wide
@NEW_ONLY
def test_a_team_shares_the_environment_of_the_project(new_host: NewHost) -> None:
    host = new_host(WORK, path=[BIN], settings=THEIRS, files={".gitignore": ".venv\n"}, name="it's a père")
    installs.into(host.project / ".venv", installs.wheels())
    comes_and_goes(host, "--shared", "--alias", "ralph", prompt="/ralph start", folder=host.project / ".venv/bin")


@NEW_ONLY
def test_what_the_host_wrote_stays_and_a_session_that_goes_on_brings_nothing_back(new_host: NewHost) -> None:
    host = new_host([runs("./make"), "Made.", "Hello."], path=[BIN], files={"make": "#!/bin/sh\n"})
    (host.home / ".local").mkdir()
    before = everything(host)
    done(person(host, "init"))
    with host.terminal(tools="Read") as terminal:
        terminal.say("/untilgreen:loop Make it")
        terminal.wait_for("2\\. Yes, and don.t ask again for: ./make")
        time.sleep(EARLY)
        terminal.key("2")
        terminal.wait_for("loop paused")
        assert done(person(host, "uninstall")).startswith("untilgreen: loop cancelled in round 1 of 10 (")
        terminal.say("Hello?")
        terminal.wait_for("Hello\\.")
        terminal.type("/exit")
        terminal.key("enter")
        terminal.wait_for("--resume")
    written = (host.project / LOCAL).read_bytes()
    assert json.loads(written) == {"permissions": {"allow": ["Bash(./make *)"]}}
    assert everything(host) == {
        **before,
        "project/.claude": (f"drwxr-xr-x {os.getuid()} {os.getgid()}", b""),
        f"project/{LOCAL}": (f"-rw-r--r-- {os.getuid()} {os.getgid()}", written),
    }
