"""What a loop proved, for others: an in-toto Statement, signed by an SSH key, which anybody can check without us."""

import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from in_toto_attestation.predicates.test_result.v0 import test_result_pb2
from in_toto_attestation.v1 import statement_pb2
from in_toto_attestation.v1.resource_descriptor import ResourceDescriptor
from in_toto_attestation.v1.statement import Statement

from proved import WHO, Proved
from untilgreen.core import document
from untilgreen.core.model import receipt as model
from untilgreen.core.model.groups import Against
from untilgreen.core.model.receipt import LoopReceipt, Subject, Witness
from untilgreen.core.model.snapshot import Judgement
from untilgreen.core.words import receipt as words
from untilgreen.state import catalogue

STAYS_SILENT = "#!/bin/sh\nexit 0\n"
Edit = Callable[[dict[str, Any]], object]


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proved]:
    found = Proved(tmp_path_factory.mktemp("proved"))
    assert "no commit has the tree that was judged" in found.world.run("untilgreen", "receipt").stderr
    found.world.commit()
    found.signs(str(found.folder / "key.pub"))
    yield found
    shutil.rmtree(found.folder)


def test_a_receipt_is_a_statement_that_in_totos_own_library_takes(proved: Proved) -> None:
    found = json.loads(proved.world.run("untilgreen", "receipt", "--json").stdout)
    statement = Statement.copy_from_pb(json_format.ParseDict(found, statement_pb2.Statement()))
    statement.validate()
    predicate = found["predicate"]
    said = json_format.ParseDict(predicate, test_result_pb2.TestResult(), ignore_unknown_fields=True)
    for one in said.configuration:
        ResourceDescriptor.copy_from_pb(one).validate()
    commit, tree = proved.run("git", "log", "-1", "--format=%H %T").decode().split()
    assert (statement.pb.predicate_type, dict(statement.pb.subject[0].digest)) == (
        "https://in-toto.io/attestation/test-result/v0.1",
        {"gitCommit": commit, "gitTree": tree},
    )
    assert (said.result, [*said.passed_tests], [*said.failed_tests]) == ("PASSED", ["ruff"], [])
    assert [one.name for one in said.configuration] == ["untilgreen", "ruff.toml"]
    blob = proved.run("git", "rev-parse", "HEAD:ruff.toml").decode().strip()
    assert dict(said.configuration[1].digest) == {"gitBlob": blob}
    own = predicate["untilgreen"]
    assert [(one["name"], one["outcome"], one["by"]) for one in own["checks"]] == [("ruff", "clean", "untilgreen")]
    assert own["checks"][0]["version"][0].isdecimal()
    assert (own["buts"], own["proof"], own["words"], "task" in own) == ([], None, [], False)


def test_a_signed_note_travels_and_is_checked_with_us_and_without_us(proved: Proved) -> None:
    made = proved.world.run("untilgreen", "receipt")
    assert (made.code, made.stdout.split(" · ")[:2], "refs/notes/untilgreen" in made.stdout) == (
        0,
        ["green", "signed"],
        True,
    )
    proved.run("git", "clone", "-q", ".", str(proved.clone))
    assert proved.verify(cwd=proved.clone).stdout.startswith("✗ no receipt: ")
    proved.run("git", "fetch", "-q", "origin", "refs/notes/untilgreen:refs/notes/untilgreen", cwd=proved.clone)
    same = proved.verify(cwd=proved.clone)
    assert (same.code, same.stdout.split("\n")[0]) == (0, "✓ this tree is green")
    assert f"  signed by {WHO} (ED25519 key SHA256:" in same.stdout
    note = proved.run("git", "notes", "--ref=untilgreen", "show", cwd=proved.clone)
    text, begin, rest = note.partition(b"-----BEGIN SSH SIGNATURE-----")
    (proved.folder / "apart.sig").write_bytes(begin + rest)
    words = ("-Y", "verify", "-f", str(proved.allowed), "-I", WHO, "-n", "untilgreen", "-s", "apart.sig")
    assert b'Good "untilgreen" signature' in proved.run("ssh-keygen", *words, cwd=proved.folder, stdin=text)
    (proved.clone / "shop.py").write_text("VALUE = 2\n")
    moved = proved.verify(cwd=proved.clone)
    assert (moved.code, moved.stdout.split(",")[0][:30]) == (1, "✗ stale: it is about commit " + moved.stdout[28:30])
    proved.run("git", "commit", "-qam", "more", cwd=proved.clone)
    told = json.loads(proved.verify("--json", cwd=proved.clone).stdout)
    assert (told["verdict"], told["signer"]["who"], told["receipt"]["ended"]) == ("stale", WHO, "green")


def without_checks(found: dict[str, Any]) -> None:
    found["predicate"]["untilgreen"]["checks"] = []


def without_buts(found: dict[str, Any]) -> None:
    del found["predicate"]["untilgreen"]["buts"]


def of_another_version(found: dict[str, Any]) -> None:
    found["predicate"]["untilgreen"]["checks"][0]["version"] = "9"


