"""Codex CLI."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.codex import wire

HOST = Adapter(wire)
