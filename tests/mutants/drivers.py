"""DRA drivers of CPUs that are wrong in one way each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from numa_conformance.cpuset import CpuSet

from .lies import Json
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

_DRIVER = "dra-driver/"
_DOMAIN = "cpu.example.com"
_NUMA_NODE = "resource.kubernetes.io/numaNode"
_NOBODYS = 4000
"""A CPU that no machine has."""


def _silent(answer: Json, memory: Memory) -> Json:
    return {"result": "failed", "message": "the driver has not registered"}


def _devices(answer: Json) -> Iterator[Any]:
    return (device for each in answer["slices"] for device in each["devices"])


def _publishes_nothing(answer: Json, memory: Memory) -> Json:
    return {"result": "started", "slices": []}


def _names_alike(answer: Json, memory: Memory) -> Json:
    for device in _devices(answer):
        device["name"] = "cpus"
    return answer


def _counts_nodes(answer: Json, memory: Memory) -> Json:
    for index, device in enumerate(_devices(answer)):
        device["attributes"][_NUMA_NODE] = {"int": index}
    return answer


def _next(attribute: str) -> Rewrite:
    def rewrite(answer: Json, memory: Memory) -> Json:
        for device in _devices(answer):
            if f"{_DOMAIN}/{attribute}" in device["attributes"]:
                device["attributes"][f"{_DOMAIN}/{attribute}"]["int"] += 1
        return answer

    return rewrite


def _one_more(answer: Json, memory: Memory) -> Json:
    for device in _devices(answer):
        capacity = device["capacity"][f"{_DOMAIN}/cpu"]
        capacity["value"] = str(int(capacity["value"]) + 1)
    return answer


def _given(answer: Json, cpus: list[int]) -> Json:
    return answer | {"cpus": str(CpuSet(cpus))} if answer["result"] == "prepared" else answer


def _cpus(answer: Json) -> list[int]:
    return list(CpuSet.parse(answer.get("cpus", "")))


def _one_short(answer: Json, memory: Memory) -> Json:
    return _given(answer, _cpus(answer)[1:])


def _one_that_is_not_there(answer: Json, memory: Memory) -> Json:
    return _given(answer, [*_cpus(answer)[1:], _NOBODYS])


def _the_same_for_all(answer: Json, memory: Memory) -> Json:
    return _given(answer, memory.notes.setdefault(f"first {len(_cpus(answer))}", _cpus(answer)))


def _others_when_asked_again(answer: Json, memory: Memory) -> Json:
    uid, known = memory.last["claim"]["metadata"]["uid"], memory.notes.setdefault("known", set())
    again = uid in known
    known.add(uid)
    return _one_that_is_not_there(answer, memory) if again else answer


def _others_after_a_restart(answer: Json, memory: Memory) -> Json:
    uid = memory.last["claim"]["metadata"]["uid"]
    memory.notes.setdefault("known", set()).add(uid)
    return _one_that_is_not_there(answer, memory) if uid in memory.notes.get("of_before", ()) else answer


def _remember_what_was_before(answer: Json, memory: Memory) -> Json:
    memory.notes["of_before"] = set(memory.notes.get("known", ()))
    return answer


def _a_process_older(answer: Json, memory: Memory) -> Json:
    memory.notes["older"] = set(memory.notes.get("of_before", ()))
    return _remember_what_was_before(answer, memory)


def _keeps_the_oldest(question: Json, memory: Memory) -> Json:
    return _of_nobody(question, memory) if question["uid"] in memory.notes.get("older", ()) else question


def _keeps_track(answer: Json, memory: Memory) -> Json:
    memory.notes.setdefault("known", set()).add(memory.last["claim"]["metadata"]["uid"])
    return answer


def _remember_where_they_run(answer: Json, memory: Memory) -> Json:
    memory.notes["ran"] = dict(memory.notes.get("run", {}))
    return answer


def _as_before_the_restart(answer: Json, memory: Memory) -> Json:
    if not answer.get("shared"):
        return answer
    told = memory.notes["run"] = {**answer["shared"], **memory.notes.get("ran", {})}
    return answer | {"shared": {name: told[name] for name in answer["shared"]}}


def _leaves_none_alone(question: Json, memory: Memory) -> Json:
    return question | {"reserved_cpus": ""}


def _leaves_one_alone(question: Json, memory: Memory) -> Json:
    return question | {"reserved_cpus": (question.get("reserved_cpus") or "").partition(",")[0]}


def _moved_once(answer: Json, memory: Memory) -> Json:
    """Move each container without a claim to other CPUs for the first claim, and for none that comes later."""
    moved = memory.notes.setdefault("moved", {})
    if answer["result"] != "prepared" or not answer["shared"]:
        return answer
    return answer | {"shared": {name: moved.setdefault(name, cpus) for name, cpus in answer["shared"].items()}}


def _runs_everywhere(answer: Json, memory: Memory) -> Json:
    return answer | {"shared": dict.fromkeys(answer["shared"], "0-63")} if "shared" in answer else answer


def _refuses(answer: Json, memory: Memory) -> Json:
    return {"result": "refused", "message": "the claim is unknown"}


def _refuses_unknown(answer: Json, memory: Memory) -> Json:
    return _refuses(answer, memory) if memory.last["uid"] == "never-prepared" else answer


def _refuses_known(answer: Json, memory: Memory) -> Json:
    return answer if memory.last["uid"] == "never-prepared" else _refuses(answer, memory)


def _of_nobody(question: Json, memory: Memory) -> Json:
    return question | {"uid": "nobody"}


MUTANTS: tuple[mutant, ...] = (
    mutant("driver_never_registers", [_DRIVER + "devices/are-published"], answers={"claims.start": _silent}),
    mutant(
        "publishes_nothing_after_a_restart",
        [_DRIVER + "devices/are-published-again"],
        answers={"claims.restart": _publishes_nothing},
    ),
    mutant(
        "names_devices_of_a_pool_alike",
        [_DRIVER + "devices/have-names-of-their-own"],
        answers={"claims.start": _names_alike},
    ),
    mutant(
        "counts_numa_nodes_of_devices",
        [_DRIVER + "devices/name-numa-nodes-of-the-machine", _DRIVER + "attributes/numa-node"],
        answers={"claims.start": _counts_nodes},
    ),
    mutant("names_another_socket", [_DRIVER + "attributes/socket"], answers={"claims.start": _next("socketID")}),
    mutant("names_another_cache", [_DRIVER + "attributes/cache"], answers={"claims.start": _next("cacheL3ID")}),
    mutant("names_another_cpu", [_DRIVER + "attributes/cpu"], answers={"claims.start": _next("cpuID")}),
    mutant(
        "gives_claims_one_cpu_too_few",
        [_DRIVER + "claims/get-what-they-consume"],
        answers={"claims.prepare": _one_short},
    ),
    mutant(
        "gives_claims_a_cpu_that_is_not_there",
        [_DRIVER + "claims/get-online-cpus"],
        answers={"claims.prepare": _one_that_is_not_there},
    ),
    mutant(
        "publishes_a_cpu_too_many",
        [_DRIVER + "claims/can-have-what-is-published"],
        answers={"claims.start": _one_more},
    ),
    mutant(
        "gives_all_claims_the_same_cpus",
        [_DRIVER + "claims/have-cpus-of-their-own"],
        answers={"claims.prepare": _the_same_for_all},
    ),
    mutant(
        "gives_other_cpus_when_asked_again",
        [_DRIVER + "claims/prepare-is-idempotent"],
        answers={"claims.prepare": _others_when_asked_again},
    ),
    mutant(
        "gives_other_cpus_after_a_restart",
        [_DRIVER + "restart/keeps-claims"],
        answers={"claims.restart": _remember_what_was_before, "claims.prepare": _others_after_a_restart},
    ),
    mutant(
        "gives_reserved_cpus_to_claims",
        [_DRIVER + "claims/leave-reserved-cpus-alone"],
        questions={"claims.start": _leaves_none_alone},
    ),
    mutant(
        "leaves_the_first_reserved_cpu_alone",
        [_DRIVER + "claims/leave-reserved-cpus-alone"],
        questions={"claims.start": _leaves_one_alone},
    ),
    mutant(
        "moves_shared_containers_once",
        [_DRIVER + "shared/keeps-off-claims"],
        answers={"claims.prepare": _moved_once},
    ),
    mutant(
        "keeps_shared_containers_where_they_were",
        [_DRIVER + "shared/keeps-off-claims"],
        answers={"claims.prepare": _runs_everywhere},
    ),
    mutant(
        "runs_shared_containers_everywhere",
        [_DRIVER + "shared/keeps-off-claims"],
        answers={"claims.run": _runs_everywhere},
    ),
    mutant(
        "does_not_unprepare",
        [_DRIVER + "unprepare/undoes-what-was-prepared"],
        answers={"claims.unprepare": _refuses_known},
    ),
    mutant(
        "refuses_to_unprepare_what_is_not_prepared",
        [_DRIVER + "unprepare/of-nothing-is-no-error"],
        answers={"claims.unprepare": _refuses_unknown},
    ),
    mutant(
        "keeps_what_was_prepared_two_processes_ago",
        [_DRIVER + "unprepare/gives-back"],
        questions={"claims.unprepare": _keeps_the_oldest},
        answers={"claims.prepare": _keeps_track, "claims.restart": _a_process_older},
    ),
    mutant(
        "keeps_containers_of_before_a_restart_where_they_were",
        [_DRIVER + "shared/keeps-off-claims"],
        answers={
            "claims.restart": _remember_where_they_run,
            "claims.prepare": _as_before_the_restart,
            "claims.run": _as_before_the_restart,
        },
    ),
    mutant("keeps_what_was_unprepared", [_DRIVER + "unprepare/gives-back"], questions={"claims.unprepare": _of_nobody}),
)
