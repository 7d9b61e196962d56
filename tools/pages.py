"""The parts of docs/ that follow from the code, rendered: `python tools/pages.py` writes them again.

A page marks such a part with `<!-- generated: NAME -->` and `<!-- end -->`; NAME is one of PARTS.
"""

import re
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parent.parent / "tests"))

import click
from pydantic import TypeAdapter

import matrix
import said
from untilgreen import checkers
from untilgreen.cli import root, start
from untilgreen.loops.begin import options
from untilgreen.settings.groups import CHECK, CONTEXT, HOOK, JUDGE, MEMORY, NOTIFY, PRICE, REVIEW
from untilgreen.settings.keys import PRESETS, SETTINGS
from untilgreen.settings.values import Key, Table

REPOSITORY = Path(__file__).resolve().parent.parent
PACKAGE = REPOSITORY / "hooks" / "untilgreen"
PAGES = tuple(sorted((REPOSITORY / "docs").glob("*.md")))
_PART = re.compile(r"(?<=<!-- generated: )([a-z-]+)( -->\n).*?(?=<!-- end -->)", re.DOTALL)
_TYPES = {
    "str": "text",
    "int": "whole number",
    "float": "number",
    "float | None": "number",
    "bool": "true or false",
    "tuple[str, ...]": "list of texts",
    "tuple[int, ...]": "list of numbers",
}
_COMMAND = "text or list of words"


