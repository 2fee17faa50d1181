"""DRA drivers of CPUs that are wrong in one way each."""

from __future__ import annotations

from numa_conformance.cpuset import CpuSet

from .mutant import mutant

_DRIVER = "dra-driver/"
_DOMAIN = "cpu.example.com"
_NUMA_NODE = "resource.kubernetes.io/numaNode"
_NOBODYS = 4000
"""A CPU that no machine has."""


@mutant(_DRIVER + "devices/are-published").answer("claims.start")
def driver_never_registers(answer, memory):
    return {"result": "failed", "message": "the driver has not registered"}


def _devices(answer):
    return (device for each in answer["slices"] for device in each["devices"])


@mutant(_DRIVER + "devices/are-published-again").answer("claims.restart")
def publishes_nothing_after_a_restart(answer, memory):
    return {"result": "started", "slices": []}


@mutant(_DRIVER + "devices/come-in-whole-pools").answer("claims.start")
def says_that_a_pool_has_another_slice(answer, memory):
    for each in answer["slices"]:
        each["pool"] = each["pool"] | {"resourceSliceCount": 2}
    return answer


@mutant(_DRIVER + "devices/have-names-of-their-own").answer("claims.start")
def names_devices_of_a_pool_alike(answer, memory):
    for device in _devices(answer):
        device["name"] = "cpus"
    return answer


@mutant(_DRIVER + "devices/name-numa-nodes-of-the-machine", _DRIVER + "attributes/numa-node").answer("claims.start")
def counts_numa_nodes_of_devices(answer, memory):
    for index, device in enumerate(_devices(answer)):
        device["attributes"][_NUMA_NODE] = {"int": index}
    return answer


def _next(attribute):
    def rewrite(answer, memory):
        for device in _devices(answer):
            if f"{_DOMAIN}/{attribute}" in device["attributes"]:
                device["attributes"][f"{_DOMAIN}/{attribute}"]["int"] += 1
        return answer

    return rewrite


@mutant(_DRIVER + "claims/can-have-what-is-published").answer("claims.start")
def publishes_a_cpu_too_many(answer, memory):
    for device in _devices(answer):
        capacity = device["capacity"][f"{_DOMAIN}/cpu"]
        capacity["value"] = str(int(capacity["value"]) + 1)
    return answer


def _given(answer, cpus):
    return answer | {"cpus": str(CpuSet(cpus))} if answer["result"] == "prepared" else answer


def _cpus(answer):
    return list(CpuSet.parse(answer.get("cpus", "")))


@mutant(_DRIVER + "claims/get-what-they-consume").answer("claims.prepare")
def gives_claims_one_cpu_too_few(answer, memory):
    return _given(answer, _cpus(answer)[1:])


def _one_that_is_not_there(answer, memory):
    return _given(answer, [*_cpus(answer)[1:], _NOBODYS])


@mutant(_DRIVER + "claims/have-cpus-of-their-own").answer("claims.prepare")
def gives_all_claims_the_same_cpus(answer, memory):
    return _given(answer, memory.notes.setdefault(f"first {len(_cpus(answer))}", _cpus(answer)))


@mutant(_DRIVER + "claims/have-cpus-of-their-own").answer("claims.prepare")
def gives_a_claim_that_comes_back_its_former_cpus(answer, memory):
    former, cpus = memory.notes.setdefault("former", {}), _cpus(answer)
    return _given(answer, former.setdefault((memory.last["claim"]["metadata"]["uid"], len(cpus)), cpus))


@mutant(_DRIVER + "unprepare/gives-back").answer("claims.prepare")
def never_prepares_what_it_has_refused(answer, memory):
    refused, uid = memory.notes.setdefault("refused", set()), memory.last["claim"]["metadata"]["uid"]
    refused |= {uid} if answer["result"] == "refused" else set()
    return {"result": "refused", "message": "as before"} if uid in refused else answer


@mutant(_DRIVER + "claims/prepare-is-idempotent").answer("claims.prepare")
def gives_other_cpus_when_asked_again(answer, memory):
    uid, known = memory.last["claim"]["metadata"]["uid"], memory.notes.setdefault("known", set())
    again = uid in known
    known.add(uid)
    return _one_that_is_not_there(answer, memory) if again else answer


@mutant(_DRIVER + "claims/prepare-is-idempotent").answer("claims.run", "claims.end", "claims.restart")
def gives_other_cpus_right_after_another_claim_ends(answer, memory):
    memory.notes["has_ended"] = False
    return answer


@gives_other_cpus_right_after_another_claim_ends.answer("claims.unprepare")
def gives_other_cpus_right_after_another_claim_ends(answer, memory):
    known, uid = memory.notes.setdefault("known", set()), memory.last["uid"]
    memory.notes["has_ended"] = uid in known
    known.discard(uid)
    return answer


@gives_other_cpus_right_after_another_claim_ends.answer("claims.prepare")
def gives_other_cpus_right_after_another_claim_ends(answer, memory):
    uid, known = memory.last["claim"]["metadata"]["uid"], memory.notes.setdefault("known", set())
    again = memory.notes.pop("has_ended", False) and uid in known
    known.add(uid)
    return _one_that_is_not_there(answer, memory) if again else answer


