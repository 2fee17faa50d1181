"""Wrong topology, memory and device managers."""

from __future__ import annotations

from changes.rewrites import all_pods, each_holding, in_kubelet, in_machine

from .mutant import mutant

_TOPOLOGY = "topology-manager/"
_DEVICE = "device-manager/"
_MEMORY = "memory-manager/"


@mutant(_TOPOLOGY + "scope/pod/counts-the-larger-of-init-and-app-containers").question("node.admit")
@all_pods
def adds_init_containers_to_the_pod(pod):
    spec = pod["spec"]
    init = spec.pop("initContainers", ())
    ordinary = [container for container in init if not container.get("restartPolicy")]
    spec["initContainers"] = [container for container in init if container not in ordinary]
    spec["containers"] = [*ordinary, *spec["containers"]]


@mutant(
    _TOPOLOGY + "merge/takes-the-narrowest-preferred-affinity",
    _TOPOLOGY + "merge/single-numa-node-admits-only-one-node",
).answer("merge")
def merges_to_all_nodes(answer, memory):
    return {**answer, "nodes": memory.asked["merge"]["nodes"]}


@mutant(_TOPOLOGY + "prefer-closest-numa-nodes/takes-the-closer-set").question("merge")
def ignores_distances(question, memory):
    return {**question, "options": {}}


@mutant(_TOPOLOGY + "max-allowable-numa-nodes/default-is-eight").question("node.start")
@in_kubelet
def has_no_limit_of_numa_nodes(kubelet):
    options = kubelet.get("topologyManagerPolicyOptions") or {}
    kubelet["topologyManagerPolicyOptions"] = {**options, "max-allowable-numa-nodes": "64"}


@mutant(_TOPOLOGY + "max-allowable-numa-nodes/stays-a-limit").question("node.start")
@in_kubelet
def takes_a_raised_limit_for_none(kubelet):
    options = kubelet.get("topologyManagerPolicyOptions") or {}
    if "max-allowable-numa-nodes" in options:
        options["max-allowable-numa-nodes"] = "64"


@mutant(_TOPOLOGY + "max-allowable-numa-nodes/is-set-to-true").question("node.start")
@in_kubelet
def cannot_raise_the_limit_of_numa_nodes(kubelet):
    options = dict(kubelet.get("topologyManagerPolicyOptions") or {})
    options.pop("max-allowable-numa-nodes", None)
    kubelet["topologyManagerPolicyOptions"] = options


@mutant(_TOPOLOGY + "prefer-closest-numa-nodes/places-on-the-closer-set").question("node.start")
@in_kubelet
def places_on_far_numa_nodes(kubelet):
    options = dict(kubelet.get("topologyManagerPolicyOptions") or {})
    options.pop("prefer-closest-numa-nodes", None)
    kubelet["topologyManagerPolicyOptions"] = options


@places_on_far_numa_nodes.answer("node.admit")
def places_on_far_numa_nodes(answer, memory):
    containers = {name: {**held, "affinity": None} for name, held in (answer.get("containers") or {}).items()}
    told = {name: value for name, value in answer.items() if name != "alignments"}
    return {**told, "containers": containers} if containers else told


def _devices(change):
    def rewrite(machine):
        for device in machine.get("devices", ()):
            change(device)

    return in_machine(rewrite)


@mutant(
    _DEVICE + "allocation/gives-the-number-asked-for", _TOPOLOGY + "admission/fractional-cpus-align-devices-only"
).answer("node.admit")
@each_holding
def gives_one_device_too_few(holding, answer):
    holding["devices"] = {name: ids[:-1] for name, ids in (holding.get("devices") or {}).items()}


@mutant(_DEVICE + "allocation/shares-no-device").answer("node.admit")
def gives_devices_twice(answer, memory):
    for holding in (answer.get("containers") or {}).values():
        first = memory.notes.setdefault("devices", holding.get("devices") or {})
        holding["devices"] = {name: first.get(name, ids) for name, ids in (holding.get("devices") or {}).items()}
    return answer


@mutant(_DEVICE + "preferred-allocation/is-followed").answer("node.admit")
def ignores_the_plugins_preference(answer, memory):
    machine = memory.asked["node.start"]["machine"]
    for holding in (answer.get("containers") or {}).values():
        for name, ids in (holding.get("devices") or {}).items():
            known = sorted(one["id"] for one in machine["devices"] if one["resource"] == name)
            holding["devices"][name] = known[-len(ids) :]
    return answer


@mutant(_DEVICE + "allocation/gives-healthy-devices-only").question("node.start")
@_devices
def gives_unhealthy_devices(device):
    device["healthy"] = True


@mutant(_DEVICE + "topology/aligns-with-cpus", _TOPOLOGY + "admission/all-classes-pass-the-manager").question(
    "node.start"
)
@_devices
def ignores_where_devices_are(device):
    device["numa"] = []


@mutant(_DEVICE + "topology/no-numa-nodes-means-no-preference").question("node.start")
@_devices
def puts_devices_without_topology_on_node_zero(device):
    device["numa"] = device["numa"] or [0]


@mutant(_DEVICE + "topology/a-device-may-have-several-nodes").question("node.start")
@_devices
def sees_one_node_of_a_device(device):
    device["numa"] = device["numa"][:1]


