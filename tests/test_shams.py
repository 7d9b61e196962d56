"""Shapes that make a test green whatever the code does, and what looks like one and is honest."""

import re
import time
from pathlib import Path

import pytest

from untilgreen.core.verdict import weakened
from untilgreen.project.fakes import definitions, pytest_hooks, shams, text

MANY = [one for kinds in (*shams.IN_TESTS.values(), *shams.IN_PRODUCT.values()) for one in kinds]


def counted(folder: Path, path: str, content: str | bytes) -> dict[str, int]:
    """The kinds in a file of this name."""
    (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
    return text.read(str(folder), (path,), time.monotonic() + 60).suppressions


@pytest.mark.parametrize(
    ("path", "content", "kinds"),
    [
        (
            "test_a.py",
            "def test_a():\n    with pytest.raises(AssertionError):\n        assert total() == 4\n",
            {"raises(AssertionError)": 1},
        ),
        (
            "test_a.py",
            "def test_a():\n    with pytest.raises(AssertionError):\n        x = 1\n        assert total() == x\n",
            {"raises(AssertionError)": 1},
        ),
        (
            "test_a.py",
            "def test_a(self):\n    with self.assertRaises(AssertionError):\n        self.assertEqual(total(), 4)\n",
            {"raises(AssertionError)": 1},
        ),
        (
            "test_a.py",
            "def test_a():\n    with pytest.raises(AssertionError): assert total() == 4\n",
            {"raises(AssertionError)": 1},
        ),
        (
            "test_a.py",
            "def test_a():\n    with pytest.raises(AssertionError, match='x'):\n        check(-1)\n    assert f() == 1\n",  # noqa: E501
            {},
        ),
        (
            "test_a.py",
            "def test_a():\n    with pytest.raises(Exception):\n        assert total() == 4\n",
            {"raises(AssertionError)": 1},
        ),
        ("test_a.py", "def test_a():\n    with pytest.raises(Exception):\n        total()\n    assert 1 == f()\n", {}),
        (
            "test_a.py",
            "    with contextlib.suppress(AssertionError):\n        assert total() == 4\n",
            {"swallowed assertion": 1},
        ),
        ("test_a.py", "    with suppress(Exception):\n        assert total() == 4\n", {"swallowed assertion": 1}),
        ("test_a.py", "    with suppress(KeyError):\n        del x['a']\n", {}),
        (
            "test_a.py",
            "    try:\n        assert total() == 4\n    except AssertionError:\n        pass\n",
            {"swallowed assertion": 1},
        ),
        (
            "test_a.py",
            "    try:\n        assert total() == 4\n    except Exception:\n        pass\n",
            {"swallowed assertion": 1},
        ),
        ("test_a.py", "    try:\n        assert total() == 4\n    except:\n        pass\n", {"swallowed assertion": 1}),
        ("test_a.py", "    try:\n        f()\n        assert False\n    except ValueError:\n        pass\n", {}),
        ("test_a.py", "    except AssertionError as e:\n        assert 'x' in str(e)\n", {}),
        ("test_a.py", "    except AssertionError:\n        time.sleep(1)\n", {}),
        ("test_a.py", "    assert total([1]) == 4 or True\n", {"always true assertion": 1}),
        ("test_a.py", "    assert (total([1]) == 4 or True)\n", {"always true assertion": 1}),
        ("test_a.py", "    assert True or total() == 4\n", {"always true assertion": 1}),
        ("test_a.py", "    assert total() == 4 or True, 'm'\n", {"always true assertion": 1}),
        ("test_a.py", "    assert x or true_thing\n    assert door is True\n    assert 'or true' in x\n", {}),
        ("test_a.py", "    assert (total() == 4, 'm')\n", {"assert of a tuple": 1}),
        ("test_a.py", '    assert (total([1, 2]) == 4, "m")  # x\n', {"assert of a tuple": 1}),
        (
            "test_a.py",
            "    assert (a, b) == (c, d)\n    assert (f(a, b))\n    assert (x in [1, 2])\n    assert (a == b), (c, d)\n    assert (f(a, b) == g(c, d))\n    assert (x := f(1, 2))\n",  # noqa: E501
            {},
        ),
        ("test_a.py", "    if False:\n        assert 1\n", {"if False": 1}),
        ("test_a.py", "def test_a():\n    return\n    assert f() == 1\n", {"test that returns first": 1}),
        (
            "test_a.py",
            'def test_a():\n    """Doc."""\n    return\n    assert f() == 1\n',
            {"test that returns first": 1},
        ),
        ("test_a.py", "def test_a():\n    return\n\n\ndef test_b():\n    assert 1\n", {"emptied test": 2}),
        ("test_a.py", "import pytest as pt\ndef test_a():\n    pt.skip('x')\n", {"skip": 1}),
        ("test_a.py", "from pytest import skip\ndef test_a():\n    skip('x')\n", {"skip": 1}),
        (
            "test_a.py",
            "from pytest import skip as later, xfail\ndef test_a():\n    later('x')\n    xfail('y')\n",
            {"skip": 1, "xfail": 1},
        ),
        ("test_a.py", "from pytest import mark as m\n@m.skip\ndef test_a(): f()\n", {"skip": 1}),
        ("test_a.py", "from unittest import skip as s, SkipTest\n@s('x')\ndef test_a(): f()\n", {"skip": 1}),
        ("test_a.py", "from unittest import SkipTest\ndef test_a():\n    raise SkipTest('x')\n", {"skip": 1}),
        ("test_a.py", "import unittest\ndef test_a():\n    raise unittest.SkipTest('x')\n", {"skip": 1}),
        ("test_a.py", "def test_a(request):\n    request.node.add_marker('skip')\n", {"skip": 1}),
        ("test_a.py", "def test_a(request):\n    request.node.add_marker(pytest.mark.skip)\n", {"skip": 1}),
        ("test_a.py", "pytestmark = getattr(pytest.mark, 'skip')\n", {"skip": 1}),
        ("test_a.py", "pytestmark = pytest.mark.skip\n", {"skip": 1}),
        (
            "test_a.py",
            "def test_skip_header():\n    '''Lines to skip are read over.'''\n    assert reader.skip(3) == 1\n",
            {},
        ),
        (
            "shop.py",
            "import os\nif os.environ.get('PYTEST_CURRENT_TEST'):\n    x = 1\n",
            {"asks whether it is tested": 1},
        ),
        ("shop.py", "if 'pytest' in sys.modules:\n    x = 1\n", {"asks whether it is tested": 1}),
        ("shop.py", "x = cast(Any, y)\n", {"cast(Any": 1}),
        ("shop.py", "if TYPE_CHECKING:\n    from x import Y\nelse:\n    Y = 1\n", {}),
        (
            "shop.py",
            "if TYPE_CHECKING:\n    def total(x: int) -> int: ...\nelse:\n    def total(x): return 's'\n",
            {"if TYPE_CHECKING: def": 1},
        ),
        ("a.test.js", "it['skip']('x', () => {})\n", {".skip": 1}),
        ("a.test.js", "const {skip: later} = it;\n", {".skip": 1}),
        ("a.test.js", "const { skip } = test\n", {".skip": 1}),
        ("a.test.js", "test('a', (c) => { c.skip(); assert(f()); })\n", {".skip": 1}),
        ("a.test.js", "test('a', (c) => { c.skip('later'); })\n", {".skip": 1}),
        ("a.test.js", "const x = stream.skip(3).take(2)\n", {}),
        ("a.test.js", "it.skip('x', () => { f() })\nit('y', (t) => { t.skip() })\n", {".skip": 2}),
        ("a.test.js", "import {skip, test} from 'node:test'\n", {".skip": 1}),
        ("a.test.js", "test('a', ({skip}) => { skip() })\n", {".skip": 1}),
        (
            "a.test.js",
            "test('a', () => {\n  try {\n    assert.equal(f(), 4);\n  } catch {}\n})\n",
            {"swallowed assertion": 1},
        ),
        (
            "a.test.js",
            "test('a', () => {\n  try { assert.equal(f(), 4) } catch (e) {}\n})\n",
            {"swallowed assertion": 1},
        ),
        ("a.test.js", "test('a', () => {\n  try {\n    f();\n    expect.fail();\n  } catch {}\n})\n", {}),
        ("a.test.js", "  expect(f() === 4 || true).toBe(true)\n", {"always true assertion": 1}),
        ("a.test.js", "test('a', () => {\n  return;\n  expect(f()).toBe(4);\n});\n", {"test that returns first": 1}),
        ("a.test.js", "test('a', () => {\n  return f().then((x) => expect(x).toBe(4));\n});\n", {}),
        ("a.test.js", "test('a', () => {\n  if (false) { expect(f()).toBe(4); }\n});\n", {"if False": 1}),
        (
            "shop.ts",
            "const x = y as any;\n// the same as any other\n/* as any */\n * as any,\nf(y as any)\n",
            {"as any": 2},
        ),
        ("shop.ts", "const x = y as unknown as Foo;\n", {"as unknown as": 1}),
        ("shop.ts", "const x = <any>y;\nconst p: Promise<any> = f<any>(x);\n", {"<any>": 1}),
        ("shop.ts", "declare module '*';\ndeclare module '*.css';\n", {"declare module": 1}),
        (
            "shop.js",
            "if (process.env.JEST_WORKER_ID) {}\nif (process.env.NODE_ENV === 'test') {}\nif (process.env['NODE_ENV'] == \"test\") {}\nif (process.env.VITEST) {}\nif (process.env.NODE_ENV !== 'production') {}\n",  # noqa: E501
            {"asks whether it is tested": 4},
        ),
        ("a_test.go", "func TestA(tt *testing.T) {\n\ttt.SkipNow()\n}\n", {"t.Skip": 1}),
        ("a_test.go", 'func TestA(t *testing.T) {\n\tt.Skip("x")\n\td.Skip()\n}\n', {"t.Skip": 1}),
        ("a_test.go", "func TestA(t *testing.T) {\n\treturn\n\tf(t)\n}\n", {"test that returns first": 1}),
        (
            "a_test.go",
            "func TestA(t *testing.T) {\n\tif false {\n\t\tf(t)\n\t}\n\tif got != 4 && false {\n}\n}\n",
            {"if False": 2},
        ),
        ("a.go", "func F() int {\n\tif testing.Testing() {\n\t\treturn 4\n\t}\n}\n", {"asks whether it is tested": 1}),
        ("a.rs", "#[test]\n#[should_panic]\nfn a() { assert_eq!(f(), 4); }\n", {"#[should_panic]": 1}),
        (
            "a.rs",
            '#[test]\n#[should_panic(expected = "neg")]\nfn a() {\n    f(-1);\n}\n#[test]\nfn b() { assert!(f()); }\n',
            {},
        ),
        ("a.rs", "#[cfg(not(test))]\nfn a() {}\n", {"asks whether it is tested": 1}),
        ("a.rs", "#[test]\nfn a() {\n    return;\n    assert_eq!(f(), 4);\n}\n", {"test that returns first": 1}),
        (
            "a.rs",
            "#[test]\nfn a() { let _ = std::panic::catch_unwind(|| assert_eq!(f(), 4)); }\n",
            {"swallowed assertion": 1},
        ),
        ("a.rs", "#[test]\nfn a() { assert!(f() == 4 || true); }\n", {"always true assertion": 1}),
    ],
)
def test_a_shape_is_counted_and_honest_work_is_not(
    tmp_path: Path, path: str, content: str, kinds: dict[str, int]
) -> None:
    assert counted(tmp_path, path, content) == kinds


@pytest.mark.parametrize(
    ("path", "content", "tests"),
    [
        ("test_a.py", "def test_a():\n    f()\n\nclass TestX:\n    def test_b(self):\n        f()\n", 2),
        ("test_a.py", "def outer():\n    def test_a():\n        f()\n\ndef test_b(): f()\n", 1),
        ("test_a.py", "class X:\n    def test_a(self):\n        f()\n", 0),
        ("test_a.py", "class X(unittest.TestCase):\n    def test_a(self):\n        f()\n", 1),
        ("test_a.py", "class X():\n    def test_a(self):\n        f()\n", 0),
        ("test_a.py", "if False:\n    def test_a():\n        f()\nelse:\n    def test_b(): f()\n", 1),
        ("test_a.py", "if sys.version_info > (3,):\n    def test_a():\n        f()\n", 1),
        ("test_a.py", '"""\ndef test_a():\n    f()\n"""\ndef test_b():\n    """Doc."""\n    f()\n', 1),
        ("test_a.py", 'def test_b():\n    """Doc."""\n    x = """\ndef test_c(): f()\n"""\n    f()\n', 1),
        ("test_a.py", "def test_b():\n    def test_c():\n        g()\n    f()\n", 1),
        (
            "test_a.py",
            "class TestA:\n    class TestB:\n        def test_a(self): f()\n    def helper(self):\n        def test_x(): f()\n",  # noqa: E501
            1,
        ),
        ("a_test.go", "//go:build integration\n\npackage a\nfunc TestA(t *testing.T) {\n f(t)\n}\n", 0),
        ("a_test.go", "//go:build linux\n\npackage a\nfunc TestA(t *testing.T) {\n f(t)\n}\n", 1),
        (
            "a.rs",
            '#[test]\nfn a() { f(); }\n#[cfg(feature = "x")]\n#[test]\nfn b() { f(); }\n#[test]\n#[cfg(feature = "x")]\nfn c() { f(); }\n#[test]\nfn d() { f(); }\n',  # noqa: E501
            2,
        ),
        ("a.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn a() { f(); }\n}\n", 1),
        ("a.rs", '#[cfg(all(test, feature = "slow"))]\nmod tests {\n    #[test]\n    fn a() { f(); }\n}\n', 0),
    ],
)
def test_only_tests_that_a_runner_sees_are_counted(path: str, content: str, tests: int) -> None:
    assert definitions.counted(path, content.encode())[0] == tests


HOOKS = """import pytest

def pytest_configure(config):
    config.addinivalue_line('markers', 'slow: x')


@pytest.hookimpl
def pytest_runtest_makereport(item,
    call):
    # why
    return 1


@pytest.fixture
def price():
    return 2


collect_ignore = [
    'a',
]
pytest_plugins = 'x'
"""


def test_the_hooks_of_a_file_are_known_by_name_without_comments_and_fixtures() -> None:
    assert pytest_hooks.texts("t/conftest.py", HOOKS.encode()) == {
        "t/conftest.py [pytest_runtest_makereport]": "def pytest_runtest_makereport(item,\ncall):\nreturn 1",
        "t/conftest.py [collect_ignore]": "collect_ignore = [\n'a',\n]",
        "t/conftest.py [pytest_plugins]": "pytest_plugins = 'x'",
    }
    assert pytest_hooks.texts("t/conftest.py", b"import pytest\n\n\n@pytest.fixture\ndef a():\n    return 1\n") == {}


@pytest.mark.parametrize(
    ("path", "then", "now", "told"),
    [
        (".mocharc.json", '{"require": ["./t/up.js"]}', "", "changed t/up.js"),
        ("jest.config.js", "module.exports = { setupFilesAfterEnv: ['<rootDir>/t/up.js'] };\n", "", "changed t/up.js"),
        ("vitest.config.ts", "export default { test: { globalSetup: './t/up' } };\n", "", "changed t/up.js"),
        ("package.json", '{"scripts": {"test": "node --import ./t/up.js --test"}}', "", "changed t/up.js"),
        ("package.json", '{"scripts": {"test": "mocha -r t/up.js"}}', "", "changed t/up.js"),
        ("package.json", '{"scripts": {"start": "node t/up.js"}}', "", ""),
        ("Cargo.toml", "[lib]\nname = 'a'\n", "[lib]\nname = 'a'\ntest = false\n", "new Cargo.toml [lib]"),
        ("Cargo.toml", "", "[profile.test]\noverflow-checks = false\n", "new Cargo.toml [profile.test]"),
        ("Cargo.toml", "", "[[test]]\nname = 'a'\nharness = false\n", "new Cargo.toml [test]"),
        ("Cargo.toml", "", "[package]\nname = 'a'\nversion = '1'\n[profile.dev]\nopt-level = 1\n", ""),
        ("build.rs", "fn main() {}\n", 'fn main() { println!("cargo:rustc-cfg=fake"); }\n', "new build.rs"),
        ("build.rs", "fn main() {}\n", "fn main() { generate(); }\n", ""),
        ("go.mod", "module a\n", "module a\n\nreplace b => ./b\n", "new go.mod [replace]"),
        ("go.mod", "module a\n", "module a\n\nrequire b v1\n", ""),
        ("sitecustomize.py", "", "import shop\n", "changed sitecustomize.py"),
    ],
)
def test_what_is_loaded_before_the_tests_is_configuration(
    tmp_path: Path, path: str, then: str, now: str, told: str
) -> None:
    (tmp_path / "t").mkdir()
    (tmp_path / "t" / "up.js").write_text("require('../shop');\n")
    (tmp_path / "shop.js").write_text("1\n")
    files = (path, "t/up.js", "shop.js")
    (tmp_path / path).write_text(then)
    one = text.read(str(tmp_path), files, time.monotonic() + 60)
    (tmp_path / path).write_text(now or then)
    (tmp_path / ("x" if now else "t/up.js")).write_text("require('../shop'); shop.total = 4;\n")
    (tmp_path / "shop.js").write_text("2\n")
    two = text.read(str(tmp_path), files, time.monotonic() + 60)
    assert weakened.compare(one, two, 0, 0)[0] == ((told,) if told else ())


def test_no_pattern_is_without_its_word() -> None:
    assert [kind for kind in MANY if not kind.word or not re.compile(kind.pattern)] == []


HARD = [
    b"assert (a, ",
    b"assert (",
    b"    assert a or ",
    b"with raises(assertionerror, ",
    b"with raises(",
    b"except ",
    b"as any ",
]
HARD += [
    b"    assert a\n    except ",
    b"import pytest as a\n",
    b"from pytest import (skip ",
    b"from pytest import skip, ",
    b"a.skip(",
]
HARD += [
    b"def pytest_configure(\n",
    b"    def pytest_runtest_a():\n",
    b"collect_ignore = [\n",
    b"class A:\n",
    b'"""def test',
    b"{skip ",
]
HARD += [
    b"#[should_panic] ",
    b"#[cfg(a)] #[test] ",
    b"#[cfg(all(test, ",
    b"if type_checking:\n",
    b"} catch {",
    b"test('', () => { return; ",
]
HARD += [b"//go:build a ", b"func TestA(t *testing.T) {", b"make -C a ", b"cast(", b"declare module '"]


@pytest.mark.parametrize("path", ["test_a.py", "shop.py", "a.test.ts", "shop.ts", "a_test.go", "a.rs"])
def test_no_shape_takes_long(tmp_path: Path, path: str) -> None:
    for piece in HARD:
        for begins in (b"", b"    with raises(assertionerror):\n", b"it('a', () => {", b"#[test]\n"):
            began = time.process_time()
            counted(tmp_path, path, begins + piece * (30_000 // len(piece)))
            assert time.process_time() - began < 0.4, (begins, piece)
