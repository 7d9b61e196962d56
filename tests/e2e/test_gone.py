"""A registration whose installation is gone: nobody is refused a prompt, and no stop is held."""

import sys
from pathlib import Path
from typing import Any

import pytest

from untilgreen.cli.installing import registration

from .host import NewHost

FORMS = {
    "the package is gone": registration.isolated(sys.executable, "/gone"),
    "the interpreter is gone": registration.isolated("/gone/bin/python", "/gone"),
    "the project's environment is not there": registration.scripts("${CLAUDE_PROJECT_DIR}/.venv/bin/"),
    "the names are not on the PATH": registration.scripts(""),
}


def registered(call: registration.Call) -> dict[str, Any]:
    return {"hooks": {event: [group] for event, group in registration.entries(call).items()}}


@pytest.mark.parametrize("form", FORMS)
def test_a_session_goes_on_as_if_nothing_were_registered(new_host: NewHost, form: str) -> None:
    host = new_host(["Hello."], local=registered(FORMS[form]))
    run = host.run("hello")
    assert (run.code, run.result["result"], len(host.model.main)) == (0, "Hello.", 1)


def test_a_file_that_an_interpreter_does_not_find_refuses_every_prompt(new_host: NewHost, tmp_path: Path) -> None:
    """Why the registered form is not just the file: whoever sees this fail may make it that again."""
    entry = {"type": "command", "command": sys.executable, "args": ["-I", str(tmp_path / "gone.py")], "timeout": 10}
    host = new_host(["Hello."], local={"hooks": {"UserPromptSubmit": [{"hooks": [entry]}]}})
    host.run("hello")
    assert host.model.main == []
