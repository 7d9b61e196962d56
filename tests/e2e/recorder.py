"""A hook that writes down what it is given, and may hold a stop.

    python -I recorder.py LOG [--hold N TEXT] [--wait SECONDS]

Appends one JSON object a call to LOG: `event`, `payload`, `env` (names that start with CLAUDE, and AI_AGENT), `time`
(seconds since the epoch), `pid`. The first N calls for Stop exit 2 with TEXT on stderr, after SECONDS.
"""

import fcntl
import json
import os
import sys
import time


def main() -> int:
    log, *options = sys.argv[1:]
    payload = json.loads(sys.stdin.buffer.read())
    event = payload["hook_event_name"]
    env = {name: value for name, value in os.environ.items() if name.startswith("CLAUDE") or name == "AI_AGENT"}
    record = {"event": event, "payload": payload, "env": env, "time": time.time(), "pid": os.getpid()}
    with open(log, "a+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        file.seek(0)
        earlier = sum(json.loads(line)["event"] == event for line in file)
        file.write(json.dumps(record) + "\n")
    if event != "Stop" or "--hold" not in options:
        return 0
    if "--wait" in options:
        time.sleep(float(options[options.index("--wait") + 1]))
    at = options.index("--hold")
    if earlier >= int(options[at + 1]):
        return 0
    sys.stderr.write(options[at + 2])
    return 2


if __name__ == "__main__":
    sys.exit(main())
