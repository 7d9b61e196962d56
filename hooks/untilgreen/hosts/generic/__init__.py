"""Any host without an adapter of its own."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.facts import Facts
from untilgreen.hosts.generic import wire

HOST = Adapter(
    wire, Facts("a host without an adapter", known_by=("QWEN_PROJECT_DIR", "GEMINI_SESSION_ID")), heard=False
)
