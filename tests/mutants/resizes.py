"""Wrong nodes that resize what is not to be resized, or change what they do not grant."""

from __future__ import annotations

from typing import Any

from numa_conformance.cpuset import CpuSet

from .lies import Json
from .mutant import Memory, mutant

__all__ = ["MUTANTS"]

_RESIZE = "resize/"


def _grants(answer: Json, memory: Memory) -> Json:
    if answer["result"] != "pending":
        return answer
    held = memory.answered["node.state"]["containers"].get(_asked(memory)["metadata"]["uid"], {})
    return {"result": "resized", "default_cpuset": answer["default_cpuset"], "containers": held}


def _grants_to_two(answer: Json, memory: Memory) -> Json:
    uid = _asked(memory)["metadata"]["uid"]
    held = memory.answered["node.state"]["containers"].get(uid, {}) if answer["result"] == "pending" else {}
    return _grants(answer, memory) if sum(bool(holding["cpus"]) for holding in held.values()) > 1 else answer


def _asked(memory: Memory) -> Any:
    return memory.asked["node.resize"]["pod"]


def _defers(answer: Json, memory: Memory) -> Json:
    return {**answer, "reason": "Deferred"} if answer["result"] == "pending" else answer


def _shrinks_the_pool(answer: Json, memory: Memory) -> Json:
    pool = CpuSet.parse(answer["default_cpuset"])
    return {**answer, "default_cpuset": str(CpuSet(list(pool)[1:]))} if answer["result"] == "pending" else answer


def _gives_cpus(answer: Json, memory: Memory) -> Json:
    if answer["result"] != "resized" or memory.asked["node.start"]["kubelet"].get("cpuManagerPolicy") != "static":
        return answer
    first, *rest = CpuSet.parse(answer["default_cpuset"])
    held = {name: {**holding, "cpus": holding["cpus"] or str(first)} for name, holding in answer["containers"].items()}
    return {**answer, "default_cpuset": str(CpuSet(rest)), "containers": held}


def _remembers_who_waits(answer: Json, memory: Memory) -> Json:
    if answer["result"] == "pending":
        memory.notes.setdefault("waits", set()).add(_asked(memory)["metadata"]["uid"])
    return answer


def _without_devices(answer: Json, memory: Memory) -> Json:
    for uid in memory.notes.get("waits", set()) & answer["containers"].keys():
        for holding in answer["containers"][uid].values():
            holding["devices"] = {name: [] for name in holding.get("devices") or {}}
    return answer


MUTANTS: tuple[mutant, ...] = (
    mutant(
        "grants_every_resize",
        [
            _RESIZE + "exclusive-cpus-are-not-resized",
            _RESIZE + "static-memory-is-not-resized",
            _RESIZE + "more-than-the-node-has-is-not-granted",
        ],
        answers={"node.resize": _grants},
    ),
    mutant(
        "grants_resizes_of_two_exclusive_containers",
        [_RESIZE + "exclusive-cpus-are-not-resized", _RESIZE + "static-memory-is-not-resized"],
        answers={"node.resize": _grants_to_two},
    ),
    mutant("defers_for_ever", [_RESIZE + "what-can-never-be-is-infeasible"], answers={"node.resize": _defers}),
    mutant(
        "takes_a_cpu_for_a_resize_that_waits",
        [_RESIZE + "pending-changes-nothing"],
        answers={"node.resize": _shrinks_the_pool},
    ),
    mutant(
        "gives_exclusive_cpus_by_a_resize",
        [_RESIZE + "shared-containers-get-no-cpus-of-their-own"],
        answers={"node.resize": _gives_cpus},
    ),
    mutant(
        "takes_devices_from_pods_whose_resize_waits",
        ["protocol/state-agrees-with-answers"],
        answers={"node.resize": _remembers_who_waits, "node.state": _without_devices},
    ),
)
