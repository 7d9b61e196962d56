"""A budget on the real host: what it writes into its transcript is there when a stop asks for it."""

import pytest

from .scenes import NEW_ONLY, UNUSED, NewScene, writes

pytestmark = [pytest.mark.e2e, pytest.mark.needs("npm")]


@NEW_ONLY  # 2.1.150 asks another model, at another price
def test_a_loop_ends_when_the_hosts_transcript_says_that_its_tokens_are_used_up(new_scene: NewScene) -> None:
    scene = new_scene([writes("broken.py", UNUSED), "Done.", "Done again."], after="And again.")

    run = scene.ask("/untilgreen:loop Add a module --max-tokens 300")

    assert run.result["result"] == "Done again."
    loop = scene.loop()
    assert (loop["stop_reason"], loop["completion_reason"]) == ("budget", "Token budget reached (330 of 300)")
    assert [one["usage"] for one in loop["snapshots"]] == [
        {"tokens": 220, "cost": 0.0012},
        {"tokens": 110, "cost": 0.0006},
    ]
    (end,) = (text for text in scene.shown(run) if "stopped" in text)
    assert "token budget used up (330 of 300)" in end
    assert end.splitlines()[0].endswith(" · 330 tokens, $0.0018")
