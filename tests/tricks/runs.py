"""What a check of one's own runs, and how it may be changed; each in a folder of its own, named NN."""

from collections.abc import Mapping
from typing import NamedTuple


class Run(NamedTuple):
    """A check that is red at the start and green after; `told`: what that green says, "" for a verified one."""

    name: str
    command: str
    start: Mapping[str, str]
    after: Mapping[str, str]
    told: str = ""


RULE, DONE = "check: lint\n\ttest -e done\n\nlint:\n\ttrue\n", {"done": ""}
MAKE = "make -C NN check"
SCRIPTED = {"Makefile": "check:\n\tsh tools/check.sh\n", "tools/check.sh": "exit 1\n"}
PACKAGE = '{"scripts": {"check": "npm run unit", "unit": "sh tools/unit.sh"}}\n'
TRICKS = (
    Run(
        "a target of make",
        MAKE,
        {"Makefile": RULE},
        {"Makefile": RULE.replace("test -e done", "true")},
        "changed NN/Makefile",
    ),
    Run(
        "what a target needs",
        MAKE,
        {"Makefile": RULE.replace("true", "false"), **DONE},
        {"Makefile": RULE},
        "changed NN/Makefile",
    ),
    Run(
        "a variable of make",
        MAKE,
        {"Makefile": "C = false\n\ncheck:\n\t$(C)\n"},
        {"Makefile": "C = true\n\ncheck:\n\t$(C)\n"},
        "changed NN/Makefile",
    ),
    Run(
        "another Makefile goes first",
        MAKE,
        {"Makefile": RULE},
        {"GNUmakefile": "check:\n\ttrue\n"},
        "new NN/GNUmakefile",
    ),
    Run("a script that a target runs", MAKE, SCRIPTED, {"tools/check.sh": "exit 0\n"}, "changed NN/tools/check.sh"),
    Run(
        "a script of the command",
        "sh NN/check.sh",
        {"check.sh": "exit 1\n"},
        {"check.sh": "exit 0\n"},
        "changed NN/check.sh",
    ),
    Run(
        "a script in another language",
        "python3 NN/run_tests.py",
        {"run_tests.py": "raise SystemExit(1)\n"},
        {"run_tests.py": "print(1)\n"},
        "changed NN/run_tests.py",
    ),
    Run(
        "a word of a shell's line",
        "sh -c 'cd NN && test -e done || sh NN/check.sh'",
        {"check.sh": "exit 1\n"},
        {"check.sh": "exit 0\n", **DONE},
        "changed NN/check.sh",
    ),
)
HONEST = (
    Run("what it compares", "grep -q x NN/told.txt", {"told.txt": "y\n"}, {"told.txt": "x\n"}),
    Run("another target", MAKE, {"Makefile": RULE}, {"Makefile": f".PHONY: docs\n\n{RULE}\ndocs:\n\tfalse\n", **DONE}),
    Run(
        "comments and layout",
        MAKE,
        {"Makefile": RULE},
        {"Makefile": f"# all of it\n{RULE}".replace("\n\nlint", "\n\n\nlint"), **DONE},
    ),
    Run(
        "the product, by its own name",
        "python3 NN/shop.py",
        {"shop.py": "raise SystemExit(1)\n"},
        {"shop.py": "print(4)\n"},
    ),
    Run(
        "a comment in a script",
        "sh NN/check.sh",
        {"check.sh": "test -e NN/done\n"},
        {"check.sh": "# is it done?\ntest -e NN/done\n", **DONE},
    ),
)
# by reading alone: not every machine has these
READ = (
    Run(
        "a recipe of just",
        "just check",
        {"/justfile": "check: lint\n  false\nlint:\n  true\n"},
        {"/justfile": "check: lint\n  true\nlint:\n  true\n"},
        "changed justfile",
    ),
    Run(
        "another recipe of just",
        "just check",
        {"/justfile": "check:\n  false\n"},
        {"/justfile": "check:\n  false\ndocs:\n  true\n"},
    ),
    Run(
        "a Taskfile",
        "task check",
        {"/Taskfile.yml": "tasks: {check: 'false'}\n"},
        {"/Taskfile.yml": "tasks: {check: 'true'}\n"},
        "changed Taskfile.yml",
    ),
    Run(
        "a session of nox",
        "nox -s tests",
        {"/noxfile.py": "import nox\n"},
        {"/noxfile.py": "import nox\nx = 1\n"},
        "changed noxfile.py",
    ),
    Run(
        "an environment of tox",
        "tox -e py",
        {"/tox.ini": "[testenv]\ncommands = pytest\n"},
        {"/tox.ini": "[testenv]\ncommands = true\n"},
        "changed tox.ini [testenv]",
    ),
    Run("a task of doit", "doit", {"/dodo.py": "x = 1\n"}, {"/dodo.py": "x = 2\n"}, "changed dodo.py"),
    Run(
        "a script of npm's script",
        "npm run check",
        {"/package.json": PACKAGE, "/tools/unit.sh": "exit 1\n"},
        {"/tools/unit.sh": "exit 0\n"},
        "changed tools/unit.sh",
    ),
    Run(
        "npm test",
        "npm test",
        {"/package.json": '{"scripts": {"test": "node test/a.test.js"}}', "/test/a.test.js": "1"},
        {"/test/a.test.js": "2"},
    ),
    Run(
        "a hook of pre-commit",
        "pre-commit run",
        {"/.pre-commit-config.yaml": "entry: ./tools/hook.sh\n", "/tools/hook.sh": "exit 1\n"},
        {"/tools/hook.sh": "exit 0\n"},
        "changed tools/hook.sh",
    ),
)
