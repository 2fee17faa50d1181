"""``of_sighting``: what a node at work shows of its containers, its pods and its state files."""

from collections.abc import Iterator, Mapping

from ..cpuset import bit_of, format_bits
from ..sources.versions import KubernetesVersion
from ..wire.history.values import HoldingBits, nodes_text
from .files import CPU_FILE, CPUS, policies_of
from .pods import BEST_EFFORT, BURSTABLE, GUARANTEED
from .shared_views import PERIOD, ContainerView, FoundFile, Leftover, Neighbours, NodeContainer, Together
from .sighting import SeenContainer, Sighting

NO_QUOTA_SINCE = KubernetesVersion.parse("1.33")
"""From here on quota is left out for exclusive CPUs; before, kubelets set it, which is known."""
NO_QUOTA = "DisableCPUQuotaWithExclusiveCPUs"
NO_RESOURCES_OF_PODS_UNTIL = KubernetesVersion.parse("1.34")
"""From here on pods may have resources as a whole, of which a cgroup tells nothing: such get no exclusive CPUs."""


def of_sighting(sighting: Sighting) -> Iterator[object]:
    """Yield what each container shows, what is seen of each pod, and the state files."""
    containers = [_seen_container(sighting, container) for container in sighting.containers]
    yield from containers
    by_pod: dict[str, list[tuple[SeenContainer, NodeContainer]]] = {}
    for pair in zip(sighting.containers, containers, strict=True):
        by_pod.setdefault(pair[0].uid, []).append(pair)
    for uid, pairs in by_pod.items():
        neighbours = tuple(view for _, view in pairs if _judges_cpus(sighting) and view.cpus and view.runs)
        if len(neighbours) > 1 and uid not in sighting.whole:
            yield Neighbours(neighbours)
    yield from _seen_together(sighting, by_pod)
    if _judges_cpus(sighting) and sighting.settled:
        for uid in sorted(sighting.gone):
            yield Leftover(sighting.settings, uid, sighting.world.pods[uid].exclusive, sighting.pool or 0)
    for of, (name, wanted, field) in policies_of(sighting.settings).items():
        written = sighting.files[name].policy if name in sighting.files else ""
        if written:
            yield FoundFile(name, of, wanted, written, True, (f"file:{name}", f"config:{field}"))
    if _judges_cpus(sighting):
        online = sighting.world.online
        held = {f"cpu:{container.key}": container.held.cpus for container in sighting.containers}
        for fact, cpus in {"pool": sighting.pool or 0, **held}.items():
            yield FoundFile(CPU_FILE, CPUS, format_bits(cpus & online), format_bits(cpus), True, (fact,))


def _judges_cpus(sighting: Sighting) -> bool:
    return sighting.settings.static and sighting.pool is not None


def _seen_container(sighting: Sighting, container: SeenContainer) -> NodeContainer:
    qos, limit = sighting.qos.get(container.uid), container.limit
    exclusive: int | None = None
    if qos in (BURSTABLE, BEST_EFFORT):
        exclusive = 0
    elif qos == GUARANTEED and limit is not None:
        shows = bool(container.held.cpus) or (
            sighting.version is not None and sighting.version < NO_RESOURCES_OF_PODS_UNTIL
        )
        exclusive = 0 if limit.denominator != 1 else int(limit) if shows else None
    known = sighting.version is not None and sighting.version >= NO_QUOTA_SINCE and sighting.gates.get(NO_QUOTA, True)
    quota = None if not (known and container.runs) else -1 if limit is None else int(limit * PERIOD)
    held = HoldingBits(
        container.held.cpus, container.held.affinity, container.held.memory, container.held.devices, quota
    )
    return NodeContainer(
        sighting.world.machine,
        sighting.settings,
        container.uid,
        container.name,
        held,
        sighting.pool,
        qos,
        exclusive,
        other=container.listed,
        teller="PodResources",
        runs=container.runs,
        settled=sighting.settled,
        unexplained=container.uid not in sighting.whole,
        is_given_the_pool=True,
        pod_quota=int(sighting.limits.get(container.uid, 0) * PERIOD) if known else None,
    )


def _seen_together(
    sighting: Sighting, by_pod: Mapping[str, list[tuple[SeenContainer, NodeContainer]]]
) -> Iterator[Together]:
    """Yield what each container has in CPUs, memory and devices; in scope pod what each pod has."""
    if sighting.settings.topology != "single-numa-node":
        return
    for uid, pairs in by_pod.items():
        holders = [(container, view) for container, view in pairs if _has_something(sighting, container)]
        whole = sighting.settings.scope == "pod"
        for group in [holders] if whole and holders else [[pair] for pair in holders]:
            yield Together(
                sighting.settings,
                f"pod {uid}" if whole else f"container {group[0][1].key}",
                tuple(place for container, _ in group for place in _places(sighting, container)),
                "; ".join(_text(container) for container, _ in group),
                (
                    *(fact for container, view in group for fact in _shown_by(container, view)),
                    "config:topologyManagerPolicy",
                ),
            )


def _has_something(sighting: Sighting, container: SeenContainer) -> bool:
    return bool(
        (_judges_cpus(sighting) and container.held.cpus) or container.held.blocks or any(container.device_nodes)
    )


def _places(sighting: Sighting, container: SeenContainer) -> Iterator[int]:
    online = container.held.cpus & sighting.world.online
    for node, cpus in sighting.world.machine.numa_bits.items():
        if online & cpus:
            yield bit_of(node)
    yield from (block.nodes if not block.nodes & (block.nodes - 1) else 0 for block in container.held.blocks)
    yield from (nodes for nodes in container.device_nodes if nodes)


def _shown_by(container: SeenContainer, view: ContainerView) -> tuple[str, ...]:
    facts = {"cpu": container.held.cpus, "memory": container.held.blocks, "device": any(container.device_nodes)}
    return view.about(*(name for name, there in facts.items() if there))


def _text(container: SeenContainer) -> str:
    parts = [f"CPUs {format_bits(container.held.cpus)}"] if container.held.cpus else []
    parts += [f"{block.type} on {nodes_text(block.nodes)}" for block in container.held.blocks]
    parts += [f"devices of {nodes_text(nodes)}" for nodes in container.device_nodes if nodes]
    return f"{container.name}: {', '.join(parts)}"
