"""The outcome of the same pods on two targets, with or without resource claims, for those who move between them."""

import re
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..asking.drive import drive
from ..asking.generators.claims import ClaimScheduler, prepare, unprepare
from ..asking.generators.scenario import Answer, Question, Scenario, Script
from ..cpuset import CpuSet, format_bits, union
from ..errors import Fault, UsageError
from ..judging.pods import PodSpec
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
    """Bring up a node, let pods come in order and run, and ask for the state; raises ``TargetFault``.

    A pod at which a reference's kubelet crashes or hangs counts as refused, and the others live as if it had not come.
    """

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

    scenario, crashed = Scenario("moved", "pods", machine, script), list[Any]()
    while True:
        history, fault = drive(scenario, client, client.description.kubernetes_version)
        if fault is None:
            return replace(history, steps=(*history.steps[:-1], *crashed, history.steps[-1]))
        last, silent = history.steps[-1], re.search(r"raised Kubelet(?:Crashes|Hangs): (.*)", fault.message)
        if last.method != "node.admit" or not silent:
            raise fault
        answer = {"result": "rejected", "reason": "no answer", "message": silent[1]}
        crashed.append(replace(last, answer=answer, fault=None))
        pods = [pod for pod in pods if pod["metadata"]["uid"] != last.params["pod"]["metadata"]["uid"]]


def pod_outcomes(history: History) -> dict[str, PodOutcome]:
    """Return by uid what became of the pods of a node's life; empty where it did not come up."""
    by_uid: dict[str, PodOutcome] = {}
    state = history.steps[-1].answer or {}
    shared = CpuSet.parse(state.get("default_cpuset") or "").bits or history.head.machine.online_bits
    pods = [step.params["pod"] for step in history.steps if step.method == "node.admit"]
    ended = {
        (pod["metadata"]["uid"], container["name"])
        for pod in pods
        for container in pod["spec"].get("initContainers") or ()
        if container.get("restartPolicy") != "Always"
    }
    there = {
        (uid, name): (_runs_on(holding, shared), holding)
        for uid, holdings in (state.get("containers") or {}).items()
        for name, holding in holdings.items()
        if (uid, name) not in ended
    }
    containers = placed(history.head.machine, there)
    for step in history.steps:
        if step.method != "node.admit":
            continue
        uid, answer = step.params["pod"]["metadata"]["uid"], step.answer or {}
        if answer.get("result") == "admitted":
            by_uid[uid] = PodOutcome(containers.get(uid, {}))
        else:
            by_uid[uid] = PodOutcome({}, str(answer.get("reason")), str(answer.get("message")))
    return by_uid


def _runs_on(holding: Mapping[str, Any], shared: int) -> int:
    cpuset = holding.get("cpuset") or holding.get("cpus")
    return CpuSet.parse(cpuset).bits if cpuset else shared


def placed(machine: Machine, held: Mapping[ContainerKey, Holding]) -> dict[str, dict[str, ContainerOutcome]]:
    """Return by uid and container where each may run, and beside whom: all that are there share the machine."""
    by_uid: dict[str, dict[str, ContainerOutcome]] = {}
    for (uid, name), (cpus, holding) in held.items():
        others = union(theirs for other, (theirs, _) in held.items() if other != (uid, name))
        by_uid.setdefault(uid, {})[name] = ContainerOutcome(
            cpus,
            alone=not cpus & others,
            shared_cores=sum(bool(core & cpus and core & others) for core in machine.core_bits),
            sockets=tuple(socket for socket, bits in machine.socket_bits.items() if bits & cpus),
            nodes=tuple(node for node, bits in machine.numa_bits.items() if bits & cpus),
            mems=_mems(machine, holding),
            devices=holding.get("devices") or {},
        )
    return by_uid


def _mems(machine: Machine, holding: Mapping[str, Any]) -> tuple[int, ...] | None:
    if holding.get("memory"):
        return tuple(sorted({node for block in holding["memory"] for node in block["nodes"]}))
    mems = tuple(CpuSet.parse(holding.get("mems") or ""))
    return mems if mems and {*mems} < {*machine.numa_ids} else None


Step = Generator[Question, Answer, PodOutcome | None]
"""Asks, and returns how the pod was refused, if it was."""
_ACCEPTED = "a command that brings the driver up, with {kubeconfig} and {node_name}, and a --machine that it knows"
_LOOK = "looks"
"""A container that runs before any pod: whether the driver keeps those without a claim to some CPUs."""


