"""Stop hooks for coding agents: hold the agent until the project's own checks are green.

What programs may call is in `api`, and loaded when it is asked for: every hook imports this package.
"""

__all__ = ["Checked", "Loop", "UserError", "cancel", "check", "is_active", "start", "status"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from untilgreen.api import Checked, Loop, UserError, cancel, check, is_active, start, status
else:

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'untilgreen' has no attribute {name!r}")
        return getattr(__import__("untilgreen.api", fromlist=["api"]), name)
