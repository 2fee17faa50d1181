"""Rules that generators once did not vary: a wrong allocator that lived in each is seen to be wrong now.

Other holes that were known are mutants, which have a test of their own: ``forgets_the_system_reservation``,
``takes_a_raised_limit_for_none``, ``lets_devices_decide_the_class``, ``writes_no_cpuset_of_exclusive_containers``,
``scores_by_the_last_pod_alone``.
"""

from __future__ import annotations

from typing import Any

import pytest

from changes.change import Memory, Rewrite, Rewriting
from changes.rewrites import in_kubelet
from directly import Directly, broken_in
from numa_conformance.asking.groups import ALL, GROUPS
from numa_conformance.judging.pods import GUARANTEED, PodSpec
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.sources.policies import TOPOLOGY_POLICIES, TOPOLOGY_SCOPES
from planted import mixed

Json = dict[str, Any]
CONFIGURED = ("allocate", "hints", "node.start", "node.restart")


def _whatever_is_written_is_on(kubelet: Json) -> None:
    for field in ("cpuManagerPolicyOptions", "topologyManagerPolicyOptions"):
        if kubelet.get(field):
            kubelet[field] = {name: "true" if text == "false" else text for name, text in kubelet[field].items()}


def _takes_unknown_names(kubelet: Json) -> None:
    for field, known in (("topologyManagerPolicy", TOPOLOGY_POLICIES), ("topologyManagerScope", TOPOLOGY_SCOPES)):
        if kubelet.get(field, known[0]) not in known:
            kubelet[field] = known[0]


def _forgets_the_threshold(kubelet: Json) -> None:
    kubelet.pop("evictionHard", None)


def _no_version(question: Json, memory: Memory) -> Json:
    return {name: value for name, value in question.items() if name != "kubernetes_version"}


def _shares_beside_a_fraction(question: Json, memory: Memory) -> Json:
    """Of three containers and more, one with a fraction of a CPU has the others share too."""
    apps = question["pod"]["spec"]["containers"]
    amounts = [side for app in apps for side in app.get("resources", {}).values()]
    if len(apps) > 2 and any(side.get("cpu", "").endswith("500m") for side in amounts):
        for side in amounts:
            if side.get("cpu", "").isdigit():
                side["cpu"] += "001m"
    return question


def _one_resource_of_devices(question: Json, memory: Memory) -> Json:
    """Only devices of the first resource lie anywhere."""
    devices = question["machine"].get("devices") or []
    first = min((own["resource"] for own in devices), default="")
    told = [own if own["resource"] == first else {**own, "numa": []} for own in devices]
    return {**question, "machine": {**question["machine"], "devices": told}}


def _notes_devices(question: Json, memory: Memory) -> Json:
    memory.notes["devices"] = question["machine"].get("devices") or []
    return question


def _others_pass(answer: Json, memory: Memory) -> Json:
    """Pods that are not Guaranteed pass the Topology Manager by: they are given the first devices."""
    spec = PodSpec.of(memory.asked["node.admit"]["pod"])
    if answer["result"] != "rejected" or spec.qos == GUARANTEED or answer.get("reason") != "TopologyAffinityError":
        return answer
    left = list(memory.notes["devices"])

    def given(resource: str, count: int) -> list[str]:
        own = [device for device in left if device["resource"] == resource][:count]
        left[:] = [device for device in left if device not in own]
        return [device["id"] for device in own]

    held = {
        container.name: {
            "cpus": "",
            "devices": {name: given(name, int(amount)) for name, amount in container.requests.items() if "/" in name},
        }
        for container in spec.containers
    }
    return {"result": "admitted", "default_cpuset": answer["default_cpuset"], "containers": held}


def _called_by_name(question: Json, memory: Memory) -> Json:
    pod = question["pod"]
    memory.notes[pod["metadata"]["uid"]] = pod["metadata"]["name"]
    return {**question, "pod": {**pod, "metadata": {**pod["metadata"], "uid": pod["metadata"]["name"]}}}


def _of_that_name(question: Json, memory: Memory) -> Json:
    return {"uid": memory.notes.get(question["uid"], question["uid"])}


def _overhead_is_requested(question: Json, memory: Memory) -> Json:
    spec = question["pod"]["spec"]
    if "overhead" in spec:
        spec["containers"][0].setdefault("resources", {}).setdefault("requests", spec["overhead"])
    return question


