"""Containers whose memory may come from other NUMA nodes than they were given, and containers whose may not."""

from __future__ import annotations

from msgspec.structs import replace

from ..generators.workloads import guaranteed, static_memory
from ..generators.worlds import bits, block, held, node, resident
from ..judge.may_run import MayRun
from . import memory_life as chapter


def taking_memory_from(nodes: str) -> MayRun:
    """Describe a container that has a GiB of NUMA node 0."""
    holds = replace(held("1", memory=[block("memory", 1, 0)]), mems=bits(nodes))
    world = node("two-nodes-hugepages", static_memory(), resident(guaranteed("p", 1, "1Gi"), c=holds))
    return MayRun(world, "p", "c", holds, True)


PAIRS = {chapter.memory_is_where_it_was_given: (taking_memory_from("0-1"), taking_memory_from("0"))}
