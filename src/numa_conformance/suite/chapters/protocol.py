"""What every conversation shows, whatever it is about: its answers come, and can be read."""

from __future__ import annotations

from ..judge.chapter import Chapter
from ..judge.verdicts import ANSWERED, WELL_FORMED

chapter = Chapter(since="1.8")

chapter.sentence(
    ANSWERED,
    "Every question is answered, within the time of a call, on every machine.",
    rests_on=("topology/how/policy-decides",),
    beyond="that the answer comes in time: a pod whose admission never ends is neither accepted nor rejected",
)
chapter.sentence(
    WELL_FORMED,
    "What an answer calls a set of CPUs or NUMA nodes is one, no block of memory is smaller than nothing, and the"
    " containers it names are the pod's.",
    rests_on=("nrm/static/cpus-are-the-containers-own",),
    beyond="how sets are written and containers are named: the target protocol says it",
)
