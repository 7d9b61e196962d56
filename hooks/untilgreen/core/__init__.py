"""The pure part: plain data in, plain data out; no clock, no files, no processes."""
