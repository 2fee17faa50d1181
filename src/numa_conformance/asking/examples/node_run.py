"""``NodeRun``: a conversation with a target's node, question by question, for cases that no checker judges."""

from collections.abc import Callable, Mapping
from typing import Any

from ...cpuset import CpuSet
from ...judging.chapter import Violation
from ...judging.verdicts import Broken
from ...machine import Machine, machine_to_dict
from ...sources.versions import KubernetesVersion
from ...wire import Client
from ...wire.faults import BadReply
from ...wire.history.answers import StartedNode
from ...wire.history.history import Head, History, Step
from ...wire.message import Message
from ...wire.messages.node import Admitted, PodStarted, Rejected, Removed, Restarted, StartFailed, UnknownPod
from ..findings.findings import Finding
from ..findings.telling import finding_of

PoolAnswer = Admitted | Rejected | PodStarted | Removed | UnknownPod | Restarted
"""The answers that tell the shared pool."""


class NodeRun:
    """Asks a target's node, and remembers what it answers so that a finding can show it."""

    def __init__(
        self,
        client: Client,
        requirement: str,
        kubernetes_version: KubernetesVersion | None = None,
        before_start: Callable[[Machine], None] = lambda machine: None,
    ) -> None:
        """Take the target, the requirement of the case, and the version to ask for if not the target's.

        ``before_start`` is told each machine before a node is brought up on it.
        """
        self._before_start = before_start
        self._client = client
        self._requirement = requirement
        self._version = {} if kubernetes_version is None else {"kubernetes_version": str(kubernetes_version)}
        self._steps: list[Step] = []

    def start(self, machine: Machine, kubelet: Mapping[str, Any]) -> StartedNode:
        """Bring up a node; raises a ``Finding`` when it refuses."""
        started = self.try_start(machine, kubelet)
        if isinstance(started, StartFailed):
            raise self.finding("the node does not come up", started.message, "it does")
        return started

    def try_start(self, machine: Machine, kubelet: Mapping[str, Any]) -> StartedNode | StartFailed:
        """Bring up a node, which may refuse; what was asked before is forgotten."""
        self._before_start(machine)
        self._machine, self._steps = machine, []
        answer = self._ask("node.start", {"kubelet": dict(kubelet), **self._version})
        assert isinstance(answer, StartedNode | StartFailed)
        return answer

    def admit(self, pod: Mapping[str, Any]) -> Admitted:
        """Admit a pod; raises a ``Finding`` when it is refused."""
        answer = self.try_admit(pod)
        if isinstance(answer, Rejected):
            raise self.finding("the pod is refused", f"{answer.reason}: {answer.message}", "admitted")
        return answer

    def try_admit(self, pod: Mapping[str, Any]) -> Admitted | Rejected:
        """Ask the node to admit a pod, which it may refuse."""
        answer = self._ask("node.admit", {"pod": dict(pod)})
        assert isinstance(answer, Admitted | Rejected)
        return answer

    def run(self, uid: str) -> PodStarted | UnknownPod:
        """Start a pod's containers."""
        answer = self._ask("node.run", {"uid": uid})
        assert isinstance(answer, PodStarted | UnknownPod)
        return answer

    def remove(self, uid: str) -> Removed | UnknownPod:
        """Take a pod off the node."""
        answer = self._ask("node.remove", {"uid": uid})
        assert isinstance(answer, Removed | UnknownPod)
        return answer

    def try_restart(self) -> Restarted | StartFailed:
        """Start the node agent anew, which may fail."""
        answer = self._ask("node.restart", {})
        assert isinstance(answer, Restarted | StartFailed)
        return answer

    def finding(self, why: str, got: str = "", allowed: str = "") -> Finding:
        """Make a finding of the conversation so far."""
        description = self._client.description
        target = f"{description.name} {description.version}"
        head = Head("case", "of the suite", 0, self._machine, description.kubernetes_version, target)
        history = History(head, tuple(self._steps))
        return finding_of(Broken(self._requirement, history, len(self._steps) - 1, Violation(why, got, allowed)))

    def _ask(self, method: str, params: Mapping[str, Any]) -> Message:
        """Ask; raises ``BadReply`` for an answer that says nothing, such as memory of NUMA node -1."""
        machine = {"machine": machine_to_dict(self._machine)} if method == "node.start" else {}
        step = Step(method, params, self._client.call(method, {**machine, **params}))
        self._steps.append(step)
        if step.reply is None:
            raise BadReply(f"the answer to {method} says nothing: {step.malformed}")
        return step.reply


def cpus_of(answer: Admitted, container: str = "c") -> CpuSet:
    """Return the exclusive CPUs of a container; raises ``BadReply`` where nothing is told of it."""
    held = answer.containers.get(container)
    if held is None:
        raise BadReply(f"the answer says nothing of the container {container!r}")
    return CpuSet.parse(held.cpus)


def pool_of(answer: PoolAnswer) -> CpuSet:
    """Return the shared pool after a step."""
    return CpuSet.parse(answer.default_cpuset)
