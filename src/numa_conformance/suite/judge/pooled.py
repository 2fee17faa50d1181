"""``Pooled``: a container beside others, as daemons with promises of their own are asked about it, and nobody else."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from operator import or_

from .may_run import MayRun, may_run
from .pods import PodSpec

__all__ = ["GENERATOR", "Pooled"]

GENERATOR = "pools"
"""The generator of the conversations in which containers are looked at so."""


@dataclass(frozen=True)
class Pooled(MayRun):
    """One container that was started, between two questions."""

    @classmethod
    def of(cls, may: MayRun) -> Pooled:
        """Look at a container so."""
        return cls(may.world, may.uid, may.name, may.held, may.settled)

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
            if may.key != self.key and may.told:
                yield may.key, may.cpuset

    @property
    def where_others_run(self) -> int:
        """Every CPU on which another container may run."""
        return reduce(or_, (cpus for _, cpus in self.others), 0)
