"""What checks of ours build lies in a folder of ours; what the project calls itself runs as it is."""

import os
import shutil

import pytest

from rust import with_cargo
from test_green import CI, begun, left, workflow
from test_real_rust import IGNORED, LIB, MANIFEST, TEST
from world import World

pytestmark = pytest.mark.needs("cargo")

# a test that compiles a sample against what lies beside it, as the tests of macros and of books do: it finds one
# candidate for the crate as long as nothing but the project's own commands built there
COMPILES = """
use std::{env, path::Path, process::Command};

#[test]
fn the_sample_compiles() {
    let beside = env::current_exe().unwrap().parent().unwrap().to_path_buf();
    let sample = Path::new(env!("CARGO_MANIFEST_DIR")).join("sample.rs");
    let rustc = env::var("RUSTC").unwrap_or("rustc".into());
    let words = ["--edition=2021", "--crate-type=lib", "--emit=metadata", "--out-dir", env!("CARGO_TARGET_TMPDIR")];
    let done = Command::new(rustc).args(words).arg(&sample).arg("-L").arg(&beside).output().unwrap();
    assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
}
"""


@pytest.fixture
def crab(world: World) -> World:
    """A crate with such a test, in which cargo works."""
    world.write(
        {
            "Cargo.toml": MANIFEST.format("shop"),
            "src/lib.rs": LIB + TEST,
            "sample.rs": "extern crate shop;\npub fn two() -> i32 {\n    shop::total(&[1, 1])\n}\n",
            "tests/sample.rs": COMPILES,
        }
        | IGNORED
    )
    return with_cargo(world)


def check_by_hand(world: World, *words: str) -> None:
    done = world.process(shutil.which("cargo") or "cargo", *words)
    assert done.code == 0, done


@pytest.mark.parametrize(
    ("calls", "checks"),
    [
        ((), ["cargo-check", "cargo-test"]),
        (("cargo build", "cargo test"), [f"cargo-build ({CI}: check)", f"cargo-test ({CI}: check)"]),
        (("cargo test",), [f"cargo-test ({CI}: check)"]),
    ],
)
def test_the_projects_own_tests_pass_by_hand_after_a_stop(
    crab: World, calls: tuple[str, ...], checks: list[str]
) -> None:
    crab.write({CI: workflow(*calls)} if calls else {})
    crab.commit()
    for word in ("build", "test"):
        check_by_hand(crab, word)
    assert begun(crab) == checks
    assert crab.stop().code == 0, left(crab)
    crab.edit("src/lib.rs", LIB.replace("sum()", "sum::<i32>()") + TEST, hook="post-tool-lsp")
    check_by_hand(crab, "test")


def test_what_a_check_of_ours_built_goes_a_day_after_its_last_use_also_without_a_loop(crab: World) -> None:
    crab.commit()
    crab.trust()
    place = crab.home / ".local/state/untilgreen"
    old = place / "built-0123456789abcdef"
    (old / "cargo-check").mkdir(parents=True)
    os.utime(old, (0, 0))
    assert crab.run("untilgreen", "check").code == 0
    [kept] = place.glob("built-*")
    assert (kept != old, sorted(os.listdir(kept))) == (True, ["cargo-check", "cargo-test"])
    assert not (crab.project / "target").exists()


def test_a_target_that_is_not_installed_is_no_fault_of_the_code(crab: World) -> None:
    crab.write({CI: workflow("cargo build --target riscv32e-unknown-none-elf")})
    crab.commit()
    crab.trust()
    answer = crab.run("untilgreen", "check")
    lacking = "the target riscv32e-unknown-none-elf is not installed"
    line = f"cargo-build --target riscv32e-unknown-none-elf ({CI}: check): {lacking}"
    assert (answer.code, line in answer.stdout.splitlines()) == (0, True), answer  # the tests ran
    crab.write({CI: workflow("cargo build --target riscv32e-unknown-none-elf", "cargo test")})
    assert begun(crab) == [f"cargo-build --target riscv32e-unknown-none-elf ({CI}: check)", f"cargo-test ({CI}: check)"]
    crab.write({"src/lib.rs": (crab.project / "src/lib.rs").read_text() + "\n"})
    assert crab.stop().notice.startswith(f"✓ green, but {lacking} · after 1 round")


def test_a_target_that_is_configured_and_not_installed_is_no_green(crab: World) -> None:
    crab.write({CI: workflow("cargo build"), ".cargo/config.toml": '[build]\ntarget = "riscv32e-unknown-none-elf"\n'})
    crab.commit()
    crab.trust()
    answer = crab.run("untilgreen", "check", "--no-tests")
    cure = "the target riscv32e-unknown-none-elf is not installed. Fix: rustup target add riscv32e-unknown-none-elf"
    assert (answer.code, cure in answer.stdout) == (4, True), answer
