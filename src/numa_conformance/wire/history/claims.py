"""ResourceClaims as scheduler and kubelet have them, as far as something is judged by them."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import msgspec

from .quantities import read_amount


class DeviceResult(msgspec.Struct, frozen=True, rename="camel"):
    """A device that is allocated to a claim, and how much is consumed of its capacities."""

    driver: str
    pool: str
    device: str
    consumed_capacity: dict[str, Fraction] = {}


class _Devices(msgspec.Struct, frozen=True):
    results: tuple[DeviceResult, ...]


class _Allocation(msgspec.Struct, frozen=True):
    devices: _Devices


class _Status(msgspec.Struct, frozen=True):
    allocation: _Allocation


class _Metadata(msgspec.Struct, frozen=True):
    uid: str


class AllocatedClaim(msgspec.Struct, frozen=True):
    """A claim, and what is allocated to it."""

    metadata: _Metadata
    status: _Status

    @classmethod
    def of(cls, claim: Mapping[str, Any]) -> AllocatedClaim:
        """Read the JSON object of a claim; raises ``ValueError`` where it is none."""
        return msgspec.convert(claim, cls, dec_hook=read_amount)

    @property
    def results(self) -> tuple[DeviceResult, ...]:
        """The devices, one for each request or more."""
        return self.status.allocation.devices.results
