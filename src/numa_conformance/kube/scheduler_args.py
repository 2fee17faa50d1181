"""Arguments of the scheduler plugin NodeResourcesFit (SCH-CFG-01..09, SCH-SHAPE-01..04)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from ..errors import closest
from .fields import Faults, as_integer, as_list, as_mapping, as_text

__all__ = ["STRATEGIES", "NodeResourcesFitArgs", "ResourceWeight", "ScoringStrategy", "ShapePoint"]

STRATEGIES = ("LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
_MAX_WEIGHT, _MAX_UTILIZATION, _MAX_SCORE = 100, 100, 10
_LABEL_NAME = re.compile(
    r"([a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?/)?[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?", re.ASCII
)


@dataclass(frozen=True, slots=True)
class ResourceWeight:
    """A resource and how much it counts, 1 to 100."""

    name: str
    weight: int = 1


@dataclass(frozen=True, slots=True)
class ShapePoint:
    """A point of the scoring function: utilization in percent, score from 0 to 10."""

    utilization: int
    score: int


_DEFAULT_RESOURCES = (ResourceWeight("cpu"), ResourceWeight("memory"))


@dataclass(frozen=True, slots=True)
class ScoringStrategy:
    """How nodes are scored. ``shape`` is there for RequestedToCapacityRatio alone."""

    type: str = "LeastAllocated"
    resources: tuple[ResourceWeight, ...] = _DEFAULT_RESOURCES
    shape: tuple[ShapePoint, ...] = ()

    @classmethod
    def from_dict(cls, obj: object, place: str = "") -> ScoringStrategy:
        """Read a ``scoringStrategy``, defaults applied; raises as ``NodeResourcesFitArgs.from_dict`` does."""
        return NodeResourcesFitArgs.from_dict({"scoringStrategy": obj}, place).strategy


@dataclass(frozen=True, slots=True)
class NodeResourcesFitArgs:
    """Arguments of NodeResourcesFit. What is ignored is ignored in filtering only, never in scoring (SCH-CFG-09)."""

    ignored_resources: tuple[str, ...] = ()
    ignored_resource_groups: tuple[str, ...] = ()
    strategy: ScoringStrategy = ScoringStrategy()

    @classmethod
    def from_dict(cls, obj: object, place: str = "") -> NodeResourcesFitArgs:
        """Read the arguments, apply defaults, then validate.

        Raises ``UsageError`` with every fault; a fault reads as the scheduler words it.
        """
        faults = Faults(place)
        args = as_mapping(obj, "", faults)
        _refuse_unknown(args, "", ("ignoredResources", "ignoredResourceGroups", "scoringStrategy"), faults)
        made = cls(
            tuple(_ignored(args, "ignoredResources", faults)),
            tuple(_ignored(args, "ignoredResourceGroups", faults)),
            _strategy(args.get("scoringStrategy"), "scoringStrategy", faults),
        )
        faults.raise_if_any()
        return made


def _refuse_unknown(obj: Mapping[str, Any], path: str, known: tuple[str, ...], faults: Faults) -> None:
    for key in obj:
        if key not in known and (path or key not in ("apiVersion", "kind")):
            faults.add(f"{path}.{key}" if path else str(key), "unknown field", suggestion=closest(str(key), known))


def _ignored(args: Mapping[str, Any], key: str, faults: Faults) -> list[str]:
    names = []
    for index, item in enumerate(as_list(args.get(key), key, faults)):
        path = f"{key}[{index}]"
        name = as_text(item, path, faults)
        if key == "ignoredResourceGroups" and "/" in name:
            faults.add(path, f"Invalid value: \"{name}\": resource group name can't contain '/'")
        elif isinstance(item, str) and not _LABEL_NAME.fullmatch(name):
            faults.add(path, f'Invalid value: "{name}": must be a valid label name')
        names.append(name)
    return names


def _strategy(value: object, path: str, faults: Faults) -> ScoringStrategy:
    if value is None:
        return ScoringStrategy()
    obj = as_mapping(value, path, faults)
    _refuse_unknown(obj, path, ("type", "resources", "requestedToCapacityRatio"), faults)
    kind = as_text(obj.get("type"), f"{path}.type", faults)
    if kind not in STRATEGIES:
        supported = ", ".join(f'"{one}"' for one in STRATEGIES)
        faults.add(
            f"{path}.type",
            f'Unsupported value: "{kind}": supported values: {supported}',
            suggestion=closest(kind, STRATEGIES),
        )
    resources = tuple(_resources(obj, f"{path}.resources", faults))
    ratio = obj.get("requestedToCapacityRatio")
    shape: tuple[ShapePoint, ...] = ()
    if ratio is not None:
        ratio = as_mapping(ratio, f"{path}.requestedToCapacityRatio", faults)
        _refuse_unknown(ratio, f"{path}.requestedToCapacityRatio", ("shape",), faults)
        # The scheduler reports faults of the shape at this shorter path.
        shape = tuple(_shape(ratio.get("shape"), f"{path}.shape", faults))
    elif kind == "RequestedToCapacityRatio":
        faults.add(f"{path}.requestedToCapacityRatio", "Required value: this type of scoring needs a shape")
    return ScoringStrategy(kind, resources or _DEFAULT_RESOURCES, shape)


def _resources(strategy: Mapping[str, Any], path: str, faults: Faults) -> list[ResourceWeight]:
    found = []
    for index, item in enumerate(as_list(strategy.get("resources"), path, faults)):
        place = f"{path}[{index}]"
        obj = as_mapping(item, place, faults)
        _refuse_unknown(obj, place, ("name", "weight"), faults)
        name = as_text(obj.get("name"), f"{place}.name", faults)
        weight = as_integer(obj.get("weight"), f"{place}.weight", faults, 0) or 1
        if not 0 < weight <= _MAX_WEIGHT:
            message = f"Invalid value: {weight}: resource weight of {name} not in valid range (0, {_MAX_WEIGHT}]"
            faults.add(f"{place}.weight", message)
        found.append(ResourceWeight(name, weight))
    return found


def _shape(value: object, path: str, faults: Faults) -> list[ShapePoint]:
    points = []
    for index, item in enumerate(as_list(value, path, faults)):
        place = f"{path}[{index}]"
        obj = as_mapping(item, place, faults)
        _refuse_unknown(obj, place, ("utilization", "score"), faults)
        points.append(
            ShapePoint(
                as_integer(obj.get("utilization"), f"{place}.utilization", faults, 0),
                as_integer(obj.get("score"), f"{place}.score", faults, 0),
            )
        )
    _check_shape(points, path, faults)
    return points


def _check_shape(points: list[ShapePoint], path: str, faults: Faults) -> None:
    if not points:
        faults.add(path, "Required value: at least one point must be specified")
    for index, (one, following) in enumerate(pairwise(points), 1):
        if one.utilization >= following.utilization:
            message = f"Invalid value: {following.utilization}: utilization values must be sorted in increasing order"
            faults.add(f"{path}[{index}].utilization", message)
            break
    for index, point in enumerate(points):
        for name, value, most in (
            ("utilization", point.utilization, _MAX_UTILIZATION),
            ("score", point.score, _MAX_SCORE),
        ):
            if not 0 <= value <= most:
                faults.add(f"{path}[{index}].{name}", f"Invalid value: {value}: not in valid range [0, {most}]")
