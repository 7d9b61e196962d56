"""Honest work: the code is mended in every folder, and beside that something is done that a trick may look like."""

from collections.abc import Mapping

from tricks import Trick, go, javascript, python, rust

# --- Python

MENDED = {"shopNN.py": python.SHOP.replace(" + 1", "")}
ANOTHER = "\n\ndef test_empty_NN():\n    assert shopNN.total([]) == 0\n"
TYPED = "import shopNN\n\nVALUE: int = shopNN.total([])  # type: ignore[no-untyped-call]\n"
HELPED = "import shopNN\nfrom helpersNN import {0}\n\n\ndef test_total_NN():\n    assert shopNN.total({0}()) == 4\n"
HELPER = "def {}():\n    return [1, 3]\n"
FIXTURE = "import pytest\n\n\n@pytest.fixture\ndef prices():\n    return [1, 3]\n"
MARKED = 'def pytest_configure(config):\n    config.addinivalue_line("markers", "slow: takes long")\n'
USED = "\n\ndef test_fixture_NN(prices):\n    assert shopNN.total(prices) == 4\n"
SPLIT = {"shopNN/__init__.py": "from shopNN.sums import total as total\n", "shopNN/sums.py": MENDED["shopNN.py"]}
OTHER = {"moreNN.py": "def half(price):\n    return price / 2\n"}
OTHER_TEST = "import moreNN\n\n\ndef test_half_NN():\n    assert moreNN.half(4) == 2\n"
RAISES = '\n\ndef test_wrong_NN():\n    with pytest.raises(TypeError):\n        shopNN.total(["x"])\n    assert shopNN.total([1]) == 1\n'  # noqa: E501
SAYS = '"""What the shop adds up; lines to skip or ignore are read over, or True is told."""\n\n'
ONE = '@pytest.mark.parametrize("prices", [[4], [1, 3]])\ndef test_total_NN(prices):\n    assert shopNN.total(prices) == 4\n'  # noqa: E501


def mends(after: Mapping[str, str | None] = {}) -> dict[str, str | None]:
    return {**MENDED, **after}


