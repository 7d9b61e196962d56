"""What is known of Qwen Code, as data (measured on 0.24.4)."""

from untilgreen.hosts.closing import Closing, failure, objects, result
from untilgreen.hosts.host import BlockCap, Facts
from untilgreen.hosts.reading import objects_in, table_in, text_in
from untilgreen.hosts.records import number


def _closing(stdout: str) -> Closing | None:
    """`--output-format json` closes with a list of documents on one line (recorded with 0.24.4).

    `{"type": "result", "result", "is_error", "error"?: {"message"}, "usage": {"total_tokens"}}`, the last of them.

    `result` is all that the agent said, one text right behind the other; what it said last is the last document of
    `type` "assistant".
    """
    found = result(stdout)
    if found is None:
        return None
    said = [table_in(one, "message").get("content") for one in objects(stdout) if one.get("type") == "assistant"]
    texts = ["".join(text_in(block, "text") for block in objects_in(content)) for content in said]
    error, status = failure(found)
    return Closing(
        text=next(filter(None, reversed(texts)), text_in(found, "result")),
        error=error,
        failed=bool(found.get("is_error")),
        status=status,
        tokens=number(table_in(found, "usage"), "total_tokens"),
    )


FACTS = Facts(
    title="Qwen Code",
    program="qwen",
    config_dir="QWEN_HOME",
    home="~/.qwen",
    known_by=("QWEN_CODE_SESSION_ID", "QWEN_CODE_PROJECT_DIR", "QWEN_PROJECT_DIR"),
    cap=BlockCap(7, "QWEN_CODE_STOP_HOOK_BLOCK_CAP", over=1, spans_tools=True),
    measured=("0.24.4",),
    places=("~/.local/bin", "~/.npm-global/bin", "/usr/local/bin", "/opt/homebrew/bin"),
    update="npm install -g @qwen-code/qwen-code@latest",
    variables=("QWEN_CODE_", "QWEN_PROJECT_DIR"),
    tells_usage=True,
    run=("--output-format", "json"),
    closing=_closing,
    unattended="--approval-mode auto-edit",
    resume=("--resume", "{session}", "-p", "go on"),
    reopen=("--resume", "{session}"),
    begin=("-i", "{prompt}"),
    cannot=(
        "What a hook says at a prompt reaches the agent, and not its user: the agent tells them that a loop began.",
        "A headless run shows nothing of a command that is refused: it ends with an empty answer.",
        "A shell in the background is not told at a stop, so nothing waits for it.",
    ),
)
