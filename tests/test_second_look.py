"""What reading says against a green, read again: what asks for less stays, and honest work does not."""

from collections.abc import Mapping

import pytest

from untilgreen.core.trees import Entry
from untilgreen.project.fakes import asked, closely, run_files
from world import World

RUFF, MYPY, PYTEST = "[tool.ruff.lint]\n", "[tool.mypy]\n", "[tool.pytest.ini_options]\n"
INI, GO = "[pytest]\n", "module shop\n"
TSC = '{"compilerOptions": {"strict": %s}}'
ALL, B = '{"include": ["**/*.ts"]}', '{"include": ["b"]}'
EXTENDS = {"tsconfig.json": '{"extends": "./base.json"}'}
PATHS = '{"compilerOptions": {"paths": {%s}}}'
LIB = {"src/lib.rs": ""}
HOOKS = "repos:\n- repo: r\n  rev: v1\n  hooks:\n  - id: ruff\n"
ESLINT = "export default [{ rules: { 'no-var': 'error' } }];\n"
# the name of what differs, the files then and now
LESS: list[tuple[str, Mapping[str, str], Mapping[str, str]]] = [
    ("pyproject.toml [tool.ruff.lint]", {"pyproject.toml": RUFF}, {"pyproject.toml": RUFF + 'ignore = ["F401"]\n'}),
    ("pyproject.toml [tool.ruff.lint]", {"pyproject.toml": RUFF}, {"pyproject.toml": RUFF + 'select = ["I"]\n'}),
    ("pyproject.toml [tool.ruff.lint]", {"pyproject.toml": RUFF}, {"pyproject.toml": RUFF + 'ignore = ["F"]\n'}),
    ("pyproject.toml [tool.ruff.lint]", {"pyproject.toml": RUFF}, {"pyproject.toml": RUFF + 'ignore = ["E"]\n'}),
    (
        "pyproject.toml [tool.ruff]",
        {"pyproject.toml": RUFF + 'select = ["E"]\n'},
        {"pyproject.toml": "[tool.ruff]\nline-length = 99\n" + RUFF + 'select = ["E"]\n'},
    ),
    (
        "pyproject.toml [tool.ruff.lint.mccabe]",
        {"pyproject.toml": RUFF + 'select = ["C"]\n'},
        {"pyproject.toml": RUFF + 'select = ["C"]\nmccabe.max-complexity = 99\n'},
    ),
    ("ruff.toml", {"pyproject.toml": RUFF + 'select = ["ALL"]\n'}, {"ruff.toml": "", "pyproject.toml": RUFF}),
    ("mypy.ini", {"pyproject.toml": MYPY + "strict = true\n"}, {"mypy.ini": "", "pyproject.toml": MYPY}),
    (
        "mypy.ini",
        {"pyproject.toml": MYPY + "strict = true\n"},
        {"mypy.ini": "[mypy]\n", "pyproject.toml": MYPY + "strict = true\n"},
    ),
    (
        "pyproject.toml [tool.mypy]",
        {"pyproject.toml": MYPY + "strict = true\n"},
        {"pyproject.toml": MYPY + "strict = true\ndisallow_any_generics = false\n"},
    ),
    ("pyproject.toml [tool.mypy]", {"pyproject.toml": MYPY}, {"pyproject.toml": MYPY + 'exclude = "a"\n'}),
    ("pyproject.toml [tool.mypy]", {"pyproject.toml": MYPY}, {"pyproject.toml": MYPY + 'plugins = ["evil.py"]\n'}),
    (
        "pyproject.toml [tool.mypy]",
        {"pyproject.toml": MYPY, "a/a.py": "", "b.py": ""},
        {"pyproject.toml": MYPY + 'files = ["a"]\n', "a/a.py": "", "b.py": ""},
    ),
    ("mypy.ini", {"mypy.ini": "[mypy]\n"}, {"mypy.ini": "[mypy]\n[mypy-shop.*]\nignore_errors = True\n"}),
    ("pytest.ini", {"pytest.ini": "[pytest]\n"}, {"pytest.ini": "[pytest]\naddopts = -m 'not slow'\n"}),
    ("pytest.ini", {"pytest.ini": "[pytest]\naddopts = -W error\n"}, {"pytest.ini": "[pytest]\n"}),
    ("pytest.ini", {"pytest.ini": INI, "test_b.py": ""}, {"pytest.ini": f"{INI}testpaths = a\n", "test_b.py": ""}),
    ("pytest.ini", {"pytest.ini": INI}, {"pytest.ini": f"{INI}addopts = -p fakes\n", "fakes.py": ""}),
    (
        "go.mod [replace]",
        {"go.mod": "require a.b/c v1.0.0\n"},
        {"go.mod": "require a.b/c v1.0.0\nreplace a.b/c => ./c\n"},
    ),
    ("go.mod [replace]", {"go.mod": GO, "go.sum": "a.b/c v1.0.0 h1:x\n"}, {"go.mod": f"{GO}replace a.b/c => ./c\n"}),
    ("go.mod [replace]", {"go.mod": f"{GO}replace a.b/c => ./c\n"}, {"go.mod": GO}),
    ("pytest.ini", {"pytest.ini": "[pytest]\n"}, {"pytest.ini": "[pytest]\npythonpath = fake\n", "fake/shop.py": ""}),
    ("pytest.ini", {"pytest.ini": "[pytest]\n"}, {"pytest.ini": "[pytest]\npythonpath = build/lib\n"}),
    (
        "pytest.ini",
        {"pytest.ini": "[pytest]\nfilterwarnings = error\n"},
        {"pytest.ini": "[pytest]\nfilterwarnings =\n  error\n  ignore::UserWarning\n"},
    ),
    ("tsconfig.json [compilerOptions]", {"tsconfig.json": TSC % "true"}, {"tsconfig.json": TSC % "false"}),
    ("tsconfig.json", {"tsconfig.json": "{}"}, {"tsconfig.json": '{"exclude": ["src/a.ts"]}'}),
    ("tsconfig.json", {"tsconfig.json": "{}"}, {"tsconfig.json": '{"compilerOptions": {"paths": {"a": ["b"]}}}'}),
    (".pre-commit-config.yaml", {".pre-commit-config.yaml": HOOKS}, {".pre-commit-config.yaml": "repos: []\n"}),
    (
        ".pre-commit-config.yaml",
        {".pre-commit-config.yaml": HOOKS},
        {".pre-commit-config.yaml": HOOKS + "    args: [--exit-zero]\n"},
    ),
    ("eslint.config.js", {"eslint.config.js": ESLINT}, {"eslint.config.js": ESLINT.replace("error", "off")}),
    ("eslint.config.js", {"eslint.config.js": ESLINT}, {"eslint.config.js": "const a = 1;\n" + ESLINT}),
    (
        "eslint.config.js",
        {"eslint.config.js": ESLINT},
        {"eslint.config.js": ESLINT.replace("}];", "}, { ignores: ['a.js'] }];")},
    ),
    (".eslintrc.json", {".eslintrc.json": '{"rules": {"a": 2}}'}, {".eslintrc.json": '{"rules": {"a": ["warn"]}}'}),
    ("Cargo.toml [lints.rust]", {"Cargo.toml": ""}, {"Cargo.toml": "[lints.rust]\nunused = 'allow'\n"}),
    ("pytest.ini", {"pytest.ini": "[pytest]\n"}, {"pytest.ini": "pytest\n"}),
    (
        "pytest.ini",
        {"pytest.ini": "[pytest]\npythonpath = .\n", "shop/a.py": ""},
        {"pytest.ini": "[pytest]\npythonpath = fake .\n", "shop/a.py": "", "fake/shop/a.py": ""},
    ),
    ("tsconfig.json", {"tsconfig.json": ALL, "a.ts": "", "b/b.ts": ""}, {"tsconfig.json": B, "a.ts": "", "b/b.ts": ""}),
    ("tsconfig.json [compilerOptions]", {"tsconfig.json": TSC % "true"}, {"base.json": TSC % "false", **EXTENDS}),
    ("tsconfig.json", {"tsconfig.json": PATHS % '"@/*": ["a/*"]'}, {"tsconfig.json": PATHS % '"@/*": ["fakes/*"]'}),
    ("Cargo.toml [lib]", {"Cargo.toml": "", **LIB}, {"Cargo.toml": "[lib]\npath = 'b.rs'\n", **LIB}),
    ("shop.pyi (hides shop.py)", {}, {"shop.pyi": ""}),
]
MORE: list[tuple[str, Mapping[str, str], Mapping[str, str]]] = [
    ("pyproject.toml [tool.ruff]", {"pyproject.toml": RUFF}, {"pyproject.toml": RUFF + 'select = ["ALL"]\n'}),
    ("pyproject.toml [tool.ruff]", {"pyproject.toml": ""}, {"pyproject.toml": "[tool.ruff]\nline-length = 99\n"}),
    (
        "pyproject.toml [tool.ruff.lint]",
        {"pyproject.toml": RUFF + 'select = ["E", "F"]\n'},
        {
            "pyproject.toml": RUFF
            + 'select = ["E", "F", "S"]\nignore = ["S311"]\nper-file-ignores."tests/*" = ["S101"]\n'
        },
    ),
    ("setup.cfg [flake8]", {"setup.cfg": "[flake8]\nignore = E1,E2\n"}, {".flake8": "[flake8]\nignore = E2\n"}),
    ("pyproject.toml [tool.mypy]", {"pyproject.toml": ""}, {"pyproject.toml": MYPY + "strict = true\n"}),
    ("mypy.ini", {"mypy.ini": "[mypy]\nignore_missing_imports = True\n"}, {"mypy.ini": "[mypy]\n"}),
    (
        "setup.cfg [mypy-a.*]",
        {"setup.cfg": "[mypy]\nfiles = a, b\n[mypy-a.*]\nignore_errors = True\n"},
        {
            "pyproject.toml": MYPY
            + 'files = ["a", "b"]\n[[tool.mypy.overrides]]\nmodule = "a.*"\nignore_errors = true\n'
        },
    ),
    ("tsconfig.json [compilerOptions]", {"tsconfig.json": TSC % "false"}, {"tsconfig.json": "/* a */" + TSC % "true"}),
    ("eslint.config.js", {}, {"eslint.config.js": ESLINT}),
    (
        "eslint.config.js",
        {"eslint.config.js": ESLINT},
        {"eslint.config.js": ESLINT.replace(" } }", ",\n  eqeqeq: ['error', 'always'],\n} }")},
    ),
    (".pre-commit-config.yaml", {".pre-commit-config.yaml": HOOKS}, {".pre-commit-config.yaml": HOOKS + "  - id: b\n"}),
    ("Cargo.toml [lints.rust]", {"Cargo.toml": ""}, {"Cargo.toml": "[lints.rust]\nunused = 'deny'\n"}),
    ("pytest.ini", {"pytest.ini": "[pytest]\n"}, {"pytest.ini": "[pytest]\naddopts = --strict-markers -W error\n"}),
    (
        "pyproject.toml [tool.mypy]",
        {"pyproject.toml": MYPY, "a/a.py": ""},
        {"pyproject.toml": MYPY + 'files = ["a"]\n', "a/a.py": "", "b.py": ""},
    ),
    ("tsconfig.json", {"tsconfig.json": ALL, "a/a.ts": ""}, {"tsconfig.json": B, "b/a.ts": ""}),
    ("tsconfig.json [compilerOptions]", {"tsconfig.json": TSC % "true"}, {"base.json": TSC % "true", **EXTENDS}),
    ("tsconfig.json", {"tsconfig.json": PATHS % ""}, {"tsconfig.json": PATHS % '"@/*": ["./src/*"]'}),
    ("base.json", {"tsconfig.json": TSC % "true"}, {"base.json": TSC % "true", **EXTENDS}),
    ("Cargo.toml [lib]", {"Cargo.toml": "", **LIB}, {"Cargo.toml": "[lib]\npath = 'b.rs'\n", "b.rs": ""}),
    ("pytest.ini", {"pytest.ini": f"{INI}testpaths = a\n", "a/test_a.py": ""}, {"pytest.ini": f"{INI}testpaths = b\n"}),
    ("pytest.ini", {"pytest.ini": INI}, {"pytest.ini": f"{INI}addopts = -n 2\n"}),
    (
        "go.mod [replace]",
        {"go.mod": GO},
        {"go.mod": f"{GO}require a.b/c v1.0.0\nreplace (\n\ta.b/c v1.0.0 => ./c\n)\n"},
    ),
]


