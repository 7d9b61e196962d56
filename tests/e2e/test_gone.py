"""A registration whose installation is gone: nobody is refused a prompt, and no stop is held."""

import sys
from pathlib import Path
from typing import Any

import pytest

from untilgreen import hosts
from untilgreen.cli.installing import command_forms
from untilgreen.hosts.claude_code import settings
from untilgreen.hosts.host import Call

from .host import NewHost

FORMS = {
    "the package is gone": command_forms.isolated(sys.executable, "/gone", hosts.DEFAULT),
    "the interpreter is gone": command_forms.isolated("/gone/bin/python", "/gone", hosts.DEFAULT),
    "the project's environment is not there": command_forms.scripts("${CLAUDE_PROJECT_DIR}/.venv/bin/", hosts.DEFAULT),
    "the names are not on the PATH": command_forms.scripts("", hosts.DEFAULT),
}


def registered(call: Call) -> dict[str, Any]:
    return {"hooks": {event: [group] for event, group in settings.entries(call).items()}}


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
