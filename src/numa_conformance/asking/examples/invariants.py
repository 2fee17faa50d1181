"""What must hold on a node at every moment, as pure functions over its state. Public: usable in one's own tests."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from ...cpuset import CpuSet
from ...judging.chapter import checkers_of
from ...judging.choice import STRICT
from ...judging.node_subjects import NodeMoment
from ...judging.pods import GUARANTEED, ContainerSpec, PodSpec
from ...judging.settings import Settings
from ...judging.views import views
from ...judging.world import AdmittedPod, World
from ...machine.model import Cpu, Machine
from ...wire.history.values import CpuBits, HoldingBits

Assignments = Mapping[str, Mapping[str, CpuSet]]
"""Pod uid to container to exclusive CPUs."""

MemoryAmounts = Mapping[int, Mapping[str, int]]
"""NUMA node to ``memory`` or ``hugepages-<size>`` to bytes."""


def cpu_violations(
    online: CpuSet, reserved: CpuSet, pool: CpuSet, assignments: Assignments, *, strict: bool = False
) -> list[str]:
    """Return what is wrong with a node's CPUs, in words; empty when all holds (CPU-POOL-08).

    ``strict``: reserved CPUs are outside the shared pool (strict-cpu-reservation).
    """
    machine = Machine("a node", tuple(Cpu(cpu, cpu, 0, 0) for cpu in online), ())
    kubelet = {"cpuManagerPolicy": "static", "cpuManagerPolicyOptions": {STRICT: str(strict).lower()}}
    pods = {uid: _on_node(uid, containers) for uid, containers in assignments.items()}
    moment = NodeMoment(World(machine, Settings.of(kubelet), reserved.bits, pool.bits, pool.bits, pods))
    return [
        violation.why
        for subject in (moment, *views(moment))
        for check in checkers_of(type(subject))
        for violation in check.judge(subject) or ()
    ]


def _on_node(uid: str, containers: Mapping[str, CpuSet]) -> AdmittedPod:
    specs = tuple(ContainerSpec(name, "app", {}, {}, len(cpus)) for name, cpus in containers.items())
    held = {name: HoldingBits(CpuBits(cpus.bits)) for name, cpus in containers.items()}
    return AdmittedPod(PodSpec(uid, GUARANTEED, specs, {}), held)


def memory_violations(
    allocatable: MemoryAmounts, free: MemoryAmounts, granted: Iterable[tuple[str, int, Iterable[int]]]
) -> list[str]:
    """Return what is wrong with a node's memory; ``granted`` are blocks of type, bytes and NUMA nodes."""
    violations = []
    allocation: Counter[str] = Counter()
    for kind, amount, nodes in granted:
        allocation[kind] += amount
        unknown = [node for node in nodes if kind not in allocatable.get(node, {})]
        if unknown:
            violations.append(f"{amount} bytes of {kind} are granted on NUMA nodes {unknown}, which have none")
    for node, amounts in allocatable.items():
        for kind, most in amounts.items():
            left = free.get(node, {}).get(kind, 0)
            if not 0 <= left <= most:
                violations.append(f"NUMA node {node} has {left} bytes of {kind} free, of {most}")
    for kind in sorted({kind for amounts in allocatable.values() for kind in amounts}):
        taken = sum(amounts.get(kind, 0) - free.get(node, {}).get(kind, 0) for node, amounts in allocatable.items())
        if taken != allocation[kind]:
            violations.append(f"{taken} bytes of {kind} are not free, {allocation[kind]} are granted")
    return violations


def device_violations(devices: Iterable[str], held: Mapping[str, Mapping[str, Iterable[str]]]) -> list[str]:
    """Return what is wrong with the devices of one resource; ``held`` is pod uid to container to device ids."""
    known, owner, violations = set(devices), dict[str, str](), []
    for uid, containers in held.items():
        for name, ids in containers.items():
            for device in ids:
                if device not in known:
                    violations.append(f"container {name} of pod {uid} has the device {device}, which does not exist")
                if owner.setdefault(device, uid) != uid:
                    violations.append(f"device {device} belongs to the pods {owner[device]} and {uid}")
    return violations


def split_cores(machine: Machine, cpus: CpuSet) -> list[CpuSet]:
    """Return the cores of which some threads are in the set and some are not."""
    return [CpuSet.from_bits(core) for core in machine.core_bits if core & cpus.bits and core & ~cpus.bits]


@dataclass(frozen=True, slots=True)
class Footprint:
    """How a set of CPUs lies on a machine: for each kind of group the CPUs in each touched one, fullest first.

    Renumbering the CPUs of the machine and of the set changes nothing of it.
    """

    cores: tuple[int, ...]
    uncore_caches: tuple[int, ...]
    numa_nodes: tuple[int, ...]
    sockets: tuple[int, ...]


def footprint(machine: Machine, cpus: CpuSet) -> Footprint:
    """Return the footprint of a set of CPUs."""

    def counts(groups: Iterable[int]) -> tuple[int, ...]:
        return tuple(sorted((n for group in groups if (n := (group & cpus.bits).bit_count())), reverse=True))

    return Footprint(
        cores=counts(machine.core_bits),
        uncore_caches=counts(machine.uncore_bits.values()),
        numa_nodes=counts(machine.numa_bits.values()),
        sockets=counts(machine.socket_bits.values()),
    )
