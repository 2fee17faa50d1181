"""``Sighting``: a node at work that was watched and never asked. What was seen is one step, which stands alone.

The step's parameters are the KubeletConfiguration in force and ``settled``; its answer is what was seen: the shared
pool, state files, and pods with their containers, each with what it holds and what it runs on. Of the admissions that
led there nothing is known, so nothing is said of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from ...documentation.versions import KubernetesVersion
from ..history.history import History
from .node_subjects import Moment
from .pods import GUARANTEED, ContainerSpec, PodSpec
from .reading import Block, nodes_of, read_bits
from .settings import Settings
from .world import Held, PodOnNode, World

__all__ = ["SEEN", "FileSeen", "Runs", "SeenContainer", "Sighting", "Threads", "blocks_told", "seen"]

SEEN = "node.seen"
"""The method of the step; no target is asked it."""


@dataclass(frozen=True, slots=True)
class Threads:
    """Threads of a container that may run on the same CPUs and NUMA nodes, both as bits: the first of them, how many.

    ``mems`` is None where not told.
    """

    first: int
    count: int
    cpus: int
    mems: int | None

    def __str__(self) -> str:
        return "a thread" if self.count == 1 else f"{self.count} threads"


@dataclass(frozen=True, slots=True)
class Runs:
    """What a running container was seen to run on, as bits; None where it was not told.

    ``written``: the cpuset of its cgroup, empty where nothing was ever written; ``effective``: what the kernel makes
    of it and of the cgroups above.
    """

    written: int | None
    effective: int | None
    mems: int | None
    threads: tuple[Threads, ...]


@dataclass(frozen=True, slots=True)
class SeenContainer:
    """One container. ``limit``: its CPU limit as CFS quota enforces it; None without one, or where not told.

    ``runs``: None where none of its processes were seen. ``listed``: what PodResources tells that it has; None where
    that was not asked.
    """

    uid: str
    name: str
    held: Held
    runs: Runs | None
    limit: Fraction | None
    listed: Held | None = None
    device_nodes: tuple[int, ...] = ()

    @property
    def key(self) -> str:
        """How facts about it are named."""
        return f"{self.uid}/{self.name}"


@dataclass(frozen=True, slots=True)
class FileSeen:
    """A state file: the policy it was written under, and why it cannot be read, if so."""

    policy: str
    damage: str | None


@dataclass(frozen=True)
class Sighting:
    """A node at work. ``pool``: None where the state file does not tell it; ``qos``: pod to class, where it shows.

    ``settled``: nothing changed for longer than a pass of the reconcile loop takes. ``version``: None where the
    kubelet's version is not known. ``memory``: the Memory Manager's books, None where there are none. ``whole``: pods
    that have resources as a whole, of which containers may share what they hold. ``gates``: feature gates that are set.
    """

    world: World
    settings: Settings
    version: KubernetesVersion | None
    settled: bool
    pool: int | None
    qos: Mapping[str, str]
    containers: tuple[SeenContainer, ...]
    files: Mapping[str, FileSeen]
    memory: tuple[Mapping[str, Any], ...] | None
    whole: frozenset[str] = frozenset()
    gates: Mapping[str, bool] = field(default_factory=dict)


def seen(history: History, number: int) -> Iterator[object]:
    """Yield the subjects of one step; raises ``UnreadableError``."""
    step = history.steps[number]
    answer = step.answer or {}
    settings = Settings.of(step.params["kubelet"])
    containers = tuple(
        _container(uid, name, told) for uid, pod in answer["pods"].items() for name, told in pod["containers"].items()
    )
    qos = {uid: pod["qos"] for uid, pod in answer["pods"].items() if pod.get("qos")}
    pool = answer.get("default_cpuset")
    shared = None if pool is None else read_bits(pool, "default_cpuset")
    world = _world(history, settings, answer, shared, containers, qos)
    told_version = step.params.get("kubernetes_version")
    yield Moment(world)
    yield Sighting(
        world,
        settings,
        KubernetesVersion.parse(told_version) if told_version else None,
        bool(step.params.get("settled")),
        shared,
        qos,
        containers,
        {name: FileSeen(told["policy"], told.get("damage")) for name, told in answer["files"].items()},
        None if answer.get("memory_state") is None else tuple(answer["memory_state"]),
        frozenset(uid for uid, pod in answer["pods"].items() if pod.get("whole")),
        step.params["kubelet"].get("featureGates") or {},
    )


def _world(
    history: History,
    settings: Settings,
    answer: Mapping[str, Any],
    pool: int | None,
    containers: tuple[SeenContainer, ...],
    qos: Mapping[str, str],
) -> World:
    """Return the node as its state files tell it; where they do not tell of its CPUs, these are not judged."""
    online = history.head.machine.online_bits
    reserved = settings.reserved
    if reserved is None and answer.get("reserved_cpus") is not None:
        reserved = read_bits(answer["reserved_cpus"], "reserved_cpus")
    if pool is None or (settings.strict and reserved is None):
        settings = replace(settings, static=False)
    reserved = reserved or 0 if settings.static else 0
    by_pod: dict[str, list[SeenContainer]] = {uid: [] for uid in answer["pods"]}
    for container in containers:
        by_pod[container.uid].append(container)
    pods: dict[str, PodOnNode] = {}
    for uid, own in by_pod.items():
        specs = tuple(
            # What is not seen to run may be an init container, of which another one has taken something over.
            ContainerSpec(one.name, "app" if one.runs else "init", {}, {}, one.held.cpus.bit_count())
            for one in own
        )
        spec = PodSpec(uid, qos.get(uid, GUARANTEED), specs, {})
        pods[uid] = PodOnNode(spec, {one.name: one.held for one in own})
    return World(history.head.machine, settings, reserved, pool or 0, online, pods)


def _container(uid: str, name: str, told: Mapping[str, Any]) -> SeenContainer:
    place = f"pods.{uid}.{name}"
    listed = told.get("listed")
    limit = told.get("limit")
    return SeenContainer(
        uid,
        name,
        Held.read({"cpus": "", **told}, place),
        None if told.get("runs") is None else _runs(told["runs"], f"{place}.runs"),
        None if limit is None else Fraction(limit[0], limit[1]),
        None if listed is None else Held.read({"cpus": "", **listed}, f"{place}.listed"),
        tuple(nodes_of(nodes) or 0 for nodes in told.get("device_nodes") or ()),
    )


def _runs(told: Mapping[str, Any], place: str) -> Runs:
    return Runs(
        _bits(told.get("written"), place),
        _bits(told.get("effective"), place),
        _bits(told.get("mems"), place),
        tuple(
            Threads(one["first"], one["count"], read_bits(one["cpus"], place), _bits(one.get("mems"), place))
            for one in told.get("threads") or ()
        ),
    )


def _bits(text: str | None, place: str) -> int | None:
    return None if text is None else read_bits(text, place)


def blocks_told(blocks: tuple[Block, ...] | None) -> dict[tuple[str, int], int]:
    """Return the bytes of blocks by type and NUMA nodes (bits), without what is empty."""
    amounts: dict[tuple[str, int], int] = {}
    for block in blocks or ():
        if block.bytes:
            amounts[block.type, block.nodes] = amounts.get((block.type, block.nodes), 0) + block.bytes
    return amounts
