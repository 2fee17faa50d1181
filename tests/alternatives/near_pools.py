"""Daemons that write cpusets at once, of which some keep shared containers to the CPUs of one NUMA node."""

from __future__ import annotations

from mutants.lies import Json, holdings_of
from mutants.mutant import Memory, Rewrite
from numa_conformance.cpuset import CpuSet

__all__ = ["near_and_at_once"]


def near_and_at_once(*, narrow: bool) -> dict[str, Rewrite]:
    """Return the lies of a target without a reconcile loop that tells what it sent in every answer.

    ``narrow``: shared containers run on the shared CPUs of the NUMA node that has most of them.
    """

    def shared(pool: str, memory: Memory) -> str:
        if not narrow:
            return pool
        by_node: dict[int, set[int]] = {}
        for cpu in memory.asked["node.start"]["machine"]["cpus"]:
            by_node.setdefault(cpu["numa"], set()).add(cpu["id"])
        return str(max((CpuSet.parse(pool) & CpuSet(cpus) for cpus in by_node.values()), key=len))

    def rewrite(answer: Json, memory: Memory) -> Json:
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

    def forget(answer: Json, memory: Memory) -> Json:
        gone = memory.asked["node.remove"]["uid"]
        memory.notes["sharing"] = {who for who in memory.notes.get("sharing", ()) if who[0] != gone}
        return rewrite(answer, memory) if answer["result"] == "removed" else answer

    def forget_refused(answer: Json, memory: Memory) -> Json:
        if answer["result"] != "restarted":
            return answer
        there = {pod["uid"] for pod in answer["pods"] if pod["result"] == "admitted"}
        memory.notes["sharing"] = {who for who in memory.notes.get("sharing", ()) if who[0] in there}
        return rewrite(answer, memory)

    def state(answer: Json, memory: Memory) -> Json:
        return {name: value for name, value in rewrite(answer, memory).items() if name != "updates"}

    def resize(answer: Json, memory: Memory) -> Json:
        return rewrite(answer, memory) if answer["result"] == "resized" else answer

    def claim(answer: Json, memory: Memory) -> Json:
        features = [name for name in answer["features"] if name not in ("cpu-manager/reconcile", "host/reconcile")]
        return {**answer, "features": features, "surfaces": [name for name in answer["surfaces"] if name != "host"]}

    def run(answer: Json, memory: Memory) -> Json:
        return rewrite(answer, memory) if answer["result"] == "started" else answer

    changed: dict[str, Rewrite] = {"node.admit": rewrite, "node.run": run, "node.resize": resize}
    return {**changed, "describe": claim, "node.remove": forget, "node.restart": forget_refused, "node.state": state}
