"""Our hooks in the values of a settings file: what others wrote stays, and is all that is left without ours."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import settings as examples
from hypothesis import strategies as st

import tables
from untilgreen.cli.installing import changes, command_forms, targets
from untilgreen.core.errors import UserError
from untilgreen.hosts import commented
from untilgreen.hosts.claude_code.install import SETTINGS

WANTED = SETTINGS.entries(
    lambda name: ("/env/bin/python", ["-I", "-c", command_forms.code(name, "/env"), "--host", "claude-code"])
)
OLDER = SETTINGS.entries(
    lambda name: ("/old/python", ["-I", "-c", "exec(...)", f"/untilgreen/{name.replace('-', '_')}.py"])
)
THEIRS = {"type": "command", "command": "say done"}
NUMBERS = st.integers(-5, 10**18) | st.floats(allow_nan=False, allow_infinity=False)
SCALARS = st.one_of(st.none(), st.booleans(), NUMBERS, st.text())
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
)
GROUPS = VALUES | st.fixed_dictionaries(
    {"hooks": st.lists(VALUES | st.just(THEIRS), max_size=3)}, optional={"matcher": st.text(max_size=3)}
)
TABLES = st.dictionaries(
    st.sampled_from([*WANTED, "PreToolUse", "Notification"]), st.lists(GROUPS, max_size=3), max_size=4
)


@st.composite
def documents(draw: st.DrawFn) -> dict[str, Any]:
    """Settings as anybody may have them."""
    document: dict[str, Any] = draw(
        st.dictionaries(st.text(max_size=5).filter(lambda key: key not in ("hooks", "statusLine")), VALUES)
    )
    if draw(st.booleans()):
        document["hooks"] = draw(TABLES)
    if draw(st.booleans()):
        document["statusLine"] = draw(VALUES | st.just({"type": "command", "command": "date"}))
    return {key: document[key] for key in draw(st.permutations(list(document)))}


@examples(max_examples=60, deadline=None)
@given(documents())
def test_what_is_put_in_can_be_taken_out(before: dict[str, Any]) -> None:
    after = SETTINGS.merged(before, WANTED)
    theirs = before.get("hooks", {})
    assert after == before | {
        "hooks": theirs | {event: [*theirs.get(event, []), *ours] for event, ours in WANTED.items()}
    }
    assert list(after)[: len(before)] == list(before)
    assert SETTINGS.merged(after, WANTED) == after
    with_line = SETTINGS.with_status_line(after, "untilgreen statusline")
    assert SETTINGS.status_line(with_line) == ("theirs" if "statusLine" in before else "ours")
    assert SETTINGS.without(with_line, before) == before


@examples(max_examples=40, deadline=None)
@given(documents())
def test_an_older_registration_is_replaced_and_comes_out_as_the_new_one_would(before: dict[str, Any]) -> None:
    older = SETTINGS.merged(before, OLDER)
    assert SETTINGS.merged(older, WANTED) == SETTINGS.merged(before, WANTED)
    assert SETTINGS.without(older, before) == before


@examples(max_examples=40, deadline=None)
@given(documents(), st.sampled_from([None, 2, "\t"]), st.booleans(), st.sampled_from(["\n", "\r\n"]))
def test_settings_are_read_as_they_may_be_written_and_come_back_as_the_host_writes_them(
    before: dict[str, Any], indent: Any, ascii_only: bool, newline: str
) -> None:
    text = json.dumps(before, indent=indent, ensure_ascii=ascii_only).replace("\n", newline)
    for opening in ("", "\ufeff"):
        assert changes.understood(SETTINGS, (opening + text + newline).encode(), "s", lossless=True) == before
    assert changes.laid_out(before) == (json.dumps(before, indent=2, ensure_ascii=False) + "\n").encode()


def test_without_the_original_empty_tables_are_taken_for_ours() -> None:
    assert SETTINGS.without(SETTINGS.merged({"a": 1}, WANTED), {}) == {"a": 1}
    assert SETTINGS.without(SETTINGS.merged({"hooks": {"Stop": []}}, WANTED), {}) == {}


def test_what_somebody_put_beside_ours_stays_when_ours_goes() -> None:
    after = json.loads(json.dumps(SETTINGS.merged({"model": "x"}, WANTED)))
    after["hooks"]["Stop"][0]["hooks"].insert(0, THEIRS)
    after["hooks"]["Stop"].append({"hooks": [THEIRS]})
    assert SETTINGS.without(after, {}) == {"model": "x", "hooks": {"Stop": [{"hooks": [THEIRS]}, {"hooks": [THEIRS]}]}}


@pytest.mark.parametrize(("text", "why"), tables.literal("host-settings", "what the host does not read"))
def test_what_the_host_does_not_read_is_not_understood(text: str, why: str) -> None:
    with pytest.raises(UserError) as error:
        changes.understood(SETTINGS, text.encode(), "settings.json")
    assert str(error.value).startswith("settings.json is not JSON (")
    assert error.value.reason.endswith(why)


def test_of_a_key_that_stands_twice_the_last_one_counts_but_the_file_is_not_written_anew() -> None:
    assert changes.understood(SETTINGS, b'{"a": 1, "a": 2}', "s") == {"a": 2}
    with pytest.raises(UserError) as error:
        changes.understood(SETTINGS, b'{"a": 1, "b": {"c": 1, "c": 2}}', "s", lossless=True)
    assert str(error.value) == 's has the key "c" twice in one table. Fix: correct the file, then try again'


COMMENTED = """{
  // which model
  "model": "x", // the usual one, "quoted"
  /* off,
     for now */ "ui": {"a": "// none"}
}
"""


def test_comments_stay_where_a_host_reads_them_and_ours_comes_out_byte_for_byte() -> None:
    gemini = targets.settings("gemini")
    before = changes.understood(gemini, COMMENTED.encode(), "s")
    assert before == {"model": "x", "ui": {"a": "// none"}}
    wanted = gemini.merged(before, gemini.entries(lambda name: (f"/opt/{name}", ["--host", "gemini"])))
    data = changes.put_into(gemini, wanted, COMMENTED.encode(), "s")
    assert data.startswith(COMMENTED[:-3].encode())
    assert changes.understood(gemini, data, "s") == wanted
    assert changes.put_into(gemini, gemini.without(wanted, before), data, "s") == COMMENTED.encode()


@pytest.mark.parametrize(
    ("text", "settings", "after"),
    [
        ('{ // a\n "a": 1, "b": 2 }', {"b": 2}, '{ // a\n  "b": 2 }'),
        ('{"a": 1 // a\n}', {}, "{ // a\n}"),
        ('{"a": 1, // a\n"b": 2}', {"a": 1}, '{"a": 1 // a\n}'),
        ('{"a": 1 /* , */ , "b": 2}', {"b": 3}, '{ /* , */  "b": 3}'),
        ("// none yet\n{}", {"a": 1}, '// none yet\n{\n  "a": 1\n}'),
    ],
)
def test_each_pair_comes_and_goes_with_its_comma(text: str, settings: dict[str, Any], after: str) -> None:
    assert commented.edited(text, settings) == after
    assert json.loads(commented.plain(after)) == settings


def test_a_comment_that_would_be_lost_keeps_the_file_as_it_is() -> None:
    with pytest.raises(UserError) as error:
        changes.put_into(targets.settings("qwen"), {"hooks": {}}, b'{"hooks": {"Stop": [] // mine\n}}', "s")
    said = 's: a comment in "hooks" would be lost. Fix: move the comment out of that table, then try again'
    assert str(error.value) == said
