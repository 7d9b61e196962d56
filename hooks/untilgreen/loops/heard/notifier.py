"""The process that `notifying` begins: it runs the command and calls the webhook, at once, and is gone after `seconds`.

Its end takes with it whatever the command left behind in its group.
"""

import base64
import json
import os
import signal
import subprocess
import sys
import threading
import time
from http.client import HTTPMessage
from typing import IO, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from untilgreen.core.words import notification
from untilgreen.state import log


class _Elsewhere(HTTPRedirectHandler):
    """What is told goes where it was to go, or nowhere."""

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> None:
        """No other request."""


def main() -> None:
    """Tell what stands on stdin: `{"told": a notification, "base", "root", "seconds", "command", "webhook",
    "format"}`."""
    given = json.loads(sys.stdin.buffer.read())
    until = time.monotonic() + given["seconds"]
    works = {"command": _run, "webhook": _post}
    faults = {name: f"it took longer than {given['seconds']:g} s" for name in works if given[name]}

    def work(name: str) -> None:
        try:
            faults[name] = works[name](given)
        except (OSError, ValueError) as error:
            faults[name] = getattr(error, "strerror", None) or type(error).__name__

    begun = [threading.Thread(target=work, args=(name,), daemon=True) for name in faults]
    for one in begun:
        one.start()
    for one in begun:
        one.join(max(0.0, until - time.monotonic()))
    for name, why in dict(faults).items():
        if why:
            fault = f"the {name} of notify failed: {why}"
            log.write(given["base"], fault)
            print(fault, flush=True)
    if os.getpgrp() == os.getpid():
        os.killpg(os.getpid(), signal.SIGKILL)


def _run(given: dict[str, Any]) -> str:
    """Run the command; why it failed, or "". Raises OSError."""
    told = given["told"]
    named = {f"UNTILGREEN_{name.upper()}": str(told[name]) for name in ("event", "title", "text", "task", "reason")}
    done = subprocess.run(
        given["command"],
        input=json.dumps(told).encode(),
        env={**os.environ, **named},
        cwd=given["root"],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        check=False,
    )
    return f"exit code {done.returncode}" if done.returncode else ""


def _post(given: dict[str, Any]) -> str:
    """Post to the webhook; why it failed, or "". Its URL may be a secret: no fault tells it. Raises OSError."""
    url, told = given["webhook"], given["told"]
    if not notification.is_webhook(url):
        return "it is neither https nor this machine"
    slack = given["format"] == "slack" or (not given["format"] and _is_slack(url))
    data, headers = _slack(told) if slack else _ntfy(told)
    request = Request(url, data, headers)  # noqa: S310 http and https alone come so far
    try:
        build_opener(_Elsewhere).open(request, timeout=given["seconds"]).close()
    except HTTPError as error:
        return f"it answered {error.code}"
    except URLError as error:
        return str(error.reason)
    return ""


def _is_slack(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host == "slack.com" or host.endswith(".slack.com")


def _slack(told: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    text = f"{told['title']}\n{told['text']}".replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return json.dumps({"text": text}).encode(), {"Content-Type": "application/json"}


def _ntfy(told: dict[str, Any]) -> tuple[bytes, dict[str, str]]:
    """The text, and its title as a header: one that is not ASCII as RFC 2047 has it."""
    title = told["title"]
    if not title.isascii():
        title = f"=?UTF-8?B?{base64.b64encode(title.encode()).decode()}?="
    return told["text"].encode(), {"Title": title, "Content-Type": "text/plain; charset=utf-8"}
