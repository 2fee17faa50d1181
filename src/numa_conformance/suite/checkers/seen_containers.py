"""Containers of a node at work: what they hold, and what they run on. Nothing is said of how they came to it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import combinations

from ...cpuset import format_bits
from ...documentation.versions import KubernetesVersion
from ..judge.checker import Judgement, Violation, checker
from ..judge.choice import WHOLE_CORES, touched
from ..judge.pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from ..judge.seen import Runs, SeenContainer, Sighting, Threads

__all__: list[str] = []

NO_QUOTA_SINCE = KubernetesVersion.parse("1.33")
"""From here on quota is left out for exclusive CPUs; before, kubelets set it, which is known."""
NO_QUOTA = "DisableCPUQuotaWithExclusiveCPUs"
NO_RESOURCES_OF_PODS_UNTIL = KubernetesVersion.parse("1.34")
"""From here on pods may have resources as a whole, of which a cgroup tells nothing: such get no exclusive CPUs."""


@checker("cpu-manager/none/gives-no-exclusive-cpus", Sighting)
def none_gives_nothing(seen: Sighting) -> Judgement:
    """Policy none: no CPUs of one's own."""
    if seen.settings.static:
        return None
    return [
        Violation(
            f"container {one.key} has CPUs of its own under policy none",
            format_bits(one.held.cpus),
            "none",
            about=(f"cpu:{one.key}", "config:cpuManagerPolicy"),
        )
        for one in seen.containers
        if one.held.cpus
    ]


@checker("cpu-manager/static/burstable-is-shared", Sighting)
def burstable_is_shared(seen: Sighting) -> Judgement:
    """Containers of Burstable pods run in the shared pool."""
    return _shared(seen, BURSTABLE)


@checker("cpu-manager/static/best-effort-is-shared", Sighting)
def best_effort_is_shared(seen: Sighting) -> Judgement:
    """Containers of BestEffort pods run in the shared pool."""
    return _shared(seen, BEST_EFFORT)


def _shared(seen: Sighting, qos: str) -> Judgement:
    own = [one for one in _static(seen) if seen.qos.get(one.uid) == qos]
    return _have_none(own, lambda one: f" of a {qos} pod", lambda one: f"qos:{one.uid}")


def _have_none(
    own: Sequence[SeenContainer], which: Callable[[SeenContainer], str], fact: Callable[[SeenContainer], str]
) -> Judgement:
    """Judge containers that belong in the shared pool: ``which`` they are, and the ``fact`` that says so."""
    if not own:
        return None
    return [
        Violation(
            f"container {one.key}{which(one)} has CPUs of its own",
            format_bits(one.held.cpus),
            "the shared pool",
            about=(f"cpu:{one.key}", fact(one)),
        )
        for one in own
        if one.held.cpus
    ]


@checker("cpu-manager/static/fractional-guaranteed-is-shared", Sighting)
def fractional_is_shared(seen: Sighting) -> Judgement:
    """Containers of Guaranteed pods with fractional requests, which are their limits, run in the shared pool."""
    own = [one for one in _limited(seen) if one.limit is not None and one.limit.denominator != 1]
    return _have_none(own, lambda one: f", of {float(one.limit or 0):g} CPUs,", lambda one: f"limit:{one.key}")


@checker("cpu-manager/static/integral-guaranteed-is-exclusive", Sighting)
def integral_is_exclusive(seen: Sighting) -> Judgement:
    """Containers of Guaranteed pods with integral requests have as many CPUs; whether any only where that shows."""
    own = [one for one in _limited(seen) if one.limit is not None and one.limit.denominator == 1]
    shows = seen.version is not None and seen.version < NO_RESOURCES_OF_PODS_UNTIL
    own = [one for one in own if one.held.cpus or shows]
    if not own:
        return None
    return [
        Violation(
            f"container {one.key}, of {one.limit} CPUs, has {one.held.cpus.bit_count()} of its own",
            format_bits(one.held.cpus) or "none",
            f"{one.limit} CPUs",
            about=(f"cpu:{one.key}", f"limit:{one.key}"),
        )
        for one in own
        if one.held.cpus.bit_count() != one.limit
    ]


def _static(seen: Sighting) -> list[SeenContainer]:
    return list(seen.containers) if seen.settings.static and seen.pool is not None else []


def _limited(seen: Sighting) -> list[SeenContainer]:
    return [one for one in _static(seen) if seen.qos.get(one.uid) == GUARANTEED and one.limit is not None]


