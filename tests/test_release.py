"""A release: one version, the changelog's own words, a workflow that is pinned and linted, and what npm gets."""

import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import tomllib
from pathlib import Path

import pytest

import release
from world import BIN, REPOSITORY

WORKFLOW = REPOSITORY / ".github" / "workflows" / "release.yml"
NPM = REPOSITORY / "npm"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with what a release reads, and a changelog that is ready."""
    for name in ("pyproject.toml", ".claude-plugin/plugin.json", "npm/package.json"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(REPOSITORY / name, tmp_path / name)
    text = (
        f"# Changelog\n\n## [Unreleased]\n\n## [{release.version()}] - 2026-01-02\n\n- It holds.\n\n## [0.0.1]\n\n- x\n"
    )
    (tmp_path / "CHANGELOG.md").write_text(text, encoding="utf-8")
    return tmp_path


def test_every_manifest_repeats_the_version_of_the_package() -> None:
    assert {".claude-plugin/plugin.json", "npm/package.json"} < release.repeated().keys()
    assert set(release.repeated().values()) == {release.version()}


def test_the_changelog_has_a_text_for_the_version_of_at_most_twenty_lines() -> None:
    text = release.section(release.version(), (REPOSITORY / "CHANGELOG.md").read_text(encoding="utf-8"))
    assert 1 <= len(text.splitlines()) <= 20


def test_a_tag_that_says_another_version_is_no_release(checkout: Path) -> None:
    stated = release.version()
    assert list(release.wrong(f"v{stated}", checkout)) == []
    manifest = json.loads((checkout / "npm/package.json").read_text(encoding="utf-8"))
    (checkout / "npm/package.json").write_text(json.dumps(manifest | {"version": "0.0.1"}), encoding="utf-8")
    (checkout / "CHANGELOG.md").write_text("## [Unreleased]\n\n- Something new.\n", encoding="utf-8")
    assert list(release.wrong("v0.0.1", checkout)) == [
        f"the tag is v0.0.1, and pyproject.toml says {stated}",
        f"npm/package.json says 0.0.1, and pyproject.toml {stated}",
        f"CHANGELOG.md says nothing of {stated}",
        f"CHANGELOG.md has lines under Unreleased: move them to {stated}",
    ]


def test_the_source_distribution_has_all_that_git_has() -> None:
    included = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    patterns = included["tool"]["hatch"]["build"]["targets"]["sdist"]["include"]
    listed = subprocess.run(["git", "-C", REPOSITORY, "ls-files"], capture_output=True, text=True, check=False).stdout
    tops = {f"/{line.partition('/')[0]}" for line in listed.splitlines()} - {
        "/.gitignore",
        "/pyproject.toml",
    }  # always there
    assert [top for top in tops if not any(fnmatch.fnmatch(top, pattern) for pattern in patterns)] == []


def test_the_text_of_a_release_is_its_section_alone(checkout: Path) -> None:
    changelog = (checkout / "CHANGELOG.md").read_text(encoding="utf-8")
    assert release.section(release.version(), changelog) == "- It holds."


def test_the_workflow_passes_its_linter_and_every_action_is_pinned_to_a_commit() -> None:
    env = {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}  # the shell lines are for shellcheck
    linted = subprocess.run([BIN / "actionlint", WORKFLOW], env=env, capture_output=True, text=True, check=False)
    assert (linted.returncode, linted.stdout, linted.stderr) == (0, "", "")
    used = re.findall(r"uses: (.+)", WORKFLOW.read_text(encoding="utf-8"))
    assert [one for one in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", one)] == []


class Shim:
    """The npm package in a folder of its own, and a PATH with node and what a test puts there."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        (self.bin / "node").symlink_to(shutil.which("node") or "")

    def has(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f'#!/bin/sh\n[ "$1" = --version ] && exit\n{script}\n', encoding="utf-8")
        (self.bin / name).chmod(0o755)

    def begin(self, *words: str, script: Path = NPM / "untilgreen.js") -> "subprocess.Popen[str]":
        env = {"PATH": str(self.bin), "HOME": str(self.folder)}
        command = [str(self.bin / "node"), str(script), *words]
        pipe = subprocess.PIPE
        return subprocess.Popen(command, env=env, text=True, stdin=pipe, stdout=pipe, stderr=pipe)

    def run(self, *words: str, stdin: str = "") -> tuple[int, str, str]:
        process = self.begin(*words)
        stdout, stderr = process.communicate(stdin, timeout=60)
        return process.returncode, stdout, stderr


@pytest.fixture
def shim(tmp_path: Path) -> Shim:
    return Shim(tmp_path)


PRINTS = 'printf "<%s>" "$@"; /bin/cat; exit 7'


@pytest.mark.needs("npm")
def test_the_npm_package_gives_words_and_stdin_to_the_pinned_version_and_ends_as_it_ends(shim: Shim) -> None:
    pinned = f"untilgreen=={release.version()}"
    shim.has("pipx", PRINTS)
    assert shim.run("check", "a b", stdin="{}") == (7, f"<run><--spec><{pinned}><untilgreen><check><a b>{{}}", "")
    shim.has("uv", PRINTS)
    assert shim.run("check", stdin="{}") == (7, f"<tool><run><--from><{pinned}><untilgreen><check>{{}}", "")


@pytest.mark.needs("npm")
def test_the_npm_package_passes_signals_on_and_dies_of_what_its_program_dies_of(shim: Shim) -> None:
    waits = "n=0; while [ $n -lt 600 ]; do n=$((n+1)); /bin/sleep 0.05; done"
    shim.has("uv", f'trap "echo told; trap - TERM; kill -TERM $$" TERM\necho ready\n{waits}')
    process = shim.begin("check")
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGTERM)
    assert (process.communicate(timeout=30)[0], process.returncode) == ("told\n", -signal.SIGTERM)


@pytest.mark.needs("npm")
def test_the_npm_package_names_the_one_thing_to_install_where_nothing_can_run_it(shim: Shim) -> None:
    shim.has("python3", "exit 1")  # it is older than 3.11
    why = "untilgreen failed: it needs uv, pipx or Python 3.11. Fix: install uv (https://docs.astral.sh/uv)\n"
    assert shim.run("init") == (1, "", why)


@pytest.mark.needs("npm")
def test_npm_packs_two_files_and_the_readme(tmp_path: Path) -> None:
    words, env = ["npm", "pack", "--dry-run", "--json", str(NPM)], os.environ | {"HOME": str(tmp_path)}
    packed = subprocess.run(words, cwd=tmp_path, env=env, capture_output=True, text=True, check=True)
    files = [one["path"] for one in json.loads(packed.stdout)[0]["files"]]
    assert files == ["README.md", "package.json", "untilgreen.js"]
    assert len((NPM / "untilgreen.js").read_text(encoding="utf-8").splitlines()) <= 60
