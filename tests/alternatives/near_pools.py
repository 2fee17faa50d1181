"""Daemons that write cpusets at once, of which some keep shared containers to the CPUs of one NUMA node."""

from __future__ import annotations

from pathlib import Path

from changes.rewrites import holdings_of
from numa_conformance.cpuset import CpuSet

from .alternative import alternative


def _on_one_node(pool, memory):
    """Return the CPUs of the pool on the NUMA node that has most of them."""
    by_node: dict[int, set[int]] = {}
    for cpu in memory.asked["node.start"]["machine"]["cpus"]:
        by_node.setdefault(cpu["numa"], set()).add(cpu["id"])
    return str(max((CpuSet.parse(pool) & CpuSet(cpus) for cpus in by_node.values()), key=len))


def _at_once(*, narrow):
    """Return a target without a reconcile loop that tells what it sent in every answer.

    ``narrow``: shared containers run on the shared CPUs of the NUMA node that has most of them.
    """

    def shared(pool, memory):
        return _on_one_node(pool, memory) if narrow else pool

    def rewrite(answer, memory):
        pool, running = answer["default_cpuset"], memory.notes.setdefault("sharing", set())
        static = memory.asked["node.start"]["kubelet"].get("cpuManagerPolicy") == "static"
        here = set()
        for uid, name, holding in holdings_of(answer, memory):
            if holding.get("cpuset") is not None and static and not holding["cpus"]:
                holding["cpuset"] = shared(pool, memory)
                here.add((uid, name))
        told = [{"uid": uid, "container": name, "cpus": shared(pool, memory)} for uid, name in sorted(running - here)]
        running |= here
        return {**answer, "updates": told}

    def forget(answer, memory):
        gone = memory.asked["node.remove"]["uid"]
        memory.notes["sharing"] = {who for who in memory.notes.get("sharing", ()) if who[0] != gone}
        return rewrite(answer, memory) if answer["result"] == "removed" else answer

    def forget_refused(answer, memory):
        if answer["result"] != "restarted":
            return answer
        there = {pod["uid"] for pod in answer["pods"] if pod["result"] == "admitted"}
        memory.notes["sharing"] = {who for who in memory.notes.get("sharing", ()) if who[0] in there}
        return rewrite(answer, memory)

    def state(answer, memory):
        return {name: value for name, value in rewrite(answer, memory).items() if name != "updates"}

    def resize(answer, memory):
        return rewrite(answer, memory) if answer["result"] == "resized" else answer

    def claim(answer, memory):
        features = [name for name in answer["features"] if name not in ("cpu-manager/reconcile", "host/reconcile")]
        return {**answer, "features": features, "surfaces": [name for name in answer["surfaces"] if name != "host"]}

    def run(answer, memory):
        return rewrite(answer, memory) if answer["result"] == "started" else answer

    told = {"node.admit": rewrite, "node.run": run, "node.resize": resize, "describe": claim, "node.state": state}
    changed = alternative()
    for method, other in {**told, "node.remove": forget, "node.restart": forget_refused}.items():
        changed.answer(method)(other)
    return changed


tells_cpusets_as_it_writes_them = _at_once(narrow=False)
keeps_shared_containers_on_one_numa_node = _at_once(narrow=True)


@alternative().answer("describe")
def writes_a_numa_node_of_the_pool_into_cgroups(answer, memory):
    """Keeps shared containers to one NUMA node in passes of the loop; does not tell on which CPUs they may run."""
    return {**answer, "features": [name for name in answer["features"] if name != "node/cpuset"]}


@writes_a_numa_node_of_the_pool_into_cgroups.answer(
    "node.start", "node.admit", "node.run", "node.remove", "node.resize", "node.state", "node.restart"
)
def writes_a_numa_node_of_the_pool_into_cgroups(answer, memory):
    for *_, holding in holdings_of(answer, memory) if "pods" in answer or "containers" in answer else ():
        holding.pop("cpuset", None)
    memory.notes["pool"] = answer.get("default_cpuset", memory.notes.get("pool"))
    return answer


@writes_a_numa_node_of_the_pool_into_cgroups.answer("node.reconcile")
def writes_a_numa_node_of_the_pool_into_cgroups(answer, memory):
    pool = memory.notes["pool"]
    for update in answer["updates"]:
        if update["cpus"] == pool:
            update["cpus"] = _on_one_node(pool, memory)
    return answer


@writes_a_numa_node_of_the_pool_into_cgroups.answer("host.reconcile")
def writes_a_numa_node_of_the_pool_into_cgroups(answer, memory):
    pool = memory.notes["pool"]
    for file in Path(memory.asked["host.reconcile"]["root"]).rglob("cpuset.cpus"):
        if file.read_text().strip() == pool:
            file.write_text(_on_one_node(pool, memory))
    return answer
