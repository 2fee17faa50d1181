"""Pods of several containers under single-numa-node: treated wrongly by one requirement, beside rightly."""

from __future__ import annotations

import pytest

from numa_conformance.suite.chapters import scopes
from numa_conformance.suite.generators.workloads import container, pod, static
from numa_conformance.suite.judge.world import World
from worlds import Case, admitted, breaks, held, judged_in, node, refused

SCOPE = "topology-manager/scope/"
SIX_EACH = pod("p", [container(name, cpu="6", memory="64Mi") for name in "ab"])
THREE_EACH = [container(name, cpu="3", memory="64Mi") for name in "ab"]
AFTER_INIT = pod("p", THREE_EACH, [container("i", cpu="8", memory="64Mi")])
LARGE_INIT = pod("p", [container("c", cpu="1", memory="64Mi")], [container("i", cpu="9", memory="64Mi")])
BESIDE = pod(
    "p",
    [container("c", cpu="6", memory="64Mi")],
    [container("s", cpu="6", memory="64Mi", sidecar=True), container("i", cpu="1", memory="64Mi")],
)
TWO_EACH = pod("p", [container(name, cpu="2", memory="64Mi") for name in "ab"])


def up(scope: str) -> World:
    """Describe a node of four NUMA nodes, 0-3,16-19 to 12-15,28-31, of which CPU 0 is reserved."""
    return node("t3-two-numa-per-socket", static(topology="single-numa-node", scope=scope))


CASES: dict[str, Case] = {
    SCOPE + "container/aligns-each-container-alone": (
        refused(up("container"), SIX_EACH),
        admitted(up("container"), SIX_EACH, a=held("4-6,20-22"), b=held("8-10,24-26")),
    ),
    SCOPE + "pod/refuses-by-the-total": (
        admitted(up("pod"), SIX_EACH, a=held("4-6,20-22"), b=held("8-10,24-26")),
        refused(up("pod"), SIX_EACH),
    ),
    SCOPE + "pod/counts-the-larger-of-init-and-app-containers": (
        refused(up("pod"), AFTER_INIT),
        admitted(up("pod"), AFTER_INIT, i=held("4-7,20-23"), a=held("4-6"), b=held("20-22")),
    ),
    SCOPE + "pod/aligns-the-pod-as-a-whole": (
        admitted(up("pod"), TWO_EACH, a=held("1,17"), b=held("4,20")),
        admitted(up("pod"), TWO_EACH, a=held("1,17"), b=held("2,18")),
    ),
    SCOPE + "pod/gives-all-containers-one-affinity": (
        admitted(up("pod"), TWO_EACH, a=held("4,20", hint=2), b=held("5,21", hint=1)),
        admitted(up("pod"), TWO_EACH, a=held("4,20", hint=2), b=held("5,21", hint=2)),
    ),
}


@pytest.mark.parametrize("requirement", CASES)
def test_each_checker_bites_and_spares(requirement: str) -> None:
    wrong, right = CASES[requirement]
    assert (breaks(requirement, wrong), breaks(requirement, right)) == (True, False)


def test_every_checker_has_a_case() -> None:
    assert CASES.keys() == judged_in(scopes)


def test_an_init_container_too_large_for_every_numa_node_is_refused() -> None:
    both = {"i": held("4-7,20-23,8"), "c": held("4")}
    counts = SCOPE + "pod/counts-the-larger-of-init-and-app-containers"
    assert breaks(counts, admitted(up("pod"), LARGE_INIT, **both))
    assert breaks(counts, refused(up("pod"), LARGE_INIT)) is False


def test_a_sidecar_counts_beside_the_apps() -> None:
    apart = {"s": held("4-6,20-22"), "i": held("7"), "c": held("8-10,24-26")}
    total = SCOPE + "pod/refuses-by-the-total"
    assert breaks(total, admitted(up("pod"), BESIDE, **apart))
    assert breaks(total, refused(up("pod"), BESIDE)) is False