@pytest.mark.parametrize("edit", [without_checks, without_buts, of_another_version])
def test_an_edited_receipt_is_refused_in_one_line(proved: Proved, edit: Edit) -> None:
    path, _ = proved.written()
    assert proved.verify(str(path)).code == 0
    found = json.loads(path.read_text())
    edit(found)
    path.write_text(json.dumps(found))
    refused = proved.verify(str(path))
    assert (refused.code, refused.stdout.count("\n"), refused.stdout[:9]) == (1, 1, "✗ edited:")


def test_without_its_signature_nobody_stands_for_it(proved: Proved) -> None:
    path, signature = proved.written()
    signature.unlink()
    answer = proved.verify(str(path))
    assert (answer.code, answer.stdout.split("\n")[0]) == (1, "✗ unsigned: nobody stands for it · it says: green")
    found = json.loads(path.read_text())
    without_checks(found)
    path.write_text(json.dumps(found))
    assert proved.verify(str(path)).stdout.startswith("✗ edited:")  # a green for which no check stands is none


def test_where_git_signs_with_no_ssh_key_it_stays_unsigned_and_says_so(proved: Proved) -> None:
    path, signature = proved.written()
    assert signature.exists()
    proved.run("git", "config", "--global", "gpg.format", "openpgp")
    made = proved.world.run("untilgreen", "receipt", "--out", str(path))
    assert (made.code, " · unsigned, git signs with no SSH key here: " in made.stdout) == (0, True)
    assert signature.read_text() == ""  # that of the file before is gone
    proved.signs(str(proved.folder / "no-such-key"))
    failed = proved.world.run("untilgreen", "receipt", "--out", str(path))
    assert (failed.code, failed.stderr[:53]) == (64, "untilgreen failed: the receipt could not be signed: C")
    proved.signs(str(proved.folder / "key.pub"))


def test_a_key_that_is_not_allowed_is_no_signature(proved: Proved) -> None:
    path, _ = proved.written()
    other = proved.folder / "others"
    other.write_text(proved.allowed.read_text().replace(WHO, "them@example.invalid").replace("AAAAI", "AAAAJ"))
    for options in (("--allowed-signers", str(other)), ()):  # and nobody is known at all
        answer = proved.world.run("untilgreen", "verify", *options, str(path))
        assert (answer.code, "✗ no allowed signer signed it (ED25519 key SHA256:" in answer.stdout) == (1, True)
    (proved.folder / "liar").write_text(STAYS_SILENT)
    (proved.folder / "liar").chmod(0o755)
    proved.run(
        "git", "config", "gpg.ssh.program", str(proved.folder / "liar")
    )  # it says yes to anything, by nobody's name
    answer = proved.verify(str(path))
    proved.run("git", "config", "--unset", "gpg.ssh.program")
    assert (answer.code, "signed by " + WHO in answer.stdout) == (1, False)


def test_what_is_no_receipt_is_refused(proved: Proved, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text('{"schema_version": 1}')
    answer = proved.verify(str(tmp_path / "x.json"))
    assert (answer.code, answer.stderr[:40]) == (64, "untilgreen failed: this is no receipt: K")
    (tmp_path / "endless").symlink_to("/dev/zero")
    assert "has no end" in proved.verify(str(tmp_path / "endless")).stderr
    os.unlink(tmp_path / "endless")


CLEAN, RED = Witness("ruff", "ruff", "1", "clean"), Witness("mypy", "mypy", "1", "found", failing=1)
SKIPS = (Against("suppressed", "skip"),)


@pytest.mark.parametrize(
    ("changes", "result"),
    [
        ({}, "PASSED"),
        ({"buts": SKIPS}, "WARNED"),
        ({"buts": (Against("of a release to come"),)}, "WARNED"),
        ({"checks": (CLEAN, Witness("mypy", "mypy", "", "broken"))}, "WARNED"),
        ({"checks": (CLEAN, RED)}, "FAILED"),
        ({"checks": (CLEAN, RED), "buts": (Against("told", check="mypy"),)}, "WARNED"),
        ({"checks": ()}, "FAILED"),
        ({"checks": (), "words": (Judgement("kind", True, by="oracle"),)}, "PASSED"),
        ({"words": (Judgement("kind", None),)}, "FAILED"),
        ({"ended": "unchecked"}, "FAILED"),
        ({"ended": "stuck"}, "FAILED"),
    ],
)
def test_the_result_follows_from_what_was_judged(changes: dict[str, Any], result: str) -> None:
    green = LoopReceipt(2, "0.1.0", "loop-1", "green", "", 1, "", ("green",), (CLEAN,), (), None)
    found = model.statement(Subject("shop", "a" * 40), [], green._replace(**changes))
    assert found["predicate"]["result"] == result
    assert model.read(found)[1] == green._replace(**changes)
    told = words.verdict(green._replace(**changes), catalogue.english())
    assert told.startswith({"PASSED": "green", "WARNED": "green", "FAILED": "not green"}[result]) or "unchecked" in told
    for other in {"PASSED", "WARNED", "FAILED"} - {result}:
        with pytest.raises(document.Mismatch):
            model.read({**found, "predicate": {**found["predicate"], "result": other}})
