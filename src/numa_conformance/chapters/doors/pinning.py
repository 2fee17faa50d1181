"""Which CPUs containers share and which they have alone, as daemons promise on pages of their own."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Any

from ...asking.generators.scenario import LIVES, Scenario, Script, or_the_catalogue
from ...asking.generators.workloads import best_effort, burstable, guaranteed, static
from ...cpuset import format_bits, union
from ...judging.chapter import Chapter, Judgement, Violation, applies, violated
from ...judging.may_run import SYSTEM, Pooled
from ...judging.pods import GUARANTEED
from ...machine import Machine
from ...wire.features import PROMISES
from ..cpu.cpusets import settled_cpuset_of

chapter = Chapter("node/cpuset", since="1.24")


@chapter.requires("pinning/mixed/has-a-cpu-of-its-own", "pinning/mixed")
def has_a_cpu_of_its_own(may: Pooled) -> Judgement:
    """A container that requests more than one CPU and less than two, in a pod of class Guaranteed, may run on a
    CPU on which no other container may, and on another one beside.
    """
    cpus = settled_cpuset_of(may)
    applies(may.pod.qos == GUARANTEED, "the pod is not Guaranteed")
    applies(may.pod.namespace != SYSTEM, f"the pod is of namespace {SYSTEM}")
    applies(1 < may.request < 2, "the container does not request more than one CPU and less than two")
    alone = cpus & ~union(cpus for _, cpus in may.others)
    return violated(
        alone and cpus.bit_count() > 1,
        f"container {may.key} has no CPU of its own, or no other beside it",
        got=f"{format_bits(cpus) or 'none'}, of its own {format_bits(alone) or 'none'}",
        allowed="a CPU of its own, and another one",
        own=alone,
    )


@chapter.requires("pinning/pools-apart/same-cpus-or-none", "pinning/pools-apart")
def same_cpus_or_none(may: Pooled) -> Iterator[Violation]:
    """Any two containers may run on the same CPUs, or on none together."""
    cpus = settled_cpuset_of(may)
    for other, others in may.others:
        both = cpus & others
        yield from violated(
            not both or cpus == others,
            f"containers {may.key} and {other} may both run on CPUs {format_bits(both)}, and each on others",
            got=f"{format_bits(cpus)} and {format_bits(others)}",
            allowed="the same CPUs, or none together",
            both=both,
        )


@chapter.requires("pinning/reserved-pool/holds-system-pods", "pinning/reserved-pool")
def holds_system_pods(may: Pooled) -> Judgement:
    """A container of namespace kube-system may run on reserved CPUs alone, while all such containers together
    request no more than these.
    """
    cpus = settled_cpuset_of(may)
    applies(may.pod.namespace == SYSTEM, "the pod is of another namespace")
    reserved = applies(may.world.reserved, "no CPUs are reserved")
    applies(may.world.knows_reserved, "the reserved CPUs are not reported")
    pods = [pod.spec for pod in may.world.pods.values() if pod.spec.namespace == SYSTEM]
    requested = sum(container.cpu for pod in pods for container in pod.containers)
    applies(requested <= reserved.bit_count(), f"pods of {SYSTEM} request more than is reserved")
    beyond = cpus & ~reserved
    why = f"container {may.key} of namespace {SYSTEM} may run on CPUs {format_bits(beyond)}, which are not reserved"
    return violated(
        not beyond, why, got=format_bits(cpus), allowed=f"some of {format_bits(reserved)}", reserved=reserved
    )


def containers_of_every_kind(
    claimed: frozenset[str], machines: Sequence[Machine] | None, seed: int
) -> Iterator[Scenario]:
    """Pods of the system, pods with a part of a CPU, with whole ones and with none come, and some go."""
    if "node/cpuset" not in claimed or claimed.isdisjoint(PROMISES):
        return
    able = (machine for machine in or_the_catalogue(machines) if 8 <= len(machine.cpus) <= 64)
    for machine in islice(able, 12):
        yield Scenario("pools", "no option, none, reserved a core", machine, partial(_coming_and_going, machine), seed)


LIVES.append(containers_of_every_kind)


def _coming_and_going(machine: Machine) -> Script:
    quarter = len(machine.cpus) // 4
    started = yield "node.start", {"kubelet": static(reserved=machine.core_bits[0])}
    if started["result"] != "started":
        return
    yield from _run(
        _of_the_system(burstable("proxy", "100m")),
        guaranteed("mixed", "1500m"),
        guaranteed("whole", quarter),
        best_effort("idle"),
        guaranteed("one", 1),
        guaranteed("small", "500m"),
        _of_the_system(burstable("dns", "200m")),
        guaranteed("also-mixed", "1200m"),
        burstable("web", 1),
    )
    for uid, then in (("whole", guaranteed("next", quarter + 1)), ("mixed", guaranteed("last", "1800m"))):
        yield "node.remove", {"uid": uid}
        yield "node.state", {}
        yield from _run(then)


def _run(*pods: Mapping[str, Any]) -> Script:
    for wanted in pods:
        yield "node.admit", {"pod": wanted}
        yield "node.run", {"uid": wanted["metadata"]["uid"]}
        yield "node.state", {}


def _of_the_system(pod: Mapping[str, Any]) -> dict[str, Any]:
    return {**pod, "metadata": {**pod["metadata"], "namespace": SYSTEM}}
