"""What a package.json says about its tests: whether there is a script for them, of which parts, and who runs them.

The parts are `pretest`, the script and `posttest`, cut at `&&`, `npm run NAME` followed. Of such a chain the tests
alone are the tests: what only looks at the code (`eslint .`, `npm run lint`) is a check of its own. What is no plain
chain (`;`, `||`, a subshell) is one part, as it stands.

`npm test -- FLAGS` hands the flags to the last command of the script, so only that one is asked who it is. What
stands before it is often a wrapper (`cross-env CI=1 jest`, `npx vitest`, `c8 -r text node --test`).
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.checkers.js.javascript import has_workspace, is_installed, path_in, with_comments
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, folder_of

_UNIFIED, _WRITING = ("remark", "mdxlint", "rehype"), re.compile(r"--output|-([a-z]*)o")
# what only looks at the code, the runners of tests that are read, and others
_LINTERS = (
    *("eslint", "tslint", "jshint", "jscs", "standard", "semistandard", "ts-standard", "xo", "oxlint", "biome"),
    *("prettier", "stylelint", "markdownlint", "markdownlint-cli2", *_UNIFIED, "alex", "cspell", "htmlhint"),
    "dtslint",
    *("tsd", "attw", "publint", "knip", "depcheck", "dprint", "ls-lint", "editorconfig-checker", "eclint", "madge"),
    *("vue-tsc", "svelte-check", "flow", "commitlint", "type-coverage", "size-limit", "sort-package-json"),
    "dependency-check",
)
_RUNNERS = ("jest", "vitest", "mocha", "ava", "tap", "tape")
_TESTING = ("playwright", "cypress", "karma", "wtr", "web-test-runner", "jasmine", "uvu")
_PLACEHOLDER = "no test specified"  # what `npm init` writes
_WRAPPERS = ("npx", "pnpx", "bunx", "yarn", "pnpm", "cross-env", "env-cmd", "dotenv", "env", "c8", "nyc", "time")
_NODE = ("node", "tsx")
_APPS = ("react-scripts", "craco", "react-app-rewired")  # jest, where the word after it is "test"
_OPERATORS = set("();<>|&")
_WORKSPACES = (
    r"\s(?:--workspaces|-ws)\b|\b(?:turbo|lerna|nx|rush|wsrun)\b|\bpnpm\b.*\s(?:-r|--recursive|-F|--filter)\b"
    r"|\byarn\s+(?:workspaces|wsrun)\b"
)
_NPM_TEST = ("npm test", "npm t", "npm run test", "npm run-script test")
_NPMS_OPTIONS = ("--workspaces", "-ws", "--if-present", "--silent", "-s")

_LINTING = re.compile(
    r"(?:lint|eslint|check|types?|typecheck|type-check|check-types|format-check|tsc|standard)(?::.+)?"
    r"|.+:(?:lint|check|types|tsc)"
)
_STARTERS = {"npx", "npm", "pnpx", "bunx", "yarn", "pnpm", "exec", "cross-env"}
_STARTERS |= {"--no-install", "--no", "--yes", "-y", "--"}
_RUN = re.compile(
    r"(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:(?:-s|--silent)\s+)?([\w:.@/-]+)(?:\s+(?:-s|--silent))?"
)
_SEVERAL = re.compile(r"(?:run-s|run-p|npm-run-all)((?:\s+(?:-[lcns]+|--\w[\w-]*|[\w:*.@/-]+))+)")
_FITTED = re.compile(r"""pnpm\s+(?:-\S+\s+)*(?:run\s+)?(?:-\S+\s+)*(['"]?)(/\S+/)\1""")
_FORMATTER = re.compile(r"\s*\|\s*(?:npx\s+)?(?:tap-[\w-]+|faucet|tnyan)\b[^|&;<>()]*$")
_PIECE = re.compile(
    r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|&&|\|\||[;()\n`]|(?<![<>&])&(?![&>])|[^'"\\;()\n`&|]+|.""", re.DOTALL
)
_AUDIT = re.compile(
    r"(?:(?:npx|pnpm|yarn)\s+(?:-\S+\s+)*)?(?:aud|audit-ci|better-npm-audit|(?:npm(?:@\S+)?\s+)?audit)\b(?!:)"
)
_OPAQUE = {"||", ";", "(", ")", "\n", "`", "&", "'", '"'}


def roots(layout: Layout, criteria: Criteria) -> Sequence[str]:
    """Where there is a test script. Below a project root that has one, only packages that are installed by
    themselves or as workspaces are roots, and none where the root's script runs the workspaces: others are
    examples and what tests are fed with. Where all that a script does is to have npm run workspaces, they are the
    roots in its place: each has a report of its own."""
    if not (criteria.test_pass or criteria.preserve or criteria.green):
        return ()
    scripted = ((root, *_kept(layout, root)) for root in with_scripts(layout))
    return [root for root, kept, number in scripted if kept or not number]  # else all it does is to look at code


def with_scripts(layout: Layout) -> list[str]:
    """Where npm tests something, or only looks at the code."""
    folders = [folder for folder in layout.marked(("package.json",)) if test_script(layout, folder)]
    if "." in folders:
        alone = any(map(runs_workspaces, _kept(layout, ".")[0]))
        folders = [folder for folder in folders if folder == "." or (not alone and is_installed(layout, folder))]
    return sorted({root for folder in folders for root in (_workspaces(layout, folder) or [folder])})


def _workspaces(layout: Layout, folder: str) -> list[str]:
    """The workspaces with tests that npm runs for a folder, where that is all it does; npm finds them at any depth."""
    scripts = _scripts(layout, folder) or {}
    words = str(scripts.get("test", "")).split()
    asked = " ".join(word for word in words if word not in _NPMS_OPTIONS)
    if not {"--workspaces", "-ws"} & set(words) or {"pretest", "posttest"} & scripts.keys() or asked not in _NPM_TEST:
        return []
    packages = map(folder_of, layout.ending("/package.json"))
    return [one for one in packages if has_workspace(layout, folder, one) and test_script(layout, one)]


def test_script(layout: Layout, folder: str) -> str:
    """The folder's test script, "" where it has none. A package.json that cannot be read is taken for one that has
    one: npm will say what is wrong with it."""
    if layout.text(path_in(folder, "package.json")) is None:
        return ""
    scripts = _scripts(layout, folder)
    script = "npm test" if scripts is None else scripts.get("test", "")
    return script if isinstance(script, str) and _PLACEHOLDER not in script else ""


def _scripts(layout: Layout, folder: str) -> dict[str, Any] | None:
    """A folder's scripts by name, None where its package.json cannot be read."""
    package = with_comments(layout.text(path_in(folder, "package.json")) or "")
    scripts = None if package is None else package.get("scripts", {})
    return scripts if isinstance(scripts, dict) else None


def variant(layout: Layout, folder: str) -> str:
    """Who runs the folder's tests, as `runner` tells it; where not the whole script is the tests, a line with the
    command up to the runner's words comes behind it, and one with what follows them."""
    script, (kept, number) = test_script(layout, folder), _kept(layout, folder)
    own = runner(script)
    if len(kept) == number and (own != "exit" or runs_workspaces(script)):
        turbo = re.fullmatch(r"(?:\S+ )*turbo (?:[\w:@/-]+(?:=\S+)? ?)+", script) and "--continue" not in script
        return f"{own} --continue" if own == "exit" and turbo else own  # what else fails is to be known
    known = [(end, name) for end, one in enumerate(kept, 1) if (name := runner(one)) != "exit"]
    if len(known) != 1:
        return own if len(kept) == number else "\n".join(("exit", " && ".join(kept), ""))
    [(end, name)] = known
    return "\n".join((name, " && ".join(kept[:end]), "".join(f" && {one}" for one in kept[end:])))


def _kept(layout: Layout, folder: str) -> tuple[list[str], int]:
    """The parts of the test script that run tests, or that tests need; and how many parts it has."""
    found = list(parts(_scripts(layout, folder) or {}))
    return [command for command, script in found if _is_needed(command, script)], len(found)


def runs_workspaces(script: str) -> bool:
    return re.search(_WORKSPACES, script) is not None and ("build" not in script or "test" in script)


def runner(script: str) -> str:
    """Who runs the tests: "jest", "vitest", "mocha", "ava", "tap", "tape", "node" or "exit" (somebody of whom only the
    exit code is known), and the words that the script still needs to be read and to end, as in "vitest --bail=0"."""
    words = _last_command(script)
    name = _name(words)
    if name in ("jest", "vitest") and any(word.startswith("--outputFile") for word in words):
        return "exit"  # a second one is an error or goes unheard
    if name == "node" and any(word.startswith("NODE_OPTIONS=") for word in words):
        return "exit"  # ours would be lost
    return " ".join((name, *_missing(name, words)))


def _last_command(script: str) -> list[str]:
    """The words of the script's last command; none where what is added to the script would not reach it."""
    import shlex

    reading = shlex.shlex(script, posix=True, punctuation_chars="();<>|&\n")
    reading.whitespace, reading.whitespace_split, reading.commenters = " \t\r", True, ""
    try:
        words = list(reading)
    except ValueError:  # quotes that are never closed
        return []
    last: list[str] = []
    for word in words:
        if not set(word) <= _OPERATORS | {"\n"}:
            last.append(word)
        elif set(word) & set("()"):
            return []
        elif not set(word) & set("<>"):
            last = []
    return last


def _name(words: Sequence[str]) -> str:
    """The runner among the words of one command."""
    plain = [word for word in words if not re.match(r"\w+=", word)]
    if not plain:
        return "exit"
    names = [re.sub(r"^_(?=mocha)|\.[cm]?js$", "", word.rpartition("/")[2]) for word in plain]
    if names[0] in _WRAPPERS:
        known = (*_RUNNERS, *_NODE, *_APPS)
        first = next((n for n, name in enumerate(names) if name in known), 0)
        names, plain = names[first:], plain[first:]
    if names[0] in _NODE:
        if "--test" in words:
            return "node"
        files = [
            name in ("jest", "vitest") or "node_modules/" in word for name, word in zip(names, plain, strict=False)
        ]
        names = next((names[n:] for n, its in enumerate(files) if its and names[n] in _RUNNERS), names)
    if names[0] in _APPS:
        return "jest" if names[1:2] == ["test"] else "exit"
    return names[0] if names[0] in _RUNNERS else "exit"


def _missing(name: str, words: Sequence[str]) -> list[str]:
    if name == "node":  # each reporter wants its destination, and the first one's is ours
        reporters = sum(word.startswith("--test-reporter=") or word == "--test-reporter" for word in words)
        placed = sum(word.startswith("--test-reporter-destination") for word in words)
        return ["--test-reporter-destination=stdout"] * (reporters - placed)
    if name not in ("jest", "vitest"):
        return []
    # how many tests fail is what progress is made of; given twice it is an error of vitest, and misread by jest
    bail = [] if any(word == "-b" or word.startswith("--bail") for word in words) else ["--bail=0"]
    watching = name == "vitest" and not {"run", "--run"} & set(words)
    return (["--run"] if watching else []) + bail


def _is_needed(command: str, script: str) -> bool:
    """Whether it is a test, or may be what tests need: not what only looks at the code, or asks a registry of the day
    for known holes in what the project depends on."""
    words = command.split()
    looks = (is_linting(script) or is_linter(words)) and not is_test(words) and not re.search(r"[$`]", command)
    return not looks and not _AUDIT.match(command)


def is_linting(script: str) -> bool:
    """Whether a script's name says that it looks at the code: `lint`, `lint:css`, `check`, `types`."""
    return _LINTING.fullmatch(script) is not None


def is_linter(words: Sequence[str]) -> bool:
    """Whether the command is one that only looks at the code."""
    rest = [word for word in words if not re.match(r"\w+=", word)]
    while rest and rest[0] in _STARTERS:
        rest = rest[1:]
    name = rest[0].rpartition("/")[2] if rest else ""
    return name in _LINTERS or (name == "tsc" and "--noEmit" in rest)


def looking(words: Sequence[str]) -> tuple[str, ...]:
    """The words of a linter's call without the option of unified's programs that writes what was read (`-o`, `-qfo`);
    none where that has a value, or may have one."""
    kept: list[str] = []
    for word, after in zip(words, (*words[1:], "-"), strict=True):
        writes = _WRITING.fullmatch(word) if words[0] in _UNIFIED else None
        if writes and after[0] != "-":
            return ()
        kept.append(word if not writes else f"-{writes[1]}" if writes[1] else "")
    return tuple(filter(None, kept))


def is_test(words: Sequence[str]) -> bool:
    """Whether the command runs tests, as far as its name says."""
    return any(word.rpartition("/")[2] in (*_RUNNERS, *_TESTING, "--test") for word in words[:3])


def parts(scripts: Mapping[str, Any], name: str = "test", above: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """The commands that npm runs for a script, in turn as they are written, and the script in which each stands."""
    for one in (f"pre{name}", name, f"post{name}"):
        text = scripts.get(one)
        for command in _chain(text) if isinstance(text, str) else ():
            names = _referred(command, scripts)
            if names and not set(names) & {name, one, *above}:
                for other in names:
                    yield from parts(scripts, other, (*above, name, one))
            else:
                yield _FORMATTER.sub("", command), one


def builds(folder: str) -> bool:
    """Whether the test script of a folder, an absolute path, builds with tsc before it tests."""
    with open(os.path.join(folder, "package.json"), encoding="utf-8", errors="replace") as file:
        scripts = (with_comments(file.read()) or {}).get("scripts")
    commands = (command.split() for command, _ in parts(scripts if isinstance(scripts, dict) else {}))
    return any("tsc" in words[:2] and not is_linter(words) for words in commands)


def executed(tool: str, command: str) -> tuple[str, ...]:
    """The words behind npm, or another manager, that run a command with the environment of a script. npm hands its own
    `--call` on, and an `npx` within takes it for its own; so does a pnpm with `--silent`, and tells nothing."""
    if os.path.basename(tool) != "npm":
        return ("exec", "sh", "-c", command)
    theirs = "npm_config_call npm_config_loglevel" if "pnpm" in command else "npm_config_call"
    return ("exec", "--silent", "-c", f"unset {theirs}; {command}")


def _chain(text: str) -> list[str]:
    pieces = [match[0] for match in _PIECE.finditer(text)]
    if set(pieces) & _OPAQUE and text.strip():
        return [text]
    commands = [""]
    for piece in pieces:
        commands = [*commands, ""] if piece == "&&" else [*commands[:-1], commands[-1] + piece]
    return [command.strip() for command in commands if command.strip()]


def _referred(command: str, scripts: Mapping[str, Any]) -> list[str]:
    """The scripts that a command runs, and nothing else."""
    one = _RUN.fullmatch(command)
    if one and (one[1] in scripts or one[1] == "t"):
        return ["test" if one[1] == "t" else one[1]]
    several, fitted = _SEVERAL.fullmatch(command), _FITTED.fullmatch(command)
    names = [word for word in several[1].split() if not word.startswith("-")] if several else []
    names += [fitted[2]] if fitted else []
    if not any(set(name) & {"*", "/"} for name in names):
        found = list(names)
    else:
        from untilgreen.project.calls.scripts import fitting  # what reads a project's files is not for a held stop

        found = [one for name in names for one in (fitting(scripts, name) or [name])]
    return found if all(name in scripts for name in found) else []
