"""What is of the tests and does not lie among them: data, modules of pytest's, examples; and what reaches others."""

from collections.abc import Mapping

import pytest

from untilgreen.core.trees import Entry
from untilgreen.project.fakes import fed

TEST = "import shop\n\n\ndef test_a():\n    assert shop.tax(1) == open('golden/a.csv').read()\n"


def both(start: Mapping[str, str], now: Mapping[str, str]) -> fed.BothTrees:
    """Trees whose files are named by what they hold."""
    trees = [{path: Entry("100644", text) for path, text in files.items()} for files in (start, now)]
    return fed.BothTrees(trees[0], trees[1], lambda entry: entry.name.encode(), bytes.decode)


@pytest.mark.parametrize(
    ("files", "edited", "more"),
    [
        ({"golden/a.csv": "1", "tests/test_a.py": TEST, "shop.py": ""}, "golden/a.csv", True),
        ({"golden/a.csv": "1", "tests/test_a.py": TEST}, "golden/a.csv", False),
        ({"golden/a.csv": "1", "tests/test_a.py": TEST, "shop.py": "open('golden/a.csv')"}, "golden/a.csv", False),
        ({"VERSION.json": "1", "tests/test_a.py": "assert open('VERSION.json')\n"}, "VERSION.json", False),
        (
            {"a/plug.py": "1", "conftest.py": "pytest_plugins = ['a.plug']\n", "tests/test_a.py": TEST},
            "a/plug.py",
            True,
        ),
        ({"a/plug.py": "1", "pytest.ini": "addopts = -q -p a.plug\n", "tests/test_a.py": TEST}, "a/plug.py", True),
        ({"a/plug.py": "1", "conftest.py": "import a\n", "tests/test_a.py": TEST}, "a/plug.py", False),
    ],
)
def test_of_what_was_changed_some_is_of_the_tests(files: dict[str, str], edited: str, more: bool) -> None:
    assert fed.side(both(files, files | {edited: "2"})).more == (frozenset({edited}) if more else frozenset())


@pytest.mark.parametrize(
    ("path", "text", "reaching"),
    [
        ("export_test.go", "package a\n\nvar Part = &part\n", True),
        ("main_test.go", "package a\n\nfunc TestMain(m *testing.M) {}\n\nfunc TestA(t *testing.T) {}\n", True),
        ("a_test.go", "package a\n\nfunc TestA(t *testing.T) {}\n", False),
        ("tests/test_b.py", "import shop\n\nshop.tax = None\n\n\ndef test_b():\n    pass\n", True),
        ("tests/test_b.py", "import shop\n\nTAX = {}\nTAX['a'] = 1\n\n\ndef test_b():\n    shop.tax = 1\n", False),
        ("a.test.js", "beforeEach(() => {});\ntest('a', () => {});\n", True),
        ("a.test.js", "const a = 1;\ntest('a', () => {});\n", False),
    ],
)
def test_a_new_file_of_tests_may_reach_others(path: str, text: str, reaching: bool) -> None:
    assert fed.side(both({}, {path: text})).reaching == (frozenset({path}) if reaching else frozenset())


PYTHON = 'def tax():\n    """A tax.\n\n    >>> tax()\n    20\n    """\n'
RUST = "/// ```\n/// assert_eq!(a::tax(), 20);\n/// ```\npub fn tax() {}\n"


@pytest.mark.parametrize(
    ("path", "start", "now", "again"),
    [
        ("shop.py", PYTHON, PYTHON.replace("20", "22"), "    >>> tax()\n    20\n"),
        ("shop.py", PYTHON, PYTHON.replace("A tax", "The tax").replace("    20\n", "    20\n    >>> 1\n    1\n"), ""),
        ("shop.py", PYTHON, PYTHON.replace("    20\n", "    20...\n"), "    >>> tax()\n    20\n"),
        ("src/lib.rs", RUST, RUST.replace("20", "25"), "/// assert_eq!(a::tax(), 20);\n"),
        ("src/lib.rs", RUST, RUST.replace("```\n/// a", "```no_run\n/// a"), "/// ```\n/// assert_eq!"),
        ("src/lib.rs", RUST, "use b;\n\n" + RUST, ""),
        ("README.md", "    >>> tax()\n    20\n", "    >>> tax()\n    22\n", "    >>> tax()\n    20\n"),
    ],
)
def test_an_example_that_is_no_more_stands_there_once_more(path: str, start: str, now: str, again: str) -> None:
    mixed = fed.examples(path, now.encode(), start.encode()).decode()
    assert mixed.startswith(now)
    assert (again in mixed.removeprefix(now)) if again else mixed == now


def test_the_tests_that_a_file_defines() -> None:
    files = {
        "test_a.py": "def test_a():\n    def test_b(): ...\n\n\nclass TestC:\n    def test_d(self): ...\n",
        "a_test.go": "func TestE(t *testing.T) {\n",
        "tests/a.rs": "#[test]\nfn f() {}\n",
        "a.test.js": "test('g', () => {});\n// test('h')\n",
    }
    assert sorted(fed.defined(both(files, files), files)) == ["TestE", "f", "g", "test_a", "test_b", "test_d"]
