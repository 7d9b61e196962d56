"""Whether a host has our hooks in its own settings: some run those of another host's settings, too."""

import json
from collections.abc import Mapping

from untilgreen.hosts.host import Host
from untilgreen.project import files

_LARGEST = 4 * 1024 * 1024  # bytes of a settings file


def has(host: Host, root: str, env: Mapping[str, str]) -> bool:
    """Whether a settings file of the host, for this project, calls us at a stop. What cannot be read does not."""
    own = host.settings()
    if own is None:
        return False
    for scope in own.scopes(root, env):
        try:
            settings = json.loads(own.unwrapped(files.read(scope.path, _LARGEST, follow=True)) or b"{}")
        except (OSError, ValueError, RecursionError):
            continue
        if isinstance(settings, dict) and any(one.hook == "stop-loop" for one in own.registered(scope, settings)):
            return True
    return False
