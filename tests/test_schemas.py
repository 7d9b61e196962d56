"""The exported schemas say what untilgreen itself takes and writes."""

import json
import tomllib
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker  # type: ignore[import-untyped]

import tables
from loops import FIELDS, KEYS
from untilgreen.cli import schemas
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import NAMES, SEED_NAMES, Loop
from untilgreen.core.model.receipt import LoopReceipt
from untilgreen.core.model.settings import CheckSetting, Criteria, JudgeSetting, Settings
from untilgreen.settings import load
from untilgreen.settings.groups import CHECK, CONTEXT, HOOK, JUDGE, MEMORY, NOTIFY, PRICE, REVIEW
from untilgreen.settings.keys import SETTINGS
from world import World

CONFIG = Draft202012Validator(schemas.config(), format_checker=FormatChecker())
STATE = Draft202012Validator(schemas.SCHEMAS["state"]())


def is_taken(config: Mapping[str, Any]) -> bool:
    """Whether untilgreen takes this configuration."""
    try:
        load.checked(dict(config))
    except UserError:
        return False
    return True


@pytest.mark.parametrize("name", list(schemas.SCHEMAS))
def test_every_schema_is_one_and_printed(world: World, name: str) -> None:
    code, stdout, stderr = world.run("untilgreen", "config", "schema", name)
    printed = json.loads(stdout)
    assert (code, stderr, printed) == (0, "", {"$id": f"urn:untilgreen:schema:{name}", **schemas.SCHEMAS[name]()})
    Draft202012Validator.check_schema(printed)
    assert printed["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert printed["title"]
    assert printed["description"]
    assert printed["type"] == "object"


def test_a_schema_that_is_not_there_is_an_error_that_names_those_that_are(world: World) -> None:
    answer = world.run("untilgreen", "config", "schema", "loops")
    assert answer == (64, "", f'untilgreen failed: name is "loops". Fix: give one of {", ".join(schemas.SCHEMAS)}\n')


@pytest.mark.parametrize(("name", "model"), [("state", Loop), ("receipt", LoopReceipt)])
def test_the_schema_of_a_model_has_its_fields_in_their_order_and_its_defaults(name: str, model: Any) -> None:
    found = schemas.SCHEMAS[name]()
    named = {name: document.value(Settings(), name) for name in SEED_NAMES} if name == "state" else {}
    records = (model, *NAMES) if model is Loop else (model,)
    fields = FIELDS if model is Loop else model._fields
    assert tuple(found["properties"]) == (*fields, *named)
    usual = {field: default for record in records for field, default in record._field_defaults.items()}
    assert found["required"] == [field for field in fields if field not in usual]
    defaults = {field: one["default"] for field, one in found["properties"].items() if "default" in one}
    assert defaults == document.dump({field: one for field, one in usual.items() if field in fields}) | named
    assert found["description"].startswith((model.__doc__ or "").partition("\n")[0])


# --- state ------------------------------------------------------------------------------------------------------


def valid(world: World) -> dict[str, Any]:
    """The session's state, which fits the schema as it is."""
    found = world.state
    assert list(STATE.iter_errors(found)) == []
    return found


@pytest.mark.tools("mypy")
def test_what_a_loop_leaves_behind_from_its_start_to_its_end_is_valid(red: World) -> None:
    red.start("mend it", "--check", "own=true", "--target", "app.py", "--criteria", "type_check", "--allow-absent")
    assert valid(red)["initial"]["error_count"] == 1
    red.prompt("hello")
    red.edit("app.py", "import sys\n")
    assert red.stop().held
    valid(red)
    red.write({"app.py": "VALUE = 1\n", "pyproject.toml": "[tool.untilgreen]\nmax_minutes = 5\n"})
    red.stop()
    assert valid(red)["stop_reason"] == "complete"
    assert [entry["event"] for entry in red.journal] == ["start", "edit", "continue", "release"]


def test_the_state_calls_the_criteria_as_earlier_loops_did(red: World) -> None:
    red.start("mend it", "--tests-pass", "--no-zero-errors", "--allow-absent")
    names = ["zero_errors", "zero_warnings", "zero_security", "tests_pass", "lint_clean", "type_check"]
    others = ["build_success", "custom", "preserve", "no_tool_errors", "green"]
    criteria = dict.fromkeys(names + others, False) | {
        "tests_pass": True,
        "only": ["tests", "build"],
        "judge": [],
        "stagnation_limit": 3,
    }
    assert valid(red)["completion_criteria"] == criteria
    assert document.load(Loop, red.state).asked.completion_criteria == Criteria(test_pass=True, only=("tests", "build"))
    told = STATE.schema["$defs"]["Criteria"]
    assert (list(told["properties"]), told["required"]) == (list(criteria), [])


def test_a_session_without_a_loop_and_a_waiting_one_are_valid(watched: World) -> None:
    watched.edit("new.py", "import os\n")
    valid(watched)
    watched.stop(prompt_id="p")
    valid(watched)
    assert watched.edits["turn"]["active"]
    watched.run("start-loop", "later", "--session", "next", "--completion-promise", "DONE")
    [waiting] = (watched.project / ".untilgreen" / "next").glob("*.json")
    assert list(STATE.iter_errors(json.loads(waiting.read_text()))) == []


@pytest.mark.parametrize(("field", "value"), tables.literal("schemas", "state that would be put aside"))
def test_state_that_would_be_put_aside_is_not_valid(red: World, field: str, value: Any) -> None:
    red.start("mend it")
    found = valid(red) | {field: value}
    with pytest.raises(document.Mismatch):
        document.load(Loop, found)
    assert not STATE.is_valid(found)


def test_state_may_hold_what_a_newer_release_writes(red: World) -> None:
    red.start("mend it")
    found = valid(red) | {"unknown": [1]}
    assert document.load(Loop, found) == document.load(Loop, red.state)
    assert STATE.is_valid(found)
    assert not STATE.is_valid({name: value for name, value in found.items() if name != "loop_id"})


# --- configuration ----------------------------------------------------------------------------------------------

EVERYTHING = (tables.TABLES / "every-key.toml").read_text()


def test_every_key_is_described_and_has_its_default() -> None:
    assert set(SETTINGS.keys) == set(KEYS)
    exported = schemas.config()["properties"]
    assert tuple(exported) == tuple(SETTINGS.keys)
    check = schemas.config()["$defs"]["Check"]["properties"]
    inner = [(CHECK, check), (HOOK, exported["hooks"]["items"]["properties"])]
    inner += [(PRICE, exported["prices"]["additionalProperties"]["properties"])]
    groups = {"notify": NOTIFY, "memory": MEMORY, "context": CONTEXT, "review": REVIEW, "judge": JUDGE}
    inner += [(table, exported[name]["properties"]) for name, table in groups.items()]
    for table, shown in inner:
        assert tuple(shown) == tuple(table.keys) == table.record._fields
    whole = [(SETTINGS, exported), *inner]
    for key, found in ((key, shown[name]) for table, shown in whole for name, key in table.keys.items()):
        assert key.means.endswith(".")
        assert found["description"] == key.means
        assert {"type", "enum"} & set(found)
    without = {name for name, found in (exported | check).items() if "default" not in found}
    of_tables = {"checks", "judge", "notify", "memory", "hooks", "review", "context"}
    assert without == {*of_tables, "preset", "command", "timeout", "format", "pattern"}


def test_a_configuration_with_every_key_is_taken_by_both() -> None:
    config = tomllib.loads(EVERYTHING)
    assert set(config) == set(KEYS)
    assert set(config["judge"]) == set(JudgeSetting._fields)
    assert {key for check in config["checks"].values() for key in check} == set(CheckSetting._fields)
    assert is_taken(config)
    assert list(CONFIG.iter_errors(config)) == []


@pytest.mark.parametrize("name", ["auto", "max_iterations", "max_minutes", "stagnation_limit", "marker", "lang"])
def test_the_defaults_are_taken_by_both(name: str) -> None:
    config = {name: schemas.config()["properties"][name]["default"]}
    assert is_taken(config)
    assert CONFIG.is_valid(config)


VALUES: dict[str, tuple[Any, ...]] = tables.literal("schemas", "values")


@pytest.mark.parametrize(("name", "value"), [(name, one) for name, some in VALUES.items() for one in some], ids=repr)
def test_untilgreen_and_the_schema_take_the_same_values(name: str, value: Any) -> None:
    in_check = name in CheckSetting._fields
    config = {"checks": {"own": {"command": "true"} | {name: value}}} if in_check else {name: value}
    assert CONFIG.is_valid(config) == is_taken(config)


CONFIGURATIONS = st.fixed_dictionaries(
    {}, optional={name: st.sampled_from(some) for name, some in VALUES.items() if name in KEYS}
)


@given(config=CONFIGURATIONS)
def test_no_configuration_that_untilgreen_takes_is_refused_by_the_schema(config: dict[str, Any]) -> None:
    assert CONFIG.is_valid(config) or not is_taken(config)


def test_without_a_name_all_schemas_come_in_one_object(world: World) -> None:
    answer = world.run("untilgreen", "config", "schema")
    assert (answer.code, answer.stderr) == (0, "")
    every = json.loads(answer.stdout)
    assert list(every) == ["state", "config", "receipt"]
    assert every["config"] == json.loads(world.run("untilgreen", "config", "schema", "config").stdout)
