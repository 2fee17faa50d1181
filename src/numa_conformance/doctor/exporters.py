"""Exporters judged: NodeResourceTopology objects against what the node's kubelet keeps and can still give."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import msgspec

from ..chapters import Requirement
from ..chapters.doors import exporters
from ..cpuset import CpuSet
from ..errors import UsageError
from ..kube import Quantity
from ..kube.resource_names import page_bytes
from ..lab.cluster.scheduled import ClusterConnection
from ..machine import Machine, machine_from_dict


@dataclass(frozen=True, slots=True)
class Amounts:
    """How much of a resource a NUMA node has, gives to pods, and has left; None where the kubelet does not say.

    ``unhealthy``: devices of the capacity that no interface tells the NUMA node of, and that may be left out.
    ``reserved``: what containers hold though it is not allocatable (quirk full-by-machine-average); it may be
    taken from what is left, as the API's sentence has it.
    """

    capacity: int
    allocatable: int | None = None
    available: int | None = None
    unhealthy: int = 0
    reserved: int = 0

    def allowed(self, part: str) -> tuple[int, ...] | None:
        """Return the numbers that an object may tell; None where any may be."""
        if part == "capacity":
            return tuple({self.capacity, self.capacity - self.unhealthy})
        amount, less = (self.allocatable, 0) if part == "allocatable" else (self.available, self.reserved)
        return None if amount is None else tuple({amount, max(amount - less, 0)})


@dataclass(frozen=True)
class NodeAmounts:
    """A node: its machine, the Topology Manager's policy and scope, and NUMA node to resource to amounts.

    ``shared``: resources of which some device is near several NUMA nodes. How zones tell of those is not said anywhere.
    """

    machine: Machine
    policy: str
    scope: str
    amounts: Mapping[int, Mapping[str, Amounts]]
    shared: frozenset[str] = field(default_factory=frozenset)


def node_amounts(report: Mapping[str, Any]) -> NodeAmounts:
    """Return what a kubelet keeps, as a cluster of real parts tells it of a node."""
    machine = machine_from_dict(report["machine"], "machine")
    amounts: dict[int, dict[str, Amounts]] = {node: {} for node in machine.numa_ids}
    _add_cpus(amounts, machine, report)
    _add_memory(amounts, machine, report)
    shared = _add_devices(amounts, machine, report["devices"])
    return NodeAmounts(machine, report["policy"], report["scope"], amounts, shared)


def _add_cpus(amounts: dict[int, dict[str, Amounts]], machine: Machine, report: Mapping[str, Any]) -> None:
    """Under policy none the kubelet gives no CPUs by number, and says nothing of them."""
    allocatable = CpuSet.parse(report["allocatable_cpus"]).bits
    held = CpuSet.parse(report["held_cpus"]).bits
    for node, cpus in machine.numa_bits.items():
        capacity = (cpus & machine.online_bits).bit_count()
        parts = (allocatable, allocatable & ~held, held & ~allocatable)
        whole, left, reserved = ((cpus & part).bit_count() for part in parts)
        amounts[node]["cpu"] = Amounts(capacity, whole, left, reserved=reserved) if allocatable else Amounts(capacity)


def _add_memory(amounts: dict[int, dict[str, Amounts]], machine: Machine, report: Mapping[str, Any]) -> None:
    for memory in machine.memory:
        sizes = {"memory": memory.memory or 0}
        sizes |= {f"hugepages-{size}": page_bytes(size) * count for size, count in memory.hugepages.items()}
        amounts[memory.node] |= {kind: Amounts(size) for kind, size in sizes.items() if size}
    for node in report["memory"] or ():
        of_node = amounts[node["node"]]
        for kind, table in node["tables"].items():
            if kind in of_node:
                of_node[kind] = Amounts(of_node[kind].capacity, table["allocatable"], table["free"])


def _add_devices(
    amounts: dict[int, dict[str, Amounts]], machine: Machine, held: Mapping[str, Iterable[str]]
) -> frozenset[str]:
    shared = {device.resource for device in machine.devices if len(device.numa) > 1}
    for resource in {device.resource for device in machine.devices} - shared:
        taken = set(held.get(resource, ()))
        for node in machine.numa_ids:
            near = [device for device in machine.devices if (device.resource, device.numa) == (resource, (node,))]
            if near:
                healthy = [device for device in near if device.healthy]
                left = sum(device.id not in taken for device in healthy)
                amounts[node][resource] = Amounts(len(near), len(healthy), left, len(near) - len(healthy))
    return frozenset(shared)


_AMOUNTS = {"capacity": exporters.CAPACITY, "allocatable": exporters.ALLOCATABLE, "available": exporters.AVAILABLE}


@dataclass(frozen=True, slots=True)
class ObjectFault:
    """A requirement that an object does not meet: where in the object, what it says, and what it should say."""

    requirement: Requirement
    place: str
    got: str
    allowed: str

    def __str__(self) -> str:
        return f"{self.requirement.id}: {self.place}: {self.got}; should be: {self.allowed}"


def judge_exported(exported: Mapping[str, Any] | None, expected: NodeAmounts) -> list[ObjectFault]:
    """Return what an object says that is not so; of one that is not there, that it is not."""
    if exported is None:
        return [ObjectFault(exporters.ZONES, "the object", "does not exist", "one of the node's name")]
    if fault := _malformed(exported):
        return [ObjectFault(exporters.ZONES, "the object", fault, "the form of the API, each name once")]
    zones = {zone["name"]: zone for zone in exported.get("zones") or () if zone["type"] == "Node"}
    wanted = {f"node-{node}": node for node in expected.machine.numa_ids}
    unmet = []
    if zones.keys() != wanted.keys():
        unmet.append(ObjectFault(exporters.ZONES, "zones", _listed(zones), _listed(wanted)))
    unmet += _attributes(exported, expected)
    for name in zones.keys() & wanted.keys():
        unmet += _costs(wanted[name], zones[name], expected.machine)
        unmet += _resources(name, zones[name], expected, expected.amounts[wanted[name]])
    return sorted(unmet, key=lambda unmet: (unmet.requirement.id, unmet.place))


class _Named(msgspec.Struct):
    name: str


class _Valued(_Named):
    value: str | int


class _Zone(_Named):
    type: str
    costs: list[_Valued] | None = None
    resources: list[_Named] | None = None


class _Exported(msgspec.Struct):
    attributes: list[_Valued] | None = None
    zones: list[_Zone] | None = None


def _malformed(exported: Mapping[str, Any]) -> str:
    """Return how an object departs from its form, or which name one of its lists has twice; nothing if it does not."""
    try:
        msgspec.convert(exported, _Exported)
    except msgspec.ValidationError as error:
        return str(error)
    zones = exported.get("zones") or ()
    lists = (exported.get("attributes"), zones, *(zone.get(part) for zone in zones for part in ("costs", "resources")))
    counts = (Counter(each["name"] for each in entries or ()) for entries in lists)
    return ", ".join(f"{name} is there twice" for count in counts for name, times in count.items() if times > 1)


def judge_node(cluster: ClusterConnection, node: str) -> list[ObjectFault]:
    """Return what the object of a node of a cluster says now that is not so."""
    exported = cluster.ask("api", f"/apis/topology.node.k8s.io/v1alpha2/noderesourcetopologies/{node}", "null", "GET")
    return judge_exported(exported, node_amounts(cluster.ask("books", node)))


def _listed(names: Mapping[Any, object]) -> str:
    return ", ".join(sorted(map(str, names))) or "none"


def _attributes(exported: Mapping[str, Any], expected: NodeAmounts) -> Iterator[ObjectFault]:
    report = {attribute["name"]: attribute["value"] for attribute in exported.get("attributes") or ()}
    for name, wanted in (("topologyManagerPolicy", expected.policy), ("topologyManagerScope", expected.scope)):
        if report.get(name, wanted) != wanted:
            yield ObjectFault(exporters.ATTRIBUTES, f"attributes.{name}", str(report[name]), wanted)


def _costs(node: int, zone: Mapping[str, Any], machine: Machine) -> Iterator[ObjectFault]:
    report = {cost["name"]: cost["value"] for cost in zone.get("costs") or ()}
    if report and machine.distances is not None:
        row = machine.distances[machine.numa_ids.index(node)]
        wanted = {f"node-{other}": distance for other, distance in zip(machine.numa_ids, row, strict=True)}
        if report != wanted:
            yield ObjectFault(exporters.COSTS, f"zone node-{node}", str(report), str(wanted))


def _resources(
    name: str, zone: Mapping[str, Any], expected: NodeAmounts, wanted: Mapping[str, Amounts]
) -> Iterator[ObjectFault]:
    report = {resource["name"]: resource for resource in zone.get("resources") or ()}
    for resource, amounts in wanted.items():
        if resource not in report and amounts.allocatable:
            wanted_text = f"{amounts.allocatable} allocatable"
            yield ObjectFault(exporters.RESOURCES, f"zone {name}", f"{resource} is not reported", wanted_text)
        for part, requirement in _AMOUNTS.items() if resource in report else ():
            allowed, got = amounts.allowed(part), report[resource].get(part)
            if allowed is not None and _number(got) not in allowed:
                place = f"zone {name}: {resource}: {part}"
                yield ObjectFault(requirement, place, str(got), " or ".join(map(str, allowed)))
    for resource in report.keys() - wanted.keys() - expected.shared:
        if any(_number(report[resource].get(part)) for part in _AMOUNTS):
            place = f"zone {name}: {resource}: capacity"
            yield ObjectFault(_AMOUNTS["capacity"], place, "told", "the node has none there")


def _number(quantity: Any) -> object:
    """Return the number that a quantity is; itself where it is none."""
    try:
        return Quantity.parse(str(quantity)).as_number
    except UsageError:
        return quantity
