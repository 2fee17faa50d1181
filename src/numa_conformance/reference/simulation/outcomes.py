"""What became of pods on one node, in order: what ``simulate`` prints, and compares."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import msgspec

from ...cpuset import checked, format_bits
from ...errors import Fault, KubeletCrashes, KubeletFails, KubeletHangs, StartError, UsageError
from ...kube import Pod
from ...machine import Amounts, Machine
from ..advice import Advice, advise, why_shared
from ..advice.refused_pod import other_amounts
from ..advice.what_if import numa_nodes
from ..node import AdmissionResult, Explainer, Node, Placement
from .steps import NamedStep, StepOutcome

ADVISED = 3
"""Kinds of refusals that are looked into unless all are asked for: one takes as long as hundreds of admissions."""
NO_ANSWER = (KubeletCrashes.__name__, KubeletHangs.__name__)


def pod_names(pods: Sequence[Pod]) -> dict[str, str]:
    """Return uid to namespace and name."""
    return {pod.uid: f"{pod.namespace}/{pod.name}" for pod in pods}


@dataclass
class Outcomes:
    """A node, and what became of the pods that it was asked for. ``names``: those of the pods by uid.

    ``advice``: what would change a refusal, by uid. ``held``: the uids of the pods that were on the node before.
    ``claims``: by uid the resource claims that no manager serves. ``pods``: those that were asked for, by uid.
    ``ended``: the uids of pods that the kubelet ended for a critical one, with the uid of that. ``behind``: by uid the
    quirks and changes without which a pod would fare otherwise, where they were looked for. ``unmoved``: by the
    identity of a resize that is granted the containers that keep what they had, and why. ``steps``: what became of the
    steps that were taken. ``unexplained``: how many refusals of another kind were not looked into.
    """

    node: Node
    names: Mapping[str, str]
    explainer: Explainer | None = None
    admissions: list[AdmissionResult] = field(default_factory=list)
    advice: dict[str, Advice] = field(default_factory=dict)
    held: frozenset[str] = frozenset()
    claims: dict[str, list[str]] = field(default_factory=dict)
    pods: dict[str, Pod] = field(default_factory=dict)
    ended: dict[str, str] = field(default_factory=dict)
    behind: dict[str, list[str]] = field(default_factory=dict)
    unmoved: dict[int, dict[str, str]] = field(default_factory=dict)
    steps: list[StepOutcome] = field(default_factory=list)
    unexplained: int = 0

    def live(self, life: Iterable[Pod | NamedStep], most: int | None) -> None:
        """Admit pods or resize those that are there, and take steps; advise on the first ``most`` kinds of refusals.

        Raises ``UsageError`` for a pod that comes while another of its name is on the node.
        """
        kinds: set[object] = set()
        self.unexplained = sum(not again.admitted for again in self.admissions)
        for pod in life:
            if isinstance(pod, NamedStep):
                self._take(pod)
                continue
            name = self.names[pod.uid]
            if self.steps and any(self.names.get(uid) == name for uid in self.node.pods.keys() - {pod.uid}):
                raise UsageError(Fault(name, "is on the node already", f"delete: {name} before it comes again"))
            outcome = _outcome(self.node, pod, again=pod.uid in self.pods and pod != self.pods[pod.uid])
            if outcome.admitted or not outcome.resize:
                self.pods[pod.uid] = pod
            if not self.node.serves_claims:
                self.claims[pod.uid] = pod.claim_names
            self.admissions.append(outcome)
            if outcome.resize and outcome.admitted:
                self.unmoved[id(outcome)] = self._unmoved(outcome)
            self.ended.update(dict.fromkeys(outcome.preempted, pod.uid))
            if not (outcome.admitted or outcome.resize or outcome.reason in NO_ANSWER):
                kind = (
                    outcome.reason,
                    *((*container.requests.items(), *container.limits.items()) for container in pod.all_containers),
                )
                if kind not in kinds and (most is None or len(kinds) < most):
                    self.advice[pod.uid] = advise(self.node, pod)
                else:
                    self.unexplained += kind not in kinds
                kinds.add(kind)

    def _unmoved(self, admission: AdmissionResult) -> dict[str, str]:
        pod, node = self.node.pods[admission.uid], self.node
        placements = admission.placements.items()
        texts = {name: other_amounts(pod, pod.container(name), placed, node) for name, placed in placements}
        return {name: text for name, text in texts.items() if text}

    def _take(self, step: NamedStep) -> None:
        """Take a step; where the kubelet does not start the node stays as it was."""
        node = self.node.copy(self.explainer)
        try:
            done = step.take(node)
        except (StartError, KubeletFails) as error:
            done = StepOutcome(step.step, failure=str(error))
        else:
            self.node = node
        late = (
            uid
            for uid in done.refused
            if uid in self.pods and _outcome(node.copy(), self.pods[uid], again=False).admitted
        )
        pods = self.node.state().pods
        self.steps.append(replace(done, pods=pods, after=len(self.admissions), late=frozenset(late)))

    @property
    def all_run(self) -> bool:
        """Whether every pod was admitted as it asks to be, and stays, and each step left all of them on the node."""
        stay = all(admission.admitted and admission.uid not in self.ended for admission in self.admissions)
        return stay and not any(step.is_wrong for step in self.steps)

    @property
    def in_order(self) -> list[AdmissionResult]:
        """What became of the pods, of those first that a kubelet had refused before."""
        return sorted(self.admissions, key=lambda admission: not self.refused_before(admission.uid))

    def refused_before(self, uid: str) -> str:
        """Return the reason for which a kubelet had refused a pod, empty for others."""
        pod = self.pods.get(uid)
        return pod.reason if pod is not None and pod.was_refused else ""

    def why_shared(self, admission: AdmissionResult) -> dict[str, str]:
        """Return why containers of a pod that ask for a whole CPU or more are in the shared pool, by their name."""
        if admission.uid not in self.pods or not admission.placements:
            return {}
        pod = self.pods[admission.uid].under_gates(self.node.gates, self.node.quirks.node)
        static = self.node.config.cpu_manager_policy == "static"
        shared = [name for name, placed in admission.placements.items() if not placed.cpus]
        reasons = {name: why_shared(pod, pod.container(name), static=static) for name in shared}
        return {name: why for name, why in reasons.items() if why}

    @property
    def summary(self) -> str:
        """How many pods were admitted, how many refused and why."""
        resizes = [admission.admitted for admission in self.admissions if admission.resize]
        resized = f"; {sum(resizes)} of {len(resizes)} resized" if resizes else ""
        resized += f"; {len(self.ended)} ended: Preempting" if self.ended else ""
        at_steps = sum(len(step.refused) for step in self.steps)
        resized += f"; {at_steps} refused at a step" if at_steps else ""
        reasons = self._refusals
        why = ", ".join(f"{count} {reason}" for reason, count in reasons.most_common())
        return f"{self._admitted} admitted, {reasons.total()} refused" + (f": {why}" if why else "") + resized

    @property
    def _refusals(self) -> Counter[str]:
        return Counter(each.reason for each in self.admissions if each.reason is not None and not each.resize)

    @property
    def _admitted(self) -> int:
        return sum(admission.admitted and not admission.resize for admission in self.admissions)

    @property
    def owners(self) -> dict[str, int]:
        """Who has which CPUs, as the pictures take it."""
        reserved = self.node.pools.reserved
        owners = {} if reserved is None else {"reserved": reserved}
        return owners | {label: placed.cpus for label, placed in self._placements if placed.cpus}

    @property
    def amounts(self) -> dict[str, Amounts]:
        """Who has which memory and devices, as the pictures take it."""
        amounts = {}
        for label, placed in self._placements:
            memory = [(each.type, [*map(checked, each.nodes)], each.bytes) for each in placed.memory or ()]
            if memory or placed.devices:
                amounts[label] = Amounts(memory, placed.devices or {})
        return amounts

    @property
    def _placements(self) -> Iterator[tuple[str, Placement]]:
        for uid, placements in self.node.state().pods.items():
            for container, placed in placements.items():
                yield f"{self.names.get(uid, uid)}/{container}", placed

    def to_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        pools = self.node.pools
        return {
            "machine": self.node.machine.name,
            "reserved_cpus": None if pools.reserved is None else format_bits(pools.reserved),
            "default_cpuset": format_bits(pools.default),
            "reconcile_period": self.node.reconcile_period,
            "summary": {"admitted": self._admitted, "refused": dict(self._refusals)},
            "pods": [self.pod_to_dict(admission) for admission in self.in_order],
        }

    def pod_to_dict(self, admission: AdmissionResult) -> dict[str, Any]:
        """Return what became of one pod for a program."""
        # The protocol and all it speaks of are loaded by nothing else here.
        from ..target.answers import admission_answer

        return {
            "pod": self.names[admission.uid],
            "uid": admission.uid,
            **({"held": True} if admission.uid in self.held else {}),
            **({"refusedBefore": before} if (before := self.refused_before(admission.uid)) else {}),
            **({"whyShared": why} if (why := self.why_shared(admission)) else {}),
            **({"otherAmounts": unmoved} if (unmoved := self.unmoved.get(id(admission))) else {}),
            **({"claimsNotServed": self.claims[admission.uid]} if self.claims.get(admission.uid) else {}),
            **({"preempted": [self.names[uid] for uid in admission.preempted]} if admission.preempted else {}),
            **({"endedFor": self.names[self.ended[admission.uid]]} if admission.uid in self.ended else {}),
            **({"notModelled": uses} if (uses := self._uses(admission.uid)) else {}),
            **msgspec.to_builtins(admission_answer(admission)),
            **resize_result(admission),
            "phase": admission.pod_phase,
            "statusMessage": admission.pod_message,
            **({"departures": behind} if (behind := self.behind.get(admission.uid)) else {}),
            **({"explanation": self.explainer.to_dict(admission.uid)} if self.explainer else {}),
            **({"advice": self.advice[admission.uid].to_dict()} if admission.uid in self.advice else {}),
        }

    def _uses(self, uid: str) -> list[dict[str, str]]:
        return [use.to_dict() for use in self.node.chain.unmodelled(self.pods[uid])] if uid in self.pods else []


def resize_result(admission: AdmissionResult) -> dict[str, str]:
    """Return the result of a resize for a program, nothing for another admission."""
    return {"result": "resized" if admission.admitted else "pending"} if admission.resize else {}


def _outcome(node: Node, pod: Pod, *, again: bool) -> AdmissionResult:
    """Admit a pod; that the kubelet has no answer is an outcome too."""
    try:
        return (node.resize(pod) if again else None) or node.admit(pod)
    except KubeletFails as error:
        return AdmissionResult(pod.uid, pod.qos, node.pools, reason=type(error).__name__, message=str(error))


def headline(admission: AdmissionResult, outcomes: Outcomes) -> str:
    """Return the pod, its class, and whether it was admitted, was on the node before, or had been refused."""
    uid, before = admission.uid, outcomes.refused_before(admission.uid)
    pod = f"{outcomes.names[uid]} ({admission.qos})" + (f", refused by a kubelet ({before})" if before else "")
    ended = "".join(f"; the kubelet ended {outcomes.names[other]} for it" for other in admission.preempted)
    if uid in outcomes.ended:
        ended += f", then ended for {outcomes.names[outcomes.ended[uid]]} (Preempting)"
    if admission.resize:
        text = f"not resized, {admission.reason}: {admission.message}; it keeps what it has"
        return f"{pod}: {'resized in place' + ended if admission.admitted else text}"
    if admission.admitted:
        state = "on the node" if uid in outcomes.held else "admitted now" if before else "admitted"
        return f"{pod}: {state}{ended}"
    if admission.reason in NO_ANSWER:
        return f"{pod}: no answer, {admission.message}"
    return f"{pod}: refused{' again' if before else ''}, {admission.reason}: {admission.message}"


def brief_placements(machine: Machine, placements: Mapping[str, Placement]) -> str:
    """Return what containers have in a line: CPUs, devices, NUMA nodes."""
    briefs = {name: _brief(machine, placed) for name, placed in placements.items()}
    return "; ".join(f"{name}: {brief}" if len(briefs) > 1 else brief for name, brief in briefs.items())


def _brief(machine: Machine, placed: Placement) -> str:
    parts = [f"CPUs {format_bits(placed.cpus)}" if placed.cpus else "shared CPUs"]
    parts += [device for ids in (placed.devices or {}).values() for device in ids]
    nodes = numa_nodes(machine, placed)
    return ", ".join([*parts, f"NUMA {nodes}"] if nodes else parts)


def placement_lines(admission: AdmissionResult, outcomes: Outcomes) -> list[str]:
    """Return what each container has: CPUs, memory and devices; of one without its own CPUs that asks for some, why."""
    lines: list[str] = []
    reasons = outcomes.why_shared(admission) if outcomes.node.pools.reserved is not None else {}
    reasons |= outcomes.unmoved.get(id(admission), {})
    for name, placed in admission.placements.items():
        why = f" ({reasons[name]})" if name in reasons else ""
        lines.append(f"{name}: {_cpus(placed.cpus, outcomes.node)}{why}")
        for block in placed.memory or ():
            lines.append(f"    {block if block.bytes else f'{block.type}: handed on to later containers'}")
        lines += [f"    {resource}: {', '.join(ids)}" for resource, ids in (placed.devices or {}).items()]
        for manager, holding in placed.further.items():
            text = holding if isinstance(holding, str) else msgspec.json.encode(holding).decode()
            lines.append(f"    {manager}: {text}")
    return lines


def _cpus(cpus: int, node: Node) -> str:
    if cpus:
        return f"exclusive CPUs {format_bits(cpus)}"
    return "the shared pool" if node.pools.reserved is not None else "all CPUs (policy none)"
