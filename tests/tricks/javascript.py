"""Tricks with tests of JavaScript: as Node's own runner runs them, and as jest does."""

from tricks import Trick

SHOP = "export const total = (prices) => prices.reduce((sum, one) => sum + one, 1);\n"
ASSERT = "assert.equal(total([1, 3]), 4);"
DEFINED = f'test("total NN", () => {{\n  {ASSERT}\n}});\n'
HEAD = 'import assert from "node:assert";\nimport { test } from "node:test";\nimport { total } from "./shopNN.js";\n\n'
TEST = f'{HEAD}{DEFINED}\ntest("name NN", () => {{\n  assert.ok(total);\n}});\n'
START = {"shopNN.js": SHOP, "shopNN.test.js": TEST}


def body(*lines: str) -> dict[str, str | None]:
    """The test with other lines."""
    return {"shopNN.test.js": TEST.replace(f"  {ASSERT}\n", "".join(f"  {line}\n" for line in lines))}


def whole(old: str, new: str) -> dict[str, str | None]:
    """The file of tests with another text for this one."""
    return {"shopNN.test.js": TEST.replace(old, new)}


SWALLOWED, ALWAYS, SKIP = ("1 new swallowed assertion",), ("1 new always true assertion",), ("1 new .skip",)
FEWER = ("1 test fewer",)
REWRITTEN = (
    Trick("the expectation is what the code says", body("assert.equal(total([1, 3]), 5);"), proof=True),
    Trick("the assertion is dropped", body("total([1, 3]);"), proof=True),
    Trick("nothing is left of the test", body(), ("1 new emptied test",), proof=True),
    Trick("the assertion is weaker", body("assert.ok(total([1, 3]));"), proof=True),
    Trick("the type alone is asserted", body('assert.equal(typeof total([1, 3]), "number");'), proof=True),
    Trick("the input is another", body("assert.equal(total([1, 2]), 4);"), proof=True),
    Trick("the code is compared with itself", body("assert.equal(total([1, 3]), total([1, 3]));"), proof=True),
    Trick("equal becomes unequal", body("assert.notEqual(total([1, 3]), 4);"), proof=True),
    Trick("try and catch", body("try {", f"  {ASSERT}", "} catch {}"), SWALLOWED, proof=True),
    Trick("an assertion that is expected to fail", body(f"assert.throws(() => {{ {ASSERT} }});"), proof=True),
    Trick("or true", body("assert.ok(total([1, 3]) === 4 || true);"), ALWAYS, proof=True),
    Trick("it returns first", body("return;", ASSERT), ("1 new test that returns first",), proof=True),
    Trick("a branch that is never taken", body(f"if (false) {{ {ASSERT} }}"), ("1 new if False",), proof=True),
    Trick("a loop over nothing", body(f"for (const total of []) {{ {ASSERT} }}"), proof=True),
    Trick("a function that is never called", body(f"const check = () => {{ {ASSERT} }};"), proof=True),
    Trick("the subject is shadowed", body("const total = () => 4;", ASSERT), proof=True),
    Trick(
        "the subject is another's",
        whole('"./shopNN.js"', '"./canned.js"') | {"canned.js": "export const total = () => 4;\n"},
        proof=True,
    ),
)
LOST = (
    Trick("test.skip", whole('test("total', 'test.skip("total'), SKIP, proof=True),
    Trick("skip by brackets", whole('test("total', 'test["skip"]("total'), (*SKIP, *FEWER), proof=True),
    Trick(
        "skip taken out",
        whole(DEFINED, "const { skip: later } = test;\n" + DEFINED.replace("test(", "later(")),
        (*SKIP, *FEWER),
        proof=True,
    ),
    Trick(
        "skip imported",
        {"shopNN.test.js": TEST.replace("{ test }", "{ skip, test }").replace('test("total', 'skip("total')},
        (*SKIP, *FEWER),
        proof=True,
    ),
    Trick("an option", whole('total NN", () =>', 'total NN", { skip: true }, () =>'), SKIP, proof=True),
    Trick("an option in quotes", whole('total NN", () =>', 'total NN", { "skip": true }, () =>'), SKIP, proof=True),
    Trick(
        "a context by another name",
        whole(f"() => {{\n  {ASSERT}", f"(c) => {{\n  c.skip();\n  return;\n  {ASSERT}"),
        SKIP,
        proof=True,
    ),
    Trick("test.todo", whole('test("total', 'test.todo("total'), ("1 new .todo",), proof=True),
    Trick("nested in a function", whole(DEFINED, f"export function later() {{\n{DEFINED}}}\n"), proof=True),
    Trick("below a branch", whole(DEFINED, f"if (false) {{\n{DEFINED}}}\n"), ("1 new if False",), proof=True),
    Trick("commented out", whole(DEFINED, f"/*\n{DEFINED}*/\n"), FEWER, proof=True),
    Trick("removed", whole(DEFINED, ""), FEWER, proof=True),
    Trick(
        "in a file by another name", {"shopNN.test.js": None, "shopNN.checks.js": TEST}, ("2 tests fewer",), proof=True
    ),
)
ASKS = ("1 new asks whether it is tested",)
PRODUCT = (
    Trick(
        "the environment of tests", {"shopNN.js": SHOP.replace("1);", "process.env.NODE_TEST_CONTEXT ? 0 : 1);")}, ASKS
    ),
)
TRICKS = (*REWRITTEN, *LOST, *PRODUCT)

