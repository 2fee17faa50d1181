"""Hints for GPUs, of which gpu-0 and gpu-1 are near NUMA node 0, gpu-2 and gpu-3 near 1: what sentences find wrong."""

from __future__ import annotations

from ...asking.generators.workloads import static
from ...asking.generators.worlds import node
from ...judging.offered import DeviceHints, Offered
from ...wire.history.values import Affinity, NodeBits
from . import hints as chapter

IDLE = node("two-nodes-devices", static())
FIRST, SECOND = Affinity(NodeBits(0b01), True), Affinity(NodeBits(0b10), True)
BOTH, WRONGLY_BOTH = (Affinity(NodeBits(0b11), preferred) for preferred in (False, True))


def gpus(number: int, offered: Offered, *reusable: str) -> DeviceHints:
    """Describe the hints for a number of GPUs."""
    return DeviceHints(IDLE, "example.com/gpu", number, frozenset(reusable), offered)


PAIRS = {
    chapter.every_hint_can_hold: (gpus(3, (FIRST,)), gpus(3, (BOTH,))),
    chapter.gives_no_hint_where_none_can: (gpus(5, None), gpus(5, ())),
    chapter.offers_every_set: (gpus(1, (FIRST, BOTH)), gpus(1, (FIRST, SECOND, BOTH))),
    chapter.preferred_is_narrowest: (gpus(1, (FIRST, WRONGLY_BOTH)), gpus(1, (FIRST, BOTH))),
    chapter.covers_reusable_devices: (gpus(1, (SECOND,), "gpu-0"), gpus(1, (FIRST,), "gpu-0")),
}
