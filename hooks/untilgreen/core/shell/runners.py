"""Runners of scripts, targets and sessions: what their goals are called says what they check."""

import re
from collections.abc import Callable, Sequence

from untilgreen.core.shell.programs import NAMES, SCRIPT, KnownTool
from untilgreen.core.shell.scopes import of_goal, of_goals, scope, worst
from untilgreen.core.shell.words import ShellWord
from untilgreen.core.shell.wrappers import PARTS

Found = tuple[set[str], str]  # kinds, and scope: "" where it checks nothing

NOTHING: Found = (set(), "")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)[+:?]?=(.*)", re.DOTALL)
_HARMLESS = re.compile(r"V|VERBOSE|CI|Q|CC|CXX|LD|PYTHON\d?|PY|GO|NPM|PREFIX|DESTDIR|\w*FLAGS|BUILD_?TYPE|PROFILE")
_MAKE = KnownTool(
    "",
    "-C --directory -f --file --makefile --justfile -d --working-directory --taskfile",
    "-j --jobs -l -o -W -I --load-average --set -c",
    "-n --just-print --recon -q --question -t --touch -l --list --list-all --summary -p --print-data-base -T --tasks -P"
    " --prereqs -a --show --evaluate --dump --choose -e",
)
# those of them with which a runner of this name does its work
_WORKING = {"ninja": "-l -p -P -a -e", "rake": "-l -p -a -e -t -q", **dict.fromkeys(("make", "gmake"), "-l -P -a -e")}
_MAKES = ("make", "gmake", "ninja")
_TARGETS = {"check": "test", "all": "build", "default": "build"}
_BY_DEFAULT = {"make": "build", "gmake": "build", "ninja": "build", "rake": "test", "zig": "build"}
_PARTLY = KnownTool("", "-p --project --projects --filter -F --scope --since --affected --base --head", "--parallel"
    " --configuration -c --concurrency --output-style --exclude --maxParallel -t --target --targets --env-mode",
    "--graph --dry --list show")  # fmt: skip
_CHOOSING = ("-e", "-s", "--session", "--sessions", "-f")
_SESSIONS = KnownTool(
    "",
    "-k --keywords -t --tags -m",
    " ".join(_CHOOSING) + " -c --conf -r --workdir -p --parallel -x",
    "-l --list --listenvs -a --showconfig --notest --list-sessions list config devenv exec quickstart",
)
_NPM_OWN = KnownTool("", " ".join(PARTS - {"-p"}), "--loglevel --registry")


def _goals(words: Sequence[ShellWord], tool: KnownTool) -> tuple[list[ShellWord], str]:
    """The words that are goals, and what the others make of them; "" where nothing is run."""
    found, others, place = [], [], 0
    valued = {*tool.valued.split(), *tool.narrows.split()}
    while place < len(words) and words[place].text != "--":
        word, place = words[place], place + 1
        if word.text[:1] in ("-", "+") and len(word.text) > 1:
            others.append(word)
            if word.text in valued and place < len(words) and (word.text != "-j" or words[place].text.isdigit()):
                others.append(words[place])
                place += 1
        else:
            found.append(word)
    scopes = scope(tool, others), scope(SCRIPT, words[place + 1 :])
    return found, worst(scopes) if all(scopes) else ""


def make(name: str, words: Sequence[ShellWord]) -> Found:
    """`make test`, `just lint`, `task build`, `rake spec`: targets, and variables for them."""
    working = _WORKING.get(name, "-q -t -e -T -P").split()
    tool = _MAKE._replace(idle=" ".join(one for one in _MAKE.idle.split() if one not in working))
    if name == "ninja":  # `-C` is where it builds
        tool = tool._replace(narrows="", valued=f"{tool.narrows} {tool.valued}")
    found, seen = _goals(words, tool)
    variables = [match for word in found if (match := _ASSIGNMENT.fullmatch(word.text))]
    targets = [word for word in found if not _ASSIGNMENT.fullmatch(word.text)]
    if not seen or not (targets or name in _BY_DEFAULT):
        return NOTHING
    if any(match[2] and not _HARMLESS.fullmatch(match[1]) for match in variables):
        seen = worst([seen, "unknown"])
    if not targets:
        return {_BY_DEFAULT[name]}, "unknown" if name == "rake" else seen
    texts = [_TARGETS.get(word.text, word.text) if name in _MAKES else word.text for word in targets]
    kinds, named = of_goals(texts)
    # what else stands there may be an argument
    sure = name in (*_MAKES, "rake") or all(of_goal(text)[0] for text in texts)
    return kinds, worst([seen, named, "whole" if sure else "unknown", _scope(targets)])


