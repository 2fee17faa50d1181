"""Three wrong allocators as they were told in version 1."""

from mutant import mutant

from numa_conformance.cpuset import CpuSet


def _one_too_few(answer, memory):
    return {**answer, "cpus": str(CpuSet(list(CpuSet.parse(answer["cpus"]))[1:]))} if answer.get("cpus") else answer


def _needs_a_reservation(answer, memory):
    if "reservedSystemCPUs" not in memory.asked["node.start"]["kubelet"]:
        return {"stage": "cpumanager", "construction_error": "nothing is reserved"}
    return answer


def _sends_to_one(answer, memory):
    assert answer["ok"] >= len(answer["updates"])
    return {**answer, "updates": answer["updates"][:1]}


picks_one_too_few = mutant(
    "picks_one_too_few",
    ["cpu-manager/static/integral-guaranteed-is-exclusive"],
    answers={"describe": lambda answer, memory: {**answer, "surfaces": ["pick"]}, "pick": _one_too_few},
)
wants_a_reservation_under_none = mutant(
    "wants_a_reservation_under_none",
    ["cpu-manager/none/needs-no-reservation"],
    answers={"node.start": _needs_a_reservation},
)
reconciles_one_container = mutant(
    "reconciles_one_container",
    ["cpu-manager/reconcile/running-containers-get-their-cpusets"],
    answers={"node.reconcile": _sends_to_one},
)
