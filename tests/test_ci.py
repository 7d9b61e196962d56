"""On a clean checkout: the receipt and the checks of it agree or differ, forges read what is left, and a pull request
has one comment. The forge's API is answered here, in its documented shapes; the Action's own script runs."""

import json
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Iterator, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml
from jsonschema import Draft4Validator  # type: ignore[import-untyped]

import pictures
from proved import WHO, Proved
from untilgreen.cli.ci import reports
from untilgreen.cli.receipts.signatures import Signer
from untilgreen.cli.receipts.verify import Verified
from untilgreen.core.model import outcome
from untilgreen.core.model.check import Absent, Check
from untilgreen.core.model.outcome import Broken, Clean, Diagnostic, Found
from untilgreen.core.model.receipt import LoopReceipt, Subject, Witness
from untilgreen.core.model.snapshot import Item, Snapshot
from untilgreen.loops.begin.first_look import Checked
from world import BIN, REPOSITORY, Answer, World

# of OASIS, "Static Analysis Results Interchange Format (SARIF) Version 2.1.0 Plus Errata 01"
SARIF = Draft4Validator(json.loads((Path(__file__).parent / "schemas" / "sarif-2.1.0.json").read_text()))
ACTION = yaml.safe_load((REPOSITORY / "action.yml").read_text())
NOTES = "refs/notes/untilgreen:refs/notes/untilgreen"


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proved]:
    """Somebody else's checkout of a commit with a receipt."""
    found = Proved(tmp_path_factory.mktemp("ci"))
    found.world.commit()
    found.signs(str(found.folder / "key.pub"))
    assert found.world.run("untilgreen", "receipt").code == 0
    found.run("git", "clone", "-q", ".", str(found.clone))
    found.world.run("untilgreen", "trust", "--project", str(found.clone))
    yield found
    shutil.rmtree(found.folder)


def again(proved: Proved, *words: str) -> Answer:
    signers = ("--allowed-signers", str(proved.allowed))
    return proved.world.run("untilgreen", "check", "--receipt", *signers, *words, cwd=proved.clone)


def test_the_same_tree_has_the_same_verdict_or_it_is_told_where_they_differ(proved: Proved) -> None:
    proved.run("git", "update-ref", "-d", "refs/notes/untilgreen", cwd=proved.clone)  # of a test before this one
    none = again(proved)
    assert (none.code, none.stdout.splitlines()[-1][:51]) == (0, "green here; no receipt to compare with: no receipt:")
    proved.run("git", "fetch", "-q", "origin", NOTES, cwd=proved.clone)
    same = again(proved, "--json")
    assert (same.code, same.stderr) == (0, f"same tree, same verdict: green (signed by {WHO})\n")
    programs = proved.folder / "others"  # another ruff, that finds something
    programs.mkdir()
    (programs / "ruff").write_text(f'#!/bin/sh\nexec "{BIN / "ruff"}" "$@" --select D100\n')
    (programs / "ruff").chmod(0o755)
    path = f"{programs}{os.pathsep}{proved.world.env['PATH']}"
    report = proved.folder / "report.md"
    signers = ("--allowed-signers", str(proved.allowed))
    words = ("untilgreen", "check", "--receipt", *signers, "--report", str(report))
    other = proved.world.run(*words, cwd=proved.clone, env={"PATH": path})
    told = f"same tree, another verdict: green in the receipt, not green here (signed by {WHO})"
    assert (other.code, other.stdout.splitlines()[-2:]) == (1, [told, "ruff: clean in the receipt, 1 left here"])
    assert report.read_text().startswith("### untilgreen: same tree, another verdict: green in the receipt, not green")
    assert "shop.py:1:1 ruff D100: Missing docstring in public module" in report.read_text()


def test_what_did_not_run_here_is_no_same_verdict() -> None:
    clean = (Witness("ruff", "ruff", "1", "clean"),)
    receipt = LoopReceipt(2, "0.1.0", "loop-1", "green", "", 1, "", ("green",), clean, (), None)
    verified = Verified("verified", (), Signer("signed", WHO), Subject("shop", "a" * 40), receipt)
    ruff = (Check("ruff", "ruff", ".", "static", ""), Clean())
    untrusted = (Check("mypy", "mypy", ".", "static", ""), Absent("untrusted", "mypy"))
    told = [*reports.compared(verified, Checked("green", (ruff, untrusted), Snapshot(1, ""), ()))]
    here = "green, but not trusted, mypy did not run (`untilgreen trust`) here"
    assert told == [
        f"same tree, another verdict: green in the receipt, {here} (signed by {WHO})",
        "mypy: not run in the receipt, absent here",
    ]


