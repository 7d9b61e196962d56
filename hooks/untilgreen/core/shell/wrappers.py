"""What may stand in front of a command: runners of environments and packages, timers, other users, containers."""

import re
from collections.abc import Container, Sequence

from untilgreen.core.record import NamedTuple
from untilgreen.core.shell.words import ShellWord


class Wrapper(NamedTuple):
    valued: str = ""  #: its options whose value is the next word
    words: int = 0  #: words of its own behind its options: a container, a duration
    scripts: bool = False  #: what follows may be the name of a script
    adds: bool = False  #: it adds words that are not there to be read


class Unwrapped(NamedTuple):
    words: tuple[ShellWord, ...]
    scope: str = "whole"  #: "whole", "narrowed" to a package or folder, "unknown"
    scripts: bool = False  #: its first word may be the name of a script


_UV = "-p --python --with --with-requirements --extra --group --project --directory --package --env-file --index-url"
_COVERAGE = "--source --omit --include --rcfile --context --data-file --concurrency --debug"
_NODE = "-p --package -w --workspace -c --prefix"
_DOCKER = "-e --env -u --user -w --workdir -v --volume --name --network --entrypoint --env-file --index -p --platform"

WRAPPERS = {
    **dict.fromkeys(("nohup", "command", "exec", "builtin", "stdbuf", "setsid", "unbuffer", "chronic", "caffeinate",
        "call", "time", "doas", "winpty", "busybox", "noglob"), Wrapper("-o -f -s")),
    "xvfb-run": Wrapper("-o -f -s -n --server-args --server-num"),
    **dict.fromkeys(("nice", "ionice", "chrt"), Wrapper("-c -n -p")),
    **dict.fromkeys(("timeout", "gtimeout"), Wrapper("-s --signal -k --kill-after", words=1)),
    **dict.fromkeys(("flock", "taskset", "direnv exec", "chroot"), Wrapper("-w -E -f -e", words=1)),
    "dotenv": Wrapper("-e -f -c"),
    **dict.fromkeys(("sudo", "env", "cross-env", "cross-env-shell", "dotenvx run", "env-cmd", "op run", "doppler run"),
        Wrapper("-u -g -C -f --env-file --user --group --unset --chdir -p -c")),
    **dict.fromkeys(("npx", "npm exec", "npm x", "bunx", "bun x", "pnpm exec", "pnpm dlx", "pnpx", "yarn exec",
        "yarn dlx", "nlx", "pnpm recursive exec"), Wrapper(_NODE)),
    **dict.fromkeys(("uvx", "uv tool run", "pipx run"), Wrapper(_UV + " --from --spec --only-group --no-group")),
    "uv run": Wrapper(_UV + " --only-group --no-group", scripts=True),
    **dict.fromkeys(("poetry run", "pdm run", "pipenv run", "rye run", "hatch run", "pixi run"),
        Wrapper(_UV + " -e --environment -n", scripts=True)),
    **dict.fromkeys(("conda run", "mamba run", "micromamba run"), Wrapper("-n --name -p --prefix --cwd")),
    **dict.fromkeys(("bundle exec", "mise exec", "mise x", "asdf exec", "rbenv exec", "pyenv exec", "volta run",
        "devbox run", "go run", "go tool", "dotnet tool run", "spring", "fnm exec"), Wrapper("-C --using")),
    **dict.fromkeys(("nix develop", "nix-shell", "nix shell"), Wrapper("-c --command --run -p")),
    **dict.fromkeys(("coverage run", "slipcover"), Wrapper(_COVERAGE)),
    **dict.fromkeys(("c8", "nyc", "kcov"), Wrapper("-r --reporter -x --exclude -n --include --temp-dir --report-dir"
        " --require --source --omit --rcfile -p")),
    **dict.fromkeys(("docker exec", "podman exec", "docker run", "podman run", "docker compose exec", "kubectl exec",
        "docker-compose exec", "docker compose run", "docker-compose run", "podman compose exec", "podman-compose exec",
        "docker container exec", "nerdctl exec", "ddev exec", "lando ssh"), Wrapper(_DOCKER + " -n -c", words=1)),
    **dict.fromkeys(("ddev exec", "sail", "ddev"), Wrapper("-s -d")),
    **dict.fromkeys(("xargs", "parallel", "gxargs"), Wrapper("-n -P -I -L -d -a -s -j", adds=True)),
}  # fmt: skip
# those that run here what the project itself has, or what they fetch
_HERE = {"uv run", "uv tool run", "uvx", "pipx run", "poetry run", "pipenv run", "rye run", "npx"} | {
    *("npm exec", "pnpm exec", "pnpm dlx", "yarn exec", "yarn dlx", "bunx", "xvfb-run", "env", "nice", "cross-env"),
    *("c8", "nyc", "dotenv", "coverage run", "slipcover"),
}
# with these options they only tell something
_TELLING = {"command": ("-v", "-V"), "sudo": ("-l", "-v", "-k"), "exec": (), "coverage run": ("--help",)}
# options that may stand between the words of a command, with a value; the second ones choose a part
_BETWEEN = {"-f", "--file", "--project-name", "--profile", "--env-file", "--color", "--config", "-c", "-H", "--context"}
PARTS = {"-C", "--directory", "--project", "--dir", "--cwd", "--prefix", "-w", "--workspace", "-F", "--filter"} | {
    *("--package", "--scope", "--filter-prod", "--manifest-path", "-p", "--workdir-package")
}
_ASSIGNMENT = re.compile(r"[A-Za-z_]\w*\+?=.*", re.DOTALL)
_CHOOSING = re.compile(
    r"(?:PYTEST_ADDOPTS|TOXENV|TOX_ENV|NOXSESSION|SKIP|TESTS?|TESTARGS|TEST_FILTER|SPEC)\+?=.+", re.DOTALL
)
_SUFFIX = re.compile(r"(?:\.(?:exe|cmd|bat|ps1|phar|[cm]?js|rb))+$", re.IGNORECASE)
_VERSION = re.compile(r"(?<=.)@[^@/\\]*$")


