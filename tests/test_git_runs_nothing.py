"""No program that a repository names is run when we ask git about it, trusted or not: a table of traps.

Each trap is shown to be live first: git runs the program when it is asked plainly.
"""

import os
import subprocess
import time
from pathlib import Path

import pytest

import tables
from untilgreen.core.model.event import Place
from untilgreen.loops import back
from untilgreen.project.fakes import text
from untilgreen.project.tree import git, worktree
from untilgreen.state import snapshots

# what a trap is made with, in the repository; `$P` is a program that leaves its mark
WORDS = tables.text("git-runs-nothing", "words")
CALLED = "attributes '{0}'; section '{0}' >>.git/config"
TRAPS = {
    "a monitor": 'git config core.fsmonitor "$P"',
    "a hook": 'mkdir -p .git/hooks; ln -s "$P" .git/hooks/post-index-change',
    "a folder of hooks": 'mkdir hooks; ln -s "$P" hooks/post-index-change; git config core.hooksPath hooks',
    "clean": "attributes x; filter",
    "process": 'attributes x; git config filter.x.process "$P"',
    "required": "attributes x; filter; git config filter.x.required true",
    "beside an honest one": "git config filter.lfs.clean cat; attributes x; filter",
    "by attributes of the git folder": "attributes x .git/info/attributes; filter",
    "by attributes that the configuration names": (
        'attributes x docs/attributes; git config core.attributesFile "$PWD/docs/attributes"; filter'
    ),
    "in an included file": "attributes x; section x >more; git config include.path ../more",
    "on a branch": "attributes x; section x >more; git config 'includeIf.onbranch:**.path' ../more",
    "of the work tree": "attributes x; git config extensions.worktreeConfig true; filter --worktree",
    "of the user": "attributes x; filter --global",
    "behind a git file": "attributes x; filter; mv .git assets; echo gitdir: assets >.git",
    "of a bare repository with a tree": (
        "attributes x; filter; mv .git/* .; rmdir .git; git config core.bare false; git config core.worktree $PWD"
    ),
    "in a tree somewhere else": (
        "attributes x; filter; git config core.worktree $(dirname $PWD); cp a.py .gitattributes .."
    ),
    **{f"called {name!r}": CALLED.format(name) for name in ("", "Up.Low", "a=b", "-c", "é")},
    "of a submodule": "submodule",
    "of a submodule that nobody registered": "submodule; git rm -q --cached .gitmodules; rm .gitmodules",
    "of a submodule in which all is to be seen": (
        "submodule; git config submodule.inner.ignore none; git config diff.ignoreSubmodules none;"
        "git config submodule.recurse true"
    ),
    "a server": 'git config remote.o.uploadpack "$P"; lacks',
    "a transport": 'git config protocol.ext.allow always; git config remote.o.url "ext::$P"; lacks',
    "a helper": 'git config protocol.allow always; git config remote.o.vcs ext; git config remote.o.url "$P"; lacks',
    "ssh": 'git config core.sshCommand "$P"; git config remote.o.url ssh://there/x; lacks',
    "a proxy": 'git config core.gitProxy "$P"; git config remote.o.url git://there/x; lacks',
    "attributes that a partial clone lacks": (
        "attributes x; commit; rm .gitattributes; git config filter.x.required true;"
        'git config remote.o.uploadpack "$P"; lacks HEAD:.gitattributes'
    ),
}


def touch(root: Path, seconds: int) -> None:
    """Give the files another time, for which git compares their content once more."""
    for path in root.parent.rglob("*.py"):
        os.utime(path, (seconds, seconds))


@pytest.mark.parametrize("trap", TRAPS.values(), ids=TRAPS.keys())
def test_git_runs_no_program_of_the_repository_for_us(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, trap: str
) -> None:
    config, program, ran = tmp_path / "gitconfig", tmp_path / "program", tmp_path / "ran"
    for name, value in {"HOME": tmp_path, "GIT_CONFIG_GLOBAL": config, "GIT_CONFIG_NOSYSTEM": 1, "P": program}.items():
        monkeypatch.setenv(name, str(value))
    config.write_text("[user]\n\tname = A\n\temail = a@example.org\n")
    program.write_text(f'#!/bin/sh\necho "$@" >>{ran}\nexit 1\n')
    program.chmod(0o755)
    project = tmp_path / "repo"
    project.mkdir()
    made = f"{WORDS}\necho 'a = 1' >a.py; git init -q; commit\n{trap}"
    subprocess.run(["bash", "-ec", made], cwd=project, check=True, capture_output=True)
    touch(project, 1)
    for words in (("status",), ("check-attr", "--cached", "filter", "a.py")):
        subprocess.run(("git", *words), cwd=project, check=False, capture_output=True)
    assert ran.exists(), "the trap is not live"
    ran.unlink()
    touch(project, 2)
    root = str(project)
    worktree.fingerprint(root)
    worktree.changed(root)
    files = worktree.files(root)
    text.read(root, files, time.monotonic() + 60)
    git.ignored(root, "a.py")
    state = Place(root, str(tmp_path / "state"), "s")
    os.mkdir(state.base)
    for number in ("start", "1"):
        kept = snapshots.keep(state, worktree.read(root, state.base), "loop", number, 60.0)
        assert (kept.ref != "", kept.why) == (True, ""), kept
        (project / "a.py").write_text("a = 2\n")
    assert back.between(state, kept.ref, kept.ref, 60.0) == b""
    assert not ran.exists(), ran.read_text()
