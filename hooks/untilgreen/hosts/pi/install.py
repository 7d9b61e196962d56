"""Pi's settings of ours: an extension, `.pi/extensions/untilgreen.ts` of a project or of the user's folder, and our
commands as prompt templates, `.pi/prompts/untilgreen:loop.md`. Pi passes a line on to extensions as it was typed
before it expands it.
"""

import os

from untilgreen.hosts.bridge_file import BridgeFile
from untilgreen.hosts.pi import NAME


class _PiSettings(BridgeFile):
    HOST = NAME
    FILE = "pi.ts"
    FOLDER = ".pi"
    FILES = dict.fromkeys(BridgeFile.SCOPES, os.path.join("extensions", "untilgreen.ts"))
    COMMAND = os.path.join("prompts", "untilgreen:{}.md")


SETTINGS = _PiSettings()
