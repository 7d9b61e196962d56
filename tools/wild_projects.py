"""The real projects of `make wild`, at pinned versions, with the commands that their contributors type."""

from typing import NamedTuple

# of what its type checker looks at in CI
_ATTRS = (
    *("src/attrs/__init__.pyi", "src/attr/__init__.pyi", "src/attr/_typing_compat.pyi", "src/attr/_version_info.pyi"),
    *("src/attr/converters.pyi", "src/attr/exceptions.pyi", "src/attr/filters.pyi", "src/attr/setters.pyi"),
    "src/attr/validators.pyi",
)


class Project(NamedTuple):
    """One project: where it comes from, what a contributor installs, and what he types."""

    name: str
    version: str
    #: the file that the mistakes are written into
    source: str
    #: the commands that have to succeed, in the project's own environment
    by_hand: tuple[str, ...]
    #: what is installed: words for `uv pip install`; of a package of npm nothing more than it names. Of a scaffold the
    #: command that writes it into a folder `app`
    needs: tuple[str, ...] = ("-e", ".", "pytest")
    #: "pypi", "npm" or "scaffold"
    registry: str = "pypi"


class Fix(NamedTuple):
    """A release that mends bugs: the project as it was before, what is of the code, and the tests that show it."""

    before: Project
    version: str
    #: relative to the project
    code: str
    tests: str
    #: those that fail before, of several cases or tests that fail in one place the first: the others are counted
    failing: tuple[str, ...]


