from hypothesis import given
from hypothesis import strategies as st

from numa_conformance.asking.examples.invariants import cpu_violations
from numa_conformance.cpuset import CpuSet

SETS = st.integers(0, 255)


@given(SETS, SETS, SETS, st.booleans())
def test_only_a_partition_with_the_reservation_in_its_place_is_in_order(pool, one, other, strict):
    assignments = {"a": {"c": CpuSet.from_bits(one)}, "b": {"c": CpuSet.from_bits(other)}}
    found = cpu_violations(CpuSet.parse("0-7"), CpuSet.parse("0"), CpuSet.from_bits(pool), assignments, strict=strict)
    disjoint = not (pool & one or pool & other or one & other)
    whole = pool | one | other == (0b11111110 if strict else 0b11111111)
    assert (found == []) == (disjoint and whole and (strict or bool(pool & 1)))
