"""The parts of what `npm test` runs: `pretest`, the script and `posttest`, cut at `&&`, `npm run NAME` followed.

Of a chain the tests alone are the tests: what only looks at the code (`eslint .`, `npm run lint`) is a check of its
own.
What is no plain chain (`;`, `||`, a subshell) is one part, as it stands.
"""

import fnmatch
import re
from collections.abc import Iterator, Mapping, Sequence

from untilgreen.checkers.programs import NPM_LINTERS, NPM_RUNNERS, NPM_TESTING
from untilgreen.core.record import Any, NamedTuple

_LINTING = re.compile(
    r"(?:lint|eslint|check|types?|typecheck|type-check|check-types|format-check|tsc|standard)(?::.+)?"
    r"|.+:(?:lint|check|types|tsc)"
)
_STARTERS = (
    "npx",
    "npm",
    "pnpx",
    "bunx",
    "yarn",
    "pnpm",
    "exec",
    "cross-env",
    "--no-install",
    "--no",
    "--yes",
    "-y",
    "--",
)
_RUN = re.compile(
    r"(?:npm|pnpm|yarn|bun)\s+(?:run(?:-script)?\s+)?(?:(?:-s|--silent)\s+)?([\w:.@/-]+)(?:\s+(?:-s|--silent))?"
)
_SEVERAL = re.compile(r"(?:run-s|run-p|npm-run-all)((?:\s+(?:-[lcns]+|--\w[\w-]*|[\w:*.@/-]+))+)")
_FORMATTER = re.compile(r"\s*\|\s*(?:npx\s+)?(?:tap-[\w-]+|faucet|tnyan)\b[^|&;<>()]*$")
_PIECE = re.compile(
    r"""'[^']*'|"(?:[^"\\]|\\.)*"|\\.|&&|\|\||[;()\n`]|(?<![<>&])&(?![&>])|[^'"\\;()\n`&|]+|.""", re.DOTALL
)
_AUDIT = re.compile(
    r"(?:(?:npx|pnpm|yarn)\s+(?:-\S+\s+)*)?(?:aud|audit-ci|better-npm-audit|(?:npm(?:@\S+)?\s+)?audit)\b(?!:)"
)
_OPAQUE = {"||", ";", "(", ")", "\n", "`", "&", "'", '"'}


class ScriptPart(NamedTuple):
    """One command of a chain as it is written, and the script in which it stands."""

    text: str
    script: str

    @property
    def looks(self) -> bool:
        """It only looks at the code: no test, nothing that tests need."""
        words = self.text.split()
        looking = is_linting(self.script) or is_linter(words)
        return looking and not is_test(words) and not re.search(r"[$`]", self.text)

    @property
    def audits(self) -> bool:
        """It asks a registry of the day for known holes in what the project depends on: no word about its code."""
        return _AUDIT.match(self.text) is not None


def is_linting(script: str) -> bool:
    """Whether a script's name says that it looks at the code: `lint`, `lint:css`, `check`, `types`."""
    return _LINTING.fullmatch(script) is not None


def is_linter(words: Sequence[str]) -> bool:
    """Whether the command is one that only looks at the code."""
    rest = [word for word in words if not re.match(r"\w+=", word)]
    while rest and rest[0] in _STARTERS:
        rest = rest[1:]
    name = rest[0].rpartition("/")[2] if rest else ""
    return name in NPM_LINTERS or (name == "tsc" and "--noEmit" in rest)


def is_test(words: Sequence[str]) -> bool:
    """Whether the command runs tests, as far as its name says."""
    return any(word.rpartition("/")[2] in (*NPM_RUNNERS, *NPM_TESTING, "--test") for word in words[:3])


def parts(scripts: Mapping[str, Any], name: str = "test", above: tuple[str, ...] = ()) -> Iterator[ScriptPart]:
    """What npm runs for a script, in turn."""
    for one in (f"pre{name}", name, f"post{name}"):
        text = scripts.get(one)
        for command in _chain(text) if isinstance(text, str) else ():
            names = _referred(command, scripts)
            if names and not set(names) & {name, one, *above}:
                for other in names:
                    yield from parts(scripts, other, (*above, name, one))
            else:
                yield ScriptPart(_FORMATTER.sub("", command), one)


def executed(command: str) -> tuple[str, ...]:
    """The words behind npm that run a command with the environment of a script. npm hands its own `--call` on, and an
    `npx` within takes it for its own."""
    return ("exec", "--silent", "-c", f"unset npm_config_call; {command}")


def _chain(text: str) -> list[str]:
    """The commands between `&&`."""
    pieces = [match[0] for match in _PIECE.finditer(text)]
    if set(pieces) & _OPAQUE:
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
    several = _SEVERAL.fullmatch(command)
    names = [word for word in several[1].split() if not word.startswith("-")] if several else []
    found = [one for name in names for one in (fnmatch.filter(scripts, name.replace("**", "*")) or [name])]
    return found if all(name in scripts for name in found) else []