def workspaces(name: str, words: Sequence[ShellWord]) -> Found:
    """turbo, nx, lerna: one goal in many packages."""
    found, seen = _goals(words, _PARTLY)
    if not seen or not found:
        return NOTHING
    verb, *rest = (word.text for word in found)
    if verb in ("run-many", "affected"):
        given = re.findall(r"(?:^|\0)(?:-t|--targets?)[=\0]([^\0]*)", "\0".join(word.text for word in words))
        kinds, named = of_goals([*",".join(given).split(","), *rest])
        return kinds, worst([seen, named, "narrowed" if verb == "affected" else "whole"])
    if name == "nx":
        return of_goals([rest[0].rpartition(":")[2] if verb == "run" and rest else verb])[0], "narrowed"
    kinds, named = of_goals(rest if verb == "run" else (verb, *rest))
    return kinds, worst([seen, named])


def sessions(name: str, words: Sequence[ShellWord]) -> Found:
    """tox and nox: environments and sessions, of which none is named where all are run."""
    found, seen = _goals(words, _SESSIONS)
    if not seen or (found and found[0].text in _SESSIONS.idle.split()):
        return NOTHING
    given, place = [word.text for word in words], 0
    verbs = ("run", "run-parallel", "r", "p", "auto", "all")
    chosen = [word.text for word in found if word.text not in verbs] if name == "tox" else []
    while place < len(given) and given[place] != "--":
        text, equals, value = given[place].partition("=")
        if text in _CHOOSING:
            chosen += (value if equals else "".join(given[place + 1 : place + 2])).split(",")
            while name == "nox" and not equals and given[place + 2 : place + 3] and given[place + 2][:1] != "-":
                chosen, place = [*chosen, given[place + 2]], place + 1
        place += 1
    kinds, scopes = set(), [seen]
    for one in chosen:
        python = re.match(r"(?:py|pypy|cpython)[\d.]*(?:-|$)", one)
        kind, looks = ("test", "narrowed") if python else of_goal(one)
        kinds.add("lint" if one in ("style", "pre-commit", "flake") else kind)
        scopes.append("narrowed" if looks == "unknown" else looks)
    return (kinds - {""}) if chosen else {"test"}, worst(scopes)


def maven(_: str, words: Sequence[ShellWord]) -> Found:
    """Phases and goals of Maven."""
    texts = [word.text for word in words]
    phases = {text for text in texts if text[:1] != "-"}
    both = {"verify", "package", "install", "deploy"}
    kinds = {"test"} if phases & {"test", "integration-test", *both} else set()
    if any(re.match(r"-D(?:skipTests|maven\.test\.skip|skipITs)(?:=true)?$", text) for text in texts):
        kinds = set()
    kinds |= {"build"} if phases & {"compile", "test-compile", *both} else set()
    lints = re.compile(r"(?:checkstyle|pmd|spotbugs|error-?prone)\S*:check$")
    kinds |= {"lint"} if any(map(lints.search, phases)) else set()
    part = re.compile(r"-D(?:it\.)?test=|-pl|--projects|-rf|--resume-from|-f|--file|-Dgroups=|-N$")
    return kinds, "narrowed" if any(map(part.match, texts)) else _scope(words)


def gradle(_: str, words: Sequence[ShellWord]) -> Found:
    """Tasks of Gradle: `:app:test` is one of a part, `-x test` leaves one out."""
    kinds: set[str] = set()
    texts, scopes, skipped, before = [word.text for word in words], [_scope(words)], set[str](), ""
    if {"--dry-run", "-m", "--continuous", "-t", "--stop", "--status"} & set(texts):
        return NOTHING
    for text in texts:
        if text in ("--tests", "-p", "--project-dir") or text.startswith(("--tests=", "-Dtest.single")):
            scopes.append("narrowed")
        option, before = before, text
        part, _, task = text.rpartition(":")
        if text[:1] == "-" or option in ("-x", "--exclude-task", "--tests", "-p", "-b", "-c", "--console", "-I"):
            skipped |= {task} if option in ("-x", "--exclude-task") else set()
            continue
        found = _GRADLE.get(task)
        task = re.sub("Debug|Release", "", task)
        named, looks = of_goal(re.sub(r"^(detekt|ktlint|checkstyle|pmd|spotbugs).*", "lint", task))
        scopes += ["narrowed"] if part else [looks] if named and task not in ("compileJava", "compileKotlin") else []
        kinds |= found or {named}
    return kinds - {""} - (skipped & {"test"}), worst(scopes)


