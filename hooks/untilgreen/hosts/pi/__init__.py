"""Pi."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.pi import wire

HOST = Adapter(wire)
