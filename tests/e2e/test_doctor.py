"""`untilgreen doctor` beside the real host: what it says is what the host does."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from untilgreen.core.findings import Finding
from untilgreen.hosts.host import EXECUTABLES

from .scenes import CLEAN, NEW_ONLY, NewScene, Scene, runs, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm"), NEW_ONLY]

LOCAL = ".claude/settings.local.json"
APART = 2.5  # seconds between a change of the settings and a session that must have seen it


def doctor(scene: Scene, *words: str) -> list[Finding]:
    shown = scene.shell("untilgreen", "doctor", "--json", *words)
    assert shown.err == "", shown
    said = json.loads(shown.out)
    assert shown.code == int(said["broken"])
    return [Finding(**one) for one in said["findings"]]


def of(found: list[Finding], subject: str) -> list[tuple[str, str]]:
    return [(one.level, one.what) for one in found if one.subject == subject]


def changed(scene: Scene, change: Callable[[dict[str, Any]], object]) -> None:
    path = scene.project / LOCAL
    settings = json.loads(path.read_text(encoding="utf-8"))
    change(settings)
    path.write_text(json.dumps(settings), encoding="utf-8")
    time.sleep(APART)


def with_host(scene: Scene, binary: Path) -> Scene:
    """The host's own folder on PATH, too."""
    scene.host.env["PATH"] += f"{os.pathsep}{binary.parent}"
    return scene


def test_calls_are_seen_and_what_keeps_the_host_from_calling_is_said(new_scene: NewScene, binary: Path) -> None:
    scene = with_host(new_scene([writes("more.py", CLEAN), runs("true"), "Added.", "Hello.", "Hello again."]), binary)
    version = binary.parts[binary.parts.index("node_modules") - 1]

    before = doctor(scene)
    named = [name for name in EXECUTABLES if name not in ("post-tool-lsp", "post-tool-ast-grep")]
    assert of(before, "calls") == [("note", f"never called yet: {', '.join(named)}")]
    assert of(before, "host")[0] == ("ok", f"Claude Code {version} ({binary})")
    assert {one for one in before if one.level in ("broken", "warning")} == set()
    time.sleep(APART)

    scene.ask("Add a module")
    assert {level for level, _ in of(doctor(scene, "--no-run"), "calls")} == {"ok"}

    changed(scene, lambda settings: settings.update(disableAllHooks=True))
    scene.ask("Hello?")
    found = [one for one in doctor(scene, "--no-run") if one.level == "broken"]
    assert [one.cure for one in found if one.subject == "switches"] == [f'edit {LOCAL}: take "disableAllHooks" out']

    changed(scene, lambda settings: settings.pop("disableAllHooks"))
    scene.ask("Hello again?")
    after = doctor(scene, "--no-run")
    assert {one for one in after if one.level in ("broken", "warning")} == set()
    assert next(what for _, what in of(after, "calls")).startswith("stop-loop was last called at 20")


@pytest.mark.wide
def test_settings_that_are_not_json_silence_the_hooks_as_the_doctor_says(new_scene: NewScene, binary: Path) -> None:
    scene = with_host(new_scene(["Hello.", "Hello again."]), binary)
    path = scene.project / LOCAL
    text = path.read_text(encoding="utf-8")

    path.write_text(text.rstrip().removesuffix("}"), encoding="utf-8")
    scene.host.run("Hello?")
    assert not (scene.project / ".untilgreen" / "called").exists()
    [broken] = [one for one in doctor(scene, "--no-run") if one.level == "broken" and "not JSON" in one.what]
    assert broken.cure == f"edit {LOCAL}: mend it there, or take the file away"

    path.write_text(text, encoding="utf-8")
    scene.ask("Hello again?")
    assert (scene.project / ".untilgreen" / "called" / "stop-loop").exists()