_GRADLE = {"check": {"test", "lint"}, "build": {"test", "build"}, "jar": {"build"}, "classes": {"build"}}


def cmake(_: str, words: Sequence[ShellWord]) -> Found:
    """`cmake --build DIR`, with the target that is built."""
    texts = [word.text for word in words]
    if "--build" not in texts or set(texts) & {"-N", "--help"}:
        return NOTHING
    targets = [texts[place + 1] for place, text in enumerate(texts[:-1]) if text in ("--target", "-t")]
    kinds, named = of_goals({"check": "test", "all": "build"}.get(one, one) for one in targets)
    return kinds or {"build"}, worst([_scope(words), named if kinds or not targets else "narrowed"])


def _scope(words: Sequence[ShellWord]) -> str:
    return "whole" if all(word.known for word in words) else "unknown"


def scripts(name: str, words: Sequence[ShellWord]) -> tuple[Found, Sequence[ShellWord]]:
    """Scripts of npm, pnpm, yarn, bun, composer, deno: what they check, or the command that stands there instead."""
    found, _ = _goals(words, _NPM_OWN)
    seen, called = "whole", False
    if name == "yarn" and found and found[0].text == "workspace":
        seen, found = "narrowed", found[2:]
    calling = ("task",) if name == "deno" else _CALLING
    while found and found[0].text in calling:
        found, called = found[1:], True
    if not found or not (called or name not in ("npm", "deno") or found[0].text in ("test", "t", "tst")):
        return NOTHING, ()
    script = found[0].text
    place = next(place for place, word in enumerate(words) if word is found[0])
    behind = words[place + 1 :]
    cut = next((place for place, word in enumerate(behind) if word.text == "--"), len(behind))
    own = _options(behind[:cut]) if name == "npm" else []  # npm's own; the others are the script's
    seen = worst([seen, scope(_NPM_OWN, [*_options(words[:place]), *own]) or "unknown"])
    if not called and name != "npm" and (script in NAMES - {*SCRIPTS} or re.search(r"\.[cm]?[jt]sx?$", script)):
        return (set(), seen), words[place:]
    kind, named = of_goal("test" if script in ("t", "tst") else script)
    looks = scope(SCRIPT, [*(word for word in behind[:cut] if word not in own), *behind[cut + 1 :]])
    if not kind or not looks or not found[0].known:
        return NOTHING, ()
    return ({kind}, worst([seen, named, looks])), ()


_CALLING = ("workspaces", "foreach", "recursive", "multi", "run", "run-script", "rum")


def _options(words: Sequence[ShellWord]) -> list[ShellWord]:
    """The options among these words, with the values of those that choose a part."""
    before = ("", *(word.text for word in words))
    return [word for word, last in zip(words, before, strict=False) if word.text[:1] == "-" or last in PARTS]


RUNNERS: dict[str, Callable[[str, Sequence[ShellWord]], Found]] = {
    **dict.fromkeys(
        ("make", "gmake", "ninja", "just", "task", "go-task", "rake", "invoke", "inv", "poe", "mage"), make
    ),
    **dict.fromkeys(("npm-run-all", "run-s", "run-p", "nps", "wireit", "mask", "moon", "rushx", "grunt", "gulp"), make),
    **dict.fromkeys(("turbo", "nx", "lerna"), workspaces),
    **dict.fromkeys(("tox", "nox"), sessions),
    **dict.fromkeys(("mvn", "mvnw"), maven),
    **dict.fromkeys(("gradle", "gradlew"), gradle),
    "cmake": cmake,
    "zig": lambda name, words: make(name, words[1:]) if words and words[0].text == "build" else NOTHING,
}
SCRIPTS = ("npm", "pnpm", "yarn", "bun", "composer", "deno")
