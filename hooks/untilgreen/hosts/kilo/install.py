"""Kilo's settings of ours: the plugin, commands and skill of OpenCode, in `.kilo` and in `~/.config/kilo`."""

from untilgreen.hosts.bridge_file import OpenCodeFile
from untilgreen.hosts.kilo import NAME


class _KiloSettings(OpenCodeFile):
    HOST = NAME
    FOLDER = ".kilo"


SETTINGS = _KiloSettings()
