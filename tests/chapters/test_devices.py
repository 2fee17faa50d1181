"""What is judged of devices beyond the pairs of their chapters."""

from __future__ import annotations

from typing import Any

import pytest
from numa_conformance.conformance.pairs import devices as devices_pairs
from numa_conformance.conformance.pairs.worlds import admitted, refused

from numa_conformance.chapters.devices import allocation
from numa_conformance.chapters.devices import hints as devices_hints
from numa_conformance.chapters.devices import topology as devices_topology
from numa_conformance.wire.history.values import Affinity
from worlds import breaks


def test_a_fraction_of_a_cpu_gives_no_cpus_beside_an_aligned_device():
    admission = admitted(devices_pairs.IDLE_SINGLE, devices_pairs.FRACTION, c=devices_pairs.cpus_and_gpus("1", 0))
    assert breaks(devices_topology.fractions_align_devices_only, admission)


def test_what_no_removed_pod_had_says_nothing_of_removal():
    refusal = refused(devices_pairs.up(), devices_pairs.TWO)
    assert breaks(allocation.devices_return, refusal) is None


@pytest.mark.parametrize(
    ("offered", "broken"),
    [(None, True), ((Affinity(None, True),), True), ((Affinity(None, False),), False), ((), False)],
)
def test_neither_null_nor_any_node_says_that_too_few_devices_are_free(offered: Any, broken: bool):
    hints = devices_pairs.hinted(5, offered)
    assert breaks(devices_hints.every_hint_can_hold, hints) is broken
