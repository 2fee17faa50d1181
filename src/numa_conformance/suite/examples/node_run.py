"""``NodeRun``: a conversation with a target's node, remembered so that a finding can show it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from ...cpuset import CpuSet
from ...documentation.versions import KubernetesVersion
from ...errors import CpuSetSyntaxError
from ...machine import Machine, machine_to_dict
from ...protocol import Client
from ...protocol.faults import BadReply
from ...protocol.message import R, Request
from ...protocol.messages.node import (
    AdmitPod,
    Admitted,
    ContainerHolding,
    MemoryBlock,
    NodeStarted,
    PodStarted,
    ReadCheckpoints,
    Reconcile,
    Reconciled,
    Rejected,
    Removed,
    RemovePod,
    Restarted,
    RestartNode,
    RunPod,
    StartFailed,
    StartNode,
    UnknownPod,
)
from ..history.answers import read_answer
from ..telling.findings import Finding, scenario_json
from ..telling.pictures import drawn

__all__ = ["NodeRun", "PodOnNode", "read_set"]


PodAnswer = Admitted | Rejected | PodStarted | Removed | UnknownPod


class PodOnNode:
    """The answer about one pod, in sets instead of texts."""

    def __init__(self, answer: PodAnswer, uid: str) -> None:
        """Take the answer to a step about a pod."""
        self.uid = uid
        self.answer = answer

    @property
    def admitted(self) -> bool:
        """Whether the pod is on the node."""
        return isinstance(self.answer, Admitted)

    @property
    def reason(self) -> str | None:
        """The reason of a refusal."""
        return self.answer.reason if isinstance(self.answer, Rejected) else None

    @property
    def message(self) -> str | None:
        """The message of a refusal."""
        return self.answer.message if isinstance(self.answer, Rejected) else None

    @property
    def containers(self) -> Mapping[str, ContainerHolding]:
        """What each container holds."""
        return self.answer.containers if isinstance(self.answer, Admitted | PodStarted) else {}

    @property
    def pool(self) -> CpuSet:
        """The shared pool after the step."""
        return read_set(self.answer.default_cpuset, "default_cpuset")

    def cpus(self, container: str = "c") -> CpuSet:
        """Return the exclusive CPUs of a container; empty when it uses the shared pool."""
        return read_set(self._holding(container).cpus, f"containers.{container}.cpus")

    def devices(self, resource: str, container: str = "c") -> list[str]:
        """Return the devices of a container."""
        return list((self._holding(container).devices or {}).get(resource, []))

    def memory(self, container: str = "c") -> list[MemoryBlock]:
        """Return the memory blocks of a container."""
        return list(self._holding(container).memory or [])

    def amounts(self, container: str = "c") -> dict[str, int]:
        """Return the bytes of each type that a container has, in however many blocks."""
        amounts: dict[str, int] = {}
        for block in self.memory(container):
            amounts[block.type] = amounts.get(block.type, 0) + block.bytes
        return amounts

    def _holding(self, container: str) -> ContainerHolding:
        holding = self.containers.get(container)
        if holding is None:
            raise BadReply(f"the answer about pod {self.uid!r} says nothing of its container {container!r}")
        return holding


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
        self,
        client: Client,
        requirements: Sequence[str],
        kubernetes_version: KubernetesVersion | None = None,
        before_start: Callable[[Machine], None] = lambda machine: None,
    ) -> None:
        """Take the target, the requirements that the test checks, and the version to ask for if not the target's.

        ``before_start`` is told each machine before a node is brought up on it.
        """
        self._before_start = before_start
        self._version = None if kubernetes_version is None else str(kubernetes_version)
        self._client = client
        self._requirements = tuple(requirements)
        self._steps: list[dict[str, Any]] = []
        self._answers: list[dict[str, Any]] = []
        self._held: dict[str, CpuSet] = {}
        self.kubelet: dict[str, Any] = {}
        self.started: NodeStarted | None = None

    def start(self, machine: Machine, kubelet: Mapping[str, Any]) -> NodeStarted:
        """Bring up a node and fail when it refuses."""
        started = self.try_start(machine, kubelet)
        if isinstance(started, StartFailed):
            raise self.finding("the node does not come up", got=started.message, allowed="it does")
        return started

    def try_start(self, machine: Machine, kubelet: Mapping[str, Any]) -> NodeStarted | StartFailed:
        """Bring up a node, which may refuse."""
        self._before_start(machine)
        self.machine = machine
        self.kubelet = dict(kubelet)
        self._steps, self._answers, self._held = [], [], {}
        answer = self._ask(StartNode(machine_to_dict(machine), dict(kubelet), self._version))
        self.started = answer if isinstance(answer, NodeStarted) else None
        return answer

    def stays_down(self, machine: Machine, kubelet: Mapping[str, Any], *, allowed: str = "refused") -> None:
        """Bring up a node and fail unless it refuses."""
        started = self.try_start(machine, kubelet)
        self.check(isinstance(started, StartFailed), "the node comes up", got=started, allowed=allowed)

    @property
    def initial_pool(self) -> CpuSet:
        """The shared pool at the start."""
        assert self.started is not None
        return read_set(self.started.default_cpuset, "default_cpuset")

    @property
    def reserved(self) -> CpuSet:
        """The reserved CPUs, as the target names them at the start."""
        assert self.started is not None
        return read_set(self.started.reserved_cpus or "", "reserved_cpus")

    def admit(self, pod: Mapping[str, Any]) -> PodOnNode:
        """Admit a pod and fail when it is refused."""
        answer = self.try_admit(pod)
        self.check(answer.admitted, "the pod is refused", got=f"{answer.reason}: {answer.message}", allowed="admitted")
        return answer

    def try_admit(self, pod: Mapping[str, Any]) -> PodOnNode:
        """Ask the node to admit a pod, which it may refuse."""
        self._steps.append({"op": "admit", "pod": dict(pod)})
        answer = PodOnNode(self._take(AdmitPod(dict(pod))), pod["metadata"]["uid"])
        self._forget(answer.uid)
        for name in answer.containers:
            self._held[f"{answer.uid}/{name}"] = answer.cpus(name)
        return answer

    def run(self, uid: str) -> PodOnNode:
        """Start a pod's containers."""
        self._steps.append({"op": "start", "uid": uid})
        return PodOnNode(self._take(RunPod(uid)), uid)

    def remove(self, uid: str) -> PodOnNode:
        """Take a pod off the node."""
        self._steps.append({"op": "remove", "uid": uid})
        answer = PodOnNode(self._take(RemovePod(uid)), uid)
        self._forget(uid)
        return answer

    def reconcile(self) -> Reconciled:
        """Make one pass of the reconcile loop."""
        self._steps.append({"op": "reconcile"})
        return self._take(Reconcile())

    def checkpoints(self) -> dict[str, str]:
        """Ask for the state files."""
        return self._ask(ReadCheckpoints()).checkpoints

    def try_restart(
        self, kubelet: Mapping[str, Any] | None = None, files: Mapping[str, str | None] | None = None
    ) -> Restarted | StartFailed:
        """Restart the node agent, which may refuse to come up."""
        step: dict[str, Any] = {"op": "restart"}
        if files:
            self._steps.append({"op": "write", "files": dict(files)})
            self._answers.append({})
        if kubelet is not None:
            step["kubelet"] = dict(kubelet)
        self._steps.append(step)
        return self._take(
            RestartNode(None if kubelet is None else dict(kubelet), None if files is None else dict(files))
        )

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
            scenario=scenario_json(
                self.machine, self.kubelet, self._steps, self._answers, came_up=self.started is not None
            ),
            picture=drawn(self.machine, shown, {}),
        )

    def _take(self, question: Request[R]) -> R:
        """Ask what belongs to a step, and remember the answer beside it."""
        reply = self._ask(question)
        self._answers.append(msgspec.to_builtins(reply))
        return reply

    def _ask(self, question: Request[R]) -> R:
        """Ask; raises ``BadReply`` for an answer that says nothing, such as memory of NUMA node -1."""
        reply = self._client.ask(question)
        try:
            read_answer(question.method.name, msgspec.to_builtins(reply))
        except ValueError as error:
            raise BadReply(f"the answer to {question.method.name} says nothing: {error}") from error
        return reply

    def _forget(self, uid: str) -> None:
        for name in [name for name in self._held if name.startswith(f"{uid}/")]:
            del self._held[name]
