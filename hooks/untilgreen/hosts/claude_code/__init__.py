"""Claude Code."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.claude_code import wire

HOST = Adapter(wire)
