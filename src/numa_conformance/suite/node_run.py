"""``NodeRun``: a conversation with a target's node, remembered so that a finding can show it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from ..cpuset import CpuSet
from ..documentation.versions import KubernetesVersion
from ..errors import CpuSetSyntaxError
from ..machine import Machine, machine_to_dict
from ..machine.picture import allocation_map
from ..protocol import Client, wire
from ..protocol.faults import BadReply
from .findings import Finding, scenario_json

__all__ = ["NodeRun", "PodOnNode", "read_set"]


class PodOnNode:
    """The answer about one pod, in sets instead of texts."""

    def __init__(self, answer: wire.PodAnswer, uid: str) -> None:
        """Take the answer of an admission or a start."""
        self.uid = uid
        self.answer = answer

    @property
    def admitted(self) -> bool:
        """Whether the pod is on the node."""
        return self.answer.result == "admitted"

    @property
    def reason(self) -> str | None:
        """The reason of a refusal."""
        return self.answer.reason

    @property
    def pool(self) -> CpuSet:
        """The shared pool after the step."""
        return read_set(self.answer.default_cpuset or "", "default_cpuset")

    def cpus(self, container: str = "c") -> CpuSet:
        """Return the exclusive CPUs of a container; empty when it uses the shared pool."""
        return read_set(self._holding(container).cpus, f"containers.{container}.cpus")

    def devices(self, resource: str, container: str = "c") -> list[str]:
        """Return the devices of a container."""
        return list((self._holding(container).devices or {}).get(resource, []))

    def memory(self, container: str = "c") -> list[wire.MemoryBlock]:
        """Return the memory blocks of a container."""
        return list(self._holding(container).memory or [])

    @property
    def all_cpus(self) -> CpuSet:
        """The exclusive CPUs of all its containers."""
        union = CpuSet()
        for name in self.answer.containers or {}:
            union |= self.cpus(name)
        return union

    def _holding(self, container: str) -> wire.ContainerHolding:
        found = (self.answer.containers or {}).get(container)
        if found is None:
            raise BadReply(f"the answer about pod {self.uid!r} says nothing of its container {container!r}")
        return found


def read_set(text: str, field: str) -> CpuSet:
    """Read a set of CPUs that a target answered; raises ``BadReply``."""
    try:
        return CpuSet.parse(text)
    except CpuSetSyntaxError as error:
        raise BadReply(f"{field}: {error}") from error


class NodeRun:
    """Asks a target's node step by step.

    ``check`` raises a ``Finding`` that names the requirements of the test and shows the conversation so far.
    """

    def __init__(
        self, client: Client, requirements: Sequence[str], kubernetes_version: KubernetesVersion | None = None
    ) -> None:
        """Take the target, the requirements that the test checks, and the version to ask for if not the target's."""
        self._version = None if kubernetes_version is None else str(kubernetes_version)
        self._client = client
        self._requirements = tuple(requirements)
        self._steps: list[dict[str, Any]] = []
        self._answers: list[dict[str, Any]] = []
        self._held: dict[str, CpuSet] = {}
        self.kubelet: dict[str, Any] = {}
        self.started: wire.NodeStarted | None = None

    def start(self, machine: Machine, kubelet: Mapping[str, Any]) -> wire.NodeStarted:
        """Bring up a node and fail when it refuses."""
        started = self.try_start(machine, kubelet)
        self.check(
            started.construction_error is None,
            "the node does not come up",
            got=started.construction_error,
            allowed="it does",
        )
        return started

    def try_start(self, machine: Machine, kubelet: Mapping[str, Any]) -> wire.NodeStarted:
        """Bring up a node, which may refuse."""
        self.machine = machine
        self.kubelet = dict(kubelet)
        self._steps, self._answers, self._held = [], [], {}
        answer = self._client.ask(
            wire.StartNode(machine_to_dict(machine), dict(kubelet), kubernetesVersion=self._version)
        )
        assert isinstance(answer, wire.NodeStarted)
        self.started = answer
        return answer

    @property
    def initial_pool(self) -> CpuSet:
        """The shared pool at the start."""
        assert self.started is not None
        return read_set(self.started.default_cpuset or "", "default_cpuset")

    @property
    def reserved(self) -> CpuSet:
        """The reserved CPUs, as the target names them at the start."""
        assert self.started is not None
        return read_set(self.started.reserved_cpus or "", "reserved_cpus")

    @property
    def online(self) -> CpuSet:
        """All online CPUs of the machine."""
        return CpuSet.from_bits(self.machine.online_bits)

    def admit(self, pod: Mapping[str, Any]) -> PodOnNode:
        """Admit a pod and fail when it is refused."""
        answer = self.try_admit(pod)
        self.check(
            answer.admitted, "the pod is refused", got=f"{answer.reason}: {answer.answer.message}", allowed="admitted"
        )
        return answer

    def try_admit(self, pod: Mapping[str, Any]) -> PodOnNode:
        """Ask the node to admit a pod, which it may refuse."""
        self._steps.append({"op": "admit", "pod": dict(pod)})
        reply = self._take(wire.AdmitPod(dict(pod)))
        assert isinstance(reply, wire.PodAnswer)
        if reply.result not in ("admitted", "rejected"):
            raise BadReply(f"node.admit answered {reply.result!r}, accepted are admitted and rejected")
        answer = PodOnNode(reply, pod["metadata"]["uid"])
        self._forget(answer.uid)
        if answer.admitted:
            for name in reply.containers or {}:
                self._held[f"{answer.uid}/{name}"] = answer.cpus(name)
        return answer

    def run(self, uid: str) -> PodOnNode:
        """Start a pod's containers."""
        self._steps.append({"op": "start", "uid": uid})
        reply = self._take(wire.RunPod(uid))
        assert isinstance(reply, wire.PodAnswer)
        return PodOnNode(reply, uid)

    def remove(self, uid: str) -> PodOnNode:
        """Take a pod off the node."""
        self._steps.append({"op": "remove", "uid": uid})
        reply = self._take(wire.RemovePod(uid))
        assert isinstance(reply, wire.PodAnswer)
        self._forget(uid)
        return PodOnNode(reply, uid)

    def state(self) -> wire.NodeStateReply:
        """Ask for all that is on the node."""
        reply = self._client.ask(wire.ReadState())
        assert isinstance(reply, wire.NodeStateReply)
        return reply

    def reconcile(self) -> wire.ReconcileReply:
        """Make one pass of the reconcile loop."""
        self._steps.append({"op": "reconcile"})
        reply = self._take(wire.Reconcile())
        assert isinstance(reply, wire.ReconcileReply)
        return reply

    def checkpoints(self) -> dict[str, str]:
        """Ask for the state files."""
        reply = self._client.ask(wire.ReadCheckpoints())
        assert isinstance(reply, wire.Checkpoints)
        return reply.checkpoints

    def restart(
        self, kubelet: Mapping[str, Any] | None = None, files: Mapping[str, str | None] | None = None
    ) -> wire.RestartReply:
        """Restart the node agent, with another configuration or other state files."""
        step: dict[str, Any] = {"op": "restart"}
        if files:
            self._steps.append({"op": "write", "files": dict(files)})
            self._answers.append({})
        if kubelet is not None:
            step["kubelet"] = dict(kubelet)
        self._steps.append(step)
        question = wire.RestartNode(None if kubelet is None else dict(kubelet), None if files is None else dict(files))
        reply = self._take(question)
        assert isinstance(reply, wire.RestartReply)
        return reply

    def check(self, holds: object, why: str, *, got: object = None, allowed: object = None) -> None:
        """Raise a ``Finding`` unless ``holds``."""
        __tracebackhide__ = True
        if not holds:
            raise self.finding(why, got=got, allowed=allowed)

    def finding(self, why: str, *, got: object = None, allowed: object = None) -> Finding:
        """Make a finding of the conversation so far."""
        if isinstance(got, msgspec.Struct):
            got = msgspec.to_builtins(got)
        shown = {name: cpus.bits for name, cpus in self._held.items() if cpus}
        return Finding(
            self._requirements,
            why,
            got=str(got) if isinstance(got, CpuSet) else got,
            allowed=str(allowed) if isinstance(allowed, CpuSet) else allowed,
            scenario=scenario_json(self.machine, self.kubelet, self._steps, self._answers),
            picture=allocation_map(self.machine, shown) if shown else "",
        )

    def _take(self, question: wire.Message) -> wire.Message:
        """Ask what belongs to a step, and remember the answer beside it."""
        reply: wire.Message = self._client.ask(question)
        self._answers.append(msgspec.to_builtins(reply))
        return reply

    def _forget(self, uid: str) -> None:
        for name in [name for name in self._held if name.startswith(f"{uid}/")]:
            del self._held[name]
