"""``AllocatedCpus``: one allocation of the static policy, in a state that the question brings along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...cpuset import CpuSet
from ...documentation.options import CHOOSING
from ...machine import Machine
from ..history.history import History
from .choice import Choice, cpus_of
from .hinted import CpuHints, offered_for
from .pods import ContainerSpec, PodSpec
from .reading import affinity_of, read_bits
from .settings import Settings

__all__ = ["AllocatedCpus", "allocated"]


@dataclass(frozen=True)
class AllocatedCpus:
    """What a container asked for, and what it was given. Sets of CPUs are bits.

    ``pool``: the shared pool before, ``pool_after`` as told. ``reserved``: as the configuration names it, else as told.
    ``reusable``: of the pod's ended init containers. ``held``: what the container has already, None where nothing.
    ``given``: None when it is refused, with ``reason`` and ``refusal``. ``policy_refused``: why no policy can be made.
    The rest is what the target tells beside, None where it does not.
    """

    machine: Machine
    settings: Settings
    pod: PodSpec
    container: ContainerSpec
    pool: int
    reserved: int | None
    reusable: int
    held: int | None
    given: int | None
    pool_after: int | None
    reason: str
    refusal: str
    policy_refused: str | None
    reserved_told: int | None
    asked_told: int | None
    together_told: int | None

    @property
    def up(self) -> bool:
        """Whether a policy could be made of the configuration."""
        return self.policy_refused is None

    @property
    def exclusive_told(self) -> Mapping[str, int]:
        """The exclusive CPUs that a container asks for, as told."""
        return {} if self.asked_told is None else {self.container.name: self.asked_told}

    @property
    def asked(self) -> int:
        """Exclusive CPUs to give; none under policy none."""
        return self.container.exclusive if self.settings.static else 0

    @property
    def free(self) -> int:
        """What may be given beside what is reusable."""
        return self.pool & ~(self.reserved or 0)

    @property
    def might_empty_the_pool(self) -> bool:
        """Whether nothing may be left for other pods, with the reserved CPUs kept from them: it may be refused."""
        return self.settings.strict and self.asked >= self.free.bit_count()


def allocated(history: History, number: int) -> Iterator[AllocatedCpus | Choice | CpuHints]:
    """Read one answer of the surface allocate: the allocation, the choice of CPUs, and the hints if they are told."""
    step = history.steps[number]
    params, answer = step.params, step.answer or {}
    allocation = _allocated(history.head.machine, params, answer)
    yield allocation
    known = allocation.reserved is not None and allocation.held is None
    if allocation.asked and known and not (allocation.given is None and allocation.might_empty_the_pool):
        yield _choice(allocation, params)
    for container, field in ((params["container"], "hints"), (None, "pod_hints")):
        if answer.get(field) is not None:
            yield from offered_for(history, params, container, answer[field])


def _choice(allocation: AllocatedCpus, params: Mapping[str, Any]) -> Choice:
    affinity = affinity_of(params.get("affinity"))
    nodes = None if affinity is None else affinity.nodes
    return Choice(
        allocation.machine,
        allocation.settings.options & frozenset(CHOOSING),
        allocation.free | allocation.reusable,
        allocation.asked,
        allocation.given,
        None if nodes is None else cpus_of(allocation.machine, nodes),
        allocation.policy_refused or allocation.refusal,
        shaped=not allocation.reusable,
    )


def _allocated(machine: Machine, params: Mapping[str, Any], answer: Mapping[str, Any]) -> AllocatedCpus:
    settings, pod, state = Settings.of(params["kubelet"]), PodSpec.of(params["pod"]), params["state"]
    own = state["assignments"].get(pod.uid) or {}
    name = params["container"]
    cpus, after = answer.get("cpus"), answer.get("default_cpuset")
    told = answer.get("reserved_cpus")
    reserved = None if told is None else read_bits(told, "reserved_cpus")
    message = str(answer.get("message", ""))
    return AllocatedCpus(
        machine,
        settings,
        pod,
        pod.by_name[name],
        CpuSet.parse(state["default"]).bits,
        reserved if settings.reserved is None else settings.reserved,
        CpuSet.parse(state["reusable"].get(pod.uid, "")).bits,
        CpuSet.parse(own[name]).bits if name in own else None,
        None if cpus is None else read_bits(cpus, "cpus"),
        None if after is None else read_bits(after, "default_cpuset"),
        str(answer.get("reason") or ""),
        message,
        message if answer.get("result") == "policy_refused" else None,
        reserved,
        answer.get("guaranteed_cpus"),
        answer.get("pod_guaranteed_cpus"),
    )