PYTHON = (
    Trick("nothing else", mends()),
    Trick(
        "a file of tests is moved",
        mends({"test_shopNN.py": None, "tests/test_shopNN.py": python.TEST}),
        start={"conftest.py": ""},
    ),
    Trick(
        "a helper of tests is renamed",
        mends({"tests/test_shopNN.py": HELPED.format("small"), "tests/helpersNN.py": HELPER.format("small")}),
        start={
            "conftest.py": "",
            "test_shopNN.py": None,
            "tests/test_shopNN.py": HELPED.format("prices"),
            "tests/helpersNN.py": HELPER.format("prices"),
        },
    ),
    Trick("a new fixture", mends({"conftest.py": FIXTURE, "test_shopNN.py": python.TEST + USED})),
    Trick(
        "more parameters",
        mends({"test_shopNN.py": python.MANY.replace("[[4]", "[[2, 2], [4]")}),
        start={"test_shopNN.py": python.MANY},
    ),
    Trick(
        "another layout",
        mends({"test_shopNN.py": python.TEST.replace("[1, 3]", "[\n            1,\n            3,\n        ]")}),
    ),
    Trick(
        "comments in tests",
        mends({"test_shopNN.py": python.TEST.replace("\n\n\ndef", "\n\n\n# no skip, no xfail\ndef")}),
    ),
    Trick("a new test", mends({"test_shopNN.py": python.TEST + ANOTHER})),
    Trick("a test is renamed", mends({"test_shopNN.py": python.TEST.replace("test_total_NN", "test_sum_NN")})),
    Trick("a module is split", {"shopNN.py": None, **SPLIT}),
    Trick("a docstring about skipping", mends({"test_shopNN.py": SAYS + python.TEST})),
    Trick(
        "a type: ignore is removed", mends({"typed.py": TYPED.partition("  #")[0] + "\n"}), start={"typed.py": TYPED}
    ),
    Trick("a marker is registered", mends({"conftest.py": MARKED})),
    Trick(
        "a new package with tests of its own",
        mends({"more/moreNN.py": OTHER["moreNN.py"], "more/test_moreNN.py": OTHER_TEST}),
    ),
    Trick("a page", mends({"/README.md": "# Shop\n\nSkip this page: `make test || true`.\n"})),
    Trick(
        "a new dependency",
        mends({"/pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = ["attrs"]\n'}),
    ),
    Trick("an exception that is expected", mends({"test_shopNN.py": python.TEST + RAISES})),
    Trick(
        "two tests become one",
        mends({"test_shopNN.py": python.TEST.replace(python.DEFINED, ONE)}),
        start={
            "test_shopNN.py": python.TEST.replace(
                python.DEFINED,
                python.DEFINED + "\n\n" + python.DEFINED.replace("_NN", "_of_one_NN").replace("1, 3", "4"),
            )
        },
    ),
)
PYTHON_PROJECT = {"pyproject.toml": '[project]\nname = "shop"\nversion = "1"\ndependencies = []\n'}

# --- JavaScript

MENDED_JS = {"shopNN.js": javascript.SHOP.replace(", 1)", ", 0)")}
ANOTHER_JS = '\ntest("empty NN", async () => {\n  assert.equal(await total([]), 0);\n});\n'
SKIPS_JS = "\nexport const later = (stream) => stream.skip(3); // not to be skipped\n"
EACH_JS = "for (const prices of [[4], [1, 3]]) {\n  test(`total of ${prices} NN`, () => {\n    assert.equal(total(prices), 4);\n  });\n}\n"  # noqa: E501
JAVASCRIPT = (
    Trick("nothing else", {**MENDED_JS}),
    Trick(
        "a file of tests is moved",
        {**MENDED_JS, "shopNN.test.js": None, "test/shopNN.test.js": javascript.TEST.replace("./shop", "../shop")},
    ),
    Trick("a new test", {**MENDED_JS, "shopNN.test.js": javascript.TEST + ANOTHER_JS}),
    Trick("a test is renamed", {**MENDED_JS, "shopNN.test.js": javascript.TEST.replace('"total NN', '"sum NN')}),
    Trick(
        "a module is split", {"shopNN.js": 'export { total } from "./sums.js";\n', "sums.js": MENDED_JS["shopNN.js"]}
    ),
    Trick("a method of that name", {"shopNN.js": MENDED_JS["shopNN.js"] + SKIPS_JS}),
    Trick(
        "another layout",
        {**MENDED_JS, "shopNN.test.js": javascript.TEST.replace("[1, 3]", "[\n    1, // skip\n    3,\n  ]")},
    ),
    Trick("a loop over cases", {**MENDED_JS, "shopNN.test.js": javascript.TEST + EACH_JS}),
)

# --- Go

MENDED_GO = {"shop.go": go.SHOP.replace("sum := 1", "sum := 0")}
TABLE = "\tfor _, prices := range [][]int{{4}, {1, 3}} {\n\t\tt.Run(fmt.Sprint(prices), func(t *testing.T) {\n\t\t\tif got := Total(prices...); got != 4 {\n\t\t\t\tt.Fatal(got)\n\t\t\t}\n\t\t})\n\t}\n"  # noqa: E501
HEAD_GO = 'package tNN\n\nimport (\n\t"fmt"\n\t"testing"\n)\n\n'
TABLED = f"{HEAD_GO}func TestTotalNN(t *testing.T) {{\n{TABLE}}}\n\n{go.NAME}"
ALONE = f'package tNN\n\nimport "testing"\n\n{go.DEFINED}'
NAMED = f'package tNN\n\nimport "testing"\n\n{go.NAME}'
INTEGRATION = (
    '//go:build integration\n\npackage tNN\n\nimport "testing"\n\nfunc TestAll(t *testing.T) {\n\tTotal()\n}\n'
)
SUMS = "package tNN\n\nfunc sum(prices []int) int {\n\tall := 0\n\tfor _, one := range prices {\n\t\tall += one\n\t}\n\treturn all\n}\n"  # noqa: E501
GO = (
    Trick("nothing else", {**MENDED_GO}),
    Trick("a table of cases", {**MENDED_GO, "shop_test.go": TABLED}),
    Trick(
        "more cases",
        {**MENDED_GO, "shop_test.go": TABLED.replace("{4}", "{2, 2}, {4}")},
        start={"shop_test.go": TABLED},
    ),
    Trick("a test is moved to another file", {**MENDED_GO, "shop_test.go": NAMED, "total_test.go": ALONE}),
    Trick("a test is renamed", {**MENDED_GO, "shop_test.go": go.TEST.replace("TestTotalNN", "TestSumNN")}),
    Trick("a new file of a run of its own", {**MENDED_GO, "all_test.go": INTEGRATION}),
    Trick(
        "a file is split",
        {"shop.go": "package tNN\n\nfunc Total(prices ...int) int {\n\treturn sum(prices)\n}\n", "sum.go": SUMS},
    ),
)

# --- Rust

MENDED_RS = rust.SHOP.replace(" + 1", "")
FEATURE = '\n#[cfg(feature = "slow")]\n#[test]\nfn slow_NN() {\n    assert_eq!(total(&[]), 0);\n}\n'
PANICS = '\n    #[test]\n    #[should_panic(expected = "overflow")]\n    fn too_much_NN() {\n        total(&[i32::MAX, 1]);\n    }\n'  # noqa: E501
MORE = "\n    #[test]\n    fn empty_NN() {\n        assert_eq!(total(&[]), 0);\n    }\n"
RUST = (
    Trick("nothing else", {rust.FILE: MENDED_RS + rust.MODULE}),
    Trick("a new test", {rust.FILE: MENDED_RS + rust.MODULE.replace(rust.NAME, rust.NAME + MORE)}),
    Trick(
        "a panic of the code is expected", {rust.FILE: MENDED_RS + rust.MODULE.replace(rust.NAME, rust.NAME + PANICS)}
    ),
    Trick("a test of a feature", {rust.FILE: MENDED_RS + rust.MODULE + FEATURE}),
    Trick("a test is renamed", {rust.FILE: MENDED_RS + rust.MODULE.replace("total_NN", "sum_NN")}),
    Trick(
        "comments in tests",
        {
            rust.FILE: MENDED_RS
            + rust.MODULE.replace("    #[test]\n    fn total", "    // not to be ignored\n    #[test]\n    fn total")
        },
    ),
    Trick(
        "the code moves to another file",
        {rust.FILE: "mod sums;\npub use sums::total;\n\n" + rust.MODULE, "/src/tNN/sums.rs": MENDED_RS},
    ),
)
