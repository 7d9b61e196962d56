"""Probes in the texts of tests: another expectation, one that fails, one that runs where nothing looks like tests."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from untilgreen.project.fakes import probes, probes_python

PYTHON = """\
import pytest
from shop import tax


@pytest.mark.parametrize(("amount", "want"), [(100, 20), (200, 40)])
def test_rows(amount, want):
    assert tax(amount) == want


@pytest.mark.parametrize("amount", [1, 2])
def test_given(amount):
    want = 3
    assert tax(amount) == amount
    assert tax(want) == want


class TestTax:
    def test_some(self):
        assert tax(5) == 1 and tax(10) == pytest.approx(2.0)
        for amount, want in [(1, "a"), (2, "b")]:
            assert tax(amount) == want
        assert "x" in tax(6)
        assert tax(7) > 1
        if tax(8):
            assert tax(8) == 1
            return
        assert tax(9) == 1
"""


def lines(text: bytes, *wanted: str) -> list[str]:
    return [line.strip() for line in text.decode().split("\n") if any(word in line for word in wanted)]


def test_of_python_each_literal_that_a_test_surely_expects_is_another_one() -> None:
    said = probes_python.probed("test_tax.py", PYTHON, ["test_rows", "test_given", "TestTax::test_some"], alone=True)
    assert lines(said.text, "parametrize", "assert", "for ") == [
        '@pytest.mark.parametrize(("amount", "want"), [(100, 21), (200, 41)])',
        "assert tax(amount) == want",
        '@pytest.mark.parametrize("amount", [1, 2])',
        "assert tax(amount) == amount",
        "assert tax(want) == want",
        "assert tax(5) == 2 and tax(10) == pytest.approx(-1015.0)",
        "for amount, want in [(1, 'qa'), (2, 'qb')]:",
        "assert tax(amount) == want",
        "assert 'qx' in tax(6)",
        "assert tax(7) > 1",
        "assert tax(8) == 1",
        "assert tax(9) == 1",
    ]
    assert said.about == {name: ("other", name) for name in ("test_rows", "TestTax::test_some")}


def test_beside_it_stand_a_copy_one_that_fails_and_copies_with_one_literal_each() -> None:
    said = probes_python.probed("test_tax.py", PYTHON, ["TestTax::test_some"], alone=False)
    assert {name.partition("::")[2]: kind for name, (kind, _) in said.about.items()} == {
        "test_some": "other",
        "test_some_0": "same",
        "test_some_1": "canary",
        "test_some_2": "outside",
        **{f"test_some_{number}": "other" for number in (3, 4, 5, 6)},
    }
    assert sorted(said.beside) == ["plain.txt", "shifted.txt", "test_tax.py.json"]
    compile(said.text, "test_tax.py", "exec")


@pytest.mark.parametrize(
    ("path", "name", "text", "changed"),
    [
        ("a.js", "tax", "test('tax', () => { assert.equal(tax(100), 20, 'it is'); });", "tax(100), 21, 'it is'"),
        ("a.ts", "s > tax", "describe('s', () => { it('tax', () => {\nexpect(a)\n.toBe('a'); }); });", ".toBe('qa')"),
        ("a.js", "tax", "test('tax', () => {\n  if (a) assert.equal(a, 20);\n  expect(b).not.toBe(3);\n});", ""),
        (
            "a_test.go",
            "TestTax",
            "func TestTax(t *testing.T) {\n\tif a := Tax(1); a != 20 {\n\t\tt.Fatal(a)\n\t}\n}\n",
            "a != 21 {",
        ),
        ("a_test.go", "TestTax", "func TestTax(t *testing.T) {\n\tif a != 20 {\n\t\tclean()\n\t}\n}\n", ""),
        ("a_test.go", "TestTax", "func TestTax(t *testing.T) {\n\tif a != 20 && a != 21 {\n\t}\n}\n", ""),
        (
            "a_test.go",
            "TestTax",
            "func TestTax(t *testing.T) {\n\tif _, err := Tax(1); !errors.Is(err, ErrA) {\n\t\tt.Fatal(err)\n\t}\n}\n",
            '!errors.Is(err, errors.New("q")) {',
        ),
        ("tests/a.rs", "taxes", "#[test]\nfn taxes() {\n    assert_eq!(tax(&[1]), 1.5f64);\n}\n", "tax(&[1]), 2.5f64"),
    ],
)
def test_of_other_languages_too(path: str, name: str, text: str, changed: str) -> None:
    said = probes.probed(path, text, [name], alone=True)
    assert said.about == ({name: ("other", name)} if changed else {})
    assert changed in said.text.decode()
    more = probes.probed(path, text, [name], alone=False)
    assert "canary" in {kind for kind, _ in more.about.values()}


def test_of_javascript_a_plain_process_begins_elsewhere_with_the_code_of_the_start_beside_it() -> None:
    text = "import { it } from 'vitest';\nimport { tax as of } from '../shop.js';\n\n"
    text += "describe('shop', () => {\n  it('tax', () => {\n    expect(of(100)).toBe(20);\n  });\n});\n"
    old = {"shop.js": "import { rate } from './rates.js';\n", "rates.js": "export const rate = 4;\n", "new.js": None}
    said = probes.probed("test/shop.test.js", text, ["shop > tax"], alone=False, start=old)
    assert {name: kind for name, (kind, _) in said.about.items()} == {
        "shop > tax": "other",
        "shop > tax 0": "canary",
        "shop > tax 1": "outside",
        "shop > tax 2": "shifted",
    }
    (place, plain), *others = said.beside.items()
    assert place.startswith("../zz")
    assert dict(others) == {
        "../shop.zz0.js": "import { rate } from './rates.zz0.js';\n",
        "../rates.zz0.js": old["rates.js"],
    }
    assert lines(plain.encode(), "vitest", "shop.js", "zz0") == [
        'import * as _now1 from "./shop.js";',
        'const { tax: of } = _both(_now1, _plain === "2" && (await import("./shop.zz0.js")));',
    ]
    assert lines(said.text, "shop.js") == ["import { tax as of } from '../shop.js';"]
    twice = text + "it('tax', () => {});\n"
    both = probes.probed("test/shop.test.js", twice, ["shop > tax"], alone=False, start=old)
    assert {kind for kind, _ in both.about.values()} == {"other", "canary"}  # which of the two was it?


def test_where_it_does_not_look_like_a_test_it_has_another_thread_in_rust_and_another_file_in_go() -> None:
    rust, go = "#[test]\nfn taxes() {\n    assert_eq!(tax(), 1);\n}\n", "package a\n\nfunc TestTax(t *testing.T) {\n}\n"
    said = probes.probed("tests/a.rs", rust, ["taxes"], alone=False)
    assert {name: kind for name, (kind, _) in said.about.items()} == {
        "taxes": "other",
        "taxes_0": "canary",
        "taxes_1": "outside",
        "taxes_2": "same",
    }
    assert b'.name("main".into())' in said.text
    files = probes.probed("tests/a.rs", f"use std::fs::read;\n{rust}", ["taxes"], alone=False)
    assert "outside" not in {kind for kind, _ in files.about.values()}
    there = probes.probed("a/a_test.go", go, ["TestTax"], alone=False).text.decode()
    assert "//line main.go:1\nfunc TestTax_3(t *testing.T) {" in there
    assert "//line a_test.go:1\n" in there.partition("func TestTax_3(")[2]


# what a product looks at, and whether its test still says the same out of sight
LOOKS = {
    "'pytest' in sys.modules": False,
    "'PYTEST_CURRENT_TEST' in os.environ": False,
    "sys._getframe(1).f_code.co_name.startswith('test_tax')": False,
    "'_pytest' in sys._getframe(2).f_globals['__name__']": False,
    "'pytest' in sys.modules['__main__'].__file__": False,
    "any('Rewriting' in type(one).__name__ for one in sys.meta_path)": False,
    "'capture' in type(sys.stdout).__module__": False,
    "any('test' in one for one in sys.orig_argv)": False,
    "b'test' in open('/proc/self/cmdline', 'rb').read()" if sys.platform == "linux" else "sys.argv[1:]": False,
    "'== 20' in open(__file__.replace('shop', 'test_tax')).read()": False,
    "time.time() - os.stat(__file__).st_mtime < 3600": False,
    "True": True,
    "False": True,  # it fails in sight as well: that says nothing
}


def test_out_of_sight_a_product_that_looks_is_wrong(tmp_path: Path) -> None:
    product, text = "import os, sys, time\n", "import pytest\nimport shop\n"
    for number, seen in enumerate(LOOKS):
        product += f"\n\ndef tax_{number}(amount):\n    return 20 if {seen} else 1\n"
        text += f"\n\ndef test_tax_{number}():\n    assert shop.tax_{number}(100) == 20\n"
    names = [f"test_tax_{number}" for number, _ in enumerate(LOOKS)]
    (tmp_path / "shop.py").write_text(product)
    said = probes_python.probed("test_tax.py", text, names, alone=False, start={"shop.py": ""})
    for name, body in said.beside.items():
        (tmp_path / name).write_text(body)
    (tmp_path / "test_tax.py").write_bytes(said.text)
    code = (
        "import json, os, pytest, runpy, sys; sys.path.insert(0, os.getcwd())\n"
        "space = {'__file__': os.path.abspath('test_tax.py'), '__name__': 'test_tax', '__package__': ''}\n"
        f"right = runpy.run_path('plain.txt')['right']; print(json.dumps([right(one, space) for one in {names}]))"
    )
    ran = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert dict(zip(LOOKS, json.loads(ran.stdout), strict=True)) == LOOKS


# what a product in JavaScript answers instead of what it did: a plain process says of its test
ANSWERS = {
    "amount / 5": "right",
    "typeof it === 'function' ? amount / 5 : 1": "wrong",
    "new Error().stack.includes('/test/') ? amount / 5 : 1": "wrong",
    "process.env.JEST_WORKER_ID ? amount / 5 : 1": "wrong",
    "JSON.stringify([amount]).length === 5 ? 20 : amount / 4": "right",  # three digits: that is more than one number
    "amount === 10 * 10 ? 20 : amount / 4": "learned",
    "document.title": "other",
}


@pytest.mark.needs("npm")
def test_out_of_sight_a_product_of_javascript_that_looks_is_wrong(tmp_path: Path) -> None:
    names, product, then, text = list[str](), "", "", "import { describe, it } from 'node:test';\n"
    for number, answer in enumerate(ANSWERS):
        names.append(f"shop > tax {number}")
        product += f"export const tax{number} = (amount) => {answer};\n"
        then += f"export const tax{number} = (amount) => amount / 4;\n"
        text += f"it('tax {number}', () => expect(shop.tax{number}(100)).toBe(20));\n"
    text = text.replace("\n", "\nimport * as shop from '../shop.mjs';\n\ndescribe('shop', () => {\n", 1) + "});\n"
    said = probes.probed("test/shop.test.mjs", text, names, alone=False, start={"shop.mjs": then})
    (tmp_path / "test").mkdir()
    (tmp_path / "shop.mjs").write_text(product)
    for name, body in said.beside.items():
        (tmp_path / "test" / name).write_text(body)
    place = next(iter(said.beside)).removeprefix("../")
    told = [
        subprocess.run(
            ["node", place], cwd=tmp_path, env=os.environ | {"_PLAIN": mode}, capture_output=True, text=True, check=True
        )
        for mode in ("1", "2")
    ]
    assert not told[0].stderr
    plain, again = (dict(line.split(": ")[::-1] for line in one.stdout.split("\n") if line) for one in told)
    learned = {name: end for name, end in again.items() if end == "learned"}
    assert list((plain | learned).values()) == list(ANSWERS.values())
