"""The devices of ResourceSlices, as far as something is judged by them: where their CPUs are, and how many."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Any

import msgspec

from ..wire.history.quantities import newest, read_amount
from ..wire.history.values import Number

NUMA_NODE = "resource.kubernetes.io/numaNode"
SOCKET, CACHE, CPU_ID = "socketID", "cacheL3ID", "cpuID"
"""Names of attributes in the domain of a driver of CPUs."""
_CPUS = ("cpu", "cpus")
MOST_SHARES = 4
"""Parts of a capacity that claims consume, where the driver names no default."""
DeviceKey = tuple[str, str, str]
"""Driver, pool and device."""


class _Attribute(msgspec.Struct):
    number: Number | None = msgspec.field(default=None, name="int")
    numbers: tuple[Number, ...] = msgspec.field(default=(), name="ints")


class _Policy(msgspec.Struct):
    default: Fraction | None = None


class _Capacity(msgspec.Struct, rename="camel"):
    value: Fraction
    request_policy: _Policy | None = None


class _Mapping(msgspec.Struct, rename="camel"):
    capacity_key: str = ""


class _Allocatable(msgspec.Struct):
    mapping: _Mapping | None = None


class _Device(msgspec.Struct, rename="camel"):
    name: str
    attributes: dict[str, _Attribute] = {}
    capacity: dict[str, _Capacity] = {}
    allow_multiple_allocations: bool = False
    consumes_counters: tuple[Any, ...] = ()
    node_allocatable_resources: dict[str, _Allocatable] = {}


class _Pool(msgspec.Struct, rename="camel"):
    name: str
    generation: Number = 0
    resource_slice_count: Number | None = None


class Slice(msgspec.Struct):
    """What stands in ``spec`` of a ResourceSlice."""

    driver: str
    pool: _Pool
    devices: tuple[_Device, ...] = ()

    @property
    def of(self) -> tuple[str, str]:
        """Its driver and its pool."""
        return self.driver, self.pool.name


class PublishedDevice(msgspec.Struct, frozen=True):
    """A device.

    ``capacity``: the name of the capacity that is its CPUs; None where it is one CPU. ``cpus``: how many it has; 0
    where nothing says that it has any. ``numbers``: its attributes that are whole numbers; of a list the first.
    ``is_shared``: several claims may consume of its capacity. ``is_whole``: it shares no counters with others.
    ``parts``: of a shared device without CPUs, how much of each capacity a claim consumes at least; ``shares``: how
    many claims may do so.
    """

    key: DeviceKey
    capacity: str | None
    cpus: int
    numbers: Mapping[str, int]
    is_shared: bool
    is_whole: bool
    parts: Mapping[str, int] = {}
    shares: int = 1

    def number(self, attribute: str) -> int | None:
        """Return an attribute; a name without a domain is one of the driver's."""
        driver = self.key[0]
        qualified = attribute if "/" in attribute else f"{driver}/{attribute}"
        return self.numbers.get(qualified, self.numbers.get(attribute))

    def consumed(self, capacities: Mapping[str, Fraction]) -> int:
        """Return how many units an allocation has of it: all, where it consumes of no capacity."""
        if self.capacity is not None and self.capacity in capacities:
            return int(capacities[self.capacity])
        parts = [-(-capacities[name] // unit) for name, unit in self.parts.items() if name in capacities]
        return int(max(parts, default=self.units))

    @property
    def units(self) -> int:
        """What claims may have of it: CPUs, or else parts of its capacities, or itself."""
        return self.cpus or self.shares

    @property
    def unit(self) -> str:
        """What a unit is, for a person."""
        return "CPUs" if self.cpus else "parts"


def slices_of(specs: Iterable[Mapping[str, Any]]) -> list[Slice]:
    """Read the specs of slices that count; raises ``ValueError`` for what the API would not take."""
    slices = [msgspec.convert(spec, Slice, dec_hook=read_amount) for spec in specs]
    return newest(slices, lambda each: each.of, lambda each: each.pool.generation)


def devices_of(slices: Iterable[Slice]) -> list[PublishedDevice]:
    """Return the devices in order, one that is there twice both times."""
    return [_read((each.driver, each.pool.name, device.name), device) for each in slices for device in each.devices]


def _read(key: DeviceKey, device: _Device) -> PublishedDevice:
    numbers = {
        name: value.number if value.number is not None else value.numbers[0]
        for name, value in device.attributes.items()
        if value.number is not None or value.numbers
    }
    mapped = device.node_allocatable_resources.get("cpu", _Allocatable()).mapping
    names = [mapped.capacity_key] if mapped else []
    names += [name for name in device.capacity if name.rpartition("/")[2] in _CPUS]
    capacity = next((name for name in names if name in device.capacity), None)
    single = 1 if f"{key[0]}/{CPU_ID}" in numbers or CPU_ID in numbers else 0
    cpus = single if capacity is None else int(device.capacity[capacity].value)
    # A scheduler consumes the default of a policy where a claim does not say how much.
    amounts = {} if cpus or not device.allow_multiple_allocations else device.capacity
    parts = {
        name: max(1, int((each.request_policy and each.request_policy.default) or each.value // MOST_SHARES))
        for name, each in amounts.items()
        if each.value > 0
    }
    shares = min((int(device.capacity[name].value // unit) for name, unit in parts.items()), default=1)
    return PublishedDevice(
        key,
        capacity,
        cpus,
        numbers,
        device.allow_multiple_allocations,
        is_whole=not device.consumes_counters,
        parts=parts,
        shares=shares,
    )
