"""Whose fault an error is that ended a case: the target's, wherever it came out."""

from __future__ import annotations

from ..asking.findings.findings import Finding
from ..errors import CpuSetSyntaxError
from ..wire import BadReply, TargetFault


def as_the_targets(error: BaseException) -> BaseException:
    """Return what a target did where an error is of its making; any other as it is.

    What a search of Hypothesis does not find again is the target's: the same draws ask the same questions.
    """
    if isinstance(error, CpuSetSyntaxError):
        return BadReply(f"a set of CPUs cannot be read: {error}")
    if not _is_flaky(error):
        return error
    for inner in getattr(error, "exceptions", ()):
        if isinstance(inner, (Finding, TargetFault)):
            return inner
    return BadReply("the same questions were answered otherwise when they were asked again")


def _is_flaky(error: BaseException) -> bool:
    """Tell whether Hypothesis says so; it is not imported for that."""
    return any((kind.__module__, kind.__name__) == ("hypothesis.errors", "Flaky") for kind in type(error).__mro__)
