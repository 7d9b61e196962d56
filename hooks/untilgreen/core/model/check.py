"""What is to be checked."""

from typing import Literal, NamedTuple

STAGES = ("static", "build", "tests")

_WHY_ABSENT = {
    "missing": "{} is not installed",
    "untrusted": "not trusted, {} did not run (`untilgreen trust`)",
}


class Absent(NamedTuple):
    """The check cannot run here."""

    #: "missing": its tool is not there; "untrusted": it executes what the project says, and the project is not trusted
    cause: str
    #: the tool that is missing, the check that did not run
    name: str

    @property
    def kind(self) -> Literal["absent"]:
        """Its word in files."""
        return "absent"

    @property
    def reason(self) -> str:
        """The same for people."""
        return _WHY_ABSENT[self.cause].format(self.name)


class Check(NamedTuple):
    """One check of one root."""

    #: "ruff", or "ruff@backend" below the project root
    name: str
    checker: str
    #: a posix path relative to the project root, "." for the root itself
    root: str
    stage: str
    #: an absolute path, "" where it is absent; of a command of the user's own its first word
    tool: str
    interpreter: str = ""
    absent: Absent | None = None
    #: the criteria that it answers
    meets: tuple[str, ...] = ()
    #: as in `Setting`
    variant: str = ""