CHECKED = Checked(
    "red",
    (
        (Check("ruff", "ruff", ".", "static", ""), Found((Diagnostic("ruff", "a b.py", 1, "F401", "error", "x"),))),
        (Check("pytest", "pytest", ".", "tests", ""), Found((), outcome.Tests(9, 1))),
        (Check("mypy", "mypy", ".", "static", ""), Broken("it crashed")),
        (Check("tsc", "tsc", ".", "static", ""), Absent("missing", "tsc")),
        (Check("eslint", "eslint", ".", "static", ""), Clean()),
    ),
    Snapshot(
        1,
        "",
        items=(
            Item("1", "error", "static", "ruff", "a b.py:3: F401 `os` \x00 & <unused>", "a b.py", 3, "F401", 8),
            Item("2", "warning", "static", "ruff", "nowhere", rule="W1"),
            Item("3", "test", "tests", "pytest", "t.py:4: test_x assert 1 == 3\n\x1b[1m]", "t.py", 4, "test_x"),
            Item("4", "check", "static", "mypy", "check mypy: it crashed"),
            Item("5", "error", "static", "ruff", "\udcff.py:1: E1 x", "\udcff.py", 1, "E1"),
        ),
    ),
    (),
)


def test_what_is_left_is_valid_sarif() -> None:
    found = json.loads(reports.sarif(CHECKED))
    assert [one.message for one in SARIF.iter_errors(found)] == []
    results = found["runs"][0]["results"]
    assert [(one["ruleId"], one["level"], len(one["locations"])) for one in results] == [
        ("ruff/F401", "error", 1),
        ("ruff/W1", "warning", 0),
        ("pytest/test", "error", 1),
        ("mypy", "error", 0),
        ("ruff/E1", "error", 1),
    ]
    assert results[0]["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "a%20b.py"},
        "region": {"startLine": 3, "startColumn": 8},
    }
    assert SARIF.is_valid(json.loads(reports.sarif(Checked("green", (), Snapshot(1, ""), ()))))


def test_what_is_left_is_junit_with_a_suite_for_each_check() -> None:
    suites = ET.fromstring(reports.junit(CHECKED))
    told = [(one.get("name"), one.get("tests"), one.get("failures"), one.get("errors")) for one in suites]
    assert told == [("ruff", "3", "3", "0"), ("pytest", "1", "1", "0"), ("mypy", "1", "0", "1")] + [
        (name, "1", "0", "0") for name in ("tsc", "eslint")
    ]
    assert [(one.get("file"), one.get("line"), one.get("name")) for one in suites.iter("testcase")][3] == (
        *("t.py", "4"),
        "test_x",
    )
    assert [one.get("message") for one in suites.iter("skipped")] == ["tsc is not installed"]


def test_check_writes_the_forms_it_is_asked_for(red: World) -> None:
    names = {name: str(red.home / name) for name in ("sarif", "junit", "report")}
    answer = red.run("untilgreen", "check", *(word for name, path in names.items() for word in (f"--{name}", path)))
    assert answer.code == 1
    found = json.loads(Path(names["sarif"]).read_text())
    assert SARIF.is_valid(found)
    [result] = found["runs"][0]["results"]
    assert (result["ruleId"], ET.parse(names["junit"]).getroot()[0].get("failures")) == ("ruff/F401", "1")
    assert Path(names["report"]).read_text().startswith("### untilgreen: not green\n")