def side(files: Mapping[str, str]) -> asked.Side:
    return asked.Side(files, lambda path: files[path].encode() if path in files else None)


@pytest.mark.parametrize(
    ("name", "then", "now", "less"), [*((*row, True) for row in LESS), *((*row, False) for row in MORE)]
)
def test_configuration_is_compared_key_by_key(
    name: str, then: Mapping[str, str], now: Mapping[str, str], *, less: bool
) -> None:
    assert asked.asks_less(name, side(then), side(now)) is less


@pytest.mark.parametrize(
    ("path", "text", "kinds"),
    [
        ("a.py", 'A = "# noqa"  # noqa\n', {"noqa": 1}),
        ("test_a.py", '"""\n@pytest.mark.skip\n"""\n# pytest.skip()\npytest.skip("later")\n', {"skip": 1}),
        ("a.test.ts", "const a = `// @ts-ignore\nit.skip('a', () => {});`; // @ts-ignore\n", {"@ts-ignore": 1}),
        ("a.js", "a(/`/, '//'); // eslint-disable-line\nb(/`/);\n", {"eslint-disable": 1}),
        ("a_test.go", 'var a = "//nolint"\nfunc TestA(t *testing.T) {\n\tt.Skip("//nolint")\n}\n', {"t.Skip": 1}),
        ("a.rs", '/// `#[allow(a)]`\n#[allow(b)]\nconst A: &str = r##"#[allow(c)]"##;\n', {"#[allow]": 1}),
    ],
)
def test_a_marker_in_a_string_silences_nothing(path: str, text: str, kinds: dict[str, int]) -> None:
    assert {kind: number for kind, number in closely.silenced(path, text.encode()).items() if number} == kinds


