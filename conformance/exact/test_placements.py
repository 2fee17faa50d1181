"""Golden placements: where the kubelet puts a fixed row of pods, as maps that a person can read in a diff."""

from __future__ import annotations

import pytest

from numa_conformance.cpuset import CpuSet
from numa_conformance.documentation.options import STATIC_OPTIONS
from numa_conformance.machine import load_machine
from numa_conformance.machine.picture import allocation_map
from numa_conformance.protocol.messages.node import StartFailed
from numa_conformance.suite.goldens import Golden
from numa_conformance.suite.node_run import NodeRun
from numa_conformance.suite.workloads import burstable, guaranteed, static

pytestmark = [pytest.mark.exact, pytest.mark.surfaces("node")]

MACHINES = [
    "t1-one-socket-smt2",
    "t2-two-sockets-interleaved",
    "t3-two-numa-per-socket",
    "t4-four-uncores",
    "t6-eight-numa-no-smt",
    "t7-adjacent-siblings",
    "uneven-nodes",
    "offline-cpus",
    "four-sockets-smt4",
    "amd-milan-7763-nps4",
]
OPTIONS = ["static", *STATIC_OPTIONS]
SIZES = (2, 1, 4, 3, 6, 2, 10, 16)
"""CPUs of the pods, admitted one after the other; the third leaves before the sixth comes."""


@pytest.mark.parametrize("machine_name", MACHINES)
@pytest.mark.parametrize(
    "option", [pytest.param(name, marks=pytest.mark.requirement(f"exact/placements/{name}")) for name in OPTIONS]
)
def test_pods_are_placed_as_the_kubelet_does(node: NodeRun, golden: Golden, machine_name: str, option: str) -> None:
    difference = golden.difference(place(node, machine_name, option))
    if difference:
        raise node.finding(f"the placements differ from the golden ones:\n{difference}")


def place(node: NodeRun, machine_name: str, option: str) -> str:
    """Admit the row of pods and return what became of each, with a map of the machine."""
    machine = load_machine(machine_name)
    options = () if option == "static" else (option,)
    reserved = str(CpuSet.from_bits(machine.core_bits[0]))
    started = node.try_start(machine, static(*options, reserved=reserved, topology="best-effort"))
    lines = [f"{machine.name}, {option}, best-effort, reserved {reserved}"]
    if isinstance(started, StartFailed):
        return "\n".join([*lines, f"does not come up: {started.message}", ""])
    owners = {"reserved": CpuSet.parse(reserved).bits}
    for index, size in enumerate(SIZES):
        name = f"p{index}"
        if index == 5:
            node.remove("p2")
            owners.pop("p2", None)
        answer = node.try_admit(guaranteed(name, size))
        if answer.admitted:
            owners[name] = answer.cpus().bits
            lines.append(f"{name}: {size} CPUs on {answer.cpus()}")
        else:
            lines.append(f"{name}: {size} CPUs refused, {answer.reason}: {answer.message}")
    lines.append(f"shared pool: {node.admit(burstable('shared', 1)).pool}")
    return "\n".join([*lines, "", allocation_map(machine, owners), ""])