def unwrapped(words: tuple[ShellWord, ...]) -> Unwrapped:
    """The command itself; without words where there is none, or where it is only asked for."""
    scope, scripts = "whole", False
    while words:
        if _ASSIGNMENT.fullmatch(words[0].text):
            scope = "unknown" if _CHOOSING.fullmatch(words[0].text) and scope == "whole" else scope
            words = words[1:]
            continue
        key, end = known_head(words, WRAPPERS)
        if not key:
            break
        wrapper = WRAPPERS[key]
        rest, options = _behind(words[end:], wrapper)
        if any(option in _TELLING.get(key, ()) for option in options):
            return Unwrapped(())
        if wrapper.scripts or key.startswith(("npm", "pnpm", "npx")) or key.partition(" ")[2]:
            given = {text.partition("=")[0] for text in (*(word.text for word in words[:end]), *options)}
            scope = "narrowed" if _narrowing(key, given) else scope
        scope = "unknown" if wrapper.adds and scope == "whole" else scope
        scripts, words = wrapper.scripts, rest
        if words and words[0].text == "-m":
            words = (ShellWord("python"), *words)
    return Unwrapped(words, scope, scripts)


def started(texts: Sequence[str]) -> tuple[tuple[str, ...], tuple[str, ...], bool] | None:
    """The command behind one wrapper that runs it here, the variables that the wrapper sets, and whether it starts it
    in the folder where the wrapper stands; None where the words begin with none."""
    words = tuple(map(ShellWord, texts))
    key, end = known_head(words, _HERE)
    if not key:
        return None
    rest, options = _behind(words[end:], WRAPPERS[key])
    place = next((place for place, word in enumerate(rest) if not _ASSIGNMENT.fullmatch(word.text)), len(rest))
    env, behind = (tuple(word.text for word in part) for part in (rest[:place], rest[place:]))
    if behind[:1] == ("-m",) or (behind and key in ("coverage run", "slipcover") and "--module" not in options):
        behind = ("python", *behind)
    given = {option.partition("=")[0] for option in (*texts[1:end], *options)}
    others = {"-w", "-F"} if not key.startswith(("npm", "pnpm", "yarn")) else set()
    return behind, env, (PARTS - others - {"--project", "--package", "-p"}).isdisjoint(given)


def _narrowing(key: str, given: set[str]) -> bool:
    tool = key.partition(" ")[0]
    if tool in ("docker", "podman", "kubectl", "coverage", "conda", "mamba", "micromamba", "nix", "go", "dotnet"):
        return False
    own = {"-p"} | ({"-C", "-w"} if tool not in ("npm", "npx", "pnpm") else set())
    return bool(given & (PARTS - own)) and not (tool in ("npx", "npm") and given & PARTS == {"--package"})


def _behind(words: Sequence[ShellWord], wrapper: Wrapper) -> tuple[tuple[ShellWord, ...], list[str]]:
    """The words behind the options and own words of a wrapper, and those options."""
    place, own, options = 0, wrapper.words, []
    # what these options of `nix develop` take is the command
    commands = ("-c", "--command", "--run") if "--run" in wrapper.valued else ()
    while place < len(words):
        text = words[place].text
        if text == "--":
            place += 1
            break
        if text == "-m" or text[:1] not in ("-", "+") or text == "-":
            if own and text != "-m":
                own -= 1
            elif not re.fullmatch(r"\d+(?:\.\d+)?[smhd]?", text):
                break
            place += 1
            continue
        options.append(text)
        place += 2 if text in wrapper.valued.split() and text not in commands else 1
    return tuple(words[place:]), options


def name(word: ShellWord) -> str:
    """What a command is called: without its folder, its ending and its version."""
    text = re.split(r"[/\\]", _VERSION.sub("", word.text))[-1]
    return _SUFFIX.sub("", text) if word.known or not re.search(r"[$`*?]", text) else ""


def known_head(words: Sequence[ShellWord], known: Container[str]) -> tuple[str, int]:
    """The first three, two or one words, options aside, that are `known`, and where they end: `go test` of
    `go -C sub test ./...`; "" where none are."""
    found, place, ends = [name(words[0])], 1, [1]
    while place < len(words) and len(found) < 3:
        text = words[place].text
        if text[:1] in ("-", "+") and text != "-":
            place += 2 if text in _BETWEEN | PARTS else 1
        else:
            found.append(text)
            place += 1
            ends.append(place)
    keys = ((" ".join(found[:length]), ends[length - 1]) for length in range(len(found), 0, -1))
    return next((pair for pair in keys if pair[0] in known), ("", 0))
