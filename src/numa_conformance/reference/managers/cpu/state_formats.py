"""The formats in which a CPU Manager's state has been written: read as the kubelet reads them, and checked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....cpuset import CpuSet, iter_bits
from ....errors import CpuSetSyntaxError
from ....machine.hostfs.go_json import GoJsonError, Pairs, string, string_map, type_error
from ..state_formats import Format, Formats, Record, fnv1a_32


@dataclass(kw_only=True)
class CpuRecord(Record):
    """A file as written. ``flat``: container ids to sets, as the oldest format has them; ``pods``: pod uids to sets."""

    default: str = ""
    entries: dict[str, dict[str, str]] = field(default_factory=dict)
    flat: dict[str, str] = field(default_factory=dict)
    pods: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class CpuFormat(Format[CpuRecord]):
    """One format of the CPU Manager's file."""

    has_flat_entries: bool = False
    record = CpuRecord

    def member(self, record: CpuRecord, name: str, value: Any, path: str) -> None:
        """Read a member into a record; raises ``GoJsonError``."""
        match name:
            case "defaultCpuSet":
                record.default = string(value, path)
            case "entries" if self.has_flat_entries:
                record.flat = string_map(value, path)
            case "entries" if not isinstance(value, Pairs):
                raise type_error(value, path, "map[string]map[string]string")
            case "entries":
                record.entries = {uid: string_map(Pairs() if sets is None else sets, path) for uid, sets in value}
            case "podEntries":
                record.pods = _read_pods(value, path)
            case _:
                super().member(record, name, value, path)

    def checksum(self, record: CpuRecord) -> int:
        """Return the checksum of a record (CPU-CKPT-03)."""
        if self.has_flat_entries:
            entries = f"(map[string]string)map[{_flat(record.flat)}]"
        else:
            pods = " ".join(f"{uid}:map[{_flat(sets)}]" for uid, sets in sorted(record.entries.items()))
            entries = f"(map[string]map[string]string)map[{pods}]"
        whole = ""
        if "podEntries" in self.members:
            sets = " ".join(
                f"{uid}:{{CPUSet:(cpuset.CPUSet){_set(cpus)}}}" for uid, cpus in sorted(record.pods.items())
            )
            whole = f" PodEntries:(state.PodCPUAssignments)map[{sets}]"
        return fnv1a_32(
            f"(*state.CPUManagerCheckpoint){{PolicyName:(string){record.policy} "
            f"DefaultCPUSet:(string){record.default} Entries:{entries}{whole} Checksum:(checksum.Checksum)0}}"
        )


def _read_pods(value: Any, path: str) -> dict[str, str]:
    if not isinstance(value, Pairs):
        raise type_error(value, path, "state.PodCPUAssignments")
    pods = {}
    for uid, entry in value:
        if not isinstance(entry, Pairs):
            raise type_error(entry, path, "state.podEntryJSON")
        written = "".join(string(cpus, f"{path}.cpuSet") for name, cpus in entry if name.lower() == "cpuset")
        try:
            CpuSet.parse(written)
        except CpuSetSyntaxError as error:
            raise GoJsonError(f"failed to parse cpuset: {error.detail or error.kubelet_wording}") from error
        pods[uid] = written
    return pods


_OLD = frozenset({"policyName", "defaultCpuSet", "entries", "checksum"})
V1 = CpuFormat("CPUManagerCheckpointV1", _OLD, has_flat_entries=True)
V2 = CpuFormat("CPUManagerCheckpointV2", _OLD)
V3 = CpuFormat("CPUManagerCheckpointV3", _OLD | {"podEntries"})
V4 = CpuFormat("CPUManagerCheckpoint", _OLD | {"data", "dataChecksum"}, old_members=V2.name)
V4_DATA = CpuFormat("CPUManagerCheckpointData", _OLD - {"checksum"} | {"podEntries"})
FORMATS = Formats("cpu", "v4", envelope=V4, data=V4_DATA, with_pods=V3)


def _flat(sets: Mapping[str, str]) -> str:
    return " ".join(f"{name}:{written}" for name, written in sorted(sets.items()))


def _set(written: str) -> str:
    cpus = " ".join(f"{cpu}:{{}}" for cpu in iter_bits(CpuSet.parse(written).bits))
    return f"{{elems:(map[int]struct {{}})map[{cpus}]}}"
