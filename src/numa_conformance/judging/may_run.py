"""``MayRun``: a container on a node, and the CPUs that it may run on at last, whether they are its own or not."""

from collections.abc import Iterator
from fractions import Fraction

import msgspec

from ..cpuset import union
from ..wire.history.sightings import Runs
from ..wire.history.values import HoldingBits
from .node_subjects import OfWorld
from .pods import PodSpec
from .world import World


class MayRun(OfWorld, msgspec.Struct, frozen=True):
    """One container that was started, between two questions.

    ``settled``: every cpuset that was to be sent has been sent, or the container was started just now.
    """

    world: World
    uid: str
    name: str
    held: HoldingBits
    settled: bool

    @property
    def key(self) -> str:
        """Its pod's uid and its name."""
        return f"{self.uid}/{self.name}"

    @property
    def is_reported(self) -> bool:
        """Whether it is told on which CPUs it may run."""
        return self.held.cpuset is not None

    @property
    def cpuset(self) -> int:
        """The CPUs that it may run on, as bits."""
        return self.held.cpuset or 0

    @property
    def runs(self) -> Runs | None:
        """The same, as it is seen of a node at work."""
        return Runs(self.held.cpuset, mems=self.held.mems) if self.is_reported or self.held.mems is not None else None

    @property
    def of_a_whole(self) -> bool:
        """Whether its pod has resources as a whole, which its containers may share."""
        return self.world.pods[self.uid].spec.whole

    @property
    def of_others(self) -> int:
        """CPUs that are exclusive to other containers, of its pod too where these have CPUs of their own."""
        same = self.world.pods[self.uid]
        running = [each.name for each in same.spec.containers if each.kind != "init" and not self.of_a_whole]
        neighbours = (same.held[name].cpus for name in running if name != self.name and name in same.held)
        return union((*(pod.exclusive for pod in self.world.others(self.uid)), *neighbours))

    @property
    def lost(self) -> int:
        """CPUs that it gave up when they became exclusive, and that are shared now."""
        return self.world.pods[self.uid].lost.get(self.name, 0) & self.world.pool

    def about(self, *_facts: str) -> tuple[str, ...]:
        """Return nothing: facts are of nodes that were watched."""
        return ()


def may_run(world: World, just_started: str | None = None) -> Iterator[MayRun]:
    """Yield the containers of a node that were started, or are told to run; ``just_started``: the pod that was.

    So is one that came just now, and is told to run.
    """
    for uid, pod in world.pods.items():
        for container in pod.spec.containers:
            held = pod.held.get(container.name)
            if held is not None and container.kind != "init" and (pod.ran or held.cpuset is not None):
                yield MayRun(world, uid, container.name, held, world.settled or uid == just_started)


SYSTEM = "kube-system"
"""The namespace of the system's pods."""


class Pooled(MayRun, frozen=True, dict=True):
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


def pooled(may: MayRun) -> MayRun:
    """Return a container as one beside others, where a pod of the system is on the node."""
    if any(pod.spec.namespace == SYSTEM for pod in may.world.pods.values()):
        return Pooled(may.world, may.uid, may.name, may.held, may.settled)
    return may
