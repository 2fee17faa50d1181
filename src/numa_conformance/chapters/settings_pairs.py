"""Starts of nodes with a configuration, wrong by one sentence, and right."""

from __future__ import annotations

from typing import Any

from ..asking.generators.workloads import container, guaranteed, kubelet, pod, static
from ..asking.generators.worlds import block, first, held, start
from ..judging.start_subjects import Start
from . import settings as chapter

NINE, LARGE = guaranteed("p", 9), guaranteed("p", 1, "900Gi")
SIX_EACH = pod("p", [container(name, cpu="6", memory="64Mi") for name in "ab"])
FOUR_NODES = "t3-two-numa-per-socket"  # 0-3,16-19 to 12-15,28-31
RESTRICTED = kubelet(topologyManagerPolicy="restricted")
SINGLE = {**static(), "topologyManagerPolicy": "single-numa-node"}


def unknown(**fields: Any) -> tuple[Start, Start]:
    """Return a node that comes up with a value that does not exist, and one that does not."""
    return start(FOUR_NODES, kubelet(**fields)), start(FOUR_NODES, kubelet(**fields), up=False)


PAIRS = {
    chapter.cpu_policy_defaults_to_none: (
        start(FOUR_NODES, kubelet(), first(NINE, c=held("0-8"))),
        start(FOUR_NODES, kubelet(), first(NINE, c=held())),
    ),
    chapter.memory_policy_defaults_to_none: (
        start(FOUR_NODES, static(), first(NINE, c=held("1-9", memory=[block("memory", 1, 0)]))),
        start(FOUR_NODES, static(), first(NINE, c=held("1-9"))),
    ),
    chapter.topology_policy_defaults_to_none: (
        start(FOUR_NODES, static(), first(NINE, False)),
        start(FOUR_NODES, static(), first(NINE, c=held("1-9"))),
    ),
    chapter.scope_defaults_to_container: (
        start(FOUR_NODES, SINGLE, first(SIX_EACH, False)),
        start(FOUR_NODES, SINGLE, first(SIX_EACH, a=held("4-6,20-22"), b=held("8-10,24-26"))),
    ),
    chapter.no_cpus_without_the_cpu_manager: (
        start(FOUR_NODES, RESTRICTED, first(NINE, False)),
        start(FOUR_NODES, RESTRICTED, first(NINE, c=held())),
    ),
    chapter.no_memory_without_the_memory_manager: (
        start(FOUR_NODES, RESTRICTED, first(LARGE, False)),
        start(FOUR_NODES, RESTRICTED, first(LARGE, c=held())),
    ),
    chapter.unknown_cpu_policy_is_refused: unknown(cpuManagerPolicy="x"),
    chapter.unknown_topology_policy_is_refused: unknown(topologyManagerPolicy="x"),
    chapter.unknown_scope_is_refused: unknown(topologyManagerPolicy="none", topologyManagerScope="x"),
    chapter.unknown_memory_policy_is_refused: unknown(memoryManagerPolicy="x"),
}
