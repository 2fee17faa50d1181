"""Containers that may run on the wrong CPUs, and on the right ones, beside another container."""

from __future__ import annotations

from dataclasses import replace

from ...asking.generators.workloads import guaranteed, static
from ...asking.generators.worlds import bits, node
from ...judging.may_run import SYSTEM, Pooled
from ...judging.pods import PodSpec
from ...judging.world import AdmittedPod
from ...wire.history.values import HoldingBits
from . import pinning as chapter


def pooled(cpu: str, on: str, others: str, namespace: str = "default") -> Pooled:
    """Describe a container that requests so many CPUs and may run on some; another one may run on ``others``."""
    pods = [
        AdmittedPod(
            replace(PodSpec.of(guaranteed(uid, cpu)), namespace=namespace),
            {"c": HoldingBits(bits(""), cpuset=bits(cpus))},
        )
        for uid, cpus in (("p", on), ("q", others))
    ]
    world = node("two-nodes-devices", static(reserved="0-1"), *pods)
    return Pooled(world, "p", "c", pods[0].held["c"], settled=True)


PAIRS = {
    chapter.has_a_cpu_of_its_own: (pooled("1500m", "4-7", "4-7"), pooled("1500m", "3-7", "4-7")),
    chapter.same_cpus_or_none: (pooled("500m", "2-5", "4-7"), pooled("500m", "2-3", "4-7")),
    chapter.holds_system_pods: (pooled("1", "0-7", "0-1", SYSTEM), pooled("1", "0-1", "0-1", SYSTEM)),
}
