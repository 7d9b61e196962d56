"""The scope and the flags of a project's own call, as the tool is then called; what writes or reports is left out."""

import re

import pytest

from untilgreen import checkers
from untilgreen.checkers.checker import arguments
from untilgreen.core.model.outcome import Setting

TSC = "--noEmit --emitDeclarationOnly false --incremental --tsBuildInfoFile /dev/null --pretty false --diagnostics"
BANDIT = "--exclude=X --recursive"
CARGO = "--quiet --color=never --message-format=json"


@pytest.mark.parametrize(
    ("name", "call", "expected"),
    [
        ("tsc", "tsc -p tsconfig.build.json --noEmit --pretty", f"{TSC} -p tsconfig.build.json"),
        ("tsc", "vue-tsc --build --force", f"{TSC} -p ."),
        ("tsc", "tsc -b packages/a --verbose", f"{TSC} -p packages/a"),
        ("tsc", "tsc --strict true --outDir dist --project lib", f"{TSC} --strict true -p lib"),
        ("tsc", "tsc --noEmit --allowJs src/a.js", f"{TSC} --allowJs src/a.js"),
        ("bandit", "bandit -r src -ll -f json -o out.json", f"--format=json --quiet src -ll {BANDIT}"),
        ("bandit", "bandit -c b.yml -x tests -q .", "--format=json --quiet -c b.yml -x tests . --recursive"),
        ("bandit", "bandit --skip B101 -lll", f"--format=json --quiet --skip B101 -lll {BANDIT} ."),
        ("go-vet", "go vet -tags linux ./pkg/...", "vet -json -tags linux ./pkg/..."),
        ("go-vet", "go vet -tags linux", "vet -json -tags linux ./..."),
        ("go-test", "go test -v -race -short -coverprofile c.out ./pkg/...", "test -json -race -short ./pkg/..."),
        ("go-test", "go test -run ^TestA -p 2", "test -json -run ^TestA ./..."),
        (
            "cargo-clippy",
            "cargo clippy --all-features -- -D warnings",
            f"clippy {CARGO} --all-features -- -D warnings",
        ),
        ("cargo-check", "cargo check --workspace -j 2", f"check {CARGO} --workspace"),
        ("cargo-check", "cargo build --release", f"check --workspace --all-targets {CARGO}"),
        (
            "cargo-test",
            "cargo test --all-features -q -- --nocapture --skip slow",
            "test --no-fail-fast --color=never --message-format=json --all-features -- --skip slow",
        ),
        ("cargo-test", "cargo test --no-run", "None"),
        ("pytest", "pytest --collect-only", "None"),
    ],
)  # fmt: skip
def test_a_call_is_taken_with_its_scope_and_its_flags(name: str, call: str, expected: str) -> None:
    checker = checkers.get(name)
    words = arguments(checker, call.split())
    said = None if words is None else " ".join(checker.argv(Setting(tool="T", root="/project", call=words))[1:])
    assert re.sub(r"--exclude=\S+", "--exclude=X", str(said)) == expected
