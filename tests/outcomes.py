"""Outcomes as the data that lies beside recorded output."""

from typing import Any


def as_data(value: Any) -> Any:
    """An outcome as JSON data: its kind, then its fields; fields that hold their default are left out."""
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        defaults: dict[str, Any] = getattr(value, "_field_defaults", {})
        fields = {k: as_data(v) for k, v in value._asdict().items() if k not in defaults or v != defaults[k]}
        return {"kind": type(value).__name__, **fields}
    return [as_data(item) for item in value] if isinstance(value, tuple) else value
