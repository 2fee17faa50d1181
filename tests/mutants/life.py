"""Wrong nodes whose placements are right: CFS quota, refused pods, resizes, crashes, restarts with other files."""

from __future__ import annotations

import json

from changes.rewrites import each_holding, holdings_of
from numa_conformance.chapters import node_admission, protocol, resize, restart, settings
from numa_conformance.chapters.cpu import reconcile, reservation
from numa_conformance.chapters.cpu import state_file as cpu_state_file
from numa_conformance.chapters.cpu.options import full_pcpus_only
from numa_conformance.chapters.topology import policy_options
from numa_conformance.cpuset import CpuSet

from .mutant import mutant

_MANY = "max-allowable-numa-nodes"
_AMOUNTS = ("kubeReserved", "systemReserved")
_CPU_FILE, _LIST = "cpu_manager_state", "reservedSystemCPUs"


@mutant(reconcile.exclusive_cpus_have_no_quota).answer("node.admit")
@each_holding
def bounds_exclusive_cpus(holding, answer):
    holding["cpu_quota"] = max(holding["cpu_quota"], 100_000)


@mutant(reconcile.none_enforces_limits, reconcile.static_enforces_shared_limits).answer("node.admit")
@each_holding
def bounds_nobody(holding, answer):
    holding["cpu_quota"] = -1


@mutant(full_pcpus_only.refused_pods_are_failed).answer("node.admit")
def leaves_refused_pods_pending(answer, memory):
    return {**answer, "phase": "Pending"} if answer["result"] == "rejected" else answer


@mutant(restart.no_cpu_in_two_places).answer("node.restart")
def shares_after_a_crash(answer, memory):
    """After a restart with other state files the shared pool has all CPUs, those of pods too."""
    if memory.asked["node.restart"].get("files") and answer["result"] == "restarted":
        answer["default_cpuset"] = memory.answered["node.start"]["default_cpuset"]
    return answer


@mutant(settings.unknown_scope_is_refused).question("node.restart")
def restarts_with_any_scope(question, memory):
    kubelet = question.get("kubelet") or {}
    if kubelet.get("topologyManagerScope") not in (None, "container", "pod"):
        question["kubelet"] = {**kubelet, "topologyManagerScope": "container"}
    return question


@mutant(restart.refuses_what_a_start_refuses).question("node.restart")
def comes_up_again_with_nothing_reserved(question, memory):
    kubelet = question.get("kubelet") or {}
    if kubelet.get("cpuManagerPolicy") == "static" and not any(map(kubelet.get, (_LIST, *_AMOUNTS))):
        question["kubelet"] = memory.asked["node.start"]["kubelet"]
    return question


refuses_who_went_before = mutant(node_admission.admits_again)


@refuses_who_went_before.question("node.admit")
def refuses_who_went_before(question, memory):
    """Under policy restricted has no devices for a pod whose uid was there before, as if it had them still."""
    pod, gone = question["pod"], memory.notes.setdefault("gone", set())
    spec, kubelet = pod["spec"], memory.asked["node.start"]["kubelet"]
    limits = spec["containers"][0].get("resources", {}).get("limits", {})
    devices = {name: "1000" for name in limits if "/" in name}
    alone = len(spec["containers"]) == 1 and not spec.get("initContainers")
    if alone and devices and pod["metadata"]["uid"] in gone and kubelet.get("topologyManagerPolicy") == "restricted":
        container = {**spec["containers"][0], "resources": {"limits": {**limits, **devices}}}
        question["pod"] = {**pod, "spec": {**spec, "containers": [container]}}
    return question


@refuses_who_went_before.question("node.remove")
def refuses_who_went_before(question, memory):
    memory.notes.setdefault("gone", set()).add(question["uid"])
    return question


@refuses_who_went_before.question("node.start")
def refuses_who_went_before(question, memory):
    memory.notes["gone"] = set()
    return question


@mutant(protocol.knows_its_pods).answer("node.run")
def knows_no_pod_that_is_to_run(answer, memory):
    return {"result": "unknown", "default_cpuset": answer["default_cpuset"]}


