"""The words that are shown, from `templates/feedback/<language>.json`; and where the templates lie."""

import json
import os
from collections.abc import Mapping

LANGUAGES = ("en", "jikime", "supercode", "talkcody")
_HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def templates() -> str:
    """The folder of the templates: inside the installed package, or at the top of a checkout."""
    inside = os.path.join(_HERE, "templates")
    return inside if os.path.isdir(inside) else os.path.join(os.path.dirname(os.path.dirname(_HERE)), "templates")


def contexts() -> tuple[str, ...]:
    """The names of the context presets: how work of a kind is done. Raises OSError where the installation is
    damaged."""
    return tuple(sorted(name.removesuffix(".md") for name in os.listdir(os.path.join(templates(), "contexts"))))


def context(name: str) -> str:
    """The text of a context preset, "" for none, and for one that is not known. Raises OSError."""
    if not name or name not in contexts():  # a state that somebody else wrote may name a path
        return ""
    with open(os.path.join(templates(), "contexts", f"{name}.md"), encoding="utf-8") as file:
        return file.read().strip()


def words(language: str = "en") -> Mapping[str, str]:
    """The catalogue of one language (see `LANGUAGES`): the English one, with the words of the other in place of its
    own. Raises OSError where the installation is damaged."""
    catalogue: dict[str, str] = {}
    # a state that somebody else wrote may name a path
    for name in dict.fromkeys(("en", language if language in LANGUAGES else "en")):
        with open(os.path.join(templates(), "feedback", f"{name}.json"), encoding="utf-8") as file:
            catalogue |= json.load(file)
    return catalogue
