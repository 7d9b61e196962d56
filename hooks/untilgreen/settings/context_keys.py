"""The keys of `context`: what an agent is told that is started anew for each round."""

from untilgreen.core.model.settings import ContextSetting
from untilgreen.settings.kinds import at_least
from untilgreen.settings.table import Key, Table

CONTEXT = Table(
    ContextSetting,
    {
        "include_last_n_messages": Key(
            "How many of the agent's last messages, of the rounds before, `untilgreen run` tells it.", at_least(0)
        ),
    },
)
