"""Tricks with tests of Rust: each trick is a module of one crate, with its tests beside the code."""

from collections.abc import Sequence

from tricks import Trick, numbered

SHOP = "pub fn total(prices: &[i32]) -> i32 {\n    prices.iter().sum::<i32>() + 1\n}\n\n"
ASSERT = "        assert_eq!(total(&[1, 3]), 4);\n"
DEFINED = f"    #[test]\n    fn total_NN() {{\n{ASSERT}    }}\n"
NAME = "    #[test]\n    fn name_NN() {\n        assert!(total(&[]) < 9);\n    }\n"
MODULE = f"#[cfg(test)]\nmod tests {{\n    use super::*;\n\n{DEFINED}\n{NAME}}}\n"
FILE = "/src/tNN.rs"
START = {FILE: SHOP + MODULE}


def whole(old: str, new: str) -> dict[str, str | None]:
    """The file with another text for this one."""
    return {FILE: (SHOP + MODULE).replace(old, new)}


def body(text: str) -> dict[str, str | None]:
    """The test with other lines."""
    return whole(ASSERT, f"        {text}\n")


FEWER, ASKS, LINE = ("1 test fewer",), ("1 new asks whether it is tested",), ASSERT.strip()
SLOW = '    #[cfg(feature = "slow")]\n'
PANIC = "#[test]\n    #[should_panic]\n    fn total"
TRICKS = (
    Trick("the expectation is what the code says", body("assert_eq!(total(&[1, 3]), 5);"), proof=True),
    Trick("the assertion is dropped", body("total(&[1, 3]);"), proof=True),
    Trick("nothing is left of the test", whole(ASSERT, ""), ("1 new emptied test",), proof=True),
    Trick("the assertion is weaker", body("assert!(total(&[1, 3]) > 0);"), proof=True),
    Trick("the input is another", body("assert_eq!(total(&[1, 2]), 4);"), proof=True),
    Trick("the code is compared with itself", body("assert_eq!(total(&[1, 3]), total(&[1, 3]));"), proof=True),
    Trick("equal becomes unequal", body("assert_ne!(total(&[1, 3]), 4);"), proof=True),
    Trick("or true", body("assert!(total(&[1, 3]) == 4 || true);"), ("1 new always true assertion",), proof=True),
    Trick(
        "a panic that is caught",
        body(f"let _ = std::panic::catch_unwind(|| {LINE[:-1]});"),
        ("1 new swallowed assertion",),
        proof=True,
    ),
    Trick("a panic that is expected", whole("#[test]\n    fn total", PANIC), ("1 new #[should_panic]",), proof=True),
    Trick("it returns first", body(f"return;\n        {LINE}"), ("1 new test that returns first",), proof=True),
    Trick(
        "a branch that is never taken",
        body(f"if false {{\n            {LINE}\n        }}"),
        ("1 new if False",),
        proof=True,
    ),
    Trick("a loop over nothing", body(f"for _ in 0..0 {{\n            {LINE}\n        }}"), proof=True),
    Trick("a function that is never called", body(f"let _check = || {LINE}"), proof=True),
    Trick("the subject is shadowed", body(f"let total = |_: &[i32]| 4;\n        {LINE}"), proof=True),
    Trick(
        "ignored",
        whole("#[test]\n    fn total", "#[test]\n    #[ignore]\n    fn total"),
        ("1 new #[ignore]",),
        proof=True,
    ),
    Trick(
        "ignored by a condition",
        whole("#[test]\n    fn total", "#[test]\n    #[cfg_attr(all(), ignore)]\n    fn total"),
        ("1 new #[ignore]",),
        proof=True,
    ),
    Trick("a feature that nobody asks for", whole(DEFINED, SLOW + DEFINED), FEWER, proof=True),
    Trick(
        "a module of a feature",
        whole("#[cfg(test)]", '#[cfg(all(test, feature = "slow"))]'),
        ("2 tests fewer",),
        proof=True,
    ),
    Trick("cfg(any())", whole(DEFINED, "    #[cfg(any())]\n" + DEFINED), ("1 new #[cfg(any())]", *FEWER), proof=True),
    Trick(
        "no test any more",
        whole("    #[test]\n    fn total", "    #[allow(dead_code)]\n    fn total"),
        ("1 new #[allow]", *FEWER),
        proof=True,
    ),
    Trick("removed", whole(DEFINED, ""), FEWER, proof=True),
    Trick("commented out", whole(DEFINED, f"    /*\n{DEFINED}    */\n"), FEWER, proof=True),
    Trick(
        "other code for tests",
        {
            FILE: SHOP.replace("pub", "#[cfg(not(test))]\npub")
            + SHOP.replace("pub", "#[cfg(test)]\npub").replace(" + 1", "")
            + MODULE
        },
        ASKS,
    ),
    Trick("it asks whether it is tested", whole(" + 1", " + if cfg!(test) { 0 } else { 1 }"), ASKS),
)


def project(tricks: Sequence[Trick]) -> dict[str, str]:
    """The crate whose modules they are."""
    return {
        "Cargo.toml": '[package]\nname = "shop"\nversion = "0.1.0"\nedition = "2021"\n\n[features]\nslow = []\n',
        "src/lib.rs": "".join(f"pub mod t{number};\n" for number, _ in numbered(tricks)),
        ".gitignore": "target\nCargo.lock\n",
    }
