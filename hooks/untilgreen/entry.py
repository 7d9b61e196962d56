"""Every process of ours, from its first line to its exit code: the executables, hooks and commands alike.

A hook reads the payload to its end, leaves early where there is nothing to do, and guards the rest: whatever goes
wrong inside, the agent is let go and somebody is told. Only `os` and `sys` are imported here, and the syntax is
that of old interpreters too, so that they can say that they are too old.
"""

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import NoReturn

OLDEST = (3, 11)
_DISABLED = (1, "UNTILGREEN_DISABLE=1")
_OF_RUN = (2, "untilgreen run started this host, and judges when its process ends")
_SWITCHES = ("--host", "--deadline", "--project")
_EDITS = ("lint", "lsp", "ast-grep")  # `post-tool-…`: one call may do the work of several
# commands that hosts or others have, too (`commands.py` of a host); ours by their own name hold "untilgreen:"
_TYPED = b'"prompt":"/'
_PROMPTS = (b'"hook_event_name":"UserPromptSubmit"', b'"hook_event_name":"BeforeAgent"')
_ALIASES = (_TYPED + b"loop", _TYPED + b"ralph", _TYPED + b"cancel-ralph", _TYPED + b"jikime:loop")
_PACKAGES = ("click", "orjson", "pydantic_core", "yaml")  # pydantic 1, which will not do, has no core of its own


def command(name: str) -> int:
    """Run a command that people type, or a hook with words that are no host's; the exit code."""
    if sys.version_info >= OLDEST:
        _settle()
    from untilgreen.settings import packages

    refused = packages.unfit(name)
    if refused is not None:
        return refused
    try:
        from untilgreen import cli

        return cli.main(name)
    except Exception as error:  # noqa: BLE001 of what commands stand on, something cannot be loaded
        sys.stderr.write(f"{name} failed: {type(error).__name__}: {error}\n")
        return 3


def run(name: str) -> "NoReturn":
    """Answer one hook call of the executable `name`; does not return. Whatever fails is met here: see `_fault`."""
    raw = b""
    try:
        options = _switches(name, sys.argv[1:])
        if sys.version_info < OLDEST:
            _leave(0, _too_old(name, b"" if options is None else _read()), "")
        _settle()
        if options is None:  # words that are no host's: somebody typed them
            _leave(command(name), "", "")
        raw = _read()
        code, stdout, stderr = _called(name, raw, options)
    except KeyboardInterrupt:
        code, stdout, stderr = 130, "", ""
    except SystemExit as told:  # `processes.Interrupted`
        signal = getattr(told, "number", 0)
        code, stdout, stderr = 0, _notice(f"{name} was told to end (signal {signal}); nothing was judged"), ""
    except Exception as error:  # noqa: BLE001 the last guard: a fault must neither trap the agent nor pass unseen
        code, stdout, stderr = 0, _fault(name, error, raw), ""
    _leave(code, stdout, stderr)


def _settle() -> None:
    """Undo what a parent may have left behind and what checks would inherit, too: where SIGCHLD is ignored nobody sees
    an exit code, and a blocked signal ends nothing."""
    import _signal  # type: ignore[import-not-found]  # is loaded; `signal` costs more than the hook

    if hasattr(_signal, "pthread_sigmask"):
        _signal.signal(_signal.SIGCHLD, _signal.SIG_DFL)
        _signal.pthread_sigmask(_signal.SIG_SETMASK, ())


def _called(name: str, raw: bytes, options: "dict[str, str]") -> "tuple[int, str, str]":
    """The exit code, stdout and stderr for this payload."""
    from untilgreen.state import call_marks, place

    host, disabled = options.get("host", ""), os.environ.get("UNTILGREEN_DISABLE") == "1"
    base = place.base_here(os.environ, options.get("project", ""), host)
    ended = _DISABLED if disabled else ends(name, raw, os.environ, base, host)
    call_marks.mark(name, raw, os.environ, base, ended, host)
    if os.environ.get("UNTILGREEN_KEEP_PAYLOADS"):
        from untilgreen.state import payloads

        payloads.keep(os.environ["UNTILGREEN_KEEP_PAYLOADS"], name, raw, base)
    if ended:
        return 0, "" if disabled else _unequipped(raw), ""
    if os.name != "posix":
        return 0, _notice("stops are not judged on this system yet"), ""
    import gc

    gc.disable()  # the process ends before there is anything to collect
    from untilgreen.loops.stop import dispatch

    reply = dispatch.answer(name, raw, os.environ, options)
    return reply.code, reply.stdout or _unequipped(raw), reply.stderr


def ends(name: str, raw: bytes, env: "Mapping[str, str]", base: str, host: str) -> "tuple[int, str] | None":
    """The step of the verdict that answers with silence, and why, seen without parsing the payload; None where there is
    more to do. `base`: the state folder. Raises OSError.

    Nothing is to do only where the host names the project and the session in the environment, and the payload is of
    that session.
    """
    from untilgreen import hosts
    from untilgreen.state import call_marks, place

    run = place.run_of(env, base)
    if run and name in ("stop-loop", "session-loop"):
        return _OF_RUN
    session, project_dir = hosts.session(env, host), hosts.project(env, host)
    if not session or not project_dir or session.encode("utf-8", "replace") not in raw:
        return None
    prompt = any(event in raw for event in _PROMPTS)
    if prompt and (b"untilgreen:" in raw or any(alias in raw for alias in _ALIASES)):
        return None
    if not base:
        return None  # nobody knows whose the state is: that is to be said
    there = place.there(base)
    if name not in ("stop-loop", "post-tool-bash") and not prompt:
        return None if there else call_marks.NOTHING
    session, waiting = run or session, os.path.join(base, "next")
    if there and (place.has_loop(base, session) or (prompt and os.path.isdir(waiting) and os.listdir(waiting))):
        return None
    return None if name != "post-tool-bash" and place.is_sealed(env, session) else call_marks.NOTHING


