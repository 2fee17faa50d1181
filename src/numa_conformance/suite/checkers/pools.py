"""Which CPUs containers share and which they have alone, as daemons promise on pages of their own."""

from __future__ import annotations

from collections.abc import Iterator

from ...cpuset import format_bits
from ..judge.checker import Guard, Judgement, Violation, checker, violated
from ..judge.pods import GUARANTEED
from ..judge.pooled import SYSTEM, Pooled
from .cpusets import cpuset_is_told, settled
from .guards import static

has_a_part = Guard[Pooled](
    "the container does not request more than one CPU and less than two, in a pod of class Guaranteed",
    lambda may: may.pod.qos == GUARANTEED and may.pod.namespace != SYSTEM and 1 < may.request < 2,
)
of_the_system = Guard[Pooled]("the pod is of another namespace", lambda may: may.pod.namespace == SYSTEM)
reserved_are_known = Guard[Pooled](
    "no CPUs are reserved, or it is not told which", lambda may: may.world.reserved and may.world.knows_reserved
)


def _has_room(may: Pooled) -> bool:
    pods = [pod.spec for pod in may.world.pods.values() if pod.spec.namespace == SYSTEM]
    requested = sum(container.requests.get("cpu", 0) for pod in pods for container in pod.containers)
    return requested <= may.world.reserved.bit_count()


system_has_room = Guard[Pooled]("pods of kube-system request more than is reserved", _has_room)


@checker("pinning/mixed/has-a-cpu-of-its-own", Pooled, when=(static, cpuset_is_told, settled, has_a_part))
def has_a_cpu_of_its_own(may: Pooled) -> Judgement:
    """A mixed container has a CPU on which nobody else may run, and one more."""
    own = may.cpuset & ~may.where_others_run
    return violated(
        own and may.cpuset.bit_count() > 1,
        f"container {may.key} has no CPU of its own, or no other beside it",
        got=f"{format_bits(may.cpuset) or 'none'}, of its own {format_bits(own) or 'none'}",
        allowed="a CPU of its own, and another one",
        own=own,
    )


@checker("pinning/pools-apart/same-cpus-or-none", Pooled, when=(static, cpuset_is_told, settled))
def same_cpus_or_none(may: Pooled) -> Iterator[Violation]:
    """Pools have no CPU in common, and a container has all CPUs of its pool."""
    for other, cpus in may.others:
        both = may.cpuset & cpus
        yield from violated(
            not both or cpus == may.cpuset,
            f"containers {may.key} and {other} may both run on CPUs {format_bits(both)}, and each on others",
            got=f"{format_bits(may.cpuset)} and {format_bits(cpus)}",
            allowed="the same CPUs, or none together",
            both=both,
        )


@checker(
    "pinning/reserved-pool/holds-system-pods",
    Pooled,
    when=(static, cpuset_is_told, settled, of_the_system, reserved_are_known, system_has_room),
)
def holds_system_pods(may: Pooled) -> Judgement:
    """Containers of kube-system run on reserved CPUs."""
    beyond = may.cpuset & ~may.world.reserved
    return violated(
        not beyond,
        f"container {may.key} of namespace {SYSTEM} may run on CPUs {format_bits(beyond)}, which are not reserved",
        got=format_bits(may.cpuset),
        allowed=f"some of {format_bits(may.world.reserved)}",
        reserved=may.world.reserved,
    )
