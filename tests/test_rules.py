"""The shipped rules, on samples: the real tool finds what a rule is for, and nothing in what only looks like it.

`rules/LANGUAGE/ID-test.yml` has the form that `ast-grep test` reads, in block style only. What looks like a real
secret is written as `@{a36}`: so many letters and digits (`A`: capitals, `d`: digits; `@{k}`: the words of a key's
header), so that nobody's scanner of repositories stumbles over it.
"""

import itertools
import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from world import BIN, REPOSITORY

RULES = REPOSITORY / "templates" / "rules"
SAMPLES = Path(__file__).parent / "rules"
PREFIXES = {"python": "py", "javascript": "js", "typescript": "ts", "go": "go"}
# the grammar of TSX reads JavaScript too: what is not .ts is the matter of the js- rules
GRAMMARS = {"python": "Python", "javascript": "Tsx", "typescript": "TypeScript", "go": "Go"}
ENDINGS = {"python": (".py",), "javascript": (".js", ".tsx"), "typescript": (".ts",), "go": (".go",)}
FILES = sorted(RULES.glob("*/*.yml"))
PLACE = re.compile(r"@\{([aAdk])(\d*)\}")
POOL = "Qz7Kp3Xv9Lm2Wb8Rt4Ny6Hc5Jd1Gf0Sa"


class Sample(NamedTuple):
    """A piece of code in a file of that name, in which `rule` finds something, or must not."""

    rule: str
    name: str
    text: str
    found: bool


def filled(place: re.Match[str]) -> str:
    if place[1] == "k":
        return "PRIVATE KEY"
    characters = {"a": POOL, "A": re.sub("[a-z]", "", POOL), "d": "7391860254"}[place[1]]
    return "".join(itertools.islice(itertools.cycle(characters), int(place[2])))


def pieces(path: Path) -> Iterator[tuple[str, str]]:
    """("valid" or "invalid", a piece of code) of a file of samples."""
    head, *rest = re.split(r"^(valid|invalid):\n", path.read_text("utf-8"), flags=re.MULTILINE)
    assert head == f"id: {path.name.removesuffix('-test.yml')}\n"
    for kind, body in zip(rest[::2], rest[1::2], strict=True):
        nothing, *samples = re.split(r"^  - \|\n", body, flags=re.MULTILINE)
        assert nothing == ""
        for text in samples:
            yield kind, PLACE.sub(filled, re.sub(r"^    ", "", text, flags=re.MULTILINE))


def samples() -> Iterator[Sample]:
    for path in sorted(SAMPLES.glob("*/*-test.yml")):
        language, rule = path.parent.name, path.name.removesuffix("-test.yml")
        for number, (kind, text) in enumerate(pieces(path)):
            for ending in ENDINGS[language]:
                yield Sample(rule, f"{language}/{rule}-{number}{ending}", text, kind == "invalid")
            # the rules for TypeScript are the same ones, but for JSX, which it does not know
            if language == "javascript" and not re.search(r"</|/>", text):
                twin = "ts" + rule[2:]
                yield Sample(twin, f"javascript/{twin}-{number}.ts", text, kind == "invalid")


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """What the tool says about all samples at once, by file."""
    folder = tmp_path_factory.mktemp("samples")
    for sample in samples():
        path = folder / sample.name
        path.parent.mkdir(exist_ok=True)
        path.write_text(sample.text, "utf-8")
    found: dict[str, list[dict[str, Any]]] = {}
    for language in GRAMMARS:
        words = [str(BIN / "ast-grep"), "scan", "--config", str(RULES / f"{language}.yml"), "--json=compact"]
        done = subprocess.run([*words, "--include-metadata", "."], cwd=folder, capture_output=True, check=False)
        assert done.returncode == 1, done.stderr
        for one in json.loads(done.stdout):
            found.setdefault(one["file"], []).append(one)
    return found


@pytest.mark.parametrize("rule", [path.stem for path in FILES])
def test_a_rule_finds_what_it_is_for_and_nothing_else(rule: str, findings: dict[str, list[dict[str, Any]]]) -> None:
    of_rule = [sample for sample in samples() if sample.rule == rule]
    found = {sample.name: {one["ruleId"] for one in findings.get(sample.name, [])} for sample in of_rule}
    assert found == {sample.name: {rule} if sample.found else set() for sample in of_rule}
    assert min(sum(sample.found for sample in of_rule), sum(not sample.found for sample in of_rule)) >= 3


def test_every_sample_is_one_of_a_rule() -> None:
    assert {sample.rule for sample in samples()} == {path.stem for path in FILES}


def test_a_rule_says_in_one_line_what_is_wrong_and_what_to_do(findings: dict[str, list[dict[str, Any]]]) -> None:
    rules = {one["ruleId"]: one for ones in findings.values() for one in ones}
    for one in rules.values():
        assert re.fullmatch(r"[^\n]{20,140}\.", one["message"]), one["message"]
        assert one["severity"] in ("error", "warning")
        assert re.fullmatch(r"CWE-\d+", one["metadata"]["cwe"])


def test_a_rules_name_says_its_language(findings: dict[str, list[dict[str, Any]]]) -> None:
    languages = {one["ruleId"]: one["language"] for ones in findings.values() for one in ones}
    assert languages == {path.stem: GRAMMARS[path.parent.name] for path in FILES}
    assert {path.stem.partition("-")[0] for path in FILES} == set(PREFIXES.values())
    assert all(path.stem.startswith(PREFIXES[path.parent.name] + "-") for path in FILES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.stem))
def test_a_rules_file_bears_its_name(path: Path) -> None:
    assert path.read_text("utf-8").startswith(f"id: {path.stem}\nlanguage: {GRAMMARS[path.parent.name]}\n")


def test_no_rule_repeats_a_class_of_unicode_by_a_number() -> None:
    """Each repetition is compiled by itself: `[\\w-]{35}` takes 20 ms of every edit. Tokens are ASCII: spell it out."""
    assert [path.name for path in FILES if re.search(r"\\w[^\[\]]*\]?\{\d{2}", path.read_text())] == []


@pytest.mark.parametrize("language", GRAMMARS)
def test_every_rule_is_named_in_the_configuration_of_its_language(language: str) -> None:
    text = (RULES / f"{language}.yml").read_text("utf-8")
    named = re.findall(r"^  - (.+)$", text, re.MULTILINE)
    assert sorted(named) == [path.relative_to(RULES).as_posix() for path in FILES if path.parent.name == language]


def test_typescript_has_the_rules_of_javascript_but_for_those_on_jsx() -> None:
    mine = {path.stem: path.read_text("utf-8") for path in FILES if path.parent.name == "typescript"}
    theirs = {
        path.stem.replace("js-", "ts-", 1): path.read_text("utf-8")
        .replace("id: js-", "id: ts-", 1)
        .replace("language: Tsx", "language: TypeScript", 1)
        for path in FILES
        if path.parent.name == "javascript" and path.stem != "js-dangerous-html"
    }
    assert mine == theirs