@mutant(policy_options.is_set_to_true).answer("node.restart")
def forgets_a_raised_limit_at_a_restart(answer, memory):
    kubelet = memory.asked["node.restart"].get("kubelet") or {}
    if (kubelet.get("topologyManagerPolicyOptions") or {}).get(_MANY) != "true":
        return answer
    return {"result": "failed", "stage": "topologymanager", "message": "more than 8 NUMA nodes"}


def _grants(answer, memory):
    if answer["result"] != "pending":
        return answer
    held = memory.answered.get("node.state", {}).get("containers", {}).get(_asked(memory)["metadata"]["uid"], {})
    return {"result": "resized", "default_cpuset": answer["default_cpuset"], "containers": held}


@mutant(resize.exclusive_cpus_are_not_resized, resize.static_memory_is_not_resized).answer("node.resize")
def grants_resizes_of_two_exclusive_containers(answer, memory):
    uid = _asked(memory)["metadata"]["uid"]
    held = (
        memory.answered.get("node.state", {}).get("containers", {}).get(uid, {})
        if answer["result"] == "pending"
        else {}
    )
    return _grants(answer, memory) if sum(bool(holding["cpus"]) for holding in held.values()) > 1 else answer


def _asked(memory):
    return memory.asked["node.resize"]["pod"]


@mutant(resize.what_can_never_be_is_infeasible).answer("node.resize")
def defers_for_ever(answer, memory):
    return {**answer, "reason": "Deferred"} if answer["result"] == "pending" else answer


@mutant(resize.what_there_is_room_for_is_granted).answer("node.resize")
def defers_what_there_is_room_for(answer, memory):
    waits = {"result": "pending", "reason": "Deferred", "default_cpuset": answer["default_cpuset"]}
    return waits if answer["result"] == "resized" else answer


@mutant(resize.pending_changes_nothing).answer("node.resize")
def takes_a_cpu_for_a_resize_that_waits(answer, memory):
    pool = CpuSet.parse(answer["default_cpuset"])
    return {**answer, "default_cpuset": str(CpuSet(list(pool)[1:]))} if answer["result"] == "pending" else answer


@mutant(resize.shared_containers_get_no_cpus_of_their_own).answer("node.resize")
def gives_exclusive_cpus_by_a_resize(answer, memory):
    if answer["result"] != "resized" or memory.asked["node.start"]["kubelet"].get("cpuManagerPolicy") != "static":
        return answer
    first, *rest = CpuSet.parse(answer["default_cpuset"])
    held = {name: {**holding, "cpus": holding["cpus"] or str(first)} for name, holding in answer["containers"].items()}
    return {**answer, "default_cpuset": str(CpuSet(rest)), "containers": held}


@mutant(protocol.state_agrees_with_answers).answer("node.resize")
def takes_devices_from_pods_whose_resize_waits(answer, memory):
    if answer["result"] == "pending":
        memory.notes.setdefault("waits", set()).add(_asked(memory)["metadata"]["uid"])
    return answer


@takes_devices_from_pods_whose_resize_waits.answer("node.state")
def takes_devices_from_pods_whose_resize_waits(answer, memory):
    for uid in memory.notes.get("waits", set()) & answer["containers"].keys():
        for holding in answer["containers"][uid].values():
            holding["devices"] = {name: [] for name in holding.get("devices") or {}}
    return answer


grants_every_resize = mutant(
    resize.exclusive_cpus_are_not_resized,
    resize.static_memory_is_not_resized,
    resize.more_than_the_node_has_is_not_granted,
).answer("node.resize")(_grants)


def _there(memory):
    return memory.notes.setdefault("there", set())


@mutant(cpu_state_file.policy_change_is_refused).question("node.restart")
def takes_any_file_once_drained(question, memory):
    return question if _there(memory) else {**question, "files": {_CPU_FILE: None}}


