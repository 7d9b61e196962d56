"""The nouns: what a host says, what a check found, what a loop remembers, what is answered.

NamedTuples, not dataclasses: immutable, equal by value, and cheap to import in a
process that lives for one hook call.
"""
