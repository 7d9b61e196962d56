"""Shapes that make a test green whatever the code does, and what looks like one and is honest."""

import re
import time
from functools import partial
from pathlib import Path

import pytest

import tables
from eventually import quickest
from loops import in_english
from untilgreen.core.verdict import baseline
from untilgreen.project.fakes import checker_configs, shapes, text

MANY = [one for key in shapes.rows() if key[0] in ("tests", "product") for one in shapes.kinds_in(*key)]


def counted(folder: Path, path: str, content: str | bytes) -> dict[str, int]:
    """The kinds in a file of this name."""
    (folder / path).write_bytes(content.encode() if isinstance(content, str) else content)
    return text.read(str(folder), (path,), time.monotonic() + 60).suppressions


@pytest.mark.parametrize(("path", "content", "kinds"), tables.rows("shams", "path", "content", "kinds"))
def test_a_shape_is_counted_and_honest_work_is_not(
    tmp_path: Path, path: str, content: str, kinds: dict[str, int]
) -> None:
    assert counted(tmp_path, path, content) == kinds


@pytest.mark.parametrize(("path", "content", "tests"), tables.rows("tests-seen", "path", "content", "tests"))
def test_only_tests_that_a_runner_sees_are_counted(path: str, content: str, tests: int) -> None:
    assert shapes.counted(path, content.encode())[0] == tests


HOOKS = tables.text("shams", "hooks")


def test_the_hooks_of_a_file_are_known_by_name_without_comments_and_fixtures() -> None:
    assert checker_configs.pytest_hooks("t/conftest.py", HOOKS.encode()) == {
        "t/conftest.py [pytest_runtest_makereport]": "def pytest_runtest_makereport(item,\ncall):\nreturn 1",
        "t/conftest.py [collect_ignore]": "collect_ignore = [\n'a',\n]",
        "t/conftest.py [pytest_plugins]": "pytest_plugins = 'x'",
    }
    assert (
        checker_configs.pytest_hooks("t/conftest.py", b"import pytest\n\n\n@pytest.fixture\ndef a():\n    return 1\n")
        == {}
    )


@pytest.mark.parametrize(("path", "then", "now", "told"), tables.literal("shams", "what is loaded before the tests"))
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
    assert in_english(baseline.compare(one, two, 0, 0))[0] == ((told,) if told else ())


def test_no_pattern_is_without_its_word() -> None:
    assert [kind for kind in MANY if not kind.word or not re.compile(kind.pattern)] == []


HARD = tables.literal("shams", "hard")


@pytest.mark.parametrize("path", ["test_a.py", "shop.py", "a.test.ts", "shop.ts", "a_test.go", "a.rs"])
def test_no_shape_takes_long(tmp_path: Path, path: str) -> None:
    for piece in HARD:
        for begins in (b"", b"    with raises(assertionerror):\n", b"it('a', () => {", b"#[test]\n"):
            count = partial(counted, tmp_path, path, begins + piece * (30_000 // len(piece)))
            assert quickest(count, 0.4) < 0.4, (begins, piece)
