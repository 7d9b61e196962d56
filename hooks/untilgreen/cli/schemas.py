"""What untilgreen reads and writes, as JSON Schemas: `untilgreen config schema`.

pydantic exports the very NamedTuples that the hooks use, as the objects that they are in JSON; the table of keys says
of the configuration what a type cannot.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from pydantic import TypeAdapter
from pydantic.json_schema import GenerateJsonSchema, JsonSchemaValue

from untilgreen import checkers
from untilgreen.core import document
from untilgreen.core.errors import UserError
from untilgreen.core.model.loop import SEED_NAMES, Loop
from untilgreen.core.model.receipt import LoopReceipt
from untilgreen.core.model.settings import Settings
from untilgreen.core.record import NamedTuple
from untilgreen.settings import values
from untilgreen.settings.groups import CHECK, CONTEXT, HOOK, JUDGE, MEMORY, NOTIFY, PRICE, REVIEW
from untilgreen.settings.keys import SETTINGS
from untilgreen.settings.values import Table, taken

DIALECT = "https://json-schema.org/draft/2020-12/schema"
JSON = dict[str, Any]


class _Schemas(GenerateJsonSchema):
    """NamedTuples as objects, as `document` writes them; their docstrings as descriptions."""

    def named_tuple_schema(self, schema: Any) -> JsonSchemaValue:
        return self._object(schema["cls"], schema["fields"])

    def call_schema(self, schema: Any) -> JsonSchemaValue:
        """What older releases of pydantic 2 have for one."""
        return self._object(schema["function"], schema["arguments_schema"]["arguments_schema"])

    def encode_default(self, dft: Any) -> Any:
        return document.dump(dft)

    def _object(self, model: type[NamedTuple], fields: Iterable[Any]) -> JsonSchemaValue:
        properties: JSON = {}
        required: list[str] = []
        for one in fields:
            name, found = one["name"], self.generate_inner(one["schema"])
            if hasattr(model, "flat") and name in model.flat():
                group = self.get_schema_from_definitions(found["$ref"]) if "$ref" in found else found
                properties |= group["properties"] if group else {}
                required += group["required"] if group else []
                continue
            properties[document.in_json(name)] = found
            required += [document.in_json(name)] if name not in model._field_defaults else []
        return {
            "title": model.__name__,
            "description": inspect.getdoc(model) or "",
            "type": "object",
            "properties": properties,
            "required": required,
        }


def _exported(model: Any) -> JSON:
    found = TypeAdapter(model).json_schema(schema_generator=_Schemas, mode="validation")
    if "$ref" in found:  # the model refers to itself, or is referred to: its own definition goes on top
        definitions = found["$defs"]
        found = {**definitions.pop(found["$ref"].rpartition("/")[2]), "$defs": definitions}
    return {"$schema": DIALECT, **found}


def state() -> JSON:
    """`loop_state.json`: a loop, and of its settings what readers look for beside it."""
    found, named = _exported(Loop), _exported(Settings)["properties"]
    found["properties"] |= {name: {**named[name], "description": "As in `settings`."} for name in SEED_NAMES}
    return found


def config(table: Table = SETTINGS) -> JSON:
    """untilgreen.toml, or the table `[tool.untilgreen]` of pyproject.toml."""
    groups = {"judge": JUDGE, "notify": NOTIFY, "memory": MEMORY, "review": REVIEW, "context": CONTEXT}
    named = {name: _closed(inner) for name, inner in groups.items()}
    known = {"$ref": "#/$defs/Check"}
    named["checks"] = {
        "type": "object",
        "propertyNames": {"pattern": f"^{values.CHECK_NAME.pattern}$"},
        "properties": dict.fromkeys(checkers.NAMES, known),
        "additionalProperties": known | {"required": ["command"]},
    }
    named["hooks"] = {"type": "array", "items": _closed(HOOK) | {"required": ["name", "command"]}}
    named["prices"] = {
        "type": "object",
        "propertyNames": {"minLength": 1},
        "additionalProperties": _closed(PRICE) | {"required": ["input", "output"]},
        "default": {},
    }
    described = {name: {"description": table.keys[name].means, **inner} for name, inner in named.items()}
    return {
        "$schema": DIALECT,
        "title": "untilgreen",
        "description": "untilgreen.toml, or tool.untilgreen of pyproject.toml. What no schema can say its reader says.",
        **_closed(table, **described),
        "$defs": {"Check": _closed(CHECK)},
    }


def _closed(table: Table, **described: JSON) -> JSON:
    return {"type": "object", "properties": _properties(table) | described, "additionalProperties": False}


def _properties(table: Table) -> JSON:
    """The keys of a table. A default that could not be written stands for "not given", and is left out."""
    found = {}
    for name, kind in table.kinds.items():
        found[name] = {"description": table.keys[name].means, **TypeAdapter(kind).json_schema()}
        default = document.dump(table.default(name))
        with suppress(UserError):
            taken(kind, default)
            found[name]["default"] = default
    return found


SCHEMAS: Mapping[str, Callable[[], JSON]] = {
    "state": state,
    "config": config,
    "receipt": partial(_exported, LoopReceipt),
}


def named(name: str) -> JSON:
    """The schema of this name, with the id by which others may refer to it."""
    return {"$schema": DIALECT, "$id": f"urn:untilgreen:schema:{name}", **SCHEMAS[name]()}
