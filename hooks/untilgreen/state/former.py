"""State as the version before this one wrote it (schema 1): a session that edits files was a loop of its own kind.

It is read as it is meant now: what the session wrote becomes its edits, and a loop that nobody began stays none.
"""

from typing import Any

_NAMES = {"edited": "written", "unjudged": "unjudged", "let_go": "let_go", "auto_off": "off"}
# what stays of a document that only held the rounds of edits
_KEPT = ("loop_id", "session_id", "started_at", "updated_at", "project", "current", "settings", "completion_criteria")


def loop(document: dict[str, Any], version: int) -> dict[str, Any]:
    """The document of a loop, as this `version` of the schema writes it."""
    if document.get("mode") == "auto":
        empty = {"active": False, "iteration": 1, "task_description": "", "target_files": [], "status": "waiting"}
        document = {name: document[name] for name in _KEPT if name in document} | empty
    return _of_this_version(document, version)


def edits(document: dict[str, Any], version: int) -> dict[str, Any]:
    """What was in the document of a loop of the session's edits, as a document of their own."""
    own = {new: document[old] for old, new in _NAMES.items() if old in document}
    shared = {name: document.get(name, "") for name in ("session_id", "project")}
    turn = _of_this_version(document, version) if document.get("mode") == "auto" else None
    return {"schema_version": version, **shared, **own, "turn": turn}


def _of_this_version(document: dict[str, Any], version: int) -> dict[str, Any]:
    plan = document.get("plan")
    checks = {"plan": [_check(one) for one in plan if isinstance(one, dict)]} if isinstance(plan, list) else {}
    # that version said only in its reason that a loop was declared done
    declared = document.get("completion_reason") == "Declared done"
    return document | {"schema_version": version, "declared": declared} | checks


def _check(document: dict[str, Any]) -> dict[str, Any]:
    """That version kept only the sentence that says why a check is absent."""
    why = str(document.get("absent", ""))
    absent = None
    if why.startswith("not trusted"):
        absent = {"cause": "untrusted", "name": str(document.get("name")).partition("@")[0]}
    elif why:
        absent = {"cause": "missing", "name": why.removesuffix(" is not installed")}
    return document | {"absent": absent}