IMPORT = "from inv.pricing import tax\n\n\ndef test_tax():\n    assert tax(100) == 20\n"


@pytest.mark.parametrize(
    ("then", "now", "along"),
    [
        (
            {"inv/pricing.py": "1", "tests/test_a.py": IMPORT},
            {"inv/money.py": "2", "tests/test_a.py": IMPORT.replace("pricing", "money")},
            {"tests/test_a.py"},
        ),
        # the module is still there, and nobody tests it
        (
            {"inv/pricing.py": "1", "tests/test_a.py": IMPORT, "old.py": ""},
            {"inv/pricing.py": "1", "inv/fake.py": "2", "tests/test_a.py": IMPORT.replace("pricing", "fake")},
            set(),
        ),
        (
            {"inv/pricing.py": "1", "tests/test_a.py": IMPORT},
            {"inv/money.py": "2", "tests/test_a.py": IMPORT.replace("pricing", "money").replace("== 20", "== 25")},
            set(),
        ),
        (
            {"a.js": "1", "test/a.test.js": "import { a } from '../a.js';\nit('a', a);\n"},
            {"lib/a.js": "1", "lib/a.test.js": "import { a } from './a.js';\nit('a', a);\n"},
            {"test/a.test.js", "lib/a.test.js"},
        ),
        # an import in another form binds the same of the same module
        (
            {"a.test.js": "const { a } = require('./a');\nit('a', a);\n"},
            {"a.test.js": "import { a } from './a';\nit('a', a);\n"},
            {"a.test.js"},
        ),
        (
            {"a.test.js": "const { a } = require('./a');\nit('a', a);\n"},
            {"a.test.js": "import { ok as a } from './a';\nit('a', a);\n"},
            set(),
        ),
        (
            {"a.go": "1", "a_test.go": "package shop\n\nfunc TestA()"},
            {"b/a.go": "1", "b/a_test.go": "package b\n\nfunc TestA()"},
            {"a_test.go", "b/a_test.go"},
        ),
        # the product stays where it was
        (
            {"a.go": "1", "c.go": "", "a_test.go": "package shop\n"},
            {"a.go": "1", "b/c.go": "", "b/a_test.go": "package b\n"},
            set(),
        ),
    ],
)
def test_a_test_goes_along_with_a_module_that_moved(
    then: Mapping[str, str], now: Mapping[str, str], along: set[str]
) -> None:
    start, end = ({path: Entry("100644", text) for path, text in files.items()} for files in (then, now))
    assert closely.along(start, end, lambda entry: entry.name.encode()) == along


