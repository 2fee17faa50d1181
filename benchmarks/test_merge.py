"""Merging three providers that each offer every set of NUMA nodes."""

from itertools import combinations

import pytest

from numa_conformance.reference.managers.hint import Hint
from numa_conformance.reference.managers.topology import policy_of
from numa_conformance.sources.options import TopologyOptions
from numa_conformance.sources.quirks.areas import TopologyQuirks


def every_hint(nodes):
    subsets = [
        sum(1 << node for node in chosen) for size in range(1, nodes + 1) for chosen in combinations(range(nodes), size)
    ]
    return [Hint(mask, False) for mask in subsets]


@pytest.mark.parametrize("nodes", [4, 8, 16])
@pytest.mark.parametrize("name", ["best-effort", "single-numa-node"])
def test_merge_of_three_dense_providers(benchmark, name, nodes):
    policy = policy_of(name, "container", TopologyOptions(), range(nodes), None, TopologyQuirks())
    hints = every_hint(nodes)
    merged = benchmark(policy.merge, [{"devices": hints}, {"cpu": hints}, {"memory": hints}])
    assert merged.admit is (name == "best-effort")
