"""Runners of scripts, targets and sessions: what their goals are called says what they check."""

import re
from collections.abc import Callable, Sequence

from untilgreen.core.shell import goals, options
from untilgreen.core.shell.programs import NAMES, SCRIPT, KnownTool
from untilgreen.core.shell.words import ShellWord
from untilgreen.core.shell.wrappers import PARTS

Found = tuple[set[str], str]  # kinds, and scope: "" where it checks nothing

_NOTHING: Found = (set(), "")
_ASSIGNMENT = re.compile(r"([A-Za-z_]\w*)[+:?]?=(.*)", re.DOTALL)
_HARMLESS = re.compile(r"V|VERBOSE|CI|Q|CC|CXX|LD|PYTHON\d?|PY|GO|NPM|PREFIX|DESTDIR|\w*FLAGS|BUILD_?TYPE|PROFILE")
_MAKE = KnownTool(
    "",
    "-C --directory -f --file --makefile --justfile -d --working-directory --taskfile",
    "-j --jobs -l -o -W -I --load-average --set -c",
    "-n --just-print --recon -q --question -t --touch -l --list --list-all --summary -p --print-data-base -T --tasks -P"
    " --prereqs -a --show --evaluate --dump --choose -e",
)
_BY_DEFAULT = {"make": "build", "gmake": "build", "ninja": "build", "rake": "test", "zig": "build"}
_PARTLY = KnownTool("", "-p --project --projects --filter -F --scope --since --affected --base --head", "--parallel"
    " --configuration -c --concurrency --output-style --exclude --maxParallel -t --target --targets --env-mode",
    "--graph --dry --list show")  # fmt: skip
_CALLING = ("workspaces", "foreach", "recursive", "multi", "run", "run-script", "rum")
_FILE = re.compile(r"\.[cm]?[jt]sx?$")
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
    behind = options.scope(SCRIPT, words[place + 1 :])
    return found, options.scope(tool, others) and behind and goals.worst([options.scope(tool, others), behind])


def make(name: str, words: Sequence[ShellWord]) -> Found:
    """`make test`, `just lint`, `task build`, `rake spec`: targets, and variables for them."""
    listing = {
        "make": " -l -P -a -e",
        "gmake": " -l -P -a -e",
        "ninja": " -l -p -P -a -e",
        "rake": " -l -p -a -e -t -q",
    }
    idle = " ".join(one for one in _MAKE.idle.split() if one not in listing.get(name, " -q -t -e -T -P").split())
    tool = _MAKE._replace(idle=idle)
    if name == "ninja":  # `-C` is where it builds
        tool = tool._replace(narrows="", valued=f"{tool.narrows} {tool.valued}")
    found, scope = _goals(words, tool)
    if not scope:
        return _NOTHING
    variables = [match for word in found if (match := _ASSIGNMENT.fullmatch(word.text))]
    targets = [word for word in found if not _ASSIGNMENT.fullmatch(word.text)]
    if any(match[2] and not _HARMLESS.fullmatch(match[1]) for match in variables):
        scope = goals.worst([scope, "unknown"])
    if not targets:
        return ({_BY_DEFAULT[name]}, "unknown" if name == "rake" else scope) if name in _BY_DEFAULT else _NOTHING
    texts = [_target(name, word.text) for word in targets]
    kinds, named = goals.several(texts)
    if name not in ("make", "gmake", "ninja", "rake") and not all(goals.of(text)[0] for text in texts):
        named = goals.worst([named, "unknown"])  # what else stands there may be an argument
    return kinds, goals.worst([scope, named, *("unknown" for word in targets if not word.known)])


def _target(name: str, text: str) -> str:
    if name in ("make", "gmake", "ninja"):
        return {"check": "test", "all": "build", "default": "build"}.get(text, text)
    return text


