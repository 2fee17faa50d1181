"""Pods and choices of CPUs under align-by-socket, each wrong by one sentence, and others that keep it."""

from __future__ import annotations

from functools import partial

from ....asking.generators.workloads import guaranteed, static
from ....asking.generators.worlds import admitted, held, node, picked, refused, started
from ....judging.choice import BY_SOCKET, CpuChoice
from ...pairs import Pairs, twin
from . import align_by_socket as chapter
from .maturity_pairs import of_every_option

FOUR_NODES, WIDE = "t3-two-numa-per-socket", guaranteed("wide", 9)
"""Two sockets of two NUMA nodes, each of four cores: 0,16 to 3,19, and so on; more CPUs than a node has."""
UNDER_SINGLE = partial(started, FOUR_NODES, static(BY_SOCKET, topology="single-numa-node", reserved="0,16"), WIDE)
MORE_SOCKETS = partial(started, "t5-two-sockets-one-numa", static(BY_SOCKET, topology="restricted"), WIDE)


def sixteen(cpus: str, free: str) -> CpuChoice:
    """Describe a choice of as many CPUs as a socket has."""
    return picked(FOUR_NODES, free, cpus, BY_SOCKET)


UP = node("t3-two-numa-per-socket", static("align-by-socket", topology="restricted"))
NINE = guaranteed("p", 9)

PAIRS: Pairs = {
    **of_every_option(BY_SOCKET, without=None, effect="1-3,5,17-19,21"),
    chapter.stays_in_one_socket: (sixteen("0-3,8-11,16-19,24-27", "0-31"), sixteen("0-7,16-23", "0-31")),
    twin(chapter.stays_in_one_socket): (sixteen("1-8,17-24", "1-15,17-31"), sixteen("8-15,24-31", "1-15,17-31")),
    chapter.has_no_effect_under_single_numa_node: (UNDER_SINGLE("1-8,17"), UNDER_SINGLE(None)),
    chapter.has_no_effect_with_more_sockets: (MORE_SOCKETS(None), MORE_SOCKETS("1-9")),
    chapter.restricted_admits_on_one_socket: (refused(UP, NINE), admitted(UP, NINE, c=held("8-15,24"))),
}