def test_the_picture_of_the_pages_shows_what_is_printed(proved: Proved) -> None:
    proved.run("git", "fetch", "-q", "origin", NOTES, cwd=proved.clone)
    signers = ("--allowed-signers", str(proved.allowed))
    screen = ""
    for words, where in (
        (("untilgreen", "receipt"), proved.world.project),
        (("untilgreen", "verify", *signers), proved.clone),
        (("untilgreen", "check", "--receipt", *signers), proved.clone),
    ):
        said = proved.world.run(*words, cwd=where).stdout
        shown = " ".join(words).replace(str(proved.allowed), "allowed_signers")
        screen += f"\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT} {shown}\n{said}\n"
    for shape, fixed in (
        (r"\b[0-9a-f]{12}\b", "7a2c19f0b3de"),
        (r"SHA256:\S{43}", "SHA256:l9XkQ…"),
        (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-11-28T20:04:01Z"),
        (r"ruff \d+\.\d+\.\d+", "ruff 0.17.6"),
    ):
        screen = re.sub(shape, fixed, screen)
    golden = pictures.SCREENS / "receipt.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(screen)
    assert screen == golden.read_text()


# --- one comment ------------------------------------------------------------------------------------------------


class Forge(ThreadingHTTPServer):
    """Issue comments of one repository, as the REST API of GitHub answers for them."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.comments: list[dict[str, Any]] = []
        self.asked: list[tuple[str, str, str | None]] = []
        self.refuses = 0  # with this status

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"

    def said(self, body: str, kind: str = "User") -> None:
        number = len(self.comments) + 1
        url = f"https://forge.invalid/own/shop/pull/7#issuecomment-{number}"
        self.comments.append({"id": number, "body": body, "html_url": url, "user": {"login": "x", "type": kind}})


class _Answers(BaseHTTPRequestHandler):
    server: Forge

    def do_GET(self) -> None:
        path, _, query = self.path.partition("?")
        asked = dict(part.split("=") for part in query.split("&"))
        first = (int(asked["page"]) - 1) * int(asked["per_page"])
        self.answer(path, self.server.comments[first : first + int(asked["per_page"])])

    def do_POST(self) -> None:
        self.server.said(self.body(), "Bot")
        self.answer(self.path, self.server.comments[-1], 201)

    def do_PATCH(self) -> None:
        number = int(self.path.rpartition("/")[2])
        self.server.comments[number - 1]["body"] = self.body()
        self.answer(self.path, self.server.comments[number - 1])

    def body(self) -> str:
        return str(json.loads(self.rfile.read(int(self.headers["Content-Length"])))["body"])

    def answer(self, path: str, document: Any, status: int = 200) -> None:
        self.server.asked.append((self.command, path, self.headers["Authorization"]))
        data = json.dumps(document).encode()
        self.send_response(self.server.refuses or status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def forge() -> Iterator[Forge]:
    with Forge() as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        yield server
        server.shutdown()


def pull(head: str | None) -> dict[str, Any]:
    """The documented event, as far as anybody here reads it; `head`: the repository that it comes from, None: gone."""
    there = {"ref": "fix", "sha": "b" * 40, "repo": head and {"full_name": head, "fork": head != "own/shop"}}
    base = {"ref": "main", "sha": "a" * 40, "repo": {"full_name": "own/shop", "fork": False}}
    return {"action": "synchronize", "number": 7, "pull_request": {"number": 7, "head": there, "base": base}}


PUSH = {"ref": "refs/heads/main", "after": "b" * 40, "repository": {"full_name": "own/shop"}}
COMMENTS, COMMENT = "/repos/own/shop/issues/7/comments", "/repos/own/shop/issues/comments"
TOKEN = "Bearer ghs_x"


def comment(world: World, forge: Forge, event: Mapping[str, Any], text: str, token: str = "ghs_x") -> Answer:
    world.write({"../event.json": json.dumps(event), "../report.md": text})
    env = {"GITHUB_EVENT_PATH": "../event.json", "GITHUB_API_URL": forge.url, "GITHUB_TOKEN": token}
    return world.run("untilgreen", "comment", "../report.md", env=env)


def test_a_pull_request_has_one_comment_that_is_updated_and_never_doubled(world: World, forge: Forge) -> None:
    for number in range(120):  # on two pages
        forge.said(f"remark {number} > <!-- untilgreen: report -->")
    first = comment(world, forge, pull("own/shop"), "red")
    assert (first.code, first.stdout[:19]) == (0, "untilgreen: posted ")
    forge.said("thanks")
    second = comment(world, forge, pull("own/shop"), "green")
    assert (second.code, second.stdout[:20]) == (0, "untilgreen: updated ")
    ours = [one for one in forge.comments if one["body"].startswith("<!-- untilgreen")]
    assert [one["body"] for one in ours] == ["<!-- untilgreen: report -->\ngreen"]
    assert forge.asked == [
        *[("GET", COMMENTS, TOKEN)] * 2,
        ("POST", COMMENTS, TOKEN),
        *[("GET", COMMENTS, TOKEN)] * 2,
        ("PATCH", f"{COMMENT}/121", TOKEN),
    ]
    comment(world, forge, pull("own/shop"), "green")  # nothing is new
    assert forge.asked[-1][0] == "GET"


def test_a_comment_of_a_person_with_our_mark_is_left_alone_where_ours_is_there(world: World, forge: Forge) -> None:
    forge.said("<!-- untilgreen: report -->\nall is well, believe me")
    forge.said("<!-- untilgreen: report -->\nred", "Bot")
    comment(world, forge, pull("own/shop"), "green")
    assert [one["body"].partition("\n")[2] for one in forge.comments] == ["all is well, believe me", "green"]


@pytest.mark.parametrize(
    ("event", "token", "why"),
    [
        (pull("them/shop"), "ghs_x", "the pull request is from a fork"),
        (pull(None), "ghs_x", "the pull request is from a fork"),
        (PUSH, "ghs_x", "no pull request"),
        (pull("own/shop"), "", "GITHUB_TOKEN is not set"),
    ],
)
def test_without_rights_nothing_is_asked_and_nothing_posted(
    world: World, forge: Forge, event: Mapping[str, Any], token: str, why: str
) -> None:
    answer = comment(world, forge, event, "red", token)
    assert (answer, forge.asked) == ((0, f"untilgreen: nothing posted: {why}\n", ""), [])


def test_a_forge_that_refuses_is_told_and_does_not_turn_the_job_red(world: World, forge: Forge) -> None:
    forge.refuses = 403
    answer = comment(world, forge, pull("own/shop"), "red")
    assert (answer.code, answer.stderr[:53]) == (0, "untilgreen: nothing posted: HTTP Error 403: Forbidden")
    assert "ghs_x" not in answer.stderr


# --- the action -------------------------------------------------------------------------------------------------


def test_the_action_and_the_workflows_that_the_page_shows_are_what_actionlint_takes(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs" / "ci.md").read_text()
    workflow, gitlab, signed, also = re.findall(r"^```yaml\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    for job in (gitlab, also):
        assert [type(line) for line in yaml.safe_load(job)["green"]["script"]] == [str]
    (tmp_path / ".git").mkdir()
    (tmp_path / ".github" / "workflows").mkdir(parents=True)
    shutil.copy(REPOSITORY / "action.yml", tmp_path)
    for name, text in (("green", workflow), ("signed", signed)):
        uses = re.search(r"uses: (\S+/untilgreen@\S+)", text)
        assert uses
        (tmp_path / ".github" / "workflows" / f"{name}.yml").write_text(text.replace(uses[1], "./"))
    linted = subprocess.run([BIN / "actionlint"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (linted.returncode, linted.stdout, linted.stderr) == (0, "", "")
    for step in ACTION["runs"]["steps"]:
        assert "${{" not in step["run"], "what a pull request names is no part of a script"
        script = f"#!/bin/bash\n{step['run']}"
        checked = subprocess.run([BIN / "shellcheck", "-"], input=script, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stdout) == (0, ""), step["name"]


def test_the_steps_of_the_action_run_as_a_runner_runs_them(proved: Proved, tmp_path: Path) -> None:
    for name in ("untilgreen/bin", "home"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "untilgreen" / "bin" / "untilgreen").symlink_to(BIN / "untilgreen")
    checkout, [step] = (
        tmp_path / "checkout",
        [one for one in ACTION["runs"]["steps"] if "SIGNERS" in one.get("env", {})],
    )
    proved.run("git", "clone", "-q", "--depth=1", f"file://{proved.world.project}", str(checkout))
    env = proved.world.env | {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    env |= {"SIGNERS": proved.allowed.read_text(), "REQUIRED": "true", "TESTS": "false", "HOME": str(tmp_path / "home")}
    words = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"])
    done = subprocess.run(words, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, f"same tree, same verdict: green (signed by {WHO})")
    assert "### untilgreen: same tree, same verdict: green" in (tmp_path / "summary").read_text()
    (checkout / "shop.py").write_text("import os\n")
    done = subprocess.run(words, cwd=checkout, env=env, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.splitlines()[0][:8]) == (1, "✗ stale:")
    assert SARIF.is_valid(json.loads((tmp_path / "untilgreen.sarif").read_text()))
