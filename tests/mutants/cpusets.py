"""Right books, and containers that may run elsewhere: what no answer showed before ``cpuset`` was told."""

from __future__ import annotations

from changes.rewrites import holdings_of
from numa_conformance.chapters.cpu import cpusets, reconcile, reservation
from numa_conformance.chapters.memory import static as memory_static
from numa_conformance.cpuset import CpuSet

from .mutant import mutant

_TELLING = ("node.admit", "node.run", "node.state", "node.restart", "node.reconcile")


def _each(lie):
    """Tell a lie of every container that runs; a cpuset that would belie it is not sent."""

    def rewrite(answer, memory):
        for uid, name, holding in holdings_of(answer, memory):
            if holding.get("cpuset") is not None:
                memory.notes.setdefault("holds", {})[uid, name] = holding["cpus"]
                lie(holding, f"{uid}/{name}", memory)
        if answer.get("updates"):
            answer["updates"] = [update for update in answer["updates"] if not belies(update, memory)]
        return answer

    def belies(update, memory):
        uid, name = update["uid"], update["container"]
        told = {"cpus": memory.notes.get("holds", {}).get((uid, name), ""), "cpuset": update["cpus"]}
        lie(told, f"{uid}/{name}", memory)
        return bool(told["cpuset"] != update["cpus"])

    return rewrite


def _online(memory):
    return CpuSet(cpu["id"] for cpu in memory.asked["node.start"]["machine"]["cpus"])


@mutant(cpusets.keeps_off_exclusive_cpus).answer(*_TELLING)
@_each
def lets_shared_containers_run_anywhere(holding, who, memory):
    if not holding["cpus"]:
        holding["cpuset"] = str(_online(memory))


@mutant(cpusets.keeps_off_exclusive_cpus, reconcile.runs_on_what_is_assigned).answer(*_TELLING)
@_each
def keeps_containers_where_they_started(holding, who, memory):
    holding["cpuset"] = memory.notes.setdefault("first", {}).setdefault(who, holding["cpuset"])


@mutant(cpusets.regains_cpus_on_removal).answer(*_TELLING)
@_each
def never_widens_a_cpuset(holding, who, memory):
    known, now = memory.notes.setdefault("last", {}), CpuSet.parse(holding["cpuset"])
    known[who] = now & known.get(who, now) or now
    holding["cpuset"] = str(known[who])


@mutant(cpusets.is_never_empty).answer(*_TELLING)
@_each
def leaves_containers_without_a_cpu(holding, who, memory):
    if not holding["cpus"]:
        holding["cpuset"] = ""


@mutant(cpusets.is_online).answer(*_TELLING)
@_each
def sends_a_cpu_that_is_not_there(holding, who, memory):
    holding["cpuset"] = str(CpuSet.parse(holding["cpuset"]) | CpuSet([max(_online(memory)) + 1]))


@mutant(cpusets.holds_the_exclusive_cpus).answer(*_TELLING)
@_each
def adds_a_shared_cpu_to_exclusive_ones(holding, who, memory):
    if holding["cpus"]:
        holding["cpuset"] = str(CpuSet.parse(holding["cpus"]) | CpuSet([min(_online(memory))]))


@mutant(cpusets.none_keeps_nobody_to_some).answer(*_TELLING)
@_each
def keeps_containers_to_a_cpu_under_none(holding, who, memory):
    if memory.asked["node.start"]["kubelet"].get("cpuManagerPolicy") != "static":
        holding["cpuset"] = str(CpuSet([min(CpuSet.parse(holding["cpuset"]))]))


@mutant(cpusets.none_keeps_nobody_to_some).answer(*_TELLING)
@_each
def keeps_containers_off_a_list_under_none(holding, who, memory):
    kubelet = memory.asked["node.start"]["kubelet"]
    if kubelet.get("cpuManagerPolicy") != "static":
        listed = CpuSet.parse(kubelet.get("reservedSystemCPUs", ""))
        holding["cpuset"] = str(CpuSet.parse(holding["cpuset"]) - listed)


@mutant(reservation.strict_keeps_pods_off).answer(*_TELLING)
@_each
def lets_shared_containers_onto_reserved_cpus(holding, who, memory):
    reserved = memory.answered["node.start"].get("reserved_cpus")
    if not holding["cpus"] and reserved:
        holding["cpuset"] = str(CpuSet.parse(holding["cpuset"]) | CpuSet.parse(reserved))


@mutant(memory_static.guarantees_memory).answer(*_TELLING)
@_each
def takes_memory_from_every_node(holding, who, memory):
    if holding.get("memory"):
        holding["mems"] = str(CpuSet(node["node"] for node in memory.asked["node.start"]["machine"]["memory"]))