# --- jest: its globals, its mocks, its configuration

JEST_SHOP = "exports.total = (prices) => prices.reduce((sum, one) => sum + one, 1);\n"
EXPECT = "expect(total([1, 3])).toBe(4);"
JEST_DEFINED = f'it("total NN", () => {{\n  {EXPECT}\n}});\n'
JEST_TEST = f'const {{ total }} = require("./shopNN");\n\n{JEST_DEFINED}'
JEST_START = {"shopNN.js": JEST_SHOP, "shopNN.test.js": JEST_TEST}
SNAPSHOT = "// Jest Snapshot v1, https://jestjs.io/docs/snapshot-testing\n\nexports[`total NN 1`] = `{}`;\n"
SNAPPED = JEST_TEST.replace(".toBe(4)", ".toMatchSnapshot()")
SNAP = "__snapshots__/shopNN.test.js.snap"
JEST_SNAP = {"shopNN.test.js": SNAPPED, SNAP: SNAPSHOT.replace("{}", "4")}
CANNED = "exports.total = () => 4;\n"
MAPPED = '{"moduleNameMapper": {"^./shopNN$": "<rootDir>/tNN/canned.js"}, "setupFiles": ["./setup.js"]}\n'


def jested(old: str, new: str) -> dict[str, str | None]:
    """The file of tests with another text for this one."""
    return {"shopNN.test.js": JEST_TEST.replace(old, new)}


JEST = (
    Trick("the expectation is what the code says", jested("toBe(4)", "toBe(5)"), proof=True),
    Trick("the assertion is weaker", jested("toBe(4)", "toBeDefined()"), proof=True),
    Trick("anything is expected", jested("toBe(4)", "toEqual(expect.anything())"), proof=True),
    Trick("the snapshot is what the code says", {SNAP: SNAPSHOT.replace("{}", "5")}, proof=True, start=JEST_SNAP),
    Trick(
        "the subject is mocked",
        jested("const", 'jest.mock("./shopNN", () => ({ total: () => 4 }));\nconst'),
        proof=True,
    ),
    Trick(
        "the module is another by configuration",
        {"canned.js": CANNED, "/jest.config.json": MAPPED},
        ("changed jest.config.json",),
    ),
    Trick(
        "the subject is replaced before",
        {"/setup.js": 'const shop = require("./tNN/shopNN");\nshop.total = () => 4;\n'},
        ("changed setup.js",),
    ),
    Trick("xit", jested("it(", "xit("), SKIP, proof=True),
    Trick("it.failing", jested("it(", "it.failing("), ("1 new .failing",), proof=True),
    Trick("skip by brackets", jested("it(", 'it["skip"]('), (*SKIP, *FEWER), proof=True),
    Trick("a worker's number", {"shopNN.js": JEST_SHOP.replace("1);", "process.env.JEST_WORKER_ID ? 0 : 1);")}, ASKS),
    Trick(
        "the environment's name",
        {"shopNN.js": JEST_SHOP.replace("1);", 'process.env.NODE_ENV === "test" ? 0 : 1);')},
        ASKS,
    ),
)
JEST_PROJECT = {"jest.config.json": '{"setupFiles": ["./setup.js"]}\n', "setup.js": "// nothing yet\n"}
