"""Wrong CPU managers: options, hints, restart, reconcile."""

from __future__ import annotations

from changes.rewrites import containers_of, in_kubelet, without_option
from numa_conformance.asking.generators.option_probes import PROBES
from numa_conformance.chapters import REQUIREMENTS
from numa_conformance.chapters.cpu import hints as cpu_hints
from numa_conformance.chapters.cpu import reconcile
from numa_conformance.chapters.cpu import state_file as cpu_state_file
from numa_conformance.chapters.cpu.options import (
    align_by_socket,
    distribute_cpus_across_numa,
    full_pcpus_only,
    prefer_align_cpus_by_uncorecache,
)
from numa_conformance.chapters.cpu.options.maturity import EXCLUDED, OF_EVERY_OPTION
from numa_conformance.chapters.devices import allocation
from numa_conformance.chapters.memory import state_file as memory_state_file
from numa_conformance.cpuset import CpuSet
from numa_conformance.reference.managers.cpu.hint_request import fewest_nodes
from numa_conformance.reference.managers.cpu.options.align_by_socket import SocketAlignment
from numa_conformance.sources.options import STATIC_OPTIONS

from .mutant import mutant

FULL, NUMA, SOCKET = "full-pcpus-only", "distribute-cpus-across-numa", "align-by-socket"
STRICT, UNCORE = "strict-cpu-reservation", "prefer-align-cpus-by-uncorecache"


@mutant(align_by_socket.has_no_effect_under_single_numa_node).question("node.start")
@in_kubelet
def aligns_by_socket_beside_single_numa_node(kubelet):
    by_socket = SOCKET in (kubelet.get("cpuManagerPolicyOptions") or {})
    if by_socket and kubelet.get("topologyManagerPolicy") == "single-numa-node":
        kubelet["topologyManagerPolicy"] = "restricted"


@mutant(align_by_socket.restricted_admits_on_one_socket).instead_of(SocketAlignment, "preference")
def aligns_three_numa_nodes_across_sockets(right, self, topology, smallest):
    """Takes no notice of sockets where a request needs three NUMA nodes."""
    return fewest_nodes(topology, smallest) if smallest > 2 else right(self, topology, smallest)


@mutant(*(hidden for _, hidden in OF_EVERY_OPTION.values())).question("node.start")
@in_kubelet
def opens_every_gate(kubelet):
    gates = {"CPUManagerPolicyAlphaOptions": True, "CPUManagerPolicyBetaOptions": True}
    kubelet["featureGates"] = {**(kubelet.get("featureGates") or {}), **gates}


@mutant(prefer_align_cpus_by_uncorecache.never_refuses).question("node.admit")
def refuses_what_no_cache_holds(question, memory):
    options = memory.asked["node.start"]["kubelet"].get("cpuManagerPolicyOptions") or {}
    for container in containers_of(question["pod"]) if UNCORE in options else ():
        for kind in container.get("resources", {}).values():
            if str(kind.get("cpu", "")).isdigit() and int(kind["cpu"]) > 4:
                kind["cpu"] = "100000"
    return question


@mutant(distribute_cpus_across_numa.keeps_one_node).answer("node.admit")
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


@mutant(cpu_hints.none_without_exclusive_cpus).answer("hints")
def hints_for_shared_containers(answer, memory):
    return answer if answer.get("hints") else {"hints": {"cpu": [{"nodes": [0], "preferred": True}]}}


@mutant(cpu_hints.every_hint_can_hold).question("hints")
def hints_of_an_empty_machine(question, memory):
    online = CpuSet(cpu["id"] for cpu in question["machine"]["cpus"])
    return {**question, "state": {"default": str(online), "assignments": {}, "reusable": {}}}


@mutant(cpu_hints.preferred_is_narrowest).answer("hints")
def prefers_every_hint(answer, memory):
    for hints in (answer.get("hints") or {}).values():
        for hint in hints or ():
            hint["preferred"] = True
    return answer


@mutant(
    cpu_state_file.cpus_survive_a_restart,
    allocation.devices_survive_a_restart,
    memory_state_file.memory_survives_a_restart,
).answer("node.restart")
def moves_containers_on_restart(answer, memory):
    for index, pod in enumerate(answer.get("pods") or ()):
        for holding in (pod.get("containers") or {}).values():
            count = len(CpuSet.parse(holding["cpus"]))
            holding |= {"cpus": str(CpuSet(range(index, index + count))), "devices": {}, "memory": []}
    return answer


@mutant(
    cpu_state_file.policy_change_is_refused,
    cpu_state_file.changed_cpus_are_refused,
    cpu_state_file.strict_change_is_refused,
    memory_state_file.memory_policy_change_is_refused,
    cpu_state_file.cpus_survive_a_restart,
    memory_state_file.memory_survives_a_restart,
).question("node.restart")
def begins_anew_on_restart(question, memory):
    gone = dict.fromkeys(("cpu_manager_state", "memory_manager_state"))
    return {**question, "files": gone}


@mutant(cpu_state_file.policy_change_works).question("node.restart")
def keeps_deleted_state(question, memory):
    return {**question, "files": {}}


@mutant(reconcile.runs_on_what_is_assigned).answer("node.reconcile")
def reconciles_one_container(answer, memory):
    return {**answer, "updates": answer["updates"][:1]}


@mutant(full_pcpus_only.tells_that_whole_cores_are_missing).answer("node.admit")
def hides_that_whole_cores_are_missing(answer, memory):
    if answer.get("reason") != "SMTAlignmentError" or "not enough free physical CPUs" not in answer["message"]:
        return answer
    return {**answer, "reason": "UnexpectedAdmissionError", "message": "not enough cpus available"}


_BROKEN_BESIDE = {FULL: (full_pcpus_only.refuses_a_partial_core,), STRICT: (cpu_state_file.strict_change_is_refused,)}


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


@mutant(full_pcpus_only.refuses_a_partial_core_beside_others).question("node.start")
@in_kubelet
def drops_one_of_two_options(kubelet):
    options = dict(kubelet.get("cpuManagerPolicyOptions") or {})
    if NUMA in options:
        options.pop(FULL, None)
    kubelet["cpuManagerPolicyOptions"] = options
