import pytest

from numa_conformance.asking.examples.invariants import cpu_violations
from numa_conformance.cpuset import CpuSet

ONLINE, RESERVED = CpuSet.parse("0-7"), CpuSet.parse("0")


def found(pool, assignments, *, strict=False):
    sets = {uid: {name: CpuSet.parse(cpus) for name, cpus in own.items()} for uid, own in assignments.items()}
    return cpu_violations(ONLINE, RESERVED, CpuSet.parse(pool), sets, strict=strict)


@pytest.mark.parametrize(
    ("pool", "assignments", "strict"),
    [("0-7", {}, False), ("0,3-7", {"a": {"c": "1-2"}}, False), ("3-7", {"a": {"c": "1-2", "i": "1"}}, True)],
)
def test_a_node_in_order_has_no_violation(pool, assignments, strict):
    assert found(pool, assignments, strict=strict) == []


@pytest.mark.parametrize(
    ("pool", "assignments", "said"),
    [
        ("1-7", {"a": {"c": "0"}}, "reserved CPUs 0 are exclusive"),
        ("0-7", {"a": {"c": "1"}}, "are exclusive and in the shared pool"),
        ("0,2-7", {"a": {"c": "1"}, "b": {"c": "1"}}, "belongs to the pods a and b"),
        ("0,2-7", {}, "neither shared nor exclusive"),
        ("0-8", {}, "should not be"),
        ("1-7", {}, "reserved CPUs 0 are not shared"),
    ],
)
def test_a_violation_is_named(pool, assignments, said):
    assert any(said in one for one in found(pool, assignments))
