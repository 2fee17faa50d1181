"""What is reported of a run from its first second until it ends; a run that dies leaves it."""

from __future__ import annotations

from .model import NOT_FINISHED, Summary, Target

_NO_END = "no end of the run is recorded: it is under way, or was ended before its verdict"


def report_under_way(name: str, level: str, kubernetes: str) -> Summary:
    """Return a report without cases; ``name`` is the target's on the command line: it has not described itself yet."""
    target = Target(name, "of unknown version", kubernetes, [], [])
    return Summary.concluded(target, level, "", (), [_NO_END], narrowed=True, silent=NOT_FINISHED, complete=False)
