"""Wrong allocators that answer ``pick`` or ``allocate`` alone."""

from __future__ import annotations

from changes.rewrites import each_container, fewer, without_affinity, without_option
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine.codec import machine_from_dict
from numa_conformance.suite.chapters.cpu import admission as cpu_admission
from numa_conformance.suite.chapters.cpu import lifecycle, reservation, shared_pool
from numa_conformance.suite.chapters.cpu import static as cpu_static
from numa_conformance.suite.chapters.cpu.options import (
    distribute_cpus_across_cores,
    distribute_cpus_across_numa,
    full_pcpus_only,
    prefer_align_cpus_by_uncorecache,
)
from numa_conformance.suite.chapters.topology import none_and_best_effort

from .mutant import mutant


@mutant(lifecycle.gives_the_number, surface="pick").answer("pick")
def picks_one_too_few(answer, memory):
    return {**answer, "cpus": str(CpuSet(list(CpuSet.parse(answer["cpus"]))[1:]))} if answer.get("cpus") else answer


@mutant(cpu_admission.refuses_what_is_not_free).question("pick")
def picks_what_there_is(question, memory):
    return {**question, "count": min(question["count"], len(CpuSet.parse(question["available"])))}


@mutant(
    cpu_static.packs_few_cores,
    cpu_static.packs_few_numa_nodes,
    full_pcpus_only.gives_whole_cores,
    surface="pick",
).answer("pick")
def picks_the_lowest_ids(answer, memory):
    available = list(CpuSet.parse(memory.asked["pick"]["available"]))
    return {**answer, "cpus": str(CpuSet(available[: memory.asked["pick"]["count"]]))} if "cpus" in answer else answer


@mutant(cpu_static.packs_few_numa_nodes, distribute_cpus_across_numa.keeps_one_node, surface="pick").answer("pick")
def picks_from_every_numa_node(answer, memory):
    if not answer.get("cpus"):
        return answer
    asked = memory.asked["pick"]
    available = CpuSet.parse(asked["available"]).bits
    nodes = [
        list(CpuSet.from_bits(bits & available)) for bits in machine_from_dict(asked["machine"]).numa_bits.values()
    ]
    turns = [cpu for turn in range(max(map(len, nodes))) for node in nodes for cpu in node[turn : turn + 1]]
    return {**answer, "cpus": str(CpuSet(turns[: asked["count"]]))}


@mutant("protocol/answers-every-question").question("pick")
def dies_of_odd_counts(question, memory):
    if question["count"] % 2:
        raise ArithmeticError("an odd number of CPUs")
    return question


@mutant("protocol/answers-are-well-formed", surface="pick").answer("pick")
def lists_cpus_in_words(answer, memory):
    return {**answer, "cpus": answer["cpus"].replace(",", " and ")} if "cpus" in answer else answer


@(
    mutant(
        distribute_cpus_across_numa.spreads_evenly,
        distribute_cpus_across_cores.takes_separate_cores,
        prefer_align_cpus_by_uncorecache.stays_in_one_cache,
    ).question("pick")
)
def picks_without_options(question, memory):
    return {**question, "options": {}}


picks_without_affinity = mutant(none_and_best_effort.aligned_when_possible).question("pick")(without_affinity)


def _given(change):
    """Change what an allocation gave; a refusal stays."""

    def rewrite(answer, memory):
        if answer.get("cpus"):
            change(answer)
        return answer

    return rewrite


@mutant(lifecycle.gives_the_number, surface="allocate").answer("allocate")
@_given
def allocates_one_too_few(choice):
    choice["cpus"] = fewer(choice["cpus"])


@mutant(shared_pool.exclusive_cpus_leave_the_pool, surface="allocate").answer("allocate")
@_given
def allocates_and_shares(choice):
    choice["default_cpuset"] = f"{choice['default_cpuset']},{choice['cpus']}".strip(",")


@mutant(cpu_static.gives_free_cpus_only, cpu_admission.refuses_what_is_not_free, surface="allocate").question(
    "allocate"
)
def allocates_what_others_have(question, memory):
    state = question["state"]
    others = [cpus for pod in state["assignments"].values() for cpus in pod.values()]
    state.update(default=",".join(filter(None, [state["default"], *others])), assignments={})
    return question


@mutant(cpu_admission.init_cpus_serve_later_containers, surface="allocate").question("allocate")
def allocates_nothing_twice(question, memory):
    question["state"]["reusable"] = {}
    return question


@mutant(reservation.reserved_is_never_exclusive, surface="allocate").question("allocate")
def allocates_reserved_cpus(question, memory):
    memory.notes["named"] = question["kubelet"].get("reservedSystemCPUs")
    return {**question, "kubelet": {**question["kubelet"], "reservedSystemCPUs": "1"}}


@allocates_reserved_cpus.answer("allocate")
def allocates_reserved_cpus(answer, memory):
    named = memory.notes.get("named")
    return {**answer, "reserved_cpus": named} if named and "reserved_cpus" in answer else answer


@mutant(
    lifecycle.fractional_is_shared,
    lifecycle.burstable_is_shared,
    lifecycle.best_effort_is_shared,
    surface="allocate",
).question("allocate")
@each_container
def allocates_for_every_class(container):
    if not str(container.get("resources", {}).get("limits", {}).get("cpu", "")).isdigit():
        container["resources"] = {"limits": {"cpu": "1", "memory": "64Mi"}}


allocates_without_affinity = mutant(none_and_best_effort.aligned_when_possible, surface="allocate").question(
    "allocate"
)(without_affinity)

allocates_partial_cores = mutant(full_pcpus_only.refuses_a_partial_core, surface="allocate").question("allocate")(
    without_option("full-pcpus-only")
)
