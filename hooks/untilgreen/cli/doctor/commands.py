"""The slash commands, the skill and the status line: are they there, and are they those of this version?"""

import json
import os
import shlex
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

from untilgreen.cli.doctor import hooks
from untilgreen.cli.doctor.case import DoctorCase, known
from untilgreen.cli.installing import command_forms, files, targets
from untilgreen.cli.installing.targets import Target
from untilgreen.core.findings import NOTE, OK, WARNING, Finding, run
from untilgreen.hosts.host import PLUGIN

COMMANDS, STATUS_LINE = "commands", "status line"


def examine(case: DoctorCase) -> Iterator[Finding]:
    """What lies in the folders of the project and of the user."""
    theirs: dict[tuple[str, ...], list[Target]] = {}  # whose registrations the files belong to
    for target in targets.everywhere(case.present, case.root, case.env):
        if plain := files.templates(target, case.root, case.env):
            theirs.setdefault(tuple(plain), []).append(target)
    found = [one for plain, some in theirs.items() for one in _folder(case, plain, some)]
    yield from found
    if not found and any(scope == PLUGIN for _, scope in case.scopes):
        yield Finding(COMMANDS, OK, "they come with the plugin")
    elif not found and theirs:
        what = "no slash command of untilgreen is installed here: loops begin in a shell only (start-loop)"
        yield Finding(COMMANDS, WARNING, what, hooks.again(case, *next(iter(case.scopes), hooks.NOWHERE)))


def _folder(case: DoctorCase, plain: Sequence[str], some: Sequence[Target]) -> Iterator[Finding]:
    target, env = some[0], case.env
    more = {name: files.aliased(target, case.root, env, name) for name in files.ALIASES}
    alias = {path: name for name, theirs in more.items() for path in theirs}
    expected = files.templates(target, case.root, env, files.ALIASES)
    there = {path: Path(path).read_bytes() for path in expected if os.path.isfile(path)}
    # under the name of an alias anybody may have a command of their own
    ours = {path: text for path, text in there.items() if path not in alias or b"untilgreen" in text}
    own = dict.fromkeys(os.path.dirname(path) for path in plain if os.path.dirname(path).endswith(files.COMMANDS))
    names = [os.path.join(one, name) for one in own if os.path.isdir(one) for name in sorted(os.listdir(one))]
    left = [path for path in names if path not in expected]
    if not ours and not left:
        return
    where = case.shown(os.path.commonpath([os.path.dirname(path) for path in plain]))
    scope = next((one for one in case.scopes if one in [(each.host, each.scope.name) for each in some]), None)
    if same := [path for path, text in ours.items() if text == expected[path]]:
        yield Finding(COMMANDS, OK, f"{where}: {_typed(case, same)}")
    if other := [path for path in ours if path not in same]:
        # --force keeps an edited file for uninstall; files without a registration were left behind
        aliases = dict.fromkeys(alias[path] for path in other if path in alias)
        again = ("--force", *(word for name in aliases for word in ("--alias", name)))
        cure = hooks.again(case, *scope, *again) if scope else run("rm", *other)
        yield Finding(COMMANDS, WARNING, f"{where}: from another version, or edited: {_typed(case, other)}", cure)
    missing = [path for path in plain if path not in ours]
    if missing and scope:
        yield Finding(COMMANDS, WARNING, f"{where}: missing: {_typed(case, missing)}", hooks.again(case, *scope))
    if left:
        yield Finding(COMMANDS, NOTE, f"{where}: {_typed(case, left)} is of another version", run("rm", *left))


def _typed(case: DoctorCase, paths: Sequence[str]) -> str:
    """Files as what a person types: `commands/untilgreen/loop.md` is /untilgreen:loop."""
    names = []
    for path in paths:
        _, command, rest = path.rpartition(f"{os.sep}commands{os.sep}")
        _, skill, name = path.rpartition(f"{os.sep}skills{os.sep}")
        if command:
            names.append("/" + os.path.splitext(rest)[0].replace(os.sep, ":"))
        else:
            names.append(f"the skill {name.partition(os.sep)[0]}" if skill else case.shown(path))
    return ", ".join(names)


def status_line(case: DoctorCase) -> Iterator[Finding]:
    """Whether the status line that the host shows can still run, where it is ours."""
    for host in known():
        settings = host.settings()
        shown = [one for one in case.files(host) if settings and settings.status_line(one.settings)]
        # the strongest file decides
        if not (shown and settings) or settings.status_line(shown[0].settings) != "ours":
            continue
        words, where = shlex.split(shown[0].settings[settings.LINE]["command"]), case.shown(shown[0].scope.path)
        program = shutil.which(words[0], path=case.env.get("PATH", os.defpath))
        file = words[2:3] if words[1] == "-I" else []
        gone = [path for path in file if not os.path.exists(path)] if program else words[:1]
        cure = f'edit {where}: in statusLine, "command": {json.dumps(shlex.join(command_forms.status_line()))}'
        if gone:
            yield Finding(STATUS_LINE, WARNING, f"it cannot run: {gone[0]} is gone ({where})", cure)
        else:
            yield Finding(STATUS_LINE, OK, f"it shows the loop ({where})")
