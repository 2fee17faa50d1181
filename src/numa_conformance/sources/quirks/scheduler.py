"""Where NodeResourcesFit departs from its documentation."""

from .quirk import QuirkFlags, flags_of


@flags_of("scheduler.txt")
class SchedulerQuirks(QuirkFlags):
    """Where NodeResourcesFit departs from its documentation. True: as Kubernetes does."""
