"""The reference on the machine under other numbers: the same quality of choice, another order among equals."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from numa_conformance.cpuset import CpuSet
from numa_conformance.reference.target import ReferenceTarget
from numa_conformance.wire import METHODS
from numa_conformance.wire.message import Message, Method

__all__ = ["ORDERS", "Orders", "Renumbered"]

Json = dict[str, Any]
Shuffle = Callable[[list[int]], Sequence[int]]
CPU_SETS = ("cpus", "cpuset", "default_cpuset", "reserved_cpus", "allocatable_cpus")
FILES = ("state-file", "host/", "memory-manager/hugepages/", "exact")


@dataclass(frozen=True)
class Orders:
    """How ids are dealt out anew: each takes the ids in use, ascending, and returns them in another order."""

    cpus: Shuffle = list
    nodes: Shuffle = list
    sockets: Shuffle = list
    caches: Shuffle = list
    devices: bool = False


def _dealt(ids: set[int], shuffle: Shuffle) -> dict[int, int]:
    old = sorted(ids)
    return dict(zip(old, shuffle(old), strict=True))


class _Numbers:
    """The ids of one machine, there and back."""

    def __init__(self, machine: Json, orders: Orders) -> None:
        cpus = machine["cpus"]
        self.cpus = _dealt({cpu["id"] for cpu in cpus}, orders.cpus)
        nodes = {cpu["numa"] for cpu in cpus} | {node["node"] for node in machine["memory"]}
        self.nodes = _dealt(nodes, orders.nodes)
        self.sockets = _dealt({cpu["socket"] for cpu in cpus}, orders.sockets)
        caches = {cpu["uncore"] for cpu in cpus if cpu.get("uncore") is not None}
        self.caches = _dealt(caches, orders.caches)
        self.old_cpus = {new: old for old, new in self.cpus.items()}
        self.old_nodes = {new: old for old, new in self.nodes.items()}
        ids = sorted({device["id"] for device in machine.get("devices") or ()})
        self.devices = dict(zip(ids, reversed(ids) if orders.devices else ids, strict=True))
        self.old_devices = {new: old for old, new in self.devices.items()}

    def set_there(self, text: str) -> str:
        return str(CpuSet(self.cpus.get(cpu, cpu) for cpu in CpuSet.parse(text)))

    def set_back(self, text: str) -> str:
        return str(CpuSet(self.old_cpus.get(cpu, cpu) for cpu in CpuSet.parse(text)))


class Renumbered:
    """The target: questions are asked of the reference in other numbers, and answers told in the questioner's."""

    def __init__(self, orders: Orders) -> None:
        self._orders = orders
        self._reference = ReferenceTarget("documented")
        self._numbers: _Numbers | None = None

    def __getattr__(self, attribute: str) -> Callable[[Message], Any]:
        method = next((method for method in METHODS.values() if method.attribute == attribute), None)
        if method is None or method.surface in ("host", "allocate"):
            raise AttributeError(attribute)
        return lambda message: self._asked(method, message)

    def _asked(self, method: Method, message: Message) -> Any:
        question = msgspec.to_builtins(message)
        if "machine" in question:
            self._numbers = _Numbers(question["machine"], self._orders)
        answer = getattr(self, "_" + method.name.replace(".", "_"), self._plain)(method, question)
        if method.name == "describe":
            answer = self._described(answer)
        return msgspec.convert(answer, method.reply)

    def _plain(self, method: Method, question: Json) -> Json:
        if self._numbers is not None and method.surface in ("node", "pick", "hints"):
            return self._back(self._tell(method, self._there(question)))
        return self._tell(method, question)

    def _tell(self, method: Method, question: Json) -> Json:
        ask = getattr(self._reference, method.attribute)
        answer: Json = msgspec.to_builtins(ask(msgspec.convert(question, method.request)))
        return answer

    def _node_start(self, method: Method, question: Json) -> Json:
        first = self._tell(method, question)
        kubelet = question["kubelet"]
        if first["result"] != "started" or self._numbers is None:
            return first
        if first.get("reserved_cpus") and not kubelet.get("reservedSystemCPUs"):
            question = {**question, "kubelet": {**kubelet, "reservedSystemCPUs": first["reserved_cpus"]}}
        return self._back(self._tell(method, self._there(question)))

    def _described(self, answer: Json) -> Json:
        features = [name for name in answer["features"] if not any(word in name for word in FILES)]
        surfaces = [name for name in answer["surfaces"] if name not in ("host", "allocate")]
        return {**answer, "name": "reference, renumbered", "features": features, "surfaces": surfaces}

    def _there(self, question: Json) -> Json:
        numbers = self._numbers
        assert numbers is not None
        told = dict(question)
        if "machine" in told:
            told["machine"] = self._machine(told["machine"])
        if "available" in told:
            told["available"] = numbers.set_there(told["available"])
        if told.get("affinity") and told["affinity"]["nodes"] is not None:
            told["affinity"] = {
                **told["affinity"],
                "nodes": sorted(numbers.nodes[n] for n in told["affinity"]["nodes"]),
            }
        if told.get("kubelet"):
            told["kubelet"] = self._kubelet(told["kubelet"])
        if "state" in told:
            told["state"] = self._state(told["state"])
        return told

    def _state(self, state: Json) -> Json:
        there = self._numbers.set_there if self._numbers else str
        given = {uid: {name: there(cpus) for name, cpus in own.items()} for uid, own in state["assignments"].items()}
        reusable = {uid: there(cpus) for uid, cpus in state["reusable"].items()}
        return {"default": there(state["default"]), "assignments": given, "reusable": reusable}

    def _machine(self, machine: Json) -> Json:
        numbers = self._numbers
        assert numbers is not None
        old = sorted(node["node"] for node in machine["memory"])
        cpus = [
            {
                **cpu,
                "id": numbers.cpus[cpu["id"]],
                "numa": numbers.nodes[cpu["numa"]],
                "socket": numbers.sockets[cpu["socket"]],
                "uncore": None if cpu.get("uncore") is None else numbers.caches[cpu["uncore"]],
            }
            for cpu in machine["cpus"]
        ]
        memory = sorted(
            ({**node, "node": numbers.nodes[node["node"]]} for node in machine["memory"]), key=lambda node: node["node"]
        )
        told = {**machine, "cpus": sorted(cpus, key=lambda cpu: cpu["id"]), "memory": memory}
        if machine.get("distances"):
            order = [old.index(numbers.old_nodes[node["node"]]) for node in memory]
            told["distances"] = [[machine["distances"][row][column] for column in order] for row in order]
        if machine.get("devices"):
            told["devices"] = [self._device(device) for device in machine["devices"]]
        return told

    def _device(self, device: Json) -> Json:
        numbers = self._numbers
        assert numbers is not None
        nodes = sorted(numbers.nodes.get(node, node) for node in device.get("numa") or ())
        return {**device, "id": numbers.devices[device["id"]], "numa": nodes}

    def _kubelet(self, kubelet: Json) -> Json:
        numbers = self._numbers
        assert numbers is not None
        told = dict(kubelet)
        if told.get("reservedSystemCPUs"):
            told["reservedSystemCPUs"] = numbers.set_there(told["reservedSystemCPUs"])
        if told.get("reservedMemory"):
            told["reservedMemory"] = [
                {**entry, "numaNode": numbers.nodes.get(entry["numaNode"], entry["numaNode"])}
                for entry in told["reservedMemory"]
            ]
        return told

    def _back(self, answer: Any) -> Any:
        numbers = self._numbers
        assert numbers is not None
        if isinstance(answer, list):
            return [self._back(part) for part in answer]
        if not isinstance(answer, dict):
            return answer
        told = {}
        for key, value in answer.items():
            if key in CPU_SETS and isinstance(value, str):
                told[key] = numbers.set_back(value)
            elif key == "mems" and isinstance(value, str):
                told[key] = str(CpuSet(numbers.old_nodes.get(node, node) for node in CpuSet.parse(value)))
            elif key in ("nodes", "group") and isinstance(value, list):
                told[key] = sorted(numbers.old_nodes.get(node, node) for node in value)
            elif key == "node":
                told[key] = numbers.old_nodes[value]
            elif key == "devices" and isinstance(value, dict):
                told[key] = {name: sorted(numbers.old_devices[id] for id in ids) for name, ids in value.items()}
            elif key == "memory_state" and value is not None:
                told[key] = sorted(self._back(value), key=lambda entry: entry["node"])
            else:
                told[key] = self._back(value)
        return told


