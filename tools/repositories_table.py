"""The whole repositories of repositories.py: at which commit, how installed, what their CI runs, what we put in.

Those of JavaScript are in repositories_node.py.
"""

from collections.abc import Mapping
from typing import NamedTuple


class Edit(NamedTuple):
    """One change: `old` becomes `new`, once; without `old` it is the new end of the file, or a new file."""

    file: str
    old: str
    new: str


class Repository(NamedTuple):
    """One repository: what installs it, and the commands that its CI runs on a push and that can run here."""

    name: str
    commit: str
    install: tuple[str, ...]
    commands: tuple[str, ...]
    faults: Mapping[str, tuple[Edit, ...]]
    feature: tuple[Edit, ...]


def _tested(file: str, module: str, lead: str = "") -> Edit:
    """A test of `untilgreen` in a file of its own."""
    called = f"{lead}from {module} import untilgreen\n\n\ndef test_untilgreen() -> None:\n"
    return Edit(file, "", f"{called}    assert untilgreen(2) == 4\n")


def _unit(file: str, module: str) -> Edit:
    """The same for unittest."""
    called = f"import unittest\n\nfrom {module} import untilgreen\n\n\nclass Test(unittest.TestCase):\n"
    return Edit(file, "", f"{called}    def test_untilgreen(self):\n        self.assertEqual(untilgreen(2), 4)\n")


def _go(name: str, commit: str, commands: tuple[str, ...], bug: Edit, package: str) -> Repository:
    """A module without requirements; a type error and a syntax error beside the bug."""
    source = f"package {package}\n\n// Untilgreen doubles.\nfunc Untilgreen(n int) int {{\n\treturn n * 2\n}}\n"
    test = (
        f'package {package}\n\nimport "testing"\n\nfunc TestUntilgreen(t *testing.T) {{\n'
        '\tif Untilgreen(2) != 4 {\n\t\tt.Error("not doubled")\n\t}\n}\n'
    )
    faults = {
        "bug": (bug,),
        "type error": (Edit(bug.file, "", '\nvar untilgreen int = ""\n'),),
        "syntax error": (Edit(bug.file, "", "\nfunc (\n"),),
    }
    beside = bug.file.rpartition("/")[0]
    feature = tuple(
        Edit(f"{beside}/{file}".lstrip("/"), "", text)
        for file, text in (("untilgreen.go", source), ("untilgreen_test.go", test))
    )
    return Repository(name, commit, (), commands, faults, feature)


def _rust(name: str, commit: str, commands: tuple[str, ...], bug: Edit, file: str) -> Repository:
    """A crate without dependencies; of clippy and rustfmt what CI calls is broken too, else types and syntax."""
    called = " ".join(commands)
    feature = (
        "\n/// Doubles.\npub fn untilgreen(n: u32) -> u32 {\n    n * 2\n}\n\n#[cfg(test)]\nmod untilgreen_tests {\n"
        "    #[test]\n    fn doubles() {\n        assert_eq!(super::untilgreen(2), 4);\n    }\n}\n"
    )
    lint = "\n/// Is it empty?\npub fn untilgreen(v: &[u32]) -> bool {\n    v.len() == 0\n}\n"
    faults = {
        "bug": (bug,),
        **(
            {"lint": (Edit(file, "", lint),)}
            if "clippy" in called
            else {"type error": (Edit(file, "", '\npub const UNTILGREEN: u32 = "";\n'),)}
        ),
        **(
            {"format": (Edit(file, "", "\n/// Nothing.\npub fn  untilgreen( ) {}\n"),)}
            if "fmt" in called
            else {"syntax error": (Edit(file, "", "\nfn (\n"),)}
        ),
    }
    return Repository(name, commit, (), commands, faults, (Edit(file, "", feature),))


def _hooked(name: str, commit: str, module: str, bug: Edit) -> Repository:
    """A module of Python whose linters are pre-commit's alone; its suite asks for full coverage."""
    source = "\n\ndef untilgreen(n: int) -> int:\n    return n * 2\n"
    test = (
        f"from __future__ import annotations\n\nfrom {module} import untilgreen\n\n\n"
        "def test_untilgreen() -> None:\n    assert untilgreen(2) == 4\n"
    )
    return Repository(
        name,
        commit,
        (_VENV + " -e . -r requirements-dev.txt pre-commit", ".venv/bin/pre-commit install-hooks"),
        ("coverage erase && coverage run -m pytest tests && coverage report", "pre-commit run --all-files"),
        {
            "bug": (bug,),
            "type error": (Edit(bug.file, "", "\n\n_UNTILGREEN: int = ''\n"),),
            "format": (Edit(bug.file, "", "\n\n_UNTILGREEN  = 1   \n"),),
        },
        (Edit(bug.file, "", source), Edit("tests/untilgreen_test.py", "", test)),
    )


