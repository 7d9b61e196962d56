"""ast-grep with the shipped rules, through the installed executables: held, told, mended, released."""

import os
import subprocess

import pytest

from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.core.model.outcome import Found, Output, Setting
from untilgreen.project.files import templates_folder
from world import BIN, Answer, World

pytestmark = pytest.mark.tools("all")

EVAL = "def run(text: str) -> object:\n    return eval(text)\n"
LITERAL = "import ast\n\n\ndef run(text: str) -> object:\n    return ast.literal_eval(text)\n"


def told(answer: Answer) -> list[str]:
    """The lines of the feedback that are the pack's findings, or are about the check itself."""
    lines = [line.strip() for line in answer.stderr.split("\n")]
    rules = (" py-", " js-", " ts-", " go-", "check ast-grep")
    return [line for line in lines if any(rule in line for rule in rules)]


def begin(world: World, files: dict[str, str]) -> None:
    # ruff knows some of the same dangers, and each is told once
    world.write({"untilgreen.toml": "[checks.ruff]\nenabled = false\n", **files})
    world.commit()
    world.start("make it safe", "--zero-security")


def test_a_finding_holds_until_it_is_mended(world: World) -> None:
    begin(world, {"app.py": EVAL})
    held = world.stop()
    assert held.code == 2
    assert told(held) == [
        "app.py:2: py-eval eval and exec run text as code; use ast.literal_eval, json or a table of functions."
    ]
    world.write({"app.py": LITERAL})
    released = world.stop()
    assert (released.code, world.state["final_status"], world.state["verified"]) == (0, "COMPLETE", True)


def test_every_language_of_the_pack_is_looked_at_in_one_run(world: World) -> None:
    begin(
        world,
        {
            "app.py": EVAL,
            "web/page.jsx": "document.write(location.hash);\n",
            "web/list.ts": "const a = <any>b;\neval(a);\n",
            "cmd/main.go": "package main\n\nvar c = tls.Config{InsecureSkipVerify: true}\n",
        },
    )
    held = world.stop()
    assert sorted(line.split(" ")[1] for line in told(held)) == [
        "go-tls-verify-off",
        "js-inner-html",
        "py-eval",
        "ts-eval",
    ]


def test_nothing_is_looked_at_where_nobody_asked_for_security(world: World) -> None:
    world.write({"app.py": EVAL})
    world.commit()
    world.start("do something")
    world.write({"more.py": "VALUE = 1\n"})
    released = world.stop()
    assert (released.code, world.state["final_status"]) == (0, "COMPLETE")


def test_the_projects_own_configuration_is_not_read(world: World) -> None:
    begin(world, {"app.py": EVAL, "sgconfig.yml": "ruleDirs: [none]\ncustomLanguages: 1\n"})
    assert [line.split(" ")[:2] for line in told(world.stop())] == [["app.py:2:", "py-eval"]]


def test_a_program_of_another_package_with_the_short_name_is_not_taken_for_it(world: World) -> None:
    # stock Linux has an "sg" that runs a command under another group
    folder = world.tmp / "bin"
    folder.mkdir()
    (folder / "sg").write_text("#!/bin/sh\nexit 0\n")
    (folder / "sg").chmod(0o755)
    world.env["PATH"] = f"{folder}{os.pathsep}{world.env['PATH']}"
    begin(world, {"app.py": EVAL})
    assert world.stop().code == 2


def test_ignored_and_foreign_files_are_passed_over(world: World) -> None:
    begin(
        world,
        {
            ".gitignore": "made/\n",
            ".ignore": "app.py\n",
            "app.py": EVAL,
            "made/a.py": EVAL,
            "vendor/a.py": EVAL,
            "static/a.min.js": "eval(a);\n",
        },
    )
    assert [line.split(" ")[:2] for line in told(world.stop())] == [["app.py:2:", "py-eval"]]


def test_the_rules_are_found_in_an_environment_that_the_project_ignores(world: World) -> None:
    """A project's virtual environment lies below its root as a rule: git ignores it, and the tool heeds that."""
    world.write({".gitignore": "*\n!app.py\n", "app.py": EVAL})
    place = world.project / ".venv" / "templates"
    place.mkdir(parents=True)
    subprocess.run(["cp", "-r", os.path.join(templates_folder(), "rules"), str(place)], check=True)
    world.commit()
    checker = checkers.get("ast-grep")
    setting = Setting(str(BIN / "ast-grep"), str(world.project), variant="python")
    words = [
        str(place / "rules" / "python.yml") if word.endswith("python.yml") else word for word in checker.argv(setting)
    ]
    done = subprocess.run(words, cwd=world.project, capture_output=True, text=True, check=False)
    found = outcome(checker, Output(done.returncode, done.stdout, done.stderr), setting)
    assert isinstance(found, Found)


@pytest.mark.parametrize("comment", ["# ast-grep-ignore: py-eval", "# ast-grep-ignore"])
def test_a_comment_suppresses_a_finding(world: World, comment: str) -> None:
    begin(world, {"app.py": EVAL})
    world.write({"app.py": EVAL.replace("eval(text)", f"eval(text)  {comment}")})
    assert told(world.stop()) == []


@pytest.mark.parametrize("name", ["app.py", "--config=app.py"])
def test_an_edit_is_looked_at_by_its_file_alone(world: World, name: str) -> None:
    begin(world, {"other.py": EVAL, name: "VALUE = 1\n"})
    answer = world.edit(name, EVAL, hook="post-tool-ast-grep")
    assert answer.code == 0
    assert f"{name}:2:12: py-eval " in answer.stdout
    assert "other.py" not in answer.stdout
