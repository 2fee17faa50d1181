"""What happens to a node, step by step, as subjects for checkers: each with the world before and after it."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import ClassVar

import msgspec

from ..machine import Machine
from ..wire.history.values import AlignmentBits, HoldingBits, UpdateBits
from ..wire.messages.node import MemoryNode
from .alignment import ResourceRequest, fits
from .pods import PodSpec
from .room import Room
from .settings import Settings
from .world import AdmittedPod, World, exclusive_of


class Malformed(msgspec.Struct, frozen=True):
    """An answer that says nothing, or speaks of what was never asked for; nothing behind it is judged."""

    why: str


class OfWorld:
    """A subject of a world, whose configuration is in force."""

    __slots__ = ()
    world: World

    @property
    def settings(self) -> Settings:
        """The configuration in force."""
        return self.world.settings


class OfBefore:
    """A subject of a step, at which the configuration of the world before it is in force."""

    __slots__ = ()
    before: World

    @property
    def settings(self) -> Settings:
        """The configuration in force."""
        return self.before.settings


class Arrival(msgspec.Struct, frozen=True):
    """A node was asked to come up. ``world``: None when it refused, for the reason ``refusal``.

    ``memory``: the books of its NUMA nodes; None where they are not told. ``allocatable``: CPUs that may be exclusive.
    """

    settings: Settings
    world: World | None
    refusal: str = ""
    memory: Sequence[MemoryNode] | None = None
    allocatable: int | None = None
    tries_options: ClassVar[bool] = False

    @property
    def up(self) -> bool:
        """Whether it came up."""
        return self.world is not None

    @property
    def reported_reserved(self) -> int | None:
        """The reserved CPUs as bits, where it came up and tells them."""
        return self.world.reserved if self.world and self.world.knows_reserved else None

    @property
    def machine(self) -> Machine | None:
        """Its machine, where it came up."""
        return self.world.machine if self.world else None


class NodeMoment(OfWorld, msgspec.Struct, frozen=True, dict=True):
    """The node between two questions, after something happened. ``memory``: the books of its NUMA nodes, where told."""

    world: World
    memory: Sequence[MemoryNode] = ()

    @cached_property
    def overdrawn(self) -> tuple[tuple[int, str, int, int], ...]:
        """The NUMA nodes (bits) that give more than they have: type of memory, bytes given, bytes there."""
        return tuple(Room.of(self.world).overdrawn())


class Admission(OfBefore, msgspec.Struct, frozen=True, dict=True):
    """A pod was admitted or refused. ``again``: the pod was on the node before.

    ``phase`` and ``alignments`` are None where not told.
    """

    before: World
    after: World
    pod: PodSpec
    admitted: bool
    again: bool
    held: Mapping[str, HoldingBits] = {}
    qos: str | None = None
    reason: str = ""
    message: str = ""
    phase: str | None = None
    alignments: tuple[AlignmentBits, ...] | None = None

    @property
    def cpus(self) -> int:
        """The exclusive CPUs of all containers, as bits."""
        return exclusive_of(self.held)

    @cached_property
    def request(self) -> ResourceRequest:
        """What all containers ask for together."""
        return ResourceRequest.of(self.before, self.pod, self.pod.containers)

    @cached_property
    def fits(self) -> bool:
        """Whether no other admission handler than the managers may refuse the pod."""
        return fits(self.before, self.pod)

    @cached_property
    def is_aligned_at_once(self) -> bool:
        """Whether all that the pod asks for is aligned together: of one container, or in scope pod."""
        if self.settings.scope == "pod":
            return not self.request.nothing
        return sum(not ResourceRequest.of(self.before, self.pod, [each]).nothing for each in self.pod.containers) == 1


class Call(OfBefore, msgspec.Struct, frozen=True):
    """A pod was to be started, resized or removed. ``known``: the node has a pod with this ``uid``."""

    before: World
    uid: str
    known: bool


class Resize(OfBefore, msgspec.Struct, frozen=True):
    """A pod on the node was to have other amounts of CPU and memory. ``held``: what its containers hold then.

    ``reason``: Infeasible or Deferred where it was not ``granted``. ``was``: the pod as it was.
    """

    before: World
    after: World
    was: AdmittedPod
    pod: PodSpec
    granted: bool
    held: Mapping[str, HoldingBits]
    reason: str = ""

    def changes(self, resource: str) -> bool:
        """Tell whether a container is to have another amount of a resource."""
        return any(
            container.requests.get(resource) != self.was.spec.by_name[container.name].requests.get(resource)
            for container in self.pod.containers
            if container.name in self.was.spec.by_name
        )


class Removal(OfBefore, msgspec.Struct, frozen=True):
    """A pod was taken off the node."""

    before: World
    after: World
    uid: str
    known: bool

    @property
    def was_there(self) -> bool:
        """Whether the pod was on the node."""
        return self.known and self.uid in self.before.pods

    @property
    def missing(self) -> int:
        """The CPUs of the pod that are neither shared nor another pod's, as bits."""
        return self.before.pods[self.uid].exclusive & ~self.after.exclusive & ~self.after.pool

    @property
    def pool(self) -> int:
        """The shared pool, as bits."""
        return self.after.pool


