"""What both written forms of a machine refuse, and what they read alike, once each field by itself is right."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from ..cpuset import CpuSet, bit_of
from ..errors import CpuSetSyntaxError
from ..fields import Fields
from .forms import PAGE_SIZE, PAGE_SIZES, PluginForm
from .model import Device, MemoryNode

_Key = TypeVar("_Key", int, tuple[str, str])


def id_bits(ids: int | str | None, path: str, fields: Fields) -> int:
    """Return, as bits, ids in list format; a single number stands for itself."""
    if isinstance(ids, int):
        return bit_of(ids)
    try:
        return CpuSet.parse(ids or "").bits
    except CpuSetSyntaxError as error:
        fields.fault(path, error.faults[0].message, error.faults[0].accepted)
        return 0


def preferences(plugins: Mapping[str, PluginForm | None] | None) -> dict[str, str | None]:
    """Return the preference of each device plugin."""
    return {name: plugin.preferred_allocation if plugin else None for name, plugin in (plugins or {}).items()}


def page_counts(pages: Mapping[str, int] | None, path: str, fields: Fields) -> dict[str, int]:
    """Return pages by page size, ascending by its text."""
    for size in pages or ():
        if not re.fullmatch(PAGE_SIZE, size):
            fields.fault(f"{path}.{size}", "is not accepted", PAGE_SIZES)
    return dict(sorted((pages or {}).items()))


def refuse_repeats(ids: Iterable[int], path: str, fields: Fields) -> None:
    """Record ids that stand there twice."""
    for number in _repeated(ids):
        fields.fault(path, f"{number} is there twice")


def refuse_repeated_devices(devices: Iterable[Device], fields: Fields) -> None:
    """Record devices of one resource that have one id."""
    for resource, name in _repeated((device.resource, device.id) for device in devices):
        fields.fault("devices", f"the device {name!r} of {resource!r} is there twice")


def refuse_crooked_distances(
    distances: Sequence[Sequence[int]] | None, memory: Sequence[MemoryNode], fields: Fields
) -> None:
    """Record a matrix that is not square over the NUMA nodes."""
    if distances is not None and any(len(row) != len(memory) for row in (distances, *distances)):
        accepted = f"{len(memory)} rows of {len(memory)} numbers"
        fields.fault("distances", "is not square over the NUMA nodes of the machine", accepted)


def _repeated(keys: Iterable[_Key]) -> list[_Key]:
    known: set[_Key] = set()
    repeated: set[_Key] = set()
    for key in keys:
        (repeated if key in known else known).add(key)
    return sorted(repeated)
