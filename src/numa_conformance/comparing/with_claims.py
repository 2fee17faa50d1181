"""What became of pods beside a DRA driver: a claim for each container that a kubelet would give CPUs of its own."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..asking.drive import drive
from ..asking.generators.claim_scheduler import ClaimScheduler
from ..asking.generators.claims import prepare, unprepare
from ..asking.generators.scenario import Answer, Question, Scenario, Script
from ..cpuset import CpuSet
from ..errors import Fault, UsageError
from ..judging.pods import PodSpec
from ..machine import Machine
from ..wire import Client
from .pod_outcomes import ContainerKey, PodOutcome, placed

Step = Generator[Question, Answer, PodOutcome | None]
"""Asks, and returns how the pod was refused, if it was."""
_ACCEPTED = "a command that brings the driver up, with {kubeconfig} and {node_name}, and a --machine that it knows"
_LOOK = "looks"
"""A container that runs before any pod: whether the driver keeps those without a claim to some CPUs."""


def outcomes_with_claims(
    client: Client, machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]
) -> dict[str, PodOutcome]:
    """Start a driver, let pods come in order, and return by uid what became of each.

    Raises ``UsageError`` where the driver does not come up, and ``TargetFault``.
    """
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
        """Return by uid what became of the pods."""
        cpus_of = {key: CpuSet.parse(cpus).bits for key, cpus in self.claimed.items()}
        for key, name in self.unclaimed.items():
            cpus_of[key] = CpuSet.parse(self.shared[name]).bits if name in self.shared else machine.online_bits
        containers = placed(machine, {key: (cpus, {}) for key, cpus in cpus_of.items()})
        return {pod.uid: self.refused.get(pod.uid) or PodOutcome(containers.get(pod.uid, {})) for pod in self.pods}
