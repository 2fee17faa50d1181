"""Pods admitted and refused wrongly, each by one requirement, beside one that is treated rightly."""

from __future__ import annotations

from typing import Any

import pytest

from numa_conformance.suite.chapters import admissions
from numa_conformance.suite.generators.workloads import burstable, container, guaranteed, kubelet, pod, static
from numa_conformance.suite.judge.world import World
from worlds import Case, admitted, breaks, held, judged_in, node, refused

TOPOLOGY = "topology-manager/"
TWO, NINE = guaranteed("p", 2), guaranteed("p", 9)
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="16", memory="64Mi")])


def up(*options: str, config: dict[str, Any] | None = None, pool: str | None = None, **topology: str) -> World:
    """Describe a node of four NUMA nodes, 0-3,16-19 to 12-15,28-31, of which CPU 0 is reserved."""
    return node("t3-two-numa-per-socket", config or static(*options, **topology), pool=pool)


SINGLE, RESTRICTED = up(topology="single-numa-node"), up(topology="restricted")
FRAGMENTED = up(topology="restricted", pool="0-1,4-5,8-9,12-13")
WITHOUT_STATIC = up(config=kubelet(topologyManagerPolicy="restricted"))
WHOLE_CORES = up("full-pcpus-only")

CASES: dict[str, Case] = {
    TOPOLOGY + "admission/nothing-to-align-is-admitted": (
        refused(RESTRICTED, burstable("p", 2)),
        admitted(RESTRICTED, burstable("p", 2), c=held()),
    ),
    "cpu-manager/none/has-no-preference": (
        refused(WITHOUT_STATIC, NINE),
        admitted(WITHOUT_STATIC, NINE, c=held()),
    ),
    "cpu-manager/static/serves-what-is-free": (refused(up(), TWO), admitted(up(), TWO, c=held("1,17"))),
    "cpu-manager/static/init-cpus-serve-later-containers": (
        refused(up(), AFTER_INIT),
        admitted(up(), AFTER_INIT, i=held("4-11,20-27"), c=held("4,20")),
    ),
    "cpu-manager/static/refuses-what-is-not-free": (
        admitted(FRAGMENTED, NINE, c=held("1,4-5,8-9,12-13,16-17")),
        refused(FRAGMENTED, NINE),
    ),
    "cpu-manager/full-pcpus-only/refuses-a-partial-core": (
        admitted(WHOLE_CORES, guaranteed("p", 3), c=held("1-2,17")),
        refused(WHOLE_CORES, guaranteed("p", 3)),
    ),
    TOPOLOGY + "single-numa-node/gives-one-node": (
        admitted(SINGLE, TWO, c=held("1,4")),
        admitted(SINGLE, TWO, c=held("1,17")),
    ),
    "cpu-manager/prefer-align-cpus-by-uncorecache/never-refuses": (
        refused(up("prefer-align-cpus-by-uncorecache"), NINE),
        admitted(up("prefer-align-cpus-by-uncorecache"), NINE, c=held("4-7,20-24")),
    ),
    "cpu-manager/align-by-socket/admits-what-one-socket-holds": (
        refused(up("align-by-socket", topology="restricted"), NINE),
        admitted(up("align-by-socket", topology="restricted"), NINE, c=held("8-15,24")),
    ),
    TOPOLOGY + "single-numa-node/admits-what-one-node-holds": (
        refused(SINGLE, TWO),
        admitted(SINGLE, TWO, c=held("1,17")),
    ),
    TOPOLOGY + "single-numa-node/refuses-what-needs-several-nodes": (
        admitted(SINGLE, NINE, c=held("4-7,20-24")),
        refused(SINGLE, NINE),
    ),
    TOPOLOGY + "restricted/admits-what-needs-several-nodes": (
        admitted(RESTRICTED, NINE, c=held("4-5,8-12,20-21")),
        admitted(RESTRICTED, NINE, c=held("4-7,20-24")),
    ),
    TOPOLOGY + "restricted/admits-what-can-be-aligned": (
        refused(RESTRICTED, NINE),
        admitted(RESTRICTED, NINE, c=held("4-7,20-24")),
    ),
    TOPOLOGY + "restricted/refuses-unaligned-pods": (
        admitted(FRAGMENTED, guaranteed("p", 3), c=held("4-5,8")),
        refused(FRAGMENTED, guaranteed("p", 3)),
    ),
    TOPOLOGY + "best-effort/aligns-when-possible": (
        admitted(up(topology="best-effort"), TWO, c=held("1,4")),
        admitted(up(topology="best-effort"), TWO, c=held("1,17")),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() >= judged_in(admissions)