def rendered(text: str) -> str:
    """A page with its generated parts as the code has them now. KeyError for a part that nobody renders."""
    return _PART.sub(lambda part: f"{part[1]}{part[2]}\n{PARTS[part[1]]().strip()}\n\n", text)


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table in Markdown; bars in cells are escaped."""
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


def code(text: object) -> str:
    """Text as code, "" for none."""
    return f"`{text}`" if text not in ("", ()) else ""


def commands() -> str:
    """`untilgreen` and every command of it but those that the page has by their other names."""
    names = [name for name in root.COMMANDS if name not in ("start", "cancel")]
    return "\n\n".join(described(f"untilgreen {name}", root.loaded(name)) for name in names)


def described(name: str, command: click.Command, heading: str = "###") -> str:
    """A command: what it does, how it is called, its options."""
    context = click.Context(command, info_name=name)
    usage = " ".join(part for part in (name, *command.collect_usage_pieces(context)) if part)
    about = prose(command.help or "")
    parts = [f"{heading} {name}", about, f"```text\n{usage}\n```"]
    shared = {one.flag for one in options.OPTIONS} if name == "untilgreen run" else ()
    offered = [one for one in command.params if isinstance(one, click.Option) and not one.hidden]
    rows = [_option(one) for one in offered if one.opts[0] not in shared]
    if shared:
        left_out = [code(flag) for flag in sorted(shared - {one.opts[0] for one in offered})]
        parts.append(
            f"It takes the options of [a start](#untilgreen-start) but for {' and '.join(left_out)}, and these:"
        )
    if rows:
        parts.append(table(("option", "does"), rows))
    if command.epilog:
        parts.append(f"Example: {code(command.epilog.removeprefix('Example: '))}")
    if isinstance(command, click.Group):
        parts += [described(f"{name} {sub}", one, f"{heading}#") for sub, one in command.commands.items()]
    return "\n\n".join(parts)


def prose(text: str) -> str:
    """A help text as paragraphs; what click keeps as it is (after a line with \\b) becomes a block."""
    paragraphs = []
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        if paragraph.lstrip().startswith("\b"):
            kept = textwrap.dedent(paragraph.lstrip().removeprefix("\b").strip("\n"))
            paragraphs.append(f"```text\n{kept}\n```")
        else:
            paragraphs.append(escaped(" ".join(paragraph.split())))
    return "\n\n".join(paragraphs)


def escaped(text: str) -> str:
    """Prose in which <X> would be HTML."""
    return re.sub(r"(?<!`)(<(\w+)>.*?</\2>|<[^>`]+>)", r"`\1`", text)


def _option(one: click.Option) -> tuple[str, str]:
    value = "" if one.is_flag or one.count else f" {one.metavar or one.type.name.upper()}"
    if isinstance(one.type, click.Choice):
        value = f" {one.metavar or '|'.join(map(str, one.type.choices))}"
    names = ", ".join(code(name + value) for name in (*one.opts, *one.secondary_opts))
    usual = one.default if isinstance(one.default, str | int | float) and not one.is_flag else ""
    told = f" Default: `{usual}`." if usual and str(usual) not in (one.help or "") else ""
    return names, escaped(one.help or "") + told


def start_options() -> str:
    """The options of a start, and whether a slash command takes them."""
    rows = [
        (
            ", ".join(code(f"{name} {one.value}".strip()) for name in (one.flag, one.short) if name),
            one.help,
            "yes" if one.typed else "",
        )
        for one in options.OPTIONS
    ]
    return table(("option", "does", "typed"), rows)


def cancel_options() -> str:
    """The options of `cancel-loop`."""
    rows = [_option(one) for one in start.cancel.params if isinstance(one, click.Option)]
    return table(("option", "does"), rows)


def config_keys(keys: Table = SETTINGS, where: str = "") -> str:
    """Every key of a table of the configuration: type, default, what is allowed, meaning."""
    defaults = {name: keys.default(name) for name in keys.keys}
    rows = [
        (code(where + name), _value(key, keys, name), written(defaults[name]), key.means)
        for name, key in keys.keys.items()
        if not (isinstance(defaults[name], dict) or hasattr(defaults[name], "_fields") or name == "hooks")  # tables
    ]
    return table(("key", "value", "default", "means"), rows)


def check_keys() -> str:
    """Every key of `checks.NAME`."""
    return config_keys(CHECK, "checks.NAME.")


def judge_keys() -> str:
    """Every key of `judge`."""
    return config_keys(JUDGE, "judge.")


def price_keys() -> str:
    """Every key of `prices.MODEL`."""
    return config_keys(PRICE, "prices.MODEL.")


def notify_keys() -> str:
    """Every key of `notify`."""
    return config_keys(NOTIFY, "notify.")


def memory_keys() -> str:
    """Every key of `memory`."""
    return config_keys(MEMORY, "memory.")


def hook_keys() -> str:
    """Every key of one of `hooks`."""
    return config_keys(HOOK, "hooks.")


def review_keys() -> str:
    """Every key of `review`."""
    return config_keys(REVIEW, "review.")


def context_keys() -> str:
    """Every key of `context`."""
    return config_keys(CONTEXT, "context.")


def _value(key: Key, keys: Table, name: str) -> str:
    """What may stand there: the type, narrowed by what is allowed."""
    hint, schema = keys.types[name], TypeAdapter(keys.kinds[name]).json_schema()
    if key.choices:
        return f"{'some' if schema['type'] == 'array' else 'one'} of " + ", ".join(map(code, key.choices))
    kind = _COMMAND if name == "command" else _TYPES[hint.__name__ if isinstance(hint, type) else str(hint)]
    if "minimum" in schema:
        kind += f" from {schema['minimum']} up"
    if "exclusiveMinimum" in schema:
        kind += f" above {schema['exclusiveMinimum']}"
    return f"{kind}; a regular expression" if schema.get("format") == "regex" else kind


def written(value: object) -> str:
    """A default as the configuration would write it."""
    if isinstance(value, bool):
        return code(str(value).lower())
    if isinstance(value, tuple):
        return code(f"[{', '.join(map(str, value))}]")
    if isinstance(value, str):
        return code(f'"{value}"') if value else "not set"
    return code(f"{value:g}") if isinstance(value, int | float) and value else "not set"


def presets() -> str:
    """What each preset sets."""
    rows = [
        (code(name), ", ".join(f"`{key} = {_toml(value)}`" for key, value in preset.items()))
        for name, preset in PRESETS.items()
    ]
    return table(("preset", "sets"), rows)


def _toml(value: object) -> str:
    if isinstance(value, tuple):
        return "[" + ", ".join(f'"{one}"' for one in value) + "]"
    return str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)


def checker_table() -> str:
    """Every checker that comes with untilgreen, in the order in which checks are run and told."""
    hooks = {"lint": "post-tool-lint", "types": "post-tool-lsp", "security": "post-tool-ast-grep"}
    rows = []
    for checker in map(checkers.get, checkers.NAMES):
        programs = ", ".join(map(code, checker.programs or (checker.name,)))
        rows.append(
            (
                code(checker.name),
                programs,
                checker.stage,
                ", ".join(map(code, checker.serves)),
                code(hooks.get(checker.files.edit, "")),
                f"{checker.limit:g} s",
                "" if checker.harmless else "yes",
            )
        )
    head = ("check", "program", "stage", "answers the criteria", "after edits, by", "time-out", "needs trust")
    return table(head, rows)


def security_rules() -> str:
    """The rules for ast-grep that come with untilgreen."""
    rows = []
    for path in sorted((REPOSITORY / "templates" / "rules").rglob("*.yml")):
        text = path.read_text(encoding="utf-8")
        found = {key: re.search(rf"^\s*{key}: (.+)$", text, re.MULTILINE) for key in ("id", "message", "cwe")}
        if found["id"] and found["message"]:
            cwe = found["cwe"][1] if found["cwe"] else ""
            rows.append((code(found["id"][1]), escaped(found["message"][1].strip("'\"")), cwe))
    return table(("rule", "says", "CWE"), rows)


def messages() -> str:
    """Every error that people may read."""
    return "\n".join(f"- {code(text)}" for text in said.errors(PACKAGE))


def broken() -> str:
    """Every reason for which a check is Broken."""
    return "\n".join(f"- {code(text)}" for text in said.broken(PACKAGE))


def doctor() -> str:
    """What `untilgreen doctor` may find; what is fine is left out."""
    found = said.findings(PACKAGE / "cli" / "doctor", PACKAGE / "hosts")
    rows = [(subject, level, code(text)) for subject, level, text in said.ordered(found)]
    return table(("about", "is", "says"), rows)


def hosts() -> str:
    """The hosts and what can be had on each; below that what cannot."""
    others = [f"{host.facts.title} (`--host {host.name}`)" for host in matrix.known(never_run=True)]
    told = [f"By their documents and payloads only, **never run**: {', '.join(others)}."] if others else []
    cannot = ["What does not work:", "\n".join(matrix.cannot())]
    return "\n\n".join((table(matrix.HEAD, matrix.rows()), *told, *cannot))


def runs() -> str:
    """The hosts that `untilgreen run` and `untilgreen resume --to` start, and what their users give them."""
    return table(matrix.STARTED_HEAD, matrix.started())


PARTS: dict[str, Callable[[], str]] = {
    "commands": commands,
    "start-options": start_options,
    "cancel-options": cancel_options,
    "config-keys": config_keys,
    "check-keys": check_keys,
    "judge-keys": judge_keys,
    "price-keys": price_keys,
    "notify-keys": notify_keys,
    "memory-keys": memory_keys,
    "hook-keys": hook_keys,
    "review-keys": review_keys,
    "context-keys": context_keys,
    "runs": runs,
    "presets": presets,
    "checkers": checker_table,
    "security-rules": security_rules,
    "messages": messages,
    "broken": broken,
    "doctor": doctor,
    "hosts": hosts,
}

if __name__ == "__main__":
    for page in PAGES:
        before = page.read_text(encoding="utf-8")
        after = rendered(before)
        if after != before:
            page.write_text(after, encoding="utf-8")
            print(page.relative_to(REPOSITORY))
