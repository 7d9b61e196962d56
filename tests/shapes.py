"""JSON for whatever reads it: values of any kind, and known shapes in which each value may be any other."""

from typing import Any

from hypothesis import strategies as st

Values = st.SearchStrategy[Any]
WORDS = ("failed", "error")

VALUES: Values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.sampled_from(WORDS),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


def shaped(*names: str, **fields: Values) -> Values:
    """Objects with some of these keys."""
    return VALUES | st.fixed_dictionaries({}, optional={**dict.fromkeys(names, VALUES), **fields})


def listed(*names: str, **fields: Values) -> Values:
    """Lists of such objects."""
    return VALUES | st.lists(shaped(*names, **fields), max_size=3)
