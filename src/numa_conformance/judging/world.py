"""``World``: what may be known of a node from a history alone. It believes answers, never the reference."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property

import msgspec
from msgspec.structs import replace

from ..cpuset import union
from ..machine import Machine
from ..wire.history.values import CpuBits, HoldingBits
from .pods import PodSpec
from .settings import Settings


def exclusive_of(held: Mapping[str, HoldingBits]) -> int:
    """Return all exclusive CPUs of some containers, as bits."""
    return union(holding.cpus for holding in held.values())


class AdmittedPod(msgspec.Struct, frozen=True, dict=True):
    """A pod that was admitted: what its user wrote, what its containers hold, and whether they were started.

    ``lost``: CPUs that a container lost as they became exclusive to others, by its name; none where it was moved to
    others for another reason.
    """

    spec: PodSpec
    held: Mapping[str, HoldingBits]
    ran: bool = False
    lost: Mapping[str, int] = {}

    @cached_property
    def exclusive(self) -> int:
        """CPUs that nobody else may have: those of every container that runs or will run."""
        return self._union(lambda kind: kind != "init" or not self.ran)

    @property
    def left(self) -> int:
        """CPUs of ordinary init containers that have ended, and of no other container: kept or given back."""
        return self._union(lambda kind: kind == "init") & ~self.exclusive if self.ran else 0

    @cached_property
    def devices(self) -> set[tuple[str, str]]:
        """Resource and id of each device of its containers, as far as the target told."""
        return {device for held in self.held.values() for device in held.each_device}

    def with_cpuset(self, name: str, cpus: CpuBits, mems: CpuBits | None, exclusive: int) -> "AdmittedPod":
        """Take over what a container may run on from now on, while some CPUs are exclusive."""
        held = self.held[name]
        had, gave_up = held.cpuset or 0, self.lost.get(name, 0)
        lost, came = had & ~cpus, cpus & ~had & ~gave_up
        given_up = 0 if lost & ~exclusive or (had and came) else gave_up | lost
        held = replace(held, cpuset=cpus, mems=held.mems if mems is None else mems)
        return replace(self, held={**self.held, name: held}, lost={**self.lost, name: given_up})

    def found_again(self, held: Mapping[str, HoldingBits]) -> "AdmittedPod":
        """Take over what its containers hold after a restart. One that was moved by it gave nothing up."""
        stayed = {name for name in held if name in self.held and held[name].cpuset == self.held[name].cpuset}
        given_up = {name: cpus for name, cpus in self.lost.items() if name in stayed}
        return replace(self, held={**self.held, **held}, lost=given_up)

    def _union(self, wanted: Callable[[str], bool]) -> int:
        named = (each.name for each in self.spec.containers if wanted(each.kind))
        return union(self.held[name].cpus for name in named if name in self.held)


class World(msgspec.Struct, frozen=True, dict=True):
    """A node that is up, between two questions. Sets of CPUs are bits.

    - ``pool``: the shared pool as told last. ``first_pool``: the one with which the node came up.
    - ``reserved``: the reserved CPUs. They are those of the configuration where it names them, else as told, else what
      strict-cpu-reservation keeps from the pool of an empty node.
    - ``knows_reserved``: not where an amount is reserved of CPUs that are not told: ``free`` then has some too many.
    - ``gone``: pods that were removed.
    - ``settled``: every cpuset that was to be sent to containers has been sent since the pool changed last.
    """

    machine: Machine
    settings: Settings
    reserved: int
    pool: int
    first_pool: int
    pods: Mapping[str, AdmittedPod] = {}
    gone: tuple[AdmittedPod, ...] = ()
    settled: bool = True
    knows_reserved: bool = True

    @property
    def online(self) -> int:
        """All online CPUs."""
        return self.machine.online_bits

    @property
    def strict(self) -> bool:
        """Whether reserved CPUs are kept out of the shared pool.

        The page of strict-cpu-reservation means those of a list: those of an amount may be in the pool from the start.
        """
        of_a_list = self.settings.reserved is not None
        return self.settings.strict and (of_a_list or bool(self.reserved & ~self.first_pool))

    @property
    def may_be_shared_or_given(self) -> int:
        """CPUs that pool and pods divide among themselves."""
        return self.online & ~self.reserved if self.strict else self.online

    @property
    def free(self) -> int:
        """CPUs that can be given exclusively."""
        return self.pool & ~self.reserved

    @cached_property
    def exclusive(self) -> int:
        """CPUs that pods keep to themselves."""
        return union(pod.exclusive for pod in self.pods.values())

    @property
    def gives_twice(self) -> bool:
        """Whether a CPU is exclusive to two pods, or to one and shared, or a device belongs to two pods."""
        assigned = self.pool if self.settings.static else 0
        taken: set[tuple[str, str]] = set()
        for pod in self.pods.values():
            if pod.exclusive & assigned or not taken.isdisjoint(pod.devices):
                return True
            assigned |= pod.exclusive
            taken |= pod.devices
        return False

    @property
    def left(self) -> int:
        """CPUs that ended init containers leave: kept by their pods or given back."""
        return union(pod.left for pod in self.pods.values())

    def others(self, uid: str) -> Iterator[AdmittedPod]:
        """Yield the pods on the node but one."""
        return (pod for name, pod in self.pods.items() if name != uid)

    def with_pool(self, pool: int) -> "World":
        """Take over the shared pool that an answer tells."""
        return replace(self, pool=pool, settled=False) if self.settings.static and pool != self.pool else self

    def reports_cpuset(self, uid: str, name: str) -> bool:
        """Tell whether it is told on which CPUs a container may run."""
        return uid in self.pods and name in self.pods[uid].held and self.pods[uid].held[name].cpuset is not None

    def with_cpusets(self, cpusets: Iterable[tuple[str, str, CpuBits, CpuBits | None]]) -> "World":
        """Take over what containers may run on: pod, container, CPUs, NUMA nodes where told."""
        pods, exclusive = dict(self.pods), self.exclusive
        for uid, name, cpus, mems in cpusets:
            if uid in pods and name in pods[uid].held:
                pods[uid] = pods[uid].with_cpuset(name, cpus, mems, exclusive)
        return replace(self, pods=pods)

    def with_reported(self, pods: Mapping[str, Mapping[str, HoldingBits]]) -> "World":
        """Take over what containers may run on, as a report of the whole node has it."""
        every = ((uid, name, held) for uid, containers in pods.items() for name, held in containers.items())
        return self.with_cpusets((uid, name, h.cpuset, h.mems) for uid, name, h in every if h.cpuset is not None)

    def with_pod(self, pod: AdmittedPod) -> "World":
        """Put a pod on the node, or replace it."""
        return replace(self, pods={**self.pods, pod.spec.uid: pod})

    def without(self, uid: str) -> "World":
        """Take a pod off the node."""
        return replace(self, pods={name: pod for name, pod in self.pods.items() if name != uid})

    def removed(self, uid: str) -> "World":
        """Take a pod off the node, and remember it."""
        return replace(self.without(uid), gone=(*self.gone, *(pod for name, pod in self.pods.items() if name == uid)))

    @cached_property
    def with_all_that_went(self) -> "World":
        """The node as if removed pods still held what they had; of CPUs the pool tells."""
        return replace(self, pods={**{f"gone {number}": pod for number, pod in enumerate(self.gone)}, **self.pods})