def _python(name: str, commit: str, install: str, commands: tuple[str, ...], bug: Edit, test: Edit) -> Repository:
    """A package of Python; types and format are broken too where its commands judge them, else its lint and syntax.

    `test` is where a test of the function `untilgreen` goes that becomes the end of the bug's file.
    """
    called = " ".join(commands)
    file = bug.file
    feature = "\n\ndef untilgreen(n: int) -> int:\n    return n * 2\n"
    typed, formatted = "mypy" in called, any(one in called for one in ("format", "black", "pycodestyle"))
    faults = {
        "bug": (bug,),
        **(
            {"type error": (Edit(file, "", "\n\n_UNTILGREEN: int = ''\n"),)}
            if typed
            else {"lint": (Edit(file, "", "\n\nimport os as _untilgreen\n"),)}
        ),
        **(
            {"format": (Edit(file, "", "\n\n_UNTILGREEN  = 1   \n"),)}
            if formatted
            else {"syntax error": (Edit(file, "", "\n\ndef untilgreen(:\n"),)}
        ),
    }
    return Repository(name, commit, (f"{_VENV} {install}",), commands, faults, (Edit(file, "", feature), test))


_VENV = "python3 -m venv .venv && .venv/bin/pip install -q"
REPOSITORIES = (
    _go("google/uuid", "2d3c2a9cc518326daf99a383f07c4d3c44317e4d", ("go test -v ./...",),
        Edit("uuid.go", "return URNPrefixError{s[:9]}", "return nil"), "uuid"),
    _go("mitchellh/mapstructure", "8508981c8b6c964e6986dd8aa85490e70ce3c2e2", ("go test ./...",),
        Edit("decode_hooks.go", "strings.Split(raw, sep)", "strings.SplitAfter(raw, sep)"), "mapstructure"),
    _go("rivo/uniseg", "087b3e4194c1feb0856b68d0e7c425c0994829cf", ("go test ./...",),
        Edit("width.go", "return 3", "return 2"), "uniseg"),
    _go("gorilla/mux", "db9d1d0073d27a0a2d9a8c1bc52aa0af4374d265",
        ("go test -race -cover -coverprofile=coverage -covermode=atomic -v ./...",),
        Edit("middleware.go", "append(r.middlewares, fn)", "append(r.middlewares[:0], fn)"), "mux"),
    _go("rs/xid", "643d1614ad4439dfd583d696953a5a57dc5c17e9",
        ("go vet ./... && go test -race -failfast ./...",),
        Edit("id.go", "return id == nilID", "return id != nilID"), "xid"),
    _go("dustin/go-humanize", "4d1d9082551ec085912e7d2253a33ae547fca000",
        ("go build -v ./...", "go test -v ./..."),
        Edit("ordinals.go", 'suffix = "nd"', 'suffix = "nt"'), "humanize"),
    _go("tidwall/match", "ec90e00ea409c4ce4a8ffb0827280810d17c96c8",
        ("go build -v .", "go test -v ."),
        Edit("match.go", "return true, false", "return false, false"), "match"),
    _go("BurntSushi/toml", "b324da5ffbb2a87e4a611b1703bd03bffbe7ffbf",
        ("go test -race ./...", "GOARCH=386 go test ./..."),
        Edit("meta.go", "return ki.tomlType.typeString()", 'return ""'), "toml"),
    _go("google/go-cmp", "a97318bf6562f2ed2632c5f985db51b1bc5bdcd0",
        ("go test -v -race ./...", "bash -c 'diff -u <(echo -n) <(gofmt -d .)'"),
        Edit("cmp/cmpopts/equate.go", "errors.Is(xe, ye) || errors.Is(ye, xe)", "errors.Is(xe, ye)"), "cmpopts"),
    _go("cespare/xxhash", "ab37246c889f9db16b606fda1c232d659df9271d",
        ("go test -count 1 -bench . -benchtime 1x ./...",
         "go test -count 1 -bench . -benchtime 1x -tags purego ./...",
         "GOARCH=386 go test -v -count 1 -bench . -benchtime 1x"),
        Edit("xxhash.go", "return NewWithSeed(0)", "return NewWithSeed(1)"), "xxhash"),
    _go("gorilla/schema", "cd59f2f12cbdfa9c06aa63e425d1fe4a806967ff",
        ("go test -race -cover -coverprofile=coverage -covermode=atomic -v ./...",),
        Edit("converter.go", 'if value == "on" {', 'if value == "off" {'), "schema"),
    _go("go-chi/chi", "71307f9b7e4e9527638bc951c42b782cd1560331", ("make test",),
        Edit("chain.go", "i >= 0; i--", "i > 0; i--"), "chi"),
    _rust("withoutboats/heck", "252c1906cefefb8d13ecad7fce7b8f27ce6437e0",
        ("cargo build", "cargo test", "cargo fmt -- --check", "cargo clippy --all-targets -- -D warnings"),
        Edit("src/lib.rs", "c.to_uppercase()", "c.to_lowercase()"), "src/lib.rs"),
    _rust("blyxxyz/lexopt", "f52c6a620b59dcadb01701c039cd4b270e2d5966",
        ("cargo +stable test", "cargo +nightly test", "cargo fmt -- --check", "cargo clippy -- -D warnings"),
        Edit("src/lib.rs", "Some((value, true))", "Some((value, false))"), "src/lib.rs"),
    _rust("RazrFalcon/pico-args", "ee9e334fdd5bd5dac16ec882ec4bced1d6c11bc9",
        ("cargo test", "cargo test --no-default-features",
         "cargo test --no-default-features --features short-space-opt",
         "cargo test --no-default-features --features combined-flags", "cargo test --all-features"),
        Edit("src/lib.rs", "self.0.remove(idx);\n            true", "self.0.remove(idx);\n            false"),
        "src/lib.rs"),
    _rust("SergioBenitez/version_check", "d77ef9f27cc336719b2d839d09ee6635dd22f758",
        ("FORCE_STATIC=1 KNOWN_CHANNEL=stable cargo test",),
        Edit("src/channel.rs", "Kind::Nightly => true,\n            _", "Kind::Nightly => false,\n            _"),
        "src/lib.rs"),
    _rust("servo/rust-fnv", "4e55052a343a4372c191141f29a17ab829cf1dbc",
        ("cargo build --verbose", "cargo test --verbose", "cargo fmt --check"),
        Edit("lib.rs", "hash ^= u64::from(*byte)", "hash |= u64::from(*byte)"), "lib.rs"),
    _rust("cuviper/autocfg", "d912169ed67977efe5a465269b0e73cb66060c49",
        ("cargo build --verbose", "cargo test --verbose", "cd ci/verify-check-cfg && cargo run",
         "cargo fmt --all --check"),
        Edit("src/version.rs", "major: major", "major: minor"), "src/version.rs"),
    _hooked("asottile/tokenize-rt", "fd8b8b3e25ccb6f045dc1ce0843719a39eb82593", "tokenize_rt",
        Edit("tokenize_rt.py", "self.name == name", "self.name != name")),
    _hooked("asottile/cfgv", "51aa420d7c2b857756b0933918916bc3e5b8ef44", "cfgv",
        Edit("cfgv.py", "return ret\n", "return {}\n")),
    _hooked("asottile/classify-imports", "90a16ecefce72ff0a746391241daeae7e4bccd56", "classify_imports",
        Edit("classify_imports.py", "return True", "return False")),
    _hooked("asottile/dead", "d41e8a0f742f715952ed0c13dc226ed66f42f4bf", "dead",
        Edit("dead.py", "return False", "return True")),
    _hooked("asottile/setup-cfg-fmt", "9339507e9522e953c07479c9f6abeec0f2fe4e12", "setup_cfg_fmt",
        Edit("setup_cfg_fmt.py", "return None", "return filename")),
    _python("benjaminp/six", "c8e394065cd541a16c040515dc0afb85cf22a7c3", "-e . pytest flake8",
        ("python -m pytest -rfsxX", "flake8 six.py"),  # what tox runs: CI names one of its environments
        Edit("six.py", "MAXSIZE = sys.maxsize", "MAXSIZE = sys.maxsize - 1"),
        _tested("test_untilgreen.py", "six")),
    _python("un33k/python-slugify", "7b6d5d96c1995e6dccb39a19a13ba78d7d0a3ee4",
        "-e . 'coverage[toml]' pytest mypy unidecode pycodestyle",
        ("coverage run -m pytest test.py", "mypy",
         "pycodestyle --ignore=E128,E261,E225,E501,W605 slugify test.py setup.py"),
        Edit("slugify/slugify.py", "    return text\n", "    return text.upper()\n"),
        Edit("test.py", "\n\nif __name__ == '__main__'",
             "\n\ndef test_untilgreen():\n    from slugify.slugify import untilgreen\n    assert untilgreen(2) == 4\n"
             "\n\nif __name__ == '__main__'")),
    _python("PyCQA/pycodestyle", "d6c38543a95c3adec7958fc659f4081972a3f1d1", "-e . covdefaults coverage pytest flake8",
        ("python -m pycodestyle --statistics pycodestyle.py",
         "coverage run -m pytest tests && coverage report", "flake8 pycodestyle.py"),
        Edit("pycodestyle.py", "return len(stripped), ", "return 0, "),
        _tested("tests/test_untilgreen.py", "pycodestyle")),
    _python("hynek/stamina", "87ccfa48350ab770c1ef69038f96fe8f42375733",
        "-U pip && .venv/bin/pip install -q -e . --group dev coverage",
        ("coverage run -m pytest", "mypy src tests/typing noxfile.py"),
        Edit("src/stamina/_config.py", "return CONFIG.is_active", "return not CONFIG.is_active"),
        _tested("tests/test_untilgreen.py", "stamina._config")),
    _python("PyCQA/pyflakes", "59ec4593efd4c69ce00fdb13c40fcf5f3212ab10",
        "flake8==6.1.0 && .venv/bin/pip install -q --no-deps -e .",
        ("PYFLAKES_ERROR_UNKNOWN=1 python -m unittest discover pyflakes", "flake8 pyflakes setup.py"),
        Edit("pyflakes/checker.py", "tuple(sorted(fields, key=key_first, reverse=True))", "tuple(sorted(fields))"),
        _unit("pyflakes/test/test_untilgreen.py", "pyflakes.checker")),
    _python("r1chardj0n3s/parse", "738447715c76f8ebc460b33320307faccafbc599", "-e . -r tests/requirements.txt",
        ("pytest",), Edit("parse.py", "/ 100.0", "/ 1000.0"), _tested("tests/test_untilgreen.py", "parse")),
    _python("hukkin/tomli", "920e20b1cf495b63f6d4a6aa3cd5e4ff25f5f5a7", "-e . coverage black==25.12.0 isort==7.0.0"
        " flake8==7.3.0 flake8-bugbear flake8-builtins flake8-comprehensions mypy==1.19.1",
        ("python -m unittest", "coverage run -m unittest && coverage report --fail-under=100", "black --check .",
         "isort --check .", "flake8", "mypy --scripts-are-modules ."),
        Edit("src/tomli/_parser.py", "return pos + 1, key", "return pos + 1, key.upper()"),
        _unit("tests/test_untilgreen.py", "tomli._parser")),
    _python("jd/tenacity", "c650fb45204635f07910948d5fc59a8c551ffdda",
        "-U pip && .venv/bin/pip install -q -e . --group dev ruff==0.15.0",
        ("poe check", "poe lint", "poe mypy"),
        Edit("tenacity/stop.py", "return any(", "return all("),
        _tested("tests/test_untilgreen.py", "tenacity.stop")),
    _python("jazzband/prettytable", "190af197c7b3f1c12e9bb266093610d559229ec3",
        "-e '.[tests]' mypy==1.12 types-colorama ruff==0.6.9 black==24.8.0",
        ("python -m pytest --cov prettytable --cov tests --cov-report term", "mypy . --exclude tests",
         "ruff check --exit-non-zero-on-fix", "black --check ."),
        Edit("src/prettytable/prettytable.py", 'return text + excess * " "', "return text"),
        _tested("tests/test_untilgreen.py", "prettytable.prettytable", "from __future__ import annotations\n\n")),
    _python("theskumar/python-dotenv", "bca6644d9aedbe287b792b756b3ae3d650cd0d3a",
        "-e . pytest pytest-cov click ipython ruff mypy",
        ("pytest --cov --cov-report=term-missing", "ruff check src tests", "ruff format --check src tests",
         "mypy --python-version=3.14 src tests", "mypy --python-version=3.10 src tests"),
        Edit("src/dotenv/parser.py", "cls(chars=0, line=1)", "cls(chars=0, line=0)"),
        _tested("tests/test_untilgreen.py", "dotenv.parser")),
)  # fmt: skip
