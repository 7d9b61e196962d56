"""The environment in which checks run."""

from collections.abc import Mapping

from untilgreen import hosts

# what would change the form of a tool's output, or send it elsewhere
_DISTURBING = (
    *("FORCE_COLOR", "CLICOLOR_FORCE", "PY_COLORS", "MYPY_FORCE_COLOR"),
    *("RUFF_OUTPUT_FILE", "RUFF_OUTPUT_FORMAT"),
)


def of_checks(env: Mapping[str, str], remove: tuple[str, ...] = ()) -> dict[str, str]:
    """The environment of a check: the host's, made quiet, without the host's own secrets, and not recursive.

    `remove` takes away what is added here, too (some tests differ where CI is set), but never the end of recursion.
    """
    private = hosts.private()
    kept = {k: v for k, v in env.items() if not k.startswith(private) and k not in _DISTURBING}
    quiet = kept | {"LC_ALL": "C.UTF-8", "NO_COLOR": "1", "CI": "1"}
    return {k: v for k, v in quiet.items() if k not in remove} | {"UNTILGREEN_DISABLE": "1"}
