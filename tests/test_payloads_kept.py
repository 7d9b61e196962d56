"""`UNTILGREEN_KEEP_PAYLOADS=DIR` keeps the shapes of payloads, and nothing that anybody wrote."""

import json

from world import World

SECRET = "sk-live-0123456789abcdef"


def test_the_shape_of_a_payload_is_kept_and_nothing_that_anybody_wrote(red: World) -> None:
    red.start("mend it")
    folder = red.home / "payloads"
    red.env["UNTILGREEN_KEEP_PAYLOADS"] = str(folder)
    payload = red.payload(last_assistant_message=SECRET, tool_input={SECRET: [SECRET, 7, 0.5, True, None]})
    assert red.run("stop-loop", stdin=json.dumps(payload)).code == 2
    assert red.run("stop-loop", stdin="no JSON").code == 0
    [kept] = folder.iterdir()
    assert kept.name == "001-Stop.json"
    assert SECRET not in kept.read_text()
    found = json.loads(kept.read_text())
    assert (found["executable"], set(found["stdin"])) == ("stop-loop", set(payload))
    assert found["stdin"]["last_assistant_message"] == "<24 characters>"
    assert found["stdin"]["tool_input"] == {"<24 characters>": ["<24 characters>", 0, 0.0, True, None]}


def test_two_hundred_payloads_are_kept_and_a_folder_that_cannot_be_made_holds_nobody(red: World) -> None:
    folder = red.home / "payloads"
    folder.mkdir()
    for number in range(200):
        (folder / f"{number:03d}-x.json").touch()
    red.env["UNTILGREEN_KEEP_PAYLOADS"] = str(folder)
    assert red.start("mend it").code == 0
    assert red.stop().held
    assert len(list(folder.iterdir())) == 200
    assert (
        f"a payload was not kept: {folder} holds 200 payloads" in (red.folder.parents[1] / "untilgreen.log").read_text()
    )
    red.env["UNTILGREEN_KEEP_PAYLOADS"] = str(red.project / "app.py")
    assert red.stop().held
