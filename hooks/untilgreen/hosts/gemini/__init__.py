"""Gemini CLI."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.gemini import wire

HOST = Adapter(wire)
