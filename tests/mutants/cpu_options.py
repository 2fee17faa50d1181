"""Wrong CPU managers: options, hints, restart, reconcile."""

from __future__ import annotations

from numa_conformance.cpuset import CpuSet
from numa_conformance.documentation.options import STATIC_OPTIONS, PolicyOption
from numa_conformance.suite.chapters import REQUIREMENTS
from numa_conformance.suite.chapters.cpu.options.maturity import EXCLUDED, OF_EVERY_OPTION
from numa_conformance.suite.generators.option_probes import PROBES

from .lies import Json, containers_of, in_kubelet, without_option
from .mutant import Memory, Rewrite, mutant

__all__ = ["MUTANTS"]

FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
STRICT, UNCORE = "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"


def _drop_where(name: str, others: tuple[str, ...]) -> Rewrite:
    def change(kubelet: Json) -> None:
        options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
        if any(other in options for other in others):
            options.pop(name, None)
        kubelet["cpuManagerPolicyOptions"] = options

    return in_kubelet(change)


def _restricted_for_single(kubelet: Json) -> None:
    by_socket = SOCKET in (kubelet.get("cpuManagerPolicyOptions") or {})
    if by_socket and kubelet.get("topologyManagerPolicy") == "single-numa-node":
        kubelet["topologyManagerPolicy"] = "restricted"


def _all_gates(kubelet: Json) -> None:
    gates = {"CPUManagerPolicyAlphaOptions": True, "CPUManagerPolicyBetaOptions": True}
    kubelet["featureGates"] = {**(kubelet.get("featureGates") or {}), **gates}


def _take_large_for_too_large(question: Json, memory: Memory) -> Json:
    options = memory.asked["node.start"]["kubelet"].get("cpuManagerPolicyOptions") or {}
    for container in containers_of(question["pod"]) if UNCORE in options else ():
        for kind in container.get("resources", {}).values():
            if str(kind.get("cpu", "")).isdigit() and int(kind["cpu"]) > 8:
                kind["cpu"] = "100000"
    return question


