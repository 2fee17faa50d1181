"""``Pooled``: a container beside others, of which daemons promise more than the pages of Kubernetes say.

They promise it of pools, of which one is for pods of the system: so it is read where such a pod is on the node.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_

from .may_run import MayRun, may_run
from .pods import PodSpec

SYSTEM = "kube-system"
"""The namespace of the system's pods."""


@dataclass(frozen=True)
class Pooled(MayRun):
    """One container that was started, between two questions."""

    @property
    def pod(self) -> PodSpec:
        """Its pod, as written."""
        return self.world.pods[self.uid].spec

    @property
    def request(self) -> Fraction:
        """How many CPUs it requests."""
        return Fraction(self.pod.by_name[self.name].requests.get("cpu", 0))

    @property
    def others(self) -> Iterator[tuple[str, int]]:
        """Other containers that were started, and the CPUs that each may run on where that is told, as bits."""
        for may in may_run(self.world):
            if may.key != self.key and may.is_reported:
                yield may.key, may.cpuset

    @property
    def where_others_run(self) -> int:
        """Every CPU on which another container may run."""
        return reduce(or_, (cpus for _, cpus in self.others), 0)


def pooled(may: MayRun) -> MayRun:
    """Return a container as one beside others, where a pod of the system is on the node."""
    if any(pod.spec.namespace == SYSTEM for pod in may.world.pods.values()):
        return Pooled(may.world, may.uid, may.name, may.held, may.settled)
    return may
