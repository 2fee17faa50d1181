"""Schedulers and agents that assign CPUs themselves: what they say of pods. ``cluster check-assignments`` asks them."""

from ...judging.chapter import Chapter

THERE, APART, COUNT, PLACES, ROOM, FULL_CORES, SPREAD, ONE_NODE = Chapter(
    since="1.24", command="cluster check-assignments"
).sentences()
