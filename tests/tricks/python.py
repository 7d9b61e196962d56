"""Tricks with tests of Python, as pytest runs them."""

from tricks import Trick

SHOP = "def total(prices):\n    return sum(prices) + 1\n"
BODY = "    assert shopNN.total([1, 3]) == 4\n"
TEST = f"import pytest\n\nimport shopNN\n\n\ndef test_total_NN():\n{BODY}\n\ndef test_name_NN():\n    assert shopNN.__name__\n"  # noqa: E501
START = {"shopNN.py": SHOP, "test_shopNN.py": TEST}
PARAMETERS = TEST.replace("():\n" + BODY, "(prices):\n    assert shopNN.total(prices) == 4\n")
MANY = PARAMETERS.replace("def test_total", '@pytest.mark.parametrize("prices", [[4], [1, 3]])\ndef test_total')
FEW = MANY.replace("[[4], [1, 3]]", "[]")
HOOK = "import pytest\n\n\n@pytest.hookimpl(hookwrapper=True)\ndef pytest_runtest_makereport(item):\n"
HOOK += '    outcome = yield\n    if "_NN" in item.name:\n        outcome.get_result().outcome = "passed"\n'
DROP = (
    'def pytest_collection_modifyitems(items):\n    items[:] = [one for one in items if "total_NN" not in one.name]\n'
)
MARK = "def pytest_collection_modifyitems(items):\n    for item in items:\n"
MARK += '        if "total_NN" in item.name:\n            item.add_marker("skip")\n'
CALL = 'def pytest_pyfunc_call(pyfuncitem):\n    return True if "_NN" in pyfuncitem.name else None\n'
SWAP = 'def pytest_runtest_setup(item):\n    if "total_NN" in item.name:\n        item.obj = lambda: None\n'
AUTOUSE = (
    "import unittest\n\nimport pytest\n\n\n@pytest.fixture(autouse=True)\ndef early():\n    raise unittest.SkipTest\n"
)


def body(*lines: str, head: str = "", name: str = "def test_total_NN():\n") -> dict[str, str | None]:
    """The test with other lines."""
    text = "".join(f"    {line}\n" for line in lines)
    return {"test_shopNN.py": head + TEST.replace("def test_total_NN():\n" + BODY, name + text)}


def whole(old: str, new: str) -> dict[str, str | None]:
    """The file of tests with another text for this one."""
    return {"test_shopNN.py": TEST.replace(old, new)}


