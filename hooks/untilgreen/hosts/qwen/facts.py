"""What is known of Qwen Code, as data (measured on 0.24.4)."""

from untilgreen.hosts.facts import BlockCap, Facts

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