@checker("cpu-manager/static/exclusive-cpus-have-no-quota", Sighting)
def exclusive_cpus_have_no_quota(seen: Sighting) -> Judgement:
    """Quota does not bound containers with CPUs of their own; asked of kubelets that are known to see to it."""
    own = [one for one in _static(seen) if one.held.cpus and one.runs]
    if not own or seen.version is None or seen.version < NO_QUOTA_SINCE or not seen.gates.get(NO_QUOTA, True):
        return None
    return [
        Violation(
            f"container {one.key} has CPUs of its own and is bounded by quota",
            f"{float(one.limit):g} CPUs",
            "no quota",
            about=(f"limit:{one.key}", f"cpu:{one.key}"),
        )
        for one in own
        if one.limit is not None
    ]


@checker("cpu-manager/static/apps-have-cpus-of-their-own", Sighting)
def running_containers_share_no_cpus(seen: Sighting) -> Judgement:
    """Two containers of a pod that run at once have no CPU of their own in common."""
    own = [one for one in _static(seen) if one.held.cpus and one.runs and one.uid not in seen.whole]
    if len(own) < 2:
        return None
    by_pod: dict[str, list[SeenContainer]] = {}
    for one in own:
        by_pod.setdefault(one.uid, []).append(one)
    return [
        Violation(
            f"containers {one.key} and {other.name} of the same pod run at once, with CPUs in common",
            format_bits(one.held.cpus & other.held.cpus),
            "CPUs of its own for each",
            about=(f"cpu:{one.key}", f"cpu:{other.key}"),
        )
        for together in by_pod.values()
        for one, other in combinations(together, 2)
        if one.held.cpus & other.held.cpus
    ]


@checker("cpu-manager/full-pcpus-only/gives-whole-cores", Sighting)
def whole_cores(seen: Sighting) -> Judgement:
    """Under full-pcpus-only exclusive CPUs are whole cores."""
    own = [one for one in _static(seen) if one.held.cpus and one.uid not in seen.whole]
    if not own or WHOLE_CORES not in seen.settings.options:
        return None
    return list(_partial_cores(seen, own))


def _partial_cores(seen: Sighting, own: Iterable[SeenContainer]) -> Iterator[Violation]:
    for one in own:
        cores = touched(seen.world.machine.core_bits, one.held.cpus)
        others = sum(core & ~one.held.cpus for core in cores)
        if others:
            yield Violation(
                f"container {one.key} has cores of which CPUs {format_bits(others)} are not its own",
                format_bits(one.held.cpus),
                "whole cores",
                {"partial": others},
                (f"cpu:{one.key}", "config:cpuManagerPolicyOptions"),
            )


@checker("topology-manager/single-numa-node/gives-one-node", Sighting)
def one_numa_node(seen: Sighting) -> Judgement:
    """Under single-numa-node what a container holds is together on one NUMA node; in scope pod what a pod holds."""
    if seen.settings.topology != "single-numa-node":
        return None
    groups: dict[str, list[SeenContainer]] = {}
    for one in seen.containers:
        if _has_something(seen, one):
            groups.setdefault(one.uid if seen.settings.scope == "pod" else one.key, []).append(one)
    return list(_not_together(seen, groups)) if groups else None


def _has_something(seen: Sighting, one: SeenContainer) -> bool:
    cpus = seen.settings.static and seen.pool is not None and one.held.cpus
    return bool(cpus or any(block.bytes for block in one.held.memory or ()) or any(one.device_nodes))


def _not_together(seen: Sighting, groups: dict[str, list[SeenContainer]]) -> Iterator[Violation]:
    for name, own in groups.items():
        common = sum(1 << node for node in seen.world.machine.numa_ids)
        for one in own:
            common &= _nodes_of(seen, one)
        if not common:
            what = "pod" if seen.settings.scope == "pod" else "container"
            yield Violation(
                f"what {what} {name} holds is not together on one NUMA node",
                "; ".join(_told(one) for one in own),
                "one NUMA node",
                about=(*_held_by(own), "config:topologyManagerPolicy"),
            )


def _held_by(own: Iterable[SeenContainer]) -> Iterator[str]:
    for one in own:
        yield from (f"cpu:{one.key}",) if one.held.cpus else ()
        yield from (f"memory:{one.key}",) if any(block.bytes for block in one.held.memory or ()) else ()
        yield from (f"device:{one.key}",) if any(one.device_nodes) else ()


