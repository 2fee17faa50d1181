"""Devices of ResourceSlices: how many CPUs each has, and where it says that they are."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from numa_conformance.judging.published import CPU_ID, NUMA_NODE, SOCKET, PublishedDevice, devices_of, slices_of


def read(**device: Any) -> PublishedDevice:
    spec = {"driver": "cpu.test", "pool": {"name": "here"}, "devices": [{"name": "d", **device}]}
    (found,) = devices_of(slices_of([spec]))
    return found


def test_only_slices_of_the_highest_generation_of_each_pool_count() -> None:
    slices = [
        {
            "driver": "cpu.test",
            "pool": {"name": pool, "generation": generation},
            "devices": [{"name": f"d{generation}"}],
        }
        for pool, generation in (("a", 1), ("a", 2), ("b", 1), ("a", 2))
    ]
    keys = [device.key for device in devices_of(slices_of(slices))]
    assert keys == [("cpu.test", "a", "d2"), ("cpu.test", "b", "d1"), ("cpu.test", "a", "d2")]


@pytest.mark.parametrize(
    ("device", "capacity", "cpus"),
    [
        ({}, None, 0),
        ({"capacity": {"memory": {"value": "4Gi"}}}, None, 0),
        ({"capacity": {"other.test/cpus": {"value": "4"}, "memory": {"value": "4Gi"}}}, "other.test/cpus", 4),
        ({"attributes": {"cpu.test/cpuID": {"int": 3}}}, None, 1),
        (
            {
                "capacity": {"cpu": {"value": "4"}, "threads": {"value": "8"}},
                "nodeAllocatableResources": {"cpu": {"mapping": {"capacityKey": "threads"}}},
            },
            "threads",
            8,
        ),
    ],
)
def test_a_device_has_the_cpus_of_the_capacity_that_is_mapped_or_named_so(
    device: dict[str, Any], capacity: str | None, cpus: int
) -> None:
    found = read(**device)
    assert (found.capacity, found.cpus) == (capacity, cpus)


def test_attributes_are_the_drivers_where_they_name_no_domain() -> None:
    told = {NUMA_NODE: {"ints": [2, 0]}, SOCKET: {"int": 1}, "cpu.test/cpuID": {"int": 0}, "kind": {"string": "p-core"}}
    found = read(attributes=told)
    assert [found.number(name) for name in (NUMA_NODE, SOCKET, CPU_ID, "kind", "cacheL3ID")] == [2, 1, 0, None, None]


def test_what_consumes_of_no_capacity_has_the_whole_device() -> None:
    found = read(capacity={"cpu": {"value": "4"}}, allowMultipleAllocations=True)
    assert found.consumed({"cpu": Fraction(3)}) == 3
    assert found.consumed({}) == 4
    assert found.is_shared


def test_a_device_that_shares_counters_is_not_whole() -> None:
    assert not read(consumesCounters=[{"counterSet": "s"}]).is_whole


@pytest.mark.parametrize("spec", [{}, {"driver": "d", "pool": {}}, {"driver": "d", "pool": {"name": 3}}])
def test_a_slice_that_the_api_does_not_take_is_told(spec: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"Object missing required field|Expected"):
        slices_of([spec])
