"""Hints merged, and pods admitted, aligned and refused, wrongly by one sentence, and rightly. NUMA nodes are bits."""

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from numa_conformance.asking.generators.workloads import (
    burstable,
    container,
    guaranteed,
    kubelet,
    pod,
    static,
    static_memory,
)
from numa_conformance.chapters.topology import (
    admission,
    merging,
    none_and_best_effort,
    policy_options,
    restricted,
    scopes,
    single_numa_node,
)
from numa_conformance.judging.merged import MergedHints
from numa_conformance.judging.world import World
from numa_conformance.wire.history.values import HoldingBits

from .worlds import admitted, aligned, block, held, node, picked, refused, resident, start


def merged(
    policy: str,
    *hints: Mapping[int, bool],
    to: int | None,
    preferred: bool = True,
    admit: bool = True,
    distances: Sequence[Sequence[int]] | None = None,
) -> MergedHints:
    """Describe what a policy makes of the hints of providers, each with whether it is preferred."""
    axes = tuple(tuple(of.items()) for of in hints)
    closest, nodes = distances is not None, tuple(range(len(distances or "01")))
    return MergedHints(policy, closest, nodes, distances, axes, to, preferred, admit)


BOTH_PREFERRED = {0b01: True, 0b11: True}
ON_0, ON_1 = {0b01: True, 0b11: False}, {0b10: True}
GPU, FOUR_NODES = "example.com/gpu", "t3-two-numa-per-socket"  # 0-3,16-19 to 12-15,28-31; CPU 0 is reserved
TWO, THREE, NINE = (guaranteed("p", cpus) for cpus in (2, 3, 9))
WITH_TWO, WITH_THREE = (guaranteed("p", 2, **{GPU: number}) for number in "23")
LARGE, WIDE = guaranteed("p", 1, "30Gi"), guaranteed("p", 17, "30Gi")  # one NUMA node has 16 CPUs and 28 GiB
SHARED = burstable("p", 2)
AFTER_INIT = pod("p", [container("c", cpu="2", memory="64Mi")], [container("i", cpu="2", memory="64Mi")])


def up(policy: str) -> World:
    """Describe a node of two NUMA nodes, 0-3,8-11 and 4-7,12-15, with two GPUs each."""
    return node("two-nodes-devices", static(topology=policy))


def holds(cpus: str, *gpus: str) -> HoldingBits:
    """Describe what a container holds."""
    return held(cpus, devices={GPU: gpus})


TOGETHER = node(  # 30 GiB are given by both NUMA nodes together
    "two-nodes-hugepages-devices",
    static_memory(topology="none"),
    resident(guaranteed("q", 1, "30Gi"), c=held("1", memory=[block("memory", 30, 0, 1)])),
)
BEST_EFFORT, ON_RESTRICTED = up("best-effort"), up("restricted")
INIT_ADMITTED = admitted(BEST_EFFORT, AFTER_INIT, i=held("1,9"), c=held("1,9"))
REFUSED_TWO = refused(ON_RESTRICTED, TWO)
UNALIGNED_TWO = replace(REFUSED_TWO, reason="TopologyAffinityError")

FOUR_BEST_EFFORT, FOUR_RESTRICTED, FOUR_SINGLE = (
    node(FOUR_NODES, static(topology=policy)) for policy in ("best-effort", "restricted", "single-numa-node")
)
PAGES_BEST_EFFORT, PAGES_RESTRICTED = (
    node("two-nodes-hugepages-devices", static_memory(topology=policy)) for policy in ("best-effort", "restricted")
)
TWO_FREE_EACH = node(FOUR_NODES, static(topology="restricted"), pool="0-2,4-5,8-9,12-13")
UNALIGNED = replace(refused(TWO_FREE_EACH, THREE), reason="TopologyAffinityError")
ON_BOTH = held("1", memory=[block("memory", 28, 0), block("memory", 2, 1)])


def sized(name: str, cpus: int, *, sidecar: bool = False) -> dict[str, Any]:
    """Describe a container that asks for CPUs of its own."""
    return container(name, cpu=str(cpus), memory="64Mi", sidecar=sidecar)


