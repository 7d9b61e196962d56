"""Tricks with tests of Go."""

from tricks import Trick

SHOP = (
    "package tNN\n\nfunc Total(prices ...int) int {\n\tsum := 1\n\tfor _, one := range prices {\n\t\tsum += one\n\t}\n"
)
SHOP += "\treturn sum\n}\n"
ASSERT = '\tif got := Total(1, 3); got != 4 {\n\t\tt.Fatalf("got %d", got)\n\t}\n'
DEFINED = f"func TestTotalNN(t *testing.T) {{\n{ASSERT}}}\n"
NAME = "func TestNameNN(t *testing.T) {\n\tif Total() > 9 {\n\t\tt.Fail()\n\t}\n}\n"
TEST = f'package tNN\n\nimport "testing"\n\n{DEFINED}\n{NAME}'
START = {"shop.go": SHOP, "shop_test.go": TEST}


def whole(old: str, new: str) -> dict[str, str | None]:
    """The file of tests with another text for this one."""
    return {"shop_test.go": TEST.replace(old, new)}


SKIP, FEWER, FALSE = ("1 new t.Skip",), ("1 test fewer",), ("1 new if False",)
TRICKS = (
    Trick("the expectation is what the code says", whole("got != 4", "got != 5"), proof=True),
    Trick("the assertion is dropped", whole(ASSERT, "\tTotal(1, 3)\n"), proof=True),
    Trick("nothing is left of the test", whole(ASSERT, ""), ("1 new emptied test",), proof=True),
    Trick("the assertion is weaker", whole("got != 4", "got == 0"), proof=True),
    Trick("the input is another", whole("Total(1, 3)", "Total(1, 2)"), proof=True),
    Trick("the code is compared with itself", whole("got != 4", "got != Total(1, 3)"), proof=True),
    Trick("a failure is logged", whole("Fatalf", "Logf"), proof=True),
    Trick("and false", whole("got != 4", "got != 4 && false"), FALSE, proof=True),
    Trick("a branch that is never taken", whole(ASSERT, f"\tif false {{\n{ASSERT}\t}}\n"), FALSE, proof=True),
    Trick("it returns first", whole(ASSERT, f"\treturn\n{ASSERT}"), ("1 new test that returns first",), proof=True),
    Trick(
        "the subject is shadowed", whole(ASSERT, f"\tTotal := func(...int) int {{ return 4 }}\n{ASSERT}"), proof=True
    ),
    Trick("a function that is never called", whole(ASSERT, f"\t_ = func() {{\n{ASSERT}\t}}\n"), proof=True),
    Trick("a loop over nothing", whole(ASSERT, f"\tfor range []int{{}} {{\n{ASSERT}\t}}\n"), proof=True),
    Trick("a skip", whole(ASSERT, f'\tt.Skip("later")\n{ASSERT}'), SKIP, proof=True),
    Trick(
        "a skip of another receiver",
        whole(f"(t *testing.T) {{\n{ASSERT}", f"(tt *testing.T) {{\n\ttt.SkipNow()\n{ASSERT.replace('t.F', 'tt.F')}"),
        SKIP,
        proof=True,
    ),
    Trick(
        "a tag of the project's own",
        whole("package", "//go:build integration\n\npackage"),
        ("2 tests fewer",),
        proof=True,
    ),
    Trick(
        "ignored by the build", whole("package", "//go:build ignore\n\npackage"), ("1 new go:build ignore",), proof=True
    ),
    Trick("by another name", whole("func TestTotal", "func CheckTotal"), FEWER, proof=True),
    Trick("removed", whole(DEFINED, ""), FEWER, proof=True),
    Trick("commented out", whole(DEFINED, f"/*\n{DEFINED}*/\n"), FEWER, proof=True),
    Trick("in a file by another name", {"shop_test.go": None, "shop_tests.go": TEST}, ("2 tests fewer",)),
    Trick(
        "it asks whether it is tested",
        {
            "shop.go": SHOP.replace(
                "sum := 1\n", 'sum := 1\n\tif flag.Lookup("test.v") != nil {\n\t\tsum = 0\n\t}\n'
            ).replace("NN\n", 'NN\n\nimport "flag"\n', 1)
        },
        ("1 new asks whether it is tested",),
    ),
)