def _rounds_down(answer: Json, memory: Memory) -> Json:
    """The mean of two resources by the shape is cut off, not rounded."""
    asked = memory.asked["score"]
    listed = asked["strategy"].get("resources", ())
    if asked["strategy"]["type"] != "RequestedToCapacityRatio" or len(listed) != 2 or "score" not in answer:
        return answer
    alone = [_score({**asked, "strategy": {**asked["strategy"], "resources": [one]}}) for one in listed]
    weights = [one.get("weight", 1) or 1 for one in listed]
    return answer | {"score": sum(w * s for w, s in zip(weights, alone, strict=True)) // sum(weights)}


def _score(question: Json) -> int:
    return Directly(ReferenceTarget("documented")).call("score", question)["score"]  # type: ignore[no-any-return]


def _no_books(answer: Json, memory: Memory) -> Json:
    return answer | {"memory_state": []} if answer.get("memory_state") else answer


def _burstable(pod: Json) -> None:
    for container in pod["spec"]["containers"]:
        container["resources"] = {"requests": container.get("resources", {}).get("requests") or {"cpu": "1m"}}


def _debuggers_count(question: Json, memory: Memory) -> Json:
    if question["pod"]["spec"].get("ephemeralContainers"):
        _burstable(question["pod"])
    return question


def _storage_makes_a_class(question: Json, memory: Memory) -> Json:
    sides = [container.get("resources", {}) for container in question["pod"]["spec"]["containers"]]
    storage = [[of.get(side, {}).get("ephemeral-storage") for side in ("requests", "limits")] for of in sides]
    if any(request != limit for request, limit in storage):
        _burstable(question["pod"])
    return question


def _any_policy_makes_a_sidecar(question: Json, memory: Memory) -> Json:
    for container in question["pod"]["spec"].get("initContainers", ()):
        if "restartPolicy" in container:
            container["restartPolicy"] = "Always"
    return question


def _whole_cpus_of_a_node(question: Json, memory: Memory) -> Json:
    cpu = question["allocatable"].get("cpu", "")
    whole = str(int(cpu[:-1]) // 1000) if cpu.endswith("m") else cpu
    return {**question, "allocatable": {**question["allocatable"], "cpu": whole}}


def _short_uid(question: Json, memory: Memory) -> Json:
    if "pod" not in question:
        return {**question, "uid": question["uid"][:20]}
    pod = question["pod"]
    return {**question, "pod": {**pod, "metadata": {**pod["metadata"], "uid": pod["metadata"]["uid"][:20]}}}


def _binary_units_alone(kubelet: Json) -> None:
    for amounts in (kubelet.get("kubeReserved") or {}, kubelet.get("systemReserved") or {}):
        for name, text in amounts.items():
            amounts[name] = f"{text[:-1]}Ki" if text.endswith("k") else text


def _resources_of_healthy_devices(question: Json, memory: Memory) -> Json:
    devices = question["machine"].get("devices") or []
    healthy = {device["resource"] for device in devices if device.get("healthy", True)}
    known = [device for device in devices if device["resource"] in healthy]
    return {**question, "machine": {**question["machine"], "devices": known}}


def _quota_of_the_first_start(question: Json, memory: Memory) -> Json:
    kubelet = question.get("kubelet")
    if kubelet is not None and "cpuCFSQuota" in memory.asked["node.start"]["kubelet"]:
        kubelet = {**kubelet, "cpuCFSQuota": memory.asked["node.start"]["kubelet"]["cpuCFSQuota"]}
    return {**question, "kubelet": kubelet}


def _one_result_of_a_request(question: Json, memory: Memory) -> Json:
    devices = question["claim"]["status"]["allocation"]["devices"]
    devices["results"] = list({result["request"]: result for result in devices["results"]}.values())
    return question


def _no_alternatives(question: Json, memory: Memory) -> Json:
    devices = question["claim"]["status"]["allocation"]["devices"]
    devices["results"] = [result for result in devices["results"] if "/" not in result["request"]]
    return question


def _nothing_is_not_requested(question: Json, memory: Memory) -> Json:
    for container in question["pod"]["spec"]["containers"]:
        requests = container.get("resources", {}).get("requests", {})
        for name in [name for name, amount in requests.items() if amount == "0"]:
            del requests[name]
    return question


def _one_type_of_an_entry(kubelet: Json) -> None:
    for entry in kubelet.get("reservedMemory") or ():
        entry["limits"] = dict(list(entry["limits"].items())[:1])


def _devices_in_64_bits(question: Json, memory: Memory) -> Json:
    if question.get("machine"):
        question["machine"]["devices"] = (question["machine"].get("devices") or [])[:64]
    return question


HOLES: dict[str, tuple[str, str, dict[str, Rewrite], dict[str, Rewrite]]] = {
    "an option that is off is on": (
        "relations",
        "cpu-manager/reservation/stays-in-the-shared-pool",
        dict.fromkeys(CONFIGURED, in_kubelet(_whatever_is_written_is_on)),
        {},
    ),
    "a policy or scope that does not exist is one that does": (
        "starts",
        "topology-manager/scope/unknown-is-refused",
        dict.fromkeys(CONFIGURED, in_kubelet(_takes_unknown_names)),
        {},
    ),
    "the version that is asked for is not looked at": (
        "starts",
        "cpu-manager/distribute-cpus-across-numa/stays-hidden",
        {"node.start": _no_version},
        {},
    ),
    "the eviction threshold is the default one": (
        "starts",
        "memory-manager/reserved-memory/must-match-the-node-reservation",
        {"node.start": in_kubelet(_forgets_the_threshold)},
        {},
    ),
    "of three containers all share beside one that does": (
        "classes",
        "qos/only-integral-cpus-are-exclusive",
        {"classify": _shares_beside_a_fraction},
        {},
    ),
    "devices of one resource are aligned": (
        "lives",
        "topology-manager/single-numa-node/gives-one-node",
        {"node.start": _one_resource_of_devices},
        {},
    ),
    "a Burstable pod passes the Topology Manager by": (
        "worlds",
        "topology-manager/admission/all-classes-pass-the-manager",
        {"node.start": _notes_devices},
        {"node.admit": _others_pass},
    ),
    "pods are known by their names": (
        "lives",
        "cpu-manager/static/exclusive-cpus-belong-to-one-pod",
        {"node.admit": _called_by_name, "node.run": _of_that_name, "node.remove": _of_that_name},
        {},
    ),
    "overhead makes a class": ("classes", "qos/best-effort-has-none", {"classify": _overhead_is_requested}, {}),
    "the mean of two resources is cut off": (
        "scores",
        "scheduler/requested-to-capacity-ratio/rounds-to-the-nearest",
        {},
        {"score": _rounds_down},
    ),
    "books that are empty are told": (
        "worlds",
        "memory-manager/static/returns-memory-on-removal",
        {},
        {"node.remove": _no_books},
    ),
    "ephemeral containers make a class": (
        "classes",
        "qos/only-integral-cpus-are-exclusive",
        {"classify": _debuggers_count},
        {},
    ),
    "storage makes a class": ("classes", "qos/requests-default-to-limits", {"classify": _storage_makes_a_class}, {}),
    "an init container that is never restarted is a sidecar": (
        "classes",
        "qos/pod-total-is-the-larger-of-init-and-apps",
        {"classify": _any_policy_makes_a_sidecar},
        {},
    ),
    "a node has whole CPUs": (
        "scores",
        "scheduler/filter/refuses-what-has-no-room",
        {"score": _whole_cpus_of_a_node},
        {},
    ),
    "uids are cut": (
        "lives",
        "cpu-manager/static/exclusive-cpus-belong-to-one-pod",
        {"node.admit": _short_uid, "node.run": _short_uid, "node.remove": _short_uid},
        {},
    ),
    "k and M are Ki and Mi": (
        "starts",
        "memory-manager/reserved-memory/comes-up-when-it-matches",
        {"node.start": in_kubelet(_binary_units_alone)},
        {},
    ),
    "a resource without healthy devices is unknown": (
        "lives",
        "device-manager/allocation/refuses-what-is-not-there",
        {"node.start": _resources_of_healthy_devices},
        {},
    ),
    "a restart keeps the quota": (
        "lives",
        "cpu-manager/static/shared-limits-are-enforced-by-quota",
        {"node.restart": _quota_of_the_first_start},
        {},
    ),
    "results of a claim are kept by their request": (
        "claims",
        "dra-driver/claims/get-what-they-consume",
        {"claims.prepare": _one_result_of_a_request},
        {},
    ),
    "alternatives of a claim are passed over": (
        "claims",
        "dra-driver/claims/get-what-they-consume",
        {"claims.prepare": _no_alternatives},
        {},
    ),
    "a request of nothing is none": (
        "classes",
        "qos/guaranteed-needs-equal-limits-everywhere",
        {"classify": _nothing_is_not_requested},
        {},
    ),
    "an entry of reserved memory has one type": (
        "starts",
        "memory-manager/reserved-memory/is-never-given",
        {"node.start": in_kubelet(_one_type_of_an_entry)},
        {},
    ),
    "devices are counted in 64 bits": (
        "lives",
        "topology-manager/admission/admits-what-one-node-holds",
        {"node.start": _devices_in_64_bits},
        {},
    ),
}
"""What a wrong allocator does, the group that shows it by which requirement, and the lies."""

RARE = {
    "devices of one resource are aligned": "single-numa-node per pod",
    "a resource without healthy devices is unknown": "no device that is healthy",
    "a restart keeps the quota": "restarted with limits by quota",
    "devices are counted in 64 bits": "names that begin alike",
}
"""What is in the cells where few scenarios show a hole: they are asked first."""


@pytest.mark.parametrize("hole", HOLES)
def test_a_hole_is_asked(hole: str) -> None:
    group, requirement, questions, answers = HOLES[hole]
    client = Directly(Rewriting(hole, questions, answers))
    rare = sorted(mixed(GROUPS[group].scenarios(ALL, 0)), key=lambda scenario: RARE.get(hole, "") not in scenario.cell)
    version = "1.22" if "version" in hole else "1.32"
    assert any(requirement in broken_in(scenario, client, version, {requirement}) for scenario in rare)
