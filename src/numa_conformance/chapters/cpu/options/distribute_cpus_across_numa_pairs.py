"""CPUs that are divided unevenly over NUMA nodes, each wrong by one sentence, and others that keep it."""

from __future__ import annotations

from ....asking.generators.worlds import picked
from ....judging.choice import ACROSS_NUMA, CpuChoice
from ...pairs import Pairs, twin
from . import distribute_cpus_across_numa as chapter
from .maturity_pairs import of_every_option


def divided(cpus: str, free: str = "0-31") -> CpuChoice:
    """Describe a choice on four NUMA nodes, each of four cores: 0,16 to 3,19, and so on."""
    return picked("t3-two-numa-per-socket", free, cpus, ACROSS_NUMA)


IN_USE = "1-15,17-31"

PAIRS: Pairs = {
    **of_every_option(ACROSS_NUMA, without="4-9,20-25", effect="4-6,8-10,20-22,24-26"),
    chapter.keeps_one_node: (divided("0,4,16,20"), divided("0-1,16-17")),
    chapter.spreads_evenly: (divided("0-5,16-21"), divided("0-2,4-6,16-18,20-22")),
    twin(chapter.spreads_evenly): (divided("4-9,20-25", IN_USE), divided("1-6,17-22", IN_USE)),
}
