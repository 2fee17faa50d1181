"""The golden vectors V01 to V50: results of the allocator of kubelet v1.32.10 on small machines."""

import pytest

from numa_conformance.cpuset import CpuSet, format_bits
from numa_conformance.reference.managers.cpu import CpuAllocator
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from reference.managers.cpu.golden_machines import golden

EXACT = Quirks.of(KubernetesVersion(1, 32)).cpu
MODES = {
    "packed": StaticOptions(),
    "spread": StaticOptions(distribute_cpus_across_cores=True),
    "uncore": StaticOptions(prefer_align_cpus_by_uncorecache=True),
    "g=1": StaticOptions(distribute_cpus_across_numa=True),
    "g=2": StaticOptions(distribute_cpus_across_numa=True, full_pcpus_only=True),
}
VECTORS = """
V01 T1 1-3,5-7 2 packed 1,5
V02 T1 1-3,5-7 3 packed 1-2,5
V03 T1 1-7 1 packed 4
V04 T1 1-7 3 packed 1,4-5
V05 T2 1-11 1 packed 6
V06 T2 1-11 2 packed 2,8
V07 T2 1-11 5 packed 2,4,6,8,10
V08 T2 1-11 6 packed 1,3,5,7,9,11
V09 T2 1-5,7-11 8 packed 1-3,5,7-9,11
V10 T2 1-11 4 spread 2,4,6,8
V11 T2 1-11 6 spread 1,3,5,7,9,11
V12 T3 1-15,17-31 4 packed 1-2,17-18
V13 T3 1-15,17-31 8 packed 4-7,20-23
V14 T3 1-15,17-31 10 packed 1,4-7,17,20-23
V15 T3 1-15,17-31 16 packed 8-15,24-31
V16 T3 1-15,17-31 18 packed 1,8-15,17,24-31
V17 T5 1-15 8 packed 4-7,12-15
V18 T5 1-15 10 packed 1,4-7,9,12-15
V19 T5 1-7,9-15 4 packed 1-2,9-10
V20 T4 1-15,17-31 8 packed 1-4,17-20
V21 T4 1-15,17-31 1 uncore 1
V22 T4 1-15,17-31 4 uncore 1-2,17-18
V23 T4 1-15,17-31 6 uncore 1-3,17-19
V24 T4 1-15,17-31 7 uncore 1-4,17-19
V25 T4 1-15,17-31 8 uncore 4-7,20-23
V26 T4 1-15,17-31 12 uncore 1-2,4-7,17-18,20-23
V27 T4 1-15,17-31 14 uncore 1-7,17-23
V28 T4 1-15,17-31 20 uncore 1-2,4-11,17-18,20-27
V29 T4 1-15,18-31 6 uncore 4-6,20-22
V49 T4 1-15,18-31 4 uncore 4-5,20-21
V50 T4 1-15,18-31 4 packed 2-3,18-19
V30 T3 1-15,17-31 4 g=1 4-5,20-21
V31 T3 1-15,17-31 8 g=1 4-7,20-23
V32 T3 1-15,17-31 10 g=1 4-6,8-10,20-21,24-25
V33 T3 1-15,17-31 10 g=2 4-6,8-9,20-22,24-25
V34 T3 1-15,17-31 11 g=1 4-6,8-10,20-22,24-25
V35 T3 1-15,17-31 12 g=2 4-6,8-10,20-22,24-26
V36 T3 1-15,17-31 20 g=2 4-10,12-14,20-26,28-30
V37 T3 0-31 9 g=1 0-2,4-5,16-17,20-21
V38 T3 0-31 16 g=1 0-7,16-23
V39 T6 0-31 12 g=1 0-11
V40 T6 0-31 16 g=1 0-11,28-31
V41 T6 0-31 17 g=1 0-10,12-14,16-18
V42 T6 0-31 20 g=1 0-19
V43 T6 0-31 24 g=1 0-19,28-31
V44 T6 0-31 28 g=1 0-19,24-31
V45 T7 2-7 2 spread 2-3
V46 T7 1-7 3 spread 1-3
V47 T1-7 1-6 2 packed 0,4
V48 T1-7 2-3,5-6 2 packed 1,5
"""


@pytest.mark.parametrize(
    ("machine", "available", "count", "mode", "taken"),
    [pytest.param(*line.split()[1:], id=line.split()[0]) for line in VECTORS.strip().splitlines()],
)
def test_takes_the_same_cpus(machine: str, available: str, count: str, mode: str, taken: str) -> None:
    topology = golden("T1", without=frozenset({7})) if machine == "T1-7" else golden(machine)
    allocator = CpuAllocator.of(EXACT)(topology, MODES[mode])
    assert format_bits(allocator.allocate(CpuSet.parse(available).bits, int(count))) == taken


@pytest.mark.parametrize(("options", "count", "taken"), [((), 10, "1,4-7,17,20-23"), ((), 3, "1,17-18")])
def test_the_trace_names_groups_in_the_order_taken(options: tuple[str, ...], count: int, taken: str) -> None:
    trace: list[str] = []
    allocator = CpuAllocator.of(EXACT)(golden("T3"), StaticOptions())
    available = CpuSet.parse("1-15,18-31" if count == 3 else "1-15,17-31").bits
    result = allocator.allocate(available, count, trace)
    assert trace, format_bits(result)
    assert result == allocator.allocate(available, count)