PROJECTS = (
    Project("blinker", "1.9.0", "src/blinker/base.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "-r", "requirements/tests.txt", "-r", "requirements/typing.txt", "ruff")),
    Project("boltons", "26.2.0", "boltons/strutils.py", ("pytest --doctest-modules boltons tests",)),
    Project("cachetools", "8.0.1", "src/cachetools/__init__.py", ("pytest", "ruff check", "ruff format --diff -q"),
        ("-e", ".", "pytest", "pytest-cov", "ruff")),
    Project("click", "8.5.1", "src/click/utils.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "--group", "tests", "mypy", "ruff")),
    Project("cssselect", "1.6.0", "cssselect/parser.py",
        ("pytest cssselect tests docs", "pylint cssselect tests docs", "mypy cssselect tests", "ruff check"),
        ("-e", ".", "lxml", "pytest", "pytest-cov", "sybil", "pylint==4.0.8", "mypy==2.3.1", "types-lxml", "ruff")),
    Project("h11", "0.16.0", "h11/_util.py", ("pytest", "mypy h11"), ("-e", ".", "pytest", "mypy")),
    Project("humanize", "4.17.0", "src/humanize/number.py", ("pytest", "mypy .", "ruff check --no-fix"),
        ("-e", ".[tests]", "babel", "mypy", "types-freezegun", "ruff")),
    Project("idna", "3.20", "idna/core.py", ("pytest", "ruff check"), ("-e", ".", "pytest", "hypothesis", "ruff")),
    Project("iniconfig", "2.3.1", "src/iniconfig/_parse.py", ("pytest", "mypy src", "ruff check"),
        ("-e", ".", "--group", "dev", "mypy", "ruff")),
    Project("itsdangerous", "2.2.0", "src/itsdangerous/signer.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "-r", "requirements/tests.txt", "-r", "requirements/typing.txt", "ruff")),
    Project("jinja2", "3.1.6", "src/jinja2/utils.py", ("pytest", "mypy", "ruff check"),
        ("-e", ".", "-r", "requirements/tests.txt", "-r", "requirements/typing.txt", "ruff")),
    Project("marshmallow", "4.4.0", "src/marshmallow/utils.py", ("pytest", "mypy --show-error-codes", "ruff check"),
        ("-e", ".", "--group", "tests", "--group", "mypy", "ruff")),
    Project("more-itertools", "11.2.1", "more_itertools/recipes.py",
        ("coverage run --include=more_itertools/*.py -m unittest", "coverage report --fail-under=99",
            "ruff format --check .", "ruff check more_itertools tests"),
        ("-e", ".", "ruff", "coverage")),
    Project("parsel", "1.12.1", "parsel/utils.py", ("pytest docs parsel tests", "pylint docs parsel tests"),
        ("-e", ".", "psutil", "pytest", "pytest-cov", "sybil", "pylint==4.0.4")),
    Project("pathspec", "1.1.1", "pathspec/util.py", ("pytest",), ("-e", ".", "--group", "dev")),
    Project("pluggy", "1.7.0", "src/pluggy/_tracing.py", ("pytest", "mypy src", "ruff check"),
        ("-e", ".", "pytest", "pytest-benchmark", "mypy", "ruff")),
    Project("python-dotenv", "1.2.4", "src/dotenv/parser.py",
        ("pytest", "ruff check src tests", "ruff format --check src tests", "mypy --python-version=3.11 src tests"),
        ("-e", ".", "pytest", "pytest-cov", "click", "ipython", "ruff", "mypy")),
    Project("sqlparse", "0.6.1", "sqlparse/utils.py", ("pytest tests/", "ruff check sqlparse/"),
        ("-e", ".", "pytest", "ruff")),
    Project("structlog", "26.1.0", "src/structlog/_utils.py", ("pytest", "mypy src", "mypy tests/typing", "ruff check"),
        ("-e", ".", "--group", "tests", "--group", "typing", "ruff")),
    Project("tabulate", "0.10.0", "tabulate/__init__.py", ("pytest -v --doctest-modules --ignore benchmark",)),
    Project("tomlkit", "0.15.2", "tomlkit/api.py", ("pytest", "mypy"), ("-e", ".", "pytest", "PyYAML", "mypy==1.19.1")),
    Project("w3lib", "2.5.0", "w3lib/util.py",
        ("pytest --doctest-modules w3lib tests", "mypy w3lib tests", "pylint docs tests w3lib", "ruff check"),
        ("-e", ".", "hypothesis", "pytest", "pytest-cov", "pytest-xdist", "mypy==2.3.0", "pylint==4.0.5", "ruff")),
    Project("attrs", "26.1.0", "src/attr/_make.py",
        ("pytest", "mypy typing-examples", f"mypy {' '.join(_ATTRS)}", "ruff check"),
        ("-e", ".", "--group", "mypy", "mypy", "ruff")),
    Project("xmltodict", "1.0.4", "xmltodict.py", ("pytest",), ("-e", ".", "pytest", "pytest-cov")),
    Project("zipp", "4.1.2", "zipp/glob.py", ("pytest",), ("-e", ".[test]")),
    *(
        Project(name, version, source, by_hand, (), "npm")
        for name, version, source, by_hand in (
            ("deep-equal", "2.2.3", "index.js", ("npm run lint", "npm run tests-only")),
            ("fast-uri", "4.2.3", "index.js", ("npm run lint", "npm test")),
            ("fastq", "1.20.3", "queue.js", ("npm test",)),
            ("light-my-request", "6.8.1", "index.js", ("npm test",)),
            ("minimist", "1.2.8", "index.js", ("npm run lint", "npm run tests-only")),
            ("on-exit-leak-free", "2.1.2", "index.js", ("npm test",)),
            ("reusify", "1.1.0", "reusify.js", ("npm run lint", "npm test")),
            ("secure-json-parse", "4.1.1", "index.js", ("npm run lint", "npm test")),
            ("sonic-boom", "5.0.2", "index.js", ("npm test",)),
            ("split2", "4.2.0", "index.js", ("npm test",)),
            ("steed", "1.1.3", "steed.js", ("npm test",)),
            ("deep-is", "0.1.4", "index.js", ("npm test",)),
            ("thread-stream", "4.2.1", "index.js", ("npm test",)),
        )
    ),
    *(
        Project(name, version, source, by_hand, tuple(command.split()), "scaffold")
        for name, version, source, by_hand, command in (
            ("create-vite", "9.3.0", "src/App.tsx", ("npx tsc -b", "npm run lint"),
                "npx -y create-vite@9.3.0 app --template react-ts --no-interactive"),
            ("create-vue", "3.24.0", "src/main.ts", ("npm run type-check", "npx oxlint .", "npx eslint ."),
                "npx -y create-vue@3.24.0 app --ts --vitest --eslint --bare"),
            ("sv", "0.17.1", "src/lib/index.ts", ("npm run check",),
                "npx -y sv@0.17.1 create app --template minimal --types ts --no-add-ons --no-install"),
            ("cargo-new", "1", "src/lib.rs", ("cargo test",), "cargo new --quiet --lib app"),
        )
    ),
)  # fmt: skip

FIXES = (
    Fix(
        Project("xmltodict", "1.0.2", "xmltodict.py", ("pytest",), ("-e", ".", "pytest", "pytest-cov")),
        "1.0.3",
        "xmltodict.py",
        "tests",
        (
            "test_non_string_text_with_attributes",
            "test_none_text_with_short_empty_elements_and_attributes",
            "test_none_attribute_serializes_as_empty_string",
        ),
    ),
    Fix(
        Project("marshmallow", "4.3.0", "src/marshmallow/utils.py", ("pytest",), ("-e", ".", "--group", "tests")),
        "4.3.1",
        "src",
        "tests",
        (
            "TestFieldDeserialization::test_enum_by_value_allow_none_default",
            "test_url_absolute_valid[http://example.org#fragment]",
        ),
    ),
)
