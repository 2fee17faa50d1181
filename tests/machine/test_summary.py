from dataclasses import replace

import pytest

from numa_conformance.machine import MemoryNode, load_machine, summarize


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("one-cpu", "1 socket, 1 NUMA node, 0 uncore caches, 1 core of 1 thread, 1 CPU, 1.0 GiB"),
        (
            "offline-cpus",
            "2 sockets, 2 NUMA nodes, 4 uncore caches, 11 cores of 1 or 2 threads, 20 CPUs and 4 offline, 31.2 GiB",
        ),
        (
            "memory-only-node",
            "2 sockets, 4 NUMA nodes (2 without CPUs), 2 uncore caches, 8 cores of 2 threads, 16 CPUs, 159.2 GiB",
        ),
    ],
)
def test_tells_the_figures_of_a_machine(name, text):
    assert summarize(load_machine(name)) == text


def test_counts_devices_and_keeps_unknown_memory_unknown():
    machine = load_machine("two-nodes-hugepages-devices")
    assert summarize(machine).endswith("32 CPUs, 62.8 GiB, 13 devices")
    assert summarize(replace(machine, memory=(MemoryNode(0, None),))).endswith("32 CPUs, 13 devices")
