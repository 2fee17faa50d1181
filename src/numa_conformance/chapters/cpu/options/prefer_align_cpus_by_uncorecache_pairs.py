"""CPUs that lie in more uncore caches than they need to, each wrong by one sentence, and others that keep it."""

from __future__ import annotations

from ....asking.generators.workloads import guaranteed, static
from ....asking.generators.worlds import admitted, held, node, picked, refused
from ....judging.choice import BY_UNCORE, CpuChoice
from ...pairs import Pairs, twin
from . import prefer_align_cpus_by_uncorecache as chapter
from .maturity_pairs import of_every_option


def cached(cpus: str | int, free: str = "0-31") -> CpuChoice:
    """Describe a choice among four uncore caches, each of four cores: 0,16 to 3,19, and so on."""
    return picked("t3-two-numa-per-socket", free, cpus, BY_UNCORE)


IN_USE = "1-15,17-31"

UP, NINE = node("t3-two-numa-per-socket", static("prefer-align-cpus-by-uncorecache")), guaranteed("p", 9)

PAIRS: Pairs = {
    **of_every_option(BY_UNCORE, without="2-5,18-21", effect="4-7,20-23"),
    chapter.stays_in_one_cache: (cached("0,4,16,20"), cached("0-1,16-17")),
    twin(chapter.stays_in_one_cache): (cached("1,4,17,20", IN_USE), cached("4-5,20-21", IN_USE)),
    chapter.uses_few_caches: (cached("0-2,4-6,8-9,16-18,20-22,24-25"), cached("0-3,8-11,16-19,24-27")),
    chapter.never_refuses: (cached(2), cached("0,5")),
    chapter.caches_are_no_reason_to_refuse: (refused(UP, NINE), admitted(UP, NINE, c=held("4-7,20-24"))),
}
