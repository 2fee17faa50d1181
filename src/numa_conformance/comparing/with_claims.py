"""What became of pods beside a DRA driver: a claim for each container that a kubelet would give CPUs of its own."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..asking.drive import drive
from ..asking.generators.claims import ClaimScheduler, prepare, unprepare
from ..asking.generators.scenario import Answer, Question, Scenario, Script
from ..cpuset import CpuSet
from ..errors import Fault, UsageError
from ..judging.pods import PodSpec
from ..machine import Machine
from ..wire import Client
from .pod_outcomes import PodFate, Whose, placed

Step = Generator[Question, Answer, PodFate | None]
"""Asks, and returns how the pod was refused, if it was."""
_ACCEPTED = "a command that brings the driver up, with {kubeconfig} and {node_name}, and a --machine that it knows"
_LOOK = "looks"
"""A container that runs before any pod: whether the driver keeps those without a claim to some CPUs."""


def fates_with_claims(
    client: Client, machine: Machine, kubelet: Mapping[str, Any], pods: Sequence[Mapping[str, Any]]
) -> dict[str, PodFate]:
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
    return lives.fates(machine)


@dataclass
class _Lives:
    """Pods that come in order, and what became of them.

    ``not_up``: why the driver is not there. ``claimed``: by uid and container the CPUs of its claim. ``beside``: the
    containers without one, by the names that the driver hears. ``shared``: what these may run on at last, where the
    driver keeps them to some CPUs.
    """

    reserved: str
    pods: Sequence[PodSpec]
    not_up: str = ""
    claimed: dict[Whose, str] = field(default_factory=dict)
    beside: dict[Whose, str] = field(default_factory=dict)
    refused: dict[str, PodFate] = field(default_factory=dict)
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
                refused = PodFate({}, "Unschedulable", f"no device has {container.exclusive} CPUs left")
        refused = refused or (yield from self._prepare(scheduler, pod, claims))
        refused = refused or (yield from self._start(pod, [one.name for one in stays if not one.exclusive]))
        if refused is None:
            return
        self.refused[pod.uid] = refused
        for whose in [each for each in self.beside if each[0] == pod.uid]:
            yield "claims.end", {"name": self.beside.pop(whose)}
        for name, claim in claims.items():
            if self.claimed.pop((pod.uid, name), None) is not None:
                yield unprepare(claim["metadata"]["uid"])
            scheduler.release(claim["metadata"]["uid"])

    def _prepare(self, scheduler: ClaimScheduler, pod: PodSpec, claims: Mapping[str, dict[str, Any]]) -> Step:
        for name, claim in claims.items():
            answer = yield prepare(claim)
            if answer["result"] != "prepared":
                return PodFate({}, "FailedPrepareDynamicResources", answer["message"])
            self.claimed[pod.uid, name] = answer["cpus"]
            if answer.get("claim"):
                scheduler.take_over(claim["metadata"]["uid"], answer["claim"]["status"])
        return None

    def _start(self, pod: PodSpec, without_claim: Sequence[str]) -> Step:
        for name in without_claim:
            self._count += 1
            self.beside[pod.uid, name] = f"beside-{self._count}"
            if self._keeps_others:
                answer = yield "claims.run", {"name": self.beside[pod.uid, name]}
                if answer["result"] != "runs":
                    return PodFate({}, "FailedCreate", answer["message"])
        return None

    def fates(self, machine: Machine) -> dict[str, PodFate]:
        """Return by uid what became of the pods."""
        told = {whose: CpuSet.parse(cpus).bits for whose, cpus in self.claimed.items()}
        for whose, name in self.beside.items():
            told[whose] = CpuSet.parse(self.shared[name]).bits if name in self.shared else machine.online_bits
        containers = placed(machine, {whose: (cpus, {}) for whose, cpus in told.items()})
        return {pod.uid: self.refused.get(pod.uid) or PodFate(containers.get(pod.uid, {})) for pod in self.pods}
