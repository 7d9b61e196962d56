"""BLAKE2 for names and fingerprints, straight from its module: `hashlib` loads OpenSSL, two milliseconds a process."""

try:
    from _blake2 import blake2b
except ImportError:  # another interpreter, or a build without it
    from hashlib import blake2b

__all__ = ["blake2b"]
