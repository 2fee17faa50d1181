"""What became of the same pods beside two targets: what changes for them who moves from one to the other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..asking.drive import drive
from ..asking.generators.scenario import Scenario, Script
from ..cpuset import CpuSet, format_bits
from ..machine import Machine
from ..wire import Client
from ..wire.history.history import History

ContainerKey = tuple[str, str]
"""A pod's uid, and the name of a container."""
Holding = tuple[int, Mapping[str, Any]]
"""The CPUs that a container may run on, and what else a target told of what it holds."""
ACCEPTED = "a --machine and --config with which both come up"


@dataclass(frozen=True, slots=True)
class ContainerOutcome:
    """Where a container may run when all pods are there.

    ``cpus``: bits of CPUs. ``alone``: no other container may run on any of them. ``shared_cores``: the cores of which
    another container may use a thread. ``mems``: the NUMA nodes of its memory, where it is kept to some. ``devices``:
    resource to ids.
    """

    cpus: int
    alone: bool
    shared_cores: int
    sockets: tuple[int, ...]
    nodes: tuple[int, ...]
    mems: tuple[int, ...] | None = None
    devices: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        return {
            "cpus": format_bits(self.cpus),
            "count": self.cpus.bit_count(),
            "alone": self.alone,
            "sharedCores": self.shared_cores,
            "sockets": list(self.sockets),
            "numaNodes": list(self.nodes),
            "memoryNodes": None if self.mems is None else list(self.mems),
            "devices": {resource: list(ids) for resource, ids in self.devices.items()},
        }


@dataclass(frozen=True, slots=True)
class PodOutcome:
    """What became of a pod: its containers, or the reason and message with which it was refused."""

    containers: Mapping[str, ContainerOutcome]
    reason: str = ""
    message: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        if self.reason:
            return {"result": "rejected", "reason": self.reason, "message": self.message}
        return {"result": "admitted", "containers": {name: fate.to_dict() for name, fate in self.containers.items()}}


def lived(client: Client, machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]) -> History:
    """Bring up a node, let pods come in order and run, and ask for the state; raises ``TargetFault``."""

    def script() -> Script:
        started = yield "node.start", {"kubelet": kubelet}
        if started["result"] != "started":
            return
        for pod in pods:
            answer = yield "node.admit", {"pod": pod}
            if answer["result"] == "admitted":
                yield "node.run", {"uid": pod["metadata"]["uid"]}
        if "cpu-manager/reconcile" in client.features:
            yield "node.reconcile", {}
        yield "node.state", {}

    scenario = Scenario("moved", "pods", machine, script)
    history, fault = drive(scenario, client, client.description.kubernetes_version)
    if fault is not None:
        raise fault
    return history


def pod_outcomes(history: History) -> dict[str, PodOutcome]:
    """Return by uid what became of the pods of a node's life; empty where it did not come up."""
    by_uid: dict[str, PodOutcome] = {}
    containers = placed(history.head.machine, _held(history))
    for step in history.steps:
        if step.method != "node.admit":
            continue
        uid, answer = step.params["pod"]["metadata"]["uid"], step.answer or {}
        if answer.get("result") == "admitted":
            by_uid[uid] = PodOutcome(containers.get(uid, {}))
        else:
            by_uid[uid] = PodOutcome({}, str(answer.get("reason")), str(answer.get("message")))
    return by_uid


def _held(history: History) -> dict[ContainerKey, Holding]:
    """Return by uid and container the CPUs that each may run on at last, and what the target told of it."""
    state = history.steps[-1].answer or {}
    shared = CpuSet.parse(state.get("default_cpuset") or "").bits or history.head.machine.online_bits
    ended = _ended(history)
    return {
        (uid, name): (_runs_on(holding, shared), holding)
        for uid, containers in (state.get("containers") or {}).items()
        for name, holding in containers.items()
        if (uid, name) not in ended
    }


def _ended(history: History) -> set[tuple[str, str]]:
    """Return the ordinary init containers, which have ended when all pods are there."""
    pods = [step.params["pod"] for step in history.steps if step.method == "node.admit"]
    return {
        (pod["metadata"]["uid"], container["name"])
        for pod in pods
        for container in pod["spec"].get("initContainers") or ()
        if container.get("restartPolicy") != "Always"
    }


def _runs_on(holding: Mapping[str, Any], shared: int) -> int:
    cpuset = holding.get("cpuset") or holding.get("cpus")
    return CpuSet.parse(cpuset).bits if cpuset else shared


def placed(machine: Machine, held: Mapping[ContainerKey, Holding]) -> dict[str, dict[str, ContainerOutcome]]:
    """Return by uid and container where each may run, and beside whom: all that are there share the machine."""
    by_uid: dict[str, dict[str, ContainerOutcome]] = {}
    for uid, name in held:
        by_uid.setdefault(uid, {})[name] = _fate(machine, held, (uid, name))
    return by_uid


def _fate(machine: Machine, held: Mapping[ContainerKey, Holding], key: ContainerKey) -> ContainerOutcome:
    cpus, holding = held[key]
    others = 0
    for other, (theirs, _) in held.items():
        others |= theirs if other != key else 0
    return ContainerOutcome(
        cpus,
        alone=not cpus & others,
        shared_cores=sum(bool(core & cpus and core & others) for core in machine.core_bits),
        sockets=tuple(socket for socket, bits in machine.socket_bits.items() if bits & cpus),
        nodes=tuple(node for node, bits in machine.numa_bits.items() if bits & cpus),
        mems=_mems(machine, holding),
        devices=holding.get("devices") or {},
    )


def _mems(machine: Machine, holding: Mapping[str, Any]) -> tuple[int, ...] | None:
    """Return the NUMA nodes of a container's memory; None where it may be anywhere."""
    if holding.get("memory"):
        return tuple(sorted({node for block in holding["memory"] for node in block["nodes"]}))
    mems = tuple(CpuSet.parse(holding.get("mems") or ""))
    return mems if mems and {*mems} < {*machine.numa_ids} else None
