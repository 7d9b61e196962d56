"""Aider (measured on 0.86.2): it has no hooks; `untilgreen run` starts it anew for each round."""

from untilgreen.hosts import generic

NAME = "aider"
read, write = generic.read, generic.write
