"""Allocators that obey the pages in many ways, judged by one allocation each in a state that the question brings."""

from __future__ import annotations

import random
from functools import cache

import pytest

from numa_conformance.asking.generators.allocations import allocation_sweep
from numa_conformance.cpuset import CpuSet, format_bits, iter_bits
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.settings import Settings
from numa_conformance.machine import load_machine
from planted import judged, mixed

STATIC = "cpu-manager/static/"
RECOMMENDED = "-in-use"


class Allocator:
    """Takes few NUMA nodes, then few cores; knows full-pcpus-only. Others, legal and wrong ones, change a step."""

    def __call__(self, scenario, params):
        self.machine, self.settings = scenario.machine, Settings.of(params["kubelet"])
        pod, state = PodSpec.of(params["pod"]), params["state"]
        container = pod.by_name[params["container"]]
        pool = CpuSet.parse(state["default"]).bits
        reusable = CpuSet.parse(state["reusable"].get(pod.uid, "")).bits
        held = (state["assignments"].get(pod.uid) or {}).get(container.name)
        self.reserved = self.reservation(params["kubelet"])
        if self.settings.static and not self.reserved:
            return {"result": "policy_refused", "message": "nothing is reserved"}
        told = {"reserved_cpus": format_bits(self.reserved), "guaranteed_cpus": container.exclusive}
        if not self.settings.static or not self.number(pod, container):
            return {**told, "result": "allocated", "cpus": "", "default_cpuset": format_bits(pool)}
        if held is not None:
            given = self.again(CpuSet.parse(held).bits, pool)
            return {
                **told,
                "result": "allocated",
                "cpus": format_bits(given),
                "default_cpuset": format_bits(pool & ~given),
            }
        number = self.number(pod, container)
        if self.splits(number):
            return {**told, "result": "refused", "reason": "SMTAlignmentError", "message": "no whole cores"}
        near = (params.get("affinity") or {}).get("nodes") or ()
        given = self.choose(pool & ~self.reserved, reusable, number, sum(self.machine.numa_bits[node] for node in near))
        if given is None or (self.settings.strict and not pool & ~given):
            return {**told, "result": "refused", "message": "not enough CPUs"}
        return {
            **told,
            "result": "allocated",
            "cpus": format_bits(given),
            "default_cpuset": format_bits(self.after(pool, given)),
        }

    def number(self, pod, container):
        return container.exclusive

    def reservation(self, kubelet):
        if self.settings.reserved is not None:
            return self.settings.reserved
        return sum(1 << cpu for cpu in self.by_core()[: self.settings.reserved_count])

    def by_core(self):
        return [cpu.id for cpu in sorted(self.machine.cpus, key=lambda cpu: (cpu.socket, cpu.core or 0, cpu.id))]

    def splits(self, number):
        whole = "full-pcpus-only" in self.settings.options
        return whole and any(number % core.bit_count() for core in self.machine.core_bits)

    def choose(self, free, reusable, number, near):
        room = free | reusable
        if "full-pcpus-only" in self.settings.options:
            room = sum(core for core in self.machine.core_bits if core & room == core)
        if room.bit_count() < number:
            return None
        if near and (near & room).bit_count() >= number:
            room &= near
        taken = self.first(room & reusable, number)
        return taken | self.pack(room & ~taken, number - taken.bit_count())

    def first(self, cpus, number):
        return self.pack(cpus, min(number, cpus.bit_count()))

    def pack(self, room, number):
        nodes = sorted(self.machine.numa_bits.values(), key=lambda node: -(node & room).bit_count())
        holding = [node for node in nodes if (node & room).bit_count() >= number]
        order = [*holding[-1:], *(node for node in nodes if node not in holding[-1:])]
        taken = 0
        for node in order:
            for core in sorted(self.machine.core_bits, key=lambda core: -(core & room).bit_count()):
                for cpu in iter_bits(core & node & room):
                    taken |= 1 << cpu if taken.bit_count() < number else 0
        return taken

    def after(self, pool, given):
        return pool & ~given

    def again(self, held, pool):
        return held


class GivesInitCpusBack(Allocator):
    """Legal: what an init container has left goes to the shared pool."""

    def choose(self, free, reusable, number, near):
        self.left = reusable
        return super().choose(free, reusable, number, near)

    def after(self, pool, given):
        return (pool | self.left) & ~given


class TakesFreshCpusFirst(Allocator):
    """Legal: an app takes fresh CPUs before those of its init container."""

    def first(self, cpus, number):
        return 0


class ReservesFirstThreads(Allocator):
    """Legal: one thread of each core is reserved, in ascending order of cores."""

    def by_core(self):
        first = [next(iter_bits(core)) for core in sorted(self.machine.core_bits, key=self.core)]
        return [*first, *(cpu for cpu in super().by_core() if cpu not in first)]

    def core(self, bits):
        cpu = next(cpu for cpu in self.machine.cpus if bits >> cpu.id & 1)
        return (cpu.socket, cpu.core or 0)


class DrawsLots(Allocator):
    """Legal, but for what the pages recommend: any free CPUs."""

    def pack(self, room, number):
        lot = random.Random(f"{room} {number}")
        if self.settings.options:
            return super().pack(room, number)
        return sum(1 << cpu for cpu in lot.sample(list(iter_bits(room)), number))


MACHINES = [
    load_machine(name)
    for name in ("t1-one-socket-smt2", "t3-two-numa-per-socket", "t7-adjacent-siblings", "one-socket-no-smt")
]
CLAIMED = frozenset(
    {
        "cpu-manager/none",
        "cpu-manager/static",
        "cpu-manager/full-pcpus-only",
        "cpu-manager/init-containers",
        "cpu-manager/strict-cpu-reservation",
    }
)


@cache
def scenarios():
    return mixed([scenario for seed in range(6) for scenario in allocation_sweep(CLAIMED, MACHINES, seed=seed)])


@pytest.mark.parametrize("legal", [Allocator, GivesInitCpusBack, TakesFreshCpusFirst, ReservesFirstThreads])
def test_an_allocator_that_obeys_the_pages_passes(legal):
    verdicts = judged(scenarios(), legal())
    assert {name for name in verdicts.unmet if not name.endswith(RECOMMENDED)} == set()


def test_lots_break_recommendations_alone_on_a_machine_in_use():
    machines = [load_machine(name) for name in ("one-socket-no-smt", "t1-one-socket-smt2", "t6-eight-numa-no-smt")]
    verdicts = judged(allocation_sweep(CLAIMED, machines), DrawsLots())
    assert verdicts.unmet == {f"{STATIC}packs-few-{what}{RECOMMENDED}" for what in ("cores", "numa-nodes")}
