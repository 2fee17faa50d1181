"""Which CPUs containers share and which they have alone, as daemons promise on pages of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.chapter import Chapter, Judgement, Violation, applies, violated
from ..judge.pods import GUARANTEED
from ..judge.pooled import SYSTEM, Pooled

chapter = Chapter("node/cpuset", since="1.24")


def _has_room(may: Pooled) -> bool:
    pods = [pod.spec for pod in may.world.pods.values() if pod.spec.namespace == SYSTEM]
    requested = sum(container.requests.get("cpu", 0) for pod in pods for container in pod.containers)
    return requested <= may.world.reserved.bit_count()


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
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    applies(
        may.pod.qos == GUARANTEED and may.pod.namespace != SYSTEM and 1 < may.request < 2,
        "the container does not request more than one CPU and less than two, in a pod of class Guaranteed",
    )
    own = may.cpuset & ~may.where_others_run
    return violated(
        own and may.cpuset.bit_count() > 1,
        f"container {may.key} has no CPU of its own, or no other beside it",
        got=f"{format_bits(may.cpuset) or 'none'}, of its own {format_bits(own) or 'none'}",
        allowed="a CPU of its own, and another one",
        own=own,
    )


@chapter.requires(
    "pinning/pools-apart/same-cpus-or-none",
    "pinning/pools-apart",
    on=Pooled,
    rests_on=("nri-balloons/concepts/one-balloon", "nri-balloons/concepts/apart"),
)
def same_cpus_or_none(may: Pooled) -> Iterator[Violation]:
    """Any two containers may run on the same CPUs, or on none together.

    Pools have no CPU in common, and a container has all CPUs of its pool.
    """
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    for other, cpus in may.others:
        both = may.cpuset & cpus
        yield from violated(
            not both or cpus == may.cpuset,
            f"containers {may.key} and {other} may both run on CPUs {format_bits(both)}, and each on others",
            got=f"{format_bits(may.cpuset)} and {format_bits(cpus)}",
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
    applies(may.settings.static, "the CPU Manager's policy is none")
    applies(may.told, "it is not told on which CPUs the container may run")
    applies(may.settled, "cpusets may still be sent: no pass of the reconcile loop yet")
    applies(may.pod.namespace == SYSTEM, "the pod is of another namespace")
    applies(may.world.reserved and may.world.knows_reserved, "no CPUs are reserved, or it is not told which")
    applies(_has_room(may), "pods of kube-system request more than is reserved")
    beyond = may.cpuset & ~may.world.reserved
    return violated(
        not beyond,
        f"container {may.key} of namespace {SYSTEM} may run on CPUs {format_bits(beyond)}, which are not reserved",
        got=format_bits(may.cpuset),
        allowed=f"some of {format_bits(may.world.reserved)}",
        reserved=may.world.reserved,
    )
