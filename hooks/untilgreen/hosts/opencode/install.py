"""OpenCode's settings of ours: `.opencode/plugin/untilgreen.js` of a project, or of `~/.config/opencode`."""

from untilgreen.hosts.bridge_file import OpenCodeFile
from untilgreen.hosts.opencode import NAME


class _OpenCodeSettings(OpenCodeFile):
    HOST = NAME
    FOLDER = ".opencode"


SETTINGS = _OpenCodeSettings()
