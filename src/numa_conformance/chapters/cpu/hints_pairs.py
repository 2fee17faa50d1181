"""Hints for exclusive CPUs that are wrong, each by one sentence, and others that keep it."""

from __future__ import annotations

from ...asking.generators.workloads import static
from ...asking.generators.worlds import bits
from ...judging.hinted import CpuHints
from ...judging.settings import Settings
from ...machine import load_machine
from ...wire.history.values import Affinity, NodeBits
from . import hints as chapter


def hints(
    count: int, offered: str | None, free: str = "1-11", *, reusable: str = "", held: str | None = None
) -> CpuHints:
    """Describe the hints for so many CPUs; a set of NUMA nodes with a star is preferred, None is no opinion.

    NUMA node 0 has the CPUs 0, 2 to 10, of which the first is reserved; node 1 has 1, 3 to 11.
    """
    sets = None if offered is None else [(NodeBits(bits(text.strip("*"))), "*" in text) for text in offered.split()]
    return CpuHints(
        load_machine("t2-two-sockets-interleaved"),
        Settings.of(static(reserved="0")),
        count,
        bits(free),
        bits(reusable),
        None if held is None else bits(held),
        None if sets is None else tuple(Affinity(nodes, preferred) for nodes, preferred in sets),
    )


PAIRS = {
    chapter.none_without_exclusive_cpus: (hints(0, "0*"), hints(0, None)),
    chapter.every_hint_can_hold: (hints(6, "0* 1* 0-1"), hints(6, "1* 0-1")),
    chapter.offers_every_narrowest_set: (hints(4, "0* 0-1"), hints(4, "0* 1* 0-1")),
    chapter.offers_every_set: (hints(4, "0* 1*"), hints(4, "0* 1* 0-1")),
    chapter.preferred_is_narrowest: (hints(4, "0* 1* 0-1*"), hints(4, "0* 1* 0-1")),
    chapter.init_cpus_are_reusable: (hints(3, "", "1", reusable="3,5"), hints(3, "1* 0-1", "1", reusable="3,5")),
    chapter.covers_reusable_cpus: (hints(2, "0* 1* 0-1", reusable="3"), hints(2, "1* 0-1", reusable="3")),
    chapter.held_cpus_give_the_same: (hints(2, "0*", held="1,3"), hints(2, "1* 0-1", held="1,3")),
    chapter.none_for_another_number: (hints(3, "1*", held="1,3"), hints(3, "", held="1,3")),
    chapter.none_where_too_few: (hints(2, "1*", "1"), hints(2, "", "1")),
}
