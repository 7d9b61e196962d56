"""Garbled inputs: those that were found by `make fuzz` once, and a few new ones."""

import pytest

import fuzz

FOUND = sorted(path.relative_to(fuzz.KEPT) for path in fuzz.KEPT.glob("*/*"))


def test_what_was_found_once_is_read_or_refused() -> None:
    told = {str(path): fuzz.once(path.parts[0], (fuzz.KEPT / path).read_bytes()) for path in FOUND}
    assert {path: what for path, what in told.items() if what} == {}
    assert FOUND


@pytest.mark.parametrize("name", fuzz.TARGETS)
def test_garbled_inputs_are_read_or_refused(name: str) -> None:
    target, number, told, data = next(fuzz.run(60, 0, [name], batch=100))
    assert (target, number, told, data) == (name, 100, "", b"")