SAID = "".join(f'print("what is said, {number}")\n' for number in range(9))  # lines with strings
RED = "def total(prices: list[int]) -> str:\n    largest = max(prices)\n    return sum(prices) + largest\n"


@pytest.mark.parametrize(
    ("now", "told"),
    [
        ({"a.py": RED.replace("str", "int")}, set()),
        ({"b.py": RED.replace("str", "int")}, set()),
        ({"a.pyx": RED}, {("unseen", "a.pyx")}),
        ({"build/a.py": RED}, {("unseen", "build/a.py")}),
        ({"a.py": f"exec('''\n{RED}''')\n"}, {("unseen", "a.py '…'"), ("silent", "exec(")}),
        ({"a.py": RED.replace("str", "Any")}, {("silent", "Any")}),
        ({"b.py": RED.replace("str", "'Any'")}, {("silent", "Any")}),
        ({"a.py": RED.replace(": list[int]) -> str", ")")}, {("silent", "def without types")}),
        ({"a.py": RED + '# Any, cast(\nA = "Any or cast( or eval("\n'}, set()),
        ({"docs/a.md": RED}, set()),
        ({"a.py": SAID + RED.replace("str", "int")}, set()),
        ({"b.py": SAID + RED.replace("str", "int")}, set()),
        ({"a.py": f"{RED}def f(a: object) -> TypeGuard[str]:\n    return a is not None\n"}, {("silent", "TypeGuard")}),
        ({"a.py": f"{RED}def f(a: int) -> str:\n    raise ValueError\n"}, {("silent", "def that only raises")}),
        ({"a.py": f"{RED}def f(a: int) -> NoReturn:\n    raise ValueError\n"}, set()),
        ({"a.py": f"{RED}def f(a: int) -> str:\n    if a:\n        raise ValueError\n    return ''\n"}, set()),
        ({"a.py": f"{RED}class A:\n    def f(self) -> str:\n        raise NotImplementedError\n"}, set()),
        ({"a.py": f"{RED}def f(a: object) -> TypeGuard[str]:\n    return isinstance(a, str)\n"}, set()),
        ({"a.py": f"{RED}box = SimpleNamespace(a=1)\n"}, {("silent", "SimpleNamespace(")}),
        (
            {"a.py": f"{RED}@overload\ndef f(a: int) -> str: ...\ndef f(a: int) -> object:\n    return a\n"},
            {("silent", "overload")},
        ),
    ],
)
def test_what_no_check_sees_any_more_of_a_file_is_told(now: Mapping[str, str], told: set[tuple[str, str]]) -> None:
    then = {"a.py": (SAID if SAID in "".join(now.values()) else "") + RED}
    start, end = ({path: Entry("100644", text) for path, text in files.items()} for files in (then, now))
    found = closely.doors(start, end, lambda entry: entry.name.encode(), {})
    assert ({(one.kind, one.detail) for one in found}, {one.place for one in found}) == (
        told,
        {"a.py"} if told else set(),
    )


