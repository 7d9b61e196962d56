"""OpenCode."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.opencode import wire

HOST = Adapter(wire)
