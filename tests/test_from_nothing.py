"""From nothing to a signed receipt that somebody verified: what a person types for that, and what they see."""

import os
import re
import subprocess
import textwrap

import pictures
from world import World

YOU = "\N{HEAVY RIGHT-POINTING ANGLE QUOTATION MARK ORNAMENT}"
TYPED = (
    "git init -q",
    "untilgreen init",
    "claude '/untilgreen:loop Fix shop.py'",
    "git config gpg.format ssh",
    "git config user.signingkey ~/.ssh/id_ed25519.pub",
    "git add -A && git commit -qm Shop",
    "untilgreen receipt",
    'echo "me $(cat ~/.ssh/id_ed25519.pub)" > ../signers',
    "untilgreen verify --allowed-signers ../signers",
)
# plays the host and its model: calls what is registered, and changes nothing at first
HOST = """\
#!/usr/bin/env python3
import json, os, subprocess, sys
if sys.argv[1:] == ["--version"]:
    sys.exit(print("2.1.330 (Claude Code)"))
hooks = json.load(open(".claude/settings.local.json"))["hooks"]
def fire(event, **fields):
    hook = hooks[event][0]["hooks"][0]
    given = {"session_id": "0123456789", "cwd": os.getcwd(), "hook_event_name": event, **fields}
    env = {**os.environ, "CLAUDE_PROJECT_DIR": os.getcwd(), "CLAUDE_CODE_SESSION_ID": "0123456789"}
    call = [hook["command"], *hook["args"]]
    said = subprocess.run(call, input=json.dumps(given), capture_output=True, text=True, env=env)
    print(f"  \\u23bf  {event} says: {json.loads(said.stdout)['systemMessage']}")
fire("UserPromptSubmit", prompt=sys.argv[1])
print("\\n\\u25cf The shop looks fine to me. Done!")
fire("Stop", last_assistant_message="The shop looks fine to me. Done!")
open("shop.py", "w").write("VALUE = 1\\n")
print("\\n\\u25cf I removed the unused import. Done!")
fire("Stop", stop_hook_active=True, last_assistant_message="I removed the unused import. Done!")
"""
COLUMNS = 96  # of the terminal
SHAPES = (
    (r"\b[0-9a-f]{12}\b", "7a2c19f0b3de"),
    (r"SHA256:\S{43}", "SHA256:l9XkQ…"),
    (r"\d{4}-\d\d-\d\dT[\d:.]+Z", "2026-11-28T20:04:01Z"),
    (r"ruff \d+\.\d+\.\d+", "ruff 0.17.6"),
    (r"\b[\d.]+ s\b", "N s"),
)


def test_from_nothing_to_a_verified_receipt_is_less_than_a_minute_of_typing(world: World) -> None:
    assert sum(map(len, TYPED)) <= 300, "a minute at 60 words of five letters"
    (world.programs / "claude").write_text(HOST)
    (world.programs / "claude").chmod(0o755)
    world.write({"shop.py": "import os\n\nVALUE = 1\n", "ruff.toml": "", ".gitignore": ".ruff_cache/\n"})
    key = world.home / ".ssh" / "id_ed25519"
    key.parent.mkdir()
    subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)), check=True)
    screen = ""
    for line in TYPED:
        said = world.process("bash", "-c", line)
        assert (said.code, said.stderr) == (0, ""), said
        screen += f"{YOU} {line}\n{said.stdout}" + ("\n" if said.stdout else "")
    for path, shown in ((world.home, "~"), (world.project, "~/shop"), (world.programs, "~/bin")):
        screen = screen.replace(str(path), shown)
    for shape, fixed in SHAPES:
        screen = re.sub(shape, fixed, screen)
    screen = "\n".join(textwrap.fill(row, COLUMNS, subsequent_indent="     ") for row in screen.split("\n"))
    golden = pictures.SCREENS / "from-nothing.txt"
    if os.environ.get("UPDATE_GOLDENS"):
        golden.write_text(screen)
    assert screen == golden.read_text()
