"""Restarts of the node agent on state files that it must not take."""

from __future__ import annotations

import pytest

from numa_conformance.machine import Machine, load_machine
from numa_conformance.protocol.faults import BadReply
from numa_conformance.protocol.messages.node import StartFailed
from numa_conformance.suite.examples.node_run import NodeRun
from numa_conformance.suite.generators.workloads import guaranteed, static

pytestmark = pytest.mark.surfaces("node")
requirement = pytest.mark.requirement


@requirement("cpu-manager/state-file/changed-cpus-are-refused")
def test_a_file_of_other_cpus_is_refused(node: NodeRun) -> None:
    node.start(load_machine("t3-two-numa-per-socket"), static())
    node.admit(guaranteed("a", 2))
    foreign = node.checkpoints().get("cpu_manager_state")
    if foreign is None:
        raise BadReply("node.checkpoints does not name the file cpu_manager_state")
    node.start(load_machine("t1-one-socket-smt2"), static())
    reply = node.try_restart(files={"cpu_manager_state": foreign})
    node.check(
        isinstance(reply, StartFailed), "the node comes up with CPUs it does not have", got=reply, allowed="failed"
    )


@requirement("cpu-manager/state-file/strict-change-is-refused")
def test_strict_reservation_needs_the_file_deleted(node: NodeRun, machine: Machine) -> None:
    node.start(machine, static())
    reply = node.try_restart(static("strict-cpu-reservation"))
    node.check(isinstance(reply, StartFailed), "the node comes up, reserved CPUs shared", got=reply, allowed="failed")
