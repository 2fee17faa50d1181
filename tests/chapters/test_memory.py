"""What is judged of memory beyond the pairs of its chapters."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from msgspec.structs import replace
from numa_conformance.conformance.pairs import memory as memory_pairs
from numa_conformance.conformance.pairs.worlds import admitted

from directly import Directly
from numa_conformance.asking.drive import drive
from numa_conformance.asking.generators.scenario import Scenario, ask_all, start
from numa_conformance.asking.generators.workloads import static_memory
from numa_conformance.chapters.memory import hints as memory_hints
from numa_conformance.chapters.memory import static
from numa_conformance.judging.settings import Settings
from numa_conformance.judging.verdicts import judge
from numa_conformance.machine import load_machine
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire.history.history import History, Step
from numa_conformance.wire.history.values import Affinity
from worlds import breaks

PAGES = "hugepages-2Mi"


@pytest.mark.parametrize(
    ("offered", "broken"),
    [(None, True), ((Affinity(None, True),), True), ((Affinity(None, False),), False), ((), False)],
)
def test_neither_null_nor_any_node_says_that_too_little_memory_is_free(offered: Any, broken: bool):
    hints = replace(memory_pairs.hinted(20), offered={"memory": offered})
    assert breaks(memory_hints.every_type_counts, hints) is broken


def test_what_one_numa_node_reserves_of_each_type_may_stand_in_an_entry_of_its_own():
    entries = [{"numaNode": 0, "limits": {kind: amount}} for kind, amount in (("memory", "1Gi"), (PAGES, "2Mi"))]
    settings = Settings.of(static_memory(reservedMemory=entries))
    assert settings.reserved_memory == {0: {"memory": 1 << 30, PAGES: 2 << 20}}


@pytest.mark.parametrize(("mib", "broken"), [(0, True), (64, False)])
def test_a_block_of_huge_pages_that_is_empty_gives_none(mib: int, broken: bool):
    admission = admitted(memory_pairs.IDLE, memory_pairs.WITH_PAGES, c=memory_pairs.pages(mib))
    assert breaks(static.huge_pages_are_given_by_size, admission) is broken


@pytest.mark.parametrize(("threshold", "result"), [("0", "failed"), ("0%", "started")])
def test_a_threshold_of_no_amount_may_keep_a_node_from_coming_up(threshold: str, result: str):
    reserved = [{"numaNode": 0, "limits": {"memory": "256Mi"}}]
    config = static_memory(reservedMemory=reserved, evictionHard={"memory.available": threshold})
    scenario = Scenario("start", "a threshold", load_machine("two-nodes-hugepages"), partial(ask_all, [start(config)]))
    history, _ = drive(scenario, Directly(ReferenceTarget("documented")), "1.37")
    assert (history.steps[0].answer["result"], judge(history).broken) == (result, [])
    refused = {"result": "failed", "stage": "memorymanager", "message": "no"}
    down = History(history.head, (Step("node.start", history.steps[0].params, refused),))
    assert bool(judge(down).broken) == (threshold == "0%")
