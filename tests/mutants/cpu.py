"""Wrong CPU managers."""

from __future__ import annotations

from typing import Any

from numa_conformance.cpuset import CpuSet
from numa_conformance.kube.quantity import Quantity

from .lies import Json, all_pods, each_container, each_holding, fewer, in_kubelet, in_machine
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_STATIC = "cpu-manager/static/"
_POOL = "cpu-manager/shared-pool/"
_RESERVE = "cpu-manager/reservation/"
_AMOUNTS = ("kubeReserved", "systemReserved")
_RESERVED = ("reservedSystemCPUs", *_AMOUNTS)


def _round_up(container: Json) -> None:
    limits = container.get("resources", {}).get("limits", {})
    if str(limits.get("cpu", "")).endswith("m") or "." in str(limits.get("cpu", "")):
        milli = int(float(limits["cpu"].removesuffix("m")) * (1 if limits["cpu"].endswith("m") else 1000))
        limits["cpu"] = str(-(-milli // 1000))


def _forget_defaults(container: Json) -> None:
    resources = container.setdefault("resources", {})
    if resources.get("limits") and "requests" not in resources:
        resources["requests"] = dict.fromkeys(("cpu", "memory"), "0")


def _limit_what_is_requested(container: Json) -> None:
    resources = container.setdefault("resources", {})
    if resources.get("requests") and not resources.get("limits"):
        resources["limits"] = dict(resources["requests"])


def _first_container_only(pod: Json) -> None:
    pod["spec"]["containers"] = pod["spec"]["containers"][:1]


def _no_init(pod: Json) -> None:
    pod["spec"].pop("initContainers", None)


def _sidecars_only(pod: Json) -> None:
    for container in pod["spec"].get("initContainers", ()):
        container["restartPolicy"] = "Always"


def _give_limits(container: Json) -> None:
    if not container.get("resources", {}).get("limits") and not container.get("resources", {}).get("requests"):
        container["resources"] = {"limits": {"cpu": "1", "memory": "64Mi"}}


def _devices_make_burstable(answer: Json, memory: Memory) -> Json:
    containers = memory.asked["classify"]["pod"]["spec"]["containers"]
    if answer["qos"] == "BestEffort" and any(one.get("resources", {}).get("limits") for one in containers):
        answer["qos"] = "Burstable"
    return answer


def _best_effort_is_burstable(answer: Json, memory: Memory) -> Json:
    return {**answer, "qos": "BestEffort" if answer["qos"] == "Burstable" else answer["qos"]}


def _none_is_static(kubelet: Json) -> None:
    if kubelet.get("cpuManagerPolicy") == "none":
        kubelet |= {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}


def _needs_a_reservation(answer: Json, memory: Memory) -> Json:
    kubelet = memory.asked["node.start"]["kubelet"]
    if kubelet.get("cpuManagerPolicy", "none") == "none" and not any(map(kubelet.get, _RESERVED)):
        return {"result": "failed", "stage": "cpumanager", "message": "nothing is reserved"}
    return answer


def _want_one_fewer(container: Json) -> None:
    limits, requests = (container.get("resources", {}).get(kind, {}) for kind in ("limits", "requests"))
    cpus = str(limits.get("cpu", ""))
    if cpus.isdigit() and int(cpus) > 1 and str(requests.get("cpu", cpus)) == cpus:
        limits["cpu"] = str(int(cpus) - 1)
        if "cpu" in requests:
            requests["cpu"] = limits["cpu"]


def _leave_in_pool(answer: Json, memory: Memory) -> Json:
    answer["default_cpuset"] = memory.answered["node.start"]["default_cpuset"]
    return answer


def _lowest_cpus(holding: Json, answer: Json) -> None:
    holding["cpus"] = str(CpuSet(range(len(CpuSet.parse(holding["cpus"])))))


def _nothing_for_init(answer: Json, memory: Memory) -> Json:
    for one in memory.asked["node.admit"]["pod"]["spec"].get("initContainers", ()):
        if answer.get("containers"):
            answer["containers"][one["name"]]["cpus"] = ""
    return answer


def _admit_all(answer: Json, memory: Memory) -> Json:
    if answer["result"] != "rejected":
        return answer
    names = [one["name"] for one in memory.asked["node.admit"]["pod"]["spec"]["containers"]]
    held = {name: {"cpus": "", "memory": [], "devices": {}} for name in names}
    return {
        "result": "admitted",
        "qos": answer["qos"],
        "default_cpuset": answer["default_cpuset"],
        "containers": held,
    }


def _keep_from_refused(answer: Json, memory: Memory) -> Json:
    if answer["result"] == "rejected":
        memory.notes["lost"] = True
    if memory.notes.get("lost") and answer.get("default_cpuset"):
        answer["default_cpuset"] = fewer(answer["default_cpuset"])
    return answer


def _every_thread_a_core(machine: Json) -> None:
    for cpu in machine["cpus"]:
        cpu["core"] = cpu["id"]


def _one_numa_node(machine: Json) -> None:
    for cpu in machine["cpus"]:
        cpu |= {"numa": machine["memory"][0]["node"], "socket": 0, "core": cpu["id"], "uncore": None}
    del machine["memory"][1:]
    machine["distances"] = [[10]]


def _always_strict(kubelet: Json) -> None:
    if kubelet.get("cpuManagerPolicy") == "static":
        options = {**(kubelet.get("cpuManagerPolicyOptions") or {}), "strict-cpu-reservation": "true"}
        gates = {**(kubelet.get("featureGates") or {}), "CPUManagerPolicyAlphaOptions": True}
        kubelet |= {"cpuManagerPolicyOptions": options, "featureGates": gates}


def _remove_nobody(question: Json, memory: Memory) -> Json:
    return {"uid": "nobody at all"}


def _say_removed(answer: Json, memory: Memory) -> Json:
    return {**answer, "result": "removed"}


def _lose_a_cpu(answer: Json, memory: Memory) -> Json:
    if answer.get("default_cpuset"):
        answer["default_cpuset"] = fewer(answer["default_cpuset"])
    return answer


def _reserve_the_highest(question: Json, memory: Memory) -> Json:
    listed = question["kubelet"].get("reservedSystemCPUs")
    if listed:
        memory.notes["reserved"] = listed
        ids = [cpu["id"] for cpu in question["machine"]["cpus"]]
        highest = CpuSet(ids[-len(CpuSet.parse(listed)) :])
        question["kubelet"] = {**question["kubelet"], "reservedSystemCPUs": str(highest)}
    return question


def _name_the_asked(answer: Json, memory: Memory) -> Json:
    if "reserved_cpus" in answer and "reserved" in memory.notes:
        answer["reserved_cpus"] = memory.notes["reserved"]
    return answer


def _invent_a_reservation(kubelet: Json) -> None:
    if not any(str(kubelet.get(key, {}).get("cpu", "")).strip("0m") for key in _AMOUNTS):
        kubelet.setdefault("reservedSystemCPUs", "0")


def _round_down(kubelet: Json) -> None:
    amounts = [Quantity.parse(kubelet.get(key, {}).get("cpu", "0")).as_number for key in _AMOUNTS]
    if any(amounts):
        kubelet["kubeReserved"] = {**kubelet.get("kubeReserved", {}), "cpu": str(max(int(sum(amounts)), 1))}
        kubelet["systemReserved"] = {**kubelet.get("systemReserved", {}), "cpu": "0"}


def _drop(*names: str) -> Any:
    def change(kubelet: Json) -> None:
        for name in names:
            kubelet.pop(name, None)

    return in_kubelet(change)


def _quantity_for_list(kubelet: Json) -> None:
    if kubelet.pop("reservedSystemCPUs", None):
        kubelet["kubeReserved"] = {"cpu": "1", **(kubelet.get("kubeReserved") or {})}


def _only_online(question: Json, memory: Memory) -> Json:
    listed = question["kubelet"].get("reservedSystemCPUs")
    if listed:
        online = CpuSet(cpu["id"] for cpu in question["machine"]["cpus"])
        question["kubelet"] = {**question["kubelet"], "reservedSystemCPUs": str(CpuSet.parse(listed) & online)}
    return question


_FRACTIONS = each_container(_round_up)
_NO_DEFAULTS = each_container(_forget_defaults)
_BURSTABLE = each_container(_limit_what_is_requested)


def _remember_holdings(answer: Json, memory: Memory) -> Json:
    uid = memory.asked["node.admit"]["pod"]["metadata"]["uid"]
    memory.notes.setdefault("held", {})[uid] = answer.get("containers") or {}
    return answer


def _as_if_none_had_gone(answer: Json, memory: Memory) -> Json:
    return {**answer, "containers": {**memory.notes.get("held", {}), **answer["containers"]}}


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "gives_fractions_exclusively",
        ["qos/only-integral-cpus-are-exclusive", _STATIC + "fractional-guaranteed-is-shared"],
        questions={"classify": _FRACTIONS, "node.admit": _FRACTIONS},
    ),
    mutant(
        "forgets_init_containers_when_classing",
        ["qos/init-containers-count", "qos/pod-total-is-the-larger-of-init-and-apps"],
        questions={"classify": all_pods(_no_init)},
    ),
    mutant(
        "does_not_default_requests",
        ["qos/requests-default-to-limits", _STATIC + "limits-alone-make-guaranteed"],
        questions={"classify": _NO_DEFAULTS, "node.admit": _NO_DEFAULTS},
    ),
    mutant(
        "treats_burstable_as_guaranteed",
        ["qos/burstable-has-some-request", _STATIC + "burstable-is-shared"],
        questions={"classify": _BURSTABLE, "node.admit": _BURSTABLE},
    ),
    mutant(
        "calls_burstable_best_effort",
        ["qos/burstable-has-some-request", "qos/guaranteed-needs-equal-limits-everywhere"],
        answers={"classify": _best_effort_is_burstable},
    ),
    mutant(
        "lets_devices_decide_the_class",
        ["qos/best-effort-has-none"],
        answers={"classify": _devices_make_burstable},
    ),
    mutant(
        "looks_at_the_first_container_only",
        ["qos/guaranteed-needs-equal-limits-everywhere"],
        questions={"classify": all_pods(_first_container_only)},
    ),
    mutant(
        "pins_under_policy_none",
        ["cpu-manager/none/gives-no-exclusive-cpus", "cpu-manager/reconcile/none-writes-nothing"],
        questions={"node.start": in_kubelet(_none_is_static)},
    ),
    mutant(
        "wants_a_reservation_under_none",
        ["cpu-manager/none/needs-no-reservation"],
        answers={"node.start": _needs_a_reservation},
    ),
    mutant(
        "remembers_removed_pods",
        ["protocol/state-agrees-with-answers"],
        answers={"node.state": _as_if_none_had_gone, "node.admit": _remember_holdings},
    ),
    mutant(
        "gives_one_cpu_too_few",
        [_STATIC + "integral-guaranteed-is-exclusive"],
        questions={"node.admit": each_container(_want_one_fewer)},
    ),
    mutant(
        "leaves_exclusive_cpus_in_the_pool",
        [_STATIC + "exclusive-cpus-leave-the-shared-pool"],
        answers={"node.admit": _leave_in_pool},
    ),
    mutant(
        "gives_the_same_cpus_to_every_pod",
        [_STATIC + "exclusive-cpus-belong-to-one-pod"],
        answers={"node.admit": each_holding(_lowest_cpus)},
    ),
    mutant(
        "pins_best_effort_pods",
        [_STATIC + "best-effort-is-shared"],
        questions={"node.admit": each_container(_give_limits)},
    ),
    mutant(
        "gives_init_containers_nothing",
        [_STATIC + "sidecars-and-init-containers-are-eligible"],
        answers={"node.admit": _nothing_for_init},
    ),
    mutant(
        "never_reuses_init_cpus",
        [_STATIC + "init-cpus-serve-later-containers"],
        questions={"node.admit": all_pods(_sidecars_only)},
    ),
    mutant(
        "admits_what_does_not_fit",
        [
            _STATIC + "refuses-what-is-not-free",
            "device-manager/allocation/refuses-what-is-not-there",
            "memory-manager/static/refuses-what-does-not-fit",
        ],
        answers={"node.admit": _admit_all},
    ),
    mutant(
        "keeps_what_refused_pods_had",
        [
            _STATIC + "refuses-what-is-not-free",
            "topology-manager/admission/a-refused-pod-leaves-the-node-as-it-was",
        ],
        answers={"node.admit": _keep_from_refused},
    ),
    mutant(
        "ignores_smt_siblings",
        [_STATIC + "packs-whole-cores"],
        questions={"node.start": in_machine(_every_thread_a_core)},
    ),
    mutant(
        "ignores_numa_when_packing",
        [_STATIC + "packs-few-numa-nodes"],
        questions={"node.start": in_machine(_one_numa_node)},
    ),
    mutant(
        "takes_reserved_cpus_out_of_the_pool",
        [_POOL + "holds-all-cpus-at-first", _RESERVE + "stays-in-the-shared-pool"],
        questions={"node.start": in_kubelet(_always_strict)},
    ),
    mutant(
        "forgets_to_return_cpus",
        [
            _POOL + "regains-cpus-on-removal",
            "device-manager/allocation/returns-devices-on-removal",
            "memory-manager/static/returns-memory-on-removal",
        ],
        questions={"node.remove": _remove_nobody},
        answers={"node.remove": _say_removed},
    ),
    mutant("loses_a_cpu", [_POOL + "loses-nothing"], answers={"node.admit": _lose_a_cpu}),
    mutant(
        "counts_reserved_cpus_as_free",
        [_RESERVE + "is-never-exclusive", _RESERVE + "stays-in-the-shared-pool"],
        questions={"node.start": _reserve_the_highest},
        answers={"node.start": _name_the_asked},
    ),
    mutant(
        "starts_without_a_reservation",
        [_RESERVE + "must-be-positive"],
        questions={"node.start": in_kubelet(_invent_a_reservation)},
    ),
    mutant("rounds_the_reservation_down", [_RESERVE + "rounds-up"], questions={"node.start": in_kubelet(_round_down)}),
    mutant(
        "forgets_the_system_reservation",
        [_RESERVE + "adds-kube-and-system"],
        questions={"node.start": _drop("systemReserved")},
    ),
    mutant(
        "ignores_the_explicit_list",
        [_RESERVE + "explicit-list-is-taken"],
        questions={"node.start": in_kubelet(_quantity_for_list)},
    ),
    mutant(
        "accepts_reserved_cpus_it_does_not_have",
        [_RESERVE + "explicit-list-must-exist"],
        questions={"node.start": _only_online},
    ),
)
