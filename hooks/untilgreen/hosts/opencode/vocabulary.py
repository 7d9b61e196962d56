"""What OpenCode's payloads and variables are made of."""

from untilgreen.core.shape import words
from untilgreen.hosts import bridge_words

VOCABULARY = bridge_words.vocabulary(
    tools="bash read edit write glob grep list task webfetch todowrite todoread skill patch apply_patch",
    sources="startup resume quit",
    told={"permission_mode": words("build plan"), "OPENCODE": words("1"), "AGENT": words("1")},
    ids="agent_id OPENCODE_SESSION_ID",
    keys="oldString newString replaceAll content command description pattern offset limit",
    folders=".opencode opencode plugin",
)
