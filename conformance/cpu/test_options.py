"""Options of the static policy."""

from __future__ import annotations

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import Machine, load_machine
from numa_conformance.suite.examples.invariants import split_cores
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement
departs = pytest.mark.departs

FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
CORES, STRICT, UNCORE = "distribute-cpus-across-cores", "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"


def _core(machine: Machine, index: int = 0) -> CpuSet:
    return CpuSet.from_bits(machine.core_bits[index])


def _nodes(machine: Machine, cpus: CpuSet) -> dict[int, int]:
    """Return NUMA node to the number of CPUs of the set on it."""
    counts = {numa: (bits & cpus.bits).bit_count() for numa, bits in machine.numa_bits.items()}
    return {numa: count for numa, count in counts.items() if count}


@requirement("cpu-manager/full-pcpus-only/refuses-a-partial-core")
@pytest.mark.parametrize("cpu", [1, 3])
def test_refuses_a_partial_core(node: NodeRun, machine: Machine, cpu: int) -> None:
    node.start(machine, static(FULL, reserved=str(_core(machine))))
    answer = node.try_admit(guaranteed("a", cpu))
    node.check(not answer.admitted, "part of a core is given", got=answer.answer, allowed="refused")
    node.check(
        answer.reason == "SMTAlignmentError", "the reason is wrong", got=answer.reason, allowed="SMTAlignmentError"
    )
    node.check(answer.pool == node.initial_pool, "a refused pod holds CPUs", got=answer.pool, allowed=node.initial_pool)


@requirement("cpu-manager/full-pcpus-only/gives-whole-cores")
@pytest.mark.parametrize("sizes", [(2, 4), (3, 2), (1, 1, 2)], ids=str)
def test_gives_whole_cores(node: NodeRun, machine: Machine, sizes: tuple[int, ...]) -> None:
    node.start(machine, static(FULL, reserved="0"))
    for index, cpu in enumerate(sizes):
        answer = node.try_admit(guaranteed(f"p{index}", cpu))
        got = answer.cpus() if answer.admitted else CpuSet()
        split = list(map(str, split_cores(machine, got)))
        node.check(not split, f"the cores {split} are split", got=got, allowed="whole cores, or a refusal")


@requirement("cpu-manager/full-pcpus-only/gives-whole-cores")
def test_gives_whole_cores_beside_a_reserved_thread(node: NodeRun) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    node.start(machine, static(FULL, reserved="0", topology="best-effort"))
    answer = node.try_admit(guaranteed("a", 8))
    if answer.admitted:
        got = answer.cpus()
        node.check(not split_cores(machine, got), "a core is split", got=got, allowed="whole cores, or a refusal")


@requirement("cpu-manager/distribute-cpus-across-numa/spreads-evenly")
@pytest.mark.parametrize("cpu", [10, 12, 16])
def test_spreads_evenly_over_numa_nodes(node: NodeRun, cpu: int) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    node.start(machine, static(NUMA, reserved="0,16"))
    counts = _nodes(machine, node.admit(guaranteed("a", cpu)).cpus())
    spread = max(counts.values()) - min(counts.values())
    node.check(len(counts) > 1, "one NUMA node cannot hold this", got=counts)
    node.check(spread <= 1, "the NUMA nodes have uneven shares", got=counts, allowed="shares that differ by at most 1")


@requirement("cpu-manager/distribute-cpus-across-numa/keeps-one-node-where-one-suffices")
@pytest.mark.parametrize("cpu", [2, 4, 6])
def test_keeps_one_numa_node_where_one_suffices(node: NodeRun, cpu: int) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    node.start(machine, static(NUMA, reserved="0,16"))
    counts = _nodes(machine, node.admit(guaranteed("a", cpu)).cpus())
    node.check(len(counts) == 1, "a request that one NUMA node holds is divided", got=counts, allowed="one NUMA node")


