"""Golden placements: where the kubelet puts a fixed row of pods, as maps that a person can read in a diff."""

from __future__ import annotations

import pytest

from numa_conformance.asking.examples.goldens import MACHINES, Golden, place
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.asking.findings.findings import Finding
from numa_conformance.sources.options import STATIC_OPTIONS

pytestmark = [pytest.mark.exact, pytest.mark.surfaces("node")]

OPTIONS = ["static", *STATIC_OPTIONS]


@pytest.mark.parametrize("machine_name", MACHINES)
@pytest.mark.parametrize(
    "option", [pytest.param(name, marks=pytest.mark.requirement(f"exact/placements/{name}")) for name in OPTIONS]
)
def test_pods_are_placed_as_the_kubelet_does(
    node: NodeRun, golden: Golden, requirements: tuple[str, ...], machine_name: str, option: str
) -> None:
    difference = golden.difference(place(node, machine_name, option))
    if difference:
        why = f"the placements differ from {golden.named}:\n{difference}"
        # Beside a policy of the target's own there is no answer of the kubelet to show.
        raise Finding(requirements, why) if golden.policy else node.finding(why)
