"""What a node tells of containers, and what it answered when it gave it to them."""

from __future__ import annotations

import pytest
from numa_conformance.conformance.pairs.worlds import bits, block, held, node, resident

from numa_conformance.asking.generators.workloads import guaranteed, static
from numa_conformance.chapters import protocol
from numa_conformance.judging.node_subjects import State
from numa_conformance.wire.history.values import HoldingBits
from worlds import breaks


@pytest.mark.parametrize(
    ("reported", "breaking"),
    [
        (held("1,5", memory=[block("memory", 1, 0)], devices={"r": "a"}), False),
        (held("1,5", memory=[block("memory", 1, 1)], devices={"r": "a"}), True),
        (held("1,5", memory=[block("memory", 1, 0)], devices={"r": "b"}), True),
        (held("1,5", memory=[block("memory", 1, 0)]), True),
        (HoldingBits(bits("1,5")), False),
    ],
    ids=["all", "other memory", "another device", "no device", "CPUs alone"],
)
def test_what_a_node_tells_of_memory_and_devices_is_what_it_gave(reported: HoldingBits, breaking: bool) -> None:
    given = held("1,5", memory=[block("memory", 1, 0)], devices={"r": "a"})
    world = node("t1-one-socket-smt2", static(), resident(guaranteed("p", 2), c=given))
    assert breaks(protocol.state_agrees_with_answers, State(world, {"p": {"c": reported}})) is breaking
