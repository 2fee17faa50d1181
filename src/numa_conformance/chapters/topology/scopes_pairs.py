"""Pods of several containers under single-numa-node: treated wrongly by one sentence, and rightly."""

from __future__ import annotations

from typing import Any

from ...asking.generators.workloads import container, pod, static
from ...asking.generators.worlds import admitted, held, node, refused
from . import scopes as chapter


def sized(name: str, cpus: int, *, sidecar: bool = False) -> dict[str, Any]:
    """Describe a container that asks for CPUs of its own."""
    return container(name, cpu=str(cpus), memory="64Mi", sidecar=sidecar)


SIX_EACH, THREE_EACH = (pod("p", [sized("a", cpus), sized("b", cpus)]) for cpus in (6, 3))
AFTER_EIGHT = pod("p", [sized("a", 3), sized("b", 3)], [sized("i", 8)])
AFTER_NINE = pod("p", [sized("c", 1)], [sized("i", 9)])
WITH_SIDECAR = pod("p", [sized("c", 6)], [sized("s", 6, sidecar=True), sized("i", 1)])
OF_CONTAINERS, OF_PODS = (
    node("t3-two-numa-per-socket", static(topology="single-numa-node", scope=scope)) for scope in ("container", "pod")
)  # four NUMA nodes, 0-3,16-19 to 12-15,28-31, of which CPU 0 is reserved

A, B = held("4-6,20-22"), held("8-10,24-26")
NINE_REFUSED, EIGHT_REFUSED = refused(OF_PODS, AFTER_NINE), refused(OF_PODS, AFTER_EIGHT)
NINE_ADMITTED = admitted(OF_PODS, AFTER_NINE, i=held("4-8,20-23"), c=held("4"))
EIGHT_ADMITTED = admitted(OF_PODS, AFTER_EIGHT, i=held("4-7,20-23"), a=held("4-6"), b=held("20-22"))

PAIRS = {
    chapter.container_scope_aligns_each_alone: (
        refused(OF_CONTAINERS, SIX_EACH),
        admitted(OF_CONTAINERS, SIX_EACH, a=A, b=B),
    ),
    chapter.pod_scope_aligns_as_a_whole: (
        admitted(OF_PODS, THREE_EACH, a=held("1-3"), b=held("4-6")),
        admitted(OF_PODS, THREE_EACH, a=held("4-6"), b=held("20-22")),
    ),
    chapter.pod_scope_gives_one_affinity: (
        admitted(OF_PODS, THREE_EACH, a=held("4-6", hint=0b10), b=held("20-22", hint=0b01)),
        admitted(OF_PODS, THREE_EACH, a=held("4-6", hint=0b10), b=held("20-22", hint=0b10)),
    ),
    chapter.pod_scope_refuses_by_the_total: (admitted(OF_PODS, SIX_EACH, a=A, b=B), refused(OF_PODS, SIX_EACH)),
    chapter.pod_scope_counts_sidecars: (
        admitted(OF_PODS, WITH_SIDECAR, s=A, i=held("7"), c=B),
        refused(OF_PODS, WITH_SIDECAR),
    ),
    chapter.pod_scope_does_not_add_init_containers: (EIGHT_REFUSED, EIGHT_ADMITTED),
    chapter.pod_scope_counts_init_containers: (NINE_ADMITTED, NINE_REFUSED),
    chapter.pod_scope_counts_all_of_init_containers: (NINE_ADMITTED, NINE_REFUSED),
    chapter.pod_scope_adds_nothing_of_init_containers: (EIGHT_REFUSED, EIGHT_ADMITTED),
}
