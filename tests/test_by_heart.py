"""Answers by heart: what the new text of a product knows of a test, and answers for one number alone."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from untilgreen.core.trees import Entry
from untilgreen.project.fakes import by_heart, fed, probes_python

TESTS = {
    "py": """\
import pytest
from shop import gross


@pytest.mark.parametrize(("net", "want"), [(12.35, 14.82), (50.5, 60.6)])
def test_rows(net, want):
    assert gross(net) == want


def test_one():
    assert gross(99.9, unit="km") == 119.88
    assert gross("Hello, World") == "hello-world"


def test_lists():
    assert gross() == ["first one", "second one"]
""",
    "js": "test('rows', () => { for (const [a, b] of [[12.35, 14.82]]) assert.equal(gross(a), b); });\n",
    "go": "func TestRows(t *testing.T) {\n\tfor _, one := range []row{{12.35, 14.82}} {\n\t}\n}\n",
}
PATHS = {"py": "tests/test_shop.py", "js": "test/shop.test.js", "go": "shop_test.go"}


def read(kind: str, name: str, start: str, now: str) -> by_heart.Learned:
    trees = [
        {path: Entry("100644", text) for path, text in {name: code, PATHS[kind]: TESTS[kind]}.items() if text}
        for code in (start, now)
    ]
    kept = fed.BothTrees(trees[0], trees[1], lambda entry: entry.name.encode(), lambda data: data.decode())
    return by_heart.read(kept)


@pytest.mark.parametrize(
    ("name", "now", "tests"),
    [
        ("shop.py", "def gross(net):\n    if net == 99.9:\n        return 119.88\n", ["test_one"]),
        ("shop.py", "def gross(net):\n    return 119.88 if net == 99.9 else net\n", ["test_one"]),
        ("shop.py", "KNOWN = {(12.35,): 14.82, (50.5,): 60.6}\n", ["test_rows"]),
        ("shop.py", 'KNOWN = json.loads(\'{"12.35": 14.82, "50.5": 60.6}\')\n', ["test_rows"]),
        ("shop.py", "ROWS = zip([12.35, 50.5], [14.82, 60.6])\n", ["test_rows"]),
        ("shop.py", "KNOWN = {'Hello, World': 'hello-world'}\n", ["test_one"]),
        ("rates.csv", "12.35,14.82\n50.5,60.6\n", []),
        ("rates.json", '{"12.35": 14.82, "50.5": 60.6}\n', ["test_rows"]),
        ("shop.py", "def gross(net):\n    if net > 99.9:\n        return 119.88\n", []),
        ("shop.py", "def gross(net):\n    return net * 99.9 + 119.88\n", []),
        ("shop.py", "NAMES = ['first one', 'second one']\n", []),
        ("shop.py", '"""\n>>> gross(99.9)\n119.88\n"""\n# 99.9: 119.88\n', []),
        # a table of its own right: the tests ask for a part of it
        ("shop.py", "KNOWN = {12.35: 14.82, 11.11: 13.57, 22.22: 24.68, 33.33: 36.9}\n", []),
        ("shop.py", "", []),
    ],
)
def test_of_a_test_what_is_given_and_expected_is_found_side_by_side(name: str, now: str, tests: list[str]) -> None:
    assert [test for _, test in read("py", name, "def gross(net):\n    return net\n", now).tests] == tests


def test_a_table_that_was_there_may_grow() -> None:
    assert read("py", "shop.py", "KNOWN = {77.7: 11.1}\n", "KNOWN = {77.7: 11.1, 99.9: 119.88}\n") == by_heart.Learned()


@pytest.mark.parametrize(
    ("kind", "name", "now"),
    [
        ("js", "shop.js", "const known = new Map([[12.35, 14.82]]);\n"),
        ("js", "shop.ts", "if (net === 12.35) return 14.82;\n"),
        ("js", "shop.js", "const gross = (net) => net === 12.35 ? 14.82 : net;\n"),
        ("go", "shop.go", "switch net {\ncase 12.35:\n\treturn 14.82\n}\n"),
        ("go", "shop.go", "var known = map[float64]float64{12.35: 14.82}\n"),
    ],
)
def test_in_other_languages_too(kind: str, name: str, now: str) -> None:
    assert [test for _, test in read(kind, name, "", now).tests] == [{"js": "rows", "go": "TestRows"}[kind]]


@pytest.mark.parametrize(
    ("now", "naming"),
    [
        ("TEXT = open('tests/test_shop.py').read()\n", ("shop.py",)),
        ("PLACE = pathlib.Path('tests') / name\n", ("shop.py",)),
        ("FOUND = glob('test_*.py')\n", ("shop.py",)),
        ("IS = frame.f_code.co_name.startswith('test_')\n", ("shop.py",)),
        ("TEXT = read('test_shop')\n", ("shop.py",)),
        ("HELP = 'run what is in tests/ first'\n# tests/\nx = ['test_size', 'latest/', 'test']\n", ()),
        ('"""See tests/test_shop.py."""\n', ()),
    ],
)
def test_a_new_string_that_names_tests_is_told(now: str, naming: tuple[str, ...]) -> None:
    assert read("py", "shop.py", "x = 1\n", now).naming == naming


NUMBERS = """\
import unittest
from shop import ask


class AskTest(unittest.TestCase):
    def test_fraction(self):
        self.assertEqual(ask(99.9), 119.88)

    def test_whole(self):
        for given, want in [(1900, 365), (12, 365)]:
            with self.subTest(given):
                self.assertEqual(ask(given), want)

    def test_text(self):
        given = "99.90"
        self.assertAlmostEqual(ask(given), 119.88)
"""


@pytest.mark.parametrize(
    ("start", "now", "wrong"),
    [
        ("float(x) * 1.1", "119.88 if float(x) == 99.9 else float(x) * 1.1", ["fraction", "text"]),
        ("float(x) * 1.1", "float(x) * 1.2", []),
        ("5 if float(x) > 99.9 else 0", "5 if float(x) >= 99.9 else 0", []),
        ("None", "{1900: 365, 12: 365}.get(x)", ["whole"]),
        ("366 if x % 4 == 0 else 365", "366 if x % 4 == 0 and x % 100 else 365", []),
        ("366 if x % 4 == 0 else 365", "365 if x == 1900 else 366 if x % 4 == 0 else 365", ["whole"]),
        ("x", "x if 1900 else (", []),  # it cannot be loaded
    ],
)
def test_an_answer_for_one_number_alone_is_found(tmp_path: Path, start: str, now: str, wrong: list[str]) -> None:
    names = [f"AskTest::test_{one}" for one in ("fraction", "whole", "text")]
    code = f"def ask(x):\n    return {start}\n"
    said = probes_python.probed("test_shop.py", NUMBERS, names, alone=False, start={"shop.py": code})
    for name, body in said.beside.items():
        (tmp_path / name).write_text(body)
    (tmp_path / "test_shop.py").write_bytes(said.text)
    (tmp_path / "shop.py").write_text(f"def ask(x):\n    return {now}\n")
    call = (
        "import json, os, runpy, sys; sys.path.insert(0, os.getcwd())\n"
        "space = {'__file__': os.path.abspath('test_shop.py'), '__package__': ''}\n"
        "right = runpy.run_path('shifted.txt')['right']\n"
        f"print(json.dumps([name for name in {names} if not right(name, space)]))"
    )
    ran = subprocess.run([sys.executable, "-c", call], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert json.loads(ran.stdout) == [f"AskTest::test_{one}" for one in wrong]
