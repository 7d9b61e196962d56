"""A green of CI as a bundle of sigstore: signed by who the job is, verified by its own library. Fulcio, its log, Rekor
and the token of a job are answered here, in their documented shapes; nothing of this has met the real service."""

import base64
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509

import sigstores
from in_process import untilgreen
from sigstores import ISSUER, WORKFLOW, Sigstore
from untilgreen.cli.receipts import bundles
from world import BIN, REPOSITORY, World

KIND = "application/vnd.in-toto+json"
Edit = Callable[[dict[str, Any]], object]


class Job:
    """A job of CI on a clean checkout; `bundle`: what it attested."""

    def __init__(self, folder: Path, sigstore: Sigstore) -> None:
        self.world, self.sigstore, self.bundle = World(folder), sigstore, folder / "bundle.json"
        self.config = sigstore.trust(folder / "trust.json")
        self.world.write({"shop.py": "VALUE = 1\n", ".gitignore": ".ruff_cache/\n", "ruff.toml": "line-length = 100\n"})
        self.world.commit()
        self.world.env |= sigstore.env()

    def run(self, *words: str) -> int:
        return untilgreen(self.world, *words, "--trust-config", str(self.config))

    def attest(self) -> int:
        return self.run("check", "--only", "lint", "--attest", str(self.bundle))

    def verify(self, path: Path, who: str = WORKFLOW, issuer: str = ISSUER) -> int:
        return self.run("verify", "--bundle", str(path), "--identity", who, "--issuer", issuer)

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.world.project, env=self.world.env, check=True, capture_output=True
        )
        return done.stdout.decode().strip()


@pytest.fixture(scope="module")
def job(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Job]:
    folder = tmp_path_factory.mktemp("job")
    with sigstores.served() as sigstore:
        made = Job(folder, sigstore)
        assert made.attest() == 0
        yield made
    shutil.rmtree(folder)