def _divide(answer: Json, memory: Memory) -> Json:
    """Give half of the CPUs from the other end of the machine."""
    reserved = CpuSet.parse(memory.answered["node.start"].get("reserved_cpus") or "")
    for holding in (answer.get("containers") or {}).values():
        own, pool = CpuSet.parse(holding["cpus"]), CpuSet.parse(answer["default_cpuset"])
        kept = CpuSet(list(own)[: len(own) // 2])
        given = kept | CpuSet([cpu for cpu in reversed(list(pool)) if cpu not in reserved][: len(own) - len(kept)])
        if len(given) == len(own) > 1:
            holding["cpus"], answer["default_cpuset"] = str(given), str((pool | own) - given)
    return answer


def _hint_for_all(answer: Json, memory: Memory) -> Json:
    return answer if answer.get("hints") else {"hints": {"cpu": [{"nodes": [0], "preferred": True}]}}


def _hints_of_the_empty_machine(question: Json, memory: Memory) -> Json:
    online = CpuSet(cpu["id"] for cpu in question["machine"]["cpus"])
    return {**question, "state": {"default": str(online), "assignments": {}, "reusable": {}}}


def _prefer_all(answer: Json, memory: Memory) -> Json:
    for hints in (answer.get("hints") or {}).values():
        for hint in hints or ():
            hint["preferred"] = True
    return answer


def _move_on_restart(answer: Json, memory: Memory) -> Json:
    for index, pod in enumerate(answer.get("pods") or ()):
        for holding in (pod.get("containers") or {}).values():
            count = len(CpuSet.parse(holding["cpus"]))
            holding |= {"cpus": str(CpuSet(range(index, index + count))), "devices": {}, "memory": []}
    return answer


def _new_files(question: Json, memory: Memory) -> Json:
    gone = dict.fromkeys(("cpu_manager_state", "memory_manager_state"))
    return {**question, "files": gone}


def _ignore_files(question: Json, memory: Memory) -> Json:
    return {**question, "files": {}}


def _send_to_one(answer: Json, memory: Memory) -> Json:
    return {**answer, "updates": answer["updates"][:1]}


def _another_reason(answer: Json, memory: Memory) -> Json:
    if answer.get("reason") != "SMTAlignmentError" or "not enough free physical CPUs" not in answer["message"]:
        return answer
    return {**answer, "reason": "UnexpectedAdmissionError", "message": "not enough cpus available"}


_OPTION = "cpu-manager/"
_BROKEN_BESIDE = {
    FULL: ("cpu-manager/full-pcpus-only/refuses-a-partial-core",),
    STRICT: ("cpu-manager/state-file/strict-change-is-refused",),
}


def _ignores(option: PolicyOption) -> mutant:
    """Break what rests on the sentence that there is the option, where it must show; machines are read all the same."""
    available = OF_EVERY_OPTION[option.name][0]
    resting = [asked for asked in REQUIREMENTS.values() if f"nrm/options/{option.name}" in asked.statements]
    broken = [asked.id for asked in resting if "host/discover" not in asked.features]
    if PROBES[option.name].best_effort:
        broken.remove(available)

    def pick(question: Json, memory: Memory) -> Json:
        return {**question, "options": {name: on for name, on in question["options"].items() if name != option.name}}

    ignored = without_option(option.name)
    return mutant(
        f"ignores_{option.field}",
        [*broken, *_BROKEN_BESIDE.get(option.name, ())],
        questions={"pick": pick} | dict.fromkeys(("allocate", "node.start", "node.restart"), ignored),
    )


def _drop_excluded(kubelet: Json) -> None:
    options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
    for option, other in EXCLUDED.values():
        if other in options:
            options.pop(option, None)
    kubelet["cpuManagerPolicyOptions"] = options


MUTANTS: tuple[mutant, ...] = (
    *map(_ignores, STATIC_OPTIONS.values()),
    mutant(
        "combines_options_that_exclude_each_other",
        list(EXCLUDED),
        questions={"node.start": in_kubelet(_drop_excluded)},
    ),
    mutant(
        "hides_that_whole_cores_are_missing",
        [_OPTION + FULL + "/tells-that-whole-cores-are-missing"],
        answers={"node.admit": _another_reason},
    ),
    mutant(
        "divides_every_request",
        [_OPTION + NUMA + "/keeps-one-node-where-one-suffices"],
        answers={"node.admit": _divide},
    ),
    mutant(
        "aligns_by_socket_beside_single_numa_node",
        [_OPTION + SOCKET + "/refuses-single-numa-node"],
        questions={"node.start": in_kubelet(_restricted_for_single)},
    ),
    mutant(
        "refuses_what_no_cache_holds",
        [_OPTION + UNCORE + "/never-refuses"],
        questions={"node.admit": _take_large_for_too_large},
    ),
    mutant(
        "drops_one_of_two_options",
        [_OPTION + FULL + "/are-additive"],
        questions={"node.start": _drop_where(FULL, (NUMA,))},
    ),
    mutant(
        "opens_every_gate",
        [hidden for _, hidden in OF_EVERY_OPTION.values()],
        questions={"node.start": in_kubelet(_all_gates)},
    ),
    mutant(
        "hints_for_shared_containers",
        ["cpu-manager/hints/none-without-exclusive-cpus"],
        answers={"hints": _hint_for_all},
    ),
    mutant(
        "hints_of_an_empty_machine",
        ["cpu-manager/hints/every-hint-can-hold-the-request"],
        questions={"hints": _hints_of_the_empty_machine},
    ),
    mutant("prefers_every_hint", ["cpu-manager/hints/preferred-is-narrowest"], answers={"hints": _prefer_all}),
    mutant(
        "moves_containers_on_restart",
        [
            "cpu-manager/state-file/assignments-survive-a-restart",
            "device-manager/restart/keeps-devices",
            "memory-manager/state-file/assignments-survive-a-restart",
        ],
        answers={"node.restart": _move_on_restart},
    ),
    mutant(
        "begins_anew_on_restart",
        [
            "cpu-manager/state-file/policy-change-is-refused",
            "cpu-manager/state-file/changed-cpus-are-refused",
            "cpu-manager/state-file/strict-change-is-refused",
            "memory-manager/state-file/policy-change-is-refused",
            "cpu-manager/state-file/assignments-survive-a-restart",
            "memory-manager/state-file/assignments-survive-a-restart",
        ],
        questions={"node.restart": _new_files},
    ),
    mutant(
        "keeps_deleted_state",
        ["cpu-manager/state-file/policy-change-works-once-deleted"],
        questions={"node.restart": _ignore_files},
    ),
    mutant(
        "reconciles_one_container",
        ["cpu-manager/reconcile/running-containers-get-their-cpusets"],
        answers={"node.reconcile": _send_to_one},
    ),
)
