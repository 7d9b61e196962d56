"""The project as text: what silences a check, how many tests are defined, how the checkers are configured.

Reading shows what a green check does not: that it is green because it was told to look away.
"""

import os
import re
import stat
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

from untilgreen.core.model.snapshot import Text
from untilgreen.project.fakes import checker_configs, shapes
from untilgreen.project.toplevel import top, within
from untilgreen.project.tree import git

_MOST = 5 * 1024 * 1024  # bytes read of one file; what people write is shorter
# Goes up with every change of what is counted, here or in the modules that know it: what an older release
# counted at a loop's start is then no measure.
VERSION = 8
_NEAR = 300  # bytes on both sides of a suppression's word: as far as its pattern can see
_DEEPEST = 5  # configuration that extends configuration that ...
_EXTENDED = 50  # files that are read because configuration takes them in
_BESIDE = ((".pyi", (".py",)), (".d.ts", (".js", ".jsx", ".ts", ".tsx")), (".d.mts", (".mjs",)), (".d.cts", (".cjs",)))
_HIDDEN = "tracked file ignored"


def read(
    root: str,
    files: Sequence[str],
    deadline: float,
    commands: Sequence[tuple[str, ...]] = (),
    instead: Mapping[str, bytes | None] = {},
) -> Text:
    """Count and fingerprint the project's text. `files`: posix paths relative to the root. `commands`: of checks
    that are whole command lines the folder and the words; what they run is configuration. `instead`: what is taken
    for the text of some files, None for no file.

    `deadline` is a value of time.monotonic(); when it passes, the rest stays unread and `complete` is False.
    Files that cannot be read are as if they were empty, and so is what lies outside of the root, by a link.
    What git tracks and ignores at once counts as suppressed: many checkers look at no file that git ignores.
    """
    # outside of a repository git has nothing to say; inside of one it looks while we read
    asked = os.path.lexists(os.path.join(top(root), ".git"))
    process = git.start(root, "ls-files", "-z", "--cached", "--ignored", "--exclude-standard") if asked else None
    try:
        listed = [path for path in dict.fromkeys((*files, *instead)) if instead.get(path, b"") is not None]
        seen = _read(root, listed, deadline, instead)
        seen = seen._replace(config=_run(root, commands) | seen.config, commands=tuple(commands))
    finally:
        code, printed = git.end(process, max(deadline - time.monotonic(), 0), hurried=True)
    if process and code < 0:
        return seen._replace(complete=False)
    names = {name for name in printed.split(b"\0") if name} if code == 0 else set()
    # a build folder that was removed and ignored may still be in the index
    hidden = sum(os.path.lexists(os.path.join(os.fsencode(root), name)) for name in names)
    return seen._replace(suppressions=seen.suppressions | {_HIDDEN: hidden}) if hidden else seen


def _read(root: str, files: Sequence[str], deadline: float, instead: Mapping[str, bytes | None]) -> Text:
    silenced: dict[str, int] = {}
    config: dict[str, str] = {}
    tests = folded = 0
    content_of = partial(_content, root, folders={}, instead=instead)
    # git may ignore a configuration that the tools read all the same
    paths = sorted({*files, *_configured_at(root)})
    listed, known = frozenset(files), set[str]()
    config.update(_hiding(files, listed))
    loaded: list[tuple[str, ...]] = []
    for depth in range(_DEEPEST + 1):
        named: list[tuple[str, ...]] = []
        for path in paths:
            if time.monotonic() >= deadline:
                return Text(silenced, tests, config, version=VERSION, folded=folded)
            configures = depth > 0 or checker_configs.configures(path)
            kinds = () if depth else shapes.kinds(path)
            content = content_of(path) if configures or kinds else None
            if content is None:
                continue
            if configures:
                found = checker_configs.read(path, content)
                config.update(found.fingerprints())
                named += checker_configs.references(path, found)
                loaded += checker_configs.loads(path, found)
            if kinds:
                config.update(checker_configs.fingerprints(checker_configs.pytest_hooks(path, content)))
                defined, empty = shapes.counted(path, content)
                tests += defined
                folded += shapes.folded(content) if defined else 0
                read_as = shapes.unaliased(path, content.lower() if path.endswith(shapes.IN_ANY_CASE) else content)
                for kind, count in (*counted(kinds, read_as), ("emptied test", empty)):
                    if count:
                        silenced[kind] = silenced.get(kind, 0) + count
        paths = _taken_in(named, listed, known)[: _EXTENDED - len(known)]
        known.update(paths)
    for path in _taken_in(loaded, listed, known)[:_EXTENDED]:
        said = checker_configs.read(path, content_of(path) or b"")
        config.update(said.fingerprints())
    return Text(silenced, tests, config, complete=True, version=VERSION, folded=folded)


