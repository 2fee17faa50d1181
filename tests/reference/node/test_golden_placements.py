"""Where the documented reference puts a fixed row of pods: what a change of it moves is read in the snapshots."""

import pytest
from syrupy.assertion import SnapshotAssertion

from numa_conformance.asking.examples.goldens import MACHINES, place
from numa_conformance.asking.examples.node_run import NodeRun
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.options import STATIC_OPTIONS
from numa_conformance.wire import Client, InProcess


@pytest.mark.parametrize("option", ["static", *STATIC_OPTIONS])
def test_pods_are_placed_as_before(option: str, snapshot: SnapshotAssertion):
    client = Client(InProcess(lambda: ReferenceTarget(level="documented"), "reference"))
    told = [place(NodeRun(client, "exact/placements/static"), machine, option) for machine in MACHINES[:7]]
    assert "\n".join(told) == snapshot