def stated(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(base64.b64decode(json.loads(path.read_text())["dsseEnvelope"]["payload"]))
    return found


def test_a_green_of_ci_is_the_statement_of_a_receipt_signed_by_who_the_job_is(job: Job) -> None:
    [(_, certified), (_, logged)] = job.sigstore.asked[:2]
    request = x509.load_pem_x509_csr(base64.b64decode(certified["certificateSigningRequest"]))
    envelope = json.loads(logged["spec"]["proposedContent"]["envelope"])
    assert [path for path, _ in job.sigstore.asked[:2]] == ["/api/v2/signingCert", "/api/v1/log/entries"]
    assert (request.is_signature_valid, request.subject.rfc4514_string()) == (True, "")
    bundle, said = json.loads(job.bundle.read_text()), stated(job.bundle)
    assert (bundle["mediaType"], bundle["dsseEnvelope"]) == ("application/vnd.dev.sigstore.bundle.v0.3+json", envelope)
    assert (envelope["payloadType"], len(envelope["signatures"])) == (KIND, 1)
    commit, tree = job.git("log", "-1", "--format=%H %T").split()
    own = said["predicate"].pop("untilgreen")
    [witness] = own.pop("checks")
    assert said == {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [{"name": "project", "digest": {"gitCommit": commit, "gitTree": tree}}],
        "predicateType": "https://in-toto.io/attestation/test-result/v0.1",
        "predicate": {
            "result": "PASSED",
            "configuration": [
                {"name": "untilgreen", "uri": f"pkg:pypi/untilgreen@{own['release']}"},
                {"name": "ruff.toml", "digest": {"gitBlob": job.git("rev-parse", "HEAD:ruff.toml")}},
            ],
            "passedTests": ["ruff"],
            "warnedTests": [],
            "failedTests": [],
        },
    }
    rest: Any = {"buts": [], "proof": None, "words": [], "loop": "", "start": "", "rounds": 1, "schema_version": 2}
    assert own == {**own, **rest, "ended": "green", "criteria": ["green", "only lint"]}
    assert (witness["name"], witness["outcome"], witness["by"]) == ("ruff", "clean", "untilgreen")


def test_a_bundle_is_verified_by_name_and_issuer_and_for_this_tree_alone(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    assert job.verify(job.bundle) == 0
    commit, tree = job.git("log", "-1", "--format=%h %t", "--abbrev=12").split()
    first, who, *rest = capsys.readouterr().out.splitlines()
    assert (first, who) == ("✓ this tree is green", f"  signed by {WORKFLOW} ({ISSUER})")
    assert rest[1] == f"  commit {commit}, tree {tree}; no loop, one run"
    assert job.verify(job.bundle, who="them@example.invalid") == 1
    assert capsys.readouterr().out.startswith("✗ no allowed signer signed it (Certificate's SANs do not match them@")
    assert job.verify(job.bundle, issuer="https://accounts.example") == 1
    assert capsys.readouterr().out.startswith("✗ no allowed signer signed it (Certificate's OIDCIssuer does not match")
    kept = shutil.copy(job.bundle, job.world.project / "kept.json")  # a file of the receipt's is no part of the tree
    assert job.verify(Path(kept)) == 0
    assert job.verify(job.bundle) == 1
    assert capsys.readouterr().out.splitlines()[5].startswith(f"✗ stale: it is about commit {commit}, and this is")
    Path(kept).unlink()


def test_a_job_at_gitlab_signs_by_the_token_that_it_has(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    github = job.world.env.pop("GITHUB_ACTIONS")
    job.world.env |= {"GITLAB_CI": "true", "SIGSTORE_ID_TOKEN": job.sigstore.token()["value"]}
    code, told = job.attest(), capsys.readouterr().out.splitlines()[-1]
    for name in ("GITLAB_CI", "SIGSTORE_ID_TOKEN"):
        del job.world.env[name]
    job.world.env["GITHUB_ACTIONS"] = github
    assert (code, told) == (0, f"attested: {job.bundle} · --identity {WORKFLOW} --issuer {ISSUER}")


def test_the_page_says_how_a_bundle_is_verified(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    page = (REPOSITORY / "docs" / "ci.md").read_text().replace("OWNER/REPO", "own/shop")
    [typed] = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    _, *words = shlex.split(typed.replace("\\\n", "").replace("untilgreen.sigstore.json", str(job.bundle)))
    assert (job.run(*words), capsys.readouterr().out.splitlines()[0]) == (0, "✓ this tree is green")


def test_the_step_of_the_action_attests_where_it_is_asked_to(job: Job, tmp_path: Path) -> None:
    (tmp_path / "untilgreen" / "bin").mkdir(parents=True)
    typed = tmp_path / "untilgreen" / "bin" / "untilgreen"
    steps = yaml.safe_load((REPOSITORY / "action.yml").read_text())["runs"]["steps"]
    [step] = [one for one in steps if "SIGNERS" in one.get("env", {})]
    env = job.world.env | {"RUNNER_TEMP": str(tmp_path), "GITHUB_STEP_SUMMARY": str(tmp_path / "summary")}
    # the public sigstore is none of ours: what is asked for is
    typed.write_text(
        f'#!/bin/sh\n[ "$1" != check ] || set -- "$@" --trust-config "{job.config}"\nexec "{BIN}/untilgreen" "$@"\n'
    )
    typed.chmod(0o755)
    words = ("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"])
    for attest in ("true", "false"):
        env |= {"SIGNERS": "", "REQUIRED": "false", "TESTS": "false", "ATTEST": attest}
        done = subprocess.run(words, cwd=job.world.project, env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, "attested: " in done.stdout) == (0, attest == "true"), done
    assert job.verify(tmp_path / "untilgreen.sigstore.json") == 0


def of_another_text(bundle: dict[str, Any]) -> None:
    text = base64.b64decode(bundle["dsseEnvelope"]["payload"]).replace(b'"failing":0', b'"failing":1')
    bundle["dsseEnvelope"]["payload"] = base64.b64encode(text).decode()


def of_another_entry(bundle: dict[str, Any]) -> None:
    [entry] = bundle["verificationMaterial"]["tlogEntries"]
    body = base64.b64decode(entry["canonicalizedBody"]).replace(b'"0.0.1"', b'"0.0.2"')
    entry["canonicalizedBody"] = base64.b64encode(body).decode()


def without_a_promise(bundle: dict[str, Any]) -> None:
    del bundle["verificationMaterial"]["tlogEntries"][0]["inclusionPromise"]


@pytest.mark.parametrize(
    ("edit", "code", "said"),
    [
        (of_another_text, 1, "✗ edited: "),
        (of_another_entry, 1, "✗ edited: "),
        (without_a_promise, 64, ""),
    ],
)
def test_an_edited_bundle_is_refused_in_one_line(
    job: Job, tmp_path: Path, capsys: pytest.CaptureFixture[str], edit: Edit, code: int, said: str
) -> None:
    bundle = json.loads(job.bundle.read_text())
    edit(bundle)
    (tmp_path / "edited.json").write_text(json.dumps(bundle))
    assert job.verify(tmp_path / "edited.json") == code
    shown = capsys.readouterr()
    assert (shown.out[: len(said)], (shown.out + shown.err).count("\n")) == (said, 1)


def test_who_may_sign_and_states_no_green_gets_none(
    job: Job, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in job.sigstore.env().items():
        monkeypatch.setenv(name, value)
    without = stated(job.bundle)
    without["predicate"]["untilgreen"]["checks"] = []
    failed = json.loads(json.dumps(without))
    failed["predicate"] |= {"result": "FAILED", "passedTests": []}
    for found in (without, failed, {"_type": "of somebody else"}):
        signed, _ = bundles.sign(json.dumps(found).encode(), bundles.trusted(str(job.config)))
        (tmp_path / "signed.json").write_text(signed)
        capsys.readouterr()
        code, shown = job.verify(tmp_path / "signed.json"), capsys.readouterr()
        told = (code, (shown.out + shown.err)[:36])
        assert told == {
            id(without): (1, "✗ edited: it is not what was signed,"),
            id(failed): (1, "✗ not green: green\n  signed by https"),
        }.get(id(found), (64, "untilgreen failed: this is no receipt"[:36]))


def test_what_cannot_be_attested_is_said_before_the_checks_run(job: Job, capsys: pytest.CaptureFixture[str]) -> None:
    told = []
    for name, value in (("ACTIONS_ID_TOKEN_REQUEST_TOKEN", ""), ("GITHUB_ACTIONS", "")):
        kept = job.world.env[name]
        job.world.env[name] = value
        assert job.attest() == 64
        job.world.env[name] = kept
        told.append(capsys.readouterr())
    give = "Fix: GitHub: permissions: id-token: write; GitLab: id_tokens: SIGSTORE_ID_TOKEN: aud: sigstore\n"
    assert [one.out for one in told] == ["", ""]
    assert told[0].err.startswith(
        "untilgreen failed: there is no identity to sign with: IdentityError: GitHub: missing"
    )
    assert told[0].err.endswith(give)
    why = "untilgreen failed: there is no identity to sign with: this is no job of CI that has one. "
    assert told[1].err == why + give
    job.world.write({"shop.py": "import os\n"})
    assert job.attest() == 64
    fix = "Fix: commit all that git status shows, or ignore it\n"
    assert capsys.readouterr() == ("", f"untilgreen failed: no commit has the tree of this checkout. {fix}")
    job.git("commit", "-qam", "red")
    before = job.bundle.read_text()
    assert job.attest() == 1
    assert capsys.readouterr().out.splitlines()[-1] == "not attested: not green"
    assert job.bundle.read_text() == before
    job.git("reset", "-q", "--hard", "HEAD~1")


def test_a_green_of_files_that_the_checks_wrote_is_not_that_of_the_commit(
    job: Job, capsys: pytest.CaptureFixture[str]
) -> None:
    job.world.write({"untilgreen.toml": '[checks.writes]\ncommand = ["sh", "-c", "echo >>shop.py"]\n'})
    job.world.commit()
    job.world.trust()
    assert job.run("check", "--attest", str(job.bundle)) == 64
    assert capsys.readouterr().err == (
        "untilgreen failed: not attested: the checks changed shop.py. Fix: commit what they write, or stop it\n"
    )
    job.git("reset", "-q", "--hard", "HEAD~1")


def test_without_the_extra_it_names_what_installs_it(world: World) -> None:
    world.write({"hidden/sitecustomize.py": "import sys\nsys.modules['sigstore'] = None\n"})
    done = world.process("untilgreen", "check", "--attest", "x", env={"PYTHONPATH": f"{world.project}/hidden"})
    fix = "untilgreen failed: a bundle needs the package sigstore. Fix: pip install 'untilgreen[attest]'\n"
    assert done == (64, "", fix)