@requirement("cpu-manager/align-by-socket/stays-in-one-socket")
@departs("align-by-socket-only-adds-hints")
@pytest.mark.parametrize("cpu", [10, 12, 14])
def test_what_fits_a_socket_comes_from_one(node: NodeRun, cpu: int) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    node.start(machine, static(SOCKET, reserved="0,16", topology="restricted"))
    node.admit(guaranteed("before", 8))
    got = node.admit(guaranteed("a", cpu)).cpus()
    sockets = [socket for socket, bits in machine.socket_bits.items() if bits & got.bits]
    node.check(len(sockets) == 1, f"CPUs come from the sockets {sockets}", got=got, allowed="one socket")


@requirement("cpu-manager/distribute-cpus-across-cores/takes-separate-cores")
@pytest.mark.parametrize(
    "name", ["t1-one-socket-smt2", pytest.param("t7-adjacent-siblings", marks=departs("spread-by-cpu-id"))]
)
@pytest.mark.parametrize("cpu", [2, 3])
def test_takes_separate_cores(node: NodeRun, name: str, cpu: int) -> None:
    machine = load_machine(name)
    node.start(machine, static(CORES, reserved=str(_core(machine))))
    got = node.admit(guaranteed("a", cpu)).cpus()
    touched = sum(1 for core in machine.core_bits if core & got.bits)
    node.check(touched == cpu, f"CPUs share cores: {touched} cores for {cpu} CPUs", got=got, allowed=f"{cpu} cores")


@requirement("cpu-manager/distribute-cpus-across-cores/refuses-full-pcpus-only")
def test_across_cores_refuses_full_pcpus_only(node: NodeRun, machine: Machine) -> None:
    node.stays_down(machine, static(CORES, FULL))


@requirement("cpu-manager/distribute-cpus-across-cores/refuses-distribution-across-numa")
def test_across_cores_refuses_across_numa(node: NodeRun, machine: Machine) -> None:
    node.stays_down(machine, static(CORES, NUMA))


@requirement("cpu-manager/strict-cpu-reservation/keeps-pods-off-reserved-cpus")
def test_no_pod_runs_on_reserved_cpus(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static(STRICT, reserved="0-1"))
    node.check(not node.initial_pool & node.reserved, "reserved CPUs are shared", got=node.initial_pool & node.reserved)
    exclusive, shared = node.admit(guaranteed("a", 2)), node.admit(best_effort("b"))
    node.check(not exclusive.cpus() & node.reserved, "reserved CPUs are exclusive", got=exclusive.cpus())
    node.check(not shared.pool & node.reserved, "reserved CPUs are shared", got=shared.pool & node.reserved)
    pool = node.remove("a").pool
    node.check(pool == node.online - node.reserved, "the pool is wrong", got=pool, allowed=node.online - node.reserved)


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/stays-in-one-cache")
@pytest.mark.parametrize("cpu", [2, 4, 6, pytest.param(7, marks=departs("uncore-odd-size-unaligned")), 8])
def test_what_fits_a_cache_comes_from_one(node: NodeRun, cpu: int) -> None:
    machine = load_machine("t4-four-uncores")
    node.start(machine, static(UNCORE, reserved="0,16"))
    got = node.admit(guaranteed("a", cpu)).cpus()
    caches = [uncore for uncore, bits in machine.uncore_bits.items() if bits & got.bits]
    node.check(len(caches) == 1, f"CPUs come from the uncore caches {caches}", got=got, allowed="one uncore cache")


@requirement("cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses")
def test_what_fits_no_cache_is_admitted(node: NodeRun) -> None:
    machine = load_machine("t4-four-uncores")
    node.start(machine, static(UNCORE, reserved="0,16"))
    got = node.admit(guaranteed("a", 13)).cpus()
    node.check(len(got) == 13, "the number of CPUs is wrong", got=got, allowed="13 CPUs")


@requirement("cpu-manager/full-pcpus-only/are-additive")
def test_options_keep_their_promises_together(node: NodeRun) -> None:
    machine = load_machine("t3-two-numa-per-socket")
    node.start(machine, static(FULL, NUMA, SOCKET, reserved="0,16", topology="best-effort"))
    got = node.admit(guaranteed("a", 12)).cpus()
    node.check(not split_cores(machine, got), "a core is split", got=got, allowed="whole cores")
    refused = node.try_admit(guaranteed("b", 3))
    node.check(refused.reason == "SMTAlignmentError", "part of a core is given", got=refused.answer, allowed="refused")