@takes_any_file_once_drained.answer("node.admit")
def takes_any_file_once_drained(answer, memory):
    if answer["result"] == "admitted":
        _there(memory).add(memory.asked["node.admit"]["pod"]["metadata"]["uid"])
    return answer


@takes_any_file_once_drained.answer("node.remove")
def takes_any_file_once_drained(answer, memory):
    _there(memory).discard(memory.asked["node.remove"]["uid"])
    return answer


@mutant(cpu_state_file.changed_cpus_are_refused).question("node.start")
def takes_a_file_of_other_cpus_that_gives_nothing(question, memory):
    files = dict(question.get("files") or {})
    if _CPU_FILE in files and not json.loads(files[_CPU_FILE]).get("entries"):
        del files[_CPU_FILE]
    return {**question, "files": files}


@mutant(reservation.reserved_is_never_exclusive).question("node.restart")
def keeps_its_reserved_list_at_a_restart(question, memory):
    kubelet, first = question.get("kubelet"), memory.asked["node.start"]["kubelet"]
    if not kubelet or _LIST not in kubelet or _LIST not in first:
        return question
    return {**question, "kubelet": {**kubelet, _LIST: first[_LIST]}}


_AFTER = ("node.admit", "node.run", "node.resize", "node.state", "node.restart")


def _moves_devices(at):
    """Tell other devices of a pod than it was given from an event on, always the same ones."""

    def rewrite(answer, memory):
        moved = memory.notes.setdefault("moved", set())
        known = [each for each in memory.asked["node.start"]["machine"].get("devices", ()) if each.get("healthy", True)]
        for uid, _, holding in holdings_of(answer, memory):
            if at(uid, answer, memory):
                moved.add(uid)
            for resource, ids in (holding.get("devices") or {}).items() if uid in moved else ():
                others = sorted({each["id"] for each in known if each["resource"] == resource} - set(ids))
                holding["devices"][resource] = others[: len(ids)] if len(others) >= len(ids) else ids
        return answer

    return mutant(node_admission.leaves_the_rest).answer(*_AFTER)(rewrite)


moves_devices_at_the_start = _moves_devices(
    lambda uid, answer, memory: answer.get("result") == "started" and memory.last == {"uid": uid}
)
moves_devices_by_a_resize = _moves_devices(lambda uid, answer, memory: answer.get("result") == "resized")


@mutant(node_admission.leaves_the_rest).answer("node.admit", "node.run", "node.remove", "node.state")
def books_memory_of_refused_pods(answer, memory):
    """Has 64 MiB less free of each NUMA node, by its books, for each pod that was refused."""
    lost = memory.notes["lost"] = memory.notes.get("lost", 0) + (answer.get("result") == "rejected")
    for node in answer.get("memory_state") or ():
        if node.get("free"):
            node["free"]["memory"] -= lost << 26
    return answer


@mutant(node_admission.a_restart_leaves_containers).answer(*_AFTER)
def turns_pods_round_where_a_restart_changes_the_configuration(answer, memory):
    """Gives each pod the CPUs of the next at a restart with another configuration."""
    held, kubelet = memory.notes.setdefault("held", {}), memory.last.get("kubelet")
    own = [list(pod["containers"].values()) for pod in answer.get("pods") or () if pod["result"] == "admitted"]
    if own and kubelet and kubelet != memory.asked["node.start"]["kubelet"]:
        uids = [pod["uid"] for pod in answer["pods"] if pod["result"] == "admitted"]
        cpus = [containers[0]["cpus"] for containers in own]
        held.update(zip(uids, cpus[1:] + cpus[:1], strict=True))
    for uid, _, holding in holdings_of(answer, memory):
        holding["cpus"] = held.get(uid, holding["cpus"])
    return answer


@mutant(protocol.state_agrees_with_answers).answer("node.state")
def bounds_who_has_no_limit(answer, memory):
    """Bounds containers by a CPU of quota that have no limit, once they are looked at."""
    for _, _, holding in holdings_of(answer, memory):
        if holding.get("cpu_quota") == -1 and not holding["cpus"]:
            holding["cpu_quota"] = 100_000
    return answer
