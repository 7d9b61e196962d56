"""What is known where a step of a workflow stands: variables, inputs, and the toolchain that was chosen before it."""

import re
from collections.abc import Mapping, Sequence

from untilgreen.core.record import Any
from untilgreen.project.calls import conditions
from untilgreen.project.calls.conditions import Context
from untilgreen.project.calls.documents import of_table, table

_RUST = "toolchain of rust"


def with_variables(context: Context, variables: Sequence[Any]) -> tuple[Context, tuple[str, ...]]:
    """What is known where these variables are set, and they, `NAME=value` each."""
    found: dict[str, Any] = {}
    for one in variables:
        said = table({"env": conditions.value(one, context)}, "env")
        env = {name: conditions.filled(text, context) if isinstance(text, str) else text for name, text in said.items()}
        known = (each.partition("=") for each in of_table(env) if "${{" not in each)
        context = context._replace(known={**context.known, **{f"env.{name.lower()}": text for name, _, text in known}})
        found |= env
    return context, of_table(found)


def with_toolchain(said: Mapping[str, Any], contexts: tuple[Context, ...]) -> tuple[Context, ...]:
    """What is known behind a step that may choose a toolchain of Rust, where it runs here."""
    uses, run = str(said.get("uses", "")), str(said.get("run", ""))
    named = re.search(r"/rust-toolchain@([\w.-]+)", uses)
    given = table(said, "with").get("toolchain", named[1] if named else None) if re.search(r"toolchain", uses) else None
    default = re.search(r"rustup (?:default|override set) (\S.*)", run)
    name = re.sub(r"^\$\{?(\w+)\}?$", r"\1", default[1]) if default else ""
    if given is None and not name:
        return contexts
    found: list[Context] = []
    for context in contexts:
        chosen = conditions.given(context.known.get(f"env.{name.lower()}", name) if name else given, context)
        holds = conditions.holds(said.get("if", True), context)
        found.append(context._replace(known={**context.known, _RUST: chosen}) if holds else context)
    return tuple(found)


def is_nightly(context: Context) -> bool:
    """Whether Rust's nightly toolchain is what cargo is of."""
    return str(context.known.get(_RUST, "")).startswith("nightly")


def with_inputs(declared: Mapping[str, Any], said: Mapping[str, Any], contexts: Sequence[Context]) -> list[Context]:
    """The contexts in which a file is read that declares inputs and is given some; what no input is stays unknown."""
    kinds = {"boolean": False, "number": 0.0}
    usual = {
        name: table(declared, name).get("default", kinds.get(str(table(declared, name).get("type")), ""))
        for name in declared
    }
    found: list[Context] = []
    for context in contexts:
        given = {name: conditions.given(one, context) for name, one in table(said, "with").items()}
        known = {f"inputs.{name}".lower(): one for name, one in (usual | given).items()}
        one = Context(context.event, None, known)
        found += [] if one in found else [one]
    return found
