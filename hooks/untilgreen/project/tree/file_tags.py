"""The files that pre-commit names to a hook: by patterns of their paths and by tags of what they are.

Learned from identify 2.6, which gives the tags: by a file's name, else by its suffix; of an executable without either
by its first line; and "text" or "binary" by its first kilobyte.
"""

import os
import re
import shlex
import stat
from collections.abc import Iterable, Iterator, Sequence

from untilgreen.core.model.check import HookFiles
from untilgreen.project import files

_SNIFFED = 1024  # bytes
_TEXT = bytes({7, 8, 9, 10, 11, 12, 13, 27, *range(0x20, 0x7F), *range(0x80, 0x100)})
_SUFFIXES = {
    "python": "py pyw pyt tac wsgi gyp gypi",
    "cython": "pyx pxd pxi",
    "jupyter": "ipynb",
    "javascript": "js cjs mjs",
    **{name: name for name in ("jsx", "ts", "tsx", "vue", "svelte", "astro", "css", "scss", "less", "graphql", "go")},
    **{name: name for name in ("lua", "sql", "toml", "proto", "dart", "java", "rst", "swift", "pyi", "csh", "zsh")},
    "json": "json ejson geojson jsonld ipynb piskel xctestplan",
    "yaml": "yaml yml eyaml yamlld",
    "markdown": "md markdown",
    "html": "html htm xhtml",
    "shell": "sh bash zsh csh bats",
    "bash": "bash bats",
    "rust": "rs",
    "ruby": "rb rake gemspec jbuilder",
    "c": "c h",
    "c++": "c++ c++m cc ccm cpp cppm cxx cxxm h hh hpp hxx inl ino ipp ixx tpp",
    "kotlin": "kt kts",
    "php": "php php4 php5 phtml",
    "terraform": "tf tfvars",
    "makefile": "mk make",
    "cmake": "cmake",
    "ini": "ini lektorproject txsprofile",
    "plain-text": "txt",
    "batch": "bat cmd",
    "powershell": "ps1 psd1",
    "jinja": "j2 jinja jinja2",
    "binary": (
        "ai asar avif bmp bz2 bz3 dll ear eot eps exe fits gif ggb gz icns ico jar jpeg jpg mscz otf p12 pdf png pyz "
        "pyzw so swf tar tgz tif tiff ttf war wav webp whl woff woff2 zip"
    ),
    "image": "avif bmp gif jpeg jpg png svg tif tiff webp",
}
_NAMES = {
    "python": ".pdbrc wscript",
    "json": ".babelrc .bowerrc .csslintrc .jshintrc Pipfile.lock",
    "yaml": ".ansible-lint .clang-format .clang-tidy .salt-lint .yamllint",
    "toml": "Cargo.toml Cargo.lock Pipfile poetry.lock pyproject.toml uv.lock",
    "shell": ".bash_aliases .bash_profile .bashrc .cshrc .envrc .profile .zlogin .zlogout .zprofile .zshrc .zshenv "
    "direnvrc PKGBUILD",
    "bash": ".bash_aliases .bash_profile .bashrc .envrc direnvrc PKGBUILD",
    "csh": ".cshrc",
    "zsh": ".zlogin .zlogout .zprofile .zshrc .zshenv",
    "dockerfile": "Dockerfile Containerfile",
    "ruby": "Brewfile config.ru Fastfile Gemfile Rakefile Vagrantfile",
    "makefile": "GNUmakefile Makefile makefile",
    "cmake": "CMakeLists.txt",
    "ini": ".codespellrc .coveragerc .flake8 .gitconfig .gitlint .hgrc .isort.cfg .pypirc .rstcheck.cfg .sqlfluff "
    "pylintrc setup.cfg",
    "plain-text": "AUTHORS CHANGELOG CONTRIBUTING COPYING LICENSE MAINTAINERS NEWS NOTICE PATENTS README",
    "gitignore": ".gitignore .prettierignore",
    "go-mod": "go.mod",
    "go-sum": "go.sum",
}
_INTERPRETERS = {
    "python": "python python2 python3",
    "javascript": "node nodejs",
    "shell": "ash bash bats cbsd csh dash ksh sh tcsh zsh",
    "bash": "bash bats",
    "csh": "csh",
    "tcsh": "tcsh",
    "zsh": "zsh",
    "sh": "sh",
    "ruby": "ruby",
    "php": "php php7 php8",
}
_TAGS = {*_SUFFIXES, *_NAMES, *_INTERPRETERS, "file", "symlink", "text", "executable", "non-executable"}


def _by_word(table: dict[str, str]) -> dict[str, set[str]]:
    words = {word for said in table.values() for word in said.split()}
    return {word: {tag for tag, said in table.items() if word in said.split()} for word in words}


_BY_SUFFIX, _BY_NAME, _BY_INTERPRETER = map(_by_word, (_SUFFIXES, _NAMES, _INTERPRETERS))


def is_known(given: HookFiles) -> bool:
    """Whether all of its tags are among those that are told here, and its patterns can be read."""
    try:
        for pattern in (*given.files, *given.but):
            re.compile(pattern)
    except re.error:
        return False
    return _TAGS.issuperset((*given.types, *given.types_or, *given.exclude_types))


def fitting(root: str, names: Iterable[str], given: HookFiles) -> tuple[str, ...]:
    """Those of the project's files that a hook is given. Raises re.error."""
    return tuple(name for name in names if _fits(root, name, given))


def _fits(root: str, name: str, given: HookFiles) -> bool:
    if any(not re.search(one, name) for one in given.files) or any(re.search(one, name) for one in given.but):
        return False
    found = tags(os.path.join(root, name))
    some = not given.types_or or not found.isdisjoint(given.types_or)
    return some and found.issuperset(given.types) and found.isdisjoint(given.exclude_types)


def tags(path: str) -> set[str]:
    """What a file is, as far as it is told here; none where it is gone."""
    try:
        mode = os.lstat(path).st_mode
    except OSError:
        return set()
    if not stat.S_ISREG(mode):
        return {"symlink"} if stat.S_ISLNK(mode) else set()
    executable = os.access(path, os.X_OK)
    found = _by_file_name(os.path.basename(path))
    if not found and executable:
        found = set(_by_first_line(_head(path)))
    if "binary" not in found and (found or not _head(path).translate(None, _TEXT)):
        found |= {"text"}
    return found | {"file", "executable" if executable else "non-executable"} | ({"text"} & found or {"binary"})


def _by_file_name(name: str) -> set[str]:
    parts = next((_BY_NAME[part] for part in (name, *name.split(".")) if part in _BY_NAME), set[str]())
    suffix = os.path.splitext(name)[1][1:].lower()
    return parts | _BY_SUFFIX.get(suffix, set())


def _by_first_line(head: bytes) -> Iterator[str]:
    line = head.partition(b"\n")[0]
    if not line.startswith(b"#!"):
        return
    text = line[2:].decode("utf-8", "replace").strip()
    try:
        words: Sequence[str] = shlex.split(text)
    except ValueError:
        words = text.split()
    if words[:1] == ["/usr/bin/env"]:
        words = words[2:] if words[1:2] == ["-S"] else words[1:]
    name = os.path.basename(words[0]) if words else ""
    while name:
        if name in _BY_INTERPRETER:
            yield from _BY_INTERPRETER[name]
            return
        name = name.rpartition(".")[0]


def _head(path: str) -> bytes:
    try:
        with open(path, "rb", opener=files.opened) as stream:
            return stream.read(_SNIFFED)
    except OSError:
        return b""
