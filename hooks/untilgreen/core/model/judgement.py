"""What a judge says of a criterion that no exit code decides."""

from untilgreen.core.record import NamedTuple


class Judgement(NamedTuple):
    """One answer about one criterion."""

    criterion: str
    #: None: there was no answer that could be read
    success: bool | None
    #: in one line; without an answer why there is none
    reason: str = ""
    #: what it would do next, a line each
    suggestions: tuple[str, ...] = ()
    #: the file name of the program that answered
    by: str = ""
    #: the end of what it printed, where that was no answer
    tail: str = ""
    #: how long it took
    seconds: float = 0.0

    @property
    def shown(self) -> str:
        """`judged by claude: yes: Each flag is described.`"""
        answer = {True: "yes", False: "no", None: "no answer"}[self.success]
        return f"judged by {self.by}: {answer}: {self.reason}"
