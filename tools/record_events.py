"""Write what the adapters read in the recorded payloads: `python tools/record_events.py`; read the diff.

One archive a host, `tests/payloads/HOST/events.txt`, a part a payload: the event as JSON, without what is empty.
"""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import archives
import recorded


def main() -> None:
    """Write the archives again."""
    for host in recorded.HOSTS:
        parts = {
            call.name: archives.Part(recorded.event(call).encode()) for call in recorded.CALLS if call.host == host
        }
        archives.write(recorded.events(host), parts)


if __name__ == "__main__":
    main()
