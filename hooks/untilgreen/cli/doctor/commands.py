"""The slash commands, the skill and the status line: are they there, and are they those of this version?"""

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence

from untilgreen.cli.doctor import hooks, sources
from untilgreen.cli.doctor.case import DoctorCase
from untilgreen.cli.installing import command_forms, files
from untilgreen.core.findings import NOTE, OK, WARNING, Finding, run
from untilgreen.hosts.host import Source

COMMANDS, STATUS_LINE = "commands", "status line"


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What lies in the folders of the project and of the user."""
    folders: dict[str, list[tuple[str, str]]] = {}
    for host in sources.known():
        settings = host.settings()
        if settings and host.commands():
            for scope in settings.SCOPES:
                folders.setdefault(settings.folder(scope, case.root, case.env), []).append((host.name, scope))
    found = [one for folder, theirs in folders.items() if folder for one in _folder(case, folder, theirs)]
    if found:
        yield from found
    elif any(scope == sources.PLUGIN for _, scope in case.scopes):
        yield Finding(COMMANDS, OK, "they come with the plugin")
    else:
        what = "no slash command of untilgreen is installed here: loops begin in a shell only (start-loop)"
        yield Finding(COMMANDS, WARNING, what, hooks.again(case, *next(iter(case.scopes), hooks.NOWHERE)))


def _folder(case: DoctorCase, folder: str, scopes: Sequence[tuple[str, str]]) -> Iterator[Finding]:
    """`scopes`: whose registration the folder's files belong to."""
    expected = files.templates(folder, files.ALIASES)
    alias = {*expected} - {*files.templates(folder, [])}
    there = {path: text for path in expected if (text := _text(path)) is not None}
    # under the name of an alias anybody may have a command of their own
    ours = {path: text for path, text in there.items() if path not in alias or b"untilgreen" in text}
    own = os.path.join(folder, files.COMMANDS)
    left = [path for name in _names(own) if (path := os.path.join(own, name)) not in expected]
    if not ours and not left:
        return
    where, scope = case.shown(folder), next((one for one in case.scopes if one in scopes), None)
    if same := [path for path, text in ours.items() if text == expected[path]]:
        yield Finding(COMMANDS, OK, f"{where}: {_typed(folder, same)}")
    if other := [path for path in ours if path not in same]:
        # --force keeps an edited file for uninstall; files without a registration were left behind
        again = ("--force", *(word for name in _aliases(folder, other) for word in ("--alias", name)))
        cure = hooks.again(case, *scope, *again) if scope else run("rm", *other)
        yield Finding(COMMANDS, WARNING, f"{where}: from another version, or edited: {_typed(folder, other)}", cure)
    missing = [path for path in expected if path not in ours and path not in alias]
    if missing and scope:
        yield Finding(COMMANDS, WARNING, f"{where}: missing: {_typed(folder, missing)}", hooks.again(case, *scope))
    if left:
        yield Finding(COMMANDS, NOTE, f"{where}: {_typed(folder, left)} is of another version", run("rm", *left))


def _text(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _names(folder: str) -> list[str]:
    return sorted(os.listdir(folder)) if os.path.isdir(folder) else []


def _aliases(folder: str, paths: Sequence[str]) -> list[str]:
    """What `init --alias` calls these files."""
    return [name for name in files.ALIASES if not _alias_files(folder, name).isdisjoint(paths)]


def _alias_files(folder: str, name: str) -> set[str]:
    return {*files.templates(folder, [name])} - {*files.templates(folder, [])}


def _typed(folder: str, paths: Sequence[str]) -> str:
    """Files as what a person types: `commands/untilgreen/loop.md` is /untilgreen:loop."""
    names = []
    for path in paths:
        kind, _, rest = os.path.relpath(path, folder).partition(os.sep)
        skill = f"the skill {rest.partition(os.sep)[0]}"
        names.append(skill if kind == "skills" else "/" + rest.removesuffix(".md").replace(os.sep, ":"))
    return ", ".join(names)


def status_line(case: DoctorCase) -> Iterator[Finding]:
    """Whether the status line that the host shows can still run, where it is ours."""
    for host in sources.known():
        settings, health = host.settings(), host.health()
        if settings and health:
            shown = (one for one in sources.files(host, case.sources) if settings.status_line(one.settings))
            decides = next(shown, None)  # the strongest file
            if decides and settings.status_line(decides.settings) == "ours":
                yield _status_line(case, health.status_line(decides.settings), decides)


def _status_line(case: DoctorCase, command: str, source: Source) -> Finding:
    words, where = shlex.split(command), case.shown(source.scope.path)
    program = shutil.which(words[0], path=case.env.get("PATH", os.defpath))
    file = words[2] if words[1] == "-I" else ""
    gone = words[0] if not program else file if file and not os.path.exists(file) else ""
    if not gone:
        return Finding(STATUS_LINE, OK, f"it shows the loop ({where})")
    line = shlex.join(command_forms.status_line())
    cure = f'edit {where}: in statusLine, "command": {json.dumps(line)}'
    if source.scope.name == "managed":
        cure = hooks.again(case, source.host, "managed")
    return Finding(STATUS_LINE, WARNING, f"it cannot run: {gone} is gone ({where})", cure)