def outcomes_with_claims(
    client: Client, machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]
) -> dict[str, PodOutcome]:
    """Return each pod's outcome by uid; raises ``UsageError`` if the driver fails to start, and ``TargetFault``."""
    lives = _Lives(str(kubelet.get("reservedSystemCPUs") or ""), [PodSpec.of(pod) for pod in pods])
    scenario = Scenario("moved", "pods with claims", machine, lives.script)
    _, fault = drive(scenario, client, client.description.kubernetes_version)
    if fault is not None:
        raise fault
    if lives.not_up:
        raise UsageError(Fault("", f"the driver does not come up: {lives.not_up}", _ACCEPTED))
    return lives.outcomes(machine)


@dataclass
class _Lives:
    """Pods that come in order, and what became of them.

    ``not_up``: why the driver is not there. ``claimed``: by uid and container the CPUs of its claim. ``unclaimed``: the
    containers without one, by the names that the driver hears. ``shared``: what these may run on at last, where the
    driver keeps them to some CPUs.
    """

    reserved: str
    pods: Sequence[PodSpec]
    not_up: str = ""
    claimed: dict[ContainerKey, str] = field(default_factory=dict)
    unclaimed: dict[ContainerKey, str] = field(default_factory=dict)
    refused: dict[str, PodOutcome] = field(default_factory=dict)
    shared: Mapping[str, str] = field(default_factory=dict)
    _keeps_others: bool = False
    _count: int = 0

    def script(self) -> Script:
        """Start the driver, let the pods come, and ask what containers without a claim may run on."""
        answer = yield "claims.start", {"reserved_cpus": self.reserved}
        if answer["result"] != "started":
            self.not_up = answer["message"]
            return
        scheduler = ClaimScheduler(answer)
        answer = yield "claims.run", {"name": _LOOK}
        self._keeps_others = answer["result"] == "runs"
        yield "claims.end", {"name": _LOOK}
        for pod in self.pods:
            yield from self._come(scheduler, pod)
        answer = yield "claims.end", {"name": _LOOK}  # it has ended: for the answer alone
        self.shared = answer.get("shared") or {}

    def _come(self, scheduler: ClaimScheduler, pod: PodSpec) -> Script:
        """Have all claims of a pod allocated, then prepared, then start its containers without one."""
        stays = [container for container in pod.containers if container.kind != "init"]
        claims: dict[str, dict[str, Any]] = {}
        refused = None
        for container in stays:
            if container.exclusive and (claim := scheduler.allocate_count(container.exclusive)):
                claims[container.name] = claim
            elif container.exclusive:
                refused = PodOutcome({}, "Unschedulable", f"no device has {container.exclusive} CPUs left")
        refused = refused or (yield from self._prepare(scheduler, pod, claims))
        refused = refused or (
            yield from self._start(pod, [container.name for container in stays if not container.exclusive])
        )
        if refused is None:
            return
        self.refused[pod.uid] = refused
        for key in [each for each in self.unclaimed if each[0] == pod.uid]:
            yield "claims.end", {"name": self.unclaimed.pop(key)}
        for name, claim in claims.items():
            if self.claimed.pop((pod.uid, name), None) is not None:
                yield unprepare(claim["metadata"]["uid"])
            scheduler.release(claim["metadata"]["uid"])

    def _prepare(self, scheduler: ClaimScheduler, pod: PodSpec, claims: Mapping[str, dict[str, Any]]) -> Step:
        for name, claim in claims.items():
            answer = yield prepare(claim)
            if answer["result"] != "prepared":
                return PodOutcome({}, "FailedPrepareDynamicResources", answer["message"])
            self.claimed[pod.uid, name] = answer["cpus"]
            if answer.get("claim"):
                scheduler.take_over(claim["metadata"]["uid"], answer["claim"]["status"])
        return None

    def _start(self, pod: PodSpec, without_claim: Sequence[str]) -> Step:
        for name in without_claim:
            self._count += 1
            self.unclaimed[pod.uid, name] = f"beside-{self._count}"
            if self._keeps_others:
                answer = yield "claims.run", {"name": self.unclaimed[pod.uid, name]}
                if answer["result"] != "runs":
                    return PodOutcome({}, "FailedCreate", answer["message"])
        return None

    def outcomes(self, machine: Machine) -> dict[str, PodOutcome]:
        cpus_of = {key: CpuSet.parse(cpus).bits for key, cpus in self.claimed.items()}
        for key, name in self.unclaimed.items():
            cpus_of[key] = CpuSet.parse(self.shared[name]).bits if name in self.shared else machine.online_bits
        containers = placed(machine, {key: (cpus, {}) for key, cpus in cpus_of.items()})
        return {pod.uid: self.refused.get(pod.uid) or PodOutcome(containers.get(pod.uid, {})) for pod in self.pods}
