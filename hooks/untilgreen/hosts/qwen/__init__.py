"""Qwen Code."""

from untilgreen.hosts.adapter import Adapter
from untilgreen.hosts.qwen import wire

HOST = Adapter(wire)
