"""Kinds of the small allocator that choose otherwise, each as well as the pages ask."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from itertools import combinations
from types import MappingProxyType
from typing import Any

from numa_conformance.cpuset import iter_bits
from small import Small
from small.choosing import Chooser
from small.pods import ReadContainer, ReadPod

__all__ = ["KINDS"]

MOST_SETS = 3000
"""Sets of CPUs that an exhaustive search looks at; a larger request is packed."""


class _FromTheTop(Chooser):
    def first(self, cpus: int) -> int:
        return 1 << (cpus.bit_length() - 1)

    def ordered(self, groups: Sequence[int]) -> Sequence[int]:
        return groups[::-1]


class FromTheTop(Small):
    """Takes the highest CPU, core and NUMA node among those that are alike."""

    chooser = _FromTheTop


class _ByLot(Chooser):
    lot = random.Random("ties")

    def first(self, cpus: int) -> int:
        return 1 << self.lot.choice(list(iter_bits(cpus)))

    def ordered(self, groups: Sequence[int]) -> Sequence[int]:
        return self.lot.sample(list(groups), len(groups))


class ByLot(Small):
    """Draws lots among what is alike, differently at every call."""

    chooser = _ByLot


class _Exhaustive(Chooser):
    def pack(self, available: int, count: int) -> int:
        free = list(iter_bits(available))
        number = 1
        for index in range(count):
            number = number * (len(free) - index) // (index + 1)
        if number > MOST_SETS:
            return super().pack(available, count)
        every = (sum(1 << cpu for cpu in some) for some in combinations(free, count))
        return min(every, key=lambda cpus: (len(self._in(self.nodes, cpus)), len(self._in(self.cores, cpus)), -cpus))

    @staticmethod
    def _in(groups: Sequence[int], cpus: int) -> list[int]:
        return [group for group in groups if group & cpus]


class Exhaustive(Small):
    """Looks at every set of CPUs and takes the one with the smallest footprint."""

    chooser = _Exhaustive


class _EmptiestNode(Chooser):
    def next_node(self, open_nodes: Sequence[int], count: int) -> int:
        able = [node for node in open_nodes if node.bit_count() >= count]
        return max(able or open_nodes, key=int.bit_count)


class EmptiestNodeFirst(Small):
    """Worst fit: takes the NUMA node with most to give, and leaves small ones as they are."""

    chooser = _EmptiestNode


class _FirstFit(Chooser):
    def next_node(self, open_nodes: Sequence[int], count: int) -> int:
        able = [node for node in open_nodes if node.bit_count() >= count]
        return able[0] if able else max(open_nodes, key=int.bit_count)


class FirstFit(Small):
    """Takes the first NUMA node that holds a request, however well it fits."""

    chooser = _FirstFit


class _LastHint(Chooser):
    def narrowed(self, free: int, count: int, number: int, chosen: list[int]) -> list[int]:
        return sorted(chosen)


class RoomiestAffinity(Small):
    """Among sets of NUMA nodes of one size prefers those with most free CPUs."""

    chooser = _LastHint


class _MoreNodes(Chooser):
    def shares(self, available: int, count: int) -> list[tuple[int, int]] | None:
        told = super().shares(available, count)
        return None if told is None else told[::-1]


class LargerSharesLast(Small):
    """In a distribution gives what is left over to other NUMA nodes."""

    chooser = _MoreNodes


class FreshFirst(Small):
    """Gives an app CPUs that no init container had, as long as there are such."""

    def sources(self, reusable: int) -> list[int]:
        return [self.free & ~reusable, self.free | reusable]


class InitFirst(Small):
    """Gives an app the CPUs of an init container that are enough for it."""

    def sources(self, reusable: int) -> list[int]:
        return [reusable, self.free | reusable]


class GivesBack(Small):
    """Gives the CPUs of init containers back to the shared pool when they have ended."""

    def started(self, pod: ReadPod) -> None:
        own = self.held[pod.uid]
        kept = 0
        for container in pod.containers:
            if container.kind != "init":
                kept |= own.get(container.name, 0)
        for container in pod.containers:
            if container.kind == "init" and container.name in own:
                self.pool |= own.pop(container.name) & ~kept


class GivesBackAtRestart(GivesBack):
    """The same, but not before the node agent starts anew."""

    def started(self, pod: ReadPod) -> None:
        pass

    def on_restart(self, question: dict[str, Any]) -> dict[str, Any]:
        for pod in self.running.values():
            super().started(pod)
        return super().on_restart(question)


class FreshSidecars(Small):
    """Never gives a sidecar the CPUs of an init container before it."""

    def give(self, pod: ReadPod, container: ReadContainer, reusable: int) -> int:
        try:
            return super().give(pod, container, 0 if container.kind == "sidecar" else reusable)
        except Exception:
            return super().give(pod, container, reusable)


class TellsNoAffinity(Small):
    """Aligns, and tells no hint."""

    def holding(self, uid: str, name: str) -> dict[str, Any]:
        told = super().holding(uid, name)
        told.pop("affinity", None)
        return told


class SendsAll(Small):
    """Sends every cpuset in every pass."""

    def is_sent(self, key: tuple[str, str], wanted: int) -> bool:
        return True


class Eager(Small):
    """Writes cpusets when they change, so that no pass has anything to send."""

    def is_sent(self, key: tuple[str, str], wanted: int) -> bool:
        return False


class UnalignedAnywhere(Small):
    """Under best-effort, where nothing is preferred, looks at no NUMA node at all."""

    def align(self, count: int, free: int) -> dict[str, Any] | None:
        hint = super().align(count, free)
        return hint if hint is None or hint["preferred"] else {"nodes": None, "preferred": False}


class UnalignedEverywhere(Small):
    """Under best-effort, where nothing is preferred, names every NUMA node."""

    def align(self, count: int, free: int) -> dict[str, Any] | None:
        hint = super().align(count, free)
        every = list(self.machine.numa_ids)
        return hint if hint is None or hint["preferred"] else {"nodes": every, "preferred": False}


class _MostCores(Chooser):
    def spread(self, available: int, count: int) -> int:
        given = 0
        while given.bit_count() < count:
            cores = sorted((core & available & ~given for core in self.cores), key=int.bit_count)
            for core in cores[::-1]:
                if core and given.bit_count() < count:
                    given |= self.first(core)
        return given


class IdlestCores(Small):
    """Spreads over the idlest cores first."""

    chooser = _MostCores


class OtherWords(Small):
    """Says a refusal in words of its own."""

    def on_admit(self, question: dict[str, Any]) -> dict[str, Any]:
        told = super().on_admit(question)
        return {**told, "message": f"<<{told['message']}>>"} if "message" in told else told


class HighestReserved(Small):
    """Reserves whole cores by number, one after the other, as they ascend by core: each core's last thread first."""

    def reservation(self, kubelet: dict[str, Any]) -> int:
        if kubelet.get("reservedSystemCPUs"):
            return super().reservation(kubelet)
        number = super().reservation(kubelet).bit_count()
        cpus = [cpu for core in self.machine.core_bits for cpu in reversed(list(iter_bits(core)))]
        return sum(1 << cpu for cpu in cpus[:number])


