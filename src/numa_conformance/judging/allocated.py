"""``AllocatedCpus``: an allocation in a state that the question brings along. ``Classification``: a pod's class."""

from collections.abc import Iterator, Mapping
from typing import ClassVar

import msgspec

from ..cpuset import Unchecked
from ..machine import Machine
from ..sources.options import CHOOSING
from ..wire.history.values import HoldingBits, affinity_of, bits, offers_of, optional_bits
from ..wire.messages.allocate import Allocate, Allocated, AllocationRefused, PolicyRefused
from ..wire.messages.classify import Classified as PodClass
from ..wire.messages.classify import Classify
from .choice import CpuChoice, cpus_of
from .hinted import CpuHints, offered_for
from .pods import ContainerSpec, PodSpec, qos_class
from .settings import Settings
from .world import World


class Classification(msgspec.Struct, frozen=True):
    """A pod and what was answered. ``cpus``: container to exclusive CPUs, ``reported_pod_count``: those of the pod."""

    pod: PodSpec
    qos: str
    cpus: Mapping[str, Unchecked]
    reported_pod_count: Unchecked

    @property
    def reported_counts(self) -> Mapping[str, Unchecked]:
        """The exclusive CPUs that each container asks for, as told; none where it is not named."""
        return {**dict.fromkeys((container.name for container in self.pod.containers), 0), **self.cpus}

    @property
    def without_implied(self) -> str:
        """The class if a request that is not given were none."""
        return qos_class([(container.explicit_requests, container.limits) for container in self.pod.containers])

    @property
    def of_apps(self) -> str:
        """The class if only app containers counted."""
        return qos_class([(container.requests, container.limits) for container in self.pod.apps])


def classified(_machine: Machine, question: Classify, reply: PodClass) -> Iterator[Classification]:
    """Read one answer of the surface classify."""
    yield Classification(PodSpec.of(question.pod), reply.qos, reply.container_cpus, reply.pod_cpus)


class AllocatedCpus(msgspec.Struct, frozen=True, dict=True):
    """What a container asked for, and what it was given. Sets of CPUs are bits.

    ``pool``: the shared pool before, ``pool_after`` as told. ``reserved``: as the configuration names it, else as told.
    ``reusable``: of the pod's ended init containers. ``held``: what the container has already, None where nothing.
    ``cpus``: None when it is refused, with ``reason`` and ``refusal``. ``policy_refused``: why no policy can be made.
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
    cpus: int | None
    pool_after: int | None
    reason: str
    refusal: str
    policy_refused: str | None
    reported_reserved: int | None
    reported_count: Unchecked | None
    reported_pod_count: Unchecked | None
    tries_options: ClassVar[bool] = False

    @property
    def up(self) -> bool:
        """Whether a policy could be made of the configuration."""
        return self.policy_refused is None

    @property
    def reported_counts(self) -> Mapping[str, Unchecked]:
        """The exclusive CPUs that a container asks for, as told."""
        return {} if self.reported_count is None else {self.container.name: self.reported_count}

    @property
    def count(self) -> int:
        """Exclusive CPUs to give; none under policy none."""
        return self.container.exclusive if self.settings.static else 0

    @property
    def free(self) -> int:
        """What may be given beside what is reusable."""
        return self.pool & ~(self.reserved or 0)

    @property
    def might_empty_the_pool(self) -> bool:
        """Whether nothing may be left for other pods, with the reserved CPUs kept from them: it may be refused."""
        return self.settings.strict and self.count >= self.free.bit_count()


def allocated(
    machine: Machine, question: Allocate, reply: Allocated | AllocationRefused | PolicyRefused
) -> Iterator[AllocatedCpus | CpuChoice | CpuHints]:
    """Read one answer of the surface allocate: the allocation, the choice of CPUs, and the hints if they are told."""
    settings, pod = Settings.of(question.kubelet), PodSpec.of(question.pod)
    if question.container not in pod.by_name:
        return
    allocation = _allocated(machine, settings, pod, question, reply)
    yield allocation
    known = allocation.reserved is not None and allocation.held is None
    if allocation.count and known and not (allocation.cpus is None and allocation.might_empty_the_pool):
        affinity = affinity_of(question.affinity)
        nodes = None if affinity is None else affinity.nodes
        yield CpuChoice(
            allocation.machine,
            allocation.settings.options & frozenset(CHOOSING),
            allocation.free | allocation.reusable,
            allocation.count,
            allocation.cpus,
            None if nodes is None else cpus_of(allocation.machine, nodes),
            allocation.policy_refused or allocation.refusal,
            shaped=not allocation.reusable,
            reusable=allocation.reusable,
            admits=True,
        )
    if not isinstance(reply, PolicyRefused):
        for container, hints in ((question.container, reply.hints), (None, reply.pod_hints)):
            if hints is not None:
                yield from offered_for(machine, settings, pod, question.state, container, offers_of(hints))


def _allocated(
    machine: Machine,
    settings: Settings,
    pod: PodSpec,
    question: Allocate,
    reply: Allocated | AllocationRefused | PolicyRefused,
) -> AllocatedCpus:
    state, allocation = question.state, reply if isinstance(reply, Allocated) else None
    answer = None if isinstance(reply, PolicyRefused) else reply
    reserved = None if answer is None else optional_bits(answer.reserved_cpus)
    message = "" if isinstance(reply, Allocated) else reply.message
    return AllocatedCpus(
        machine,
        settings,
        pod,
        pod.by_name[question.container],
        bits(state.default),
        reserved if settings.reserved is None else settings.reserved,
        bits(state.reusable.get(pod.uid, "")),
        optional_bits(state.assignments.get(pod.uid, {}).get(question.container)),
        None if allocation is None else bits(allocation.cpus),
        None if allocation is None else bits(allocation.default_cpuset),
        (reply.reason or "") if isinstance(reply, AllocationRefused) else "",
        message,
        message if isinstance(reply, PolicyRefused) else None,
        reserved,
        None if answer is None else answer.guaranteed_cpus,
        None if answer is None else answer.pod_guaranteed_cpus,
    )


def choices_of(before: World, pod: PodSpec, held: Mapping[str, HoldingBits]) -> Iterator[CpuChoice]:
    """Yield the choice made for each container that has CPUs of its own, in the order of the pod.

    What ordinary init containers leave may be used again or not, so that the shape of what follows them is free.
    """
    reusable = spent = 0
    for container in pod.containers:
        cpus = held[container.name].cpus if container.name in held else 0
        count = container.exclusive
        if count:
            available = before.free & ~spent | reusable
            aligns = before.settings.topology != "none"
            affinity = held[container.name].affinity if aligns and container.name in held else None
            near = None if affinity is None or affinity.nodes is None else cpus_of(before.machine, affinity.nodes)
            shaped = not reusable and (affinity is not None or not aligns)
            yield CpuChoice(
                before.machine,
                before.settings.options,
                available,
                count,
                cpus,
                near,
                shaped=shaped,
                preferred=affinity is not None and affinity.preferred,
                reusable=reusable,
                admits=True,
            )
        if container.kind == "init":
            reusable |= cpus
        else:
            reusable &= ~cpus
        spent |= cpus
