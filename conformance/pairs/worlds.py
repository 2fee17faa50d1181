"""Nodes, and what happens to them, in a line each: subjects for the pairs of chapters."""

from collections.abc import Iterable, Mapping
from typing import Any

from msgspec.structs import replace

from numa_conformance.cpuset import CpuSet, bits_of
from numa_conformance.judging.choice import CpuChoice
from numa_conformance.judging.node_subjects import Admission
from numa_conformance.judging.pods import PodSpec
from numa_conformance.judging.settings import Settings
from numa_conformance.judging.sighting import Sighting
from numa_conformance.judging.start_subjects import FirstPod, Start
from numa_conformance.judging.world import AdmittedPod, World
from numa_conformance.machine import load_machine
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire.history.sightings import LiveStateFile
from numa_conformance.wire.history.values import Affinity, AlignmentBits, CpuBits, HoldingBits, MemoryBits, NodeBits

REFUSED = "UnexpectedAdmissionError"
"""Why a pod is refused where no better reason fits."""


def bits(cpus: str) -> CpuBits:
    """Return a list of CPUs as bits."""
    return CpuBits(CpuSet.parse(cpus).bits)


def held(
    cpus: str = "",
    *,
    hint: int | None = None,
    memory: Iterable[MemoryBits] = (),
    devices: Mapping[str, Iterable[str]] | None = None,
    cpuset: str | None = None,
    quota: int | None = None,
) -> HoldingBits:
    """Describe what a container holds; ``hint``: the NUMA nodes of its preferred hint as bits."""
    affinity = None if hint is None else Affinity(NodeBits(hint), True)
    by_name = {name: frozenset(ids) for name, ids in (devices or {}).items()}
    return HoldingBits(bits(cpus), affinity, tuple(memory), by_name, quota, None if cpuset is None else bits(cpuset))


def block(kind: str, gib: int, *nodes: int) -> MemoryBits:
    """Describe an amount of memory on NUMA nodes."""
    return MemoryBits(kind, gib << 30, NodeBits(bits_of(nodes)))


def resident(wanted: Mapping[str, Any], **holdings: HoldingBits) -> AdmittedPod:
    """Describe a pod on the node by container name."""
    return AdmittedPod(PodSpec.of(wanted), holdings)


def node(
    machine: str, config: Mapping[str, Any], *pods: AdmittedPod, pool: str | None = None, reserved: str | None = None
) -> World:
    """Describe a node that is up; its shared pool and its reservation are as they should be unless given."""
    settings, described = Settings.of(config), load_machine(machine)
    reservation = bits(reserved) if reserved is not None else (settings.reserved or 0) if settings.static else 0
    whole = described.online_bits & ~(reservation if settings.strict else 0) if settings.static else 0
    world = World(described, settings, reservation, whole, whole, {pod.spec.uid: pod for pod in pods})
    return replace(world, pool=whole & ~world.exclusive if pool is None else bits(pool))


def sighting(world: World, *, damage: str | None = None, of: str, policy: str = "static") -> Sighting:
    """Describe a node at work with one state file, which may be damaged."""
    return Sighting(world, world.settings, None, True, world.pool, {}, (), {of: LiveStateFile(policy, damage)}, None)


def admitted(before: World, wanted: Mapping[str, Any], qos: str | None = None, **holdings: HoldingBits) -> Admission:
    """Describe the admission of a pod by container name."""
    pod = PodSpec.of(wanted)
    after = before.with_pod(AdmittedPod(pod, holdings))
    after = replace(after, pool=before.pool & ~after.exclusive)
    return Admission(before, after, pod, True, pod.uid in before.pods, holdings, qos)


def refused(before: World, wanted: Mapping[str, Any], *, pool: str | None = None) -> Admission:
    """Describe the refusal of a pod."""
    pod = PodSpec.of(wanted)
    after = before if pool is None else replace(before, pool=bits(pool))
    return Admission(before, after, pod, False, pod.uid in before.pods, reason=REFUSED, message="the allocation failed")


def aligned(admission: Admission, *containers: str, preferred: bool = True, admit: bool = True) -> Admission:
    """Add that containers were aligned to NUMA node 0, whether that is preferred, and whether the policy admits it."""
    affinity = Affinity(NodeBits(1), preferred)
    return replace(admission, alignments=tuple(AlignmentBits(name, (), affinity, admit) for name in containers))


def first(wanted: Mapping[str, Any], admitted: bool = True, **holdings: HoldingBits) -> FirstPod:
    """Describe the first pod of a node, and what became of it."""
    return FirstPod(PodSpec.of(wanted), admitted, holdings, "" if admitted else REFUSED)


def start(
    machine: str, config: Mapping[str, Any], first: FirstPod | None = None, *, up: bool = True, version: str = "1.32"
) -> Start:
    """Describe a node that was to come up, and its first pod."""
    known, settings = KubernetesVersion.parse(version), Settings.of(config)
    return Start(load_machine(machine), known, config, settings, None if up else "exit status 1", first=first)


def picked(machine: str, free: str, cpus: str | int, *options: str, near: str | None = None) -> CpuChoice:
    """Describe a choice of CPUs among those that are free; a number of CPUs was refused. ``near``: the hint's CPUs."""
    answer, count = (None, cpus) if isinstance(cpus, int) else (bits(cpus), bits(cpus).bit_count())
    hint = None if near is None else bits(near)
    return CpuChoice(load_machine(machine), frozenset(options), bits(free), count, answer, hint)


def started(
    machine: str,
    config: Mapping[str, Any],
    wanted: Mapping[str, Any] | None = None,
    cpus: str | None = None,
    *,
    up: bool = True,
    pool: str | None = None,
    plain: Start | None = None,
) -> Start:
    """Describe a start, after which a first pod gets CPUs or, without any, is refused.

    ``plain``: the first start of the same history.
    """
    holdings = {} if cpus is None else {"c": held(cpus)}
    pod = first(wanted, cpus is not None, **holdings) if wanted and up else None
    described = start(machine, config, pod, up=up)
    return replace(
        described, reserved=described.settings.reserved, pool=None if pool is None else bits(pool), plain=plain
    )
