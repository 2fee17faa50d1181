"""CPUs that are no whole cores under full-pcpus-only, each wrong by one sentence, and others that keep it."""

from __future__ import annotations

from dataclasses import replace

from ....asking.generators.workloads import guaranteed, static
from ....asking.generators.worlds import admitted, held, node, picked, refused
from ....judging.choice import ACROSS_NUMA, WHOLE_CORES
from ...pairs import Pairs
from . import full_pcpus_only as chapter
from .maturity_pairs import of_every_option

CORES, THREE = "t1-one-socket-smt2", guaranteed("p", 3)
"""Four cores of two threads: 0,4 to 3,7."""
ALONE, TOGETHER = (
    node(CORES, static(*options, reserved="0,4")) for options in ((WHOLE_CORES,), (WHOLE_CORES, ACROSS_NUMA))
)

REFUSED = refused(node("t3-two-numa-per-socket", static("full-pcpus-only")), guaranteed("p", 3))
NO_CORES = replace(REFUSED, reason="SMTAlignmentError")

PAIRS: Pairs = {
    **of_every_option(WHOLE_CORES, without="1", effect=None),
    chapter.refuses_a_partial_core: (admitted(ALONE, THREE, c=held("1-2,5")), refused(ALONE, THREE)),
    chapter.gives_whole_cores: (
        picked(CORES, "1-3,5-7", "1-2", WHOLE_CORES),
        picked(CORES, "1-3,5-7", "1,5", WHOLE_CORES),
    ),
    chapter.refuses_a_partial_core_beside_others: (
        admitted(TOGETHER, THREE, c=held("1-2,5")),
        refused(TOGETHER, THREE),
    ),
    chapter.gives_whole_cores_beside_others: (
        picked(CORES, "1-3,5-7", "1-2", WHOLE_CORES, ACROSS_NUMA),
        picked(CORES, "1-3,5-7", "1,5", WHOLE_CORES, ACROSS_NUMA),
    ),
    chapter.refused_pods_are_failed: (replace(NO_CORES, phase="Terminated"), replace(NO_CORES, phase="Failed")),
    chapter.tells_that_whole_cores_are_missing: (REFUSED, NO_CORES),
}
