"""Which CPUs containers share and which they have alone, as daemons promise on pages of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ....cpuset import format_bits
from ...judge.chapter import Chapter, Judgement, Violation, applies, violated
from ...judge.pods import GUARANTEED
from ...judge.pooled import Pooled

chapter = Chapter("node/cpuset", since="1.24")

SYSTEM = "kube-system"


def settled(may: Pooled) -> int:
    """Return the CPUs on which a container may run."""
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    return may.cpuset


@chapter.requires(
    "pinning/mixed/has-a-cpu-of-its-own",
    "pinning/mixed",
    on=Pooled,
    rests_on=(
        "nri-topology-aware/features/mixed",
        "nri-topology-aware/preferences/mixed-from-one-to-two",
        "nri-topology-aware/preferences/exclusive-is-honored",
    ),
)
def has_a_cpu_of_its_own(may: Pooled) -> Judgement:
    """A container that requests more than one CPU and less than two, in a pod of class Guaranteed, may run on a
    CPU on which no other container may, and on another one beside.
    """
    cpus = settled(may)
    applies(may.pod.qos == GUARANTEED, "the pod is not Guaranteed")
    applies(may.pod.namespace != SYSTEM, f"the pod is of namespace {SYSTEM}")
    applies(1 < may.request < 2, "the container does not request more than one CPU and less than two")
    alone = cpus & ~may.where_others_run
    return violated(
        alone and cpus.bit_count() > 1,
        f"container {may.key} has no CPU of its own, or no other beside it",
        got=f"{format_bits(cpus) or 'none'}, of its own {format_bits(alone) or 'none'}",
        allowed="a CPU of its own, and another one",
        own=alone,
    )


@chapter.requires(
    "pinning/pools-apart/same-cpus-or-none",
    "pinning/pools-apart",
    on=Pooled,
    rests_on=("nri-balloons/concepts/one-balloon", "nri-balloons/concepts/apart"),
)
def same_cpus_or_none(may: Pooled) -> Iterator[Violation]:
    """Any two containers may run on the same CPUs, or on none together."""
    cpus = settled(may)
    for other, others in may.others:
        both = cpus & others
        yield from violated(
            not both or cpus == others,
            f"containers {may.key} and {other} may both run on CPUs {format_bits(both)}, and each on others",
            got=f"{format_bits(cpus)} and {format_bits(others)}",
            allowed="the same CPUs, or none together",
            both=both,
        )


@chapter.requires(
    "pinning/reserved-pool/holds-system-pods",
    "pinning/reserved-pool",
    on=Pooled,
    rests_on=(
        "nri-topology-aware/preferences/reserved",
        "nri-balloons/reserved/system-pods",
        "nri-balloons/reserved/preferred",
    ),
    beyond="The page does not speak of an amount that is reserved without its CPUs; that is not asked.",
)
def holds_system_pods(may: Pooled) -> Judgement:
    """A container of namespace kube-system may run on reserved CPUs alone, while all such containers together
    request no more than these.
    """
    cpus = settled(may)
    applies(may.pod.namespace == SYSTEM, "the pod is of another namespace")
    reserved = applies(may.world.reserved, "no CPUs are reserved")
    applies(may.world.knows_reserved, "it is not told which CPUs are reserved")
    pods = [pod.spec for pod in may.world.pods.values() if pod.spec.namespace == SYSTEM]
    requested = sum(container.cpu for pod in pods for container in pod.containers)
    applies(requested <= reserved.bit_count(), f"pods of {SYSTEM} request more than is reserved")
    beyond = cpus & ~reserved
    return violated(
        not beyond,
        f"container {may.key} of namespace {SYSTEM} may run on CPUs {format_bits(beyond)}, which are not reserved",
        got=format_bits(cpus),
        allowed=f"some of {format_bits(reserved)}",
        reserved=reserved,
    )
