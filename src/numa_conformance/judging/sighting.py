"""``Sighting``: a node at work that was watched and never asked. What was seen is one step, which stands alone.

The step's parameters are the KubeletConfiguration in force and ``settled``; its answer is what was seen: the shared
pool, state files, and pods with their containers, each with what it holds and what it runs on. Of the admissions that
led there nothing is known, so nothing is said of them.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any

import msgspec
from msgspec.structs import replace

from ..cpuset import bits_of
from ..machine import Machine
from ..sources.versions import KubernetesVersion
from ..wire.history.sightings import LiveNode, LiveStateFile, Runs
from ..wire.history.values import HoldingBits, MemoryBits
from .node_subjects import NodeMoment
from .pods import GUARANTEED, ContainerSpec, PodSpec
from .questions import SightingQuestion
from .settings import Settings
from .world import AdmittedPod, World


class SeenContainer(msgspec.Struct, frozen=True):
    """One container. ``limit``: its CPU limit as CFS quota enforces it; None without one, or where not told.

    ``runs``: None where none of its processes were seen. ``listed``: what PodResources tells that it has; None where
    that was not asked.
    """

    uid: str
    name: str
    held: HoldingBits
    runs: Runs | None
    limit: Fraction | None
    listed: HoldingBits | None = None
    device_nodes: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """How facts about it are named."""
        return f"{self.uid}/{self.name}"


class Sighting(msgspec.Struct, frozen=True, dict=True):
    """A node at work.

    - ``pool``: None where the state file does not tell it.
    - ``qos``: pod to class, where it shows.
    - ``settled``: nothing changed for longer than a pass of the reconcile loop takes.
    - ``version``: None where the kubelet's version is not known. ``gates``: feature gates that are set.
    - ``memory``: the Memory Manager's books; None where there are none.
    - ``whole``: pods that have resources as a whole. Their containers may share what they hold.
    - ``limits``: pod to the CPU limit of its own cgroup. ``gone``: pods with CPUs of which the node shows nothing.
    """

    world: World
    settings: Settings
    version: KubernetesVersion | None
    settled: bool
    pool: int | None
    qos: Mapping[str, str]
    containers: tuple[SeenContainer, ...]
    files: Mapping[str, LiveStateFile]
    memory: tuple[Mapping[str, Any], ...] | None
    whole: frozenset[str] = frozenset()
    gates: Mapping[str, bool] = {}
    limits: Mapping[str, Fraction] = {}
    gone: frozenset[str] = frozenset()


def sightings(machine: Machine, look: SightingQuestion, reply: LiveNode) -> Iterator[object]:
    """Yield the subjects of one step."""
    settings = Settings.of(look.kubelet)
    containers = tuple(
        SeenContainer(
            uid,
            name,
            container.held,
            container.runs,
            None if container.limit is None else Fraction(*container.limit),
            None if container.listed is None else container.listed.held,
            tuple(bits_of(nodes) for nodes in container.device_nodes),
        )
        for uid, pod in reply.pods.items()
        for name, container in pod.containers.items()
    )
    qos = {uid: pod.qos for uid, pod in reply.pods.items() if pod.qos}
    world = _world(machine, settings, reply, containers, qos)
    yield NodeMoment(world)
    yield Sighting(
        world,
        settings,
        KubernetesVersion.parse(look.kubernetes_version) if look.kubernetes_version else None,
        look.settled,
        reply.default_cpuset,
        qos,
        containers,
        reply.files,
        reply.memory_state,
        frozenset(uid for uid, pod in reply.pods.items() if pod.whole),
        look.kubelet.get("featureGates") or {},
        {uid: Fraction(*pod.limit) for uid, pod in reply.pods.items() if pod.limit},
        frozenset(uid for uid, pod in reply.pods.items() if pod.gone),
    )


def _world(
    machine: Machine, settings: Settings, reply: LiveNode, containers: tuple[SeenContainer, ...], qos: Mapping[str, str]
) -> World:
    """Return the node as its state files tell it; where they do not tell of its CPUs, these are not judged."""
    pool, reserved = reply.default_cpuset, settings.reserved
    if reserved is None:
        reserved = reply.reserved_cpus
    if pool is None or (settings.strict and reserved is None):
        settings = replace(settings, static=False)
    reserved = reserved or 0 if settings.static else 0
    by_pod: dict[str, list[SeenContainer]] = {uid: [] for uid in reply.pods}
    for container in containers:
        by_pod[container.uid].append(container)
    pods: dict[str, AdmittedPod] = {}
    for uid, of_pod in by_pod.items():
        specs = tuple(
            # What is not seen to run may be an init container, of which another one has taken something over.
            ContainerSpec(container.name, "app" if container.runs else "init", {}, {}, container.held.cpus.bit_count())
            for container in of_pod
        )
        spec = PodSpec(uid, qos.get(uid, GUARANTEED), specs, {})
        pods[uid] = AdmittedPod(spec, {container.name: container.held for container in of_pod})
    shared = pool or 0
    return World(machine, settings, reserved, shared, machine.online_bits & ~(reserved & ~shared), pods)


def bytes_of_blocks(blocks: tuple[MemoryBits, ...] | None) -> dict[tuple[str, int], int]:
    """Return the bytes of blocks by type and NUMA nodes (bits), without what is empty."""
    amounts: dict[tuple[str, int], int] = {}
    for block in blocks or ():
        if block.bytes:
            amounts[block.type, block.nodes] = amounts.get((block.type, block.nodes), 0) + block.bytes
    return amounts
