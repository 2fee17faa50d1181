"""Containers that may run where they should not, each by one sentence, and containers that run where they should."""

from __future__ import annotations

from dataclasses import replace

from ...asking.generators.workloads import burstable, guaranteed, kubelet, static
from ...asking.generators.worlds import bits, held, node, resident
from ...judging.may_run import MayRun
from ...judging.world import AdmittedPod, World
from . import cpusets as chapter

MACHINE = "t1-one-socket-smt2"
"""Eight CPUs."""


def shared_on(cpuset: str, *others: AdmittedPod, world: World | None = None, given_up: str = "") -> MayRun:
    """Describe a shared container on these CPUs, after the last cpuset was sent."""
    holds = held(cpuset=cpuset)
    pod = replace(resident(burstable("s", 1), c=holds), ran=True, lost={"c": bits(given_up)})
    return MayRun((world or node(MACHINE, static(), *others)).with_pod(pod), "s", "c", holds, True)


def exclusive_on(cpuset: str) -> MayRun:
    """Describe a container that has CPUs 1 and 5."""
    holds = held("1,5", cpuset=cpuset)
    return MayRun(node(MACHINE, static(), resident(guaranteed("p", 2), c=holds)), "p", "c", holds, True)


EXCLUSIVE, NONE = resident(guaranteed("p", 2), c=held("1,5")), node(MACHINE, kubelet())

PAIRS = {
    chapter.keeps_off_exclusive_cpus: (shared_on("0-7", EXCLUSIVE), shared_on("0,2-4", EXCLUSIVE)),
    chapter.is_never_empty: (shared_on(""), shared_on("2")),
    chapter.is_online: (shared_on("0,9"), shared_on("0")),
    chapter.holds_the_exclusive_cpus: (exclusive_on("0-1,5"), exclusive_on("1,5")),
    chapter.regains_cpus_on_removal: (shared_on("0,2-4,6-7", given_up="1,5"), shared_on("0-7", given_up="1,5")),
    chapter.none_keeps_nobody_to_some: (shared_on("0-6", world=NONE), shared_on("0-7", world=NONE)),
}
