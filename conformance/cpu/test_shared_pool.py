"""The shared pool and the reservation."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/reservation/explicit-list-must-exist")
def test_refuses_reserved_cpus_that_are_not_online(node: NodeRun, machine: Machine) -> None:
    beyond = machine.cpus[-1].id + 7
    node.stays_down(machine, static(reserved=f"0,{beyond}"), allowed=f"refused: CPU {beyond} is no CPU")


@requirement("cpu-manager/reservation/rounds-up")
@pytest.mark.parametrize(("cpu", "count"), [("500m", 1), ("1", 1), ("1500m", 2), ("2100m", 3)])
def test_a_fraction_reserves_a_whole_cpu(node: NodeRun, machine: Machine, cpu: str, count: int) -> None:
    node.start(machine, static(reserved="", kubeReserved={"cpu": cpu}))
    node.check(len(node.reserved) == count, "the number of reserved CPUs is wrong", got=node.reserved, allowed=count)
