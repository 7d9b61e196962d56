"""`--output-format json` closes with one document over several lines (recorded with 0.61.0)."""

from untilgreen.hosts.closing import Closing, document, failure
from untilgreen.hosts.reading import table_in, text_in
from untilgreen.hosts.records import number


def read(stdout: str) -> Closing | None:
    """`{"response", "error"?: {"message", "code"}, "stats": {"models": {NAME: {"tokens": {"total"}}}}}`."""
    found = document(stdout)
    if "response" not in found and "error" not in found:
        return None
    error, _ = failure(found)
    models = table_in(table_in(found, "stats"), "models")
    used = sum(number(table_in(table_in(models, name), "tokens"), "total") for name in models)
    status = number(table_in(found, "error"), "code")
    return Closing(text_in(found, "response"), error, failed="error" in found, status=status, tokens=used)