class ReconcilePass(OfWorld, msgspec.Struct, frozen=True):
    """One pass of the reconcile loop. ``runs_on``: what running containers were last known to run on, before it."""

    world: World
    updates: tuple[UpdateBits, ...]
    runs_on: Mapping[tuple[str, str], int]


class State(OfWorld, msgspec.Struct, frozen=True):
    """All that is on the node, as told: pod to container to what it holds."""

    world: World
    pods: Mapping[str, Mapping[str, HoldingBits]]


def readmitted_containers(
    pods: Mapping[str, AdmittedPod], held: Mapping[str, Mapping[str, HoldingBits]]
) -> Iterator[tuple[str, HoldingBits | None, HoldingBits | None]]:
    """Yield the containers of pods that are there again: who it is, what it had, and what it holds now.

    Init containers are left out: they may have ended.
    """
    for uid, pod in pods.items():
        for container in pod.spec.containers if uid in held else ():
            if container.kind != "init":
                name = container.name
                yield f"container {name} of pod {uid}", pod.held.get(name), held[uid].get(name)


class Restart(OfBefore, msgspec.Struct, frozen=True):
    """The node agent was restarted.

    - ``plain``: with the same configuration, and with the state files it had left.
    - ``after``: None when the node did not come up again; ``refusal`` says why.
    - ``held``: what containers of the pods admitted again hold. ``refused``: the other pods, with the reason.
    - ``wanted``: the configuration asked for. ``deleted``: state files that were taken away before.
    - ``with_its_files``: with the state files it had left, whatever its configuration.
    """

    before: World
    after: World | None
    plain: bool
    held: Mapping[str, Mapping[str, HoldingBits]] = {}
    refused: Mapping[str, str] = {}
    refusal: str = ""
    with_its_files: bool = True
    wanted: Settings | None = None
    deleted: frozenset[str] = frozenset()

    @property
    def readmitted(self) -> Iterator[tuple[str, HoldingBits | None, HoldingBits | None]]:
        """Containers of the pods that are there again: who it is, what it had, and what it holds now."""
        return readmitted_containers(self.before.pods, self.held)


class Recovery(msgspec.Struct, frozen=True):
    """The node agent came up, or did not, with state files that are damaged, old, or not its own.

    ``after``: None when it did not come up, for the reason ``refusal``; else the node with the pods admitted again,
    which hold ``held``.
    """

    after: World | None
    held: Mapping[str, Mapping[str, HoldingBits]] = {}
    refusal: str = ""


class ForeignStart(msgspec.Struct, frozen=True):
    """A node was asked to come up with the CPU Manager's state file of a node with other CPUs. ``up``: it did."""

    settings: Settings
    up: bool
    refusal: str = ""


class RefusedStart(msgspec.Struct, frozen=True):
    """A node was restarted with a configuration with which a start was refused. ``up``: it came up."""

    settings: Settings
    up: bool
    refusal: str


class Crash(msgspec.Struct, frozen=True):
    """The node agent ended between two writes of its state files, and came up with those it had left, or did not.

    ``after``: None when it did not come up, for the reason ``refusal``; ``held``: what the pods admitted again hold.
    """

    before: World
    after: World | None
    held: Mapping[str, Mapping[str, HoldingBits]] = {}
    refused: Mapping[str, str] = {}
    refusal: str = ""
