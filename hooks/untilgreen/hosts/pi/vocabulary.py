"""What Pi's payloads and variables are made of."""

from untilgreen.core.shape import words
from untilgreen.hosts import bridge_words

VOCABULARY = bridge_words.vocabulary(
    tools="bash powershell read edit write grep find ls",
    sources="startup reload new resume fork quit",
    told={"AI_AGENT": words("pi"), "PI_CODING_AGENT": words("true")},
    ids="PI_SESSION_ID",
    keys="oldText newText content offset limit",
    folders=".pi agent sessions extensions",
)
