"""What a package.json says about its tests: whether there is a test script, and who runs them at its end.

`npm test -- FLAGS` hands the flags to the last command of the script, so only that one is asked who it is. What
stands before it is often a wrapper (`cross-env CI=1 jest`, `npx vitest`, `c8 -r text node --test`).
"""

import re
from collections.abc import Sequence

from untilgreen.checkers.js.javascript import has_workspace, is_installed, path_in, with_comments
from untilgreen.checkers.js.npm_chain import ScriptPart, parts
from untilgreen.checkers.programs import NPM_RUNNERS
from untilgreen.core.model.settings import Criteria
from untilgreen.core.record import Any
from untilgreen.project.tree.layout import Layout, folder_of

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


def roots(layout: Layout, criteria: Criteria) -> Sequence[str]:
    """Where there is a test script. Below a project root that has one, only packages that are installed by
    themselves or as workspaces are roots, and none where the root's script runs the workspaces: others are
    examples and what tests are fed with. Where all that a script does is to have npm run workspaces, they are the
    roots in its place: each has a report of its own."""
    if not (criteria.test_pass or criteria.preserve or criteria.green):
        return ()
    scripted = ((root, *_kept(layout, root)) for root in with_scripts(layout))
    return [root for root, kept, all_parts in scripted if kept or not all_parts]  # else all it does is to look at code


def with_scripts(layout: Layout) -> list[str]:
    """Where npm tests something, or only looks at the code."""
    folders = [folder for folder in layout.marked(("package.json",)) if test_script(layout, folder)]
    if "." in folders:
        alone = runs_workspaces(test_script(layout, "."))
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
    script, (kept, all_parts) = test_script(layout, folder), _kept(layout, folder)
    own = runner(script)
    if len(kept) == len(all_parts) and (own != "exit" or runs_workspaces(script)):
        return own
    known = [(number, name) for number, one in enumerate(kept) if (name := runner(one)) != "exit"]
    if len(known) != 1:
        return own if len(kept) == len(all_parts) else "\n".join(("exit", " && ".join(kept), ""))
    [(number, name)] = known
    after = "".join(f" && {one}" for one in kept[number + 1 :])
    return "\n".join((name, " && ".join(kept[: number + 1]), after))


def _kept(layout: Layout, folder: str) -> tuple[list[str], list[ScriptPart]]:
    """The parts of the test script that run tests, or that tests need, and all of them."""
    found = list(parts(_scripts(layout, folder) or {}))
    return [one.text for one in found if not one.looks and not one.audits], found


def runs_workspaces(script: str) -> bool:
    """Whether a script runs the tests of the packages below it."""
    return re.search(_WORKSPACES, script) is not None


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
        known = (*NPM_RUNNERS, *_NODE, *_APPS)
        first = next((n for n, name in enumerate(names) if name in known), 0)
        names, plain = names[first:], plain[first:]
    if names[0] in _NODE:
        if "--test" in words:
            return "node"
        files = [
            name in ("jest", "vitest") or "node_modules/" in word for name, word in zip(names, plain, strict=False)
        ]
        names = next((names[n:] for n, its in enumerate(files) if its and names[n] in NPM_RUNNERS), names)
    if names[0] in _APPS:
        return "jest" if names[1:2] == ["test"] else "exit"
    return names[0] if names[0] in NPM_RUNNERS else "exit"


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
