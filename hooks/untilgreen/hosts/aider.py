"""Aider (measured on 0.86.2): it has no hooks; `untilgreen run` starts it for each round, with the chat before.

A prompt among its words would be a part of the chat, as said by the model: so it is read as a file."""

from untilgreen.hosts import generic

NAME = "aider"
read, write = generic.read, generic.write
