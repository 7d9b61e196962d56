"""The one trust gate."""

import os
import stat
from pathlib import Path

import pytest

from untilgreen.project import trust


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path / "home"), "XDG_STATE_HOME": str(tmp_path / "state")}


def test_the_list_lies_in_the_state_folder_of_the_user() -> None:
    assert trust.path({"XDG_STATE_HOME": "/s", "HOME": "/h"}) == "/s/untilgreen/trusted"
    assert trust.path({"HOME": "/h"}) == "/h/.local/state/untilgreen/trusted"
    assert trust.path({"XDG_STATE_HOME": "relative", "HOME": "/h"}) == "/h/.local/state/untilgreen/trusted"


@pytest.mark.parametrize(
    ("granted", "trusted", "others"),
    [
        ("", (), ("project",)),
        ("project", ("project", "link"), ("project/nested", "", "project2")),
        ("link", ("project",), ("",)),
        ("x\n{tmp}/victim", ("x\n{tmp}/victim",), ("victim",)),
        ("a%0Ab", ("a%0Ab",), ("a\nb",)),
        (os.fsdecode(b"caf\xe9"), (os.fsdecode(b"caf\xe9"),), ()),
    ],
    ids=["nothing", "that folder alone", "what a link leads to", "a newline", "a percent sign", "no UTF-8"],
)
def test_a_grant_is_for_that_folder_alone_and_is_said_once(
    tmp_path: Path, env: dict[str, str], granted: str, trusted: tuple[str, ...], others: tuple[str, ...]
) -> None:
    (tmp_path / "project" / "nested").mkdir(parents=True)
    (tmp_path / "link").symlink_to("project")

    def path(name: str) -> str:
        return f"{tmp_path}/{name.format(tmp=tmp_path)}".rstrip("/")

    if granted:
        assert [trust.grant(path(granted), env), trust.grant(path(granted), env)] == [True, False]
    assert [trust.trusted(path(name), env) for name in (*trusted, *others)] == [True] * len(trusted) + [False] * len(
        others
    )
    lines = Path(trust.path(env)).read_text(errors="surrogateescape").count("\n") if granted else 0
    assert (os.path.exists(trust.path(env)), lines) == (bool(granted), 1 if granted else 0)


def test_the_list_and_the_folders_made_for_it_are_private(tmp_path: Path, env: dict[str, str]) -> None:
    env["XDG_STATE_HOME"] = str(tmp_path / "a" / "b")
    trust.grant("/project", env)
    made = [tmp_path / "a", tmp_path / "a/b", tmp_path / "a/b/untilgreen", tmp_path / "a/b/untilgreen/trusted"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in made] == [0o700, 0o700, 0o700, 0o600]


def test_a_list_edited_by_hand_without_a_last_newline_keeps_its_lines(env: dict[str, str]) -> None:
    trust.grant("/one", env)
    Path(trust.path(env)).write_text("/one\n/two")
    assert trust.grant("/three", env)
    asked = ("/one", "/two", "/three", "/two/three")
    assert [trust.trusted(folder, env) for folder in asked] == [True, True, True, False]


def test_of_a_list_that_cannot_be_read_nobody_knows_what_is_on_it(env: dict[str, str]) -> None:
    os.makedirs(trust.path(env))
    said = f"the list of trusted folders cannot be read: Is a directory ({trust.path(env)})"
    for asked in (trust.trusted, trust.grant, trust.revoke):
        with pytest.raises(trust.Unread) as raised:
            asked("/project", env)
        assert str(raised.value) == said


def test_the_list_is_told_as_people_know_the_folders(env: dict[str, str]) -> None:
    assert trust.listed(env) == []
    for folder in ("/two", "/a%0Ab", "/a\nb", "/one"):
        trust.grant(folder, env)
    assert trust.listed(env) == ["/a\nb", "/a%0Ab", "/one", "/two"]


def test_a_revoked_folder_is_trusted_no_more_and_the_others_still_are(env: dict[str, str]) -> None:
    for folder in ("/one", "/two", "/three"):
        trust.grant(folder, env)
    assert [trust.revoke("/two", env), trust.revoke("/two", env)] == [True, False]
    assert Path(trust.path(env)).read_text() == "/one\n/three\n"
    assert stat.S_IMODE(os.stat(trust.path(env)).st_mode) == 0o600


def test_a_list_without_a_folder_goes(env: dict[str, str]) -> None:
    assert not trust.revoke("/one", env)
    trust.grant("/one", env)
    assert trust.revoke("/one", env)
    assert os.listdir(trust.folder(env)) == []