def _nodes_of(seen: Sighting, one: SeenContainer) -> int:
    """Return the NUMA nodes (bits) on each of which all of what a container holds could be."""
    every = common = sum(1 << node for node in seen.world.machine.numa_ids)
    for node, cpus in seen.world.machine.numa_bits.items():
        if one.held.cpus & seen.world.online & ~cpus:
            common &= ~(1 << node)
    for block in one.held.memory or ():
        common &= block.nodes if block.bytes and not block.nodes & (block.nodes - 1) else 0 if block.bytes else every
    for nodes in one.device_nodes:
        common &= nodes or every
    return common


def _told(one: SeenContainer) -> str:
    parts = [f"CPUs {format_bits(one.held.cpus)}"] if one.held.cpus else []
    parts += [
        f"{block.type} on NUMA nodes {format_bits(block.nodes)}" for block in one.held.memory or () if block.bytes
    ]
    parts += [f"devices of NUMA nodes {format_bits(nodes)}" for nodes in one.device_nodes if nodes]
    return f"{one.name}: {', '.join(parts)}"


@checker("cpu-manager/reconcile/running-containers-get-their-cpusets", Sighting)
def runs_on_what_is_assigned(seen: Sighting) -> Judgement:
    """Every running container runs on its exclusive CPUs, or on the shared pool as it is, once that has settled."""
    own = [one for one in _static(seen) if one.runs and (one.held.cpus or (seen.settled and seen.pool))]
    return [wrong for one in own for wrong in _elsewhere(seen, one)] if own else None


def _elsewhere(seen: Sighting, one: SeenContainer) -> Iterator[Violation]:
    runs, wanted = one.runs or Runs(None, None, None, ()), one.held.cpus or seen.pool or 0
    assigned = f"its own {format_bits(wanted)}" if one.held.cpus else f"the shared pool {format_bits(wanted)}"
    facts = (f"runs:{one.key}", f"cpu:{one.key}" if one.held.cpus else "pool")
    if runs.written is not None and runs.written != wanted:
        beyond = format_bits(runs.written) or "nothing: it may run on all of its parent's"
        yield Violation(
            f"the cgroup of container {one.key} has another cpuset than is assigned", beyond, assigned, about=facts
        )
        return
    if runs.effective is not None and runs.effective != wanted & seen.world.online:
        yield Violation(
            f"container {one.key} runs on other CPUs than its cgroup has: a cgroup above it narrows them",
            format_bits(runs.effective),
            assigned,
            about=(f"effective:{one.key}", *facts),
        )
        return
    for threads in runs.threads:
        if threads.cpus & ~wanted:
            yield Violation(
                f"{_threads(threads)} of container {one.key} may run on CPUs that are not assigned to it",
                format_bits(threads.cpus),
                assigned,
                about=(f"thread:{threads.first}", *facts),
            )


def _threads(threads: Threads) -> str:
    return "a thread" if threads.count == 1 else f"{threads.count} threads"


@checker("memory-manager/static/guarantees-memory-to-guaranteed-pods", Sighting)
def memory_is_where_it_was_given(seen: Sighting) -> Judgement:
    """A container whose memory is guaranteed on NUMA nodes may use these, and its threads no others."""
    own = [one for one in seen.containers if one.runs and any(block.bytes for block in one.held.memory or ())]
    if not seen.settings.memory_static or not own:
        return None
    return [wrong for one in own for wrong in _memory_elsewhere(one)]


def _memory_elsewhere(one: SeenContainer) -> Iterator[Violation]:
    nodes = 0
    for block in one.held.memory or ():
        nodes |= block.nodes  # also of what an init container has left of it
    facts = (f"mems:{one.key}", f"memory:{one.key}")
    runs = one.runs or Runs(None, None, None, ())
    if runs.mems is not None and runs.mems != nodes:
        yield Violation(
            f"the cgroup of container {one.key} takes memory from other NUMA nodes than it is guaranteed on",
            format_bits(runs.mems) or "any",
            format_bits(nodes),
            about=facts,
        )
        return
    for threads in runs.threads:
        if threads.mems is not None and threads.mems & ~nodes:
            yield Violation(
                f"{_threads(threads)} of container {one.key} may take memory from other NUMA nodes",
                format_bits(threads.mems),
                format_bits(nodes),
                about=(f"thread:{threads.first}", *facts),
            )
