"""Time of one CPU Manager decision on a machine of 2 sockets x 64 cores x 2 threads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from numa_conformance.machine.model import KubeletView, ViewCpu
from numa_conformance.reference.managers.cpu import CpuAllocator, CpuTopology, HintRequest
from numa_conformance.reference.managers.cpu.options.distribute_cpus_across_numa.search import NodeSearch
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks.areas import CpuQuirks
from numa_conformance.sources.versions import DEFAULT

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

OPTIONS = {
    "default": StaticOptions(),
    "uncore": StaticOptions(prefer_align_cpus_by_uncorecache=True),
    "across-numa": StaticOptions(distribute_cpus_across_numa=True),
    "across-cores": StaticOptions(distribute_cpus_across_cores=True),
}


def big_machine(nodes: int = 2, caches: int = 2) -> CpuTopology:
    """256 CPUs; second threads are numbered after all first threads."""
    rows = tuple(
        ViewCpu(cpu, core * nodes // 128, core // 64, core, core * caches // 128)
        for cpu in range(256)
        for core in [cpu % 128]
    )
    return CpuTopology(KubeletView(rows, 256, 128, 2, tuple(range(nodes))))


def free_cpus(topology: CpuTopology, *, fragmented: bool) -> int:
    """All but CPUs 0 and 128; if fragmented every second core is taken."""
    free = topology.all & ~(1 | 1 << 128)
    if fragmented:
        free &= ~sum(topology.cores[core] for core in range(1, 128, 2))
    return free


@pytest.mark.parametrize("fragmented", [False, True], ids=["empty", "fragmented"])
@pytest.mark.parametrize("count", [1, 16, 64])
@pytest.mark.parametrize("option", OPTIONS)
def test_allocate(benchmark: BenchmarkFixture, option: str, count: int, fragmented: bool) -> None:
    topology = big_machine(caches=16 if option == "uncore" else 2)
    allocator = CpuAllocator.of(CpuQuirks.of(DEFAULT))(topology, OPTIONS[option])
    free = free_cpus(topology, fragmented=fragmented)
    assert benchmark(allocator.allocate, free, count).bit_count() == count


@pytest.mark.parametrize("state", ["empty", "fragmented", "uneven"])
@pytest.mark.parametrize("nodes", [2, 4, 8, 16])
def test_hints(benchmark: BenchmarkFixture, nodes: int, state: str) -> None:
    topology = big_machine(nodes)
    free = free_cpus(topology, fragmented=state == "fragmented")
    if state == "uneven":
        free &= ~(topology.nodes.masks[1] & ~(topology.nodes.masks[1] >> 1))
    count = 16 if nodes < 16 else 13
    HintRequest.of(topology, count, free).hints()
    assert benchmark(lambda: HintRequest.of(topology, count, free).hints())


def test_distribution_over_sixteen_uneven_nodes(benchmark: BenchmarkFixture) -> None:
    free = [36, 20, 28, 19, 60, 11, 25, 19, 20, 47, 54, 15, 19, 54, 33, 20]
    assert benchmark(NodeSearch.of(CpuQuirks.of(DEFAULT))().choose, free, 140, 1, 3)
