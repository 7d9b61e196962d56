"""A new key of the configuration is a field of its record and one entry of its table: the rest follows."""

from collections import namedtuple
from collections.abc import Callable
from typing import Annotated, Any

import click
import pytest
from pydantic import Field

import pages
from untilgreen.cli import options, schemas
from untilgreen.core.errors import UserError
from untilgreen.core.model.settings import Settings
from untilgreen.loops.begin.options import Request, resolve
from untilgreen.loops.heard import words
from untilgreen.settings import load
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.values import Key

KEYS = {
    "mood": Key(
        "How the agent is spoken to.",
        choices=("kind", "strict"),
        option="kind|strict",
        switches={"--kind": ("kind", "Be kind.")},
    ),
    "patience": Key("Seconds before the agent is told off.", Annotated[int, Field(ge=2, le=9)], option="N", short="-p"),
}
# the record as it is, with a field more for each
make: Any = namedtuple  # noqa: PYI024 (typing's takes no defaults)
Wider = make("Wider", [*Settings._fields, "mood", "patience"], defaults=[*Settings(), "strict", 5])
Wider.__annotations__ = {**Settings.__annotations__, "mood": str, "patience": int}
Wider.flat = Settings.flat
TABLE = SETTINGS._replace(record=Wider, keys={**SETTINGS.keys, **KEYS})


def in_a_shell(line: str) -> Request:
    got: list[Request] = []
    options.command(got.append, TABLE).main(args=line.split(), prog_name="start-loop", standalone_mode=False)
    return got[0]


def typed(line: str) -> Request:
    return words.parse(line, lambda _: False, TABLE)


def test_it_is_read_from_a_file_beside_the_others() -> None:
    assert load.checked({"patience": 3, "max_iterations": 4}, TABLE) == Wider(patience=3, max_iterations=4)


NAMES = (*SETTINGS.keys, "mood")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"patience": "3"}, 'patience is "3". Fix: give a whole number'),
        ({"patience": 1}, "patience is 1. Fix: give a number from 2 up"),
        ({"mood": "sad"}, 'mood is "sad". Fix: give one of kind, strict'),
        ({"moods": "sad"}, f"unknown key moods. Did you mean mood? Fix: take one of {', '.join((*NAMES, 'patience'))}"),
    ],
)
def test_what_it_may_not_be_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError) as refused:
        load.checked(given, TABLE)
    assert str(refused.value) == message


def test_it_stands_in_the_schema() -> None:
    known, found = schemas.config()["properties"], schemas.config(TABLE)["properties"]
    assert {name: one for name, one in found.items() if name not in known} == {
        "mood": {
            "description": "How the agent is spoken to.",
            "type": "string",
            "enum": ["kind", "strict"],
            "default": "strict",
        },
        "patience": {
            "description": "Seconds before the agent is told off.",
            "type": "integer",
            "minimum": 2,
            "maximum": 9,
            "default": 5,
        },
    }


def test_it_stands_on_the_page() -> None:
    assert pages.config_keys(TABLE).splitlines()[-2:] == [
        '| `mood` | one of `kind`, `strict` | `"strict"` | How the agent is spoken to. |',
        "| `patience` | whole number from 2 up | `5` | Seconds before the agent is told off. |",
    ]


@pytest.mark.parametrize("read", [in_a_shell, typed])
@pytest.mark.parametrize(
    ("line", "settings"),
    [
        ("fix --patience 3", {"patience": 3}),
        ("fix -p 3 --mood=strict --strict", {"patience": 3, "mood": "strict", "strict": True}),
        ("fix --kind", {"mood": "kind"}),
    ],
)
def test_its_options_set_it_in_a_shell_and_in_a_typed_line(
    read: Callable[[str], Request], line: str, settings: dict[str, Any]
) -> None:
    assert read(line) == Request(task="fix", settings=settings)
    assert resolve(Wider(), read(line)).settings == Wider(**settings)


@pytest.mark.parametrize("read", [in_a_shell, typed])
def test_what_its_options_may_not_give_is_refused_in_the_same_words(read: Callable[[str], Request]) -> None:
    with pytest.raises(UserError) as refused:
        read("fix --patience 1")
    assert str(refused.value) == "--patience is 1. Fix: give a number from 2 up"


def test_its_options_are_explained() -> None:
    shown = click.Context(options.command(lambda _: None, TABLE), info_name="start-loop", terminal_width=120).get_help()
    assert "-p, --patience N" in shown
    assert "Seconds before the agent is told off. Default: 5." in shown
    assert "How the agent is spoken to. Default: strict." in shown
