"""Our hooks in the text of a settings file: what is not ours stays byte for byte, and comes back byte for byte."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from untilgreen.cli.installing import registration, scopes, settings_text, status_line
from untilgreen.core.errors import UserError

WANTED = registration.entries(registration.isolated("/env/bin/python", "/env"))
OTHERS = registration.entries(registration.scripts("/old/untilgreen/bin/"))
THEIRS = {"type": "command", "command": "say done"}
SPACE = st.sampled_from(["", "", "", " ", "\n", "\n  ", "\n\t", "\r\n    ", "\n\n", "  ", "\t"])
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-5, 10**18), st.sampled_from(["1e5", "-0.0", "1E-7"]).map(float), st.text()
)


@st.composite
def written(draw: st.DrawFn, value: Any) -> str:
    """A value as somebody might have written it: any white space, any escapes."""

    def space() -> str:
        return draw(SPACE)

    if isinstance(value, dict):
        members = [
            f"{space()}{draw(written(key))}{space()}:{space()}{draw(written(one))}{space()}"
            for key, one in value.items()
        ]
        return "{" + (",".join(members) or space()) + "}"
    if isinstance(value, list):
        return "[" + (",".join(f"{space()}{draw(written(one))}{space()}" for one in value) or space()) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


values = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
groups = st.one_of(
    values,
    st.fixed_dictionaries(
        {"hooks": st.lists(st.one_of(values, st.just(THEIRS)), max_size=3)}, optional={"matcher": st.text(max_size=3)}
    ),
)
tables = st.dictionaries(
    st.sampled_from([*WANTED, "PreToolUse", "Notification"]), st.lists(groups, max_size=3), max_size=4
)


@st.composite
def documents(draw: st.DrawFn) -> str:
    """A settings text, from tidy to odd."""
    document = draw(st.dictionaries(st.text(max_size=5).filter(lambda key: key not in ("hooks", "statusLine")), values))
    if draw(st.booleans()):
        document["hooks"] = draw(tables)
    if draw(st.booleans()):
        document["statusLine"] = draw(st.one_of(values, st.just({"type": "command", "command": "date"})))
    keys = draw(st.permutations(list(document)))
    document = {key: document[key] for key in keys}
    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
        text = json.dumps(document, indent=indent, ensure_ascii=False)
        text = text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))
    else:
        text = draw(written(document))
    return draw(st.sampled_from(["", "\ufeff", "\n", " "])) + text + draw(st.sampled_from(["", "\n", "\r\n\n"]))


def in_order(part: str, whole: str) -> bool:
    """Is every character of the part in the whole, in this order?"""
    rest = iter(whole)
    return all(character in rest for character in part)


@settings(max_examples=150, deadline=None)
@given(documents())
def test_what_is_put_in_can_be_taken_out_to_the_last_byte(text: str) -> None:
    before = settings_text.parsed(text)
    with_hooks = registration.merged(text, WANTED, "settings.json")
    theirs = before.get("hooks", {})
    hooks = theirs | {event: [*theirs.get(event, []), group] for event, group in WANTED.items()}
    assert settings_text.parsed(with_hooks) == before | {"hooks": hooks}
    assert in_order(text, with_hooks)
    assert registration.merged(with_hooks, WANTED, "settings.json") == with_hooks
    with_line = status_line.put(with_hooks, "/env/bin/python", "/env/untilgreen")
    assert status_line.put(with_line, "/env/bin/python", "/env/untilgreen") == with_line
    assert registration.without(with_line, text) == text


@settings(max_examples=80, deadline=None)
@given(documents())
def test_an_older_registration_is_replaced_and_comes_out_as_the_new_one_would(text: str) -> None:
    old = registration.merged(text, OTHERS, "settings.json")
    new = registration.merged(old, WANTED, "settings.json")
    assert settings_text.parsed(new) == settings_text.parsed(registration.merged(text, WANTED, "settings.json"))
    assert registration.without(new, text) == text


@pytest.mark.parametrize(
    "text",
    ['{"a": 1}', '{\n  "hooks": {\n    "Stop": [\n      {"hooks": [{"type": "command"}]}\n    ]\n  }\n}\n'],
)
def test_without_the_original_empty_tables_are_taken_for_ours(text: str) -> None:
    assert registration.without(registration.merged(text, WANTED, "s")) == text


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{\n  // mine\n  "a": 1}', "; the host passes over settings with a comment"),
        ('/* mine */ {"a": 1}', "; the host passes over settings with a comment"),
        ('{"a": 1, }', ")"),
        ('{"a": NaN}', "(NaN is no JSON)"),
    ],
)
def test_what_the_host_does_not_read_is_not_understood(text: str, why: str) -> None:
    with pytest.raises(UserError) as error:
        scopes.understood(text, "settings.json")
    assert str(error.value).startswith("settings.json is not JSON (")
    assert str(error.value).endswith(why)


def test_a_document_on_one_line_stays_on_it() -> None:
    text = registration.merged('{"model":"x","hooks":{}}', {"Stop": {"hooks": []}}, "s")
    assert text == '{"model":"x","hooks":{"Stop":[{"hooks":[]}]}}'


def test_an_indentation_of_tabs_and_other_ends_of_lines_are_followed() -> None:
    text = registration.merged('{\r\n\t"model": "x"\r\n}', {"Stop": {"hooks": []}}, "s")
    assert text == (
        '{\r\n\t"model": "x",\r\n\t"hooks": {\r\n\t\t"Stop": [\r\n\t\t\t{\r\n\t\t\t\t"hooks": []\r\n'
        "\t\t\t}\r\n\t\t]\r\n\t}\r\n}"
    )


def test_what_somebody_put_beside_ours_stays_when_ours_goes() -> None:
    text = registration.merged('{\n  "model": "x"\n}\n', {"Stop": WANTED["Stop"]}, "s")
    settings = settings_text.parsed(text)
    settings["hooks"]["Stop"][0]["hooks"].insert(0, THEIRS)
    settings["hooks"]["Stop"].append({"hooks": [THEIRS]})
    changed = json.dumps(settings, indent=2)
    del settings["hooks"]["Stop"][0]["hooks"][1]
    assert registration.without(changed, '{\n  "model": "x"\n}\n') == json.dumps(settings, indent=2)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{"a": [1, 2]}', '{"a": [1, 2, 3]}'),
        ('{"a": [\n  1,\n  2 ]}', '{"a": [\n  1,\n  2,\n  3 ]}'),
        ('{"a":\n [1\n  ,2\n  ]\n}', '{"a":\n [1\n  ,2,\n  3\n  ]\n}'),
        ('{"a": [ ]}', '{"a": [3 ]}'),
        ('{\n "a": [\n ]\n}', '{\n "a": [\n  3\n ]\n}'),
    ],
)
def test_a_new_member_stands_as_its_neighbours_do_and_is_cut_to_the_last_byte(before: str, after: str) -> None:
    assert settings_text.added(before, ("a",), 3) == after
    number = len(settings_text.parsed(before)["a"])
    cut = settings_text.cut(after, ("a", number))
    assert cut == (before if number else settings_text.spliced(before, ("a",), "[]"))
