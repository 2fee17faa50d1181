import pytest
from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.generators.picks import renumber
from numa_conformance.asking.strategies import machines
from numa_conformance.cpuset import bits_of, iter_bits
from numa_conformance.machine import load_machine


def renumber_bits(bits, mapping):
    return bits_of(mapping.get(number, number) for number in iter_bits(bits))


@st.composite
def renumbered(draw):
    machine = draw(machines(max_cpus=24))
    ids = [cpu.id for cpu in machine.cpus] + list(machine.offline)
    return machine, dict(zip(ids, draw(st.permutations(ids)), strict=True))


@given(case=renumbered())
def test_groups_move_with_their_cpus(case):
    machine, mapping = case
    moved = renumber(machine, mapping)
    assert [cpu.id for cpu in moved.cpus] == sorted(cpu.id for cpu in moved.cpus)
    for groups in ("numa_bits", "socket_bits", "uncore_bits"):
        expected = {key: renumber_bits(bits, mapping) for key, bits in getattr(machine, groups).items()}
        assert getattr(moved, groups) == expected
    assert set(moved.core_bits) == {renumber_bits(core, mapping) for core in machine.core_bits}
    assert set(moved.offline) == {mapping[one] for one in machine.offline}


@given(case=renumbered())
def test_the_way_back_leads_to_the_machine(case):
    machine, mapping = case
    assert renumber(renumber(machine, mapping), {new: old for old, new in mapping.items()}) == machine


@pytest.mark.parametrize("mapping", [{0: 1}, {0: -1}, {0: 65_536}])
def test_refuses_numbers_that_are_taken_or_out_of_range(mapping):
    with pytest.raises(ValueError, match="the mapping gives"):
        renumber(load_machine("t1-one-socket-smt2"), mapping)