SIX_EACH, THREE_EACH = (pod("p", [sized("a", cpus), sized("b", cpus)]) for cpus in (6, 3))
AFTER_EIGHT = pod("p", [sized("a", 3), sized("b", 3)], [sized("i", 8)])
AFTER_NINE = pod("p", [sized("c", 1)], [sized("i", 9)])
WITH_SIDECAR = pod("p", [sized("c", 6)], [sized("s", 6, sidecar=True), sized("i", 1)])
OF_CONTAINERS, OF_PODS = (
    node(FOUR_NODES, static(topology="single-numa-node", scope=scope)) for scope in ("container", "pod")
)
A, B = held("4-6,20-22"), held("8-10,24-26")
NINE_REFUSED, EIGHT_REFUSED = refused(OF_PODS, AFTER_NINE), refused(OF_PODS, AFTER_EIGHT)
NINE_ADMITTED = admitted(OF_PODS, AFTER_NINE, i=held("4-8,20-23"), c=held("4"))
EIGHT_ADMITTED = admitted(OF_PODS, AFTER_EIGHT, i=held("4-7,20-23"), a=held("4-6"), b=held("20-22"))

NEAR = ((10, 20, 10, 20), (20, 10, 30, 25), (10, 30, 10, 40), (20, 25, 40, 10))
"""Distances of four NUMA nodes."""
PAIR, PAIR_IN_USE = ({0b0011: preferred, 0b0101: preferred} for preferred in (True, False))
THREE_NODES = {0b0111: True, 0b1011: True}
"""Neither is surely closer: 10, 20, 30 and 20, 20, 25 apart."""
CLOSEST = node(
    FOUR_NODES, static(topology="best-effort", topologyManagerPolicyOptions={"prefer-closest-numa-nodes": "true"})
)  # NUMA nodes 2 and 3 are of one socket


def limited(limit: str | None = None, **gates: bool) -> dict[str, object]:
    """Return a configuration with policy restricted, the option for many NUMA nodes, and gates."""
    options = {"topologyManagerPolicyOptions": {"max-allowable-numa-nodes": limit}} if limit else {}
    return kubelet(topologyManagerPolicy="restricted", featureGates=gates, **options)


EIGHT, TWELVE = "t6-eight-numa-no-smt", "twelve-numa-nodes"
NONE = kubelet(topologyManagerPolicy="none")
HIDDEN = limited("true", TopologyManagerPolicyBetaOptions=False)

