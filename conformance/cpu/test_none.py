"""CPU Manager policy none."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import best_effort, guaranteed, kubelet

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/none/needs-no-reservation")
def test_comes_up_without_a_reservation(node: NodeRun, machine: Machine) -> None:
    node.start(machine, kubelet(cpuManagerPolicy="none"))


@requirement("cpu-manager/reconcile/none-writes-nothing")
def test_reconcile_writes_no_cpuset(node: NodeRun, machine: Machine) -> None:
    node.start(machine, kubelet(cpuManagerPolicy="none"))
    for name, subject in (("b", best_effort("b")), ("a", guaranteed("a", 2))):
        node.admit(subject)
        node.run(name)
    updates = node.reconcile().updates
    node.check(not updates, "cpusets are written under policy none", got=updates, allowed="no update")
