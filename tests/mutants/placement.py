"""Wrong topology, memory and device managers."""

from __future__ import annotations

from typing import Any

from .lies import Json, all_pods, each_holding, in_kubelet, in_machine
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_TOPOLOGY = "topology-manager/"
_DEVICE = "device-manager/"
_MEMORY = "memory-manager/"


def _policy(instead_of: str, other: str) -> dict[str, Rewrite]:
    def in_start(kubelet: Json) -> None:
        if kubelet.get("topologyManagerPolicy", "none") == instead_of:
            kubelet["topologyManagerPolicy"] = other

    def in_merge(question: Json, memory: Memory) -> Json:
        return {**question, "policy": other if question["policy"] == instead_of else question["policy"]}

    return {"node.start": in_kubelet(in_start), "merge": in_merge}


def _scope(name: str) -> dict[str, Rewrite]:
    def change(kubelet: Json) -> None:
        kubelet["topologyManagerScope"] = name

    return {"node.start": in_kubelet(change)}


def _init_are_apps(pod: Json) -> None:
    spec = pod["spec"]
    init = spec.pop("initContainers", ())
    ordinary = [container for container in init if not container.get("restartPolicy")]
    spec["initContainers"] = [container for container in init if container not in ordinary]
    spec["containers"] = [*ordinary, *spec["containers"]]


def _widest(answer: Json, memory: Memory) -> Json:
    return {**answer, "nodes": memory.asked["merge"]["nodes"]}


def _no_merge_options(question: Json, memory: Memory) -> Json:
    return {**question, "options": {}}


def _no_limit(kubelet: Json) -> None:
    options = kubelet.get("topologyManagerPolicyOptions") or {}
    kubelet["topologyManagerPolicyOptions"] = {**options, "max-allowable-numa-nodes": "64"}


def _raised_without_end(kubelet: Json) -> None:
    options = kubelet.get("topologyManagerPolicyOptions") or {}
    if "max-allowable-numa-nodes" in options:
        options["max-allowable-numa-nodes"] = "64"


def _limit_is_not_raised(kubelet: Json) -> None:
    options = dict(kubelet.get("topologyManagerPolicyOptions") or {})
    options.pop("max-allowable-numa-nodes", None)
    kubelet["topologyManagerPolicyOptions"] = options


def _distances_do_not_count(kubelet: Json) -> None:
    options = dict(kubelet.get("topologyManagerPolicyOptions") or {})
    options.pop("prefer-closest-numa-nodes", None)
    kubelet["topologyManagerPolicyOptions"] = options


def _tells_no_hints(answer: Json, memory: Memory) -> Json:
    containers = {name: {**held, "affinity": None} for name, held in (answer.get("containers") or {}).items()}
    told = {name: value for name, value in answer.items() if name != "alignments"}
    return {**told, "containers": containers} if containers else told


def _devices(change: Any) -> dict[str, Rewrite]:
    def rewrite(machine: Json) -> None:
        for device in machine.get("devices", ()):
            change(device)

    return {"node.start": in_machine(rewrite)}


def _fewer_devices(holding: Json, answer: Json) -> None:
    holding["devices"] = {name: ids[:-1] for name, ids in (holding.get("devices") or {}).items()}


def _same_devices(answer: Json, memory: Memory) -> Json:
    for holding in (answer.get("containers") or {}).values():
        first = memory.notes.setdefault("devices", holding.get("devices") or {})
        holding["devices"] = {name: first.get(name, ids) for name, ids in (holding.get("devices") or {}).items()}
    return answer


def _other_devices(answer: Json, memory: Memory) -> Json:
    machine = memory.asked["node.start"]["machine"]
    for holding in (answer.get("containers") or {}).values():
        for name, ids in (holding.get("devices") or {}).items():
            known = sorted(one["id"] for one in machine["devices"] if one["resource"] == name)
            holding["devices"][name] = known[-len(ids) :]
    return answer


def _heal(device: Json) -> None:
    device["healthy"] = True


def _anywhere(device: Json) -> None:
    device["numa"] = []


def _on_node_zero(device: Json) -> None:
    device["numa"] = device["numa"] or [0]


