"""A host that nobody has: what docs/adding-a-host.md makes, step by step. test_toy_host.py puts it into a package."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.facts import BlockCap, Facts

from . import wire

HOST = Adapter(wire, Facts("Toy", cap=BlockCap(wire.CAP, spans_tools=True)))