@mutant(_DRIVER + "devices/are-published-again").answer("claims.restart")
def counts_sockets_anew_after_a_restart(answer, memory):
    return _next("socketID")(answer, memory)


@mutant(_DRIVER + "shared/keeps-off-claims").answer("claims.prepare", "claims.run", "claims.end")
def leaves_the_last_of_shared_containers_no_cpu(answer, memory):
    shared = answer.get("shared") or {}
    return answer | {"shared": {**shared, max(shared): ""}} if len(shared) > 1 else answer


def _remember_what_was_before(answer, memory):
    memory.notes["of_before"] = set(memory.notes.get("known", ()))
    return answer


@mutant(_DRIVER + "restart/keeps-claims").answer("claims.restart")(_remember_what_was_before).answer("claims.prepare")
def gives_other_cpus_after_a_restart(answer, memory):
    uid = memory.last["claim"]["metadata"]["uid"]
    memory.notes.setdefault("known", set()).add(uid)
    return _one_that_is_not_there(answer, memory) if uid in memory.notes.get("of_before", ()) else answer


@mutant(_DRIVER + "unprepare/gives-back").question("claims.unprepare")
def keeps_what_was_prepared_two_processes_ago(question, memory):
    return _of_nobody(question, memory) if question["uid"] in memory.notes.get("older", ()) else question


@keeps_what_was_prepared_two_processes_ago.answer("claims.restart")
def keeps_what_was_prepared_two_processes_ago(answer, memory):
    memory.notes["older"] = set(memory.notes.get("of_before", ()))
    return _remember_what_was_before(answer, memory)


@keeps_what_was_prepared_two_processes_ago.answer("claims.prepare")
def keeps_what_was_prepared_two_processes_ago(answer, memory):
    memory.notes.setdefault("known", set()).add(memory.last["claim"]["metadata"]["uid"])
    return answer


def _as_before_the_restart(answer, memory):
    if not answer.get("shared"):
        return answer
    told = memory.notes["run"] = {**answer["shared"], **memory.notes.get("ran", {})}
    return answer | {"shared": {name: told[name] for name in answer["shared"]}}


@(
    mutant(_DRIVER + "shared/keeps-off-claims")
    .answer("claims.prepare", "claims.run")(_as_before_the_restart)
    .answer("claims.restart")
)
def keeps_containers_of_before_a_restart_where_they_were(answer, memory):
    memory.notes["ran"] = dict(memory.notes.get("run", {}))
    return answer


@mutant(_DRIVER + "claims/leave-reserved-cpus-alone").question("claims.start")
def gives_reserved_cpus_to_claims(question, memory):
    return question | {"reserved_cpus": ""}


@mutant(_DRIVER + "claims/leave-reserved-cpus-alone").question("claims.start")
def leaves_the_first_reserved_cpu_alone(question, memory):
    return question | {"reserved_cpus": (question.get("reserved_cpus") or "").partition(",")[0]}


@mutant(_DRIVER + "shared/keeps-off-claims").answer("claims.prepare")
def moves_shared_containers_once(answer, memory):
    """Move each container without a claim to other CPUs for the first claim, and for none that comes later."""
    moved = memory.notes.setdefault("moved", {})
    if answer["result"] != "prepared" or not answer["shared"]:
        return answer
    return answer | {"shared": {name: moved.setdefault(name, cpus) for name, cpus in answer["shared"].items()}}


def _runs_everywhere(answer, memory):
    return answer | {"shared": dict.fromkeys(answer["shared"], "0-63")} if "shared" in answer else answer


def _refuses(answer, memory):
    return {"result": "refused", "message": "the claim is unknown"}


@mutant(_DRIVER + "unprepare/of-nothing-is-no-error").answer("claims.unprepare")
def refuses_to_unprepare_what_is_not_prepared(answer, memory):
    return _refuses(answer, memory) if memory.last["uid"] == "never-prepared" else answer


@mutant(_DRIVER + "unprepare/undoes-what-was-prepared").answer("claims.unprepare")
def does_not_unprepare(answer, memory):
    return answer if memory.last["uid"] == "never-prepared" else _refuses(answer, memory)


def _of_nobody(question, memory):
    return question | {"uid": "nobody"}


@mutant(_DRIVER + "attributes/memory-nodes").answer("claims.prepare")
def keeps_memory_to_a_numa_node_of_no_device(answer, memory):
    return answer | {"mems": "900"} if answer["result"] == "prepared" else answer


names_another_socket = mutant(_DRIVER + "attributes/socket").answer("claims.start")(_next("socketID"))

names_another_cache = mutant(_DRIVER + "attributes/cache").answer("claims.start")(_next("cacheL3ID"))

names_another_cpu = mutant(_DRIVER + "attributes/cpu").answer("claims.start")(_next("cpuID"))

gives_claims_a_cpu_that_is_not_there = mutant(_DRIVER + "claims/get-online-cpus").answer("claims.prepare")(
    _one_that_is_not_there
)

keeps_shared_containers_where_they_were = mutant(_DRIVER + "shared/keeps-off-claims").answer("claims.prepare")(
    _runs_everywhere
)

runs_shared_containers_everywhere = mutant(_DRIVER + "shared/keeps-off-claims").answer("claims.run")(_runs_everywhere)

keeps_what_was_unprepared = mutant(_DRIVER + "unprepare/gives-back").question("claims.unprepare")(_of_nobody)
