"""The reference, asked by Kubernetes' own unit tests: ``python answering.py VERSION``, JSON-RPC over stdio.

Methods of the protocol are answered as every target answers them. Some questions of unit tests are none of the
protocol's, as no node comes to be asked them, and are answered here:

- ``cpu.hints``: ``hints`` of a static policy that keeps no CPU back;
- ``device.hints``: the Device Manager in a state that the question brings, or its hints of some devices;
- ``memory.hints`` and ``memory.allocate``: the Memory Manager's policy Static in a state that the question brings;
- ``preempt``: which pods end for a critical one, ``predicates``: which predicates a pod fails;
- ``fit``: ``score`` with ignored resources and with the gates that a plugin was made with.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import msgspec

from numa_conformance.cpuset import CpuSet
from numa_conformance.errors import Fault, Refusal, UsageError
from numa_conformance.kube import (
    FeatureGates,
    KubeletConfiguration,
    NodeObject,
    NodeResourcesFitArgs,
    Pod,
    Quantity,
    ScoringStrategy,
)
from numa_conformance.kube.requests import PLAIN
from numa_conformance.machine import Device, Machine, MemoryNode
from numa_conformance.reference.managers.cpu import CpuAllocator, CpuState
from numa_conformance.reference.managers.cpu.static_policy import StaticPolicy
from numa_conformance.reference.managers.device import DeviceManager
from numa_conformance.reference.managers.device.choose import DevicePools, device_hints
from numa_conformance.reference.managers.device.device_state import NO_DEVICES
from numa_conformance.reference.managers.memory import StaticMemoryManager
from numa_conformance.reference.managers.memory.memory_state import MemoryBlocks, NodeMemory, PinnedBlock, Table
from numa_conformance.reference.node import NodeFacts
from numa_conformance.reference.node.fit import ResourceFit
from numa_conformance.reference.node.handlers import _CHECKS, Applicant
from numa_conformance.reference.node.preemption import pods_to_end
from numa_conformance.reference.scheduler import score_node
from numa_conformance.reference.target.answers import hints_answer
from numa_conformance.reference.target.merge_question import hint_of
from numa_conformance.reference.target.pick import cpu_topology
from numa_conformance.reference.target.reference_target import ReferenceTarget
from numa_conformance.sources.gates import GATES
from numa_conformance.sources.options import StaticOptions
from numa_conformance.sources.quirks import Quirks
from numa_conformance.sources.versions import KubernetesVersion
from numa_conformance.wire.messages import METHODS
from numa_conformance.wire.values import HintValue

Json = dict[str, Any]
_NOTHING = Machine("nothing", (), ())
_WHY = {
    "node affinity": "node(s) didn't match Pod's node affinity/selector",
    "host ports": "node(s) didn't have free ports for the requested pod ports",
    "taints": "node(s) had taints that the pod didn't tolerate",
}
"""What predicates knew until 1.30 and did not say."""


class Answering:
    """The reference at level ``exact`` in one version."""

    def __init__(self, version: str) -> None:
        """Take the version whose kubelet is reproduced."""
        self._version = KubernetesVersion.supported(version)
        self._quirks = Quirks.of(self._version)
        self._target = ReferenceTarget("exact", self._version)
        self._entries = {
            "cpu.hints": self._cpu_hints,
            "device.hints": self._device_hints,
            "memory.hints": self._memory_hints,
            "memory.allocate": self._memory_allocate,
            "fit": self._fit,
            "preempt": self._preempt,
            "predicates": self._predicates,
        }

    def answer(self, method: str, params: Json) -> object:
        """Answer one question; raises what the reference raises where it cannot be put."""
        if method in self._entries:
            return self._entries[method](params)
        known = METHODS[method]
        return getattr(self._target, known.attribute)(msgspec.convert(params, known.request))

    def _gates(self, told: dict[str, bool]) -> FeatureGates:
        """Return the gates of the version as a test has switched them: it may switch those that are locked too."""
        usual = FeatureGates.build(self._version)
        return FeatureGates(self._version, {name: usual.enabled(name) for name in GATES} | told, usual.changes)

    def _fit(self, asked: Json) -> Json:
        gates, score = self._gates(asked["gates"]), asked["score"]
        arguments = NodeResourcesFitArgs(
            strategy=ScoringStrategy.from_dict(score["strategy"], version=self._version),
            ignored_resources=tuple(asked["ignored"] or ()),
            ignored_resource_groups=tuple(asked["ignored_groups"] or ()),
        )
        pods = [self._pod(one, gates) for one in [*score["pods"], score["pod"]]]
        allocatable = {name: Quantity.parse(amount) for name, amount in score["allocatable"].items()}
        result = score_node(arguments, allocatable, pods[:-1], pods[-1], quirks=self._quirks.scheduler)
        return {"result": "scored", "score": result.score, "insufficient": list(result.insufficient)}

    def _preempt(self, asked: Json) -> Json:
        gates = self._gates(asked["gates"])
        pod, *others = (self._pod(each, gates) for each in _placed(asked))
        fit = ResourceFit(_NOTHING, KubeletConfiguration(), gates.changes, self._quirks.scheduler)
        try:
            ended = pods_to_end(pod, others, asked["missing"], fit.freed)
        except Refusal as refusal:
            return {"refused": refusal.message.partition("a set of pods to preempt: ")[2]}
        return {"places": [int(each.uid) - 1 for each in ended]}

    def _predicates(self, asked: Json) -> list[Json]:
        gates, config = self._gates({}), KubeletConfiguration()
        pod, *others = (self._pod(each, gates) for each in _placed(asked))
        node = NodeObject.from_dict({**asked["node"], "metadata": {"name": "node", **asked["node"]["metadata"]}})
        fit = ResourceFit(_NOTHING, config, gates.changes, self._quirks.scheduler)
        offered = {name: amount.milli if name == "cpu" else amount.value for name, amount in node.allocatable.items()}
        vars(fit)["_allocatable"] = {**dict.fromkeys(PLAIN, 0), **offered}
        found: list[Json] = [
            {"resource": each.name, "requested": each.requested, "used": each.used, "capacity": each.capacity}
            for each in fit.shortages(pod, others)
        ]
        facts = replace(NodeFacts.of(node, config), labels=node.labels)
        applicant = Applicant(pod, config, self._gates({}), facts, others)
        for name in ("node affinity", "host ports", "taints"):
            refusal = _CHECKS[name](applicant)
            if isinstance(refusal, Refusal):
                found.append({"name": refusal.reason, "why": refusal.message.partition("failed: ")[2] or _WHY[name]})
        return found

    def _cpu_hints(self, asked: Json) -> Json:
        kubelet, state = asked["kubelet"], asked["state"]
        gates = self._gates(kubelet["featureGates"])
        topology = cpu_topology(asked["machine"], self._quirks.cpu)
        options = StaticOptions.from_names(kubelet["cpuManagerPolicyOptions"])
        allocator = CpuAllocator.of(self._quirks.cpu, gates.changes)(topology, options)
        policy = StaticPolicy.of(self._quirks.cpu, gates.changes)(allocator, options, 0)
        assigned = {uid: {name: _cpus(cpus) for name, cpus in own.items()} for uid, own in state["assignments"].items()}
        policy.state = CpuState(_cpus(state["default"]), assigned)
        policy.reusable = {uid: _cpus(cpus) for uid, cpus in state["reusable"].items()}
        pod = self._pod(asked["pod"], gates)
        if asked.get("container") is None:
            return {"hints": hints_answer(policy.pod_hints(pod))}
        return {"hints": hints_answer(policy.hints(pod, pod.container(asked["container"])))}

    def _device_hints(self, asked: Json) -> Json:
        devices = tuple(
            Device(
                one["resource"], one["id"], tuple(one["numa"]), one["id"] in asked["healthy"].get(one["resource"], ())
            )
            for one in asked["devices"]
        )
        gates = self._gates(asked["gates"])
        machine = Machine("devices", (), tuple(MemoryNode(node, None) for node in asked["nodes"]), devices=devices)
        manager = DeviceManager(machine, quirks=self._quirks.device, changes=gates.changes)
        for resource in asked["healthy"]:
            manager.inventory.resources.setdefault(resource, NO_DEVICES)
        if "resource" in asked:
            there = manager.inventory.resources[asked["resource"]]
            pools = DevicePools(frozenset(asked["available"]), _sets(asked["reusable"][""])[asked["resource"]])
            hints = device_hints(there, pools, asked["count"], manager._hinted(there), self._quirks.device)
            return {"hints": hints_answer({asked["resource"]: hints})}
        manager.allocations.by_pod = {
            uid: {name: _sets(held) for name, held in containers.items()} for uid, containers in asked["held"].items()
        }
        vars(manager.allocations)["in_use"] = lambda resource: _sets(asked["in_use"]).get(resource, frozenset())
        manager._reusable = {uid: _sets(left) for uid, left in asked["reusable"].items()}
        pod = self._pod(_named(asked["pod"]), gates)
        if "container" not in asked:
            return {"hints": hints_answer(manager.pod_hints(pod))}
        name = asked["container"] or pod.containers[0].name  # tests without names ask of the first
        return {"hints": hints_answer(manager.hints(pod, pod.container(name)))}

    def _memory_hints(self, asked: Json) -> Json:
        manager, pod = self._memory_manager(asked)
        if asked["container"] is None:
            return {"hints": hints_answer(manager.pod_hints(pod))}
        return {"hints": hints_answer(manager.hints(pod, pod.container(asked["container"])))}

    def _memory_allocate(self, asked: Json) -> Json:
        manager, pod = self._memory_manager(asked)
        affinity = hint_of(msgspec.convert(asked["affinity"], HintValue))
        try:
            if asked["container"] is None:
                manager.allocate_pod(pod, affinity)
            else:
                manager.allocate(pod, pod.container(asked["container"]), affinity)
        except Refusal as refusal:
            return {"refused": _own_words(refusal.message), "reason": refusal.reason}
        return {
            "machine": {str(node): _node_json(memory) for node, memory in manager.nodes.items()},
            "assignments": {
                uid: {name: _blocks_json(held) for name, held in containers.items()}
                for uid, containers in manager.blocks.by_pod.items()
            },
            "pods": {uid: _blocks_json(held) for uid, held in manager.blocks.pods.items()},
            "reusable": _reusable_json(manager),
        }

    def _memory_manager(self, asked: Json) -> tuple[StaticMemoryManager, Pod]:
        if not asked["machine"]:
            raise UsageError(Fault("machine", "has no NUMA nodes"))
        nodes = {int(node): _node(told) for node, told in asked["machine"].items()}
        manager = StaticMemoryManager.of(self._quirks.memory)(nodes)
        manager.blocks = MemoryBlocks(
            {
                uid: {name: _blocks(held) for name, held in containers.items() if held is not None}
                for uid, containers in (asked["assignments"] or {}).items()
            },
            {uid: _blocks(held) for uid, held in (asked["pods"] or {}).items()},
        )
        for uid, left in asked["reusable"].items():
            for one in left:
                blocks = [PinnedBlock(tuple(one["nodes"]), resource, size) for resource, size in one["amounts"].items()]
                manager._reusable.update(uid, blocks, gives=True)
        return manager, self._pod(asked["pod"], self._gates(asked["gates"]))

    def _pod(self, told: Json, gates: FeatureGates) -> Pod:
        return Pod.from_dict(told, "pod", validate=False).under_gates(gates, self._quirks.node)


def _placed(asked: Json) -> Iterator[Json]:
    """Yield the pod and those on the node, places for uids, with names and containers where tests have none."""
    for place, told in enumerate([asked["pod"], *(asked["pods"] or ())]):
        made = _named(told)
        named = {**told["metadata"], "name": told["metadata"].get("name") or "pod", "uid": str(place)}
        spec = {**made["spec"], "containers": made["spec"]["containers"] or [{"name": "none"}]}
        yield {**told, "metadata": named, "spec": spec}


def _named(told: Json) -> Json:
    """Return a pod whose containers have names."""
    spec = dict(told["spec"])
    for kind in ("initContainers", "containers"):
        listed = enumerate(spec.get(kind) or ())
        spec[kind] = [{**one, "name": one.get("name") or f"{kind.lower()}-{index}"} for index, one in listed]
    return {**told, "spec": spec}


def _sets(told: dict[str, list[str]]) -> dict[str, frozenset[str]]:
    return {resource: frozenset(ids) for resource, ids in told.items()}


def _cpus(text: str) -> int:
    return CpuSet.parse(text).bits


def _own_words(message: str) -> str:
    """Return what a manager says, without what the kubelet puts around it for the pod's status."""
    return message.removeprefix("Allocate failed due to ").removesuffix(", which is unexpected")


