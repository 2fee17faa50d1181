"""Wrong allocators that answer ``pick`` or ``allocate`` alone."""

from __future__ import annotations

from changes.rewrites import each_container, fewer, without_affinity, without_option
from numa_conformance.cpuset import CpuSet
from numa_conformance.machine.codec import machine_from_dict

from .mutant import mutant

_STATIC = "cpu-manager/static/"
_NUMA = "cpu-manager/distribute-cpus-across-numa/"
_UNCORE = "cpu-manager/prefer-align-cpus-by-uncorecache/"


@mutant(_STATIC + "integral-guaranteed-is-exclusive", surface="pick").answer("pick")
def picks_one_too_few(answer, memory):
    return {**answer, "cpus": str(CpuSet(list(CpuSet.parse(answer["cpus"]))[1:]))} if answer.get("cpus") else answer


@mutant(_STATIC + "refuses-what-is-not-free", surface="pick").question("pick")
def picks_what_there_is(question, memory):
    return {**question, "count": min(question["count"], len(CpuSet.parse(question["available"])))}


@mutant(
    _STATIC + "packs-whole-cores",
    _STATIC + "packs-few-numa-nodes",
    "cpu-manager/full-pcpus-only/gives-whole-cores",
    surface="pick",
).answer("pick")
def picks_the_lowest_ids(answer, memory):
    available = list(CpuSet.parse(memory.asked["pick"]["available"]))
    return {**answer, "cpus": str(CpuSet(available[: memory.asked["pick"]["count"]]))} if "cpus" in answer else answer


@mutant(_STATIC + "packs-few-numa-nodes", _NUMA + "keeps-one-node-where-one-suffices", surface="pick").answer("pick")
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


@mutant("protocol/answers-every-question", surface="pick").question("pick")
def dies_of_odd_counts(question, memory):
    if question["count"] % 2:
        raise ArithmeticError("an odd number of CPUs")
    return question


@mutant("protocol/answers-are-well-formed", surface="pick").answer("pick")
def lists_cpus_in_words(answer, memory):
    return {**answer, "cpus": answer["cpus"].replace(",", " and ")} if "cpus" in answer else answer


@mutant(
    _NUMA + "spreads-evenly",
    "cpu-manager/distribute-cpus-across-cores/takes-separate-cores",
    _UNCORE + "stays-in-one-cache",
    surface="pick",
).question("pick")
def picks_without_options(question, memory):
    return {**question, "options": {}}


picks_without_affinity = mutant("topology-manager/best-effort/aligns-when-possible", surface="pick").question("pick")(
    without_affinity
)


def _given(change):
    """Change what an allocation gave; a refusal stays."""

    def rewrite(answer, memory):
        if answer.get("cpus"):
            change(answer)
        return answer

    return rewrite


@mutant(_STATIC + "integral-guaranteed-is-exclusive", surface="allocate").answer("allocate")
@_given
def allocates_one_too_few(choice):
    choice["cpus"] = fewer(choice["cpus"])


@mutant(_STATIC + "exclusive-cpus-leave-the-shared-pool", surface="allocate").answer("allocate")
@_given
def allocates_and_shares(choice):
    choice["default_cpuset"] = f"{choice['default_cpuset']},{choice['cpus']}".strip(",")


@mutant(_STATIC + "gives-free-cpus-only", _STATIC + "refuses-what-is-not-free", surface="allocate").question("allocate")
def allocates_what_others_have(question, memory):
    state = question["state"]
    others = [cpus for pod in state["assignments"].values() for cpus in pod.values()]
    state.update(default=",".join(filter(None, [state["default"], *others])), assignments={})
    return question


@mutant(_STATIC + "init-cpus-serve-later-containers", surface="allocate").question("allocate")
def allocates_nothing_twice(question, memory):
    question["state"]["reusable"] = {}
    return question


@mutant("cpu-manager/reservation/is-never-exclusive", surface="allocate").question("allocate")
def allocates_reserved_cpus(question, memory):
    memory.notes["named"] = question["kubelet"].get("reservedSystemCPUs")
    return {**question, "kubelet": {**question["kubelet"], "reservedSystemCPUs": "1"}}


@allocates_reserved_cpus.answer("allocate")
def allocates_reserved_cpus(answer, memory):
    named = memory.notes.get("named")
    return {**answer, "reserved_cpus": named} if named and "reserved_cpus" in answer else answer


@mutant(
    _STATIC + "fractional-guaranteed-is-shared",
    _STATIC + "burstable-is-shared",
    _STATIC + "best-effort-is-shared",
    surface="allocate",
).question("allocate")
@each_container
def allocates_for_every_class(container):
    if not str(container.get("resources", {}).get("limits", {}).get("cpu", "")).isdigit():
        container["resources"] = {"limits": {"cpu": "1", "memory": "64Mi"}}


allocates_without_affinity = mutant("topology-manager/best-effort/aligns-when-possible", surface="allocate").question(
    "allocate"
)(without_affinity)

allocates_partial_cores = mutant("cpu-manager/full-pcpus-only/refuses-a-partial-core", surface="allocate").question(
    "allocate"
)(without_option("full-pcpus-only"))
