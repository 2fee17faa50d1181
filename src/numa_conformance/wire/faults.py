"""Target faults: no proper answer came. Never mixed with findings, which are about answers."""

from dataclasses import dataclass

from ..errors import NumaConformanceError
from ..printable import as_line

UNSUPPORTED = -32001
"""The code of an error with which a target says that a machine is outside of what it supports."""
SHOWN = 600
"""Characters of a message that are shown."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """What was sent and what came back last, shortened, and the end of the target's standard error."""

    sent: str = ""
    received: str = ""
    stderr: str = ""

    def __str__(self) -> str:
        sent, received = as_line(shorten(self.sent)), as_line(shorten(self.received))
        lines = [f"sent:     {sent}", f"received: {received or '(nothing)'}"]
        if self.stderr:
            lines.append("stderr:   " + self.stderr.rstrip().replace("\n", "\n          "))
        return "\n".join(lines)


def shorten(text: str) -> str:
    """Cut a long message in the middle, saying how long it was."""
    text = text.rstrip("\n")
    if len(text) <= SHOWN:
        return text
    return f"{text[: SHOWN // 2]} ... ({len(text)} characters) ... {text[-SHOWN // 4 :]}"


def message_of(error: object) -> str:
    """Return the text of what the target has raised, which may raise when it is asked for, or be no UTF-8."""
    try:
        text = str(error)
    except BaseException as another:
        return f"(no text: {type(another).__name__} when it was asked for)"
    return text.encode("utf-8", "backslashreplace").decode()


class TargetFault(NumaConformanceError):  # noqa: N818  (the name says whose fault it is)
    """The target gave no proper answer. ``verdict`` is the word for it in reports."""

    verdict = "crashed"

    def __init__(self, message: str, exchange: Exchange | None = None) -> None:
        self.message = message = as_line(message)
        self.exchange = exchange or Exchange()
        self._told = message, exchange
        super().__init__(f"{message}\n{self.exchange}" if exchange else message)

    def __reduce__(self) -> tuple[type, tuple[str, Exchange | None]]:
        """Have another process make the same of what was told here."""
        return type(self), self._told


class TimedOut(TargetFault):
    """The call did not end within its budget."""

    verdict = "timed out"


class Crashed(TargetFault):
    """The target ended, or could not be started, or raised an exception of its own."""

    verdict = "crashed"


class BadReply(TargetFault):
    """What came back is not a reply of the protocol."""

    verdict = "bad reply"


class NotClaimed(TargetFault):
    """The target does not have this method."""

    verdict = "not claimed"


class Unsupported(NotClaimed):
    """The target says of a machine that it is outside of what it supports, and why.

    A target in Python raises it with the reason; over the wire it is an error with the code ``UNSUPPORTED``.
    """

    def __init__(self, reason: str, exchange: Exchange | None = None) -> None:
        """Take the reason: one line for a person."""
        self.reason = shorten(" ".join(reason.split())) or "no reason is reported"
        super().__init__(f"outside of what the target supports: {self.reason}", exchange)
        self._told = reason, exchange
