"""What is known where a step of a workflow stands: variables, inputs, the toolchain that was chosen before it, and the
values of its job's matrix."""

import itertools
import re
from collections.abc import Mapping, Sequence

from untilgreen.core.record import Any
from untilgreen.project.calls import conditions
from untilgreen.project.calls.conditions import Context
from untilgreen.project.calls.documents import of_table, table

_RUST = "toolchain of rust"
_MOST = 256  # combinations of a matrix


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


def combinations(job: Mapping[str, Any], context: Context) -> list[dict[str, Any] | None]:
    """The values of a job's matrix, each combination; [None] where only a run could tell them."""
    said = conditions.value(table(job, "strategy").get("matrix"), context)
    if said is None:
        return [{}]
    if not isinstance(said, dict):
        return [None]
    axes = {name: conditions.value(one, context) for name, one in said.items()}
    axes = {name: one if isinstance(one, list) else [conditions.UNKNOWN] for name, one in axes.items()}
    more, without = axes.pop("include", []), axes.pop("exclude", [])
    product = itertools.islice(itertools.product(*axes.values()), _MOST)
    first = [dict(zip(axes, values, strict=True)) for values in product] if axes else []
    without = [one for one in without if isinstance(one, dict)]
    first = [one for one in first if not any(other.items() <= one.items() for other in without)]
    found = list(first)
    for one in more[:_MOST]:
        if not isinstance(one, dict):
            return [None]
        same = [known for known in first if all(known.get(key, one[key]) == one[key] for key in one if key in axes)]
        for known in same:
            known.update(one)
        found += [] if same else [dict(one)]
    return [one for one in found if _on(job, context._replace(matrix=one)) in ("", conditions.SYSTEM)] or list(found)


def _on(job: Mapping[str, Any], context: Context) -> str:
    """The system on which a job runs, "" where nobody can tell."""
    said = job.get("runs-on")
    text = conditions.value(said, context) if isinstance(said, str) and "${{" in said else said
    name = text.lower() if isinstance(text, str) else ""
    known = {"windows": "Windows", "macos": "macOS", "ubuntu": "Linux", "linux": "Linux"}
    return next((system for part, system in known.items() if part in name), "")


def is_for_windows(job: Mapping[str, Any], context: Context) -> bool:
    """Whether a job runs on Windows alone, and we do not."""
    return conditions.SYSTEM != "Windows" and _on(job, context._replace(matrix=context.matrix or {})) == "Windows"