LOOSE = "export const a: string = 1;\nexport const b: number = 2;\n"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("const is = (a: unknown): a is string => a !== undefined;\n", {"is"}),
        ("const is = (a: unknown): a is string => typeof a === 'string';\n", set()),
        ("const has = (a: Item | undefined): a is Item => a !== undefined;\n", set()),
        ("function must<T>(a: T): asserts a is NonNullable<T> {}\n", {"asserts"}),
        ("function to<T>(a: unknown): T {\n  return a as T;\n}\n", {"as T"}),
        ("export function f(a: A): string;\nexport function f(a: A): unknown {\n  return a;\n}\n", {"overload"}),
        ("export function f(a: A): string;\nexport function f(a: A): string {\n  return `${a}`;\n}\n", set()),
    ],
)
def test_types_that_promise_what_nobody_looks_at_are_told(text: str, told: set[str]) -> None:
    start, now = ({"a.ts": Entry("100644", one)} for one in (LOOSE, LOOSE + text))
    assert {one.detail for one in closely.doors(start, now, lambda entry: entry.name.encode(), {})} == told


@pytest.mark.parametrize(
    ("path", "texts", "taken"),
    [
        ("pricing.sh", ["set -eu\n. ./pricing.sh\n"], True),
        ("lib/pricing.sh", ["source lib/pricing.sh\n"], True),
        ("pricing.sh", ["sh pricing.sh\n"], False),
        ("tests/run.sh", [". ./tests/run.sh\n"], False),
        ("tools/check.sh", [". tools/check.sh\n"], False),
    ],
)
def test_functions_that_a_script_takes_in_are_the_product(path: str, texts: list[str], *, taken: bool) -> None:
    assert run_files.is_taken_in(path, texts) is taken


