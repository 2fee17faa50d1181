"""Pods that are resized wrongly, and rightly, on a node of 16 CPUs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from ..asking.generators.workloads import burstable, guaranteed, static, static_memory
from ..asking.generators.worlds import bits, held, node, resident
from ..judging.node_subjects import Resize
from ..judging.pods import PodSpec
from ..judging.world import AdmittedPod
from . import resize as chapter

STATIC = static()
INFEASIBLE, DEFERRED = "Infeasible", "Deferred"
EXCLUSIVE = resident(guaranteed("p", 2), c=held("1,9"))
SHARED = resident(burstable("p", 2), c=held())


def resized(
    to: Mapping[str, Any],
    reason: str = "",
    pool: str = "0-15",
    was: AdmittedPod = SHARED,
    on: Mapping[str, Any] = STATIC,
) -> Resize:
    """Describe a resize that is granted, or pending for a reason, and the shared pool then."""
    before = node("two-nodes-devices", on, was)
    after = replace(before, pool=bits(pool))
    return Resize(before, after, was, PodSpec.of(to), not reason, was.held, reason)


def exclusive(to: Mapping[str, Any], reason: str = "", on: Mapping[str, Any] = STATIC) -> Resize:
    """Describe the same of a pod that has CPUs of its own."""
    return resized(to, reason, "0,2-8,10-15", EXCLUSIVE, on)


THREE, TOO_MANY, MEMORY = burstable("p", 3), burstable("p", 17), guaranteed("p", 2, "128Mi")
PINNED = static_memory()

PAIRS = {
    chapter.exclusive_cpus_are_not_resized: (exclusive(guaranteed("p", 3)), exclusive(guaranteed("p", 3), INFEASIBLE)),
    chapter.static_memory_is_not_resized: (exclusive(MEMORY, on=PINNED), exclusive(MEMORY, INFEASIBLE, PINNED)),
    chapter.more_than_the_node_has_is_not_granted: (resized(TOO_MANY), resized(TOO_MANY, INFEASIBLE)),
    chapter.what_can_never_be_is_infeasible: (resized(TOO_MANY, DEFERRED), resized(TOO_MANY, INFEASIBLE)),
    chapter.pending_changes_nothing: (resized(THREE, DEFERRED, "3-15"), resized(THREE, DEFERRED)),
    chapter.shared_containers_get_no_cpus_of_their_own: (resized(THREE, pool="3-15"), resized(THREE)),
}