def workspaces(name: str, words: Sequence[ShellWord]) -> Found:
    """turbo, nx, lerna: one goal in many packages."""
    found, scope = _goals(words, _PARTLY)
    texts = [word.text for word in found]
    if not scope or not texts:
        return _NOTHING
    given = re.findall(r"(?:^|\0)(?:-t|--targets?)[=\0]([^\0]*)", "\0".join(word.text for word in words))
    chosen = [one for text in given for one in text.split(",")]
    verb, rest = texts[0], texts[1:]
    if verb in ("run-many", "affected"):
        kinds, named = goals.several([*chosen, *rest])
        return kinds, goals.worst([scope, named, "narrowed" if verb == "affected" else "whole"])
    if name == "nx":
        goal = rest[0].rpartition(":")[2] if verb == "run" and rest else verb
        return goals.several([goal])[0], "narrowed"
    kinds, named = goals.several(rest if verb == "run" else texts)
    return kinds, goals.worst([scope, named])


def sessions(name: str, words: Sequence[ShellWord]) -> Found:
    """tox and nox: environments and sessions, of which none is named where all are run."""
    choosing = ("-e", "-s", "--session", "--sessions", "-f")
    tool = KnownTool("", "-k --keywords -t --tags -m", " ".join(choosing) + " -c --conf -r --workdir -p --parallel -x",
        "-l --list --listenvs -a --showconfig --notest --list-sessions list config devenv exec quickstart")  # fmt: skip
    found, scope = _goals(words, tool)
    if not scope or (found and found[0].text in tool.idle.split()):
        return _NOTHING
    given, chosen, place = [word.text for word in words], [word.text for word in found], 0
    chosen = (
        [one for one in chosen if one not in ("run", "run-parallel", "r", "p", "auto", "all")] if name == "tox" else []
    )
    while place < len(given) and given[place] != "--":
        text, equals, value = given[place].partition("=")
        if text in choosing:
            chosen += (value if equals else "".join(given[place + 1 : place + 2])).split(",")
            while name == "nox" and not equals and given[place + 2 : place + 3] and given[place + 2][:1] != "-":
                chosen, place = [*chosen, given[place + 2]], place + 1
        place += 1
    if not chosen:
        return {"test"}, scope
    parts = [
        ("test", "narrowed") if re.match(r"(?:py|pypy|cpython)[\d.]*(?:-|$)", one) else goals.of(one) for one in chosen
    ]
    kinds = {
        "lint" if one in ("style", "pre-commit", "flake") else kind
        for one, (kind, _) in zip(chosen, parts, strict=True)
    }
    return kinds - {""}, goals.worst([scope, *(("narrowed" if part == "unknown" else part) for _, part in parts)])


def maven(name: str, words: Sequence[ShellWord]) -> Found:
    """Phases and goals of Maven."""
    del name
    texts = [word.text for word in words]
    phases = {text for text in texts if text[:1] != "-"}
    kinds = {"test"} if phases & {"test", "verify", "package", "install", "deploy", "integration-test"} else set()
    kinds |= {"build"} if phases & {"compile", "package", "verify", "install", "deploy", "test-compile"} else set()
    kinds |= (
        {"lint"}
        if any(re.search(r"(?:checkstyle|pmd|spotbugs|error-?prone)\S*:check$", one) for one in phases)
        else set()
    )
    if any(re.match(r"-D(?:skipTests|maven\.test\.skip|skipITs)(?:=true)?$", text) for text in texts):
        kinds -= {"test"}
    part = re.compile(r"-D(?:it\.)?test=|-pl|--projects|-rf|--resume-from|-f|--file|-Dgroups=|-N$")
    return kinds, "narrowed" if any(map(part.match, texts)) else _sure(words)


def gradle(name: str, words: Sequence[ShellWord]) -> Found:
    """Tasks of Gradle: `:app:test` is one of a part, `-x test` leaves one out."""
    del name
    kinds: set[str] = set()
    texts, scopes, skipped = [word.text for word in words], [_sure(words)], False
    if {"--dry-run", "-m", "--continuous", "-t", "--stop", "--status"} & set(texts):
        return _NOTHING
    for place, text in enumerate(texts):
        if text in ("--tests", "-p", "--project-dir") or text.startswith(("--tests=", "-Dtest.single")):
            scopes.append("narrowed")
        before = texts[place - 1] if place else ""
        task = text.rpartition(":")[2]
        if text[:1] == "-" or before in ("-x", "--exclude-task", "--tests", "-p", "-b", "-c", "--console", "-I"):
            skipped = skipped or (before in ("-x", "--exclude-task") and task == "test")
            continue
        found = {"check": {"test", "lint"}, "build": {"test", "build"}, "jar": {"build"}, "classes": {"build"}}.get(
            task
        )
        task = re.sub("Debug|Release", "", task)
        named, scope = goals.of(re.sub(r"^(detekt|ktlint|checkstyle|pmd|spotbugs).*", "lint", task))
        found = found or {named}
        scopes += ["narrowed"] if text.rpartition(":")[0] else [scope] if named and task not in _WHOLE_TASKS else []
        kinds |= found
    return (kinds - {""}) - ({"test"} if skipped else set()), goals.worst(scopes)


