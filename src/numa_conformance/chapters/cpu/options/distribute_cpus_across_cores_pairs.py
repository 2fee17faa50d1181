"""CPUs that share a core under distribute-cpus-across-cores, and others that do not."""

from __future__ import annotations

from ....asking.generators.worlds import picked
from ....judging.choice import ACROSS_CORES
from ...pairs import Pairs
from . import distribute_cpus_across_cores as chapter
from .maturity_pairs import of_every_option

PAIRS: Pairs = {
    **of_every_option(ACROSS_CORES, without="1-8,17-23", effect="1-15"),
    chapter.takes_separate_cores: (
        picked("t1-one-socket-smt2", "0-7", "0,4", ACROSS_CORES),
        picked("t1-one-socket-smt2", "0-7", "0-1", ACROSS_CORES),
    ),
}
