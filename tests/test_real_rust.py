"""Loops of Rust projects, with the cargo of this machine."""

import pytest

from rust import with_cargo
from test_real_go import check_stop
from world import World

pytestmark = pytest.mark.needs("cargo")

MANIFEST = '[package]\nname = "{}"\nversion = "0.1.0"\nedition = "2021"\n'
LIB = "pub fn total(prices: &[i32]) -> i32 {\n    prices.iter().sum()\n}\n"
TEST = "\n#[test]\nfn adds() {\n    assert_eq!(total(&[1, 2]), 3);\n}\n"
IGNORED = {".gitignore": "target\nCargo.lock\n"}


@pytest.fixture
def crab(world: World) -> World:
    """A world in which cargo works."""
    return with_cargo(world)


def test_a_loop_holds_until_a_crate_compiles_and_its_tests_pass(crab: World) -> None:
    wrong = LIB.replace("sum()", "product()")
    crab.write(
        {"Cargo.toml": MANIFEST.format("shop"), "src/lib.rs": wrong.replace("prices.iter().product()", '"text"') + TEST}
    )
    crab.write(IGNORED)
    crab.commit()
    crab.start("mend it", "--tests-pass", "--criteria", "type_check")
    check_stop(crab, True, {"cargo-check": "found", "cargo-test": "found"}, "src/lib.rs:2: E0308 ")
    crab.write({"src/lib.rs": wrong + TEST})
    check_stop(crab, True, {"cargo-check": "clean", "cargo-test": "found"}, "src/lib.rs:7: adds assertion")
    crab.write({"src/lib.rs": LIB + TEST})
    check_stop(crab, False, {"cargo-check": "clean", "cargo-test": "clean"})
    assert (crab.state["stop_reason"], crab.state["verified"]) == ("complete", True)


def test_findings_in_a_member_of_a_workspace_are_told_from_the_root(crab: World) -> None:
    crab.write(
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n',
            "crates/shop/Cargo.toml": MANIFEST.format("shop"),
            "crates/shop/src/lib.rs": LIB.replace("sum()", "summ()"),
        }
        | IGNORED
    )
    crab.commit()
    crab.start("mend it", "--criteria", "build_success")
    answer = crab.stop()
    assert (answer.held, "crates/shop/src/lib.rs:2: E0599 " in answer.stderr) == (True, True), answer


def test_clippy_runs_where_lint_is_asked_for(crab: World) -> None:
    crab.write({"Cargo.toml": MANIFEST.format("shop"), "src/lib.rs": "pub fn one() -> i32 {\n    return 1;\n}\n"})
    crab.write(IGNORED)
    crab.commit()
    crab.start("mend it", "--criteria", "lint_clean")
    check_stop(crab, True, {"cargo-clippy": "found"}, "src/lib.rs:2: clippy::needless_return ")
    crab.write({"src/lib.rs": "pub fn one() -> i32 {\n    1\n}\n"})
    assert not crab.stop().held


def test_a_test_that_ends_the_process_is_not_green(crab: World) -> None:
    crab.write(
        {
            "Cargo.toml": MANIFEST.format("shop"),
            "src/lib.rs": LIB + TEST.replace("assert", "std::process::exit(0);\n    assert"),
        }
    )
    crab.write(IGNORED)
    crab.commit()
    crab.start("mend it", "--tests-pass")
    crab.write({"note.txt": "changed\n"})
    answer = crab.stop()
    assert (answer.held, "a test binary ended before its result" in answer.stderr) == (True, True), answer


def test_a_manifest_that_cargo_cannot_read_is_a_broken_check(crab: World) -> None:
    crab.write({"Cargo.toml": MANIFEST.format("shop") + "oops\n", "src/lib.rs": LIB} | IGNORED)
    crab.commit()
    crab.start("mend it")
    check_stop(crab, True, {"cargo-check": "broken"})