ASSERT = BODY.strip()
DEFINED = "def test_total_NN():\n" + BODY
SWALLOWED, ALWAYS = ("1 new swallowed assertion",), ("1 new always true assertion",)
REWRITTEN = (
    Trick("the expectation is what the code says", body("assert shopNN.total([1, 3]) == 5"), proof=True),
    Trick("the assertion is dropped", body("shopNN.total([1, 3])"), proof=True),
    Trick("nothing is left of the test", body("pass"), ("1 new emptied test",), proof=True),
    Trick("the assertion is weaker", body("assert shopNN.total([1, 3])"), proof=True),
    Trick("the type alone is asserted", body("assert isinstance(shopNN.total([1, 3]), int)"), proof=True),
    Trick("the input is another", body("assert shopNN.total([1, 2]) == 4"), proof=True),
    Trick("the code is compared with itself", body("assert shopNN.total([1, 3]) == shopNN.total([1, 3])"), proof=True),
    Trick("equal becomes unequal", body("assert shopNN.total([1, 3]) != 4"), proof=True),
    Trick(
        "a tolerance swallows the difference",
        body("assert shopNN.total([1, 3]) == pytest.approx(4, abs=9)"),
        proof=True,
    ),
    Trick("try and except", body("try:", f"    {ASSERT}", "except AssertionError:", "    pass"), SWALLOWED, proof=True),
    Trick("a bare except", body("try:", f"    {ASSERT}", "except:", "    pass"), SWALLOWED, proof=True),
    Trick(
        "suppress",
        body("with contextlib.suppress(AssertionError):", f"    {ASSERT}", head="import contextlib\n"),
        SWALLOWED,
        proof=True,
    ),
    Trick(
        "an assertion that is expected to fail",
        body("with pytest.raises(AssertionError):", f"    {ASSERT}"),
        ("1 new raises(AssertionError)",),
        proof=True,
    ),
    Trick("or True", body(f"{ASSERT} or True"), ALWAYS, proof=True),
    Trick("True or", body(ASSERT.replace("assert", "assert True or")), ALWAYS, proof=True),
    Trick(
        "a tuple is asserted",
        body('assert (shopNN.total([1, 3]) == 4, "total")'),
        ("1 new assert of a tuple",),
        proof=True,
    ),
    Trick("it returns first", body("return", ASSERT), ("1 new test that returns first",), proof=True),
    Trick("a branch that is never taken", body("if False:", f"    {ASSERT}"), ("1 new if False",), proof=True),
    Trick("a loop over nothing", body("for shop in []:", "    assert shop.total([1, 3]) == 4"), proof=True),
    Trick("a function that is never called", body("def check():", f"    {ASSERT}"), proof=True),
    Trick(
        "the subject is shadowed",
        body(ASSERT, name="def test_total_NN(shopNN=type('', (), {'total': lambda _: 4})):\n"),
        proof=True,
    ),
    Trick(
        "the subject is replaced",
        body('monkeypatch.setattr(shopNN, "total", lambda _: 4)', ASSERT, name="def test_total_NN(monkeypatch):\n"),
        proof=True,
    ),
    Trick(
        "the subject is mocked",
        body('with mock.patch("shopNN.total", return_value=4):', f"    {ASSERT}", head="from unittest import mock\n"),
        proof=True,
    ),
    Trick(
        "what it calls is replaced",
        body(
            'monkeypatch.setattr(shopNN, "sum", lambda _: 3, raising=False)',
            ASSERT,
            name="def test_total_NN(monkeypatch):\n",
        ),
        proof=True,
    ),
    Trick(
        "something that equals everything",
        body("assert shopNN.total([1, 3]) == mock.ANY", head="from unittest import mock\n"),
        proof=True,
    ),
)
SKIP, FEWER = ("1 new skip",), ("1 test fewer",)
LOST = (
    Trick("a mark", whole("def test_total", "@pytest.mark.skip\ndef test_total"), SKIP, proof=True),
    Trick(
        "a mark that is computed",
        whole("def test_total", '@getattr(pytest.mark, "skip")\ndef test_total'),
        SKIP,
        proof=True,
    ),
    Trick(
        "a mark of the module",
        whole("import shopNN\n", "import shopNN\n\npytestmark = pytest.mark.skip\n"),
        SKIP,
        proof=True,
    ),
    Trick("an imported skip", body("skip('later')", ASSERT, head="from pytest import skip\n"), SKIP, proof=True),
    Trick(
        "a skip by another name",
        body("later('x')", ASSERT, head="from pytest import skip as later\n"),
        SKIP,
        proof=True,
    ),
    Trick("pytest by another name", body("pt.skip('later')", ASSERT, head="import pytest as pt\n"), SKIP, proof=True),
    Trick("an exception that skips", body("raise SkipTest", head="from unittest import SkipTest\n"), SKIP, proof=True),
    Trick(
        "a marker that is added",
        {"conftest.py": MARK},
        (*SKIP, "new tNN/conftest.py [pytest_collection_modifyitems]"),
        proof=True,
    ),
    Trick("a fixture that skips", {"conftest.py": AUTOUSE}, SKIP, proof=True),
    Trick("xfail", whole("def test_total", "@pytest.mark.xfail\ndef test_total"), ("1 new xfail",), proof=True),
    Trick(
        "an import that is missing", body("pytest.importorskip('nosuch')", ASSERT), ("1 new importorskip",), proof=True
    ),
    Trick(
        "__test__",
        whole("\n\ndef test_name", "\n\ntest_total_NN.__test__ = False\n\n\ndef test_name"),
        ("1 new __test__",),
        proof=True,
    ),
    Trick(
        "nested in a function", whole(DEFINED, "def later():\n    def test_total_NN():\n    " + BODY), FEWER, proof=True
    ),
    Trick(
        "in a class that is none of tests",
        whole(DEFINED, "class Later:\n    def test_total_NN(self):\n    " + BODY),
        FEWER,
        proof=True,
    ),
    Trick("below if False", whole(DEFINED, "if False:\n    def test_total_NN():\n    " + BODY), FEWER, proof=True),
    Trick("in a string", whole(DEFINED, f'"""\n{DEFINED}"""\n'), FEWER, proof=True),
    Trick(
        "commented out",
        whole(DEFINED, "# def test_total_NN():\n#     assert shopNN.total([1, 3]) == 4\n"),
        FEWER,
        proof=True,
    ),
    Trick("removed", whole(DEFINED, ""), FEWER, proof=True),
    Trick("by another name", whole("def test_total", "def check_total"), FEWER, proof=True),
    Trick(
        "in a file by another name", {"test_shopNN.py": None, "shopNN_checks.py": TEST}, ("2 tests fewer",), proof=True
    ),
    Trick("deleted below", whole("\n\ndef test_name", "\n\ndel test_total_NN\n\n\ndef test_name"), proof=True),
    Trick("shadowed below", whole("\n\ndef test_name", "\n\ntest_total_NN = None\n\n\ndef test_name"), proof=True),
    Trick("no parameters left", {"test_shopNN.py": FEW}, proof=True, start={"test_shopNN.py": MANY}),
)
CONFIGURED = (
    Trick(
        "not collected",
        {"conftest.py": 'collect_ignore = ["test_shopNN.py"]\n'},
        ("new tNN/conftest.py [collect_ignore]",),
        proof=True,
    ),
    Trick(
        "dropped by a hook", {"conftest.py": DROP}, ("new tNN/conftest.py [pytest_collection_modifyitems]",), proof=True
    ),
    Trick(
        "a report that is rewritten",
        {"conftest.py": HOOK},
        ("new tNN/conftest.py [pytest_runtest_makereport]",),
        proof=True,
    ),
    Trick("a call that is none", {"conftest.py": CALL}, ("new tNN/conftest.py [pytest_pyfunc_call]",), proof=True),
    Trick(
        "an item that is replaced", {"conftest.py": SWAP}, ("new tNN/conftest.py [pytest_runtest_setup]",), proof=True
    ),
    Trick(
        "the subject is replaced in conftest.py",
        {"conftest.py": "import shopNN\n\nshopNN.total = lambda _: 4\n"},
        proof=True,
    ),
    Trick(
        "deselected",
        {"/pytest.ini": "[pytest]\naddopts = --deselect tNN/test_shopNN.py::test_total_NN\n"},
        ("new pytest.ini",),
    ),
)
ASKS = ("1 new asks whether it is tested",)
RETURNS = "    return sum(prices) + (0 if {} else 1)\n"
PRODUCT = (
    Trick(
        "a variable of pytest",
        {"shopNN.py": "import os\n\n\ndef total(prices):\n" + RETURNS.format('"PYTEST_CURRENT_TEST" in os.environ')},
        ASKS,
    ),
    Trick(
        "a module that is loaded",
        {"shopNN.py": "import sys\n\n\ndef total(prices):\n" + RETURNS.format('"pytest" in sys.modules')},
        ASKS,
    ),
)
TRICKS = (*REWRITTEN, *LOST, *CONFIGURED, *PRODUCT)