PAIRS = {
    merging.takes_the_narrowest: (
        merged("best-effort", BOTH_PREFERRED, to=0b11),
        merged("best-effort", BOTH_PREFERRED, to=0b01),
    ),
    merging.says_what_is_not_preferred: (
        merged("best-effort", ON_0, ON_1, to=0b10),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    merging.names_nodes_of_the_machine: (merged("best-effort", ON_1, to=0b100), merged("best-effort", ON_1, to=0b10)),
    merging.combines_one_hint_of_each: (
        merged("best-effort", ON_0, ON_1, to=0b01, preferred=False),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    merging.restricted_admits_only_preferred: (
        merged("restricted", ON_0, ON_1, to=0b10, preferred=False),
        merged("restricted", ON_0, ON_1, to=0b10, preferred=False, admit=False),
    ),
    merging.single_numa_node_admits_one: (
        merged("single-numa-node", ON_0, ON_1, to=0b10),
        merged("single-numa-node", ON_0, ON_0, to=0b01),
    ),
    admission.nothing_to_align_is_admitted: (refused(ON_RESTRICTED, SHARED), admitted(ON_RESTRICTED, SHARED, c=held())),
    admission.admits_what_one_node_holds: (
        refused(ON_RESTRICTED, WITH_TWO),
        admitted(ON_RESTRICTED, WITH_TWO, c=holds("1,9", "gpu-0", "gpu-1")),
    ),
    admission.keeps_together: (
        admitted(BEST_EFFORT, WITH_TWO, c=holds("1,9", "gpu-2", "gpu-3")),
        admitted(BEST_EFFORT, WITH_TWO, c=holds("4,12", "gpu-2", "gpu-3")),
    ),
    admission.uses_the_merged_hint: (
        aligned(admitted(BEST_EFFORT, TWO, c=held("4,12", hint=0b10)), "c"),
        aligned(admitted(BEST_EFFORT, TWO, c=held("1,9", hint=0b01)), "c"),
    ),
    admission.aligns_init_containers_first: (aligned(INIT_ADMITTED, "c", "i"), aligned(INIT_ADMITTED, "i", "c")),
    admission.refuses_what_is_not_admitted: (
        aligned(admitted(ON_RESTRICTED, TWO, c=held("1,9")), "c", admit=False),
        aligned(UNALIGNED_TWO, "c", admit=False),
    ),
    admission.calls_it_an_affinity_error: (
        aligned(REFUSED_TWO, "c", admit=False),
        aligned(UNALIGNED_TWO, "c", admit=False),
    ),
    admission.refused_pods_are_terminated: (
        replace(REFUSED_TWO, phase="Pending"),
        replace(REFUSED_TWO, phase="Failed"),
    ),
    admission.says_what_cannot_be_aligned: (
        UNALIGNED_TWO,
        replace(UNALIGNED_TWO, message="Resources cannot be allocated with Topology locality"),
    ),
    none_and_best_effort.none_aligns_nothing: (
        merged("none", ON_0, to=0b01),
        merged("none", ON_0, to=None, preferred=False),
    ),
    none_and_best_effort.admits_what_is_elsewhere: (
        aligned(refused(PAGES_BEST_EFFORT, LARGE), "c", preferred=False),
        aligned(admitted(PAGES_BEST_EFFORT, LARGE, c=ON_BOTH), "c", preferred=False),
    ),
    none_and_best_effort.none_admits_what_is_elsewhere: (
        refused(TOGETHER, guaranteed("p", 1, "1Gi")),
        admitted(TOGETHER, guaranteed("p", 1, "1Gi"), c=held("2", memory=[block("memory", 1, 0, 1)])),
    ),
    none_and_best_effort.best_effort_admits: (
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False, admit=False),
        merged("best-effort", ON_0, ON_1, to=0b10, preferred=False),
    ),
    none_and_best_effort.aligned_when_possible: (
        admitted(FOUR_BEST_EFFORT, TWO, c=held("1,4")),  # of two NUMA nodes
        admitted(FOUR_BEST_EFFORT, TWO, c=held("1,17")),
    ),
    none_and_best_effort.follows_the_hint: (
        picked(FOUR_NODES, "0-31", "4,20", near="0-3,16-19"),
        picked(FOUR_NODES, "0-31", "0,16", near="0-3,16-19"),
    ),
    restricted.admits_what_can_be_aligned: (
        refused(FOUR_RESTRICTED, NINE),
        admitted(FOUR_RESTRICTED, NINE, c=held("4-7,20-24")),
    ),
    restricted.admits_what_needs_several_nodes: (
        admitted(FOUR_RESTRICTED, NINE, c=held("4-5,8-12,20-21")),
        admitted(FOUR_RESTRICTED, NINE, c=held("4-7,20-24")),
    ),
    restricted.admits_what_several_nodes_hold: (
        refused(PAGES_RESTRICTED, WIDE),
        admitted(PAGES_RESTRICTED, WIDE, c=held("1-17", memory=[block("memory", 15, 0), block("memory", 15, 1)])),
    ),
    restricted.refuses_unaligned_pods: (admitted(TWO_FREE_EACH, THREE, c=held("4-5,8")), UNALIGNED),
    restricted.refuses_what_nothing_prefers: (admitted(TWO_FREE_EACH, THREE, c=held("4-5,8")), UNALIGNED),
    single_numa_node.admits_what_one_node_holds: (
        refused(FOUR_SINGLE, TWO),
        admitted(FOUR_SINGLE, TWO, c=held("1,17")),
    ),
    single_numa_node.refuses_what_needs_several_nodes: (
        admitted(FOUR_SINGLE, NINE, c=held("4-7,20-24")),
        refused(FOUR_SINGLE, NINE),
    ),
    single_numa_node.refuses_what_no_node_holds: (
        admitted(up("single-numa-node"), WITH_THREE, c=held("1,9", devices={GPU: ["gpu-0", "gpu-1", "gpu-2"]})),
        replace(refused(up("single-numa-node"), WITH_THREE), reason="TopologyAffinityError"),
    ),
    single_numa_node.gives_one_node: (
        admitted(FOUR_SINGLE, TWO, c=held("1,4")),
        admitted(FOUR_SINGLE, TWO, c=held("1,17")),
    ),
    scopes.container_scope_aligns_each_alone: (
        refused(OF_CONTAINERS, SIX_EACH),
        admitted(OF_CONTAINERS, SIX_EACH, a=A, b=B),
    ),
    scopes.pod_scope_aligns_as_a_whole: (
        admitted(OF_PODS, THREE_EACH, a=held("1-3"), b=held("4-6")),
        admitted(OF_PODS, THREE_EACH, a=held("4-6"), b=held("20-22")),
    ),
    scopes.pod_scope_gives_one_affinity: (
        admitted(OF_PODS, THREE_EACH, a=held("4-6", hint=0b10), b=held("20-22", hint=0b01)),
        admitted(OF_PODS, THREE_EACH, a=held("4-6", hint=0b10), b=held("20-22", hint=0b10)),
    ),
    scopes.pod_scope_refuses_by_the_total: (admitted(OF_PODS, SIX_EACH, a=A, b=B), refused(OF_PODS, SIX_EACH)),
    scopes.pod_scope_counts_sidecars: (
        admitted(OF_PODS, WITH_SIDECAR, s=A, i=held("7"), c=B),
        refused(OF_PODS, WITH_SIDECAR),
    ),
    scopes.pod_scope_does_not_add_init_containers: (EIGHT_REFUSED, EIGHT_ADMITTED),
    scopes.pod_scope_counts_init_containers: (NINE_ADMITTED, NINE_REFUSED),
    policy_options.takes_the_closer_set: (
        merged("best-effort", PAIR, to=0b0011, distances=NEAR),
        merged("best-effort", PAIR, to=0b0101, distances=NEAR),
    ),
    policy_options.takes_the_closer_unpreferred_set: (
        merged("best-effort", PAIR_IN_USE, to=0b0011, preferred=False, distances=NEAR),
        merged("best-effort", PAIR_IN_USE, to=0b0101, preferred=False, distances=NEAR),
    ),
    policy_options.takes_the_smallest_average: (
        merged("best-effort", THREE_NODES, to=0b1011, distances=NEAR),
        merged("best-effort", THREE_NODES, to=0b0111, distances=NEAR),
    ),
    policy_options.places_on_the_closer_set: (
        admitted(CLOSEST, NINE, c=held("4-7,20-23,8")),
        admitted(CLOSEST, NINE, c=held("8-11,24-27,12")),
    ),
    policy_options.eight_are_accepted: (start(EIGHT, limited(), up=False), start(EIGHT, limited())),
    policy_options.default_is_eight: (start(TWELVE, limited()), start(TWELVE, limited(), up=False)),
    policy_options.none_has_no_limit: (start(TWELVE, NONE, up=False), start(TWELVE, NONE)),
    policy_options.is_set_to_true: (start(TWELVE, limited("true"), up=False), start(TWELVE, limited("true"))),
    policy_options.raises_the_limit: (start(TWELVE, limited("12"), up=False), start(TWELVE, limited("12"))),
    policy_options.stays_a_limit: (start(TWELVE, limited("11")), start(TWELVE, limited("11"), up=False)),
    policy_options.options_need_their_gates: (start(TWELVE, HIDDEN), start(TWELVE, HIDDEN, up=False)),
}
