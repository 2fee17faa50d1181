"""All requirements, by id."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from . import (
    cpu_lifecycle,
    cpu_options,
    cpu_static,
    device,
    exact,
    histories,
    host,
    memory,
    qos,
    scheduler,
    stateless,
    topology,
)
from .requirement import Requirement

__all__ = ["REQUIREMENTS"]

_AREAS = (
    qos,
    cpu_static,
    cpu_options,
    cpu_lifecycle,
    topology,
    memory,
    device,
    host,
    scheduler,
    histories,
    stateless,
    exact,
)


def _joined() -> Mapping[str, Requirement]:
    found: dict[str, Requirement] = {}
    for area in _AREAS:
        for one in area.REQUIREMENTS:
            if one.id in found:
                raise AssertionError(f"the requirement id {one.id} is given twice")
            found[one.id] = one
    return MappingProxyType(found)


REQUIREMENTS: Mapping[str, Requirement] = _joined()
"""Every requirement, area by area in the order of the documentation."""