def _read() -> bytes:
    return sys.stdin.buffer.read() if sys.stdin else b""


def _begins(raw: bytes) -> bool:
    """Whether a session begins here: what its user should know is said now, and not again at every stop and edit."""
    begins = b'"hook_event_name":"SessionStart"' in raw
    return begins and b'"source":"compact"' not in raw and b'"source":"clear"' not in raw


def _too_old(name: str, raw: bytes) -> str:
    """The notice of an interpreter too old for us: to a person, at a session's start, and for our typed commands."""
    if b'"session_id"' in raw and not _begins(raw) and _TYPED + b"untilgreen:" not in raw:
        return ""
    from untilgreen.settings import packages

    version = ".".join(str(number) for number in sys.version_info[:2])
    why = f"Python 3.11 or newer is needed, {name} ran on {version}"
    return _notice(f"nothing was judged: {why}. Fix: {packages.cure([])}")


def _unequipped(raw: bytes) -> str:
    """The notice at the start of a session whose Python lacks a package, which is how a plugin may find it."""
    # seen without the import system, which costs more; what is not there may still be, in a way of its own
    if not _begins(raw) or all(any(os.path.isdir(f"{path}/{one}") for path in sys.path) for one in _PACKAGES):
        return ""
    from untilgreen.project import trust
    from untilgreen.settings import packages

    missing = packages.missing()
    if not missing or os.path.exists(os.path.join(trust.folder(os.environ), "off")):
        return ""
    return _notice(f"no loop can begin here and nothing is judged: {missing}")


def _switches(name: str, argv: "list[str]") -> "dict[str, str] | None":
    """The hooks' own switches as a dict, None where somebody typed anything else."""
    options = {}
    rest = list(argv)
    while rest:
        word = rest.pop(0)
        key, given, value = word.partition("=")
        more = key == "--with" and name.startswith("post-tool-") and name[10:] in _EDITS
        if not (more or key in _SWITCHES) or (not given and not rest):
            return None
        options[key[2:]] = value if given else rest.pop(0)
        if more and not set(_EDITS).issuperset(options["with"].split(",")):
            return None
    try:
        return options if float(options.get("deadline", "1")) >= 1 else None
    except ValueError:
        return None


def _fault(name: str, error: Exception, raw: bytes) -> str:
    """The notice of a fault; a shorter one where not even that can be made (no descriptor is left for an import)."""
    try:
        from untilgreen.project.refusals import refused
        from untilgreen.state import log

        where, told = log.fault(name, error, os.environ, raw), refused(error)
        what = told.reason if told else f"a bug in untilgreen: {type(error).__name__}: {error}"
        fix = told.fix if told else f"report it{where}"
        return _notice(f"{name} failed: {what}; the agent was let go unjudged. Fix: {fix}")
    except Exception:  # noqa: BLE001 the guard's own guard
        return f'{{"systemMessage": "untilgreen: {name} failed: {type(error).__name__}; nothing was judged"}}'


def _notice(text: str) -> str:
    # without `json` and what that loads: this is said where nothing can be imported, too
    text = "".join(letter if letter >= " " else "?" for letter in " ".join(text.split()))
    return '{"systemMessage": "untilgreen: ' + text.replace("\\", "\\\\").replace('"', '\\"') + '"}'


def _leave(code: int, stdout: str, stderr: str) -> "NoReturn":
    """Speak, then end at once: the interpreter's own teardown costs more than the hook."""
    for stream, text in ((sys.stdout, stdout), (sys.stderr, stderr)):
        if not stream:
            continue  # the host closed it
        try:
            if text:
                stream.buffer.write((text.rstrip("\n") + "\n").encode("utf-8", "replace"))
            stream.buffer.flush()
        except OSError:
            pass  # the host has gone; the exit code still counts
    os._exit(code)


def _main(answer: "Callable[[str], int]", name: str) -> "Callable[[], int]":
    """What the executable of this name calls; its exit code."""
    return lambda: answer(name)


stop_loop = _main(run, "stop-loop")  # the agent wants to stop; may it?
session_loop = _main(run, "session-loop")  # a session begins or ends, or its user sends a prompt
# the agent wrote a file; what do linters say, what type checkers and compilers (no language server: the name is older),
# what the security rules?
post_tool_lint = _main(run, "post-tool-lint")
post_tool_lsp = _main(run, "post-tool-lsp")
post_tool_ast_grep = _main(run, "post-tool-ast-grep")
post_tool_bash = _main(run, "post-tool-bash")  # a command of the agent's shell is over; while a loop runs it is noted
start_loop = _main(command, "start-loop")  # begin a loop from a shell
cancel_loop = _main(command, "cancel-loop")  # end a loop from a shell
untilgreen = _main(command, "untilgreen")  # what people type
