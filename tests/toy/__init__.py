"""A host that nobody has: what docs/adding-a-host.md makes, step by step. test_toy_host.py puts it into a package."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.host import Facts

from . import wire

HOST = Adapter(wire, Facts("Toy", block_cap=wire.CAP, cap_spans_tools=True))
