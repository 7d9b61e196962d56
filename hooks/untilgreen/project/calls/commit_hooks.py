"""The hooks of pre-commit and prek that run at a commit: what each of them runs, over which files, and what of that is
installed.

Learned from pre-commit 4.7 and prek 0.5, which read the same configuration: what is not in their stores they install
when they run, the repositories of hooks that are skipped too. So the stores are asked, and only read. A hook is its
manifest, and over that the configuration.
"""

import os
import re
import shlex
from collections.abc import Iterator, Mapping

from untilgreen.core.model.check import HOOK_FILES, HookFiles, OwnCall
from untilgreen.core.record import Any, NamedTuple
from untilgreen.project.calls import hook_stores, resolve
from untilgreen.project.calls.documents import Step, Texts, some, strings, table, where
from untilgreen.project.calls.known_hooks import looking, manifests
from untilgreen.project.tree import file_tags

_BARE = ("system", "script", "fail", "unsupported", "unsupported_script")  # languages that install nothing
_CONTAINERS = ("docker", "docker_image")
_OLD = {"pre-commit": "commit", "pre-push": "push"}  # the names that stages had
_NO_PROGRAM = (*_CONTAINERS, "fail", "pygrep")  # what these run is no program of the project's
_UNREADABLE = "("  # a pattern that is none; prek has other forms
_OWN = ("local", "meta", "builtin")  # what stands where others name a repository


class Hook(NamedTuple):
    id: str
    installed: bool  #: what it needs is there
    language: str
    runs: bool = True  #: at this stage; of one that does not only the repository must be there
    text: str = ""  #: what it runs, "" where that is no program
    given: HookFiles | None = None  #: the files that this gets behind its words; None: it gets none
    home: str = ""  #: the folder of the programs of its environment, "" where it has none
    own: bool = False  #: it is the project's own, and needs nothing that is not the project's

    @property
    def apart(self) -> bool:
        """It runs in a container."""
        return self.language in _CONTAINERS


def configured(texts: Texts) -> dict[str, Any]:
    """The document of the configuration; an empty one where there is none that names repositories."""
    documents = (table(texts.yaml(".", name)) for name in HOOK_FILES)
    return next((one for one in documents if isinstance(one.get("repos"), list)), {})


def read(texts: Texts, program: str, env: Mapping[str, str], stage: str = "pre-commit") -> list[Hook]:
    """The hooks that `program` ("pre-commit" or "prek") runs at this stage."""
    document = configured(texts)
    store = hook_stores.of(program, texts, env)
    return [
        hook
        for repository in _tables(document.get("repos"))
        for hook in _hooks(repository, document, store, texts, stage)
        if hook.runs or not hook.installed
    ]


def calls(texts: Texts, program: str) -> Iterator[OwnCall]:
    """What the hooks run that `program` runs, in the form in which it only looks, and with the files that they are
    given. Those that live in an environment of pre-commit's are `apart`."""
    file = next((name for name in HOOK_FILES if table(texts.yaml(".", name))), "")
    for hook in read(texts, program, os.environ) if file else ():
        if not (hook.runs and hook.text) or (hook.given and not file_tags.is_known(hook.given)):
            continue
        step = Step(hook.text, ".", where(".", file, hook.id))
        for call in resolve.calls(texts, step):
            direct = call.source == step.source  # of what a task or a script runs only that knows its files
            words, given = (looking(call.words), hook.given) if direct else (call.words, None)
            yield call._replace(words=words, apart=hook.language not in _BARE, given=given, home=hook.home)


def by_itself(hook: Hook, source: str) -> OwnCall | None:
    """The project's own hook as one command line that needs nothing of pre-commit; None where it is none."""
    try:
        words = tuple(shlex.split(hook.text))
    except ValueError:
        return None
    alone = hook.runs and hook.own and words and (hook.given is None or file_tags.is_known(hook.given))
    if not alone:
        return None
    words = ("python", *words[1:]) if re.fullmatch(r"python3?", words[0]) else words
    return OwnCall(words, ".", where(".", source, hook.id), apart=True, given=hook.given)


def _hooks(
    repository: dict[str, Any], document: dict[str, Any], store: hook_stores.Store, texts: Texts, stage: str
) -> Iterator[Hook]:
    url, revision = str(repository.get("repo", "")), str(repository.get("rev", ""))
    clone = "" if url in _OWN else store.clone(url, revision)
    brought = _tables(texts.yaml(clone, ".pre-commit-hooks.yaml")) if clone else []
    for hook in _tables(repository.get("hooks")):
        name = str(hook.get("id", ""))
        theirs = next((one for one in brought if one.get("id") == name), None)
        said = (theirs if theirs is not None else {} if url in _OWN else manifests().get(name, {})) | hook
        language = str(said.get("language", "")) if url not in _OWN[1:] else "system"
        version = str(said.get("language_version", table(document, "default_language_version").get(language, "")))
        words = tuple(map(str, strings(said.get("additional_dependencies"))))
        wanted = hook_stores.Wanted(url, revision, language, "" if version == "default" else version, words)
        stages = strings(said.get("stages")) or strings(document.get("default_stages"))
        there, runs = url in _OWN or clone != "", not stages or not {stage, _OLD.get(stage)}.isdisjoint(stages)
        bare = language in (*_BARE, *_CONTAINERS) or (language == "pygrep" and store.greps)
        place = store.place(wanted) if there and not bare else ""
        text = f"{said.get('entry', '')} {shlex.join(strings(said.get('args')))}".strip()
        yield Hook(
            name,
            there and (bare or place != "" or not runs),
            language,
            runs,
            text="" if language in _NO_PROGRAM or url in _OWN[1:] else text,
            given=None if said.get("pass_filenames") is False else _given(said, document),
            home=os.path.join(place, "bin") if place else "",
            own=url == "local" and (language in _BARE or (language == "python" and not words)),
        )


def _given(said: dict[str, Any], document: dict[str, Any]) -> HookFiles:
    files, but = (
        tuple(one[key] if isinstance(one[key], str) else _UNREADABLE for one in (document, said) if one.get(key))
        for key in ("files", "exclude")
    )
    types = strings(said["types"]) if "types" in said else ["file"]
    some, others = (tuple(strings(said.get(key))) for key in ("types_or", "exclude_types"))
    return HookFiles(files, but, tuple(types), some, others)


def _tables(value: Any) -> list[dict[str, Any]]:
    return [one for one in some(value) if isinstance(one, dict)]