def test_what_holds_of_a_whole_makefile_counts() -> None:
    files = {"Makefile": b"test:\n\tsh a\nother:\n\tsh b\n.IGNORE:\n.SILENT: other\n"}
    assert run_files.texts([(".", "make", "test")], files.get) == {"Makefile": "test:\nsh a\n.IGNORE"}


MADE = {"Makefile": ".PHONY: test\ntest:\n\tsh tests/run.sh\n", "shop.sh": "total() { echo 4; }\n"}
RUN = "set -e\n. ./shop.sh\n[ $(total) = 3 ]\n"


@pytest.mark.parametrize(
    ("options", "run", "but"),
    [
        ((), f"{RUN}[ $(total) -lt 9 ]\n", False),
        ((), "exit 0\n", True),
        # what a user asked for by name counts, whatever it comes to
        (("--check", "run=sh tests/run.sh"), f"{RUN}[ $(total) -lt 9 ]\n", True),
    ],
)
def test_a_script_that_today_s_code_passes_in_its_old_form_makes_no_difference(
    world: World, options: tuple[str, ...], run: str, *, but: bool
) -> None:
    world.write(MADE | {"tests/run.sh": RUN})
    world.commit()
    world.run("start-loop", "mend it", "--session", world.session, "--criteria", "green", *options)
    world.write({"shop.sh": "total() { echo 3; }\n" if "total" in run else MADE["shop.sh"], "tests/run.sh": run})
    answer = world.stop()
    assert (answer.code, "but" in answer.notice, "changed tests/run.sh" in answer.notice) == (0, but, but), answer
