"""The scripts of package.json that CI does not call, where it names the checks: they run and are told, and hold nobody.

In doubt they hold: where any of CI is not read, or might come to them in a way that nobody here can tell.
"""

from collections.abc import Iterator, Sequence
from fnmatch import fnmatch
from itertools import chain

from untilgreen.checkers import command
from untilgreen.checkers.checker import Checker, takes
from untilgreen.checkers.js import npm_script
from untilgreen.checks.plan import builds
from untilgreen.core.model.check import OwnCall
from untilgreen.project import calls
from untilgreen.project.calls import chores, resolve, scripts
from untilgreen.project.calls.documents import Texts, table, where
from untilgreen.project.tree.layout import Layout

OTHER_CI = (
    ".travis.yml .circleci/config.yml azure-pipelines.yml Jenkinsfile bitbucket-pipelines.yml .cirrus.yml "
    ".woodpecker.y*ml .woodpecker/*.y*ml .drone.yml *appveyor.yml .buildkite/pipeline.yml .azure-pipelines/*.yml "
    ".semaphore/semaphore.yml .build.yml .builds/*.yml .teamcity/settings.kts"
)
# the shell's own, and what asks something
ASKED = {"[", "[[", "test", "grep", "break", "continue", "false", "kill"}
# programs that come to no script of package.json, and judge nothing where no checker takes them
_BUNDLERS = ("vite", "rollup", "webpack", "tsup", "esbuild", "next", "swc", "babel", "parcel", "tsc", "coverage")
_PLAIN = {*command.KNOWN, *_BUNDLERS}
# those that come to scripts in ways of their own, whatever the script is for in which they stand
_RUNNING = "npm pnpm yarn bun make just task turbo nx lerna lage moon rush wsrun nps"
_HIDING = (*builds.ELSEWHERE, "lefthook", "husky")  # of which nobody here sees what they run
# scripts that npm runs by itself, where it installs or packs
_BY_ITSELF = ("preinstall", "install", "postinstall", "prepare", "prepack", "postpack", "prepublishOnly")


def first(layout: Layout, pattern: str) -> str:
    """The first file that fits; a pattern without a folder is for the top of the project."""
    deep = "/" in pattern
    return next((path for path in layout.files if (deep or "/" not in path) and fnmatch(path, pattern)), "")


def settled(
    texts: Texts, layout: Layout, found: Sequence[OwnCall], known: Sequence[Checker]
) -> tuple[tuple[OwnCall, ...], tuple[OwnCall, ...]]:
    """The calls, "script" those alone that CI leaves out; and the same of `npm test` where CI runs other tests."""
    folders = npm_script.with_scripts(layout)
    called = [one for one in found if one.caller != "script"]
    named = {(one.folder, one.script) for one in called if one.script}
    by_ci = [one for one in called if one.caller == "ci"]
    tests = {folder: list(_tests(texts, folder, known)) for folder in folders}
    if len(called) == len(found) or not _is_said(texts, layout, by_ci, known, [*chain(*tests.values())]):
        return tuple(one._replace(caller="") if one.caller == "script" else one for one in found), ()
    run = {folder: own for folder, own in tests.items() if any(_is_one_of(one, own) for one in called)}
    running = [one for one in known if one.stage == "tests"]
    others = [one for one in by_ci if npm_script.is_test(one.words)]
    answered = all(any(_is_one_of(one, own) for own in run.values()) for one in others)
    apart = answered and (bool(run) or takes(running, *(one.words for one in by_ci)))
    out = [folder for folder, own in tests.items() if own and folder not in run] if apart else []
    # without tests of CI's own all that the script does is the project's word
    kept = [one for folder in tests for one in parts(texts, folder)] if not (run or apart or others) else []
    kept += [one for folder in (".", *folders) for name in _BY_ITSELF for one in parts(texts, folder, name)]
    left = tuple(
        one._replace(caller="")
        if one.caller == "script" and ((one.folder, one.script) in named or _is_one_of(one, kept))
        else one
        for one in found
    )
    source = (where(folder, "package.json", "test") for folder in out)
    more = (OwnCall(("npm-test",), *one, whole=False, caller="script") for one in zip(out, source, strict=True))
    return left, tuple(more)


def _is_said(
    texts: Texts, layout: Layout, by_ci: Sequence[OwnCall], known: Sequence[Checker], tests: Sequence[OwnCall]
) -> bool:
    """Whether CI was read whole, and names a check of JavaScript's. `tests`: those of all test scripts."""
    elsewhere = table(texts.yaml(".", ".gitlab-ci.yml")).get("include")
    elsewhere = elsewhere or any(one.kind != "out" for one in calls.unread(texts))
    doubtful = (pair for step in calls.of_ci(texts) for pair in resolve.in_doubt(step))
    sometimes = (one for simple, one in doubtful if not simple.sure)  # on a condition
    elsewhere = elsewhere or any(not (chores.is_chore(one.words) or one.words[0] in ASKED) for one in sometimes)
    if elsewhere or any(first(layout, one) for one in OTHER_CI.split()):
        return False
    looking = [one for one in known if one.stage != "build"]
    named = [
        one for one in by_ci if _is_nodes(one) or _is_one_of(one, tests) or (one.script and takes(looking, one.words))
    ]
    others = (one for one in by_ci if one not in named and not takes(known, one.words))
    return not any(map(_may_call, others)) and any(not chores.prepares(one.script) for one in named)


def _may_call(one: OwnCall) -> bool:
    """Whether a call that no checker takes may come to scripts of package.json."""
    name, chore = one.words[0], chores.is_chore(one.words)
    if name in _HIDING or name in _RUNNING.split():
        return name in _HIDING or not chore
    return not (chore or chores.prepares(one.script) or name in _PLAIN)


def _is_nodes(one: OwnCall) -> bool:
    """Whether it is a linter of JavaScript's, or runs tests, as far as its words say."""
    return npm_script.is_linting(one.script) or npm_script.is_linter(one.words) or npm_script.is_test(one.words)


def parts(texts: Texts, folder: str, name: str = "test") -> Iterator[OwnCall]:
    for step in scripts.steps(texts, "npm", folder, name) or ():
        yield from resolve.calls(texts, step)


def _tests(texts: Texts, folder: str, known: Sequence[Checker]) -> Iterator[OwnCall]:
    """What of it runs tests, or is there for them."""
    static = [one for one in known if one.stage == "static"]
    for one in parts(texts, folder):
        if not (npm_script.is_linter(one.words) or takes(static, one.words) or chores.is_chore(one.words)):
            yield one


def _is_one_of(one: OwnCall, others: Sequence[OwnCall]) -> bool:
    """Whether a call is one of these, or of the same script with other words."""
    same = ((other.folder, other.words, other.script) for other in others)
    return any(
        one.folder == folder and (one.words == words or (one.script != "" and one.script == script))
        for folder, words, script in same
    )
