"""What each question varies: named aspects of its fields, each with a few values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numa_conformance.asking.generators.allocation_states import ASKING
from numa_conformance.cpuset import CpuSet
from numa_conformance.judging.pods import PodSpec
from numa_conformance.machine import Machine
from numa_conformance.sources.options import CHOOSING

from .aspects import Aspects, few, of_configuration, of_pod, some

__all__ = ["OF"]

Params = Mapping[str, Any]
CLOSEST = "prefer-closest-numa-nodes"


def of_machine(machine: Machine) -> Aspects:
    """Return aspect to value of a machine."""
    sizes = {cpus.bit_count() for cpus in machine.numa_bits.values()}
    return {
        "NUMA nodes": few(len(machine.numa_ids)),
        "sockets": few(len(machine.socket_bits)),
        "sizes of NUMA nodes": "alike" if len(sizes) == 1 else "differ",
        "threads of cores": "+".join(sorted({few(core.bit_count()) for core in machine.core_bits})),
    }


def of_pick(machine: Machine, asked: Params) -> Aspects:
    free, count = len(CpuSet.parse(asked["available"])), asked["count"]
    return {
        **of_machine(machine),
        **{name: _option(asked["options"].get(name)) for name in CHOOSING},
        "available": "all" if free == len(machine.cpus) else "some",
        "count": "none" if not count else "too many" if count > free else "all" if count == free else "some",
        **_affinity(asked.get("affinity")),
    }


def of_container_question(machine: Machine, asked: Params) -> Aspects:
    """Return aspect to value of ``allocate`` and ``hints``."""
    spec, state = PodSpec.of(asked["pod"]), asked["state"]
    held = state["assignments"].get(ASKING, {})
    configuration = of_configuration(asked["kubelet"], {"cpus": ()})
    container = asked["container"] and spec.by_name[asked["container"]]
    aspects = {
        **of_machine(machine),
        **{name: value for name, value in of_pod(asked["pod"]).items() if name in TOLD_OF_PODS},
        **{name: value for name, value in configuration.items() if name not in UNTOLD},
        "container": container.kind if container else "the pod as a whole",
        "other pods": some(len(state["assignments"].keys() - {ASKING})),
        "held by the container": "some" if asked["container"] in held else "none",
        "reusable": "some" if state["reusable"] else "none",
    }
    return aspects | (_affinity(asked["affinity"]) if "affinity" in asked else {})


TOLD_OF_PODS = ("class", "app containers", "beside the apps")
UNTOLD = ("NUMA nodes", "sockets", "device resources of the machine")


def of_merge(_machine: Machine, asked: Params) -> Aspects:
    rows = [hints for provider in asked["providers"] for hints in (provider or {}).values()]
    return {
        "policy": asked["policy"],
        CLOSEST: asked["options"].get(CLOSEST, "absent"),
        "max-allowable-numa-nodes": "told" if "max-allowable-numa-nodes" in asked["options"] else "absent",
        "NUMA nodes": few(len(asked["nodes"])),
        "ids of NUMA nodes": "0 and up" if asked["nodes"] == list(range(len(asked["nodes"]))) else "others",
        "distances": "not told" if asked["distances"] is None else "told",
        "providers": few(len(asked["providers"])),
        "a provider without opinion": _yes(None in asked["providers"]),
        "a provider without resources": _yes({} in asked["providers"]),
        "a provider of two resources": _yes(any(len(provider or ()) > 1 for provider in asked["providers"])),
        "a resource without opinion": _yes(None in rows),
        "a resource without a way": _yes([] in rows),
        "a hint for any NUMA node": _yes(any(hint["nodes"] is None for row in rows for hint in row or ())),
        "hints": some(max((len(row or ()) for row in rows), default=0)),
    }


def of_score(_machine: Machine, asked: Params) -> Aspects:
    strategy, pods = asked["strategy"], asked["pods"]
    listed = strategy.get("resources", ())
    spec = PodSpec.of(asked["pod"])
    extended = sum(any("/" in name for name in PodSpec.of(pod).resources) for pod in pods)
    return {
        "strategy": strategy["type"],
        "resources": few(len(listed)),
        "weights": "all" if all("weight" in entry for entry in listed) else "some left out",
        "extended resources that count": some(sum("/" in entry["name"] for entry in listed)),
        "pods on the node": some(len(pods)),
        "pods on the node with extended resources": some(extended),
        "app containers": few(len(spec.apps)),
        "beside the apps": "+".join(sorted({each.kind for each in spec.containers} - {"app"})) or "nothing",
        "overhead": _yes(spec.overhead),
    }


def of_classify(_machine: Machine, asked: Params) -> Aspects:
    spec = PodSpec.of(asked["pod"])
    implied = sum(bool(each.implied & {"cpu", "memory"}) for each in spec.containers)
    aspects = of_pod(asked["pod"])
    del aspects["device resources of a container"]
    return {**aspects, **_with_devices(spec), "containers with limits alone": some(implied)}


def _with_devices(spec: PodSpec) -> Aspects:
    return {
        "containers with devices": some(sum(any("/" in name for name in each.requests) for each in spec.containers))
    }


def of_start(machine: Machine, asked: Params) -> Aspects:
    """Return aspect to value of ``node.start``: what the lives do not vary is what starts are for."""
    kubelet = asked["kubelet"]
    gates = kubelet.get("featureGates") or {}
    unknown = [field for field, known in POLICIES.items() if kubelet.get(field, known[0]) not in known]
    return {
        "NUMA nodes": few(len(machine.numa_ids)),
        "CPU policy": _known(kubelet, "cpuManagerPolicy"),
        "topology policy": _known(kubelet, "topologyManagerPolicy"),
        "scope": _known(kubelet, "topologyManagerScope"),
        "memory policy": _known(kubelet, "memoryManagerPolicy"),
        "gates": "+".join(sorted({str(on) for on in gates.values()})) or "absent",
        "options": some(len(kubelet.get("cpuManagerPolicyOptions") or ())),
        "reserved memory": some(len(kubelet.get("reservedMemory") or ())),
        "unknown": _yes(unknown),
        "files": "told" if asked.get("files") else "absent",
    }


POLICIES = {
    "cpuManagerPolicy": ("none", "static"),
    "topologyManagerPolicy": ("none", "best-effort", "restricted", "single-numa-node"),
    "topologyManagerScope": ("container", "pod"),
    "memoryManagerPolicy": ("None", "Static"),
}


def _known(kubelet: Params, field: str) -> str:
    written = kubelet.get(field, "absent")
    return written if written in (*POLICIES[field], "absent") else "unknown"


def of_uid(_machine: Machine, asked: Params) -> Aspects:
    return {"uid": "told" if asked["uid"] else "empty"}


def of_restart(_machine: Machine, asked: Params) -> Aspects:
    return {
        "kubelet": "another" if asked.get("kubelet") else "the same",
        "files": "replaced" if asked.get("files") else "as they are",
        "at once": _yes(asked.get("at_once")),
    }


def of_resize(_machine: Machine, asked: Params) -> Aspects:
    """Return aspect to value of ``node.resize``, beside the configuration of its node."""
    configuration = of_configuration(asked["kubelet"], {"cpus": ()})
    told = ("CPU policy", "memory policy", "topology policy", "scope")
    pod = of_pod(asked["pod"])
    del pod["device resources of a container"], pod["huge page sizes"]
    return {**{name: configuration[name] for name in told}, **pod, **_with_devices(PodSpec.of(asked["pod"]))}


def of_plugin_start(machine: Machine, _asked: Params) -> Aspects:
    return {"NUMA nodes": few(len(machine.numa_ids))}


def of_prefer(_machine: Machine, asked: Params) -> Aspects:
    return {
        "available": "as many as are wanted" if len(asked["available"]) == asked["size"] else "more",
        "included": some(len(asked["included"])),
        "size": few(asked["size"]),
    }


def of_served(_machine: Machine, asked: Params) -> Aspects:
    return {"devices": few(len(asked["devices"]))}


def of_driver_start(machine: Machine, asked: Params) -> Aspects:
    return {"NUMA nodes": few(len(machine.numa_ids)), "reserved CPUs": some(len(CpuSet.parse(asked["reserved_cpus"])))}


def of_claim(_machine: Machine, asked: Params) -> Aspects:
    results = asked["claim"]["status"]["allocation"]["devices"]["results"]
    consumed = [int(amount) for result in results for amount in result["consumedCapacity"].values()]
    return {"devices of the claim": few(len(results)), "CPUs of the claim": few(sum(consumed))}


OF: Mapping[str, Callable[[Machine, Params], Aspects]] = {
    "pick": of_pick,
    "allocate": of_container_question,
    "hints": of_container_question,
    "merge": of_merge,
    "score": of_score,
    "classify": of_classify,
    "node.start": of_start,
    "node.restart": of_restart,
    "node.resize": of_resize,
    "plugin.start": of_plugin_start,
    "plugin.prefer": of_prefer,
    "plugin.allocate": of_served,
    "claims.start": of_driver_start,
    "claims.prepare": of_claim,
}
"""Method to what it varies; pods that are admitted are told by ``test_what_is_varied``."""


def _affinity(hint: Mapping[str, Any] | None) -> Aspects:
    if hint is None:
        return {"affinity": "none", "affinity preferred": "none"}
    return {"affinity": few(len(hint["nodes"] or ())), "affinity preferred": _yes(hint["preferred"])}


def _option(value: object) -> str:
    return "absent" if value is None else "true" if value else "false"


def _yes(what: Iterable[Any] | object) -> str:
    return "yes" if what else "no"
