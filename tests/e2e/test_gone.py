"""A registration whose installation is gone: nobody is refused a prompt, and no stop is held."""

import sys
from pathlib import Path
from typing import Any

import pytest

import cases
from untilgreen import hosts
from untilgreen.cli.installing import command_forms
from untilgreen.hosts.claude_code.install import SETTINGS
from untilgreen.hosts.host import EXECUTABLES, Call

from .host import NewHost

LAUNCHERS = {
    "the package is gone": (sys.executable, "/gone"),
    "the interpreter is gone": ("/gone/bin/python", "/gone"),
    "an interpreter with a space in its path is gone": ("/gone by now/bin/python", "/gone"),
}
FORMS = {
    "the launchers are gone": "/gone/untilgreen/",
    "the project's environment is not there": "${CLAUDE_PROJECT_DIR}/.venv/bin/",
    "the names are not on the PATH": "",
}
# as gone as the others
MORE = (
    "an interpreter with a space in its path is gone",
    "the project's environment is not there",
    "the names are not on the PATH",
)


def registered(call: Call) -> dict[str, Any]:
    return {"hooks": SETTINGS.entries(call)}


@pytest.mark.parametrize("form", cases.but([*LAUNCHERS, *FORMS], MORE))
def test_a_session_goes_on_as_if_nothing_were_registered(new_host: NewHost, tmp_path: Path, form: str) -> None:
    for name in EXECUTABLES if form in LAUNCHERS else ():
        path = tmp_path / "launchers" / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(command_forms.launcher(name, *LAUNCHERS[form]))
        path.chmod(0o755)
    call = command_forms.scripts(FORMS.get(form, f"{tmp_path}/launchers/"), hosts.DEFAULT)
    host = new_host(["Hello."], local=registered(call))
    run = host.run("hello")
    assert (run.code, run.result["result"], len(host.model.main)) == (0, "Hello.", 1)


def test_a_file_that_an_interpreter_does_not_find_refuses_every_prompt(new_host: NewHost, tmp_path: Path) -> None:
    """Why the registered form is not just the file: whoever sees this fail may make it that again."""
    entry = {"type": "command", "command": sys.executable, "args": ["-I", str(tmp_path / "gone.py")], "timeout": 10}
    host = new_host(["Hello."], local={"hooks": {"UserPromptSubmit": [{"hooks": [entry]}]}})
    host.run("hello")
    assert host.model.main == []
