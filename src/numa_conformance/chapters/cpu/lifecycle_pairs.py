"""Nodes that give CPUs to the wrong containers, each by one sentence, and nodes that do not."""

from __future__ import annotations

from ...asking.generators.workloads import best_effort, burstable, container, guaranteed, kubelet, pod, static
from ...asking.generators.worlds import admitted, bits, held, node, resident
from ...judging.choice import CpuChoice
from ...judging.node_subjects import NodeMoment
from ...judging.rest import START, Rest, Stay
from ...judging.world import AdmittedPod, World
from . import lifecycle as chapter


def up(*pods: AdmittedPod) -> World:
    """Describe a node of four cores, 0,4 to 3,7, of which CPU 0 is reserved."""
    return node("t1-one-socket-smt2", static(), *pods)


def two_of(cpus: str) -> CpuChoice:
    """Choose CPUs where two are asked for."""
    return CpuChoice(up().machine, frozenset(), bits("1-7"), 2, bits(cpus))


def both(first: str, second: str) -> NodeMoment:
    """Give CPUs to each of two pods."""
    return NodeMoment(up(resident(TWO, c=held(first)), resident(guaranteed("q", 2), c=held(second))))


TWO, FRACTION = guaranteed("p", 2), guaranteed("p", "1500m")
TWO_APPS = pod("p", [container(name, cpu="1", memory="64Mi") for name in "ab"])
BUSY = up(resident(TWO, c=held("1,5")))
UNDER_NONE = node("t1-one-socket-smt2", kubelet())

PAIRS = {
    chapter.gives_the_number: (admitted(up(), TWO, c=held("1")), admitted(up(), TWO, c=held("1,5"))),
    chapter.chooses_the_number: (two_of("1"), two_of("1,5")),
    chapter.fractional_is_shared: (admitted(up(), FRACTION, c=held("1,5")), admitted(up(), FRACTION, c=held())),
    chapter.burstable_is_shared: (
        admitted(up(), burstable("p", 2), c=held("1,5")),
        admitted(up(), burstable("p", 2), c=held()),
    ),
    chapter.best_effort_is_shared: (
        admitted(up(), best_effort("p"), c=held("1")),
        admitted(up(), best_effort("p"), c=held()),
    ),
    chapter.none_gives_none: (admitted(UNDER_NONE, TWO, c=held("1,5")), admitted(UNDER_NONE, TWO, c=held())),
    chapter.exclusive_cpus_belong_to_one_pod: (both("1,5", "5-6"), both("1,5", "2,6")),
    chapter.apps_have_cpus_of_their_own: (
        admitted(up(), TWO_APPS, a=held("1"), b=held("1")),
        admitted(up(), TWO_APPS, a=held("1"), b=held("5")),
    ),
    chapter.starting_changes_nothing: (
        Rest(BUSY, START, "p", (Stay("container c of pod p", held("1,5"), held("2,6")),)),
        Rest(BUSY, START, "p", (Stay("container c of pod p", held("1,5"), held("1,5")),)),
    ),
    chapter.keeps_its_cpus: (admitted(BUSY, TWO, c=held("2,6")), admitted(BUSY, TWO, c=held("1,5"))),
}
