"""Amounts as a user writes them, exact (``1500m``, ``2Gi``, ``1e3``); claims that consume them; slices that count."""

import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeVar

import msgspec

from ...cpuset import Unchecked, checked
from ...machine import MemoryNode

T = TypeVar("T")
HUGE = "hugepages-"
"""What the names of huge pages as a resource begin with."""

_WRITTEN = re.compile(r"([+-]?)(\d+\.?\d*|\.\d+)(?:([eE][+-]?\d{1,3})|([KMGTPE]i)|([numkMGTPE]?))")
_MOST_BYTES = 2**80
"""More than a word of each NUMA node."""
_UNITS = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_BINARY = {unit: Fraction(1024**power) for power, unit in enumerate(_UNITS) if unit}
_DECIMAL = {
    letter: Fraction(1000) ** power
    for power, letter in ((-3, "n"), (-2, "u"), (-1, "m"), (0, ""), (1, "k"), *enumerate("MGTPE", 2))
}


@lru_cache(maxsize=4096)
def amount(written: str | float) -> Fraction:
    """Return what a text, or a JSON number, says. Raises ``ValueError`` for a text that is no amount."""
    match = _WRITTEN.fullmatch(str(written))
    if match is None:
        raise ValueError(f"{written!r} is no amount: digits, then Ki, Mi, ... or m, k, M, ... or an exponent")
    sign, digits, exponent, binary, decimal = match.groups()
    number = Fraction(digits)
    if exponent:
        number *= Fraction(10) ** int(exponent[1:])
    else:
        number *= _BINARY[binary] if binary else _DECIMAL[decimal]
    return -number if sign == "-" else number


def read_once(read: Callable[[Any], T], document: Mapping[str, Any]) -> T:
    """Read a JSON object; equal ones are read once."""
    try:
        known: T = _once(read, msgspec.json.encode(document))
    except OverflowError:  # a number of more than 64 bits
        known = read(document)
    return known


@lru_cache(maxsize=8192)
def _once(read: Callable[[Any], T], document: bytes) -> T:
    return read(msgspec.json.decode(document))


def read_amount(kind: type, written: Any) -> Any:
    """Read an amount where JSON has one, for ``msgspec.convert``; raises ``ValueError``."""
    if kind is not Fraction or not isinstance(written, (str, int, float)):
        raise ValueError(f"{written!r:.80} is no amount")
    return amount(written)


def size_of(number: Unchecked) -> int:
    """Return bytes, or a sum of them, that are no more than any machine has; raises ``ValueError`` for others."""
    return checked(number, -_MOST_BYTES, _MOST_BYTES)


def size_text(size: Unchecked) -> str:
    """Write bytes for a person, exact: in the largest unit that divides them."""
    number = size_of(size)
    power = min(((number & -number).bit_length() - 1) // 10, len(_UNITS) - 1)
    return f"{number >> 10 * power}{_UNITS[power]}" if power > 0 else f"{number} byte{'s' * (number != 1)}"


def huge_pages(node: MemoryNode) -> dict[str, int]:
    """Return the bytes of a NUMA node in huge pages, by the name of the resource."""
    return {f"{HUGE}{size}": int(amount(size)) * count for size, count in node.hugepages.items()}


def newest(slices: Sequence[T], pool: Callable[[T], object], generation: Callable[[T], int]) -> list[T]:
    """Return those slices that are of the highest generation of their pool: the others count no more."""
    last: dict[object, int] = {}
    for each in slices:
        last[pool(each)] = max(last.get(pool(each), generation(each)), generation(each))
    return [each for each in slices if generation(each) == last[pool(each)]]


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
    def of(cls, claim: Mapping[str, Any]) -> "AllocatedClaim":
        """Read the JSON object of a claim; raises ``ValueError`` where it is none."""
        return msgspec.convert(claim, cls, dec_hook=read_amount)

    @property
    def results(self) -> tuple[DeviceResult, ...]:
        """The devices, one for each request or more."""
        return self.status.allocation.devices.results