_WHOLE_TASKS = ("compileJava", "compileKotlin")


def cmake(name: str, words: Sequence[ShellWord]) -> Found:
    """`cmake --build DIR`, with the target that is built."""
    del name
    texts = [word.text for word in words]
    if "--build" not in texts or set(texts) & {"-N", "--help"}:
        return _NOTHING
    targets = [texts[place + 1] for place, text in enumerate(texts[:-1]) if text in ("--target", "-t")]
    if not targets:
        return {"build"}, _sure(words)
    kinds, scope = goals.several({"check": "test", "all": "build"}.get(one, one) for one in targets)
    return kinds or {"build"}, goals.worst([_sure(words), scope if kinds else "narrowed"])


def _sure(words: Sequence[ShellWord]) -> str:
    return "whole" if all(word.known for word in words) else "unknown"


def scripts(name: str, words: Sequence[ShellWord]) -> tuple[Found, Sequence[ShellWord]]:
    """Scripts of npm, pnpm, yarn, bun, composer, deno: what they check, or the command that stands there instead."""
    found, _ = _goals(words, _NPM_OWN)
    scope, called = "whole", False
    if name == "yarn" and found and found[0].text == "workspace":
        scope, found = "narrowed", found[2:]
    calling = ("task",) if name == "deno" else _CALLING
    while found and found[0].text in calling:
        found, called = found[1:], True
    if not found or not (called or name not in ("npm", "deno") or found[0].text in ("test", "t", "tst")):
        return _NOTHING, ()
    script = found[0].text
    place = next(place for place, word in enumerate(words) if word is found[0])
    own, rest = _split(name, words[place + 1 :])
    scope = goals.worst([scope, options.scope(_NPM_OWN, [*_without_verbs(words[:place]), *own]) or "unknown"])
    if not called and name != "npm" and (script in NAMES - {*SCRIPTS} or _FILE.search(script)):
        return (set(), scope), words[place:]
    kind, named = goals.of("test" if script in ("t", "tst") else script)
    behind = options.scope(SCRIPT, rest)
    if not kind or not behind or not found[0].known:
        return _NOTHING, ()
    return ({kind}, goals.worst([scope, named, behind])), ()


def _split(name: str, words: Sequence[ShellWord]) -> tuple[Sequence[ShellWord], Sequence[ShellWord]]:
    """The options of npm itself, and what the script gets."""
    texts = [word.text for word in words]
    cut = texts.index("--") if "--" in texts else len(words)
    if name != "npm":
        return (), [word for place, word in enumerate(words) if place != cut]
    own = [word for word in words[:cut] if word.text[:1] == "-" or _valued_before(words, word)]
    return own, [*(word for word in words[:cut] if word not in own), *words[cut + 1 :]]


def _valued_before(words: Sequence[ShellWord], word: ShellWord) -> bool:
    place = next(place for place, one in enumerate(words) if one is word)
    return place > 0 and words[place - 1].text in PARTS


def _without_verbs(words: Sequence[ShellWord]) -> list[ShellWord]:
    return [
        word for place, word in enumerate(words) if word.text[:1] == "-" or (place and words[place - 1].text in PARTS)
    ]


def zig(name: str, words: Sequence[ShellWord]) -> Found:
    """`zig build`, with the steps of the project's own."""
    return make(name, words[1:]) if words and words[0].text == "build" else _NOTHING


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
    "zig": zig,
}
SCRIPTS = ("npm", "pnpm", "yarn", "bun", "composer", "deno")
