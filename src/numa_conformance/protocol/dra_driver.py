"""The reference of the surface ``claims``: the CPUs of each NUMA node, given out as a DRA driver gives them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..cpuset import CpuSet
from ..errors import Fault, UsageError
from ..machine import Machine
from .messages.claims import ClaimPrepared, ClaimRefused, ClaimUnprepared, DriverStarted, SharedRuns

__all__ = ["DriverOfMachine"]

_NAME, _POOL = "cpu.example.com", "node"
_CAPACITY = f"{_NAME}/cpu"


class DriverOfMachine:
    """Publishes a device for each NUMA node with CPUs, and gives each claim CPUs of its own, whole cores first."""

    def __init__(self, machine: Machine | None, reserved: str = "") -> None:
        """Take the machine, and CPUs to leave alone; None: the driver was not started."""
        self._machine = machine
        left_alone = CpuSet.parse(reserved).bits
        nodes = machine.numa_bits if machine else {}
        self._nodes = {f"numa-{node}": (node, bits & ~left_alone) for node, bits in nodes.items() if bits & ~left_alone}
        self._held: dict[str, int] = {}
        self._shared: set[str] = set()

    def started(self) -> DriverStarted:
        """Publish."""
        machine = self._up
        devices = [
            {
                "name": name,
                "attributes": {"resource.kubernetes.io/numaNode": {"int": node}, **_where(machine, bits)},
                "capacity": {_CAPACITY: {"value": str(bits.bit_count())}},
                "allowMultipleAllocations": True,
            }
            for name, (node, bits) in self._nodes.items()
        ]
        pool = {"name": _POOL, "generation": 1, "resourceSliceCount": 1}
        return DriverStarted([{"driver": _NAME, "nodeName": _POOL, "pool": pool, "devices": devices}])

    def prepare(self, claim: Mapping[str, Any]) -> ClaimPrepared | ClaimRefused:
        """Give a claim CPUs, once."""
        machine = self._up
        try:
            uid = str(claim["metadata"]["uid"])
            results = claim["status"]["allocation"]["devices"]["results"]
            wanted = [(str(result["device"]), int(result["consumedCapacity"][_CAPACITY])) for result in results]
        except (KeyError, TypeError, ValueError) as error:
            accepted = f"a ResourceClaim with devices in its status, {_CAPACITY} consumed of each"
            raise UsageError(Fault("claim", f"cannot be read: {error!r}", accepted)) from error
        if uid not in self._held:
            given = 0
            for name, count in wanted:
                free = self._nodes.get(name, (0, 0))[1] & ~sum(self._held.values()) & ~given
                if free.bit_count() < count:
                    return ClaimRefused(f"{free.bit_count()} CPUs of {name} are free, not {count}")
                given |= _whole_cores_first(machine, free, count)
            if self._shared and not self._left & ~given:
                return ClaimRefused("containers without a claim would have no CPU any more")
            self._held[uid] = given
        return ClaimPrepared(str(CpuSet.from_bits(self._held[uid])), self._beside.shared)

    def unprepare(self, uid: str) -> ClaimUnprepared:
        """Let go of what a claim has."""
        self._held.pop(uid, None)
        return ClaimUnprepared()

    def run(self, name: str) -> SharedRuns | ClaimRefused:
        """Run a container without a claim on what claims leave, where they leave any."""
        if not self._left:
            return ClaimRefused("claims have all CPUs")
        self._shared.add(name)
        return self._beside

    def end(self, name: str) -> SharedRuns:
        """End it."""
        self._shared.discard(name)
        return self._beside

    @property
    def _left(self) -> int:
        return self._up.online_bits & ~sum(self._held.values())

    @property
    def _beside(self) -> SharedRuns:
        return SharedRuns(dict.fromkeys(sorted(self._shared), str(CpuSet.from_bits(self._left))))

    @property
    def _up(self) -> Machine:
        if self._machine is None:
            raise UsageError(Fault("", "no driver was started", "claims.start first"))
        return self._machine


def _where(machine: Machine, bits: int) -> dict[str, dict[str, int]]:
    """Return the attributes that are the same for all CPUs of a device."""
    cpus = [cpu for cpu in machine.cpus if bits >> cpu.id & 1]
    values: dict[str, set[int | None]] = {
        "socketID": {cpu.socket for cpu in cpus},
        "cacheL3ID": {cpu.uncore for cpu in cpus},
        "cpuID": {cpu.id for cpu in cpus},
    }
    alone = {name: next(iter(ids)) for name, ids in values.items() if len(ids) == 1}
    return {f"{_NAME}/{name}": {"int": id} for name, id in alone.items() if id is not None}


def _whole_cores_first(machine: Machine, free: int, count: int) -> int:
    """Return so many free CPUs, those of cores that are all free before others."""
    cores = sorted(machine.core_bits, key=lambda core: core & free != core)
    ids = [cpu for core in cores for cpu in CpuSet.from_bits(core & free)]
    return CpuSet(ids[:count]).bits
