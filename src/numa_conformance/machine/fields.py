"""Reading the fields of a described machine, gathering every fault with its path."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from ..cpuset import MAX_ID, CpuSet
from ..errors import CpuSetSyntaxError, Fault, UsageError, closest
from .model import Device, MemoryNode

__all__ = ["LARGEST", "MAX_CPUS", "MAX_DEVICES", "MAX_NODES", "PAGE_SIZE", "SIZE", "Fields", "size_in_bytes"]

MAX_CPUS = 8192
MAX_NODES = 1024
MAX_DEVICES = 65_536
LARGEST = 2**31 - 1
"""Highest core, socket and cache id, and distance: firmware tables may give offsets in place of small numbers."""

PAGE_SIZE = r"^[1-9][0-9]{0,6}(Ki|Mi|Gi|Ti)$"
SIZE = r"^[0-9]{1,15}(\.[0-9]{1,9})?(Ki|Mi|Gi|Ti|Pi)$"
_UNITS = {"Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50}

_Item = TypeVar("_Item")


def size_in_bytes(text: str) -> int:
    """Return the bytes of ``512Gi`` or ``62.5Gi``, rounded down to kB; raises ``ValueError`` on another form."""
    if not re.fullmatch(SIZE, text, re.ASCII):
        raise ValueError(f"{text!r} is not a size")
    whole, _, part = text[:-2].partition(".")
    unit = _UNITS[text[-2:]]
    size = int(whole) * unit + (int(part) * unit // 10 ** len(part) if part else 0)
    return size // 1024 * 1024


class Fields:
    """Checks values one by one; a wrong one is recorded and a harmless one returned in its place."""

    def __init__(self, place: str) -> None:
        """Take what stands before every field path: a file, a field of a message."""
        self._place = place
        self._faults: list[Fault] = []
        self._no_objects: list[str] = []

    @property
    def sound(self) -> bool:
        """Tell whether no fault was found so far."""
        return not self._faults

    def fault(self, path: str, message: str, accepted: str | None = None, suggestion: str | None = None) -> None:
        """Record one fault, unless it follows from a value that should have been an object."""
        if any(not outer or path.startswith(f"{outer}.") for outer in self._no_objects):
            return
        where = ": ".join(part for part in (self._place, path) if part)
        self._faults.append(Fault(where, message, accepted, suggestion))

    def raise_if_any(self) -> None:
        """Raise ``UsageError`` with all that was recorded."""
        if self._faults:
            raise UsageError(self._faults)

    def mapping(self, value: object, path: str, known: Iterable[str] = ()) -> Mapping[str, Any]:
        """Return an object; with ``known``, every other key is a fault."""
        if not isinstance(value, Mapping):
            self.fault(path, f"is {_kind(value)}", "an object")
            self._no_objects.append(path)
            return {}
        accepted = tuple(known)
        for key in value:
            if not isinstance(key, str) or (accepted and key not in accepted):
                where = f"{path}.{key}" if path else str(key)
                self.fault(where, "unknown field", ", ".join(accepted) or None, closest(str(key), accepted))
        return value

    def items(self, value: object, path: str, most: int, read: Callable[[object, str], _Item]) -> list[_Item]:
        """Read each entry of a list; absent counts as empty."""
        return [read(item, f"{path}[{i}]") for i, item in enumerate(self._list(value, path, most))]

    def text(self, value: object, path: str, *, needed: bool = False) -> str:
        """Return a text; absent counts as empty unless it is needed."""
        if isinstance(value, str) and (value or not needed):
            return value
        if value is not None or needed:
            self.fault(path, f"is {_kind(value)}", "a text")
        return ""

    def whole(self, value: object, path: str, low: int = 0, high: int = 2**63 - 1) -> int:
        """Return a whole number between ``low`` and ``high``."""
        if type(value) is int and low <= value <= high:
            return value
        shown = repr(value) if isinstance(value, (str, float, bool, int)) else _kind(value)
        limit = f"a whole number from {low}" + ("" if high == 2**63 - 1 else f" to {high}")
        self.fault(path, f"is {shown if len(shown) <= 40 else shown[:37] + '...'}", limit)
        return max(low, 0)

    def id(self, value: object, path: str) -> int:
        """Return the id of a CPU or a NUMA node."""
        return self.whole(value, path, 0, MAX_ID)

    def optional_id(self, value: object, path: str) -> int | None:
        """Return the id of a core or a cache, or None."""
        return None if value is None else self.whole(value, path, 0, LARGEST)

    def flag(self, value: object, path: str) -> bool:
        """Return true or false."""
        if not isinstance(value, bool):
            self.fault(path, f"is {_kind(value)}", "true or false")
        return value is True

    def choice(self, value: object, path: str, accepted: tuple[str, ...]) -> str:
        """Return one of the accepted words."""
        if isinstance(value, str) and value in accepted:
            return value
        near = closest(value, accepted) if isinstance(value, str) else None
        self.fault(path, f"is {value!r}" if isinstance(value, str) else f"is {_kind(value)}", ", ".join(accepted), near)
        return accepted[0]

    def ids(self, value: object, path: str) -> int:
        """Return, as bits, the ids of a text in list format; a single number stands for itself."""
        if type(value) is int:
            return 1 << self.id(value, path)
        try:
            return CpuSet.parse(self.text(value, path)).bits
        except CpuSetSyntaxError as error:
            self.fault(path, error.faults[0].message, error.faults[0].accepted)
            return 0

    def hugepages(self, value: object, path: str) -> dict[str, int]:
        """Return a number of pages by page size."""
        pages = {}
        for name, count in sorted(self.mapping({} if value is None else value, path).items(), key=str):
            if not re.fullmatch(PAGE_SIZE, str(name), re.ASCII):
                self.fault(f"{path}.{name}", "is not a page size", "such as 2Mi or 1Gi")
            pages[str(name)] = self.whole(count, f"{path}.{name}")
        return pages

    def plugins(self, value: object) -> dict[str, str | None]:
        """Return the preference of each device plugin."""
        found: dict[str, str | None] = {}
        for resource, plugin in self.mapping({} if value is None else value, "devicePlugins").items():
            path = f"devicePlugins.{resource}"
            way = self.mapping({} if plugin is None else plugin, path, ("preferredAllocation",)).get(
                "preferredAllocation"
            )
            if way not in (None, "lowest-id"):
                self.fault(f"{path}.preferredAllocation", f"is {way!r}", "lowest-id or null")
            found[str(resource)] = way if isinstance(way, str) else None
        return found

    def matrix(self, value: object) -> tuple[tuple[int, ...], ...]:
        """Return the rows of ``distances``."""
        rows = self.items(value, "distances", MAX_NODES, lambda row, _: row)
        return tuple(tuple(self.items(row, f"distances[{i}]", MAX_NODES, self._distance)) for i, row in enumerate(rows))

    def no_duplicate_devices(self, devices: Iterable[Device]) -> None:
        """Refuse a resource that has two devices of one id."""
        for resource, name in _repeated((one.resource, one.id) for one in devices):
            self.fault("devices", f"the device {name!r} of {resource!r} stands there twice")

    def square(self, distances: tuple[tuple[int, ...], ...] | None, memory: tuple[MemoryNode, ...]) -> None:
        """Refuse a matrix that is not square over the NUMA nodes."""
        if distances is not None and any(len(row) != len(memory) for row in (distances, *distances)):
            accepted = f"{len(memory)} rows of {len(memory)} numbers"
            self.fault("distances", "is not square over the NUMA nodes of the machine", accepted)

    def no_repeats(self, ids: Iterable[int], path: str) -> None:
        """Refuse an id that stands there twice."""
        for one in _repeated(ids):
            self.fault(path, f"{one} stands there twice")

    def _distance(self, value: object, path: str) -> int:
        return self.whole(value, path, 0, LARGEST)

    def _list(self, value: object, path: str, most: int) -> list[Any]:
        if value is None:
            return []
        if not isinstance(value, list):
            self.fault(path, f"is {_kind(value)}", "a list")
            return []
        if len(value) > most:
            self.fault(path, f"has {len(value)} entries", f"at most {most}")
            return []
        return value


def _repeated(values: Iterable[Any]) -> list[Any]:
    seen: set[Any] = set()
    again = {one for one in values if one in seen or seen.add(one)}  # type: ignore[func-returns-value]  # add is None
    return sorted(again)


def _kind(value: object) -> str:
    names = {
        dict: "an object",
        list: "a list",
        str: "a text",
        bool: "true or false",
        int: "a number",
        float: "a number",
    }
    if value is None:
        return "missing"
    return "empty" if value == "" else names.get(type(value), type(value).__name__)
