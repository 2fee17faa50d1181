"""NRI plugins: what daemons that give CPUs to containers promise on pages of their own."""

from __future__ import annotations

from ..pages import NRI_BALLOONS, NRI_TOPOLOGY_AWARE
from .statement import Statement, must, stated

STATEMENTS: tuple[Statement, ...] = (
    *stated(
        NRI_TOPOLOGY_AWARE.section("Key Features"),
        "features",
        "1.24",
        must("mixed", "Mixed allocation: a workload is assigned exclusive and shared CPU cores, both."),
    ),
    *stated(
        NRI_TOPOLOGY_AWARE.section("CPU Allocation Preferences"),
        "preferences",
        "1.24",
        must("mixed-from-one-to-two", "Guaranteed containers that request 1 CPU or more, and less than 2, are mixed."),
        must(
            "exclusive-is-honored", "By default they may have exclusive CPUs, which should always be possible to honor."
        ),
        must("reserved", "Containers in kube-system are pinned to share all kube-reserved CPU cores."),
    ),
    *stated(
        NRI_BALLOONS.section("Core Concepts"),
        "concepts",
        "1.24",
        must("one-balloon", "Every container is assigned to exactly one balloon, and may use all CPUs in it."),
        must("apart", "Every CPU belongs to at most one balloon, and containers never access CPUs of others."),
    ),
    *stated(
        NRI_BALLOONS.section("Reserved Balloon"),
        "reserved",
        "1.24",
        must("system-pods", "Containers from namespace kube-system run in the reserved balloon."),
        must("preferred", "A cpuset that is reserved is preferred for it; beyond it goes what their requests require."),
    ),
)
