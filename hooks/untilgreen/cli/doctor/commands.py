"""The slash commands, the skill and the status line: are they there, and are they those of this version?"""

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import PLUGIN, DoctorCase, known
from untilgreen.cli.installing import command_forms, files
from untilgreen.core.findings import NOTE, OK, WARNING, Finding, run

COMMANDS, STATUS_LINE = "commands", "status line"


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What lies in the folders of the project and of the user."""
    folders: dict[str, list[tuple[str, str]]] = {}
    for host in known():
        settings = host.settings()
        if settings and host.commands():
            for scope in settings.SCOPES:
                folders.setdefault(settings.folder(scope, case.root, case.env), []).append((host.name, scope))
    found = [one for folder, theirs in folders.items() if folder for one in _folder(case, folder, theirs)]
    yield from found
    if not found and any(scope == PLUGIN for _, scope in case.scopes):
        yield Finding(COMMANDS, OK, "they come with the plugin")
    elif not found:
        what = "no slash command of untilgreen is installed here: loops begin in a shell only (start-loop)"
        yield Finding(COMMANDS, WARNING, what, hooks.again(case, *next(iter(case.scopes), hooks.NOWHERE)))


def _folder(case: DoctorCase, folder: str, scopes: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """`scopes`: whose registration the folder's files belong to."""
    plain, expected = files.templates(folder, []), files.templates(folder, files.ALIASES)
    alias = {path: name for name in files.ALIASES for path in files.templates(folder, [name]) if path not in plain}
    there = {path: Path(path).read_bytes() for path in expected if os.path.isfile(path)}
    # under the name of an alias anybody may have a command of their own
    ours = {path: text for path, text in there.items() if path not in alias or b"untilgreen" in text}
    own = os.path.join(folder, files.COMMANDS)
    names = sorted(os.listdir(own)) if os.path.isdir(own) else []
    left = [path for name in names if (path := os.path.join(own, name)) not in expected]
    if not ours and not left:
        return
    where, scope = case.shown(folder), next((one for one in case.scopes if one in scopes), None)
    if same := [path for path, text in ours.items() if text == expected[path]]:
        yield Finding(COMMANDS, OK, f"{where}: {_typed(folder, same)}")
    if other := [path for path in ours if path not in same]:
        # --force keeps an edited file for uninstall; files without a registration were left behind
        aliases = dict.fromkeys(alias[path] for path in other if path in alias)
        again = ("--force", *(word for name in aliases for word in ("--alias", name)))
        cure = hooks.again(case, *scope, *again) if scope else run("rm", *other)
        yield Finding(COMMANDS, WARNING, f"{where}: from another version, or edited: {_typed(folder, other)}", cure)
    missing = [path for path in plain if path not in ours]
    if missing and scope:
        yield Finding(COMMANDS, WARNING, f"{where}: missing: {_typed(folder, missing)}", hooks.again(case, *scope))
    if left:
        yield Finding(COMMANDS, NOTE, f"{where}: {_typed(folder, left)} is of another version", run("rm", *left))


def _typed(folder: str, paths: Sequence[str]) -> str:
    """Files as what a person types: `commands/untilgreen/loop.md` is /untilgreen:loop."""
    names = []
    for path in paths:
        kind, *rest = os.path.relpath(path, folder).removesuffix(".md").split(os.sep)
        names.append(f"the skill {rest[0]}" if kind == "skills" else "/" + ":".join(rest))
    return ", ".join(names)


def status_line(case: DoctorCase) -> Iterator[Finding]:
    """Whether the status line that the host shows can still run, where it is ours."""
    for host in known():
        settings, health = host.settings(), host.health()
        shown = [one for one in case.files(host) if settings and settings.status_line(one.settings)]
        # the strongest file decides
        if not (shown and settings and health) or settings.status_line(shown[0].settings) != "ours":
            continue
        words, where = shlex.split(health.status_line(shown[0].settings)), case.shown(shown[0].scope.path)
        program = shutil.which(words[0], path=case.env.get("PATH", os.defpath))
        file = words[2:3] if words[1] == "-I" else []
        gone = [path for path in file if not os.path.exists(path)] if program else words[:1]
        cure = f'edit {where}: in statusLine, "command": {json.dumps(shlex.join(command_forms.status_line()))}'
        if gone:
            yield Finding(STATUS_LINE, WARNING, f"it cannot run: {gone[0]} is gone ({where})", cure)
        else:
            yield Finding(STATUS_LINE, OK, f"it shows the loop ({where})")
