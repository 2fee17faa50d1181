"""Small machines: a name always means the same one, and every oddity is drawn."""

from collections.abc import Callable

import pytest

from numa_conformance.errors import UsageError
from numa_conformance.machine import Machine, load_machine, machine_from_dict, machine_to_dict
from numa_conformance.machine.small import is_small, small_machines

DRAWN = tuple(small_machines(300))


def _widths(machine: Machine) -> set[int]:
    return {core.bit_count() for core in machine.core_bits}


def _sizes(machine: Machine) -> set[int]:
    return {cpus.bit_count() for cpus in machine.numa_bits.values() if cpus}


def _caches_of_two_nodes(machine: Machine) -> bool:
    caches = machine.uncore_bits.values()
    return any(sum(bool(cache & cpus) for cpus in machine.numa_bits.values()) > 1 for cache in caches)


ODDITIES: dict[str, Callable[[Machine], object]] = {
    "ids of NUMA nodes with gaps": lambda machine: max(machine.numa_ids) >= len(machine.numa_ids),
    "CPUs in any order": lambda machine: any(core & core >> 1 != core >> 1 for core in machine.core_bits),
    "eight threads": lambda machine: 8 in _widths(machine),
    "one thread": lambda machine: _widths(machine) == {1},
    "cores of unequal width": lambda machine: len(_widths(machine)) > 1,
    "NUMA nodes of unequal size": lambda machine: len(_sizes(machine)) > 1,
    "a cache of two NUMA nodes": _caches_of_two_nodes,
    "two caches of a NUMA node": lambda machine: len(machine.uncore_bits) > len(_sizes(machine)),
    "a NUMA node without CPUs": lambda machine: not all(machine.numa_bits[node] for node in machine.numa_ids),
    "a NUMA node without memory": lambda machine: any(not node.memory for node in machine.memory),
    "offline CPUs": lambda machine: machine.offline,
    "a device of two NUMA nodes": lambda machine: any(len(device.numa) == 2 for device in machine.devices),
    "a device of none": lambda machine: any(not device.numa for device in machine.devices),
    "huge pages of two sizes": lambda machine: any(all(node.hugepages.values()) for node in machine.memory),
}


@pytest.mark.parametrize("oddity", ODDITIES)
def test_every_oddity_is_drawn(oddity: str) -> None:
    odd = [machine.name for machine in DRAWN if ODDITIES[oddity](machine)]
    assert 5 <= len(odd) < len(DRAWN)


def test_they_are_small_and_valid() -> None:
    for machine in DRAWN:
        assert 3 <= len(machine.cpus) <= 32
        assert 1 <= len(machine.numa_ids) <= 4
        assert machine_from_dict(machine_to_dict(machine)) == machine


def test_a_name_means_the_same_machine() -> None:
    assert load_machine("small-0-12") == DRAWN[12]
    assert load_machine("small-0-12") != load_machine("small-1-12")
    with pytest.raises(UsageError, match="no machine is called 'small-0-12 with devices'"):
        load_machine("small-0-12 with devices")


@pytest.mark.parametrize(
    ("name", "small"),
    [
        ("small-0-12", True),
        ("small-0-12 with devices", True),
        ("small-0-1, renumbered", True),
        ("small-caches", False),
        ("small-0-12x", False),
        ("a-small-0-1", False),
    ],
)
def test_names_are_told_apart(name: str, small: bool) -> None:
    assert is_small(name) is small
