"""What a stop would run in a project as it is now: the checks that its configuration and its files ask for."""

from collections.abc import Mapping

from untilgreen import planning, tools, trust, worktree
from untilgreen.cli import configuration
from untilgreen.cli.options import Request
from untilgreen.core.model import Check, Settings


def checks(root: str, env: Mapping[str, str], settings: Settings, *, tests: bool = False) -> tuple[Check, ...]:
    """The plan of a plain `start-loop` here (`tests`: with `--tests-pass`). A check without its tool says why in
    `absent`; one out of the project has its path in `tool` only where the project is trusted. Raises UserError."""
    trusted = trust.trusted(root, env)
    criteria = configuration.resolve(settings, Request()).criteria
    scope = planning.Scope(
        root,
        settings,
        criteria._replace(tests_pass=criteria.tests_pass or tests),
        env,
        trusted,
        tools.ask_environments(root, env) if trusted else {},
        tuple(worktree.changed(root)),
    )
    return planning.plan(scope, worktree.files(root))
