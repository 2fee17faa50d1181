"""Nodes, and what happens to them, in a line each: subjects for the tests of checkers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from types import ModuleType
from typing import Any

from numa_conformance.cpuset import CpuSet
from numa_conformance.machine import load_machine
from numa_conformance.suite.history.values import Affinity, Block
from numa_conformance.suite.judge.chapter import CHECKERS, checkers_of
from numa_conformance.suite.judge.node_subjects import Admission
from numa_conformance.suite.judge.pods import PodSpec
from numa_conformance.suite.judge.settings import Settings
from numa_conformance.suite.judge.views import views
from numa_conformance.suite.judge.world import Held, PodOnNode, World

Case = tuple[object, object]
"""A subject that breaks a requirement, and one that keeps it."""


def bits(cpus: str) -> int:
    return CpuSet.parse(cpus).bits


def held(
    cpus: str = "",
    *,
    hint: int | None = None,
    memory: Iterable[Block] = (),
    devices: Mapping[str, Iterable[str]] | None = None,
) -> Held:
    """Describe what a container holds; ``hint``: the NUMA nodes of its preferred hint as bits."""
    told = {name: frozenset(ids) for name, ids in (devices or {}).items()}
    return Held(bits(cpus), None if hint is None else Affinity(hint, True), tuple(memory), told)


def block(kind: str, gib: int, node: int) -> Block:
    return Block(kind, gib << 30, 1 << node)


def resident(wanted: Mapping[str, Any], **given: Held) -> PodOnNode:
    """Describe a pod on the node by container name."""
    return PodOnNode(PodSpec.of(wanted), given)


def node(
    machine: str, config: Mapping[str, Any], *pods: PodOnNode, pool: str | None = None, reserved: str | None = None
) -> World:
    """Describe a node that is up; its shared pool and its reservation are as they should be unless given."""
    settings, described = Settings.of(config), load_machine(machine)
    kept = bits(reserved) if reserved is not None else (settings.reserved or 0) if settings.static else 0
    whole = described.online_bits & ~(kept if settings.strict else 0) if settings.static else 0
    world = World(described, settings, kept, whole, whole, {pod.spec.uid: pod for pod in pods})
    return replace(world, pool=whole & ~world.exclusive if pool is None else bits(pool))


def admitted(before: World, wanted: Mapping[str, Any], qos: str | None = None, **given: Held) -> Admission:
    pod = PodSpec.of(wanted)
    after = before.with_pod(PodOnNode(pod, given))
    after = replace(after, pool=before.pool & ~after.exclusive)
    return Admission(before, after, pod, True, pod.uid in before.pods, given, qos)


def refused(before: World, wanted: Mapping[str, Any], *, pool: str | None = None) -> Admission:
    pod = PodSpec.of(wanted)
    after = before if pool is None else replace(before, pool=bits(pool))
    return Admission(before, after, pod, False, pod.uid in before.pods, reason="No", message="no")


def breaks(requirement: str, subject: object) -> bool | None:
    """Tell whether a subject breaks a requirement; None where the requirement says nothing about it."""
    shown = (subject, *views(subject))
    judged = [
        list(wrong)
        for each in shown
        for check in checkers_of(type(each))
        if check.requirement == requirement and (wrong := check.judge(each)) is not None
    ]
    return any(judged) if judged else None


def judged_in(room: ModuleType) -> set[str]:
    """Return the requirements for which a module of checkers has one."""
    return {check.requirement for check in CHECKERS if check.function.__module__ == room.__name__}
