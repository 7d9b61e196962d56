"""The registered commands: do they start, and when did the host call them last? The slash commands and the status line.

Starts only what `init` of this installation would write: nothing else is known to be harmless.
"""

import json
import os
import shlex
import shutil
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from untilgreen import hosts
from untilgreen.cli.doctor import hooks, trial
from untilgreen.cli.doctor.case import DoctorCase, last_words
from untilgreen.cli.installing import command_forms, targets
from untilgreen.cli.installing.targets import Target
from untilgreen.core.findings import BROKEN, NOTE, OK, WARNING, Finding, readable, run
from untilgreen.hosts.hook_rows import EDIT
from untilgreen.hosts.host import PLUGIN, Registered, Source
from untilgreen.state import call_marks, clock

START, CALLS, COMMANDS, STATUS_LINE = "start", "calls", "commands", "status line"
_SHOWN = 200  # characters of what somebody else wrote


def examine(case: DoctorCase) -> Iterator[Finding]:
    """Which commands start, and which do not and why."""
    told, seen = [], set()
    for source, one in case.entries:
        call = (source.scope.path, targets.settings(source.host).line(one.entry))
        if call not in seen:
            seen.add(call)
            told += [(one.hook, found) for found in _of(case, source, one)]
    yield from hooks.together(told)


def _of(case: DoctorCase, source: Source, one: Registered) -> Iterator[Finding]:
    scope = hooks.where(case, source.host, one.scope)
    settings = targets.settings(source.host)
    words = settings.words(one, case.root)
    again = hooks.again(case, source.host, one.scope.name)
    given = os.path.join(case.root, words[0]) if words and os.sep in words[0] else "".join(words[:1])
    found = shutil.which(given, path=case.env.get("PATH", os.defpath))
    program = os.path.abspath(found) if found else ""
    if words and (why := _cannot(words, program)):
        yield Finding(START, BROKEN, f"({scope}) cannot run: {why}", again)
    elif words and _as_init_writes(source.host, one.hook, words, program):
        if case.extent.run:
            yield from _started(case, source.host, scope, (program, *words[1:]))
    elif one.scope.name == PLUGIN:
        yield Finding(START, OK, f"({scope}) belongs to the plugin, and is not started here")
    else:
        what = f"({scope}) is not as init writes it, and was not started: {settings.line(one.entry)[:_SHOWN]}"
        look = f"look at it in {case.shown(one.scope.path)}"
        yield Finding(START, WARNING, what, f"{look}; to have the hook as init writes it, {again}" if again else look)


def _cannot(words: tuple[str, ...], program: str) -> str:
    """Why these words can start nothing, without trying it; "" where they may."""
    named = command_forms.read(program)
    inside = (named.interpreter, os.path.join(named.directory, "untilgreen")) if named else ()
    gone = [path for path in (*filter(os.path.isabs, words), *inside) if not os.path.exists(path)]
    if gone:
        return f"{gone[0]} is gone"
    return "" if program else f"{words[0]} is {'not executable' if os.sep in words[0] else 'not on PATH'}"


def _as_init_writes(host: str, hook: str, words: tuple[str, ...], program: str) -> bool:
    """Whether `init` of this installation would write the same words, but for the deadline."""
    folder = os.path.dirname(sys.executable)
    plain = list(words[1:-2] if words[-2:-1] == ("--deadline",) else words[1:])
    usual = command_forms.scripts("", host)(hook)[1]
    if plain != usual and [hook, *plain] != [EDIT[0], *usual, *EDIT[1:]]:
        return False
    named = command_forms.read(program)
    if named is None:
        return command_forms.same(program, os.path.join(folder, hook))
    # a virtual environment has several names for its interpreter
    python = os.path.dirname(named.interpreter) == folder and command_forms.same(named.interpreter, sys.executable)
    return named.ours and python and command_forms.same(named.directory, os.path.dirname(command_forms.PACKAGE))


def _started(case: DoctorCase, host: str, scope: str, words: tuple[str, ...]) -> Iterator[Finding]:
    answer = case.ask({"hook": words})["hook"]
    code = f"exit code {answer.code}: " if answer.code is not None and answer.stderr.strip() else ""
    lost = command_forms.LOST if command_forms.LOST in answer.stdout else ""
    if why := lost if answer.code == 0 else code + last_words(answer):
        yield Finding(START, BROKEN, f"({scope}) does not start: {why}", "install untilgreen again")
    elif said := answer.stdout.strip()[:_SHOWN]:
        cure = f"{readable(sys.executable)} prints this when it starts: silence what does (sitecustomize, a .pth file)"
        yield Finding(START, BROKEN, f"({scope}) prints what is no answer, and is not understood: {said}", cure)
    else:
        yield Finding(START, OK, f"({scope}) starts in {answer.seconds * 1000:.0f} ms")
        if os.path.basename(words[0]) == "stop-loop" and trial.is_known(host):
            seconds, why = trial.held(host, words, case.env)
            holds = Finding(START, OK, f"({scope}) held a test stop in {seconds * 1000:.0f} ms")
            cure = "install untilgreen again"
            yield Finding(START, BROKEN, f"({scope}) did not hold a test stop: {why}", cure) if why else holds


def calls(case: DoctorCase) -> Iterator[Finding]:
    """When the host last called each hook, by the mark that the call left."""
    for host in dict.fromkeys(source.host for source, _ in case.registered) if os.path.isdir(case.base) else ():
        yield from _calls(case, host)


def _calls(case: DoctorCase, host: str) -> Iterator[Finding]:
    facts, never, usual = hosts.get(host).facts, [], host == hosts.DEFAULT
    by = "" if usual else f" by {facts.title}"
    for hook in dict.fromkeys(one.hook for source, one in case.entries if source.host == host):
        mark = os.path.join(case.base, call_marks.FOLDER, call_marks.of(hook, host))
        if os.path.exists(mark):
            yield Finding(CALLS, OK, f"{hook} was last called{by} at {clock.iso(os.stat(mark).st_mtime)[:19]}Z")
        else:
            never.append(hook)
    if never:
        edit = ", let it edit a file and run a command" if any(hook.startswith("post-tool") for hook in never) else ""
        look = "; /hooks there shows what it has read" if usual else f"; {facts.after_init}" if facts.after_init else ""
        who = "the host" if usual else facts.title
        cure = f"start {who} in {readable(case.root)}, say something{edit}{look}"
        yield Finding(CALLS, NOTE, f"never called yet{by}: {', '.join(never)}", "" if case.refused else cure)


def commands(case: DoctorCase) -> Iterator[Finding]:
    """What lies in the folders of the project and of the user."""
    theirs: dict[tuple[str, ...], list[Target]] = {}  # whose registrations the files belong to
    for target in targets.everywhere(case.present, case.root, case.env):
        if plain := targets.templates(target, case.root, case.env):
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
    more = {name: targets.aliased(target, case.root, env, name) for name in targets.ALIASES}
    alias = {path: name for name, theirs in more.items() for path in theirs}
    expected = targets.templates(target, case.root, env, targets.ALIASES)
    there = {path: Path(path).read_bytes() for path in expected if os.path.isfile(path)}
    # under the name of an alias anybody may have a command of their own
    ours = {path: text for path, text in there.items() if path not in alias or b"untilgreen" in text}
    own = dict.fromkeys(os.path.dirname(path) for path in plain if os.path.dirname(path).endswith(targets.COMMANDS))
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
    for name, settings in targets.known().items():
        shown = [one for one in case.files(hosts.get(name)) if settings.status_line(one.settings)]
        # the strongest file decides
        if not shown or settings.status_line(shown[0].settings) != "ours":
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
