"""Choices of CPUs that waste cores and NUMA nodes, each by one sentence, and others that keep it."""

from __future__ import annotations

from functools import partial

from ...asking.generators.workloads import container, pod, static
from ...asking.generators.worlds import admitted, held, node, picked
from ..pairs import twin
from . import static as chapter

CORES = partial(picked, "t1-one-socket-smt2")
"""Four cores of two threads: 0,4 to 3,7."""
NODES = partial(picked, "t3-two-numa-per-socket")
"""Two sockets of two NUMA nodes, each of four cores: 0,16 to 3,19, and so on."""
UP = node("t1-one-socket-smt2", static(reserved="0,4"))
LIMITS = pod("p", [container("c", cpu="2", memory="64Mi")])
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="1", memory="64Mi")])

PAIRS = {
    chapter.limits_alone_give_cpus: (admitted(UP, LIMITS, c=held()), admitted(UP, LIMITS, c=held("1,5"))),
    chapter.init_containers_and_sidecars_are_eligible: (
        admitted(UP, AFTER_INIT, i=held(), c=held("1,5")),
        admitted(UP, AFTER_INIT, i=held("1"), c=held("1,5")),
    ),
    chapter.gives_free_cpus_only: (CORES("1-7", "0,4"), CORES("1-7", "1,5")),
    chapter.packs_few_cores: (CORES("0-7", "0-1"), CORES("0-7", "3,7")),
    twin(chapter.packs_few_cores): (CORES("1-7", "1-2"), CORES("1-7", "1,5")),
    chapter.packs_few_numa_nodes: (NODES("0-31", "0,4,8,12,16,20,24,28"), NODES("0-31", "4-7,20-23")),
    chapter.packs_few_numa_nodes_in_use: (
        NODES("1-15,17-31", "1,4,8,12,17,20,24,28"),
        NODES("1-15,17-31", "4-7,20-23"),
    ),
}