def _reversed(ids: list[int]) -> Sequence[int]:
    return ids[::-1]


def _odd_first(ids: list[int]) -> Sequence[int]:
    return ids[1::2] + ids[::2]


def _shuffled(name: str) -> Shuffle:
    def shuffle(ids: list[int]) -> Sequence[int]:
        return random.Random(f"{name} {len(ids)}").sample(ids, len(ids))

    return shuffle


_LOT = random.Random("by lot")


def _drawn(ids: list[int]) -> Sequence[int]:
    return _LOT.sample(ids, len(ids))


ORDERS: Mapping[str, Orders] = {
    "highest_cpus_first": Orders(cpus=_reversed),
    "highest_numa_nodes_first": Orders(nodes=_reversed),
    "highest_sockets_first": Orders(sockets=_reversed),
    "highest_caches_first": Orders(caches=_reversed),
    "everything_from_the_top": Orders(_reversed, _reversed, _reversed, _reversed, devices=True),
    "odd_cpus_first": Orders(cpus=_odd_first, nodes=_odd_first),
    "cpus_in_a_fixed_order": Orders(cpus=_shuffled("cpus")),
    "all_in_a_fixed_order": Orders(*(_shuffled(name) for name in ("cpus", "nodes", "sockets", "caches")), devices=True),
    "by_lot": Orders(_drawn, _drawn, _drawn, _drawn),
    "highest_devices_first": Orders(devices=True),
}
