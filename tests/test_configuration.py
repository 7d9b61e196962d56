"""The configuration files: what is read, what is refused, what hooks see, and what a start makes of it."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

import tables
from untilgreen import checkers
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import AutoSetting, CheckSetting, Criteria, MarkerSetting, Settings, ToolSetting
from untilgreen.loops.begin.options import Request, Resolved, resolve
from untilgreen.settings.effective import read, refresh
from untilgreen.settings.keys import PRESETS, SETTINGS
from untilgreen.settings.load import load
from world import World

TOOLS = ", ".join(checkers.NAMES)
EVERYTHING = tables.text("configuration", "everything")


def own(tmp_path: Path, text: str) -> Path:
    (tmp_path / "untilgreen.toml").write_text(text)
    return tmp_path


def shared(tmp_path: Path, text: str) -> Path:
    (tmp_path / "pyproject.toml").write_text(text)
    return tmp_path


def refused(root: Path) -> str:
    with pytest.raises(UserError) as error:
        load(root)
    return str(error.value)


# --- reading ------------------------------------------------------------------


def test_a_project_that_says_nothing_has_the_defaults(tmp_path: Path) -> None:
    assert load(tmp_path) == Settings()
    assert load(shared(tmp_path, "[tool.ruff]\nline-length = 100\n")) == Settings()


def test_every_key_is_read(tmp_path: Path) -> None:
    assert load(own(tmp_path, EVERYTHING)) == Settings(
        max_iterations=20,
        max_minutes=90,
        stagnation_limit=0,
        criteria=("test_pass", "type_check"),
        lang="en",
        deadline=300,
        state_dir="/var/tmp/loops",
        tools=ToolSetting(env_remove=("SECRET",)),
        hold_style="context",
        strict=True,
        severity={"ruff": {"E501": "info", "S": "security"}},
        checks={
            "unit": CheckSetting(
                command=("pytest", "-q", "-k", "a or b"), timeout=30, ok=(0, 5), enabled=True, root="backend"
            ),
            "build": CheckSetting(command=("make", "all"), format="regex", pattern=r"(?P<file>\S+):(?P<line>\d+)"),
            "mypy": CheckSetting(enabled=False),
        },
        unasked=AutoSetting(auto="all"),
        markers=MarkerSetting(
            marker="require",
            completion_promise="ALL DONE",
            success_regex="all (green|done)",
            blocked_regex="stuck: (.*)",
        ),
    )


def test_pyproject_carries_the_same_keys_in_its_table(tmp_path: Path) -> None:
    text = "[tool.untilgreen]\nmax_iterations = 3\n[tool.untilgreen.checks.unit]\ncommand = 'pytest -q'\n"
    assert load(shared(tmp_path, text)) == Settings(
        max_iterations=3, checks={"unit": CheckSetting(command=("pytest", "-q"))}
    )


def test_two_places_of_configuration_are_one_too_many(tmp_path: Path) -> None:
    own(tmp_path, "")
    assert load(shared(tmp_path, "[tool.ruff]\n")) == Settings()
    assert refused(shared(tmp_path, "[tool.untilgreen]\n")) == (
        "pyproject.toml has [tool.untilgreen] and there is an untilgreen.toml. Fix: keep one of the two"
    )


@pytest.mark.parametrize("preset", PRESETS)
def test_every_preset_is_a_valid_configuration(tmp_path: Path, preset: str) -> None:
    assert load(own(tmp_path, f'preset = "{preset}"')) == document.changed(Settings(preset=preset), PRESETS[preset])


def test_a_key_of_the_file_beats_its_preset_even_with_the_default_value(tmp_path: Path) -> None:
    text = 'preset = "supercode"\nmax_iterations = 10\nstagnation_limit = 3\n'
    assert load(own(tmp_path, text)) == Settings(
        preset="supercode",
        max_iterations=10,
        max_minutes=0,
        stagnation_limit=3,
        on_interrupt="cancel",
        words="supercode",
        markers=MarkerSetting(completion_promise="DONE", marker="require"),
    )


def test_criteria_of_the_file_and_of_its_preset_add_up(tmp_path: Path) -> None:
    assert load(own(tmp_path, 'preset = "talkcody-strict"\ncriteria = ["preserve"]')) == Settings(
        preset="talkcody-strict",
        max_iterations=6,
        criteria=("test_pass", "lint_clean", "type_check", "preserve", "no_tool_errors"),
        words="talkcody",
        markers=MarkerSetting(marker="require"),
    )


def test_the_home_folder_may_be_written_short(tmp_path: Path) -> None:
    assert load(own(tmp_path, 'state_dir = "~/loops"')) == Settings(state_dir=os.path.expanduser("~/loops"))


def test_a_check_of_ones_own_has_its_severities_as_a_tool_has(tmp_path: Path) -> None:
    text = "[severity.scan]\nS = 'security'\n[checks.scan]\ncommand = 'scan'\n"
    assert load(own(tmp_path, text)) == Settings(
        severity={"scan": {"S": "security"}}, checks={"scan": CheckSetting(command=("scan",))}
    )


# --- refusing -------------------------------------------------------------------


@pytest.mark.parametrize(("line", "message"), tables.rows("wrong-keys", "line", "message"))
def test_a_wrong_key_is_named_with_its_place_and_what_is_allowed(tmp_path: Path, line: str, message: str) -> None:
    number = len(line.splitlines())
    assert refused(own(tmp_path, line)) == f"untilgreen.toml:{number}: {message}"


def test_all_that_is_wrong_is_told_at_once_a_line_each(world: World) -> None:
    world.write({"untilgreen.toml": tables.text("configuration", "all that is wrong")})
    keys = ", ".join(SETTINGS.keys)
    assert world.run("untilgreen", "check").stderr.splitlines() == [
        f"untilgreen failed: untilgreen.toml:{line}"
        for line in (
            # a key that nobody writes like that has no number
            " strict is 1. Fix: give true or false",
            f"2: unknown key max_iteration. Did you mean max_iterations? Fix: take one of {keys}",
            '3: marker is "maybe". Fix: give one of trust, verify, require',
            '5: env_remove[0] is "A=B". Fix: give the name of a variable',
            '5: env_remove[1] is "C=D". Fix: give the name of a variable',
            '11: auto is "sometimes". Fix: give one of new, all, off',
            '12: auto_tests is "few". Fix: give one of fast, affected, all, off',
            f"14: checks.unit: has no command. Fix: set its command; only {TOOLS} come with one",
            (
                "17: checks.ruff.ok: is for a command of your own. "
                "Fix: leave it out: what ruff says is read, not its exit code alone"
            ),
            f"18: severity.unti: unknown tool. Did you mean unit? Fix: take one of {TOOLS}, unit",
        )
    ]


def test_where_one_line_is_all_it_says_how_many_more_there_are(tmp_path: Path) -> None:
    assert refused(own(tmp_path, "strict = 1\nlang = 2\nauto = 3\n")) == (
        "untilgreen.toml:1: strict is 1. Fix: give true or false (2 more: run untilgreen check)"
    )


def test_a_wrong_key_of_pyproject_is_named_with_its_table(tmp_path: Path) -> None:
    assert refused(shared(tmp_path, '[tool.untilgreen.checks.unit]\ntimeout = "x"\n')) == (
        'pyproject.toml:2: [tool.untilgreen] checks.unit.timeout is "x". Fix: give a number'
    )
    assert refused(shared(tmp_path, "[tool]\nuntilgreen = 3\n")) == (
        "pyproject.toml:2: [tool.untilgreen] is 3. Fix: give a table"
    )


@pytest.mark.parametrize("content", [b"max_iterations =", b"\xff", b"a = " + b"[" * 5000, b"lang." * 5000 + b"a = 1"])
def test_a_file_that_is_no_toml_is_a_user_error_that_names_it(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "untilgreen.toml").write_bytes(content)
    assert refused(tmp_path).startswith("untilgreen.toml:")


def test_a_source_that_cannot_be_read_is_a_user_error(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").mkdir()
    assert refused(tmp_path) == "pyproject.toml: cannot be read: Is a directory. Fix: make it readable"


# --- the resolved form ------------------------------------------------------------


def test_hooks_read_what_a_refresh_resolved(tmp_path: Path) -> None:
    folder = tmp_path / ".untilgreen"
    folder.mkdir()
    settings = refresh(own(tmp_path, EVERYTHING), folder)
    assert read(str(folder), str(tmp_path)) == settings == load(tmp_path)
    assert sorted(path.name for path in folder.iterdir()) == ["config.json", "moved"]


def test_the_resolved_form_holds_the_stamp_and_only_what_differs(tmp_path: Path) -> None:
    shared(tmp_path, '[tool.untilgreen]\nmax_iterations = 3\nmarker = "verify"\nmax_minutes = 60\n')
    refresh(tmp_path, tmp_path)
    status = (tmp_path / "pyproject.toml").stat()
    resolved = json.loads((tmp_path / "config.json").read_bytes())
    assert {key: resolved[key] for key in ("stamp", "settings", "calls")} == {
        "calls": [],
        "stamp": {"pyproject.toml": [status.st_mtime_ns, status.st_size]},
        "settings": {"max_iterations": 3},
    }


def test_the_bytes_of_state_dir_are_there_only_when_it_is_set(tmp_path: Path) -> None:
    refresh(own(tmp_path, "max_iterations = 3"), tmp_path)
    without = b'"state_dir"' in (tmp_path / "config.json").read_bytes()
    refresh(own(tmp_path, 'state_dir = "/x"'), tmp_path)
    assert (without, b'"state_dir"' in (tmp_path / "config.json").read_bytes()) == (False, True)


def test_an_edited_a_new_and_a_removed_source_make_the_resolved_form_stale(tmp_path: Path) -> None:
    def fresh() -> bool:
        return read(str(tmp_path), str(tmp_path)) is not None

    seen = [fresh()]
    refresh(tmp_path, tmp_path)
    seen.append(fresh())
    own(tmp_path, "max_iterations = 3")
    seen.append(fresh())
    refresh(tmp_path, tmp_path)
    seen.append(fresh())
    own(tmp_path, "max_iterations = 20")
    seen.append(fresh())
    refresh(tmp_path, tmp_path)
    (tmp_path / "untilgreen.toml").unlink()
    seen.append(fresh())
    assert seen == [False, True, False, True, False, False]


@pytest.mark.parametrize("content", tables.literal("configuration", "a resolved form that is damaged counts"))
def test_a_resolved_form_that_is_damaged_counts_as_missing(tmp_path: Path, content: str) -> None:
    (tmp_path / "config.json").write_text(content)
    assert read(str(tmp_path), str(tmp_path)) is None


def test_an_invalid_configuration_leaves_the_resolved_form_alone(tmp_path: Path) -> None:
    refresh(tmp_path, tmp_path)
    before = (tmp_path / "config.json").read_bytes()
    with pytest.raises(UserError):
        refresh(own(tmp_path, "max_iterations = 0"), tmp_path)
    assert (tmp_path / "config.json").read_bytes() == before


def test_a_folder_that_is_not_there_is_a_user_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="No such file or directory"):
        refresh(tmp_path, tmp_path / "none")


# --- what a start makes of it -------------------------------------------------------


TALKCODY = ("no_tool_errors",)


def resolved(named: tuple[str, ...] = (), promise_only: bool = False, **changed: Any) -> Resolved:
    """A Resolved whose criteria are green and the named ones; a promise loop has none, and requires its marker."""
    marker = {"marker": "require" if promise_only else "verify"}
    settings = document.changed(Settings(criteria=named), marker | changed)
    on: Any = dict.fromkeys(named, True)
    green = changed.get("preset") != "jikime" and not promise_only
    criteria = Criteria(green=green, stagnation_limit=settings.stagnation_limit)._replace(**on)
    return Resolved(settings, criteria, promise_only, frozenset(named))


def asks(*criteria: str, **settings: Any) -> Request:
    return Request(criteria=frozenset(criteria), settings=settings)


PROMISE = Settings(markers=MarkerSetting(completion_promise="X"))
FLAGS: dict[str, Any] = tables.literal("configuration", "flags")
WIDER: dict[str, Any] = {"max_iterations": 20, "stagnation_limit": 5}
OF_SUPERCODE: dict[str, Any] = tables.literal("configuration", "of supercode")
UNIT = {"unit": CheckSetting(command=("old",), timeout=5, enabled=False)}
NEW = {"unit": CheckSetting(command=("new", "one"), timeout=5), "e2e": CheckSetting(command=("make",))}
OF_TALKCODY: dict[str, Any] = {"preset": "talkcody", "words": "talkcody"}
OF_JIKIME: dict[str, Any] = {"auto": "all", "marker": "trust", "preset": "jikime", "words": "jikime", "blame_tests": 0}


@pytest.mark.parametrize(
    ("settings", "request_", "result"),
    [
        (Settings(), Request(), resolved()),
        (Settings(**WIDER), Request(), resolved(**WIDER)),
        (Settings(max_iterations=20), asks(**FLAGS), resolved(**FLAGS)),
        (Settings(strict=True), Request(), resolved(strict=True)),
        # presets
        (
            Settings(max_iterations=20, max_minutes=5),
            asks(preset="talkcody"),
            resolved(TALKCODY, True, max_iterations=6, max_minutes=5, marker="require", **OF_TALKCODY),
        ),
        (
            Settings(),
            asks(preset="talkcody", max_iterations=9, marker="trust"),
            resolved(TALKCODY, True, max_iterations=9, marker="trust", **OF_TALKCODY),
        ),
        (Settings(), asks(preset="strict"), resolved(strict=True, preset="strict")),
        (Settings(), asks(preset="supercode"), resolved(promise_only=True, **OF_SUPERCODE)),
        (Settings(), asks(preset="jikime"), resolved(("zero_errors",), **OF_JIKIME)),
        # criteria add up
        (Settings(criteria=("type_check",)), asks("test_pass"), resolved(("test_pass", "type_check"))),
        # promises
        (Settings(), asks(completion_promise="X"), resolved(promise_only=True, completion_promise="X")),
        (PROMISE, Request(), resolved(promise_only=True, completion_promise="X")),
        (
            PROMISE,
            asks("test_pass", marker="verify"),
            resolved(("test_pass",), completion_promise="X", marker="verify"),
        ),
        (Settings(), asks("zero_errors", completion_promise="X"), resolved(("zero_errors",), completion_promise="X")),
        (PROMISE._replace(criteria=("preserve",)), Request(), resolved(("preserve",), completion_promise="X")),
        (PROMISE, asks(completion_promise=""), resolved()),
        (
            Settings(),
            asks(preset="strict", completion_promise="X"),
            resolved(promise_only=True, strict=True, preset="strict", completion_promise="X"),
        ),
        # commands
        (
            Settings(checks=UNIT),
            asks(completion_promise="X")._replace(checks=(("unit", ("new", "one")), ("e2e", ("make",)))),
            resolved(("custom",), completion_promise="X", checks=NEW),
        ),
    ],
)
def test_a_start_joins_the_settings_with_what_it_asks_for(
    settings: Settings, request_: Request, result: Resolved
) -> None:
    assert resolve(settings, request_) == result


def test_errors_count_unless_they_are_switched_off() -> None:
    settings = Settings(criteria=("zero_errors", "type_check"))
    assert resolve(settings, Request(zero_errors=False, only=("tests", "build"))) == Resolved(
        Settings(criteria=("type_check",)),
        Criteria(type_check=True, green=True, only=("tests", "build")),
        False,
        frozenset({"type_check"}),
    )


def test_a_command_of_the_configuration_counts_without_being_a_criterion_asked_for_by_name() -> None:
    settings = Settings(checks={"unit": CheckSetting(command=("pytest",))})
    assert resolve(settings, Request()) == Resolved(settings, Criteria(custom=True, green=True), False, frozenset())


@pytest.mark.parametrize(
    "checks", [{"unit": CheckSetting(command=("pytest",), enabled=False)}, {"mypy": CheckSetting(timeout=5)}]
)
def test_neither_a_disabled_command_nor_a_setting_of_a_known_tool_is_a_custom_check(
    checks: dict[str, CheckSetting],
) -> None:
    assert resolve(Settings(checks=checks), Request()) == resolved(checks=checks)


def test_a_command_of_the_configuration_makes_no_promise_loop_wait_for_it() -> None:
    settings = PROMISE._replace(checks={"unit": CheckSetting(command=("pytest",))})
    assert resolve(settings, Request()) == Resolved(
        settings._replace(markers=settings.markers._replace(marker="require")), Criteria(), True, frozenset()
    )


@pytest.mark.parametrize(
    ("settings", "request_"),
    [(Settings(), asks(marker="verify", completion_promise="X")), (PROMISE, asks(preset="ralph-mem"))],
)
def test_a_promise_that_nothing_can_verify_is_refused(settings: Settings, request_: Request) -> None:
    with pytest.raises(UserError) as error:
        resolve(settings, request_)
    assert str(error.value) == (
        "marker verify lets only checks decide, and with a completion promise there are none. Fix: "
        "name a criterion (--criteria test_pass) or use --marker require"
    )
