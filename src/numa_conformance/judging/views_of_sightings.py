"""``of_sighting``: what a node at work shows of its containers, its pods and its state files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..cpuset import bit_of, format_bits
from ..sources.versions import KubernetesVersion
from ..wire.history.values import HoldingBits, nodes_text
from .files import CPU_FILE, CPUS, policies_of
from .pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from .shared_views import PERIOD, FoundFile, Given, Leftover, Neighbours, OnNode, Together
from .sighting import SeenContainer, Sighting

NO_QUOTA_SINCE = KubernetesVersion.parse("1.33")
"""From here on quota is left out for exclusive CPUs; before, kubelets set it, which is known."""
NO_QUOTA = "DisableCPUQuotaWithExclusiveCPUs"
NO_RESOURCES_OF_PODS_UNTIL = KubernetesVersion.parse("1.34")
"""From here on pods may have resources as a whole, of which a cgroup tells nothing: such get no exclusive CPUs."""


def of_sighting(seen: Sighting) -> Iterator[object]:
    """Yield what each container shows, what is seen of each pod, and the state files."""
    given = [_seen_container(seen, container) for container in seen.containers]
    yield from given
    by_pod: dict[str, list[tuple[SeenContainer, OnNode]]] = {}
    for pair in zip(seen.containers, given, strict=True):
        by_pod.setdefault(pair[0].uid, []).append(pair)
    for uid, pairs in by_pod.items():
        beside = tuple(view for _, view in pairs if _judges_cpus(seen) and view.cpus and view.runs)
        if len(beside) > 1 and uid not in seen.whole:
            yield Neighbours(beside)
    yield from _seen_together(seen, by_pod)
    if _judges_cpus(seen) and seen.settled:
        for uid in sorted(seen.gone):
            yield Leftover(seen.settings, uid, seen.world.pods[uid].kept, seen.pool or 0)
    yield from _seen_files(seen)


def _judges_cpus(seen: Sighting) -> bool:
    return seen.settings.static and seen.pool is not None


def _seen_container(seen: Sighting, container: SeenContainer) -> OnNode:
    qos, limit = seen.qos.get(container.uid), container.limit
    exclusive: int | None = None
    if qos in (BURSTABLE, BEST_EFFORT):
        exclusive = 0
    elif qos == GUARANTEED and limit is not None:
        shows = bool(container.held.cpus) or (seen.version is not None and seen.version < NO_RESOURCES_OF_PODS_UNTIL)
        exclusive = 0 if limit.denominator != 1 else int(limit) if shows else None
    known = seen.version is not None and seen.version >= NO_QUOTA_SINCE and seen.gates.get(NO_QUOTA, True)
    quota = None if not (known and container.runs) else -1 if limit is None else int(limit * PERIOD)
    held = HoldingBits(
        container.held.cpus, container.held.affinity, container.held.memory, container.held.devices, quota
    )
    return OnNode(
        seen.world.machine,
        seen.settings,
        container.uid,
        container.name,
        held,
        seen.pool,
        qos,
        exclusive,
        other=container.listed,
        teller="PodResources",
        runs=container.runs,
        settled=seen.settled,
        unexplained=container.uid not in seen.whole,
        pod_quota=int(seen.limits.get(container.uid, 0) * PERIOD) if known else None,
    )


def _seen_together(seen: Sighting, by_pod: Mapping[str, list[tuple[SeenContainer, OnNode]]]) -> Iterator[Together]:
    """Yield what each container has in CPUs, memory and devices; in scope pod what each pod has."""
    if seen.settings.topology != "single-numa-node":
        return
    for uid, pairs in by_pod.items():
        holders = [(container, given) for container, given in pairs if _has_something(seen, container)]
        whole = seen.settings.scope == "pod"
        for group in [holders] if whole and holders else [[pair] for pair in holders]:
            yield Together(
                seen.settings,
                f"pod {uid}" if whole else f"container {group[0][1].key}",
                tuple(place for container, _ in group for place in _places(seen, container)),
                "; ".join(_told(container) for container, _ in group),
                (
                    *(fact for container, given in group for fact in _shown_by(container, given)),
                    "config:topologyManagerPolicy",
                ),
            )


def _has_something(seen: Sighting, container: SeenContainer) -> bool:
    return bool((_judges_cpus(seen) and container.held.cpus) or container.held.blocks or any(container.device_nodes))


def _places(seen: Sighting, container: SeenContainer) -> Iterator[int]:
    online = container.held.cpus & seen.world.online
    for node, cpus in seen.world.machine.numa_bits.items():
        if online & cpus:
            yield bit_of(node)
    yield from (block.nodes if not block.nodes & (block.nodes - 1) else 0 for block in container.held.blocks)
    yield from (nodes for nodes in container.device_nodes if nodes)


def _shown_by(container: SeenContainer, given: Given) -> tuple[str, ...]:
    facts = {"cpu": container.held.cpus, "memory": container.held.blocks, "device": any(container.device_nodes)}
    return given.about(*(name for name, there in facts.items() if there))


def _told(container: SeenContainer) -> str:
    parts = [f"CPUs {format_bits(container.held.cpus)}"] if container.held.cpus else []
    parts += [f"{block.type} on {nodes_text(block.nodes)}" for block in container.held.blocks]
    parts += [f"devices of {nodes_text(nodes)}" for nodes in container.device_nodes if nodes]
    return f"{container.name}: {', '.join(parts)}"


def _seen_files(seen: Sighting) -> Iterator[FoundFile]:
    for of, (name, wanted, field) in policies_of(seen.settings).items():
        written = seen.files[name].policy if name in seen.files else ""
        if written:
            yield FoundFile(name, of, wanted, written, True, (f"file:{name}", f"config:{field}"))
    if _judges_cpus(seen):
        online, held = seen.world.online, {f"cpu:{container.key}": container.held.cpus for container in seen.containers}
        for fact, cpus in {"pool": seen.pool or 0, **held}.items():
            yield FoundFile(CPU_FILE, CPUS, format_bits(cpus & online), format_bits(cpus), True, (fact,))
