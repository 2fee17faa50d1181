"""Wrong CPU managers."""

from __future__ import annotations

from changes.rewrites import all_pods, each_container, each_holding, fewer, in_kubelet, in_machine
from numa_conformance.chapters import protocol, qos
from numa_conformance.chapters.cpu import admission as cpu_admission
from numa_conformance.chapters.cpu import lifecycle, reconcile, reservation, shared_pool
from numa_conformance.chapters.cpu import static as cpu_static
from numa_conformance.chapters.devices import allocation
from numa_conformance.chapters.memory import static as memory_static
from numa_conformance.cpuset import CpuSet
from numa_conformance.kube.quantity import Quantity

from .mutant import mutant

_AMOUNTS = ("kubeReserved", "systemReserved")
_RESERVED = ("reservedSystemCPUs", *_AMOUNTS)


@mutant(qos.only_integral_cpus_are_exclusive, lifecycle.fractional_is_shared).question("classify", "node.admit")
@each_container
def gives_fractions_exclusively(container):
    limits = container.get("resources", {}).get("limits", {})
    if str(limits.get("cpu", "")).endswith("m") or "." in str(limits.get("cpu", "")):
        milli = int(float(limits["cpu"].removesuffix("m")) * (1 if limits["cpu"].endswith("m") else 1000))
        limits["cpu"] = str(-(-milli // 1000))


@mutant(qos.requests_default_to_limits, cpu_static.limits_alone_give_cpus).question("classify", "node.admit")
@each_container
def does_not_default_requests(container):
    resources = container.setdefault("resources", {})
    if resources.get("limits") and "requests" not in resources:
        resources["requests"] = dict.fromkeys(("cpu", "memory"), "0")


@mutant(qos.burstable_has_some, lifecycle.burstable_is_shared).question("classify", "node.admit")
@each_container
def treats_burstable_as_guaranteed(container):
    resources = container.setdefault("resources", {})
    if resources.get("requests") and not resources.get("limits"):
        resources["limits"] = dict(resources["requests"])


@mutant(qos.guaranteed_needs_equal_limits).question("classify")
@all_pods
def looks_at_the_first_container_only(pod):
    pod["spec"]["containers"] = pod["spec"]["containers"][:1]


@mutant(qos.init_containers_count, qos.the_pod_needs_the_larger).question("classify")
@all_pods
def forgets_init_containers_when_classing(pod):
    pod["spec"].pop("initContainers", None)


@mutant(qos.only_integral_cpus_are_exclusive).question("classify")
@all_pods
def compares_memory_of_init_containers_as_text(pod):
    """Takes 1Gi and 1024Mi for different amounts."""
    for container in pod["spec"].get("initContainers", ()):
        resources = container.get("resources", {})
        limit, request = (resources.get(side, {}).get("memory") for side in ("limits", "requests"))
        if limit and request and limit != request:
            resources["requests"]["memory"] = "1"


@mutant(qos.resources_as_a_whole_decide).question("classify")
@all_pods
def classes_by_containers_alone(pod):
    pod["spec"].pop("resources", None)


@mutant(cpu_admission.init_cpus_serve_later_containers).question("node.admit")
@all_pods
def never_reuses_init_cpus(pod):
    for container in pod["spec"].get("initContainers", ()):
        container["restartPolicy"] = "Always"


@mutant(lifecycle.best_effort_is_shared).question("node.admit")
@each_container
def pins_best_effort_pods(container):
    if not container.get("resources", {}).get("limits") and not container.get("resources", {}).get("requests"):
        container["resources"] = {"limits": {"cpu": "1", "memory": "64Mi"}}


@mutant(qos.best_effort_has_none).answer("classify")
def lets_devices_decide_the_class(answer, memory):
    containers = memory.asked["classify"]["pod"]["spec"]["containers"]
    if answer["qos"] == "BestEffort" and any(one.get("resources", {}).get("limits") for one in containers):
        answer["qos"] = "Burstable"
    return answer


@mutant(qos.burstable_has_some, qos.guaranteed_needs_equal_limits).answer("classify")
def calls_burstable_best_effort(answer, memory):
    return {**answer, "qos": "BestEffort" if answer["qos"] == "Burstable" else answer["qos"]}


@mutant(lifecycle.none_gives_none, reconcile.none_writes_nothing).question("node.start")
@in_kubelet
def pins_under_policy_none(kubelet):
    if kubelet.get("cpuManagerPolicy") == "none":
        kubelet |= {"cpuManagerPolicy": "static", "reservedSystemCPUs": "0"}


@mutant(reservation.none_needs_no_reservation).answer("node.start")
def wants_a_reservation_under_none(answer, memory):
    kubelet = memory.asked["node.start"]["kubelet"]
    if kubelet.get("cpuManagerPolicy", "none") == "none" and not any(map(kubelet.get, _RESERVED)):
        return {"result": "failed", "stage": "cpumanager", "message": "nothing is reserved"}
    return answer


@mutant(lifecycle.gives_the_number).question("node.admit")
@each_container
def gives_one_cpu_too_few(container):
    limits, requests = (container.get("resources", {}).get(kind, {}) for kind in ("limits", "requests"))
    cpus = str(limits.get("cpu", ""))
    if cpus.isdigit() and int(cpus) > 1 and str(requests.get("cpu", cpus)) == cpus:
        limits["cpu"] = str(int(cpus) - 1)
        if "cpu" in requests:
            requests["cpu"] = limits["cpu"]


@mutant(shared_pool.exclusive_cpus_leave_the_pool).answer("node.admit")
def leaves_exclusive_cpus_in_the_pool(answer, memory):
    answer["default_cpuset"] = memory.answered["node.start"]["default_cpuset"]
    return answer


@mutant(lifecycle.exclusive_cpus_belong_to_one_pod).answer("node.admit")
@each_holding
def gives_the_same_cpus_to_every_pod(holding, answer):
    holding["cpus"] = str(CpuSet(range(len(CpuSet.parse(holding["cpus"])))))


@mutant(cpu_static.init_containers_and_sidecars_are_eligible).answer("node.admit")
def gives_init_containers_nothing(answer, memory):
    for one in memory.asked["node.admit"]["pod"]["spec"].get("initContainers", ()):
        if answer.get("containers"):
            answer["containers"][one["name"]]["cpus"] = ""
    return answer


@mutant(
    cpu_admission.refuses_what_is_not_free,
    allocation.refuses_what_is_not_there,
    memory_static.refuses_what_does_not_fit,
).answer("node.admit")
def admits_what_does_not_fit(answer, memory):
    if answer["result"] != "rejected":
        return answer
    names = [one["name"] for one in memory.asked["node.admit"]["pod"]["spec"]["containers"]]
    held = {name: {"cpus": "", "memory": [], "devices": {}} for name in names}
    return {"result": "admitted", "qos": answer["qos"], "default_cpuset": answer["default_cpuset"], "containers": held}


@mutant(cpu_admission.refuses_what_is_not_free, shared_pool.refused_pod_leaves_no_trace).answer("node.admit")
def keeps_what_refused_pods_had(answer, memory):
    if answer["result"] == "rejected":
        memory.notes["lost"] = True
    if memory.notes.get("lost") and answer.get("default_cpuset"):
        answer["default_cpuset"] = fewer(answer["default_cpuset"])
    return answer


@mutant(cpu_static.packs_few_cores).question("node.start")
@in_machine
def ignores_smt_siblings(machine):
    for cpu in machine["cpus"]:
        cpu["core"] = cpu["id"]


@mutant(cpu_static.packs_few_numa_nodes).question("node.start")
@in_machine
def ignores_numa_when_packing(machine):
    for cpu in machine["cpus"]:
        cpu |= {"numa": machine["memory"][0]["node"], "socket": 0, "core": cpu["id"], "uncore": None}
    del machine["memory"][1:]
    machine["distances"] = [[10]]


@mutant(shared_pool.pool_holds_all_cpus_at_first, reservation.reserved_stays_in_the_pool).question("node.start")
@in_kubelet
def takes_reserved_cpus_out_of_the_pool(kubelet):
    if kubelet.get("cpuManagerPolicy") == "static":
        options = {**(kubelet.get("cpuManagerPolicyOptions") or {}), "strict-cpu-reservation": "true"}
        gates = {**(kubelet.get("featureGates") or {}), "CPUManagerPolicyAlphaOptions": True}
        kubelet |= {"cpuManagerPolicyOptions": options, "featureGates": gates}


@mutant(shared_pool.pool_regains_cpus, allocation.devices_return, memory_static.memory_returns).question("node.remove")
def forgets_to_return_cpus(question, memory):
    return {"uid": "nobody at all"}


@forgets_to_return_cpus.answer("node.remove")
def forgets_to_return_cpus(answer, memory):
    return {**answer, "result": "removed"}


@mutant(shared_pool.pool_loses_nothing).answer("node.admit")
def loses_a_cpu(answer, memory):
    if answer.get("default_cpuset"):
        answer["default_cpuset"] = fewer(answer["default_cpuset"])
    return answer


@mutant(reservation.reserved_is_never_exclusive, reservation.reserved_stays_in_the_pool).question("node.start")
def counts_reserved_cpus_as_free(question, memory):
    listed = question["kubelet"].get("reservedSystemCPUs")
    if listed:
        memory.notes["reserved"] = listed
        ids = [cpu["id"] for cpu in question["machine"]["cpus"]]
        highest = CpuSet(ids[-len(CpuSet.parse(listed)) :])
        question["kubelet"] = {**question["kubelet"], "reservedSystemCPUs": str(highest)}
    return question


@counts_reserved_cpus_as_free.answer("node.start")
def counts_reserved_cpus_as_free(answer, memory):
    if "reserved_cpus" in answer and "reserved" in memory.notes:
        answer["reserved_cpus"] = memory.notes["reserved"]
    return answer


@mutant(reservation.must_be_positive).question("node.start")
@in_kubelet
def starts_without_a_reservation(kubelet):
    if not any(str(kubelet.get(key, {}).get("cpu", "")).strip("0m") for key in _AMOUNTS):
        kubelet.setdefault("reservedSystemCPUs", "0")


@mutant(reservation.rounds_up).question("node.start")
@in_kubelet
def rounds_the_reservation_down(kubelet):
    amounts = [Quantity.parse(kubelet.get(key, {}).get("cpu", "0")).as_number for key in _AMOUNTS]
    if any(amounts):
        kubelet["kubeReserved"] = {**kubelet.get("kubeReserved", {}), "cpu": str(max(int(sum(amounts)), 1))}
        kubelet["systemReserved"] = {**kubelet.get("systemReserved", {}), "cpu": "0"}


@mutant(reservation.explicit_list_is_taken).question("node.start")
@in_kubelet
def ignores_the_explicit_list(kubelet):
    if kubelet.pop("reservedSystemCPUs", None):
        kubelet["kubeReserved"] = {"cpu": "1", **(kubelet.get("kubeReserved") or {})}


@mutant(reservation.explicit_list_must_exist).question("node.start")
def accepts_reserved_cpus_it_does_not_have(question, memory):
    listed = question["kubelet"].get("reservedSystemCPUs")
    if listed:
        online = CpuSet(cpu["id"] for cpu in question["machine"]["cpus"])
        question["kubelet"] = {**question["kubelet"], "reservedSystemCPUs": str(CpuSet.parse(listed) & online)}
    return question


@mutant(protocol.state_agrees_with_answers).answer("node.state")
def remembers_removed_pods(answer, memory):
    return {**answer, "containers": {**memory.notes.get("held", {}), **answer["containers"]}}


@remembers_removed_pods.answer("node.admit")
def remembers_removed_pods(answer, memory):
    uid = memory.asked["node.admit"]["pod"]["metadata"]["uid"]
    memory.notes.setdefault("held", {})[uid] = answer.get("containers") or {}
    return answer


@mutant(reservation.adds_kube_and_system).question("node.start")
@in_kubelet
def forgets_the_system_reservation(kubelet):
    kubelet.pop("systemReserved", None)
