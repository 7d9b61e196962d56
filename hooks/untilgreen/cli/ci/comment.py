"""`untilgreen comment`: one comment on a pull request at GitHub, written once and then changed.

It goes by what a job of GitHub Actions has: `GITHUB_EVENT_PATH`, `GITHUB_API_URL`, and a token in `GITHUB_TOKEN`.
"""

import json
import os
import urllib.request
from http.client import HTTPException
from typing import Any

import click

from untilgreen.cli import errors

MARK = "<!-- untilgreen: report -->"
_SECONDS, _PAGE, _LONGEST = 30.0, 100, 65_000  # of an answer; comments of one; characters of one comment


@click.command("comment", epilog="Example: untilgreen comment report.md")
@click.argument("path", metavar="REPORT", type=click.Path(exists=True, dir_okay=False))
def command(path: str) -> None:
    """Show a report of `untilgreen check --report` in one comment on the pull request.

    It is written once and then changed. Nothing is posted without a pull request, for one from a fork, or where the
    token may not. Then a line says so, and the exit code is 0.
    """
    with open(path, encoding="utf-8") as file:
        body = f"{MARK}\n{file.read()}"[:_LONGEST]
    try:
        errors.tell(f"untilgreen: {_posted(body)}")
    except (OSError, ValueError, HTTPException) as error:  # those of urllib are among them
        errors.tell(
            f"untilgreen: nothing posted: {error} (the job needs the permission pull-requests: write)", err=True
        )


def _posted(body: str) -> str:
    """What was done. Raises OSError."""
    with open(os.environ.get("GITHUB_EVENT_PATH", os.devnull), encoding="utf-8") as file:
        text = file.read()
    pull = json.loads(text).get("pull_request") if text else None
    if not pull:
        return "nothing posted: no pull request"
    here, there = ((pull[side].get("repo") or {}).get("full_name") for side in ("base", "head"))
    if not here or here != there:
        return "nothing posted: the pull request is from a fork"
    if not os.environ.get("GITHUB_TOKEN"):
        return "nothing posted: GITHUB_TOKEN is not set"
    issues = f"{os.environ.get('GITHUB_API_URL', 'https://api.github.com')}/repos/{here}/issues"
    comments = f"{issues}/{pull['number']}/comments"
    page, ours, more = 1, list[dict[str, Any]](), True
    while more:
        found = _ask("GET", f"{comments}?per_page={_PAGE}&page={page}")
        ours += [one for one in found if str(one.get("body")).startswith(MARK)]
        page, more = page + 1, len(found) == _PAGE
    if not ours:
        return f"posted {_ask('POST', comments, body).get('html_url')}"
    # anybody may write our mark; a job's token writes as a bot
    one = min(ours, key=lambda comment: (comment.get("user") or {}).get("type") != "Bot")
    if one["body"] != body:
        _ask("PATCH", f"{issues}/comments/{one['id']}", body)
    return f"updated {one.get('html_url')}"


def _ask(method: str, url: str, body: str = "") -> Any:
    data = json.dumps({"body": body}).encode() if body else None
    asked = urllib.request.Request(url, data, {"Accept": "application/vnd.github+json"}, method=method)  # noqa: S310
    # a redirect may lead to another host
    asked.add_unredirected_header("Authorization", f"Bearer {os.environ['GITHUB_TOKEN']}")
    with urllib.request.urlopen(asked, timeout=_SECONDS) as answer:  # noqa: S310
        return json.load(answer)