def _run(root: str, commands: Sequence[tuple[str, ...]]) -> dict[str, str]:
    """Fingerprints of what commands run and read."""
    if not commands:
        return {}
    from untilgreen.project.fakes import run_files

    folders: dict[str, bool] = {}
    relative = [tuple(word.replace(f"{root}/", "") for word in command) for command in commands]
    return checker_configs.fingerprints(run_files.texts(relative, lambda path: _content(root, path, folders)))


def _hiding(files: Sequence[str], listed: frozenset[str]) -> dict[str, str]:
    """Types that a type checker reads in the place of a file's own."""
    found = ((path, path.removesuffix(end), ends) for path in files for end, ends in _BESIDE if path.endswith(end))
    hidden = ((path, next((stem + end for end in ends if stem + end in listed), "")) for path, stem, ends in found)
    return {f"{path} (hides {other})": "" for path, other in hidden if other}


def _taken_in(named: Iterable[Sequence[str]], listed: frozenset[str], known: set[str]) -> list[str]:
    """The files that configuration names, without those that are known or configuration by their name.

    Only those that are listed: what is generated and ignored (`.nuxt/tsconfig.json`) changes by itself.
    """
    there = {next((place for place in places if place in listed), "") for places in named} - known - {""}
    return sorted(path for path in there if not checker_configs.configures(path))


def counted(kinds: Sequence[shapes.Kind], text: bytes) -> Iterator[tuple[str, int]]:
    """The kinds of suppressions in a text and how often; a kind may come more than once."""
    for kind in kinds:
        if kind.word in text:
            yield kind.name, len(re.findall(kind.pattern, _around(kind.word, text)))


def _around(word: bytes, text: bytes) -> bytes:
    """What stands near the word, wherever it is in the text: looking for it is much faster than any pattern is."""
    pieces = []
    begin, end, at = 0, -1, text.find(word)
    while at >= 0:
        if at - _NEAR > end:
            pieces.append(text[begin : max(end, 0)])
            begin = at - _NEAR
        end = at + _NEAR
        at = text.find(word, at + len(word))
    return b"\0".join((*pieces, text[begin:end]))


def _configured_at(root: str) -> list[str]:
    try:
        return [name for name in os.listdir(root) if checker_configs.configures(name)]
    except OSError:  # not ours to list: what git names is read
        return []


def _content(root: str, path: str, folders: dict[str, bool], instead: Mapping[str, bytes | None] = {}) -> bytes | None:
    """The file's bytes; None when there is no such file.

    Empty when it cannot be read or leads out of the project by a link: a new configuration is new all the
    same. `folders` keeps what is known of them, as each file of a folder asks again.
    """
    if path in instead:
        return instead[path]
    full, folder = os.path.join(root, path), os.path.dirname(path)
    try:
        info = os.lstat(full)  # of most files all that is asked
        is_link = stat.S_ISLNK(info.st_mode)
        info = os.stat(full) if is_link else info
    except (OSError, ValueError):
        return b"" if os.path.lexists(full) else None
    if stat.S_ISDIR(info.st_mode):
        return None
    if folder not in folders:
        folders[folder] = within(root, os.path.join(root, folder))
    if not folders[folder] or not stat.S_ISREG(info.st_mode) or (is_link and not within(root, full)):
        return b""
    try:
        with open(full, "rb") as stream:
            return stream.read(_MOST)
    except OSError:
        return b""
