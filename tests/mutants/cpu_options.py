"""Wrong CPU managers: options, hints, restart, reconcile."""

from __future__ import annotations

from changes.rewrites import containers_of, in_kubelet, without_option
from numa_conformance.cpuset import CpuSet
from numa_conformance.documentation.options import STATIC_OPTIONS
from numa_conformance.suite.chapters import REQUIREMENTS
from numa_conformance.suite.chapters.cpu.options.maturity import EXCLUDED, OF_EVERY_OPTION
from numa_conformance.suite.generators.option_probes import PROBES

from .mutant import mutant

_OPTION = "cpu-manager/"
FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
STRICT, UNCORE = "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"


@mutant(_OPTION + SOCKET + "/refuses-single-numa-node").question("node.start")
@in_kubelet
def aligns_by_socket_beside_single_numa_node(kubelet):
    by_socket = SOCKET in (kubelet.get("cpuManagerPolicyOptions") or {})
    if by_socket and kubelet.get("topologyManagerPolicy") == "single-numa-node":
        kubelet["topologyManagerPolicy"] = "restricted"


@mutant(*(hidden for _, hidden in OF_EVERY_OPTION.values())).question("node.start")
@in_kubelet
def opens_every_gate(kubelet):
    gates = {"CPUManagerPolicyAlphaOptions": True, "CPUManagerPolicyBetaOptions": True}
    kubelet["featureGates"] = {**(kubelet.get("featureGates") or {}), **gates}


@mutant(_OPTION + UNCORE + "/never-refuses").question("node.admit")
def refuses_what_no_cache_holds(question, memory):
    options = memory.asked["node.start"]["kubelet"].get("cpuManagerPolicyOptions") or {}
    for container in containers_of(question["pod"]) if UNCORE in options else ():
        for kind in container.get("resources", {}).values():
            if str(kind.get("cpu", "")).isdigit() and int(kind["cpu"]) > 8:
                kind["cpu"] = "100000"
    return question


@mutant(_OPTION + NUMA + "/keeps-one-node-where-one-suffices").answer("node.admit")
def divides_every_request(answer, memory):
    """Give half of the CPUs from the other end of the machine."""
    reserved = CpuSet.parse(memory.answered["node.start"].get("reserved_cpus") or "")
    for holding in (answer.get("containers") or {}).values():
        own, pool = CpuSet.parse(holding["cpus"]), CpuSet.parse(answer["default_cpuset"])
        kept = CpuSet(list(own)[: len(own) // 2])
        given = kept | CpuSet([cpu for cpu in reversed(list(pool)) if cpu not in reserved][: len(own) - len(kept)])
        if len(given) == len(own) > 1:
            holding["cpus"], answer["default_cpuset"] = str(given), str((pool | own) - given)
    return answer


@mutant("cpu-manager/hints/none-without-exclusive-cpus").answer("hints")
def hints_for_shared_containers(answer, memory):
    return answer if answer.get("hints") else {"hints": {"cpu": [{"nodes": [0], "preferred": True}]}}


@mutant("cpu-manager/hints/every-hint-can-hold-the-request").question("hints")
def hints_of_an_empty_machine(question, memory):
    online = CpuSet(cpu["id"] for cpu in question["machine"]["cpus"])
    return {**question, "state": {"default": str(online), "assignments": {}, "reusable": {}}}


@mutant("cpu-manager/hints/preferred-is-narrowest").answer("hints")
def prefers_every_hint(answer, memory):
    for hints in (answer.get("hints") or {}).values():
        for hint in hints or ():
            hint["preferred"] = True
    return answer


@mutant(
    "cpu-manager/state-file/assignments-survive-a-restart",
    "device-manager/restart/keeps-devices",
    "memory-manager/state-file/assignments-survive-a-restart",
).answer("node.restart")
def moves_containers_on_restart(answer, memory):
    for index, pod in enumerate(answer.get("pods") or ()):
        for holding in (pod.get("containers") or {}).values():
            count = len(CpuSet.parse(holding["cpus"]))
            holding |= {"cpus": str(CpuSet(range(index, index + count))), "devices": {}, "memory": []}
    return answer


@mutant(
    "cpu-manager/state-file/policy-change-is-refused",
    "cpu-manager/state-file/changed-cpus-are-refused",
    "cpu-manager/state-file/strict-change-is-refused",
    "memory-manager/state-file/policy-change-is-refused",
    "cpu-manager/state-file/assignments-survive-a-restart",
    "memory-manager/state-file/assignments-survive-a-restart",
).question("node.restart")
def begins_anew_on_restart(question, memory):
    gone = dict.fromkeys(("cpu_manager_state", "memory_manager_state"))
    return {**question, "files": gone}


@mutant("cpu-manager/state-file/policy-change-works-once-deleted").question("node.restart")
def keeps_deleted_state(question, memory):
    return {**question, "files": {}}


@mutant("cpu-manager/reconcile/running-containers-get-their-cpusets").answer("node.reconcile")
def reconciles_one_container(answer, memory):
    return {**answer, "updates": answer["updates"][:1]}


@mutant(_OPTION + FULL + "/tells-that-whole-cores-are-missing").answer("node.admit")
def hides_that_whole_cores_are_missing(answer, memory):
    if answer.get("reason") != "SMTAlignmentError" or "not enough free physical CPUs" not in answer["message"]:
        return answer
    return {**answer, "reason": "UnexpectedAdmissionError", "message": "not enough cpus available"}


_BROKEN_BESIDE = {
    FULL: ("cpu-manager/full-pcpus-only/refuses-a-partial-core",),
    STRICT: ("cpu-manager/state-file/strict-change-is-refused",),
}


def _ignores(option):
    """Break what rests on the sentence that there is the option, where it must show; machines are read all the same."""
    available = OF_EVERY_OPTION[option.name][0]
    resting = [asked for asked in REQUIREMENTS.values() if f"nrm/options/{option.name}" in asked.statements]
    broken = [asked.id for asked in resting if "host/discover" not in asked.features]
    if PROBES[option.name].best_effort:
        broken.remove(available)

    def pick(question, memory):
        return {**question, "options": {name: on for name, on in question["options"].items() if name != option.name}}

    ignores = mutant(*broken, *_BROKEN_BESIDE.get(option.name, ())).question("pick")(pick)
    return ignores.question("allocate", "node.start", "node.restart")(without_option(option.name))


globals().update({f"ignores_{option.field}": _ignores(option) for option in STATIC_OPTIONS.values()})


@mutant(*EXCLUDED).question("node.start")
@in_kubelet
def combines_options_that_exclude_each_other(kubelet):
    options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
    for option, other in EXCLUDED.values():
        if other in options:
            options.pop(option, None)
    kubelet["cpuManagerPolicyOptions"] = options


@mutant(_OPTION + FULL + "/are-additive").question("node.start")
@in_kubelet
def drops_one_of_two_options(kubelet):
    options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
    if NUMA in options:
        options.pop(FULL, None)
    kubelet["cpuManagerPolicyOptions"] = options