@mutant(_MEMORY + "static/guarantees-memory-to-guaranteed-pods", _MEMORY + "hugepages/come-from-named-nodes").question(
    "node.start"
)
@in_kubelet
def pins_no_memory(kubelet):
    kubelet["memoryManagerPolicy"] = "None"
    kubelet.pop("reservedMemory", None)


@mutant(_MEMORY + "none/pins-nothing", _MEMORY + "static/leaves-other-classes-alone").answer("node.admit")
@each_holding
def pins_memory_of_every_pod(holding, answer):
    holding["memory"] = [{"type": "memory", "bytes": 1 << 30, "nodes": [0]}]


@mutant(_MEMORY + "static/uses-the-fewest-numa-nodes").answer("node.admit")
@each_holding
def spreads_memory(holding, answer):
    for block in holding.get("memory") or ():
        block["nodes"] = [0, 1]


@mutant(
    _MEMORY + "static/never-gives-more-than-is-free",
    _MEMORY + "reserved-memory/is-never-given",
    _MEMORY + "static/refuses-what-does-not-fit",
    _MEMORY + "hugepages/come-from-named-nodes",
    _MEMORY + "hugepages/are-not-overcommitted",
).question("node.start")
@in_machine
def overcommits_memory(machine):
    for node in machine["memory"]:
        node["memory"] = (node["memory"] or 0) * 4
        node["hugepages"] = {size: pages * 4 for size, pages in node.get("hugepages", {}).items()}


@mutant(_MEMORY + "reserved-memory/other-thresholds-end-the-default").question("node.start")
@in_kubelet
def keeps_the_default_threshold_beside_others(kubelet):
    if "evictionHard" in kubelet:
        kubelet["evictionHard"] = {"memory.available": "100Mi", **kubelet["evictionHard"]}


@mutant(_MEMORY + "static/keeps-groups-apart").answer("node.admit")
def gives_a_grouped_node_alone(answer, memory):
    """Give what one NUMA node is to give on the first node of the last group."""
    for holding in (answer.get("containers") or {}).values():
        for block in holding.get("memory") or ():
            if len(block["nodes"]) > 1:
                memory.notes["group"] = block["nodes"]
            elif "group" in memory.notes:
                block["nodes"] = memory.notes["group"][:1]
    return answer


@mutant(_MEMORY + "reserved-memory/must-match-the-node-reservation", _MEMORY + "reserved-memory/is-mandatory").question(
    "node.start"
)
@in_kubelet
def does_not_check_the_memory_reservation(kubelet):
    if kubelet.get("memoryManagerPolicy") == "Static":
        kubelet["reservedMemory"] = [{"numaNode": 0, "limits": {"memory": "356Mi"}}]


def _policy(instead_of, other):
    """Take a policy of the Topology Manager for another one, in a node and in a merge."""

    def rewrite(question, memory):
        told, name = (question, "policy") if "policy" in question else (question["kubelet"], "topologyManagerPolicy")
        if told.get(name, "none") == instead_of:
            told[name] = other
        return question

    return rewrite


def _scope(name):
    def change(kubelet):
        kubelet["topologyManagerScope"] = name

    return in_kubelet(change)


refuses_under_best_effort = mutant(_TOPOLOGY + "best-effort/admits-unaligned-pods").question("node.start", "merge")(
    _policy("best-effort", "restricted")
)

aligns_under_none = mutant(_TOPOLOGY + "none/aligns-nothing").question("node.start", "merge")(
    _policy("none", "single-numa-node")
)

does_not_align_under_best_effort = mutant(
    _TOPOLOGY + "best-effort/aligns-when-possible", _TOPOLOGY + "admission/keeps-together-what-one-node-holds"
).question("node.start", "merge")(_policy("best-effort", "none"))

admits_all_under_restricted = mutant(
    _TOPOLOGY + "restricted/refuses-unaligned-pods", _TOPOLOGY + "merge/restricted-admits-only-preferred"
).question("node.start", "merge")(_policy("restricted", "best-effort"))

wants_one_node_under_restricted = mutant(_TOPOLOGY + "restricted/admits-what-needs-several-nodes").question(
    "node.start", "merge"
)(_policy("restricted", "single-numa-node"))

takes_several_nodes_under_single_numa_node = mutant(
    _TOPOLOGY + "single-numa-node/refuses-what-needs-several-nodes",
    _TOPOLOGY + "merge/single-numa-node-admits-only-one-node",
).question("node.start", "merge")(_policy("single-numa-node", "restricted"))

does_not_align_under_single_numa_node = mutant(_TOPOLOGY + "single-numa-node/gives-one-node").question(
    "node.start", "merge"
)(_policy("single-numa-node", "none"))

aligns_containers_in_pod_scope = mutant(
    _TOPOLOGY + "scope/pod/aligns-the-pod-as-a-whole",
    _TOPOLOGY + "scope/pod/refuses-by-the-total",
    _TOPOLOGY + "scope/pod/gives-all-containers-one-affinity",
).question("node.start")(_scope("container"))

aligns_pods_in_container_scope = mutant(
    _TOPOLOGY + "scope/container/aligns-each-container-alone", _TOPOLOGY + "scope/defaults-to-container"
).question("node.start")(_scope("pod"))