class LessClaimed(Small):
    """Claims the static policy without options, init containers, restart and reconcile: what it lacks is not asked."""

    def on_describe(self, question: dict[str, Any]) -> dict[str, Any]:
        told = super().on_describe(question)
        lacks = ("distribute", "full", "strict", "init", "reconcile", "restart", "scope/pod")
        return {**told, "features": [name for name in told["features"] if not any(word in name for word in lacks)]}


class PickOnly(Small):
    """Chooses CPUs, and is no node."""

    surfaces = ("pick",)


class NodeOnly(Small):
    """Is a node, and answers no single choice."""

    surfaces = ("node",)


KINDS: Mapping[str, type[Small]] = MappingProxyType(
    {
        kind.__name__: kind
        for kind in (
            Small,
            FromTheTop,
            ByLot,
            Exhaustive,
            EmptiestNodeFirst,
            FirstFit,
            RoomiestAffinity,
            LargerSharesLast,
            FreshFirst,
            InitFirst,
            GivesBack,
            GivesBackAtRestart,
            FreshSidecars,
            TellsNoAffinity,
            SendsAll,
            Eager,
            UnalignedAnywhere,
            UnalignedEverywhere,
            IdlestCores,
            OtherWords,
            HighestReserved,
            LessClaimed,
            PickOnly,
            NodeOnly,
        )
    }
)
"""Every kind, the plain one first."""
