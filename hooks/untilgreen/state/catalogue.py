"""The words that are shown, from `templates/feedback/*.json`."""

import json
import os
from collections.abc import Iterable, Mapping

from untilgreen.core.model.settings import Settings
from untilgreen.project.files import templates_folder

LANGUAGES = ("en", "zh", "ko")
# the lines of the presets of these names: word for word, in every language
WORDS = ("jikime", "supercode", "talkcody")


def contexts() -> tuple[str, ...]:
    """The names of the context presets, which say how work of a kind is done. Raises OSError."""
    return tuple(sorted(name.removesuffix(".md") for name in os.listdir(os.path.join(templates_folder(), "contexts"))))


def context(name: str) -> str:
    """The text of a context preset, "" for none, and for one that is not known. Raises OSError."""
    if not name or name not in contexts():  # a state that somebody else wrote may name a path
        return ""
    with open(os.path.join(templates_folder(), "contexts", f"{name}.md"), encoding="utf-8") as file:
        return file.read().strip()


def language(said: str, env: Mapping[str, str]) -> str:
    """One of `LANGUAGES`: by `UNTILGREEN_LANG`, else the settings, else the locale; English for every other."""
    locale = env.get("LC_ALL") or env.get("LC_MESSAGES") or env.get("LANG") or ""
    named = (one[:2].lower() for one in (env.get("UNTILGREEN_LANG", ""), said, locale) if not one[2:3].isalpha())
    return next((one for one in named if one in LANGUAGES), LANGUAGES[0])


def words(settings: Settings | None = None) -> Mapping[str, str]:
    """The catalogue: English, over it what the language has, over that the lines of a preset. Raises OSError."""
    settings = settings or Settings()
    lines = [settings.words] if settings.words in WORDS else []  # a state that somebody else wrote may name a path
    found = _overlaid(("en", language(settings.lang, os.environ), *lines))
    return {**found, "not_run": found["affected"]} if settings.tests == "affected" else found


def english() -> Mapping[str, str]:
    """The English catalogue, for what people's commands print. Raises OSError."""
    return _overlaid(("en",))


def replaced(text: str, key: str, other: str) -> str:
    """The text with its words of this key replaced by those of the other, in any language. Raises OSError."""
    for name in LANGUAGES:
        found = _overlaid((name,))
        text = text.replace(found[key], found[other])
    return text


def _overlaid(names: Iterable[str]) -> Mapping[str, str]:
    catalogue: dict[str, str] = {}
    for name in dict.fromkeys(names):
        with open(os.path.join(templates_folder(), "feedback", f"{name}.json"), encoding="utf-8") as file:
            catalogue |= json.load(file)
    return catalogue
