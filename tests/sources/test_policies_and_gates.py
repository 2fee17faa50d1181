import pytest

from numa_conformance.sources.gates import GATES
from numa_conformance.sources.pages import PAGES
from numa_conformance.sources.policies import (
    CPU_POLICIES,
    MEMORY_POLICIES,
    POLICIES,
    SCORING_STRATEGIES,
    TOPOLOGY_POLICIES,
    TOPOLOGY_SCOPES,
)


def test_policies_are_those_of_the_pages():
    assert CPU_POLICIES == ("none", "static")
    assert MEMORY_POLICIES == ("None", "Static", "BestEffort")
    assert TOPOLOGY_POLICIES == ("none", "best-effort", "restricted", "single-numa-node")
    assert TOPOLOGY_SCOPES == ("container", "pod")
    assert SCORING_STRATEGIES == ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")


@pytest.mark.parametrize("record", [*POLICIES, *GATES.values()], ids=lambda record: record.name)
def test_every_policy_and_gate_has_its_place_on_a_page(record):
    assert record.source.anchor
    assert record.source.page in PAGES.values()


def test_a_gate_that_is_gone_is_looked_up_among_the_removed():
    assert "/feature-gates-removed/#TopologyManager" in GATES["TopologyManager"].source.address
    assert "/feature-gates/#PodLevelResources" in GATES["PodLevelResources"].source.address


def test_a_locked_gate_stays_locked_until_it_is_gone():
    for gate in GATES.values():
        states = [state for _, state in gate.history.steps]
        first = next((index for index, state in enumerate(states) if state.locked), len(states))
        assert all(state.locked or state.stage == "gone" for state in states[first:]), gate.name


def test_a_gate_needs_gates_that_are_listed():
    assert all(need in GATES for gate in GATES.values() for need in gate.needs)