def _first_node_only(device: Json) -> None:
    device["numa"] = device["numa"][:1]


def _no_memory_manager(kubelet: Json) -> None:
    kubelet["memoryManagerPolicy"] = "None"
    kubelet.pop("reservedMemory", None)


def _pin_a_block(holding: Json, answer: Json) -> None:
    holding["memory"] = [{"type": "memory", "bytes": 1 << 30, "nodes": [0]}]


def _spread_memory(holding: Json, answer: Json) -> None:
    for block in holding.get("memory") or ():
        block["nodes"] = [0, 1]


def _more_memory(machine: Json) -> None:
    for node in machine["memory"]:
        node["memory"] = (node["memory"] or 0) * 4
        node["hugepages"] = {size: pages * 4 for size, pages in node.get("hugepages", {}).items()}


def _alone_in_a_group(answer: Json, memory: Memory) -> Json:
    if answer["result"] != "rejected":
        return answer
    block = {"type": "memory", "bytes": 1 << 30, "nodes": [0]}
    admitted = {"result": "admitted", "qos": answer["qos"], "default_cpuset": answer["default_cpuset"]}
    return {**admitted, "containers": {"c": {"cpus": "", "memory": [block]}}}


def _fix_reservation(kubelet: Json) -> None:
    if kubelet.get("memoryManagerPolicy") == "Static":
        kubelet["reservedMemory"] = [{"numaNode": 0, "limits": {"memory": "356Mi"}}]


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "refuses_under_best_effort",
        [_TOPOLOGY + "best-effort/admits-unaligned-pods"],
        questions=_policy("best-effort", "restricted"),
    ),
    mutant("aligns_under_none", [_TOPOLOGY + "none/aligns-nothing"], questions=_policy("none", "single-numa-node")),
    mutant(
        "does_not_align_under_best_effort",
        [
            _TOPOLOGY + "best-effort/aligns-when-possible",
            _TOPOLOGY + "admission/keeps-together-what-one-node-holds",
        ],
        questions=_policy("best-effort", "none"),
    ),
    mutant(
        "admits_all_under_restricted",
        [_TOPOLOGY + "restricted/refuses-unaligned-pods", _TOPOLOGY + "merge/restricted-admits-only-preferred"],
        questions=_policy("restricted", "best-effort"),
    ),
    mutant(
        "wants_one_node_under_restricted",
        [_TOPOLOGY + "restricted/admits-what-needs-several-nodes"],
        questions=_policy("restricted", "single-numa-node"),
    ),
    mutant(
        "takes_several_nodes_under_single_numa_node",
        [
            _TOPOLOGY + "single-numa-node/refuses-what-needs-several-nodes",
            _TOPOLOGY + "merge/single-numa-node-admits-only-one-node",
        ],
        questions=_policy("single-numa-node", "restricted"),
    ),
    mutant(
        "does_not_align_under_single_numa_node",
        [_TOPOLOGY + "single-numa-node/gives-one-node"],
        questions=_policy("single-numa-node", "none"),
    ),
    mutant(
        "aligns_containers_in_pod_scope",
        [
            _TOPOLOGY + "scope/pod/aligns-the-pod-as-a-whole",
            _TOPOLOGY + "scope/pod/refuses-by-the-total",
            _TOPOLOGY + "scope/pod/gives-all-containers-one-affinity",
        ],
        questions=_scope("container"),
    ),
    mutant(
        "aligns_pods_in_container_scope",
        [_TOPOLOGY + "scope/container/aligns-each-container-alone", _TOPOLOGY + "scope/defaults-to-container"],
        questions=_scope("pod"),
    ),
    mutant(
        "adds_init_containers_to_the_pod",
        [_TOPOLOGY + "scope/pod/counts-the-larger-of-init-and-app-containers"],
        questions={"node.admit": all_pods(_init_are_apps)},
    ),
    mutant(
        "merges_to_all_nodes",
        [
            _TOPOLOGY + "merge/takes-the-narrowest-preferred-affinity",
            _TOPOLOGY + "merge/single-numa-node-admits-only-one-node",
        ],
        answers={"merge": _widest},
    ),
    mutant(
        "ignores_distances",
        [_TOPOLOGY + "prefer-closest-numa-nodes/takes-the-closer-set"],
        questions={"merge": _no_merge_options},
    ),
    mutant(
        "has_no_limit_of_numa_nodes",
        [_TOPOLOGY + "max-allowable-numa-nodes/default-is-eight"],
        questions={"node.start": in_kubelet(_no_limit)},
    ),
    mutant(
        "takes_a_raised_limit_for_none",
        [_TOPOLOGY + "max-allowable-numa-nodes/stays-a-limit"],
        questions={"node.start": in_kubelet(_raised_without_end)},
    ),
    mutant(
        "cannot_raise_the_limit_of_numa_nodes",
        [_TOPOLOGY + "max-allowable-numa-nodes/is-set-to-true"],
        questions={"node.start": in_kubelet(_limit_is_not_raised)},
    ),
    mutant(
        "places_on_far_numa_nodes",
        [_TOPOLOGY + "prefer-closest-numa-nodes/places-on-the-closer-set"],
        questions={"node.start": in_kubelet(_distances_do_not_count)},
        answers={"node.admit": _tells_no_hints},
    ),
    mutant(
        "gives_one_device_too_few",
        [
            _DEVICE + "allocation/gives-the-number-asked-for",
            _TOPOLOGY + "admission/fractional-cpus-align-devices-only",
        ],
        answers={"node.admit": each_holding(_fewer_devices)},
    ),
    mutant("gives_devices_twice", [_DEVICE + "allocation/shares-no-device"], answers={"node.admit": _same_devices}),
    mutant(
        "gives_unhealthy_devices",
        [_DEVICE + "allocation/gives-healthy-devices-only"],
        questions=_devices(_heal),
    ),
    mutant(
        "ignores_where_devices_are",
        [_DEVICE + "topology/aligns-with-cpus", _TOPOLOGY + "admission/all-classes-pass-the-manager"],
        questions=_devices(_anywhere),
    ),
    mutant(
        "puts_devices_without_topology_on_node_zero",
        [_DEVICE + "topology/no-numa-nodes-means-no-preference"],
        questions=_devices(_on_node_zero),
    ),
    mutant(
        "sees_one_node_of_a_device",
        [_DEVICE + "topology/a-device-may-have-several-nodes"],
        questions=_devices(_first_node_only),
    ),
    mutant(
        "ignores_the_plugins_preference",
        [_DEVICE + "preferred-allocation/is-followed"],
        answers={"node.admit": _other_devices},
    ),
    mutant(
        "pins_memory_of_every_pod",
        [_MEMORY + "none/pins-nothing", _MEMORY + "static/leaves-other-classes-alone"],
        answers={"node.admit": each_holding(_pin_a_block)},
    ),
    mutant(
        "pins_no_memory",
        [_MEMORY + "static/guarantees-memory-to-guaranteed-pods", _MEMORY + "hugepages/come-from-named-nodes"],
        questions={"node.start": in_kubelet(_no_memory_manager)},
    ),
    mutant(
        "spreads_memory",
        [_MEMORY + "static/uses-the-fewest-numa-nodes"],
        answers={"node.admit": each_holding(_spread_memory)},
    ),
    mutant(
        "overcommits_memory",
        [
            _MEMORY + "static/never-gives-more-than-is-free",
            _MEMORY + "reserved-memory/is-never-given",
            _MEMORY + "static/refuses-what-does-not-fit",
            _MEMORY + "hugepages/come-from-named-nodes",
        ],
        questions={"node.start": in_machine(_more_memory)},
    ),
    mutant(
        "gives_a_grouped_node_alone",
        [_MEMORY + "static/keeps-groups-apart"],
        answers={"node.admit": _alone_in_a_group},
    ),
    mutant(
        "does_not_check_the_memory_reservation",
        [
            _MEMORY + "reserved-memory/must-match-the-node-reservation",
            _MEMORY + "reserved-memory/is-mandatory",
        ],
        questions={"node.start": in_kubelet(_fix_reservation)},
    ),
)
