"""One NodeResourceTopology object held against what the kubelet keeps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...chapters import Requirement
from ...chapters.doors import exporters
from ...errors import UsageError
from ...kube import Quantity
from .numa_amounts import Amounts, NodeAmounts

_AMOUNTS = {"capacity": exporters.CAPACITY, "allocatable": exporters.ALLOCATABLE, "available": exporters.AVAILABLE}


@dataclass(frozen=True, slots=True)
class ExporterViolation:
    """A requirement that an object does not meet: where in the object, what it says, and what it should say."""

    requirement: Requirement
    place: str
    got: str
    allowed: str

    def __str__(self) -> str:
        """Say it in one line."""
        return f"{self.requirement.id}: {self.place}: {self.got}; should be: {self.allowed}"


def judge_exported(exported: Mapping[str, Any] | None, expected: NodeAmounts) -> list[ExporterViolation]:
    """Return what an object says that is not so; of one that is not there, that it is not."""
    if exported is None:
        return [ExporterViolation(exporters.ZONES, "the object", "is not there", "one of the node's name")]
    zones = {zone.get("name"): zone for zone in exported.get("zones") or () if zone.get("type") == "Node"}
    wanted = {f"node-{node}": node for node in expected.machine.numa_ids}
    unmet = []
    if zones.keys() != wanted.keys():
        unmet.append(ExporterViolation(exporters.ZONES, "zones", _listed(zones), _listed(wanted)))
    unmet += _attributes(exported, expected)
    for name in zones.keys() & wanted.keys():
        unmet += _costs(name, zones[name], expected, wanted)
        unmet += _resources(name, zones[name], expected, expected.amounts[wanted[name]])
    return sorted(unmet, key=lambda unmet: (unmet.requirement.id, unmet.place))


def _listed(names: Mapping[Any, object]) -> str:
    return ", ".join(sorted(map(str, names))) or "none"


def _attributes(exported: Mapping[str, Any], expected: NodeAmounts) -> Iterator[ExporterViolation]:
    report = {attribute["name"]: attribute["value"] for attribute in exported.get("attributes") or ()}
    for name, wanted in (("topologyManagerPolicy", expected.policy), ("topologyManagerScope", expected.scope)):
        if report.get(name, wanted) != wanted:
            yield ExporterViolation(exporters.ATTRIBUTES, f"attributes.{name}", report[name], wanted)


def _costs(
    name: str, zone: Mapping[str, Any], expected: NodeAmounts, nodes: Mapping[str, int]
) -> Iterator[ExporterViolation]:
    report = {cost["name"]: cost["value"] for cost in zone.get("costs") or ()}
    distances = expected.machine.distances
    if report and distances is not None:
        row = distances[sorted(nodes.values()).index(nodes[name])]
        wanted = {f"node-{node}": distance for node, distance in zip(sorted(nodes.values()), row, strict=True)}
        if report != wanted:
            yield ExporterViolation(exporters.COSTS, f"zone {name}", str(report), str(wanted))


def _resources(
    name: str, zone: Mapping[str, Any], expected: NodeAmounts, wanted: Mapping[str, Amounts]
) -> Iterator[ExporterViolation]:
    report = {resource["name"]: resource for resource in zone.get("resources") or ()}
    for resource, amounts in wanted.items():
        if resource not in report and amounts.allocatable:
            yield ExporterViolation(
                exporters.RESOURCES, f"zone {name}", f"{resource} is not told", f"{amounts.allocatable} allocatable"
            )
        for part, requirement in _AMOUNTS.items() if resource in report else ():
            allowed, got = amounts.allowed(part), report[resource].get(part)
            if allowed is not None and _number(got) not in allowed:
                yield ExporterViolation(
                    requirement, f"zone {name}: {resource}: {part}", str(got), " or ".join(map(str, allowed))
                )
    for resource in report.keys() - wanted.keys() - expected.shared:
        if any(_number(report[resource].get(part)) for part in _AMOUNTS):
            yield ExporterViolation(
                _AMOUNTS["capacity"], f"zone {name}: {resource}: capacity", "told", "the node has none there"
            )


def _number(quantity: Any) -> object:
    """Return the number that a quantity is; itself where it is none."""
    try:
        return Quantity.parse(str(quantity)).as_number
    except UsageError:
        return quantity
