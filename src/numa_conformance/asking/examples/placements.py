"""Where a target puts a fixed row of pods, as a map that a person can read in a diff."""

from ...cpuset import CpuSet
from ...machine import load_machine
from ...machine.picture import PlacementMap
from ...wire.messages.node import Admitted, StartFailed
from ..generators.workloads import burstable, guaranteed, static
from .node_run import NodeRun, cpus_of, pool_of

MACHINES = (
    *("t1-one-socket-smt2", "t2-two-sockets-interleaved", "t3-two-numa-per-socket", "t4-four-uncores"),
    *("t6-eight-numa-no-smt", "t7-adjacent-siblings", "uneven-nodes", "offline-cpus", "four-sockets-smt4"),
    "amd-milan-7763-nps4",
)
SIZES = (2, 1, 4, 3, 6, 2, 10, 16)
"""CPUs of the pods, admitted one after the other; the third leaves before the sixth comes."""


def place(node: NodeRun, machine_name: str, option: str) -> str:
    """Admit the row of pods and return what became of each, with a map of the machine."""
    machine = load_machine(machine_name)
    options = () if option == "static" else (option,)
    reserved = str(CpuSet.from_bits(machine.core_bits[0]))
    started = node.try_start(machine, static(*options, reserved=reserved, topology="best-effort"))
    lines = [f"{machine.name}, {option}, best-effort, reserved {reserved}"]
    if isinstance(started, StartFailed):
        return "\n".join([*lines, f"does not come up: {started.message}", ""])
    held = {"reserved": CpuSet.parse(reserved)}
    for index, size in enumerate(SIZES):
        name = f"p{index}"
        if index == 5:
            node.remove("p2")
            held.pop("p2", None)
        answer = node.try_admit(guaranteed(name, size))
        if isinstance(answer, Admitted):
            held[name] = cpus_of(answer)
            lines.append(f"{name}: {size} CPUs on {held[name]}")
        else:
            lines.append(f"{name}: {size} CPUs refused, {answer.reason}: {answer.message}")
    lines.append(f"shared pool: {pool_of(node.admit(burstable('shared', 1)))}")
    return str(PlacementMap(machine, held, lines))