def _node(told: Json) -> NodeMemory:
    tables = {
        name: Table(one["total"], one["systemReserved"], one["allocatable"], one["reserved"], one["free"])
        for name, one in told["memoryMap"].items()
    }
    return NodeMemory(told["numberOfAssignments"], tables, tuple(told["cells"] or ()))


def _node_json(memory: NodeMemory) -> Json:
    return {
        "numberOfAssignments": memory.assignments,
        "cells": list(memory.group),
        "memoryMap": {
            name: {
                "total": table.total,
                "systemReserved": table.system_reserved,
                "allocatable": table.allocatable,
                "reserved": table.reserved,
                "free": table.free,
            }
            for name, table in memory.tables.items()
        },
    }


def _blocks(told: list[Json]) -> list[PinnedBlock]:
    return [PinnedBlock(tuple(one["numaAffinity"] or ()), one["type"], one["size"]) for one in told]


def _blocks_json(blocks: list[PinnedBlock]) -> list[Json]:
    return [{"numaAffinity": list(block.nodes), "type": block.type, "size": block.bytes} for block in blocks]


def _reusable_json(manager: StaticMemoryManager) -> Json:
    return {
        uid: [
            {"nodes": [node for node in range(mask.bit_length()) if mask >> node & 1], "amounts": dict(amounts)}
            for mask, amounts in left.items()
        ]
        for uid, left in manager._reusable._left.items()
    }


def main(version: str) -> None:
    """Answer one question a line until the input ends."""
    answering = Answering(version)
    for line in sys.stdin.buffer:
        request = json.loads(line)
        reply: Json = {"jsonrpc": "2.0", "id": request["id"]}
        try:
            reply["result"] = answering.answer(request["method"], request["params"])
        except (UsageError, msgspec.ValidationError) as error:
            reply["error"] = {"code": -32602, "message": f"{request['method']}: {error}"}
        except Exception as error:
            reply["error"] = {"code": -32603, "message": f"{request['method']}: {type(error).__name__}: {error}"}
        sys.stdout.buffer.write(msgspec.json.encode(reply) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main(sys.argv[1])
