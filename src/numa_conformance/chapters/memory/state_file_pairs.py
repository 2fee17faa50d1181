"""Nodes that come up with other memory than their state file tells, and nodes that do not."""

from __future__ import annotations

from ...asking.generators.workloads import guaranteed, static, static_memory
from ...asking.generators.worlds import block, held, node, resident, sighting
from ...judging.files import MEMORY_FILE
from ...judging.node_subjects import Restart
from . import state_file as chapter

MACHINE = "two-nodes-hugepages"
GIB = held("1", memory=[block("memory", 1, 1)])
BEFORE, WITHOUT = node(MACHINE, static_memory(), resident(guaranteed("p", 1, "1Gi"), c=GIB)), node(MACHINE, static())


def same(on: int) -> Restart:
    """Restart a node whose pod has a GiB of NUMA node 1."""
    return Restart(BEFORE, BEFORE, True, {"p": {"c": held("1", memory=[block("memory", 1, on)])}})


def to_none(up: bool) -> Restart:
    """Restart a node with the memory policy None and the state file of policy Static."""
    before = node(MACHINE, static_memory())
    return Restart(before, WITHOUT if up else None, False, wanted=WITHOUT.settings)


PAIRS = {
    chapter.memory_survives_a_restart: (same(0), same(1)),
    chapter.memory_file_fits: (
        sighting(BEFORE, of=MEMORY_FILE, policy="Static", damage="the checksum is another"),
        sighting(BEFORE, of=MEMORY_FILE, policy="Static"),
    ),
    chapter.memory_policy_change_is_refused: (to_none(up=True), to_none(up=False)),
}
