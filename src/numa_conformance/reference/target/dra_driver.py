"""The reference of the surface ``claims``: the CPUs of each NUMA node, given out as a DRA driver gives them."""

from collections.abc import Mapping
from types import MappingProxyType

from ...cpuset import CpuSet
from ...errors import Fault, UsageError, require
from ...machine import Machine, machine_from_dict
from ...wire.messages import claims

_NAME, _POOL = "cpu.example.com", "node"
_CAPACITY = f"{_NAME}/cpu"


class DraDriver:
    """Publishes a device for each NUMA node with CPUs, and gives each claim CPUs of its own, whole cores first."""

    _machine: Machine | None = None
    _held: Mapping[str, int] = MappingProxyType({})
    _without_claim: frozenset[str] = frozenset()

    def claims_start(self, request: claims.StartDriver) -> claims.DriverStarted | claims.DriverFailed:
        """Publish the CPUs of a machine."""
        self._machine = machine = machine_from_dict(request.machine, "machine")
        left_alone = CpuSet.parse(request.reserved_cpus).bits
        free = {node: bits & ~left_alone for node, bits in machine.numa_bits.items() if bits & ~left_alone}
        self._nodes = {f"numa-{node}": (node, bits) for node, bits in free.items()}
        self._held, self._without_claim = {}, frozenset()
        return self._publish()

    def claims_restart(self, request: claims.RestartDriver) -> claims.DriverStarted | claims.DriverFailed:
        """Publish them again."""
        return self._publish()

    def _publish(self) -> claims.DriverStarted:
        machine = self._published
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
        return claims.DriverStarted([{"driver": _NAME, "nodeName": _POOL, "pool": pool, "devices": devices}])

    def claims_prepare(self, request: claims.PrepareClaim) -> claims.ClaimPrepared | claims.ClaimRefused:
        """Give a claim CPUs, once."""
        machine, claim = self._published, request.claim
        try:
            uid = str(claim["metadata"]["uid"])
            results = [each for each in claim["status"]["allocation"]["devices"]["results"] if each["driver"] == _NAME]
            wanted = [(str(result["device"]), int(result["consumedCapacity"][_CAPACITY])) for result in results]
        except (KeyError, TypeError, ValueError) as error:
            accepted = f"a ResourceClaim with devices in its status, {_CAPACITY} consumed of each"
            raise UsageError(Fault("claim", f"cannot be read: {error!r}", accepted)) from error
        if uid not in self._held:
            taken = 0
            for name, count in wanted:
                free = self._nodes.get(name, (0, 0))[1] & ~sum(self._held.values()) & ~taken
                if free.bit_count() < count:
                    return claims.ClaimRefused(f"{free.bit_count()} CPUs of {name} are free, not {count}")
                # Those of cores that are all free come before others.
                cores = sorted(machine.core_bits, key=lambda core: core & free != core)
                ids = [cpu for core in cores for cpu in CpuSet.from_bits(core & free)]
                taken |= CpuSet(ids[:count]).bits
            if self._without_claim and not self._left & ~taken:
                return claims.ClaimRefused("containers without a claim would have no CPU any more")
            self._held = {**self._held, uid: taken}
        mems = CpuSet(self._nodes[name][0] for name, _ in wanted if name in self._nodes)
        return claims.ClaimPrepared(str(CpuSet.from_bits(self._held[uid])), self._shared_runs.shared, mems=str(mems))

    def claims_unprepare(self, request: claims.UnprepareClaim) -> claims.ClaimUnprepared | claims.ClaimRefused:
        """Let go of what a claim has."""
        self._held = {uid: cpus for uid, cpus in self._held.items() if uid != request.uid}
        return claims.ClaimUnprepared()

    def claims_run(self, request: claims.RunShared) -> claims.SharedRuns | claims.ClaimRefused:
        """Run a container without a claim on what claims leave, where they leave any."""
        if not self._left:
            return claims.ClaimRefused("claims have all CPUs")
        self._without_claim |= {request.name}
        return self._shared_runs

    def claims_end(self, request: claims.EndShared) -> claims.SharedRuns | claims.ClaimRefused:
        """End it."""
        self._without_claim -= {request.name}
        return self._shared_runs

    @property
    def _left(self) -> int:
        return self._published.online_bits & ~sum(self._held.values())

    @property
    def _shared_runs(self) -> claims.SharedRuns:
        return claims.SharedRuns(dict.fromkeys(sorted(self._without_claim), str(CpuSet.from_bits(self._left))))

    @property
    def _published(self) -> Machine:
        return require(self._machine, "no driver was started", "claims.start")


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
