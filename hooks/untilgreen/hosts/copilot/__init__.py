"""GitHub Copilot CLI."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.copilot import wire

HOST = Adapter(wire)
