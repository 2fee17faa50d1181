"""Devices over a node's life: pods come and go, and what is admitted is just what can be aligned."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Device, load_machine
from numa_conformance.suite.examples.node_run import NodeRun, PodOnNode
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement

GPU = "example.com/gpu"
PLACES = {"g0": (0,), "g1": (0,), "g2": (0,), "g3": (1,), "g4": (1,), "g5": (2,), "g6": (2, 3)}
"""Each device and its NUMA nodes: one lies on two."""
MACHINE = dataclasses.replace(
    load_machine("t3-two-numa-per-socket"), devices=tuple(Device(GPU, name, numa) for name, numa in PLACES.items())
)
RESERVED = CpuSet.parse("0")

Step = tuple[int, int, int]
"""Which pod to remove (counted from the end; 0: none), and the devices and exclusive CPUs of the pod to admit."""


def touching(devices: set[str], nodes: Sequence[int]) -> set[str]:
    """Return the devices that are local to some of the NUMA nodes."""
    return {name for name in devices if set(PLACES[name]) & set(nodes)}


class Books:
    """What is free, kept from the answers alone."""

    def __init__(self, node: NodeRun) -> None:
        self.node = node
        self.devices = set(PLACES)
        self.cpus = CpuSet.from_bits(MACHINE.online_bits) - RESERVED
        self._held: dict[str, tuple[set[str], CpuSet]] = {}

    def live(self, config: Mapping[str, Any], life: Sequence[Step]) -> Iterator[tuple[PodOnNode, int, int]]:
        """Let pods come and go; yield each answer, with what was asked for, before its books are kept."""
        self.node.start(MACHINE, config)
        for index, (gone, devices, cpus) in enumerate(life):
            if 0 < gone <= len(self._held):
                self._give_back(list(self._held)[-gone])
            asked = {GPU: str(devices)}
            pod = guaranteed(f"p{index}", cpus, **asked) if cpus else best_effort(f"p{index}", **asked)
            answer = self.node.try_admit(pod)
            yield answer, devices, cpus
            if answer.admitted:
                self._take(answer, devices)

    def _give_back(self, uid: str) -> None:
        self.node.remove(uid)
        devices, cpus = self._held.pop(uid)
        self.devices |= devices
        self.cpus |= cpus

    def _take(self, answer: PodOnNode, count: int) -> None:
        own = set(answer.devices(GPU))
        self.node.check(len(own) == count, "the number of devices is wrong", got=sorted(own), allowed=count)
        self.node.check(own <= self.devices, "devices are given that are not free", got=sorted(own - self.devices))
        self._held[answer.uid] = (own, answer.cpus())
        self.devices -= own
        self.cpus -= answer.cpus()

    def judge(self, answer: PodOnNode, fits: Sequence[tuple[int, ...]]) -> None:
        """Check that the pod is admitted just when some set of NUMA nodes fits, and that its devices are of one."""
        free = f"devices {sorted(self.devices)} and CPUs {self.cpus} are free"
        why = f"the pod is {'admitted' if answer.admitted else 'refused'} where {free}"
        allowed = f"admitted on NUMA nodes {' or '.join(map(str, fits))}" if fits else "refused"
        self.node.check(answer.admitted == bool(fits), why, got=answer.answer, allowed=allowed)
        if answer.admitted:
            own = set(answer.devices(GPU))
            aligned = [
                nodes
                for nodes in fits
                if touching(own, nodes) == own
                and answer.cpus() <= CpuSet.from_bits(sum(MACHINE.numa_bits[one] for one in nodes))
            ]
            self.node.check(aligned, "devices and CPUs are not together", got=answer.answer, allowed=allowed)


@requirement("device-manager/topology/aligns-with-cpus")
@given(life=st.lists(st.tuples(st.integers(0, 3), st.integers(1, 3), st.integers(0, 6)), min_size=1, max_size=10))
def test_single_numa_node_admits_what_one_node_holds(new_node: Callable[[], NodeRun], life: list[Step]) -> None:
    books = Books(new_node())
    for answer, devices, cpus in books.live(static(topology="single-numa-node", reserved=str(RESERVED)), life):
        fits = [
            (numa,)
            for numa, bits in MACHINE.numa_bits.items()
            if len(touching(books.devices, [numa])) >= devices and len(books.cpus & CpuSet.from_bits(bits)) >= cpus
        ]
        books.judge(answer, fits)
