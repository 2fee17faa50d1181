import pytest
from hypothesis import Phase, find, given, settings
from hypothesis.errors import NoSuchExample

from numa_conformance.asking.strategies import machines


@given(machine=machines(max_cpus=32, max_nodes=4, max_sockets=2))
def test_machines_keep_to_the_limits(machine):
    assert 1 <= len(machine.cpus) + len(machine.offline) <= 32
    assert 1 <= len({cpu.numa for cpu in machine.cpus}) <= 4
    assert 1 <= len(machine.socket_bits) <= 2


@given(machine=machines(nested=True))
def test_nested_machines_nest(machine):
    nests(machine)


@given(machine=machines(sane=True))
def test_sane_machines_are_alike_throughout(machine):
    nests(machine)
    assert len({core.bit_count() for core in machine.core_bits}) == 1
    assert len({bits.bit_count() for bits in machine.numa_bits.values()}) == 1
    assert len({bits.bit_count() for bits in machine.uncore_bits.values()}) <= 1
    assert not machine.offline
    assert machine.online_bits == (1 << len(machine.cpus)) - 1
    assert all(node.memory for node in machine.memory)


def nests(machine):
    for inner, outer in ((machine.uncore_bits, machine.numa_bits), (machine.numa_bits, machine.socket_bits)):
        assert all(any(not bits & ~around for around in outer.values()) for bits in inner.values())


ODDITIES = {
    "a node spans sockets": lambda m: any(
        not any(not bits & ~around for around in m.socket_bits.values()) for bits in m.numa_bits.values()
    ),
    "a cache spans nodes": lambda m: any(
        not any(not bits & ~around for around in m.numa_bits.values()) for bits in m.uncore_bits.values()
    ),
    "several caches in a node": lambda m: len(m.uncore_bits) > len(m.numa_ids),
    "eight threads": lambda m: any(core.bit_count() == 8 for core in m.core_bits),
    "cores of different kinds": lambda m: len({core.bit_count() for core in m.core_bits}) > 1,
    "offline CPUs": lambda m: m.offline,
    "sparse CPU ids": lambda m: not m.offline and m.online_bits & (m.online_bits + 1),
    "sparse node ids": lambda m: m.numa_ids[-1] >= len(m.numa_ids),
    "a node without CPUs": lambda m: not all(m.numa_bits.values()) and not m.offline,
    "a node without memory": lambda m: any(node.memory == 0 and m.numa_bits[node.node] for node in m.memory),
    "huge pages": lambda m: any(len(node.hugepages) == 2 for node in m.memory),
    "an unhealthy device": lambda m: any(not device.healthy for device in m.devices),
    "no distances": lambda m: m.distances is None,
}


FIND = settings(max_examples=2000, derandomize=True, phases=[Phase.generate])


@pytest.mark.parametrize("oddity", ODDITIES)
def test_the_odd_ones_come_up(oddity):
    try:
        found = find(machines(), ODDITIES[oddity], settings=FIND)
    except NoSuchExample:
        found = None
    assert found is not None


def test_a_machine_smaller_than_a_core_is_refused():
    with pytest.raises(ValueError, match="at least one CPU"):
        machines(max_cpus=1, threads=(2,))
